"""Rows as records. The columns come in the order of the record's fields, in every database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from holdfast.core.records import (
    AttemptRecord,
    ChildRecord,
    MessageKind,
    MessageRecord,
    RunRecord,
    TaskRecord,
)
from holdfast.core.values import Failure, RunKey, RunStatus, TaskStatus
from holdfast.stores.database import Row

T = TypeVar("T")

_decode_failure = msgspec.json.Decoder(Failure).decode

# By value, because calling an enum's class is slow and a claim reads thousands of rows.
_RUN_STATUS = {status.value: status for status in RunStatus}
_TASK_STATUS = {status.value: status for status in TaskStatus}
_MESSAGE_KIND = {kind.value: kind for kind in MessageKind}


# The columns of a row have no types of their own, so nothing could be checked here.
_run: Callable[..., RunRecord] = RunRecord
_task: Callable[..., TaskRecord] = TaskRecord
_attempt: Callable[..., AttemptRecord] = AttemptRecord
_message: Callable[..., MessageRecord] = MessageRecord
_child: Callable[..., ChildRecord] = ChildRecord


def run_record(row: Row) -> RunRecord:
    return _run(*row[:6], _RUN_STATUS[row[6]], *row[7:9], _failure(row[9]), *row[10:])


def task_record(row: Row) -> TaskRecord:
    return _task(*row[:3], _TASK_STATUS[row[3]], *row[4:9], _failure(row[9]), *row[10:])


def attempt_record(row: Row) -> AttemptRecord:
    return _attempt(*row[:4], _failure(row[4]), *row[5:])


def message_record(row: Row) -> MessageRecord:
    return _message(row[0], row[1], _MESSAGE_KIND[row[2]], *row[3:])


def child_record(row: Row) -> ChildRecord:
    return _child(*row[:3], _RUN_STATUS[row[3]], row[4], _failure(row[5]))


def run_status(text: str) -> RunStatus:
    return _RUN_STATUS[text]


def by_run(rows: Iterable[Row], run_column: int, make: Callable[[Row], T]) -> dict[RunKey, list[T]]:
    """The records that belong to each run, in the order of the rows."""
    found: dict[RunKey, list[T]] = {}
    for row in rows:
        found.setdefault(row[run_column], []).append(make(row))
    return found


def _failure(json: Any) -> Failure | None:
    return None if json is None else _decode_failure(json)
