"""Sending messages to runs: in groups, one transaction for each group.

Messages that are sent while a group is written become the next group. So ten thousand signals that are sent
at once take some twenty transactions, and a single signal does not wait. The messages of a process are
written in the order in which they were sent.

Each message has an id that is made here. If the connection breaks, nobody knows whether a group was written.
Then the group is written once more: the store does not add a message of an id that it has.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from secrets import token_hex
from typing import NamedTuple, TypeVar

from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.errors import CommitRefused, StoreUnavailable
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostAnswer, PostResult, RunStore

_MOST_MESSAGES = 500
_MOST_BYTES = 1_000_000
"""A larger group would hold up the next commit of an engine that uses the same SQLite file."""
_CLOSE_SECONDS = 5.0
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


class _Post(NamedTuple):
    letter: Letter
    answer: asyncio.Future[PostAnswer]


class MessagePoster:
    def __init__(self, store: RunStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._waiting: deque[_Post] = deque()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._writer: asyncio.Task[None] | None = None

    async def post(self, letter: Letter) -> PostAnswer:
        """If the caller is cancelled, the message is not sent, unless its group is already under way."""
        post = _new_post(letter)
        if not self._is_idle.is_set():
            self._waiting.append(post)
            return await post.answer
        # A message that comes alone is written by its caller, without a task. If the store has no threads, as
        # in a test, the event loop makes no turn meanwhile.
        self._is_idle.clear()
        try:
            await self._send([post])
        except asyncio.CancelledError:
            self._write_gathered()
            raise
        self._write_gathered()
        return post.answer.result()

    async def post_many(self, letters: Sequence[Letter]) -> list[PostAnswer | BaseException]:
        """Returns one result for each, or the error with which it could not be sent."""
        posts = [_new_post(letter) for letter in letters]
        self._waiting.extend(posts)
        if self._is_idle.is_set():
            self._is_idle.clear()
            self._write_gathered()
        return await asyncio.gather(*(post.answer for post in posts), return_exceptions=True)

    def _write_gathered(self) -> None:
        if self._waiting:
            self._writer = asyncio.create_task(self._write(), name="holdfast poster")
        else:
            self._is_idle.set()

    async def close(self) -> None:
        """Write what waits, for a few seconds at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_idle.wait(), _CLOSE_SECONDS)

    async def _write(self) -> None:
        try:
            while self._waiting:
                if group := self._take_group():
                    await self._send(group)
        finally:
            self._is_idle.set()

    def _take_group(self) -> list[_Post]:
        group: list[_Post] = []
        size = 0
        while self._waiting and len(group) < _MOST_MESSAGES:
            post = self._waiting[0]
            if group and size + len(post.letter.payload) > _MOST_BYTES:
                break
            self._waiting.popleft()
            if not post.answer.done():
                group.append(post)
                size += len(post.letter.payload)
        return group

    async def _send(self, group: Sequence[_Post]) -> None:
        try:
            results = await self._post(group)
        except CommitRefused as error:
            # Nothing was written. Halves find the message whose row is refused, so that the others are sent.
            if len(group) == 1:
                _refuse(group, error)
            else:
                middle = len(group) // 2
                await self._send(group[:middle])
                await self._send(group[middle:])
        except Exception as error:
            _refuse(group, error)
        else:
            for post, result in zip(group, results, strict=True):
                if not post.answer.done():
                    post.answer.set_result(result)

    async def _post(self, group: Sequence[_Post]) -> list[PostAnswer]:
        letters = [post.letter for post in group]
        ids = sorted({letter.run for letter in letters if isinstance(letter.run, str)})
        keys = await twice(lambda: self._store.find_keys(self._namespace, ids)) if ids else {}
        results: list[PostAnswer] = [PostResult.NO_SUCH_RUN] * len(group)
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


def _new_post(letter: Letter) -> _Post:
    if letter.uid is None:
        letter = letter._replace(uid=new_uid())
    return _Post(letter, asyncio.get_running_loop().create_future())


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


def _refuse(group: Sequence[_Post], error: Exception) -> None:
    for post in group:
        if not post.answer.done():
            post.answer.set_exception(error)
