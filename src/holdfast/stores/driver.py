"""The driver: runs transaction scripts on the right thread and connection.

Writes and reads have a lane each, so that a slow listing does not hold up a commit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from holdfast.errors import NotOpen
from holdfast.stores.database import Connection, Database, Row, TransactionScript
from holdfast.stores.lanes import InlineLane, Lane, ThreadLane

T = TypeVar("T")


class Driver:
    def __init__(self, database: Database, *, threads: bool) -> None:
        """Without threads, transactions run inside the awaiting call, and changes by other processes are not
        watched for. Then the behaviour depends on the calls alone."""
        self._database = database
        self._threads = threads
        self._writer: Lane | None = None
        self._reader: Lane | None = None
        self._listeners: list[Callable[[], None]] = []
        self._stop_watching: Callable[[], None] | None = None
        self._sent_before = 0

    @property
    def name(self) -> str:
        return self._database.name

    @property
    def statements(self) -> int:
        """How many statements were sent to the database so far."""
        return self._sent_before + sum(lane.statements for lane in self._lanes())

    def _lanes(self) -> set[Lane]:
        return {lane for lane in (self._writer, self._reader) if lane is not None}

    async def open(self) -> None:
        if self._writer is not None:
            return
        connect = self._database.connect
        if self._threads:
            self._writer = ThreadLane(connect, "holdfast-writer")
            self._reader = ThreadLane(connect, "holdfast-reader")
        else:
            # One connection for both, because a database in memory belongs to one connection.
            self._writer = self._reader = InlineLane(connect)
        try:
            await self._writer.do(self._database.migrate)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        self._listeners.clear()
        self._watch_if_needed()
        lanes = self._lanes()
        self._writer = self._reader = None
        for lane in lanes:
            await lane.close()
            self._sent_before += lane.statements

    async def write(self, script: TransactionScript[T]) -> T:
        return await self._open_lane(self._writer).do(lambda connection: connection.write(script))

    async def write_and_tell(self, script: TransactionScript[T]) -> T:
        """Write, then call the listeners of this process. They are called even if the caller was cancelled,
        or if the result of the transaction is unknown."""
        if not self._threads:  # the caller cannot be cancelled while the script runs
            try:
                return await self.write(script)
            finally:
                self.changed()
        writing = asyncio.ensure_future(self.write(script))
        writing.add_done_callback(self._written)
        return await asyncio.shield(writing)

    def _written(self, writing: asyncio.Future[Any]) -> None:
        if not writing.cancelled():
            writing.exception()  # a cancelled caller does not read it, and asyncio would log it
        self.changed()

    async def read(self, script: TransactionScript[T], *, snapshot: bool = False) -> T:
        lane = self._open_lane(self._reader)
        return await lane.do(lambda connection: connection.read(script, snapshot=snapshot))

    async def fetch(self, query: str, *params: Any) -> list[Row]:
        """The rows of one query, in its own transaction."""
        return await self.read(lambda tx: tx.rows(query, *params))

    def _open_lane(self, lane: Lane | None) -> Lane:
        if lane is None:
            raise NotOpen
        return lane

    # --- what others change

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        def stop() -> None:
            if on_change in self._listeners:
                self._listeners.remove(on_change)
                self._watch_if_needed()

        self._listeners.append(on_change)
        self._watch_if_needed()
        return stop

    def changed(self) -> None:
        """Call all listeners."""
        for on_change in list(self._listeners):
            on_change()

    def _watch_if_needed(self) -> None:
        if self._listeners and self._stop_watching is None and self._threads:
            self._stop_watching = self._database.watch(self.changed, self._ask_writer)
        elif not self._listeners and self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None

    async def _ask_writer(self, question: Callable[[Connection], T]) -> T:
        return await self._open_lane(self._writer).do(question)
