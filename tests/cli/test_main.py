"""The command as a whole: help, version, and what it costs to start."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.processes import COMMAND, SECONDS, Project, environment

from holdfast import workflow
from holdfast.authoring.catalog import default_catalog
from holdfast.cli.main import app


def test_the_version_and_the_help_are_told(project: Project):
    told = project.execute("--version")
    help = project.execute("--help")

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
        "db",
    ):
        assert re.search(rf"^  {command} +[A-Z]", help.stdout, re.MULTILINE), command
    assert list(project.folder.iterdir()) == []


def test_every_command_can_answer_in_json():
    def commands(group: Any) -> Iterator[Any]:
        for each in group.commands.values():
            yield from commands(each) if hasattr(each, "commands") else [each]

    found = list(commands(typer.main.get_command(app)))

    assert len(found) > 20
    for command in found:
        if command.name == "completion":
            continue  # it prints a script
        assert "--json" in {option for parameter in command.params for option in parameter.opts}, command.name


def test_no_words_are_answered_with_help(project: Project):
    done = project.execute()

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


def test_commands_in_this_process_leave_nothing_behind(project: Project):
    project.write(
        "leaving.py",
        "from holdfast import workflow\n\n@workflow\nasync def leaving() -> int:\n    return 1\n",
    )

    @workflow
    async def staying() -> None: ...

    @workflow(name="leaving")
    async def another_of_that_name() -> None: ...

    before = Path.cwd(), dict(os.environ), list(sys.path), default_catalog.workflows(), sys.stdout
    assert {staying, another_of_that_name} <= {*default_catalog.workflows()}

    done = project.run("run", "leaving:leaving")
    project.write("leaving.py", (project.folder / "leaving.py").read_text().replace("return 1", "return  22"))
    again = project.run("run", "leaving:leaving")

    assert (done.stdout, again.stdout) == ("1\n", "22\n")
    assert (Path.cwd(), dict(os.environ), list(sys.path), default_catalog.workflows(), sys.stdout) == before
    assert "leaving" not in sys.modules


def test_the_library_does_not_import_the_command_line():
    code = "import sys, holdfast; print([name for name in ('typer', 'rich') if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "words", [["--help"], ["runs", "--help"], ["schedules", "put", "--help"]], ids=" ".join
)
def test_help_does_not_import_what_only_commands_need(words: list[str]):
    needless = (
        "rich",
        "uvloop",
        "psycopg",
        "asyncio",
        "msgspec",
        "yaml",
        "holdfast.app",
        "holdfast.settings",
    )
    code = (
        "import sys; from holdfast.cli.main import app\n"
        f"try:\n    app({words})\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {needless} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_is_written_unbuffered_is_written_whole_all_the_same(stream: str) -> None:
    code = (
        f"import sys; from holdfast.cli.main import _provide_streams; _provide_streams(); "
        f"print(type(sys.{stream}.buffer).__name__)"
    )
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}

    answer = subprocess.run([sys.executable, "-c", code], env=unbuffered, capture_output=True, check=True)

    assert answer.stdout == b"BufferedWriter\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_works_without_the_streams_that_nobody_gave_it(project: Project, closed: str):
    """As a daemon, or a cron of some kinds, starts it."""
    project.write("one.yaml", "name: one\ntasks: {a: {command: echo done >> did.txt}}")
    words = shlex.join([*COMMAND, "run", "one.yaml"])

    shell = ["/bin/sh", "-c", f"{words} {closed}"]
    done = subprocess.run(shell, cwd=project.folder, env=environment(), timeout=SECONDS, check=False)

    assert done.returncode == 0
    assert (project.folder / "did.txt").read_text() == "done\n"


def test_an_answer_that_there_is_no_room_for_is_not_a_run_that_failed(project: Project):
    project.write("one.yaml", "name: one\ntasks: {a: {command: 'true'}}")
    words = shlex.join([*COMMAND, "run", "one.yaml", "--id", "r"])

    shell = ["/bin/sh", "-c", f"{words} > /dev/full"]
    done = subprocess.run(
        shell,
        cwd=project.folder,
        env=environment(),
        timeout=SECONDS,
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 74
    assert "Traceback" not in done.stderr
    assert "no space is left to write the answer" in done.stderr
    assert json.loads(project.run("runs", "show", "r", "--json").stdout)["status"] == "success"
