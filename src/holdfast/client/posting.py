"""Sending messages to runs: in groups, one transaction for each group.

Messages that are sent while a group is written become the next group. So ten thousand signals that are sent
at once take some twenty transactions, and a single signal does not wait. The messages of a process are
written in the order in which they were sent.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.errors import CommitRefused
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostResult, RunStore

_MOST_MESSAGES = 500
_MOST_BYTES = 1_000_000
"""A larger group would hold up the next commit of an engine that uses the same SQLite file."""
_CLOSE_SECONDS = 5.0


class _Post(NamedTuple):
    run: RunKey | str
    kind: MessageKind
    name: str
    payload: Payload
    by: str
    uid: str | None
    answer: asyncio.Future[PostResult]


class MessagePoster:
    def __init__(self, store: RunStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._waiting: deque[_Post] = deque()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._writer: asyncio.Task[None] | None = None

    async def post(
        self,
        run: RunKey | str,
        kind: MessageKind,
        name: str,
        payload: Payload,
        by: str = "",
        uid: str | None = None,
    ) -> PostResult:
        """Send a message to the run with that key or id. If the caller is cancelled, the message is not sent,
        unless its group is already under way."""
        answer: asyncio.Future[PostResult] = asyncio.get_running_loop().create_future()
        post = _Post(run, kind, name, payload, by, uid, answer)
        if not self._is_idle.is_set():
            self._waiting.append(post)
            return await answer
        # A message that comes alone is written by its caller, without a task. If the store has no threads, as
        # in a test, the event loop makes no turn meanwhile.
        self._is_idle.clear()
        try:
            await self._send([post])
        except asyncio.CancelledError:
            self._write_gathered()
            raise
        self._write_gathered()
        return answer.result()

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
            if group and size + len(post.payload) > _MOST_BYTES:
                break
            self._waiting.popleft()
            if not post.answer.done():
                group.append(post)
                size += len(post.payload)
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

    async def _post(self, group: Sequence[_Post]) -> list[PostResult]:
        ids = {post.run for post in group if isinstance(post.run, str)}
        keys = await self._store.find_keys(self._namespace, sorted(ids)) if ids else {}
        results = [PostResult.NO_SUCH_RUN] * len(group)
        places: list[int] = []
        messages: list[NewMessage] = []
        for place, post in enumerate(group):
            key = keys.get(post.run) if isinstance(post.run, str) else post.run
            if key is not None:
                places.append(place)
                messages.append(
                    NewMessage(key, post.kind, post.name, post.payload, by=post.by or None, uid=post.uid)
                )
        if messages:
            answers = await self._store.post_messages(self._namespace, messages, self._now())
            for place, answer in zip(places, answers, strict=True):
                results[place] = answer
        return results


def _refuse(group: Sequence[_Post], error: Exception) -> None:
    for post in group:
        if not post.answer.done():
            post.answer.set_exception(error)
