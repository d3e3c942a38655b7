"""Updates: messages to a run that are answered. The answer is stored with the message, once.

A handler of the run makes the answer. If its validator refuses the update, that is the answer, and the
journal does not have the update.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from holdfast.core.events import MessageId, UpdateReceived
from holdfast.core.failures import failure_of
from holdfast.core.values import Failed, Failure, Outcome, Payload, Succeeded
from holdfast.errors import JournalCorrupt, UpdateRefused


class UpdateRefusal(NamedTuple):
    message: MessageId
    failure: Failure


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """As JSON: `{"value": 5}` or `{"failure": {...}}`."""

    value: msgspec.Raw = msgspec.Raw(b"null")
    failure: Failure | None = None
    is_refusal: bool = False
    """The update was not recorded, and no handler has run."""

    @property
    def payload(self) -> Payload:
        return Payload(bytes(self.value))


def write_answer(outcome: Outcome) -> bytes:
    """`outcome` is Succeeded or Failed."""
    if isinstance(outcome, Succeeded):
        return msgspec.json.encode(Answer(msgspec.Raw(outcome.payload)))
    assert isinstance(outcome, Failed)
    return msgspec.json.encode(Answer(failure=outcome.failure))


def write_refusal(failure: Failure) -> bytes:
    return msgspec.json.encode(Answer(failure=failure, is_refusal=True))


def read_answer(stored: bytes) -> Answer:
    """Raises JournalCorrupt."""
    try:
        return msgspec.json.decode(stored, type=Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise JournalCorrupt(None, f"the answer to an update ({error})") from None


def refusal(event: UpdateReceived, reason: str) -> UpdateRefusal:
    return UpdateRefusal(event.message, failure_of(UpdateRefused, reason))
