"""Signals as values, and what becomes of messages that a run does not take."""

from __future__ import annotations

from typing import Any, NamedTuple

from holdfast.client.operators import checked_sender
from holdfast.client.posting import Letter, MessagePoster
from holdfast.core.names import checked_name
from holdfast.core.records import MessageKind
from holdfast.core.values import Payload, RunKey
from holdfast.errors import (
    BadAnswer,
    MayNotAnswer,
    MessageIdTaken,
    PromiseClosed,
    PromiseSettled,
    Refused,
    RunEnded,
    RunNotFound,
    UnknownPromise,
    WrongType,
    show,
)
from holdfast.ports.runs import NotAllowedToAnswer, NotAskedFor, PostAnswer, PostResult, UnfitAnswer
from holdfast.ports.workflows import Workflows

_TAKEN = {
    MessageKind.SIGNAL: "signals",
    MessageKind.RESOLVED: "promises",
    MessageKind.REJECTED: "promises",
    MessageKind.CANCEL: "cancellation",
    MessageKind.UPDATE: "updates",
}


class Signal(NamedTuple):
    """A signal, for `hf.signal_many` and `hf.signal_or_start`."""

    name: str
    value: Any = None
    message_id: str | None = None
    """What you call this signal. The run gets it once, however often it is sent under this id. None: the
    client makes a fresh id."""
    by: str = ""
    """Who sends it; `hf.messages` tells it."""


def signal_letter(run: RunKey | str, signal: Any, workflows: Workflows) -> Letter:
    """Raises WrongType, BadOption, CannotStore and PayloadTooLarge."""
    if not isinstance(signal, Signal):
        raise WrongType("a signal", f"expected a Signal, as in Signal('paid', 5), got {show(signal)}")
    name = checked_name("name", signal.name)
    payload = workflows.encode(signal.value, f"signal {name!r}")
    uid = None if signal.message_id is None else checked_name("message_id", signal.message_id)
    return Letter(run, MessageKind.SIGNAL, name, payload, checked_sender(signal.by), uid)


def refusal(result: PostAnswer, letter: Letter, id: str, namespace: str) -> Refused | None:
    """Why the run of that id did not take the message. None: it did."""
    asked = letter.name if letter.question is None else letter.question
    match result:
        case PostResult.POSTED:
            return None
        case PostResult.NO_SUCH_RUN:
            return RunNotFound(id, namespace)
        case PostResult.ENDED:
            return RunEnded(id, _TAKEN[letter.kind])
        case PostResult.SETTLED:
            return PromiseSettled(id, asked)
        case PostResult.CLOSED:
            return PromiseClosed(id, asked)
        case NotAskedFor():
            return UnknownPromise(id, asked, result.open, has_begun=result.has_begun)
        case NotAllowedToAnswer():
            return MayNotAnswer(id, result.name, letter.by, result.by)
        case UnfitAnswer():
            return BadAnswer(id, result.name, result.why)
        case PostResult.UID_TAKEN:
            return MessageIdTaken(id, letter.uid or "")


class PosterOfRuns:
    """How the code of runs sends signals. Implements `SignalSender`."""

    def __init__(self, poster: MessagePoster, namespace: str) -> None:
        self._poster = poster
        self._namespace = namespace

    async def send_signal(self, run: str, name: str, payload: Payload, uid: str) -> None:
        letter = Letter(run, MessageKind.SIGNAL, name, payload, uid=uid)
        refused = refusal(await self._poster.post(letter), letter, run, self._namespace)
        if refused is not None:
            raise refused
