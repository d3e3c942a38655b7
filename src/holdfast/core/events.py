"""Events: what happened to a run. Facts, in the past tense, fed to a program in journal order."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from holdfast.core.values import Outcome, Payload

MessageId: TypeAlias = int


class TaskEnded(msgspec.Struct, frozen=True, gc=False):
    seq: int
    outcome: Outcome


class ChildEnded(msgspec.Struct, frozen=True):
    seq: int
    outcome: Outcome
    message: MessageId | None = None
    """The message that told of it, to be marked as read; None when it is read from the journal."""


class TimerFired(msgspec.Struct, frozen=True, gc=False):
    seq: int


class SignalReceived(msgspec.Struct, frozen=True):
    message: MessageId
    name: str
    payload: Payload


class PromiseAnswered(msgspec.Struct, frozen=True):
    """`outcome` is never Cancelled: a promise is resolved or rejected."""

    message: MessageId
    name: str
    outcome: Outcome


class CancelRequested(msgspec.Struct, frozen=True):
    message: MessageId
    reason: str


class Reopened(msgspec.Struct, frozen=True):
    """The run had ended, and an operator asked to try again from `position`.

    The steps from there on no longer count, but what they did outside was done. So numbers they
    used are not used again: counting goes on from `tasks`, `timers` and `children`.

    Code can only go back to where it failed. A program that is made of data can go on from its end: then
    `position` is that of this very event, all steps count, and what is tried again is named.
    """

    position: int
    tasks: int
    timers: int
    children: int
    tasks_again: tuple[int, ...] = ()
    children_again: tuple[int, ...] = ()


Event: TypeAlias = (
    TaskEnded | ChildEnded | TimerFired | SignalReceived | PromiseAnswered | CancelRequested | Reopened
)
