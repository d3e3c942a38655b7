"""Every command ends with a code that scripts can rely on, and the page has all of them."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest
from tests.cli.processes import Project
from tests.docs.pages import ROOT

from holdfast import errors
from holdfast.cli.commands import start
from holdfast.cli.exit_codes import ExitCode, exit_code_of, exit_code_of_run
from holdfast.core.values import RunStatus
from holdfast.errors import HoldfastError

DAGS = {
    "good.yaml": "name: good\ntasks: {a: {command: 'true'}}\n",
    "bad.yaml": "name: bad\ntasks: {a: {command: 'false'}}\n",
    "wrong.yaml": "name: wrong\ntasks: {a: {comand: 'false'}}\n",
}
"""By the name of the file."""


@pytest.fixture
def files(project: Project) -> Project:
    for name, text in DAGS.items():
        project.write(name, text)
    return project


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("run good.yaml", ExitCode.SUCCESS),
        ("run bad.yaml", ExitCode.FAILED),
        ("run wrong.yaml", ExitCode.REFUSED),
        ("run good.yaml --input [", ExitCode.REFUSED),
        ("validate good.yaml", ExitCode.SUCCESS),
        ("validate wrong.yaml", ExitCode.FAILED),
        ("validate nope.yaml", ExitCode.FAILED),
        ("graph wrong.yaml", ExitCode.REFUSED),
        ("init good.yaml", ExitCode.REFUSED),
        ("nope", ExitCode.REFUSED),
        ("runs list --nope", ExitCode.REFUSED),
        ("runs list", ExitCode.REFUSED),
        ("runs list --db nowhere/x.db", ExitCode.REFUSED),
        ("runs list --db postgresql://localhost:1/x", ExitCode.REFUSED),
        ("runs list --server nonsense", ExitCode.REFUSED),
        ("doctor --server http://127.0.0.1:1", ExitCode.REFUSED),
        ("db status --db nowhere.db", ExitCode.REFUSED),
        ("--version", ExitCode.SUCCESS),
    ],
)
def test_what_a_command_ends_with(files: Project, words: str, code: ExitCode):
    done = files.run(*words.split())

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_was_cancelled_or_paused_ends_start_with_a_code_of_its_own(files: Project):
    files.run("workflows", "put", "good.yaml", "--db", "x.db")
    files.run("start", "good", "--id", "one", "--db", "x.db")

    codes = {
        act: (
            files.run("runs", act, "one", "--db", "x.db").returncode,
            files.run("start", "good", "--id", "one", "--wait", "0s", "--db", "x.db").returncode,
        )
        for act in ("pause", "terminate", "retry")
    }

    assert codes == {
        "pause": (0, ExitCode.SET_ASIDE),
        "terminate": (0, ExitCode.CANCELLED),
        "retry": (0, ExitCode.SUCCESS),
    }


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt(), ExitCode.INTERRUPTED, ""),
        (BrokenPipeError(errno.EPIPE, "nobody reads"), ExitCode.BROKEN_PIPE, ""),
        (OSError(errno.ENOSPC, "full"), ExitCode.NO_ROOM, "error: no space is left to write the answer"),
        (ZeroDivisionError("oops"), ExitCode.BUG, "ZeroDivisionError: oops"),
        (FileNotFoundError("x"), ExitCode.BUG, "FileNotFoundError: x"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_not_an_error_of_ours_has_a_code_of_its_own(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: ExitCode, told: str
):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(start, "find_database", fail)

    done = project.run("start", "x")

    assert done.returncode == code
    assert told in done.stderr
    assert bool(done.stderr) == bool(told)


def test_every_error_of_ours_refuses():
    found = list(_errors(HoldfastError))

    assert len(found) > 60
    for each in found:
        assert exit_code_of(each.__new__(each)) is ExitCode.REFUSED, each


def _errors(kind: type[HoldfastError]) -> Iterator[type[HoldfastError]]:
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
        yield from _errors(each)


def test_every_state_of_a_run_has_a_code():
    codes = {status.value: int(exit_code_of_run(status)) for status in RunStatus}

    assert codes == {
        "pending": 0,
        "running": 0,
        "success": 0,
        "failed": 1,
        "cancelled": 3,
        "paused": 4,
        "parked": 4,
    }


def test_the_page_has_every_code_once():
    page = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    table = page.partition("## Exit codes")[2].partition("\n## ")[0]

    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == [str(int(each)) for each in ExitCode]
