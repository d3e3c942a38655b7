"""Lanes: each runs transactions one after the other, on its own connection.

A `ThreadLane` has a thread. Cancelling the call that waits for a transaction ends the wait, and the
transaction still completes. An `InlineLane` runs the job inside the call, so nothing happens in the
background. Simulators and debuggers need that.

`LaneSet` has all lanes of a process to one database. The engine and the clients do not share lanes, so a
listing or a thousand signals never hold up a commit.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol, TypeAlias, TypeVar

from holdfast.errors import NotOpen
from holdfast.stores.database import Connection, Database
from holdfast.stores.link import Link, LinkJob

T = TypeVar("T")

_PATIENCE = 5.0
"""How many seconds `close` waits for earlier jobs."""
_MOST_URGENT_IN_A_ROW = 8
"""How many urgent jobs may go before a job that waits. A busy engine has the next commit ready when one
ends, and without this limit a signal would wait until the engine is idle."""


class Lane(Protocol):
    @property
    def statements(self) -> int: ...

    async def do(self, job: LinkJob[T], *, is_urgent: bool = False) -> T:
        """Do the job. Urgent jobs are done before the others that wait."""
        ...

    async def close(self) -> None:
        """Finish earlier jobs, for a few seconds at most, and close the connection."""
        ...


class InlineLane:
    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._link = Link(connect)

    @property
    def statements(self) -> int:
        return self._link.statements

    async def do(self, job: LinkJob[T], *, is_urgent: bool = False) -> T:
        return self._link.do(job)

    async def close(self) -> None:
        self._link.drop()


_LaneRequest: TypeAlias = tuple[LinkJob[Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class ThreadLane:
    def __init__(self, connect: Callable[[], Connection], name: str) -> None:
        self._link = Link(connect)
        self._waiting: deque[_LaneRequest] = deque()
        self._urgent: deque[_LaneRequest] = deque()
        self._signals: queue.SimpleQueue[bool] = queue.SimpleQueue()
        """One True for each request in the two deques. False ends the thread."""
        self._urgent_in_a_row = 0
        self._is_busy = False
        # A daemon thread, so that a program that forgets to close the store can still exit. A transaction
        # that is not committed by then is rolled back, and every node can start from that state.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def statements(self) -> int:
        return self._link.statements

    @property
    def unfinished(self) -> int:
        """How many jobs wait or are under way, about."""
        return len(self._waiting) + len(self._urgent) + self._is_busy

    async def do(self, job: LinkJob[T], *, is_urgent: bool = False) -> T:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        (self._urgent if is_urgent else self._waiting).append((job, loop, answer))
        self._signals.put(True)
        return await answer

    async def close(self) -> None:
        self._signals.put(False)
        # The thread may wait for an answer that never comes. It is a daemon, so it need not be joined.
        await asyncio.to_thread(self._thread.join, _PATIENCE)

    def _work(self) -> None:
        while self._signals.get():
            self._is_busy = True
            order = self._next()
            job, loop, answer = order
            try:
                result = self._link.do(job)
            except BaseException as error:
                say, said = _refuse, error
            else:
                say, said = _give, result
            # Before the answer, so that whoever is answered and asks again finds this lane free.
            self._is_busy = False
            _answer(loop, say, answer, said)
            # Drop all references to the job: its rows may be large, and the next job may come much later.
            del order, job, answer, said
        self._link.drop()

    def _next(self) -> _LaneRequest:
        """The next request. There is one, because a signal was taken for it."""
        if self._urgent and not (self._waiting and self._urgent_in_a_row >= _MOST_URGENT_IN_A_ROW):
            self._urgent_in_a_row += 1
            return self._urgent.popleft()
        self._urgent_in_a_row = 0
        return self._waiting.popleft()


class LanePair:
    """Two lanes for the same jobs. A job goes to the one that has less to do, so a short one does not wait
    for one that is long. The second lane is made when it is first needed."""

    def __init__(self, make: Callable[[], ThreadLane]) -> None:
        self._make = make
        self._lanes = [make()]

    @property
    def statements(self) -> int:
        return sum(lane.statements for lane in self._lanes)

    async def do(self, job: LinkJob[T], *, is_urgent: bool = False) -> T:
        if len(self._lanes) == 1 and self._lanes[0].unfinished:
            self._lanes.append(self._make())
        lane = min(self._lanes, key=lambda lane: lane.unfinished)
        return await lane.do(job, is_urgent=is_urgent)

    async def close(self) -> None:
        await asyncio.gather(*(lane.close() for lane in self._lanes))


class LaneName(Enum):
    """What a lane is for. Its connection is opened when it is first needed."""

    ENGINE_WRITER = "holdfast-engine-writer"
    ENGINE_READER = "holdfast-engine-reader"
    WRITER = "holdfast-writer"
    READER = "holdfast-reader"
    """The short reads of clients, such as results of runs."""
    LISTER = "holdfast-lister"
    """The reads of clients that may take long, such as listings. Two of them are done at once."""


_WRITERS = frozenset({LaneName.ENGINE_WRITER, LaneName.WRITER})


class LaneSet:
    """The lanes of this process to one database."""

    def __init__(self, database: Database, *, threads: bool) -> None:
        self._connect = database.connect
        self._has_one_writer = database.has_one_writer
        self._threads = threads
        self._is_open = False
        self._lanes: dict[LaneName, Lane] = {}
        self._sent_before = 0

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def statements(self) -> int:
        return self._sent_before + sum(lane.statements for lane in self._distinct())

    def open(self) -> None:
        self._is_open = True

    def get(self, name: LaneName) -> Lane:
        """Raises NotOpen."""
        if not self._is_open:
            raise NotOpen
        found = self._lanes.get(name)
        return found if found is not None else self._make(name)

    def _make(self, name: LaneName) -> Lane:
        if not self._threads:
            # One connection for all, because a database in memory belongs to one connection.
            lane: Lane = InlineLane(self._connect)
            self._lanes = dict.fromkeys(LaneName, lane)
            return lane
        if name is LaneName.LISTER:
            lane = LanePair(lambda: ThreadLane(self._connect_lister, name.value))
        else:
            lane = ThreadLane(self._connect, name.value)
        is_shared = self._has_one_writer and name in _WRITERS
        self._lanes |= dict.fromkeys(_WRITERS if is_shared else {name}, lane)
        return lane

    def _connect_lister(self) -> Connection:
        connection = self._connect()
        connection.has_pauses = True
        return connection

    async def close(self) -> None:
        self._is_open = False
        lanes, self._lanes = self._distinct(), {}
        if self._threads:  # all at once, because each may wait for its last job
            await asyncio.gather(*(lane.close() for lane in lanes))
        else:
            for lane in lanes:
                await lane.close()
        self._sent_before += sum(lane.statements for lane in lanes)

    def _distinct(self) -> set[Lane]:
        return set(self._lanes.values())


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
