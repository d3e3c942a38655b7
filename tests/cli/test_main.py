"""The command as a whole: help, version, and what it costs to start."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tests.cli.processes import Project


def test_the_version_and_the_help_are_told(project: Project):
    told = project.run("--version")
    help = project.run("--help")

    assert told.stdout == f"holdfast {version('holdfast')}\n"
    for command in (
        "run",
        "serve",
        "runs",
        "logs",
        "approve",
        "signal",
        "validate",
        "graph",
        "init",
        "doctor",
    ):
        assert re.search(rf"^  {command} +[A-Z]", help.stdout, re.MULTILINE), command
    assert list(project.folder.iterdir()) == []


def test_no_words_are_answered_with_help(project: Project):
    done = project.run()

    assert done.returncode == 2
    assert "Usage: holdfast" in done.stdout + done.stderr


def test_the_exit_codes_are_in_the_help_of_run(project: Project):
    text = " ".join(project.run("run", "--help").stdout.split())

    assert "0 success, 1 failed, 2 refused, 3 cancelled, 4 parked or paused" in text
    assert "130 detached by Ctrl-C, 143 by SIGTERM" in text


def test_the_script_that_pip_installs_is_the_same(project: Project):
    script = Path(sys.executable).parent / "holdfast"

    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)

    assert done.stdout == project.run("--version").stdout


def test_the_library_does_not_import_the_command_line():
    code = "import sys, holdfast; print([name for name in ('typer', 'rich') if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_help_does_not_import_what_only_commands_need(project: Project):
    code = (
        "import sys; from holdfast.cli.main import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('rich', 'uvloop', 'psycopg') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
