"""The driver: runs transaction scripts on the right lane, and tells listeners of changes.

A driver belongs to the engine or to the clients of this process. Each has lanes of its own (lanes.py). The
two drivers share everything else.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self, TypeVar

from holdfast.ports.store_life import CHANGES
from holdfast.stores.change_log import recorded
from holdfast.stores.database import Connection, Database, Row, Topics, TransactionScript
from holdfast.stores.lanes import LaneName, LaneSet
from holdfast.stores.lease_renewal import SqlLeaseRenewal
from holdfast.stores.sealing import SealedTransaction
from holdfast.stores.seals import Seals

T = TypeVar("T")


class Driver:
    def __init__(self, database: Database, *, threads: bool, seals: Seals | None = None) -> None:
        """The driver of clients. Without threads, transactions run inside the awaiting call, and changes by
        other processes are not watched for. Then the behaviour depends on the calls alone."""
        self._database = database
        self._threads = threads
        self._seals = seals
        self._lanes = LaneSet(database, threads=threads)
        self._changes = _ChangeListeners(database, self._lanes, threads=threads)
        self._is_of_engine = False
        self._renewals: list[SqlLeaseRenewal] = []

    def for_engine(self) -> Self:
        """A driver with the lanes of the engine, on the same database. It is open whenever this one is."""
        other = copy.copy(self)
        other._is_of_engine = True
        return other

    @property
    def name(self) -> str:
        return self._database.name

    @property
    def statements(self) -> int:
        """How many statements this process has sent to the database so far."""
        return self._lanes.statements + sum(each.statements for each in self._renewals)

    async def open(self) -> None:
        if self._lanes.is_open:
            return
        self._lanes.open()
        try:
            await self._lanes.get(LaneName.WRITER).do(self._database.migrate)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        self._changes.drop_all()
        await self._lanes.close()

    async def write(self, script: TransactionScript[T]) -> T:
        script = self._unsealing(script)
        return await self._do(lambda connection: connection.write(recorded(script)))

    async def write_and_tell(self, script: TransactionScript[T]) -> T:
        """Write, then call the listeners of this process to what the script announces. They are called even
        if the caller was cancelled, or if the result of the transaction is unknown."""
        if not self._threads:  # the caller cannot be cancelled while the script runs
            return await self._write_and_tell(script)
        writing = asyncio.ensure_future(self._write_and_tell(script))
        writing.add_done_callback(_ignore_error)
        return await asyncio.shield(writing)

    async def _write_and_tell(self, script: TransactionScript[T]) -> T:
        topics: Topics = None
        script = self._unsealing(script)

        def write(connection: Connection) -> T:
            nonlocal topics
            result = connection.write(recorded(script, CHANGES))
            topics = connection.announced
            return result

        try:
            return await self._do(write)
        finally:
            self._changes.tell(topics)

    def _unsealing(self, script: TransactionScript[T]) -> TransactionScript[T]:
        seals = self._seals
        return script if seals is None else lambda tx: script(SealedTransaction(tx, seals))

    async def _do(self, work: Callable[[Connection], T]) -> T:
        is_urgent = self._is_of_engine
        lane = self._lanes.get(LaneName.ENGINE_WRITER if is_urgent else LaneName.WRITER)
        return await lane.do(work, is_urgent=is_urgent)

    async def read(
        self, script: TransactionScript[T], *, snapshot: bool = False, may_be_long: bool = False
    ) -> T:
        """Clients have a lane apart for reads that may be long: a listing must not hold up a result."""
        name = LaneName.LISTER if may_be_long else LaneName.READER
        lane = self._lanes.get(LaneName.ENGINE_READER if self._is_of_engine else name)
        script = self._unsealing(script)
        return await lane.do(lambda connection: connection.read(script, snapshot=snapshot))

    async def fetch(self, query: str, *params: Any, may_be_long: bool = False) -> list[Row]:
        """The rows of one query, in its own transaction."""
        return await self.read(lambda tx: tx.rows(query, *params), may_be_long=may_be_long)

    def open_renewal(self, patience: float) -> SqlLeaseRenewal | None:
        """None without threads: then nothing may be done outside of the calls."""
        if not self._threads:
            return None
        renewal = SqlLeaseRenewal(lambda: self._database.connect_to_renew(patience))
        self._renewals.append(renewal)
        return renewal

    def listen(self, on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        return self._changes.add(on_change, topics)


def _ignore_error(writing: asyncio.Future[Any]) -> None:
    if not writing.cancelled():
        writing.exception()  # a cancelled caller does not read it, and asyncio would log it


class _Listener(NamedTuple):
    on_change: Callable[[], None]
    topics: frozenset[str]
    """If there are none, it hears of all changes."""

    def hears(self, topics: Topics) -> bool:
        if topics is None or not self.topics:
            return topics is None or bool(topics)
        return not self.topics.isdisjoint(topics)


class _ChangeListeners:
    """Those who want to know of changes. Changes by other processes are watched for while there are any."""

    def __init__(self, database: Database, lanes: LaneSet, *, threads: bool) -> None:
        self._database = database
        self._lanes = lanes
        self._threads = threads
        self._listeners: tuple[_Listener, ...] = ()
        self._stop_watching: Callable[[], None] | None = None

    def add(self, on_change: Callable[[], None], topics: Iterable[str]) -> Callable[[], None]:
        added = _Listener(on_change, frozenset(topics))

        def stop() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not added)
            self._watch_if_needed()

        self._listeners = (*self._listeners, added)
        self._watch_if_needed()
        return stop

    def concern(self, topics: Topics) -> bool:
        return any(each.hears(topics) for each in self._listeners)

    def tell(self, topics: Topics) -> None:
        for each in self._listeners:
            if each.hears(topics):
                each.on_change()

    def drop_all(self) -> None:
        self._listeners = ()
        self._watch_if_needed()

    def _watch_if_needed(self) -> None:
        if self._listeners and self._stop_watching is None and self._threads:
            self._stop_watching = self._database.watch(self, self._ask_writer)
        elif not self._listeners and self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None

    async def _ask_writer(self, question: Callable[[Connection], T]) -> T:
        # Urgent: the answer may wake the engine.
        return await self._lanes.get(LaneName.ENGINE_WRITER).do(question, is_urgent=True)
