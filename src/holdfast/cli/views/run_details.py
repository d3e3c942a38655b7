"""All that `holdfast runs show` tells of one run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from holdfast.cli.database_options import DatabaseOptions
from holdfast.cli.finding import dag_of, find_run
from holdfast.cli.views.flow_nodes import edition_of, nodes_of
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
from holdfast.cli.views.wording import asked_of, own_words, skip_text, waits_text, wanted_of
from holdfast.client.client import Client
from holdfast.client.run import AttemptInfo, Cursor, RunInfo, TaskInfo, cursor_in
from holdfast.core.records import TaskRecord
from holdfast.core.values import Failure, RunStatus, TaskStatus

_MOST_ROWS = 200
_MOST_CHARACTERS = 1000
_MOST_TRACEBACKS = 3
_MOST_LINES = 20
"""For people who do not ask for --full."""
_PAGE = 10_000


class Given(NamedTuple):
    """What a task has given, as plain data, or why it failed."""

    output: Any
    failure: Failure | None


class RunDetails(NamedTuple):
    info: RunInfo
    board: RunProgress
    tasks: list[TaskInfo]
    given: dict[int, Given]
    """By the number of the task, of those that have ended."""
    skipped: dict[int, str]
    """Why, by the number of the task."""
    attempts: list[AttemptInfo]
    state: dict[str, Any]
    cursor: Cursor | None = None
    """Where it is, if it is a run of a flow."""
    actions: Mapping[int, str] = {}
    """What visits of nodes have led to, by the number of the task."""

    def facts(self) -> dict[str, Any]:
        more = {"state": self.state, "cursor": self.cursor}
        rows = {"tasks": self._task_facts(), "attempts": self.attempts}
        return {**msgspec.structs.asdict(self.info), **more, **rows}

    def is_overtaken(self, task: TaskInfo) -> bool:
        """It is from before the run was opened again, and does not count any more."""
        return task.seq in self.board.overtaken or (
            task.status is TaskStatus.SKIPPED and self.board.lines[task.name].is_to_come_again
        )

    def _task_facts(self) -> list[dict[str, Any]]:
        nothing = Given(None, None)
        return [
            {
                **msgspec.structs.asdict(task),
                "skipped_because": self.skipped.get(task.seq),
                "is_overtaken": self.is_overtaken(task),
                "action": self.actions.get(task.seq),
                **self.given.get(task.seq, nothing)._asdict(),
            }
            for task in self.tasks
        ]


async def read_portrait(client: Client, run: str, *, is_whole: bool) -> RunDetails:
    """With what its tasks have given: of all if it is to be whole, or else of those that are shown."""
    info = await find_run(client, run)
    definition = await client.definition(info.id)
    edition = edition_of(definition)
    tasks: list[TaskInfo] = []
    while True:
        page = await client.tasks(info.id, since=tasks[-1].seq + 1 if tasks else 0, limit=_PAGE)
        tasks += page
        if len(page) < _PAGE:
            break
    board = RunProgress(
        dag_of(definition), nodes=None if edition is None else nodes_of(edition.flow, info.input)
    )
    board.apply(tasks)
    if is_whole or edition is None or len(tasks) <= _MOST_ROWS:
        shown = tasks if is_whole else tasks[:_MOST_ROWS]
        records = await _read_records(client, info, shown, is_whole=is_whole)
    else:
        records = await _read_latest(client, info, board)
    given = {record.seq: _given(record) for record in records if record.status.is_final}
    sights = [] if edition is None else edition.see_visits(records)
    actions = {task.seq: sight.action for task, sight in zip(records, sights, strict=bool(sights))}
    attempts, state = await client.attempts(info.id), await client.state(info.id)
    cursor = None if edition is None else cursor_in((await client.sights.run(info.key)).state)
    skipped = _skipped(board, tasks)
    return RunDetails(info, board, tasks, given, skipped, attempts, state, cursor, actions)


async def _read_records(
    client: Client, info: RunInfo, shown: Sequence[TaskInfo], *, is_whole: bool
) -> list[TaskRecord]:
    """Not where nothing of them is shown: why a task failed is known by now, and people see no more of it."""
    is_needed = any(task.status.is_final if is_whole else task.status is TaskStatus.SUCCESS for task in shown)
    return await client.list_tasks(info.id, limit=None if is_whole else _MOST_ROWS) if is_needed else []


async def _read_latest(client: Client, info: RunInfo, board: RunProgress) -> list[TaskRecord]:
    """The last visits of the nodes of a flow: of a loop, that is one of thousands."""
    lines = list(board.lines.values())[:_MOST_ROWS]
    latest = [line.latest.seq for line in lines if isinstance(line, VisitsLine) and line.latest is not None]
    found = [await client.list_tasks(info.id, since=seq, limit=1) for seq in latest]
    return [record for page in found for record in page]


def _given(record: TaskRecord) -> Given:
    try:
        output = None if record.output is None else msgspec.json.decode(record.output)
    except (msgspec.DecodeError, UnicodeDecodeError):
        output = bytes(record.output or b"").decode(errors="replace")
    return Given(output, record.failure)


def _skipped(board: RunProgress, tasks: Sequence[TaskInfo]) -> dict[int, str]:
    skipped = [
        task for task in tasks if task.status is TaskStatus.SKIPPED and task.seq not in board.overtaken
    ]
    return {task.seq: why for task in skipped if (why := skip_text(board.lines[task.name], board))}


# --- for people


def print_portrait(portrait: RunDetails, place: DatabaseOptions, *, is_full: bool) -> None:
    tasks, attempts = portrait.tasks, portrait.attempts
    most = max(len(tasks), len(attempts)) if is_full else _MOST_ROWS
    _print_facts(portrait, None if is_full else _MOST_CHARACTERS)
    if tasks and portrait.board.is_of_a_flow and not is_full:
        _print_nodes(portrait)
    elif tasks:
        print_line("")
        header = ["TASK", "STATUS", "ATTEMPT", "STARTED", "TOOK", "OUTPUT OR PROBLEM"]
        print_table(header, [_task_row(task, portrait, is_full=is_full) for task in tasks[:most]], state=1)
        _tell_rest(len(tasks), most)
    if attempts:
        _print_attempts(portrait, most)
    for line in _traceback_lines(portrait, is_full=is_full):
        print_line(line)
    for line in _next_steps(portrait, place):
        print_line(line)


def _print_nodes(portrait: RunDetails) -> None:
    """Of a flow, in the order in which it came to them: a loop has one row for all its visits of a node."""
    print_line("")
    lines = list(portrait.board.lines.values())
    header = ["NODE", "STATUS", "TIMES", "ACTION", "STARTED", "TOOK", "OUTPUT OR PROBLEM"]
    print_table(header, [_node_row(line, portrait) for line in lines[:_MOST_ROWS]], state=1)
    _tell_rest(len(lines), _MOST_ROWS)


def _node_row(line: TaskLine, portrait: RunDetails) -> list[str]:
    took = between(line.started_at, line.finished_at if line.is_over else None, dt.datetime.now(dt.UTC))
    latest = line.latest if isinstance(line, VisitsLine) else None
    failed = line.counts[TaskStatus.FAILED]
    outcome = f"{failed:,} failed" if failed and latest is None else wanted_of(line)
    outcome = _outcome(latest, portrait) or outcome if latest is not None else outcome
    return [
        line.name,
        line.state,
        f"{line.asked_for:,}",
        portrait.actions.get(latest.seq, "") if latest is not None else "",
        moment_text(line.started_at),
        "-" if took is None else span_text(took),
        one_line(outcome, _MOST_CHARACTERS),
    ]


def _print_attempts(portrait: RunDetails, most: int) -> None:
    print_line("")
    named = {task.seq: task for task in portrait.tasks}
    # What went wrong is not to be lost among what workers did well.
    shown = sorted(portrait.attempts, key=lambda each: each.status == "success")[:most]
    shown.sort(key=lambda each: (each.seq, each.attempt))
    header = ["ATTEMPT OF", "STATUS", "NUMBER", "ENDED", "NODE", "WORKER", "PROBLEM"]
    rows = [_attempt_row(each, named) for each in shown]
    if not any(each.worker for each in shown):
        header, *rows = [[*row[:-2], row[-1]] for row in (header, *rows)]
    print_table(header, rows, state=1)
    _tell_rest(len(portrait.attempts), most)


def _tell_rest(count: int, most: int) -> None:
    if count > most:
        print_line(f"and {count - most:,} more; --full and --json have all of them")


def _print_facts(portrait: RunDetails, longest: int | None) -> None:
    info, state, cursor = portrait.info, portrait.state, portrait.cursor or Cursor()
    took = between(info.started_at, info.finished_at, dt.datetime.now(dt.UTC))
    facts = {
        "run": info.id,
        "key": info.key if info.key != info.id else "",
        "workflow": f"{info.workflow} {info.version}",
        "status": info.status.value,
        "waits": waits_text(info.waiting).removeprefix("waits ") if info.waiting else "",
        "created": moment_text(info.created_at),
        "started": moment_text(info.started_at) if info.started_at is not None else "",
        "finished": moment_text(info.finished_at) if info.finished_at is not None else "",
        "took": "" if took is None else span_text(took),
        "node": cursor.node,
        "action": cursor.action,
        "steps": f"{cursor.steps:,}" if cursor.steps else "",
        "input": json_text(info.input),
        "state": json_text(state) if state else "",
        "output": json_text(info.output) if info.output is not None else "",
        "problem": info.failure.summary if info.failure is not None else "",
    }
    console = stdout()
    for name, value in facts.items():
        if value:
            style = COLOURS.get(value, "") if name == "status" else "red" if name == "problem" else ""
            console.print(f"{name:<10}", style="bold", end="")
            console.print(one_line(value, longest), style=style or None)


def _task_row(task: TaskInfo, portrait: RunDetails, *, is_full: bool) -> list[str]:
    took = between(task.started_at, task.finished_at, dt.datetime.now(dt.UTC))
    longest = None if is_full else _MOST_CHARACTERS
    return [
        task_label(task.name, task.index),
        task.status.value,
        str(task.attempt) + (f" ({task.lost} lost)" if task.lost else ""),
        moment_text(task.started_at),
        "-" if took is None else span_text(took),
        one_line(_outcome(task, portrait), longest),
    ]


def _outcome(task: TaskInfo, portrait: RunDetails) -> str:
    if portrait.is_overtaken(task):
        return "before a retry" + (f": {own_words(task.problem, task.name)}" if task.problem else "")
    if task.problem:
        return own_words(task.problem, task.name)
    if task.status is TaskStatus.SKIPPED:
        return portrait.skipped.get(task.seq, "")
    if task.retry_at is not None:
        return f"again at {moment_text(task.retry_at)}"
    given = portrait.given.get(task.seq)
    return json_text(given.output) if given is not None and given.output is not None else ""


def _attempt_row(attempt: AttemptInfo, tasks: dict[int, TaskInfo]) -> list[str]:
    task = tasks.get(attempt.seq)
    return [
        f"task {attempt.seq}" if task is None else task_label(task.name, task.index),
        attempt.status,
        str(attempt.attempt),
        moment_text(attempt.finished_at),
        attempt.node,
        attempt.worker,
        own_words(attempt.problem or "", "" if task is None else task.name),
    ]


def _traceback_lines(portrait: RunDetails, *, is_full: bool) -> Iterator[str]:
    """Where the last attempts of tasks that have not succeeded went wrong: the ends of a few, unless all is
    asked for."""
    last = {attempt.seq: attempt for attempt in portrait.attempts}
    undone = [task for task in portrait.tasks if task.status is not TaskStatus.SUCCESS and task.seq in last]
    traced = [(task, last[task.seq]) for task in undone if last[task.seq].traceback]
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


def _next_steps(portrait: RunDetails, place: DatabaseOptions) -> list[str]:
    info = portrait.info
    found = [(line.name, asked_of(line, info.id, place)) for line in portrait.board.lines.values()]
    asked = [(name, each) for name, each in found if each is not None]
    if asked and not info.status.is_final:
        return ["", *(f"{one_line(name)} {one_line(each.words)}: {each.command}" for name, each in asked)]
    match info.status:
        case RunStatus.FAILED | RunStatus.CANCELLED:
            return ["", f"try again what failed: {place.command('run', '--retry', info.id)}"]
        case RunStatus.PARKED | RunStatus.PAUSED:
            return ["", f"when that is mended: {place.command('run', '--resume', info.id)}"]
        case _:
            return []
