"""Lanes: each runs transactions one after the other, on its own connection.

A `ThreadLane` has a thread. Cancelling the call that waits for a transaction ends the wait, and the
transaction still completes. An `InlineLane` runs the job inside the call, so nothing happens in the
background. Simulators and debuggers need that.

A lane connects for its first job, and connects again after its connection broke.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

from holdfast.stores.database import Connection

T = TypeVar("T")

LaneJob: TypeAlias = Callable[[Connection], T]

_PATIENCE = 5.0
"""How many seconds `close` waits for earlier jobs."""


class Lane(Protocol):
    @property
    def statements(self) -> int: ...

    async def do(self, job: LaneJob[T]) -> T: ...

    async def close(self) -> None:
        """Finish earlier jobs, for a few seconds at most, and close the connection."""
        ...


class _Reconnecting:
    """A connection that is opened again after it broke."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._sent_before = 0

    @property
    def statements(self) -> int:
        connection = self._connection
        return self._sent_before + (connection.statements if connection is not None else 0)

    def do(self, job: LaneJob[T]) -> T:
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        try:
            return job(connection)
        finally:
            if connection.is_broken:
                self.drop()

    def drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._sent_before += connection.statements
            connection.close()


class InlineLane:
    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._link = _Reconnecting(connect)

    @property
    def statements(self) -> int:
        return self._link.statements

    async def do(self, job: LaneJob[T]) -> T:
        return self._link.do(job)

    async def close(self) -> None:
        self._link.drop()


_LaneRequest: TypeAlias = tuple[LaneJob[Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class ThreadLane:
    def __init__(self, connect: Callable[[], Connection], name: str) -> None:
        self._link = _Reconnecting(connect)
        self._orders: queue.SimpleQueue[_LaneRequest | None] = queue.SimpleQueue()
        # A daemon thread, so that a program that forgets to close the store can still exit. A transaction
        # that is not committed by then is rolled back, and every node can start from that state.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def statements(self) -> int:
        return self._link.statements

    async def do(self, job: LaneJob[T]) -> T:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._orders.put((job, loop, answer))
        return await answer

    async def close(self) -> None:
        self._orders.put(None)
        # The thread may wait for an answer that never comes. It is a daemon, so it need not be joined.
        await asyncio.to_thread(self._thread.join, _PATIENCE)

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            job, loop, answer = order
            try:
                result = self._link.do(job)
            except BaseException as error:
                _answer(loop, _refuse, answer, error)
            else:
                _answer(loop, _give, answer, result)
            # Drop all references to the job: its rows may be large, and the next job may come much later.
            del order, job, answer
        self._link.drop()


def _answer(loop: asyncio.AbstractEventLoop, how: Callable[..., None], *args: Any) -> None:
    try:
        loop.call_soon_threadsafe(how, *args)
    except RuntimeError:
        pass  # the loop is closed, so nothing waits for the answer


def _give(answer: asyncio.Future[Any], result: Any) -> None:
    if not answer.done():
        answer.set_result(result)


def _refuse(answer: asyncio.Future[Any], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
