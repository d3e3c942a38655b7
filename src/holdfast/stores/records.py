"""Converts rows to records. In every database the columns are in the order of the record's fields."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from holdfast.core.history import settled_outcome
from holdfast.core.records import (
    AttemptRecord,
    ChapterStart,
    ChildRecord,
    Definition,
    LogRecord,
    MessageKind,
    MessageRecord,
    PostedMessage,
    RunRecord,
    ScheduleRecord,
    TaskRecord,
    TaskSummary,
)
from holdfast.core.sealed import check_open, is_sealed, why_sealed
from holdfast.core.stream_items import StreamRecord
from holdfast.core.values import (
    NULL,
    Failure,
    Outcome,
    Payload,
    RunKey,
    RunStatus,
    Succeeded,
    TaskStatus,
    key_text,
)
from holdfast.errors import JournalCorrupt
from holdfast.ports.workers import WorkerRecord
from holdfast.stores.database import Row

T = TypeVar("T")

_store_log = logging.getLogger("holdfast.store")

_decode_failure = msgspec.json.Decoder(Failure).decode

_MOST_CHANGES = 2**31 - 1
"""The largest number that both databases can store in the column."""

# Lookups by value: calling an enum class is slow, and a claim reads thousands of rows.
_RUN_STATUS = {status.value: status for status in RunStatus}
_TASK_STATUS = {status.value: status for status in TaskStatus}
_MESSAGE_KIND = {kind.value: kind for kind in MessageKind}


# Columns are untyped, so the type checker could not check these calls.
_run: Callable[..., RunRecord] = RunRecord
_task: Callable[..., TaskRecord] = TaskRecord
_attempt: Callable[..., AttemptRecord] = AttemptRecord
_summary: Callable[..., TaskSummary] = TaskSummary
_log: Callable[..., LogRecord] = LogRecord
_schedule: Callable[..., ScheduleRecord] = ScheduleRecord
_decode_instants = msgspec.json.Decoder(tuple[int, ...]).decode
_decode_services = msgspec.json.Decoder(tuple[str, ...]).decode
_message: Callable[..., MessageRecord] = MessageRecord
_posted: Callable[..., PostedMessage] = PostedMessage
_child: Callable[..., ChildRecord] = ChildRecord


def run_record(row: Row) -> RunRecord:
    """Raises JournalCorrupt."""
    return _run(*row[:6], run_status(row[6]), *row[7:9], read_failure(row[9]), *row[10:])


def task_record(row: Row) -> TaskRecord:
    """Raises JournalCorrupt."""
    status = _TASK_STATUS.get(row[3])
    if status is None:
        raise JournalCorrupt(None, f"task {row[1]} is {row[3]!r}, which this version does not know")
    if isinstance(row[-1], int):
        raise JournalCorrupt(None, f"a part of the input of task {row[1]} is gone, which task {row[-1]} had")
    check_open(row[7])
    check_open(row[10])
    if row[-1] is not None:
        check_open(row[-1].fields)
    return _task(*row[:3], status, *row[4:9], read_failure(row[9]), *row[10:])


def outcome(status: str, output: bytes | None, failure: bytes | None) -> Outcome:
    """How a settled task ended. Raises JournalCorrupt."""
    if status == "success":
        check_open(output)
        return Succeeded(NULL if output is None else Payload(output))
    return settled_outcome(_TASK_STATUS[status], None, read_failure(failure))


def task_summary(row: Row) -> TaskSummary:
    """Raises JournalCorrupt."""
    status = _TASK_STATUS.get(row[3])
    if status is None:
        raise JournalCorrupt(None, f"task {row[0]} is {row[3]!r}, which this version does not know")
    failure = read_failure(row[6])
    problem = None if failure is None else failure.summary
    return _summary(*row[:2], *_place(row[1], row[2]), status, *row[4:6], problem, *row[7:])


def log_record(row: Row) -> LogRecord:
    return _log(*row[:5], _place(row[4] or "", row[5])[0])


def stream_record(row: Row) -> StreamRecord:
    first, seq, attempt, is_first, items, task = row
    return StreamRecord(first, seq, attempt, bool(is_first), items, task)


_PLACE = re.compile(rb'"parallel_index": ?([0-9]{1,9}), ?"parallel_count": ?([0-9]{1,9})\}$')
_PLACES_IN_FLOWS = {
    "/item": re.compile(rb'"index": ?([0-9]{1,9})\}$'),
    "/branch": re.compile(rb'"branch": ?([0-9]{1,9}), ?"service": ?"(?:[^"\\]|\\.)*"\}$'),
}
"""By the end of the task's name. Only the nodes of flows have names with a slash."""


def place_of(name: str, end_of_input: bytes | None) -> int | None:
    """The index of the task in its fan-out."""
    return _place(name, end_of_input)[0]


def _place(name: str, end_of_input: bytes | None) -> tuple[int | None, int | None]:
    """The index and the count of a fan-out item. They are the last fields of its input. Items and branches of
    flows have only an index."""
    if "/" in name:
        pattern = _PLACES_IN_FLOWS.get(name[name.rindex("/") :])
        found = None if pattern is None else pattern.search(end_of_input or b"")
        return (None if found is None else int(found[1])), None
    found = _PLACE.search(end_of_input or b"")
    return (None, None) if found is None else (int(found[1]), int(found[2]))


def schedule_record(row: Row) -> ScheduleRecord:
    """Raises JournalCorrupt."""
    try:
        queued = _decode_instants(row[8])
    except msgspec.MsgspecError as error:
        raise JournalCorrupt(None, f"the queue of schedule {row[0]!r} cannot be read ({error})") from None
    check_open(row[2])
    if not 0 < row[6] < _MOST_CHANGES:
        raise JournalCorrupt(None, f"the changes of schedule {row[0]!r} cannot have been counted to {row[6]}")
    return _schedule(*row[:5], bool(row[5]), *row[6:8], queued, *row[9:15], bool(row[15]))


def schedule_row(schedule: ScheduleRecord) -> Row:
    row = msgspec.structs.astuple(schedule)
    queued = msgspec.json.encode(schedule.queued).decode()
    return (*row[:5], int(schedule.is_paused), *row[6:8], queued, *row[9:15])


def worker_record(row: Row) -> WorkerRecord:
    """Raises JournalCorrupt."""
    id, url, services, type, load, heartbeat_at, is_online = row
    try:
        names = _decode_services(services)
    except msgspec.MsgspecError as error:
        raise JournalCorrupt(None, f"the services of worker {id!r} cannot be read ({error})") from None
    return WorkerRecord(id, url, names, type, load, heartbeat_at, bool(is_online))


def worker_row(worker: WorkerRecord) -> Row:
    services = msgspec.json.encode(worker.services)
    return (*worker[:2], services, *worker[3:6], int(worker.is_online))


def definition(row: Row) -> Definition:
    return Definition(*row[:6], is_published=bool(row[6]), input_schema=row[7])


def attempt_record(row: Row) -> AttemptRecord:
    return _attempt(*row[:4], read_failure(row[4]), *row[5:])


def message_record(row: Row) -> MessageRecord:
    return _message(row[0], row[1], message_kind(row[2]), *row[3:])


def posted_message(row: Row) -> PostedMessage:
    return _posted(row[0], _MESSAGE_KIND.get(row[1], MessageKind.UNKNOWN), *row[2:])


def child_record(row: Row) -> ChildRecord:
    """Raises JournalCorrupt."""
    check_open(row[4])
    return _child(*row[:3], run_status(row[3]), row[4], read_failure(row[5]))


def run_status(text: str) -> RunStatus:
    """Raises JournalCorrupt."""
    status = _RUN_STATUS.get(text)
    if status is None:
        raise JournalCorrupt(None, f"a run is {text!r}, which this version does not know")
    return status


def task_status(text: str) -> TaskStatus:
    """Raises JournalCorrupt."""
    status = _TASK_STATUS.get(text)
    if status is None:
        raise JournalCorrupt(None, f"a task is {text!r}, which this version does not know")
    return status


def message_kind(text: str) -> MessageKind:
    return _MESSAGE_KIND.get(text, MessageKind.UNKNOWN)


def readable(what: str, rows: Iterable[Row], make: Callable[[Row], T]) -> list[T]:
    """The records of the rows that can be read. A damaged row is logged and left out, so that it does not
    hide the others."""
    found: list[T] = []
    for row in rows:
        try:
            found.append(make(row))
        except JournalCorrupt as error:
            name = key_text(RunKey(row[0])) if isinstance(row[0], bytes) else row[0]
            _store_log.warning("%s %s is left out: %s", what, name, error)
    return found


def by_run(
    rows: Iterable[Row], run_column: int, make: Callable[[Row], T], damage: dict[RunKey, str]
) -> dict[RunKey, list[T]]:
    """The records of each run, in the order of the rows. If a row cannot be read, the reason goes to `damage`
    of its run, and other runs are not affected."""
    found: dict[RunKey, list[T]] = {}
    for row in rows:
        run = row[run_column]
        try:
            found.setdefault(run, []).append(make(row))
        except JournalCorrupt as error:
            damage.setdefault(run, error.reason)
    return found


def steps_by_run(
    rows: Iterable[Row], chapters: Mapping[RunKey, ChapterStart], damage: dict[RunKey, str]
) -> dict[RunKey, list[bytes]]:
    """The journal of each run. A gap is damage: replay would take the next step for the missing one."""
    found: dict[RunKey, list[bytes]] = {}
    for run, position, step in rows:
        steps = found.setdefault(run, [])
        if position != len(steps):
            expected = chapters[run].first_position + len(steps)
            if position != expected:
                damage.setdefault(run, f"step {expected} of the journal is missing")
        steps.append(step)
    return found


def read_failure(json: Any) -> Failure | None:
    if json is None:
        return None
    if is_sealed(json):
        return Failure(
            type="holdfast.errors:JournalCorrupt", message=f"the failure cannot be read: {why_sealed(json)}"
        )
    try:
        return _decode_failure(json)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # The task or run has failed all the same, and the run can go on without the details.
        return Failure(type="holdfast.errors:JournalCorrupt", message=f"the failure cannot be read: {json!r}")
