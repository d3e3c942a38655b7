"""The database of a simulation: the real store and its real scripts, behind connections that can fail.

An operation travels to the database, is done there in one instant, and its answer travels back. A fault
may lose the operation or the answer, or end the process that sent it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from holdfast.core.values import Instant
from holdfast.engine.splitting import runs_in
from holdfast.errors import CommitRefused, StoreFull, StoreUnavailable
from holdfast.ports.commits import ROWS_OF_RUNS, Commit
from holdfast.ports.nodes import LeaseRenewal
from holdfast.ports.store import Store
from holdfast.testing.simulation.faults import (
    Abandon,
    CrashAfter,
    CrashBefore,
    CrashInFlight,
    Delay,
    DelayAnswer,
    LoseAnswer,
    OperationFault,
    PauseAt,
    Refuse,
    RunOutOfDisk,
    SlowFsync,
)
from holdfast.testing.simulation.memory_database import MemoryDatabase
from holdfast.testing.simulation.slow_disk import AT_ONCE, DiskTurn, SlowDisk
from holdfast.testing.simulation.statement_limit import StatementLimit
from holdfast.testing.simulation.store_calls import NOTIFIES_ITS_OWN_PROCESS, READS, WRITES, WRITES_OF_ENGINES
from holdfast.testing.simulation.world import SECOND, World

T = TypeVar("T")

NAME = "the simulated database"

_ANSWER_SECONDS = 15
_BUSY_SECONDS = 10
"""As in the drivers: how long a write waits for its answer, and how long for the right to write."""


class StoreCall(NamedTuple):
    """A call of the store, and the process that made it."""

    process: str
    name: str
    args: tuple[Any, ...]

    def __str__(self) -> str:
        return _described(self.args[0]) if self.name in ("commit", "recover_commit") else self.name


class DatabaseConditions(Protocol):
    """The faults that affect the database now."""

    def is_away(self, machine: str) -> bool: ...

    def is_read_only(self, machine: str) -> bool: ...

    def loses_notification(self, machine: str, dice: Random) -> bool: ...

    @property
    def is_full(self) -> bool: ...

    @property
    def slowness(self) -> int: ...

    @property
    def slow_fsync(self) -> SlowFsync | None: ...


class Owner(Protocol):
    """The process that a connection belongs to."""

    @property
    def name(self) -> str: ...

    @property
    def machine_name(self) -> str: ...

    @property
    def is_alive(self) -> bool: ...

    @property
    def is_spared(self) -> bool: ...

    @property
    def has_client(self) -> bool: ...

    @property
    def loop(self) -> asyncio.AbstractEventLoop: ...

    def take_fault(self, *, is_commit: bool) -> OperationFault | None:
        """Count this operation, and return the fault that is planned for it."""
        ...

    def crash(self, down: int) -> None: ...

    def pause(self, lasts: int) -> None: ...


class PatientRenewal(LeaseRenewal, Protocol):
    patience: int
    """How many microseconds to wait for the right to write, and for an answer."""


class SimulatedDatabase:
    def __init__(
        self,
        world: World,
        rows: MemoryDatabase,
        store: Store,
        conditions: DatabaseConditions,
        on_write: Callable[[StoreCall, Any], None],
    ) -> None:
        self.world = world
        self._rows = rows
        self.store = store
        self.conditions = conditions
        self._on_write = on_write
        self.disk = SlowDisk(world, conditions)
        self.limit = StatementLimit(world)
        self.connections: list[DatabaseConnection] = []
        self.operations = 0
        self.refuses_groups = False
        """Refuses every commit with the rows of more than one run, so that engines have to split it."""
        self.mail_rows: int | None = None
        """Returns no more messages than this with a commit, so that engines have to collect the rest."""

    def perform(self, operation: StoreCall, waited: int = 0) -> Any:
        """Do the operation now. It has waited so many microseconds for other writes. Raises what the store
        raises."""
        self.operations += 1
        self._rows.waited = waited / SECOND
        self._rows.locked_nodes = [node for node, writes in self.disk.busy.items() if writes]
        if operation.name == "now":
            return Instant(self.world.now)
        try:
            if self.refuses_groups and operation.name == "commit":
                _refuse_groups(operation.args[0])
            if self.mail_rows is not None and operation.name in ("commit", "recover_commit"):
                operation.args[0].mail_rows = self.mail_rows
            result = run_inline(getattr(self.store, operation.name)(*operation.args))
        except Exception as error:
            self.world.note(operation.process, f"{operation} ! {type(error).__name__}")
            raise
        if operation.name in WRITES:
            self.world.note(operation.process, f"{operation} -> {_described(result)}")
            self._on_write(operation, result)
            self._notify(operation)
        return result

    def _notify(self, operation: StoreCall) -> None:
        topics, self._rows.announced = self._rows.announced, frozenset()
        dice = self.world.dice
        for connection in self.connections if topics else ():
            owner = connection.owner
            is_told = owner.name != operation.process or operation.name in NOTIFIES_ITS_OWN_PROCESS
            if is_told and not self.conditions.loses_notification(owner.machine_name, dice):
                connection.notify(100 + dice.getrandbits(14), topics)


class DatabaseConnection:
    """The connection of one process. Implements the port `Store`; `open` and `close` do nothing.

    The writes of the engine are done one after the other, and so are those of the client, since a real
    process has a lane for each. A write of one may overtake a write of the other.
    """

    def __init__(self, database: SimulatedDatabase, owner: Owner) -> None:
        self._database = database
        self._world = database.world
        self.owner = owner
        self._free_at = {True: 0, False: 0}
        """When the last write of the engine has arrived, and when that of the client."""
        self.disk_free_at = {True: 0, False: 0}
        """When the last write of the engine is on the disk or given up, and when that of the client."""
        self.commit_ends_at = 0
        """When the last commit is on the disk, also if it was given up."""
        self._listeners: list[tuple[Callable[[], None], tuple[str, ...]]] = []
        self.renewal: PatientRenewal | None = None
        database.connections.append(self)

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def open_renewal(self, patience: dt.timedelta) -> LeaseRenewal | None:
        if self.renewal is not None:
            self.renewal.patience = patience // dt.timedelta(microseconds=1)
        return self.renewal

    def listen(self, on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        added = (on_change, topics)

        def stop() -> None:
            if added in self._listeners:
                self._listeners.remove(added)

        self._listeners.append(added)
        return stop

    def notify(self, delay: int, announced: frozenset[str]) -> None:
        def call() -> None:
            if self.owner.is_alive:
                for on_change, topics in self._listeners:
                    if not topics or not announced.isdisjoint(topics):
                        self.owner.loop.call_soon(on_change)

        self._world.after(delay, call)

    def disconnect(self) -> None:
        """The process is gone. Operations that are under way may still arrive."""
        self._database.connections.remove(self)

    def __getattr__(self, name: str) -> Any:
        if name not in WRITES and name not in READS:
            raise AttributeError(name)

        async def ask(*args: Any) -> Any:
            return await self._ask(name, args)

        return ask

    def _ask(self, name: str, args: tuple[Any, ...]) -> asyncio.Future[Any]:
        operation = StoreCall(self.owner.name, name, tuple(map(_as_sent, args)))
        pending = _PendingCall(self, operation, self.owner.loop.create_future())
        if not self.owner.is_alive:
            return pending.answer  # the process ended itself earlier in this turn: no answer comes
        fault = self.owner.take_fault(is_commit=name == "commit")
        dice, slowness = self._world.dice, self._database.conditions.slowness
        travel = 50 + dice.getrandbits(9) + (dice.randrange(slowness) if slowness else 0)
        if fault is not None:
            self._world.note(self.owner.name, f"{operation} … {fault}")
        match fault:
            case None:
                self._send(pending, travel)
            case Delay():
                self._send(pending, travel + fault.delay)
            case DelayAnswer():
                pending.way_back = fault.delay
                self._send(pending, travel)
            case PauseAt():
                self.owner.pause(fault.lasts)
                self._send(pending, travel)
            case Refuse():
                pending.answer_after(travel, error=_unavailable("refused"))
            case RunOutOfDisk():
                pending.is_out_of_disk = True
                self._send(pending, travel)
            case LoseAnswer():
                pending.is_answer_lost = True
                self._send(pending, travel)
            case Abandon():
                pending.answer_after(travel, error=_unavailable("the connection broke"))
                self._send(pending, travel + fault.delay)
            case CrashBefore():
                self.owner.crash(fault.down)
            case CrashInFlight():
                self.owner.crash(fault.down)
                self._send(pending, travel + fault.delay)
            case CrashAfter():
                pending.on_done = lambda: self.owner.crash(fault.down)
                self._send(pending, travel)
        return pending.answer

    def _send(self, pending: _PendingCall, delay: int) -> None:
        name = pending.operation.name
        if name in WRITES:
            is_of_engine = name in WRITES_OF_ENGINES
            delay = max(delay, self._free_at[is_of_engine] + 1 - self._world.now)
            self._free_at[is_of_engine] = self._world.now + delay
        self._world.after(delay, pending.arrive)

    @property
    def database(self) -> SimulatedDatabase:
        return self._database

    @property
    def is_away(self) -> bool:
        return not self.owner.is_spared and self._database.conditions.is_away(self.owner.machine_name)

    def check(self, *, is_write: bool) -> None:
        """Raises StoreUnavailable or StoreFull, as the database is now."""
        owner, conditions = self.owner, self._database.conditions
        if owner.is_spared:
            return
        is_read_only = conditions.is_read_only(owner.machine_name)
        self._database.limit.count(owner.name, is_read_only=is_read_only, has_client=owner.has_client)
        if conditions.is_away(owner.machine_name):
            raise _unavailable("nobody answers")
        if is_write and is_read_only:
            raise _unavailable("it is read-only now (cannot execute UPDATE in a read-only transaction)")
        if is_write and conditions.is_full:
            raise StoreFull(NAME, "the disk is full")


class _PendingCall:
    """One operation that is under way."""

    def __init__(
        self, connection: DatabaseConnection, operation: StoreCall, answer: asyncio.Future[Any]
    ) -> None:
        self._connection = connection
        self.operation = operation
        self.answer = answer
        self.way_back = 0
        self.is_answer_lost = self.is_out_of_disk = False
        self.on_done: Callable[[], None] = lambda: None
        self._is_answered = False

    def arrive(self) -> None:
        """A write waits for those of its lane, and for the disk."""
        connection, world = self._connection, self._connection.database.world
        if self.operation.name not in WRITES:
            self._do(AT_ONCE)
            return
        lane = self.operation.name in WRITES_OF_ENGINES
        waits = connection.disk_free_at[lane] - world.now
        if self.operation.name == "recover_commit":
            # The database lets it wait for a commit that is under way on an abandoned line.
            waits = max(waits, connection.commit_ends_at - world.now)
        if waits > _ANSWER_SECONDS * SECOND and not connection.owner.is_spared:
            self.answer_after(_ANSWER_SECONDS * SECOND, error=_no_answer())
        elif waits > 0:
            world.after(waits, self.arrive)
        else:
            self._take_turn(lane)

    def _take_turn(self, lane: bool) -> None:
        connection, world = self._connection, self._connection.database.world
        is_patient = connection.owner.is_spared
        turn = connection.database.disk.plan(
            connection.owner.name, None if is_patient else _BUSY_SECONDS * SECOND
        )
        if turn.takes == 0:
            self._do(turn)
            return
        world.after(turn.takes, lambda: self._do(turn))
        longest = turn.takes if is_patient else min(turn.takes, _ANSWER_SECONDS * SECOND)
        if longest < turn.takes:  # nobody knows whether it will stand, and the next one takes another line
            self.answer_after(longest, error=_no_answer())
        connection.disk_free_at[lane] = world.now + longest
        if self.operation.name == "commit":
            connection.commit_ends_at = world.now + turn.takes

    def _do(self, turn: DiskTurn) -> None:
        database, operation = self._connection.database, self.operation
        dice = database.world.dice
        way_back = self.way_back + 50 + dice.getrandbits(8)
        is_write = operation.name in WRITES
        try:
            self._connection.check(is_write=is_write)
            if is_write and self.is_out_of_disk:
                raise StoreFull(NAME, "the disk is full")
            if turn.is_locked:
                raise _unavailable("database is locked")
        except (StoreFull, StoreUnavailable) as error:
            self.answer_after(way_back, error=error)
            return
        try:
            result = database.perform(operation, turn.waits)
        except Exception as error:
            self.answer_after(way_back, error=error)
        else:
            lost = _unavailable("the answer was lost") if self.is_answer_lost else None
            self.answer_after(way_back, result, lost)
        self.on_done()

    def answer_after(self, delay: int, result: Any = None, error: Exception | None = None) -> None:
        """Only the first answer counts: an abandoned operation is answered before it is done."""
        if self._is_answered:
            return
        self._is_answered = True
        owner = self._connection.owner

        def arrive() -> None:
            if not owner.is_alive or self.answer.done():
                return
            if error is not None:
                self.answer.set_exception(error)
            elif self._connection.is_away:
                self.answer.set_exception(_unavailable("the connection broke"))
            else:
                self.answer.set_result(result)

        self._connection.database.world.after(delay, arrive)


def _refuse_groups(commit: Commit) -> None:
    has_rows = any(getattr(commit, name) for name in ("created", *ROWS_OF_RUNS) if name != "held")
    if has_rows and len(runs_in(commit)) > 1:
        raise CommitRefused(NAME, "it has the rows of several runs")


def run_inline(call: Coroutine[Any, Any, T]) -> T:
    """The result of a call that never waits. A store without threads has only such calls."""
    try:
        call.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a store of a simulation must not wait for anything")


def _as_sent(argument: Any) -> Any:
    """A copy of a commit, so that the sender cannot change it while it is under way."""
    if not isinstance(argument, Commit):
        return argument
    lists: dict[str, list[Any]] = {
        name: _copied(value) for name, value in _fields(argument) if isinstance(value, list)
    }
    return msgspec.structs.replace(argument, **lists)


def _unavailable(why: str) -> StoreUnavailable:
    return StoreUnavailable(NAME, why)


def _no_answer() -> StoreUnavailable:
    return _unavailable(f"no answer for {_ANSWER_SECONDS} s")


def _fields(struct: msgspec.Struct) -> list[tuple[str, Any]]:
    return [(name, getattr(struct, name)) for name in struct.__struct_fields__]


def _copied(rows: Any) -> list[Any]:
    return list(rows)


def _described(value: Any) -> str:
    """A short text for the trace: the type, and how long each list is."""
    if not isinstance(value, msgspec.Struct):
        return type(value).__name__
    sizes = [f"{name}={len(rows)}" for name, rows in _fields(value) if hasattr(rows, "__len__") and rows]
    tick = f" {value.tick}" if isinstance(value, Commit) else ""
    flags = " collect" if isinstance(value, Commit) and value.collect else ""
    claim = " claim" if isinstance(value, Commit) and value.claim else ""
    kept = [size for size in sizes if not size.startswith(("namespace", "node", "claim="))]
    return " ".join([f"{type(value).__name__}{tick}{claim}{flags}", *kept])
