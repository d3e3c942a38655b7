"""`holdfast completion`, as a shell uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.processes import Project

ASK = """
eval "$(holdfast completion bash)"
COMP_WORDS=({words}); COMP_CWORD={number}
_holdfast_completion holdfast
echo "${{COMPREPLY[@]}}"
"""


def complete(*words: str) -> list[str]:
    text = ASK.format(words=" ".join(words), number=len(words) - 1)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        ["bash", "-c", text], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    return done.stdout.split()


def test_bash_completes_commands_and_options():
    assert {"run", "runs"} <= set(complete("holdfast", "ru"))
    assert complete("holdfast", "db", "ba") == ["backup"]
    assert "--json" in complete("holdfast", "runs", "list", "--j")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(project: Project, shell: str):
    assert f"complete_{shell}" in project.run("completion", shell).stdout


def test_another_shell_is_refused(project: Project):
    refused = project.run("completion", "csh")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "bash" in refused.stderr
