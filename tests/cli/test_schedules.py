"""`holdfast schedules`, as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
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


def test_what_is_done_is_told_in_json(project: Path) -> None:
    name = ("mine", "--target", "nightly.yaml")
    times = ("--from", "2026-01-31T00:00:00Z", "--to", "2026-01-31T02:00:00Z")

    put = as_json(project, "schedules", "put", "mine", "nightly.yaml", "--every", "1h")
    paused = as_json(project, "schedules", "pause", "mine")
    resumed = as_json(project, "schedules", "resume", "mine")
    triggered = as_json(project, "schedules", "trigger", *name)
    filled = json_lines(holdfast(project, "schedules", "backfill", *name, *times, "--json"))
    deleted = as_json(project, "schedules", "delete", "mine")

    assert [each["is_paused"] for each in (put, paused, resumed)] == [False, True, False]
    assert put["plan"]["timetable"] == {"type": "every", "interval": 3600.0}
    assert triggered["schedule"] == "mine"
    assert [each["schedule"] for each in filled] == ["mine", "mine"]
    assert {triggered["run"], *(each["run"] for each in filled)} == {
        run["id"] for run in as_json(project, "runs", "list")
    }
    assert deleted == {"schedule": "mine", "deleted": True}


def test_serve_fires_the_schedule_of_a_file_and_a_backfill_and_a_trigger(project: Path) -> None:
    (project / "nightly.yaml").write_text("schedule: {every: 1s}\n" + FLOW)
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", "serve", "--no-http", "nightly.yaml"],
        cwd=project,
        stderr=subprocess.PIPE,
        text=True,
    ) as node:
        try:
            assert node.stderr is not None
            assert "schedule nightly fires next" in node.stderr.readline()
            triggered = holdfast(project, "schedules", "trigger", "nightly").strip()
            times = ["--from", "2026-01-31T00:00:00Z", "--to", "2026-01-31T00:00:02Z"]
            filled = holdfast(project, "schedules", "backfill", "nightly", *times).split()
            assert len(filled) == 2
            wait_for(project, {triggered, *filled}, by_itself=2)
        finally:
            os.kill(node.pid, signal.SIGTERM)
            node.wait(SECONDS)
    assert node.returncode == 0


def wait_for(project: Path, ids: set[str], by_itself: int) -> None:
    """Until these have succeeded, and so many that nobody asked for."""

    def is_so() -> bool:
        found = as_json(project, "runs", "list", "--limit", "100")
        done = {run["id"] for run in found if run["status"] == "success"}
        return ids <= done and len(done - ids) >= by_itself

    eventually(is_so)
