"""What is said of a task, in the same words in a live view, in plain lines and in answers."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

from holdfast.authoring.dag.model import ApprovalTask, CallTask, SignalTask, SleepTask
from holdfast.authoring.flow import model as flow
from holdfast.cli.database_options import DatabaseOptions
from holdfast.cli.views.flow_nodes import NodeDetails
from holdfast.cli.views.output import span_text
from holdfast.cli.views.progress import RunProgress, TaskLine, VisitsLine
from holdfast.client.run import Cursor
from holdfast.core.names import written_span

_NO_SUCCESS = {"failed": "failed", "skipped": "was skipped", "cancelled": "was cancelled"}


class OutsideWait(NamedTuple):
    """What a run waits for from outside, and the command that gives it."""

    words: str
    command: str


def asked_of(line: TaskLine, run_id: str, place: DatabaseOptions) -> OutsideWait | None:
    """What a task that is under way waits for, if it is a person or a signal."""
    if line.state != "running":
        return None
    if line.node is not None:
        return _asked_by(line.node, run_id, place)
    if line.task is None:
        return None
    match line.task.work:
        case ApprovalTask(message=message):
            words = f"waits for approval: {message}" if message else "waits for approval"
            return OutsideWait(words, place.command("approve", run_id, line.name))
        case SignalTask(name=name):
            return OutsideWait(f"waits for signal {name!r}", place.command("signal", run_id, name))
        case _:
            return None


def _asked_by(node: NodeDetails, run_id: str, place: DatabaseOptions) -> OutsideWait | None:
    key = node.awaited
    if key is None:
        return None
    if isinstance(node.does, flow.ApprovalNode):
        return OutsideWait("waits for approval", place.command("approve", run_id, node.path))
    # To a flow, a signal without a value is none.
    return OutsideWait(f"waits for signal {key!r}", place.command("signal", run_id, key, "true"))


def wait_of(line: TaskLine) -> str | None:
    """What a task does that no process runs for."""
    if line.state != "running":
        return None
    if line.node is not None:
        return _wait_of_node(line.node)
    if line.task is None:
        return None
    match line.task.work:
        case SleepTask(duration=duration):
            return f"sleeps for {written_span(duration)}"
        case CallTask(workflow=workflow):
            return f"workflow {workflow!r}"
        case _:
            return None


def _wait_of_node(node: NodeDetails) -> str | None:
    match node.does:
        case flow.TimerNode():
            delay: Any = node.params.get("delay_ms")
            is_while = isinstance(delay, (int, float)) and delay > 0
            return f"sleeps for {written_span(dt.timedelta(milliseconds=delay))}" if is_while else "sleeps"
        case flow.CallNode(workflow=workflow):
            return f"workflow {workflow!r}"
        case _:
            return None


def wanted_of(line: TaskLine) -> str:
    """Which workers a node waits for, if it is in their queue."""
    node = line.node
    if node is None or line.state != "queued" or not isinstance(node.does, flow.ExecutorNode):
        return ""
    if not isinstance(node.does.work, flow.Queue):
        return ""
    return f"waits for a worker of service {node.does.service!r}"


def visits_text(line: TaskLine) -> str:
    """`visit 3`, or nothing for a first one."""
    return f"visit {line.asked_for:,}" if isinstance(line, VisitsLine) and line.asked_for > 1 else ""


def cursor_text(cursor: Cursor) -> str:
    """`step 7 at checkout/confirm, after 'big'`; at the end `9 steps`."""
    if not cursor.node:
        return f"{cursor.steps:,} {'step' if cursor.steps == 1 else 'steps'}"
    after = f", after {cursor.action!r}" if cursor.action else ""
    return f"step {cursor.steps:,} at {cursor.node}{after}"


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


def skip_text(line: TaskLine, board: RunProgress) -> str:
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
