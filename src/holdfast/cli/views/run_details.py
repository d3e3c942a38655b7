"""What `holdfast runs show` prints about one run."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from holdfast.authoring.kinds import read_definition
from holdfast.authoring.outline import EMPTY_OUTLINE, VisitDetails
from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.explanations import reason_lines
from holdfast.cli.views.output import (
    COLOURS,
    between,
    json_text,
    moment_text,
    print_line,
    span_text,
    stdout,
    task_label,
)
from holdfast.cli.views.progress import RunProgress, TaskLine, VisitsLine
from holdfast.cli.views.tables import print_table
from holdfast.cli.views.visible import one_line, visible
from holdfast.cli.views.wording import (
    outside_wait,
    retry_command,
    skip_text,
    without_task_name,
    worker_wait_text,
)
from holdfast.client.client import Client
from holdfast.client.operators import MessageInfo
from holdfast.client.run import AttemptInfo, Cursor, RunInfo, TaskInfo
from holdfast.client.streams import StreamInfo
from holdfast.core.explanations import Explanation
from holdfast.core.records import TASK_VERSION, MessageKind, TaskRecord
from holdfast.core.values import Failure, RunStatus, TaskStatus

_MOST_ROWS = 200
_MOST_CHARACTERS = 1000
_MOST_TRACEBACKS = 3
_MOST_LINES = 20
"""Limits without --full."""
_PAGE = 10_000
_BETWEEN_RUNS = (MessageKind.CHILD, MessageKind.TASK)
"""Messages that nobody has sent by hand, and that the tasks and children tell better."""
_WITH_VALUES = (MessageKind.SIGNAL, MessageKind.UPDATE, MessageKind.RESOLVED, MessageKind.REJECTED)
_MOST_ACTS = 1000


class TaskOutcome(NamedTuple):
    """The output of a task, as plain data, or why it failed."""

    output: Any
    failure: Failure | None


class RunDetails(NamedTuple):
    info: RunInfo
    progress: RunProgress
    tasks: list[TaskInfo]
    outcomes: dict[int, TaskOutcome]
    """Of tasks that have ended, by number."""
    skipped: dict[int, str]
    """Why tasks were skipped, by number."""
    attempts: list[AttemptInfo]
    state: dict[str, Any]
    cursor: Cursor | None = None
    """The position in a flow."""
    explanation: Explanation | None = None
    """Why it does not go on; None if it has ended."""
    actions: Mapping[int, str] = {}
    """The actions that visits of nodes have led to, by the number of the task."""
    messages: Sequence[MessageInfo] = ()
    """What it was told, and what operators did to it."""
    streams: Sequence[StreamInfo] = ()

    def facts(self) -> dict[str, Any]:
        reasons = () if self.explanation is None else self.explanation.reasons
        more = {"reasons": reasons, "state": self.state, "cursor": self.cursor}
        rows = {"tasks": self._task_facts(), "attempts": self.attempts, "messages": self.messages}
        return {**msgspec.structs.asdict(self.info), **more, "streams": self.streams, **rows}

    def is_replaced(self, task: TaskInfo) -> bool:
        """The row is from before the run was opened again, and no longer counts."""
        return task.seq in self.progress.replaced or (
            task.status is TaskStatus.SKIPPED and self.progress.lines[task.name].is_to_come_again
        )

    def _task_facts(self) -> list[dict[str, Any]]:
        nothing = TaskOutcome(None, None)
        return [
            {
                **msgspec.structs.asdict(task),
                "skipped_because": self.skipped.get(task.seq),
                "is_overtaken": self.is_replaced(task),
                "action": self.actions.get(task.seq),
                **self.outcomes.get(task.seq, nothing)._asdict(),
            }
            for task in self.tasks
        ]


async def read_run_details(client: Client, info: RunInfo, *, is_full: bool) -> RunDetails:
    """`is_full` reads the outputs of all tasks, and otherwise only of those that are shown."""
    workflow = read_definition(await client.definition(info.id))
    outline = EMPTY_OUTLINE if workflow is None else workflow.outline(info.input)
    tasks: list[TaskInfo] = []
    while True:
        page = await client.tasks(info.id, since=tasks[-1].seq + 1 if tasks else 0, limit=_PAGE)
        tasks += page
        if len(page) < _PAGE:
            break
    progress = RunProgress(outline)
    progress.apply(tasks)
    if is_full or not outline.has_cursor or len(tasks) <= _MOST_ROWS:
        records = await _read_records(client, info, tasks if is_full else _choose(tasks), is_full=is_full)
    else:
        records = await _read_latest(client, info, progress)
    outcomes = {record.seq: _outcome_of(record) for record in records if record.status.is_final}
    visits: Sequence[VisitDetails] = () if workflow is None else workflow.describe_visits(records)
    actions = {task.seq: visit.action for task, visit in zip(records, visits, strict=False) if visit.kind}
    attempts, state = await client.attempts(info.id), await client.state(info.id)
    cursor = await client.cursor(info.key) if outline.has_cursor else None
    skipped = _skipped(progress, tasks)
    why = None if info.status.is_final else await client.explain(info.id)
    told = await _read_messages(client, info)
    streams = await client.streams(info.id)
    return RunDetails(
        info, progress, tasks, outcomes, skipped, attempts, state, cursor, why, actions, told, streams
    )


async def _read_messages(client: Client, info: RunInfo) -> list[MessageInfo]:
    """All that people did, as far as it can be shown, and the first of the other messages."""
    acts = await client.messages(info.id, acts_only=True, limit=_MOST_ACTS)
    messages = await client.messages(info.id, limit=_MOST_ROWS)
    told = {it.id: it for it in (*acts, *messages) if it.kind not in _BETWEEN_RUNS}
    return [told[id] for id in sorted(told)]


async def _read_records(
    client: Client, info: RunInfo, shown: Sequence[TaskInfo], *, is_full: bool
) -> list[TaskRecord]:
    """Empty if no output is shown: `TaskInfo` already has the problems of failed tasks. All successful tasks
    that `_choose` takes are among the first."""
    is_needed = any(task.status.is_final if is_full else task.status is TaskStatus.SUCCESS for task in shown)
    return await client.list_tasks(info.id, limit=None if is_full else _MOST_ROWS) if is_needed else []


async def _read_latest(client: Client, info: RunInfo, progress: RunProgress) -> list[TaskRecord]:
    """The records of the latest visits: in a loop, each is one of thousands."""
    lines = _choose(list(progress.lines.values()))
    latest = [line.latest.seq for line in lines if isinstance(line, VisitsLine) and line.latest is not None]
    found = [await client.list_tasks(info.id, since=seq, limit=1) for seq in latest]
    return [record for page in found for record in page]


def _outcome_of(record: TaskRecord) -> TaskOutcome:
    try:
        output = None if record.output is None else msgspec.json.decode(record.output)
    except (msgspec.DecodeError, UnicodeDecodeError):
        output = bytes(record.output or b"").decode(errors="replace")
    return TaskOutcome(output, record.failure)


def _skipped(progress: RunProgress, tasks: Sequence[TaskInfo]) -> dict[int, str]:
    skipped = [
        task for task in tasks if task.status is TaskStatus.SKIPPED and task.seq not in progress.replaced
    ]
    return {task.seq: why for task in skipped if (why := skip_text(progress.lines[task.name], progress))}


# --- for people


_Row = TypeVar("_Row", TaskInfo, TaskLine)


def _choose(rows: list[_Row], most: int = _MOST_ROWS) -> list[_Row]:
    """The rows to show: if there are too many, those that failed, those that are under way, and the first of
    the others. They stay in their order."""
    ranks = ("failed", "retrying", "running", "dispatched")
    states = map(_state_of, rows) if len(rows) > most else ()
    by_rank = sorted((ranks.index(state) if state in ranks else 9, at) for at, state in enumerate(states))
    return [rows[at] for _, at in sorted(by_rank[:most], key=lambda each: each[1])] if by_rank else rows


def _state_of(row: TaskInfo | TaskLine) -> str:
    if isinstance(row, TaskLine):
        return row.state
    return "retrying" if row.retry_at is not None and not row.status.is_final else row.status.value


def print_run_details(details: RunDetails, database: DatabaseOptions, *, is_full: bool) -> None:
    tasks, attempts = details.tasks, details.attempts
    most = max(len(tasks), len(attempts)) if is_full else _MOST_ROWS
    _print_facts(details, database, None if is_full else _MOST_CHARACTERS)
    if tasks and details.progress.has_cursor and not is_full:
        _print_nodes(details)
    elif tasks:
        print_line("")
        header = ["TASK", "STATUS", "ATTEMPT", "STARTED", "TOOK", "OUTPUT OR PROBLEM"]
        shown = _choose(tasks, most)
        print_table(header, [_task_row(task, details, is_full=is_full) for task in shown], state=1)
        _print_rest(map(_state_of, tasks), map(_state_of, shown))
    if attempts:
        _print_attempts(details, most)
    if details.messages:
        _print_messages(details.messages, most=len(details.messages) if is_full else _MOST_ROWS)
    for line in [*_traceback_lines(details, is_full=is_full), *_parked_lines(details, is_full=is_full)]:
        print_line(line)
    for line in _next_steps(details, database):
        print_line(line)


def _print_messages(messages: Sequence[MessageInfo], most: int) -> None:
    print_line("")
    shown = messages[-most:]
    header = ["MESSAGE", "NAME", "VALUE", "BY", "AT", "COMMENT"]
    print_table(header, [_message_row(it) for it in shown], state=0)
    _print_rest([it.kind for it in messages], [it.kind for it in shown])
    if len(messages) >= _MOST_ROWS:
        print_line(
            f"signals and updates behind its first {_MOST_ROWS:,} messages: see `messages` of the client"
        )


def _message_row(message: MessageInfo) -> list[str]:
    number = "" if message.question is None else f" #{message.question}"
    value, comment = message.value, message.problem or message.comment
    if message.kind not in _WITH_VALUES:
        value, comment = None, str(value or "")  # the reason or the note
    return [
        message.kind.replace("_", "-"),
        f"{message.name}{number}",
        "" if value is None else one_line(json_text(value), 60),
        message.by,
        moment_text(message.at),
        one_line(comment, 60),
    ]


def _print_nodes(details: RunDetails) -> None:
    """One row per node, with all its visits, in the order of the first visits."""
    print_line("")
    lines = list(details.progress.lines.values())
    header = ["NODE", "STATUS", "TIMES", "ACTION", "STARTED", "TOOK", "OUTPUT OR PROBLEM"]
    shown = _choose(lines)
    print_table(header, [_node_row(line, details) for line in shown], state=1)
    _print_rest(map(_state_of, lines), map(_state_of, shown))


def _node_row(line: TaskLine, details: RunDetails) -> list[str]:
    took = between(line.started_at, line.finished_at if line.is_over else None, dt.datetime.now(dt.UTC))
    latest = line.latest if isinstance(line, VisitsLine) else None
    failed = line.counts[TaskStatus.FAILED]
    outcome = f"{failed:,} failed" if failed and latest is None else worker_wait_text(line)
    outcome = _outcome_text(latest, details) or outcome if latest is not None else outcome
    return [
        line.name,
        line.state,
        f"{line.asked_for:,}",
        details.actions.get(latest.seq, "") if latest is not None else "",
        moment_text(line.started_at),
        "-" if took is None else span_text(took),
        one_line(outcome, _MOST_CHARACTERS),
    ]


def _print_attempts(details: RunDetails, most: int) -> None:
    print_line("")
    named = {task.seq: task for task in details.tasks}
    # Failed attempts come first when there are too many to show.
    shown = sorted(details.attempts, key=lambda each: each.status == "success")[:most]
    shown.sort(key=lambda each: (each.seq, each.attempt))
    header = ["ATTEMPT OF", "STATUS", "NUMBER", "ENDED", "NODE", "WORKER", "PROBLEM"]
    rows = [_attempt_row(each, named) for each in shown]
    if not any(each.worker for each in shown):
        header, *rows = [[*row[:-2], row[-1]] for row in (header, *rows)]
    print_table(header, rows, state=1)
    _print_rest([each.status for each in details.attempts], [each.status for each in shown])


def _print_rest(all: Iterable[str], shown: Iterable[str]) -> None:
    """Says how many rows of each state are left out."""
    left_out = Counter(all) - Counter(shown)
    if left_out:
        states = ", ".join(f"{count:,} {state}" for state, count in left_out.most_common())
        print_line(f"and {left_out.total():,} more ({states}); --full and --json have all of them")


def _print_facts(details: RunDetails, database: DatabaseOptions, longest: int | None) -> None:
    info, state, cursor = details.info, details.state, details.cursor or Cursor()
    took = between(info.started_at, info.finished_at, dt.datetime.now(dt.UTC))
    is_task = info.version == TASK_VERSION
    facts = {
        "run": info.id,
        "key": info.key if info.key != info.id else "",
        "task": info.workflow if is_task else "",
        "workflow": "" if is_task else f"{info.workflow} {info.version}",
        "status": info.status.value,
        "chapter": f"{info.chapter:,}" if info.chapter > 1 else "",
        "note": info.note,
        "tags": ", ".join(info.tags),
        "priority": str(info.priority or ""),
        "deadline": "" if info.deadline is None else moment_text(info.deadline),
        "by": info.started_by,
        "had id": info.former_id or "",
        "previous": info.previous or "",
        "created": moment_text(info.created_at),
        "started": moment_text(info.started_at) if info.started_at is not None else "",
        "finished": moment_text(info.finished_at) if info.finished_at is not None else "",
        "took": "" if took is None else span_text(took),
        "node": cursor.node,
        "action": cursor.action,
        "steps": f"{cursor.steps:,}" if cursor.steps else "",
        "input": json_text(info.input),
        "state": json_text(state) if state else "",
        "streams": ", ".join(f"{each.name} ({each.count:,})" for each in details.streams),
        "output": json_text(info.output) if info.output is not None else "",
        "problem": info.failure.summary if info.failure is not None else "",
    }
    console = stdout()
    for name, value in facts.items():
        if value:
            style = COLOURS.get(value, "") if name == "status" else "red" if name == "problem" else ""
            console.print(f"{name:<10}", style="bold", end="")
            console.print(one_line(value, longest), style=style or None)
    if details.explanation is not None:
        lines = reason_lines(details.explanation, database, dt.datetime.now(dt.UTC))
        for number, (text, style) in enumerate(lines):
            console.print(f"{'waits' if number == 0 else '':<10}", style="bold", end="")
            console.print(text, style=style or None)


def _task_row(task: TaskInfo, details: RunDetails, *, is_full: bool) -> list[str]:
    took = between(task.started_at, task.finished_at, dt.datetime.now(dt.UTC))
    longest = None if is_full else _MOST_CHARACTERS
    return [
        task_label(task.name, task.index),
        task.status.value,
        str(task.attempt) + (f" ({task.lost} lost)" if task.lost else ""),
        moment_text(task.started_at),
        "-" if took is None else span_text(took),
        one_line(_outcome_text(task, details), longest),
    ]


def _outcome_text(task: TaskInfo, details: RunDetails) -> str:
    if details.is_replaced(task):
        return "before a retry" + (f": {without_task_name(task.problem, task.name)}" if task.problem else "")
    if task.problem:
        return without_task_name(task.problem, task.name)
    if task.status is TaskStatus.SKIPPED:
        return details.skipped.get(task.seq, "")
    if task.retry_at is not None:
        return f"again at {moment_text(task.retry_at)}"
    if task.progress is not None:
        return f"at {json_text(task.progress)}"
    outcome = details.outcomes.get(task.seq)
    return json_text(outcome.output) if outcome is not None and outcome.output is not None else ""


def _attempt_row(attempt: AttemptInfo, tasks: dict[int, TaskInfo]) -> list[str]:
    task = tasks.get(attempt.seq)
    return [
        f"task {attempt.seq}" if task is None else task_label(task.name, task.index),
        attempt.status,
        str(attempt.attempt),
        moment_text(attempt.finished_at),
        attempt.node,
        attempt.worker,
        without_task_name(attempt.problem or "", "" if task is None else task.name),
    ]


def _traceback_lines(details: RunDetails, *, is_full: bool) -> Iterator[str]:
    """Tracebacks of the last attempts of tasks without success: of all, or the ends of a few."""
    last = {attempt.seq: attempt for attempt in details.attempts}
    unsuccessful = [
        task for task in details.tasks if task.status is not TaskStatus.SUCCESS and task.seq in last
    ]
    traced = [(task, last[task.seq]) for task in unsuccessful if last[task.seq].traceback]
    most = len(traced) if is_full else _MOST_TRACEBACKS
    for task, attempt in traced[:most]:
        lines = visible((attempt.traceback or "").rstrip()).splitlines()
        cut = 0 if is_full else max(0, len(lines) - _MOST_LINES)
        yield ""
        yield f"{one_line(task_label(task.name, task.index))}, attempt {attempt.attempt}:"
        if cut:
            yield f"  ({cut:,} lines before; --full has all of them)"
        yield from (f"  {line}" for line in lines[cut:])
    if len(traced) > most:
        yield ""
        yield f"and {len(traced) - most:,} more tracebacks; --full and --json have all of them"


def _parked_lines(details: RunDetails, *, is_full: bool) -> Iterator[str]:
    """Why the run is parked, at length: the difference between its journal and the code, or a stack."""
    info = details.info
    if info.status is not RunStatus.PARKED or info.failure is None or not info.failure.traceback:
        return
    lines = visible(info.failure.traceback.rstrip()).splitlines()
    shown = lines if is_full else lines[:_MOST_LINES]
    yield ""
    yield "why it is parked:"
    yield from (f"  {line}" for line in shown)
    if len(lines) > len(shown):
        yield f"  ({len(lines) - len(shown):,} more lines; --full has all of them)"


def _next_steps(details: RunDetails, database: DatabaseOptions) -> list[str]:
    info = details.info
    found = [(line.name, outside_wait(line, info.id, database)) for line in details.progress.lines.values()]
    waits = [(name, wait) for name, wait in found if wait is not None]
    if waits and not info.status.is_final:
        return ["", *(f"{one_line(name)} {one_line(wait.text)}: {wait.command}" for name, wait in waits)]
    match info.status:
        case RunStatus.FAILED | RunStatus.CANCELLED:
            return ["", f"try again what failed: {retry_command(info, database)}"]
        case RunStatus.PARKED:
            return ["", f"when that is mended: {database.command('run', '--resume', info.id)}"]
        case _:
            return []
