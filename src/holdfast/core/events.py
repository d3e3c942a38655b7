"""Events: what happened to a run. They are named in the past tense and fed to a program in journal order."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from holdfast.core.values import Instant, Outcome, Payload

MessageId: TypeAlias = int


class TaskEnded(msgspec.Struct, frozen=True, gc=False):
    seq: int
    outcome: Outcome


class ChildEnded(msgspec.Struct, frozen=True):
    seq: int
    outcome: Outcome
    message: MessageId | None = None
    """The message that reported it and must be marked as read. None if the event comes from the journal."""


class TimerFired(msgspec.Struct, frozen=True, gc=False):
    seq: int


class SignalReceived(msgspec.Struct, frozen=True, gc=False):
    message: MessageId
    name: str
    payload: Payload


class UpdateReceived(msgspec.Struct, frozen=True, gc=False):
    """A message that is to be answered. A program that refuses it says so in `Program.refused`."""

    message: MessageId
    name: str
    payload: Payload
    """The arguments, as a JSON list."""


class PromiseAnswered(msgspec.Struct, frozen=True):
    """`outcome` is never Cancelled: a promise is resolved or rejected."""

    message: MessageId
    name: str
    outcome: Outcome
    question: int | None = None
    """The number of the question that it answers. None: it came before the run asked, or from an older
    version."""
    by: str = ""
    """Who answered."""
    comment: str = ""


class CancelRequested(msgspec.Struct, frozen=True, gc=False):
    message: MessageId
    reason: str


class DeadlinePassed(msgspec.Struct, frozen=True, gc=False):
    """The run has not ended by its deadline. It may clean up, and fails then."""

    deadline: Instant


class Reopened(msgspec.Struct, frozen=True):
    """The run had ended, and an operator asked to try again from `position`.

    The steps from `position` on no longer count, but their effects on the outside world remain. So their
    numbers are not used again: counting goes on from `tasks`, `timers`, `children` and `questions`.

    Some programs can only go back to where they failed. Others go on from their end: `position` is then the
    position of this event, all steps count, and `tasks_again` and `children_again` name what is tried again.
    """

    position: int
    tasks: int
    timers: int
    children: int
    tasks_again: tuple[int, ...] = ()
    children_again: tuple[int, ...] = ()
    questions: int = 0


Event: TypeAlias = (
    TaskEnded
    | ChildEnded
    | TimerFired
    | SignalReceived
    | PromiseAnswered
    | CancelRequested
    | DeadlinePassed
    | Reopened
    | UpdateReceived
)
