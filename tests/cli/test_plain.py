"""Lines for what is no terminal: their order, and how much is said."""

from __future__ import annotations

import json

import pytest
from tests.cli.builders import DATABASE, after, attempt, dag, info, said, task

from holdfast.cli.views.plain import JsonView, LineSorter, PlainView
from holdfast.cli.views.progress import RunProgress, RunSnapshot, UnsuccessfulAttempt


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_read_later_but_was_earlier_is_told_earlier():
    out: list[str] = []
    clock = Clock()
    lines = LineSorter(out.append, clock)

    lines.add(after(2), "ended")
    clock.now = 0.3
    lines.add(after(1), "said")
    lines.flush()
    before = list(out)
    clock.now = 0.6
    lines.flush()

    assert before == []
    assert out == ["said", "ended"]


def test_a_line_is_not_held_back_for_longer_than_half_a_second():
    out: list[str] = []
    clock = Clock()
    lines = LineSorter(out.append, clock)

    lines.add(after(1), "first")
    clock.now = 0.4
    lines.add(after(9), "second")
    clock.now = 0.5
    lines.flush()

    assert out == ["first"]


def test_lines_of_the_same_moment_keep_their_order():
    out: list[str] = []
    lines = LineSorter(out.append)

    for number in range(5):
        lines.add(after(1), str(number))
    lines.flush(all=True)

    assert out == ["0", "1", "2", "3", "4"]


def told(seen: RunSnapshot, *, since: float | None = None) -> list[str]:
    out: list[str] = []
    PlainView(out.append, DATABASE, None if since is None else after(since)).finish(seen)
    return [line.partition(" ")[2] if line.startswith("2026") else line for line in out]


def seen(progress: RunProgress, *tasks: object, **more: object) -> RunSnapshot:
    return RunSnapshot(info(), progress, progress.apply(tasks), **more)  # pyright: ignore[reportArgumentType]


def test_each_end_is_told_with_its_attempt_and_time():
    progress = RunProgress(dag("  work: {command: x, retries: {max_attempts: 4}}\n"))

    lines = told(seen(progress, task(0, "work", "success", attempt=2)))

    assert lines == ["run order-42 of test starts", "work success (attempt 2 of 4) after 2.0 s"]


def test_the_end_of_a_large_fan_out_comes_after_its_own_lines_and_before_what_follows_it():
    progress = RunProgress(
        dag("  each: {parallel: 150, command: x}\n  next: {command: x, depends_on: [each]}\n")
    )
    at_once = [task(at, "each", "success", index=at, count=150) for at in range(150)]

    lines = told(seen(progress, *at_once, task(150, "next", "success")))

    assert lines[-3:] == [
        "each: from here on, only failures and counts are printed",
        "each 150 of 150 done",
        "next success after 2.0 s",
    ]


def test_a_failed_attempt_is_told_with_when_it_is_tried_again():
    progress = RunProgress(dag("  work: {command: x, retries: {max_attempts: 4}}\n"))
    waiting = task(0, "work", "pending", attempt=2, retry_at=after(4))

    lines = told(seen(progress, waiting, unsuccessful=[UnsuccessfulAttempt(waiting, attempt(0))]))

    assert lines[1:] == ["work failed (attempt 1 of 4): no luck; again in 3.0 s"]


@pytest.mark.parametrize(
    ("status", "problem", "words"),
    [
        ("lost", None, "work lost (attempt 1): its node died"),
        ("timed_out", "it took too long", "work timed out (attempt 1): it took too long"),
        ("failed", None, "work failed (attempt 1)"),
    ],
)
def test_how_an_attempt_ended_is_told(status: str, problem: str | None, words: str):
    running = task(0, "work", "running", attempt=2)

    lines = told(
        seen(
            RunProgress(),
            running,
            unsuccessful=[UnsuccessfulAttempt(running, attempt(0, 1, status, problem))],
        )
    )

    assert words in lines


def test_the_last_failure_is_told_once():
    failed = task(0, "work", "failed", attempt=2, problem="no luck")

    lines = told(seen(RunProgress(), failed, unsuccessful=[UnsuccessfulAttempt(failed, attempt(0, 2))]))

    assert lines[1:] == ["work failed (attempt 2): no luck"]


def test_what_waits_for_somebody_is_told_with_the_command():
    progress = RunProgress(dag("  review: {approval: {message: 'Ship it?'}}\n"))

    lines = told(seen(progress, task(0, "review")))

    assert lines[1:] == ["review waits for approval: Ship it?; answer with: holdfast approve order-42 review"]


def test_of_a_run_that_goes_on_the_past_is_not_told_again():
    progress = RunProgress()
    past = [said("work", "old", at=1), said("work", "new", at=61)]

    lines = told(seen(progress, task(0, "work", "success"), lines=past), since=60)

    assert lines == ["run order-42 of test goes on", "work | new"]


def test_json_events_have_their_facts():
    out: list[str] = []
    progress = RunProgress()
    failed = task(3, "work", "failed", attempt=2, problem="no luck", index=1, count=4)
    view = JsonView(out.append, None)

    view.finish(
        seen(
            progress,
            failed,
            unsuccessful=[UnsuccessfulAttempt(failed, attempt(3, 2))],
            lines=[said("work", "\x1b[1mö", index=1)],
        )
    )

    events = {event["event"]: event for event in map(json.loads, out)}
    assert events["run"]["run"] == "order-42"
    assert events["task"] | {"at": ""} == {
        "event": "task",
        "at": "",
        "seq": 3,
        "task": "work",
        "index": 1,
        "count": 4,
        "status": "failed",
        "attempt": 2,
        "lost": 0,
        "problem": "no luck",
        "retry_at": None,
    }
    assert (events["attempt"]["attempt"], events["attempt"]["node"]) == (2, "node")
    assert events["log"]["text"] == "\x1b[1mö"
