"""What a run waits for while it is not in memory: as a kind with a name, and in words for people.

The words are made here and nowhere else. Nothing reads them back: whoever has to decide something goes by
the kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from holdfast.core.values import Instant, moment

_SHOWN = 3
"""How many children, or tasks that wait for a worker, are named."""


class WaitKind(StrEnum):
    """Stored with the run; SQL compares with `child` and `turn`."""

    CHILD = "child"
    """The end of another run; the name is its id."""
    SIGNAL = "signal"
    PROMISE = "promise"
    APPROVAL = "approval"
    RETRY = "retry"
    """The next attempt at a task; the name is the task's."""
    SERVICE = "service"
    """A worker that takes a task from the queue; the name is the service's."""
    TIMER = "timer"
    """A point in time, which is also the name."""
    TURN = "turn"
    """Its parent, which holds it back after a retry; the name is the parent's id. Messages do not wake it."""
    UPDATE = "update"
    """A message that is answered. The run has a handler for it."""
    OPERATOR = "operator"
    """It is paused until it is resumed; the name is who paused it."""
    CODE = "code"
    """It is parked until a node has code that fits it; the name is the workflow's."""


class WaitReason(NamedTuple):
    kind: WaitKind
    name: str
    note: str = ""
    """What the words say besides. It is not stored by itself."""


class WaitDescription(NamedTuple):
    """What is stored of all that a run waits for, in the order of the columns."""

    words: str | None
    kind: WaitKind | None
    """Of the first reason."""
    name: str | None


NO_WAIT = WaitDescription(None, None, None)


def wait_for_children(ids: Iterable[str]) -> list[WaitReason]:
    return [WaitReason(WaitKind.CHILD, id) for id in sorted(ids)]


def time_text(at: Instant) -> str:
    return moment(at).isoformat(timespec="seconds")


def wait_for_time(at: Instant) -> str:
    return f"until {time_text(at)}"


def describe_wait(reasons: Sequence[WaitReason]) -> WaitDescription:
    if not reasons:
        return NO_WAIT
    words = [text for kind, group in groupby(reasons, itemgetter(0)) for text in _words(kind, list(group))]
    return WaitDescription("; ".join(words) or None, reasons[0].kind, reasons[0].name)


def _words(kind: WaitKind, reasons: Sequence[WaitReason]) -> list[str]:
    match kind:
        case WaitKind.CHILD:
            ids = ", ".join(reason.name for reason in reasons[:_SHOWN])
            return [f"child {ids} …" if len(reasons) > _SHOWN else f"child {ids}"]
        case WaitKind.SERVICE:
            named = [f"a worker of service {name!r} ({task})" for _, name, task in reasons[:_SHOWN]]
            return named + ([f"{len(reasons) - _SHOWN} more of them"] if len(reasons) > _SHOWN else [])
        case WaitKind.RETRY:
            # The end of an ordinary backoff needs no words of its own: the timer says when it is.
            return [f"another try of task {name!r}, {note}" for _, name, note in reasons if note]
        case WaitKind.TIMER:
            return [f"until {reason.name}" for reason in reasons]
        case WaitKind.TURN:
            return [f"its turn in {reason.name}" for reason in reasons]
        case WaitKind.CODE:
            return [f"code that it fits; it is tried again {reason.note}" for reason in reasons]
        case WaitKind.OPERATOR:
            return [
                "an operator who resumes it; paused"
                f"{f' by {name}' if name else ''}{f': {note}' if note else ''}"
                for _, name, note in reasons
            ]
        case WaitKind.SIGNAL | WaitKind.PROMISE | WaitKind.APPROVAL | WaitKind.UPDATE:
            return [f"{kind.value} {reason.name!r}" for reason in reasons]
