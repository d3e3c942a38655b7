"""Machines and processes: real engines and clients, each with its own loop, clock and connection."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol, cast

import msgspec

from holdfast.authoring.catalog import Catalog, Definitions
from holdfast.authoring.code.loop import close_coroutine
from holdfast.authoring.kinds import Kinds
from holdfast.client.client import Client
from holdfast.client.posting import Letter
from holdfast.client.run import Run
from holdfast.client.starting import StoreStarter
from holdfast.client.waiters import Waiters
from holdfast.core.codec import Codec
from holdfast.core.ids import KeyMaker
from holdfast.core.records import RunRecord
from holdfast.core.run_options import PLAIN_TERMS, RunTerms
from holdfast.core.values import Instant, NodeId, Outcome, Payload, RunKey
from holdfast.engine.engine import Engine
from holdfast.engine.lease_keeper import LeaseKeeper
from holdfast.engine.loop_watch import Activity, FindAttempt, LoopWatch
from holdfast.engine.system_clock import SystemClock, set_by_database
from holdfast.engine.tuning import Tuning
from holdfast.errors import StoreError
from holdfast.ports.clock import Clock
from holdfast.ports.commits import EndedRun
from holdfast.ports.executor import Attempt, Beat, Log, Publish, Report, TaskBody
from holdfast.ports.nodes import EngineStore
from holdfast.ports.store import Store
from holdfast.ports.workflows import Startable
from holdfast.testing.simulation.conditions import WorldConditions
from holdfast.testing.simulation.database import DatabaseConnection, SimulatedDatabase
from holdfast.testing.simulation.faults import OperationFault
from holdfast.testing.simulation.keeper import SimulatedKeeperRunner, SimulatedRenewal, SimulatedWatch
from holdfast.testing.simulation.loop import ProcessLoop
from holdfast.testing.simulation.pull_worker import Services, SimulatedPullWorker
from holdfast.testing.simulation.safety import Safety
from holdfast.testing.simulation.witness import SimulatedExecutors, WatchedBody, Witness
from holdfast.testing.simulation.world import SECOND, World

_TUNING = Tuning(
    max_idle=2,
    claim_batch=4,
    start_batch=3,
    piece=dt.timedelta(0),
    look_every=dt.timedelta(seconds=1),
)
"""As in production, but with small batches, so that a handful of runs fills one. A replay pauses wherever it
may. There are fewer looks at the event loop, which take time and find little."""

_TICK_BYTES = (1, 64, 1000, _TUNING.tick_bytes)
"""From one fact and one run in a tick to all that there are."""

_QUEUE_LEASE = dt.timedelta(seconds=15)
"""Short, so that a fault may outlast it."""

_RESTARTING = SECOND
"""How long it takes until a process that ended itself is started again, in microseconds."""


def _tuning(simulation: Surroundings) -> Tuning:
    bytes = Random(f"bytes of a tick {simulation.seed}").choice(_TICK_BYTES)
    return msgspec.structs.replace(
        _TUNING,
        max_resident=simulation.max_resident,
        tick_bytes=bytes,
        unrecorded_bytes=bytes,
        page_rows=simulation.page_rows,
        piece_steps=simulation.piece_steps,
        long_history=Random(f"long history {simulation.seed}").choice((1, 100, 32_000)),
        idle_bytes=Random(f"idle bytes {simulation.seed}").choice((300, 10_000_000)),
    )


class _Running:
    process: Process | None = None


def end_this_process() -> None:
    """For simulated code: end the process at once, as after a crash in an extension or out of memory."""
    assert _Running.process is not None, "this is for code that is simulated"
    _Running.process.crash(_RESTARTING)


class Surroundings(Protocol):
    """What machines and processes need of their simulation."""

    seed: int
    namespace: str
    catalog: Catalog
    queues: Mapping[str, int]
    services: Services
    concurrency: int
    max_payload_bytes: int
    max_resident: int
    page_rows: int
    piece_steps: int
    longest_task: float
    world: World
    database: SimulatedDatabase
    conditions: WorldConditions
    safety: Safety
    witness: Witness
    struck: Counter[str]
    is_over: bool
    blamed: set[RunKey]

    async def use(self, client: Client) -> None: ...

    def keep_ended(self, process: Process) -> None: ...


class Machine:
    """Has a clock, and runs one process after the other. During a deploy two may run at once."""

    def __init__(
        self,
        simulation: Surroundings,
        name: str,
        *,
        has_engine: bool,
        has_client: bool,
        has_worker: bool = False,
        is_spared: bool = False,
    ) -> None:
        self.simulation = simulation
        self.name = name
        self.has_engine = has_engine
        self.has_client = has_client
        self.has_worker = has_worker
        self.is_spared = is_spared
        """Outages and a full disk of the database do not affect this machine."""
        self.skew = 0
        """How many microseconds its clock is ahead."""
        self.faults: dict[tuple[bool, int], OperationFault] = {}
        self.processes: list[Process] = []
        self._operations: Counter[bool] = Counter()
        """How many operations there were: commits (True), and all others (False)."""
        self._lives = 0

    def boot(self) -> None:
        if self.simulation.is_over:
            return
        self._lives += 1
        process = Process(self, f"{self.name}.{self._lives}")
        self.processes.append(process)
        self.simulation.world.processes.append(process)
        process.begin()

    def crash(self, down: int) -> None:
        """Every process on the machine dies. A new one starts `down` microseconds later."""
        for process in list(self.processes):
            process.vanish("crash")
        self.simulation.world.after(down, self.boot_if_empty)

    def boot_if_empty(self) -> None:
        if not self.processes:
            self.boot()

    def pause(self, until: int) -> None:
        for process in self.processes:
            process.paused_until = until

    def stall(self, until: int, *, is_blamed: bool) -> None:
        for process in self.processes:
            process.stall(until, is_blamed=is_blamed)

    def deploy(self, overlap: int) -> None:
        """Replace the old process by a new one."""
        world, old = self.simulation.world, list(self.processes)

        def stop_old() -> None:
            for process in old:
                process.stop()

        if overlap >= 0:
            self.boot()
            world.after(overlap, stop_old)
        else:
            stop_old()
            world.after(-overlap, self.boot)

    def take_fault(self, *, is_commit: bool) -> OperationFault | None:
        self._operations[is_commit] += 1
        fault = self.faults.pop((is_commit, self._operations[is_commit]), None)
        if fault is not None:
            self.simulation.struck[type(fault).__name__] += 1
        return fault

    def stop_faults(self) -> None:
        self.faults.clear()
        self.skew = 0
        for process in self.processes:
            process.paused_until = process.stalled_until = 0
        self.boot_if_empty()


class Process:
    """Takes turns in the world (`Schedulable`), from boot to end, and owns a connection (`Owner`)."""

    def __init__(self, machine: Machine, name: str) -> None:
        simulation = machine.simulation
        self._machine = machine
        self._simulation = simulation
        self.name = name
        self.is_alive = True
        self.is_up = False
        self.paused_until = 0
        """Until when none of its code runs."""
        self.stalled_until = 0
        """Until when its event loop stands still. Other threads of the process go on."""
        self.stalled_by: RunRecord | None = None
        self.loop = ProcessLoop(lambda: simulation.world.now, self._unheard_error)
        self._dice = Random(f"{simulation.seed} {name}")
        self._connection = DatabaseConnection(simulation.database, self)
        self._renewal = self._connection.renewal = SimulatedRenewal(self._connection)
        self._keeper: SimulatedKeeperRunner | None = None
        store = cast("Store", self._connection)
        clock = self._clock = _MachineClock(machine)
        self._definitions = Definitions(simulation.catalog, Codec(simulation.max_payload_bytes), Kinds())
        waiters = self._waiters = _CheckedWaiters(store, simulation.namespace, self._has)
        waiters.safety = simulation.safety
        new_key = KeyMaker(self._dice)
        self.engine: Engine | None = self._make_engine(store, new_key) if machine.has_engine else None
        starter = self.engine or StoreStarter(
            store, namespace=simulation.namespace, now=clock.now, new_key=new_key
        )
        self.client = _CheckedClient(
            store,
            self._definitions,
            starter,
            waiters,
            namespace=simulation.namespace,
            now=clock.now,
            new_key=new_key,
            queue_lease=_QUEUE_LEASE,
        )
        self.client.safety = simulation.safety

    def _make_engine(self, store: EngineStore, new_key: Callable[[Instant], RunKey]) -> Engine:
        engine = Engine(
            store,
            self._clock,
            self._definitions,
            self._make_executors,
            namespace=self._simulation.namespace,
            node=NodeId(self.name),
            new_key=new_key,
            dice=self._dice,
            observer=self._waiters,
            queue_limits=self._simulation.queues,
            tuning=_tuning(self._simulation),
            watch_loop=self._watch_loop,
            run_keeper=self._run_keeper,
        )
        engine.on_stall = lambda _: self.crash(_RESTARTING)
        return engine

    def _watch_loop(
        self, clock: Clock, activity: Activity, find_attempt: FindAttempt, look_every: dt.timedelta
    ) -> LoopWatch:
        watch = SimulatedWatch(clock, activity, find_attempt, look_every)
        watch.blamed = lambda: self.stalled_by
        return watch

    def _run_keeper(self, keeper: LeaseKeeper, activity: Activity) -> SimulatedKeeperRunner:
        world = self._simulation.world
        self._keeper = SimulatedKeeperRunner(keeper, activity, self, world, self._renewal)
        return self._keeper

    def _make_executors(self, report: Report, beat: Beat, log: Log, publish: Publish) -> SimulatedExecutors:
        simulation = self._simulation

        def body(attempt: Attempt) -> TaskBody:
            found = self._definitions.body(attempt)
            return WatchedBody(
                found,
                simulation.witness,
                self.name,
                self._dice,
                simulation.longest_task,
                lambda: self.is_alive,
            )

        def check(attempt: Attempt) -> None:
            simulation.safety.check_start(NodeId(self.name), attempt)
            simulation.world.note(self.name, f"starts {attempt.name} {attempt.seq} #{attempt.number}")

        def told(attempt: Attempt, outcome: Outcome) -> None:
            if self.is_alive:
                report(attempt, outcome)

        return SimulatedExecutors(
            body,
            told,
            beat,
            publish,
            self._definitions.codec,
            simulation.concurrency,
            simulation.conditions.reporting,
            self._dice,
            simulation.queues,
            check,
            simulation.world.fail,
        )

    def _has(self, run: RunKey) -> bool:
        return self.engine is not None and self.engine.has(run)

    # --- from boot to end

    def begin(self) -> None:
        self._simulation.world.note(self.name, "boots")
        self._do(self._live(), "its main program")

    async def _live(self) -> None:
        while True:
            try:
                await set_by_database(self._clock, self._connection.now)
                await self.client.register_all()
                break
            except StoreError:
                await asyncio.sleep(1)
        if self.engine is not None:
            self.engine.start()
        self.is_up = True
        if self._machine.has_client:
            await self._simulation.use(self.client)
        if self._machine.has_worker:
            await self._worker().work()

    def _worker(self) -> SimulatedPullWorker:
        simulation = self._simulation
        return SimulatedPullWorker(
            self.name,
            self.client.workers,
            simulation.services,
            simulation.witness,
            self._dice,
            simulation.world.fail,
            simulation.world.note,
            simulation.longest_task,
        )

    def stop(self) -> None:
        """Ask the process to stop in order."""
        if self.is_alive:
            self._simulation.world.note(self.name, "is asked to stop")
            self._do(self._stop(), "its orderly stop")

    async def _stop(self) -> None:
        if self.engine is not None:
            await self.engine.stop()
        await self._waiters.close()
        self.vanish("has stopped")

    def vanish(self, why: str) -> None:
        """End the process at once: none of its code runs again."""
        if not self.is_alive:
            return
        self._simulation.world.note(self.name, why)
        self.is_alive = False
        self.loop.forget()
        self._connection.disconnect()
        self._machine.processes.remove(self)
        self._simulation.world.processes.remove(self)
        self._simulation.keep_ended(self)

    def stall(self, until: int, *, is_blamed: bool) -> None:
        self.stalled_until = until
        self.stalled_by = None
        if is_blamed:
            simulation = self._simulation
            own = [run for run in simulation.safety.unfinished() if run.owner == self.name]
            innocent = [run for run in own if run.key not in simulation.blamed]
            if innocent:
                self.stalled_by = simulation.world.dice.choice(innocent)
                simulation.blamed.add(self.stalled_by.key)

    def dispose(self) -> None:
        """Close the tasks that the process left behind, so that the garbage collector has nothing to run."""
        if self._keeper is not None:
            self._keeper.abandon()
        if self.engine is not None:
            self.engine.drop_everything()
        for task in asyncio.all_tasks(self.loop):
            task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]
            close_coroutine(task.get_coro())

    def _do(self, program: Any, what: str) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            error = None if task.cancelled() else task.exception()
            if error is not None and self.is_alive:
                self._simulation.world.fail(f"{what} on {self.name} failed: {error!r}")

        self.loop.create_task(program).add_done_callback(ended)

    def _unheard_error(self, context: dict[str, Any]) -> None:
        if self.is_alive and "handle" in context:
            error = context.get("exception")
            self._simulation.world.fail(f"a callback on {self.name} failed: {error!r}")

    # --- called by the world

    def next_due(self) -> int | None:
        due = self.loop.next_due()
        return due if due is None else max(due, self.paused_until, self.stalled_until)

    def turn(self) -> None:
        _Running.process = self
        try:
            self.loop.turn()
        finally:
            _Running.process = None
        if self.engine is not None and self.engine.failure is not None and self.is_alive:
            self._simulation.world.fail(
                f"{self.name} has stopped by an error of its own: {self.engine.failure!r}"
            )

    # --- called by the connection

    @property
    def machine_name(self) -> str:
        return self._machine.name

    @property
    def is_spared(self) -> bool:
        return self._machine.is_spared

    @property
    def has_client(self) -> bool:
        return self._machine.has_client

    def take_fault(self, *, is_commit: bool) -> OperationFault | None:
        return self._machine.take_fault(is_commit=is_commit)

    def crash(self, down: int) -> None:
        self._machine.crash(down)

    def pause(self, lasts: int) -> None:
        self.paused_until = self._simulation.world.now + lasts


class _MachineClock(SystemClock):
    """The clock of a machine. A process sets it by the database when it starts, as in production."""

    def __init__(self, machine: Machine) -> None:
        world = machine.simulation.world
        super().__init__(lambda: world.now * 1000, None)
        self._machine = machine
        self._offset = 0

    def now(self) -> Instant:
        return Instant(super().now() + self._machine.skew)


class _CheckedWaiters(Waiters):
    safety: Safety

    def runs_ended(self, runs: Sequence[EndedRun]) -> None:
        for row in runs:
            self.safety.check_ended(row.run)
        super().runs_ended(runs)

    def _settle(self, run: RunKey, outcome: Outcome) -> None:
        self.safety.check_ended(run)
        super()._settle(run, outcome)


class _CheckedClient(Client):
    safety: Safety

    async def _submit(
        self,
        startable: Startable,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms = PLAIN_TERMS,
        policy: str | None = None,
    ) -> list[Run[Any]]:
        started = await super()._submit(startable, runs, terms, policy)
        for run in started:
            self.safety.check_known(run.key)
        return started

    async def _send_or_start(self, run: RunRecord, letter: Letter) -> RunKey:
        key = await super()._send_or_start(run, letter)
        self.safety.check_known(key)
        return key
