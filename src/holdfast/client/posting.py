"""Sending messages to runs: in groups (group_writing.py), in the order in which a process has sent them.

Each message has an id that is made here. If the connection breaks, nobody knows whether a group was written.
Then the group is written once more: the store does not add a message of an id that it has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from secrets import token_hex
from typing import NamedTuple, TypeVar

from holdfast.client.group_writing import GroupWriter
from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.errors import StoreUnavailable
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostAnswer, PostResult, RunStore

_RANDOM_BYTES = 12

T = TypeVar("T")


def new_uid() -> str:
    """An id for a message. Made anew for each message, so a fork of the process does not repeat it."""
    return token_hex(_RANDOM_BYTES)


class Letter(NamedTuple):
    """A message to be sent to the run with that key or id."""

    run: RunKey | str
    kind: MessageKind
    name: str
    payload: Payload
    by: str = ""
    uid: str | None = None
    """None: the poster makes one."""
    comment: str = ""
    question: int | None = None
    """For an answer: the number of the question, instead of the name."""
    is_ahead: bool = False
    """For an answer: if the run has not asked, keep it until it does."""


class MessagePoster:
    def __init__(self, store: RunStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._writer: GroupWriter[Letter, PostAnswer] = GroupWriter(
            self._post, lambda letter: len(letter.payload), "holdfast poster"
        )

    async def post(self, letter: Letter) -> PostAnswer:
        """If the caller is cancelled, the message is not sent, unless its group is already under way."""
        return await self._writer.write(_with_uid(letter))

    async def post_many(self, letters: Sequence[Letter]) -> list[PostAnswer | BaseException]:
        """Returns one result for each, or the error with which it could not be sent."""
        answers = self._writer.hand_in([_with_uid(letter) for letter in letters])
        return await asyncio.gather(*answers, return_exceptions=True)

    async def close(self) -> None:
        """Write what waits, for a few seconds at most."""
        await self._writer.close()

    async def _post(self, letters: Sequence[Letter]) -> list[PostAnswer]:
        ids = sorted({letter.run for letter in letters if isinstance(letter.run, str)})
        keys = await twice(lambda: self._store.find_keys(self._namespace, ids)) if ids else {}
        results: list[PostAnswer] = [PostResult.NO_SUCH_RUN] * len(letters)
        places: list[int] = []
        messages: list[NewMessage] = []
        for place, letter in enumerate(letters):
            key = keys.get(letter.run) if isinstance(letter.run, str) else letter.run
            if key is not None:
                places.append(place)
                messages.append(_message(key, letter))
        if messages:
            answers = await twice(lambda: self._store.post_messages(self._namespace, messages, self._now()))
            for place, answer in zip(places, answers, strict=True):
                results[place] = answer
        return results


async def twice(call: Callable[[], Awaitable[T]]) -> T:
    """Call it once more if the connection was broken. For calls that change nothing if they are repeated."""
    try:
        return await call()
    except StoreUnavailable as error:
        if not error.may_pass:
            raise
        return await call()


def _with_uid(letter: Letter) -> Letter:
    return letter._replace(uid=new_uid()) if letter.uid is None else letter


def _message(run: RunKey, letter: Letter) -> NewMessage:
    return NewMessage(
        run,
        letter.kind,
        letter.name,
        letter.payload,
        by=letter.by or None,
        uid=letter.uid,
        comment=letter.comment or None,
        question=letter.question,
        is_ahead=letter.is_ahead,
    )
