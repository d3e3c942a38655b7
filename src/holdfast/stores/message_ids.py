"""Messages that clients send: each has an id that its sender made, and is added once.

A sender whose connection breaks does not know whether its message was written. It sends the message again,
under the same id. Every sender locks the row of the run first, and then sees what earlier senders have
written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from holdfast.core.values import Payload, RunKey
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostResult
from holdfast.stores.database import Row, Transaction


class SentMessages:
    """The messages that have one of the ids in question, of runs that are locked."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._contents: dict[tuple[RunKey, str], _Content] = {
            (run, uid): _Content(*content) for run, uid, *content in rows
        }

    def answer(self, message: NewMessage) -> PostResult | None:
        """The answer to a message that was sent before. None if it was not."""
        before = None if message.uid is None else self._contents.get((message.run, message.uid))
        if before is None:
            return None
        return PostResult.POSTED if before.says(_content_of(message)) else PostResult.UID_TAKEN

    def add(self, message: NewMessage) -> None:
        if message.uid is not None:
            self._contents[message.run, message.uid] = _content_of(message)


def send_search(tx: Transaction, messages: Sequence[NewMessage]) -> Callable[[], SentMessages]:
    """Look for earlier messages that have the ids of these. The caller has asked for the locks on the runs
    before."""
    named = [(message.run, message.uid) for message in messages if message.uid is not None]
    found = tx.send_many("sent_messages", named)
    return lambda: SentMessages(found())


class _Content(NamedTuple):
    kind: str
    name: str
    payload: Payload
    question: int | None

    def says(self, other: _Content) -> bool:
        """Whether both mean the same. Equal values may be written in two ways."""
        if self.kind != other.kind:
            return False
        # An answer may give the number of its question instead of the name. The row has both.
        if other.question is not None and self.question != other.question:
            return False
        if other.question is None and self.name != other.name:
            return False
        return self.payload == other.payload or _read(self.payload) == _read(other.payload)


def _content_of(message: NewMessage) -> _Content:
    return _Content(message.kind, message.name, message.payload, message.question)


def _read(payload: Payload) -> object:
    try:
        return msgspec.json.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return payload
