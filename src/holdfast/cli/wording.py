"""What is said of a task, in the same words in a live view, in plain lines and in answers."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from holdfast.authoring.dag.model import Approval, Call, Signal, Sleep
from holdfast.cli.board import Board, Line
from holdfast.cli.opening import Place
from holdfast.cli.output import span_text
from holdfast.core.names import written_span

_NO_SUCCESS = {"failed": "failed", "skipped": "was skipped", "cancelled": "was cancelled"}


class Asked(NamedTuple):
    """What a run waits for from outside, and the command that gives it."""

    words: str
    command: str


def asked_of(line: Line, run_id: str, place: Place) -> Asked | None:
    """What a task that is under way waits for, if it is a person or a signal."""
    if line.task is None or line.state != "running":
        return None
    match line.task.work:
        case Approval(message=message):
            words = f"waits for approval: {message}" if message else "waits for approval"
            return Asked(words, place.command("approve", run_id, line.name))
        case Signal(name=name):
            return Asked(f"waits for signal {name!r}", place.command("signal", run_id, name))
        case _:
            return None


def wait_of(line: Line) -> str | None:
    """What a task does that no process runs for."""
    if line.task is None or line.state != "running":
        return None
    match line.task.work:
        case Sleep(duration=duration):
            return f"sleeps for {written_span(duration)}"
        case Call(workflow=workflow):
            return f"workflow {workflow!r}"
        case _:
            return None


def waits_text(waiting: str) -> str:
    """From what `RunInfo.waiting` names: `waits for signal 'paid', or until 2026-01-31T12:00:00+00:00`."""
    parts = waiting.split("; ")
    named = "; ".join(each for each in parts if not each.startswith("until "))
    until = "; ".join(each for each in parts if each.startswith("until "))
    if not named:
        return f"waits {until}"
    return f"waits for {named}" + (f", or {until}" if until else "")


def attempt_text(attempt: int, lost: int, most: int | None) -> str:
    """`attempt 2 of 5`, or nothing for a first one. Those that were lost do not count against the five.

    After a retry of the whole run the attempts go on counting, and the limit anew: then it is left out.
    """
    if attempt <= 1:
        return ""
    of = f" of {most + lost}" if most is not None and attempt <= most + lost else ""
    return f"attempt {attempt}{of}"


def skip_text(line: Line, board: Board) -> str:
    """Why a task was skipped, as far as the DAG tells."""
    if line.task is None:
        return ""
    for name in () if line.task.runs_on_failure else line.task.depends_on:
        upstream = board.lines.get(name)
        if upstream is not None and upstream.state in _NO_SUCCESS:
            return f"{name} {_NO_SUCCESS[upstream.state]}"
    return f"when is not met: {line.task.when.text}" if line.task.when is not None else ""


def own_words(problem: str, task: str) -> str:
    """What went wrong with a task, for where its name has just been said."""
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
    """How an attempt ended that did not succeed, from its status and what it failed with."""
    if status == "lost":
        return "lost: its node died"
    words = {"timed_out": "timed out"}.get(status, status)
    return f"{words}: {problem}" if problem else words
