"""The values that all layers use: ids, instants, payloads, outcomes, states.

They are frozen and comparable. Nothing here needs a clock, random numbers, an event loop or a database.
"""

from __future__ import annotations

import datetime as dt
import uuid
from enum import StrEnum
from typing import Any, Final, Literal, NewType, TypeAlias

import msgspec

RunKey = NewType("RunKey", bytes)
"""The key of a run in every table: 16 bytes of a UUIDv7. Later runs sort after earlier ones."""

NodeId = NewType("NodeId", str)
"""One start of one engine. A restarted engine is a new node, so a node id is never reused."""

Instant = NewType("Instant", int)
"""Microseconds since 1970-01-01 UTC. It is an int because the hot path makes several for each task."""

Payload = NewType("Payload", bytes)
"""A user's value as UTF-8 JSON."""

NULL = Payload(b"null")

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def instant(moment: dt.datetime) -> Instant:
    return Instant((moment - _EPOCH) // _MICROSECOND)


FIRST_INSTANT = Instant(-62_135_596_800_000_000)
LAST_INSTANT = Instant(253_402_300_799_000_000)
"""The first and last instants that a datetime can hold (years 1 and 9999)."""


def is_instant(at: int) -> bool:
    return FIRST_INSTANT <= at <= LAST_INSTANT


def moment(at: Instant) -> dt.datetime:
    """The instant as a datetime. One out of range, from a damaged row, becomes the nearest in range."""
    if not FIRST_INSTANT <= at <= LAST_INSTANT:
        at = min(max(at, FIRST_INSTANT), LAST_INSTANT)
    return _EPOCH + dt.timedelta(0, 0, at)  # a name for the microseconds would cost as much as the rest


def later(at: Instant, delay: dt.timedelta) -> Instant:
    return Instant(at + delay // _MICROSECOND)


def microseconds(span: dt.timedelta) -> int:
    return span // _MICROSECOND


def key_text(key: RunKey) -> str:
    """The run key as people write it: a canonical UUID."""
    text = key.hex()  # uuid.UUID would do the same at several times the cost
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def key_from_text(text: str) -> RunKey | None:
    """The run key that `text` spells, or None if it is not a canonical UUID."""
    if len(text) != 36:
        return None
    try:
        return RunKey(uuid.UUID(text).bytes)
    except ValueError:
        return None


def task_id(key: RunKey, seq: int) -> str:
    """The id of a task. It is also the idempotency key: unique, and the same for every attempt."""
    return f"{key_text(key)}:{seq}"


class RunStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PAUSED = "paused"
    PARKED = "parked"

    @property
    def is_final(self) -> bool:
        return self in _FINAL_RUN

    @property
    def is_undone(self) -> bool:
        """Whether it ended without success. A retry can reopen such a run."""
        return self in _UNDONE_RUN


_FINAL_RUN = frozenset({RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED})
_UNDONE_RUN = frozenset({RunStatus.FAILED, RunStatus.CANCELLED})


class TaskStatus(StrEnum):
    PENDING = "pending"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in _FINAL_TASK


_FINAL_TASK = frozenset({TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.SKIPPED, TaskStatus.CANCELLED})


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """An exception as data, complete enough to be shown, compared and raised again.

    `type` is `module:qualname`. `arguments` and `attributes` are the exception's `args` and `__dict__` as far
    as JSON can hold them, or None. Nothing depends on those two.
    """

    type: str
    message: str
    traceback: str = ""
    cause: Failure | None = None
    arguments: list[Any] | None = None
    attributes: dict[str, Any] | None = None
    task: str | None = None
    """The id of the task that this failure came from. A retry of the run starts there."""
    bases: tuple[str, ...] = ()
    """The classes that `type` derives from, without `Exception` and those above it, as `type` is written."""
    is_final: bool = False
    """It said itself that another attempt is of no use: `DoNotRetry`."""

    @property
    def whole_traceback(self) -> str:
        """The traceback after those of its causes, as Python shows them."""
        if self.cause is None or not self.cause.traceback:
            return self.traceback
        return f"{self.cause.whole_traceback.rstrip()}\n\nAnd because of that:\n\n{self.traceback}"

    @property
    def summary(self) -> str:
        """One line for people. It names the class unless that is one of ours: `KeyError: 'price'`."""
        module, _, name = self.type.rpartition(":")
        if module.split(".")[0] == "holdfast" or not name:
            return self.message
        name = name.rpartition(".")[2]
        return f"{name}: {self.message}" if self.message else name


EXCEPTION_KEY: Final = "holdfast.exception"
"""No dict of a user's has this key by accident, so an exception can be recognised without a type hint."""


class ExceptionValue(
    msgspec.Struct, frozen=True, omit_defaults=True, rename={"failure": EXCEPTION_KEY, "raised_by": "by"}
):
    """An exception that is an argument, a result, or a part of one.

    In JSON: `{"holdfast.exception": {"type": "builtins:ValueError", "message": ...}, "by": "task"}`.
    """

    failure: Failure
    raised_by: Literal["task", "run"] | None = None
    """Set for what a failed task or child raises: an error that is of our class as well as of its own."""
    title: str = ""
    """The message of a group, without those of its members."""
    members: tuple[ExceptionValue, ...] = ()
    """The exceptions in a group."""


class Succeeded(msgspec.Struct, frozen=True, gc=False):
    payload: Payload


class Failed(msgspec.Struct, frozen=True):
    failure: Failure


class Cancelled(msgspec.Struct, frozen=True):
    reason: str = ""


Outcome: TypeAlias = Succeeded | Failed | Cancelled
"""How a task or a run ended. A user's failing task is a value here, not an exception."""
