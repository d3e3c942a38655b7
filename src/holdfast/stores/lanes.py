"""Lanes: where transactions run, one after the other, each with a connection of its own.

A `ThreadLane` has a thread, so a transaction is never interrupted: whoever cancels the call that
waits for it stops waiting, and no more. An `InlineLane` runs the job in the call itself: nothing
happens behind its back, which is what a simulator and a debugger want.

A lane connects when it first has something to do, and again after a connection broke.
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
"""Seconds that closing waits for what was asked before."""


class Lane(Protocol):
    @property
    def statements(self) -> int: ...

    async def do(self, job: LaneJob[T]) -> T: ...

    async def close(self) -> None:
        """Finish what was asked before, if a few seconds are enough for it, and let go of the connection."""
        ...


class _Reconnecting:
    """A connection that is made anew when it has broken."""

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
        # A daemon, so that a program which forgets to close the store can still end: what is not
        # committed by then never happened, and that is a state every node can start from.
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
        # It may wait for an answer that never comes, and is a daemon: nobody has to wait for it.
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
            # Nothing of a job outlives it: its rows may be large, and the next one may be long in coming.
            del order, job, answer
        self._link.drop()


def _answer(loop: asyncio.AbstractEventLoop, how: Callable[..., None], *args: Any) -> None:
    try:
        loop.call_soon_threadsafe(how, *args)
    except RuntimeError:
        pass  # the loop is closed, so nobody is left who waits for this


def _give(answer: asyncio.Future[Any], result: Any) -> None:
    if not answer.done():
        answer.set_result(result)


def _refuse(answer: asyncio.Future[Any], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
