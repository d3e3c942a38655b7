"""How a task is described, in the same words in the live view, in plain lines and in answers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.authoring.outline import ApprovalWait, ChildWait, SignalWait, TimerWait, WorkerWait
from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.output import span_text
from holdfast.cli.views.progress import RunProgress, TaskLine, VisitsLine
from holdfast.client.run import Cursor, RunInfo
from holdfast.core.names import written_span

_NO_SUCCESS = {"failed": "failed", "skipped": "was skipped", "cancelled": "was cancelled"}


class OutsideWait(NamedTuple):
    """What a task waits for from outside, and the command that provides it."""

    text: str
    command: str


def outside_wait(line: TaskLine, run_id: str, database: DatabaseOptions) -> OutsideWait | None:
    """None unless the task is under way and waits for a person or a signal."""
    match line.outline.wait if line.state == "running" else None:
        case ApprovalWait(message=message, by=by, needs_value=needs_value):
            text = f"waits for approval: {message}" if message else "waits for approval"
            words = [*(["--value", "JSON"] if needs_value else []), *(["--by", by] if by else [])]
            return OutsideWait(text, database.command("approve", run_id, line.name, *words))
        case SignalWait(name=name, needs_value=needs_value):
            value = ["true"] if needs_value else []
            return OutsideWait(f"waits for signal {name!r}", database.command("signal", run_id, name, *value))
        case _:
            return None


def retry_command(info: RunInfo, database: DatabaseOptions, also: Sequence[str] = ()) -> str:
    """What tries an ended run again. If its deadline has passed, it needs a new one."""
    if info.deadline is not None and info.deadline <= dt.datetime.now(dt.UTC):
        return database.command("runs", "retry", info.id, "--deadline", "1h")
    return database.command("run", "--retry", info.id, *also)


def inner_wait_text(line: TaskLine) -> str | None:
    """What a task under way waits for, if that is a timer or another workflow."""
    match line.outline.wait if line.state == "running" else None:
        case TimerWait(duration=duration):
            return "sleeps" if duration is None else f"sleeps for {written_span(duration)}"
        case ChildWait(workflow=workflow):
            return f"workflow {workflow!r}"
        case _:
            return None


def worker_wait_text(line: TaskLine) -> str:
    """The service that a task in the queue of the workers waits for; otherwise empty."""
    wait = line.outline.wait
    if line.state != "queued" or not isinstance(wait, WorkerWait):
        return ""
    return f"waits for a worker of service {wait.service!r}"


def visits_text(line: TaskLine) -> str:
    """`visit 3`; empty for the first visit."""
    return f"visit {line.asked_for:,}" if isinstance(line, VisitsLine) and line.asked_for > 1 else ""


def cursor_text(cursor: Cursor) -> str:
    """`step 7 at checkout/confirm, after 'big'`; at the end `9 steps`."""
    if not cursor.node:
        return f"{cursor.steps:,} {'step' if cursor.steps == 1 else 'steps'}"
    after = f", after {cursor.action!r}" if cursor.action else ""
    return f"step {cursor.steps:,} at {cursor.node}{after}"


def waits_text(waiting: str) -> str:
    """From `RunInfo.waiting`: `waits for signal 'paid', or until 2026-01-31T12:00:00+00:00`."""
    parts = waiting.split("; ")
    named = "; ".join(each for each in parts if not each.startswith("until "))
    until = "; ".join(each for each in parts if each.startswith("until "))
    if not named:
        return f"waits {until}"
    return f"waits for {named}" + (f", or {until}" if until else "")


def attempt_text(attempt: int, lost: int, maximum: int | None) -> str:
    """`attempt 2 of 5`; empty for the first attempt. Lost attempts do not count against the maximum.

    After a retry of the run the attempts count on, but the maximum starts anew. Then it is left out.
    """
    if attempt <= 1:
        return ""
    of = f" of {maximum + lost}" if maximum is not None and attempt <= maximum + lost else ""
    return f"attempt {attempt}{of}"


def skip_text(line: TaskLine, progress: RunProgress) -> str:
    """Why a task was skipped; empty if the definition does not tell."""
    task = line.outline
    for name in () if task.runs_on_failure else task.depends_on:
        upstream = progress.lines.get(name)
        if upstream is not None and upstream.state in _NO_SUCCESS:
            return f"{name} {_NO_SUCCESS[upstream.state]}"
    return f"when is not met: {task.condition}" if task.condition else ""


def without_task_name(problem: str, task: str) -> str:
    """The problem of a task, for a line that has just named the task."""
    for beginning, instead in (
        (f"task {task!r}: ", ""),
        (f"task {task!r} ", ""),
        (f"the output of task {task!r}: ", "its output: "),
    ):
        if problem.startswith(beginning):
            return instead + problem.removeprefix(beginning)
    return problem


def retry_text(retry_at: dt.datetime | None, now: dt.datetime) -> str:
    if retry_at is None:
        return ""
    return f"again in {span_text(retry_at - now)}" if retry_at > now else "again now"


def attempt_ended_text(status: str, problem: str | None) -> str:
    """How an attempt without success ended."""
    if status == "lost":
        return "lost: its node died"
    text = {"timed_out": "timed out"}.get(status, status)
    return f"{text}: {problem}" if problem else text
