"""`holdfast schedules`, as it is typed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.processes import SECONDS, Project, eventually, json_lines

FLOW = """
name: nightly
input: {day: date, limit: int = 3}
tasks:
  say: {command: 'echo "for $HOLDFAST_INPUT"'}
"""


VERSIONS = """
from holdfast import workflow

@workflow(name="report", version="1")
async def older() -> None: ...

@workflow(name="report", version="2")
async def newer() -> None: ...
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "nightly.yaml").write_text(FLOW)
    return tmp_path


def holdfast(project: Path, *words: str, code: int = 0) -> str:
    """What it prints on stdout, or, if it is to be refused, on stderr."""
    done = Project(project).run(*words)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def as_json(project: Path, *words: str) -> Any:
    return json.loads(holdfast(project, *words, "--json"))


def test_a_schedule_is_put_looked_at_paused_resumed_and_deleted(project: Path) -> None:
    holdfast(
        project,
        *("schedules", "put", "mine", "nightly.yaml", "--cron", "0 2 * * *"),
        *("--timezone", "Europe/Berlin", "--overlap", "queue", "--catchup", "all:5", "--jitter", "10m"),
    )

    [info] = as_json(project, "schedules", "list")
    assert info["plan"]["timetable"] == {
        "type": "cron",
        "expression": "0 2 * * *",
        "timezone": "Europe/Berlin",
    }
    assert (info["plan"]["overlap"], info["plan"]["catchup"]) == ("queue", {"mode": "all", "most": 5})
    assert info["input"] == {"day": "{date}", "limit": 3}
    holdfast(project, "schedules", "pause", "mine")
    assert "paused" in holdfast(project, "schedules", "list")
    assert as_json(project, "schedules", "show", "mine")["next_at"] is None
    holdfast(project, "schedules", "resume", "mine")
    assert "0 2 * * * Europe/Berlin" in holdfast(project, "schedules", "show", "mine")
    holdfast(project, "schedules", "delete", "mine")
    assert as_json(project, "schedules", "list") == []


def test_what_lies_ahead_is_shown_and_what_an_outage_would_cost(project: Path) -> None:
    holdfast(project, "schedules", "put", "mine", "nightly.yaml", "--every", "1h", "--catchup", "all:3")

    firings = as_json(project, "schedules", "preview", "mine", "--count", "3")
    outage = as_json(project, "schedules", "preview", "mine", "--outage", "6h")

    assert len(firings) == 3
    assert outage["skipped"] == 5
    assert len(outage["started"]) == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["put", "x", "nightly.yaml", "--cron", "0 25 * * *"], "hour"),
        (["put", "x", "nightly.yaml"], "give --cron '0 2 * * *', say, or --every 1h30m"),
        (["put", "x", "nightly.yaml", "--every", "soon"], "a span such as 90s"),
        (["put", "x", "nightly.yaml", "--every", "1h", "--overlap", "never"], "'skip'"),
        (["put", "x", "nightly.yaml", "--every", "1h", "--input", '{"limit": "many"}'], "limit"),
        (["put", "x", "weekly.yaml", "--every", "1h"], "weekly.yaml: no such file"),
        (["put", "x", "nightly.yaml", "--every", "1h", "--cron", "@daily"], "not by both"),
        (
            ["put", "x", "nightly.yaml", "--every", "1h", "--jitter", "2h"],
            "--jitter is '2h', but must be no longer than the interval, 1h",
        ),
        (["put", "x", "nightly.yaml", "--every", "1h", "--catchup", "all:x"], "none, last, all, or all:N"),
        (["put", "x", "nightly.yaml", "--every", "1h", "--catchup", "last:3"], "none, last, all, or all:N"),
        (["put", "x", "nightly.yaml", "--every", "1h", "--catchup", "all:0"], "--catchup is 'all:0'"),
        (
            ["backfill", "there", "--from", "2026-02-01", "--to", "2026-01-31"],
            "no earlier than --from, 2026-02-01",
        ),
        (["backfill", "there", "--from", "then", "--to", "now"], "--from is 'then'"),
        (["backfill", "there", "--from", "then", "--to", "now"], "--to is 'now'"),
        (["show", "nobody"], "no schedule 'nobody'"),
    ],
)
def test_bad_words_are_refused_with_what_is_expected(project: Path, words: list[str], problem: str) -> None:
    holdfast(project, "schedules", "put", "there", "nightly.yaml", "--every", "1h")

    assert problem in holdfast(project, "schedules", *words, code=2)
    assert [it["name"] for it in as_json(project, "schedules", "list")] == ["there"]


def test_all_that_is_wrong_is_told_at_once(project: Path) -> None:
    told = holdfast(
        project,
        *("schedules", "put", "x", "weekly.yaml", "--every", "soon", "--jitter", "a bit"),
        *("--overlap", "never", "--catchup", "some", "--input", "3"),
        code=2,
    )

    begun = [line.split(" is ")[0] for line in told.splitlines()]
    assert begun == [
        *("error: --every", "error: --jitter", "error: --catchup"),
        *("error: --overlap", "error: --input", "error: weekly.yaml: no such file"),
    ]
    assert not (project / ".holdfast").exists()


def test_spans_are_shown_as_they_are_written(project: Path) -> None:
    holdfast(project, "schedules", "put", "mine", "nightly.yaml", "--every", "90m", "--jitter", "45s")

    shown = holdfast(project, "schedules", "show", "mine")

    assert "when      every 1h30m\n" in shown
    assert "jitter    45s\n" in shown
    assert "every 1h30m" in holdfast(project, "schedules", "list")


def test_show_has_the_input_and_the_bounds(project: Path) -> None:
    bounds = "start: 2030-01-01, end: 2031-01-01, timezone: Europe/Berlin, input: {limit: 5}"
    (project / "nightly.yaml").write_text(f"schedule: {{cron: '0 2 * * *', {bounds}}}\n" + FLOW)
    with serving(project, "nightly.yaml"):
        shown = holdfast(project, "schedules", "show", "nightly")

    assert 'input     {"day":"{date}","limit":5}\n' in shown
    assert "start     2030-01-01T00:00:00+01:00\n" in shown
    assert "end       2031-01-01T00:00:00+01:00\n" in shown


def test_a_name_that_another_workflow_has_is_refused_also_for_a_file(project: Path) -> None:
    (project / "weekly.yaml").write_text(FLOW.replace("nightly", "weekly"))
    holdfast(project, "schedules", "put", "nightly", "weekly.yaml", "--every", "1h")
    refused = (
        "error: schedule 'nightly' starts workflow 'weekly'; give the schedule of 'nightly' another name, "
        "or delete 'nightly' first\n"
    )

    assert (
        holdfast(project, "schedules", "put", "nightly", "nightly.yaml", "--every", "2h", code=2) == refused
    )
    (project / "nightly.yaml").write_text("schedule: {every: 1h}\n" + FLOW)
    assert refused in holdfast(project, "serve", "--no-http", "nightly.yaml", code=2)
    [info] = as_json(project, "schedules", "list")
    assert (info["workflow"], info["plan"]["timetable"]["interval"]) == ("weekly", 3600.0)


def test_a_version_is_told_on_the_command_line(project: Path) -> None:
    (project / "reports.py").write_text(VERSIONS)

    told = as_json(project, "schedules", "put", "mine", "reports.py:newer", "--every", "1h", "--version", "1")
    untold = as_json(project, "schedules", "put", "mine", "reports.py:newer", "--every", "1h")

    assert (told["workflow"], untold["workflow"]) == ("report@1", "report")


def test_a_schedule_that_no_node_fires_says_so(project: Path) -> None:
    holdfast(project, "schedules", "put", "mine", "nightly.yaml", "--every", "1h")
    assert holdfast(project, "doctor") == ""
    with closing(sqlite3.connect(project / ".holdfast" / "holdfast.db")) as database, database:
        database.execute("UPDATE schedules SET next_at = 1893456000000000 - 3600000000 * 24 * 365 * 10")
    problem = "and no node has fired it; start a node that has workflow 'nightly'"

    listed, [in_list] = holdfast(project, "schedules", "list"), as_json(project, "schedules", "list")
    shown, in_show = (
        holdfast(project, "schedules", "show", "mine"),
        as_json(project, "schedules", "show", "mine"),
    )
    found = Project(project).run("doctor")
    [in_doctor] = json.loads(Project(project).run("doctor", "--json").stdout)

    assert " overdue " in listed
    assert problem in listed
    assert "state     overdue\n" in shown
    assert f"{problem}. If one is running, its log says what is wrong\n" in shown
    assert in_list["problem"] == in_show["problem"] == in_doctor["problem"]
    assert found.returncode == 1
    assert problem in found.stdout
    assert in_doctor == {
        "schedule": "mine", "workflow": "nightly", "status": "overdue", "problem": in_show["problem"]
    }  # fmt: skip


def test_what_is_done_is_told_in_json(project: Path) -> None:
    name = ("mine", "--target", "nightly.yaml")
    times = ("--from", "2026-01-31T00:00:00Z", "--to", "2026-01-31T02:00:00Z")

    put = as_json(project, "schedules", "put", "mine", "nightly.yaml", "--every", "1h")
    paused = as_json(project, "schedules", "pause", "mine")
    resumed = as_json(project, "schedules", "resume", "mine")
    triggered = as_json(project, "schedules", "trigger", *name)
    tried = holdfast(project, "schedules", "backfill", *name, *times, "--dry-run")
    filled = json_lines(holdfast(project, "schedules", "backfill", *name, *times, "--json"))
    deleted = as_json(project, "schedules", "delete", "mine")

    assert [each["is_paused"] for each in (put, paused, resumed)] == [False, True, False]
    assert put["plan"]["timetable"] == {"type": "every", "interval": 3600.0}
    assert triggered["schedule"] == "mine"
    assert (put["words"], tried.splitlines()) == ("every hour", [each["run"] for each in filled])
    assert [each["schedule"] for each in filled] == ["mine", "mine"]
    assert {triggered["run"], *(each["run"] for each in filled)} == {
        run["id"] for run in as_json(project, "runs", "list")
    }
    assert deleted == {"schedule": "mine", "deleted": True}


def test_serve_fires_the_schedule_of_a_file_and_a_backfill_and_a_trigger(project: Path) -> None:
    (project / "nightly.yaml").write_text("schedule: {every: 1s}\n" + FLOW)
    with serving(project, "nightly.yaml") as node:
        triggered = holdfast(project, "schedules", "trigger", "nightly").strip()
        times = ["--from", "2026-01-31T00:00:00Z", "--to", "2026-01-31T00:00:02Z"]
        filled = holdfast(project, "schedules", "backfill", "nightly", *times).split()
        assert len(filled) == 2
        wait_for(project, {triggered, *filled}, by_itself=2)
    assert node.returncode == 0


@contextmanager
def serving(project: Path, file: str) -> Generator[subprocess.Popen[str]]:
    """A node that has put the schedule of the file."""
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", "serve", "--no-http", file],
        cwd=project,
        stderr=subprocess.PIPE,
        text=True,
    ) as node:
        try:
            assert node.stderr is not None
            assert "schedule nightly fires next" in node.stderr.readline()
            yield node
        finally:
            os.kill(node.pid, signal.SIGTERM)
            node.wait(SECONDS)


def wait_for(project: Path, ids: set[str], by_itself: int) -> None:
    """Until these have succeeded, and so many that nobody asked for."""

    def is_so() -> bool:
        found = as_json(project, "runs", "list", "--limit", "100")
        done = {run["id"] for run in found if run["status"] == "success"}
        return ids <= done and len(done - ids) >= by_itself

    eventually(is_so)
