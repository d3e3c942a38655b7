"""One simulation: a few machines and a client on one database, with faults, until every run has ended.

First comes a span of time with faults. Then the faults stop, every machine gets a process again, and the
clocks are right. From then on every run must end. `safety` checks at every write what must always hold;
this module checks what must hold at the end.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Protocol, assert_never, runtime_checkable

from holdfast.authoring.catalog import Catalog
from holdfast.client.client import Client
from holdfast.core.history import read_steps
from holdfast.core.journal import TaskAsked
from holdfast.core.records import AttemptRecord, RunRecord
from holdfast.core.values import RunKey, TaskStatus, key_text
from holdfast.settings import Settings
from holdfast.testing.simulation.conditions import Condition, WorldConditions
from holdfast.testing.simulation.database import SimulatedDatabase, run_inline
from holdfast.testing.simulation.faults import (
    DatabaseOutage,
    Deploy,
    DoubledResults,
    Fault,
    FaultPlan,
    FullDisk,
    Jump,
    LateResults,
    LostNotifications,
    MachineCrash,
    OperationFault,
    Pause,
    ReadOnly,
    Silence,
    SlowFsync,
    Slowness,
    Stall,
    TimedFault,
    draw_plan,
)
from holdfast.testing.simulation.memory_database import MemoryDatabase
from holdfast.testing.simulation.process import Machine, Process
from holdfast.testing.simulation.pull_worker import Services
from holdfast.testing.simulation.safety import Safety
from holdfast.testing.simulation.witness import Witness
from holdfast.testing.simulation.world import SECOND, Violation, World

_REFUSING = 0.2
"""In what share of the simulations the database refuses commits that have the rows of several runs."""
_SHORT_OF_MAIL = 0.25
"""In what share of them a commit returns two messages at most."""

_PAGES = (1, 2, 5, 20, 2000)
"""How many rows of histories a node reads at once. Most are far fewer than in production, so that a run is
read while other things happen."""
_MEMORIES = (3, 8, 10_000)
"""How many runs a node may hold in memory: too few for all of them, or as many as in production."""
_SPANS = (5 * SECOND, 30 * SECOND, 3 * 60 * SECOND)
_A_WHILE = 600 * SECOND
_PATIENCE = 3 * 24 * 3600 * SECOND
_STOPPING = 120 * SECOND


class Scenario(Protocol):
    """What a client does in a simulation, and what must come of it."""

    @property
    def catalog(self) -> Catalog: ...

    @property
    def queues(self) -> Mapping[str, int]: ...

    @property
    def services(self) -> Services:
        """The services of workers that poll the queue. If it is empty, there are no such workers."""
        ...

    @property
    def most_faults(self) -> int: ...

    @property
    def slots(self) -> Sequence[int]:
        """The choices for how many tasks a node may run at once."""
        ...

    @property
    def longest_task(self) -> float:
        """The longest delay that is added before and after the body of a task, in seconds."""
        ...

    @property
    def is_client_spared(self) -> bool:
        """Whether the client gets no faults and always reaches the database."""
        ...

    @property
    def deadly(self) -> Collection[str]:
        """The workflows whose code ends its own process. Their runs may be parked for that."""
        ...

    async def use(self, client: Client) -> None:
        """What the client does. After a crash it starts again, with a new client."""
        ...

    def is_done(self) -> bool:
        """Whether the client has finished."""
        ...

    def has_more_to_say(self) -> bool:
        """Whether the client may still send something that a run waits for."""
        ...

    def problems(self, simulation: Simulation) -> Iterable[str]:
        """What is wrong once every run has ended."""
        ...


@runtime_checkable
class WatchingScenario(Protocol):
    """A scenario that also looks on: at the rows after each write, and at attempts that start."""

    def watch(self, simulation: Simulation) -> None:
        """Called once, before anything happens."""
        ...


class Simulation:
    def __init__(
        self,
        seed: int,
        scenario: Scenario,
        *,
        plan: FaultPlan | None = None,
        span: int | None = None,
        nodes: int | None = None,
        is_traced: bool = False,
    ) -> None:
        """`plan`, `span` and `nodes` are drawn from the seed if they are not given. `span` is how long
        faults strike, in microseconds."""
        self.seed = seed
        self._scenario = scenario
        dice = Random(f"{seed} faults")
        self.world = World(Random(f"{seed} turns"), is_traced=is_traced)
        self.catalog = scenario.catalog
        self.queues = scenario.queues
        self.services = scenario.services
        self.namespace = "default"
        self.concurrency = dice.choice(scenario.slots)
        self.max_payload_bytes = Settings().max_payload_bytes
        self.max_resident = Random(f"{seed} memory").choice(_MEMORIES)
        pieces = Random(f"{seed} slices")
        self.page_rows, self.piece_steps = pieces.choice(_PAGES), pieces.randint(1, 3)
        rows = self.rows = MemoryDatabase()
        store = rows.store()
        run_inline(store.open())
        self.store = store
        self.safety = Safety(store, self.namespace, self.world.fail, scenario.deadly)
        self.conditions = WorldConditions()
        self.witness = Witness(lambda: self.world.now)
        self.database = SimulatedDatabase(self.world, rows, store, self.conditions, self.safety.check_write)
        self.database.refuses_groups = Random(f"{seed} refusals").random() < _REFUSING
        if Random(f"{seed} mail").random() < _SHORT_OF_MAIL:
            self.database.mail_rows = 2
        self._ended_processes: list[Process] = []
        self.failed_attempts: list[AttemptRecord] = []
        """Every attempt that did not succeed. Filled at the end of the simulation."""
        self.struck: Counter[str] = Counter()
        """How many faults have struck, by kind."""
        self.blamed: set[RunKey] = set()
        """The runs that were charged with a stall. Each is charged once at most, since a second time parks
        it."""
        self.faults_ended_at: int | None = None
        """When the faults stopped; None while there may be some."""
        self.is_over = False
        """True when processes are being stopped: no machine may boot any more."""
        drawn = dice.randint(1, 3)
        names = [f"node-{number}" for number in range(1, 1 + (nodes or drawn))]
        self._machines = {name: Machine(self, name, has_engine=True, has_client=False) for name in names}
        is_spared = scenario.is_client_spared
        self._machines["client"] = Machine(
            self,
            "client",
            has_engine=not is_spared and dice.random() < 0.5,
            has_client=True,
            is_spared=is_spared,
        )
        self.longest_task = scenario.longest_task
        workers = self._add_workers() if self.services else []
        self._span = dice.choice(_SPANS) if span is None else span
        victims = [*names, *workers] if is_spared else [*names, *workers, "client"]
        self.plan: FaultPlan = (
            draw_plan(dice, victims, self._span, scenario.most_faults) if plan is None else plan
        )
        if isinstance(scenario, WatchingScenario):
            scenario.watch(self)

    def _add_workers(self) -> list[str]:
        """Adds machines that run a worker only, and returns their names."""
        names = [f"worker-{number}" for number in range(1, 1 + Random(f"{self.seed} workers").randint(1, 3))]
        for name in names:
            self._machines[name] = Machine(self, name, has_engine=False, has_client=False, has_worker=True)
        return names

    def run(self) -> None:
        """Raises Violation."""
        try:
            with _logged(self.world.note):
                self._run()
        except Violation as violation:
            violation.simulation = self
            raise
        finally:
            self._clean_up()

    def _run(self) -> None:
        world = self.world
        for fault in self.plan:
            self._prepare(fault)
        for machine in self._machines.values():
            world.after(world.dice.randrange(SECOND), machine.boot_if_empty)
        world.run(until=self._scenario.is_done, deadline=world.now + self._span)
        self._stop_faults()
        self._wait_for_the_client()
        if not world.run(until=lambda: not self.safety.unfinished(), deadline=world.now + _PATIENCE):
            raise Violation(f"promise 7, nothing is stranded: {self._unfinished()}")
        if not world.run(until=self._are_engines_empty, deadline=world.now + _STOPPING):
            raise Violation("every run has ended, but a node keeps some in memory, or a slot for an attempt")
        self._stop_in_order()
        self.failed_attempts = self._read_attempts()
        for problem in (*self._scenario.problems(self), *self._unseen()):
            raise Violation(problem)

    def _wait_for_the_client(self) -> None:
        """Waits for days of simulated time, but fails as soon as no run can go on."""
        patience = self.world.now + _PATIENCE
        looks = self.world.now
        while not self._scenario.is_done():
            looks += _A_WHILE
            self.world.run(until=self._scenario.is_done, deadline=looks)
            if not self._scenario.is_done() and (looks > patience or self._is_hopeless()):
                raise Violation(f"the client waits in vain: {self._unfinished()}")

    def _is_hopeless(self) -> bool:
        """Whether every open run waits for a message that the client will not send."""
        open_runs = self.safety.unfinished()
        can_wake = any(run.owner or run.wake_at for run in open_runs)
        return bool(open_runs) and not can_wake and not self._scenario.has_more_to_say()

    def _unfinished(self) -> str:
        return "; ".join(map(_described, self.safety.unfinished())) or "every run has ended"

    def _are_engines_empty(self) -> bool:
        processes = [process for machine in self._machines.values() for process in machine.processes]
        return all(process.engine is None or process.engine.is_empty for process in processes)

    def _stop_in_order(self) -> None:
        self.is_over = True
        for machine in self._machines.values():
            for process in machine.processes:
                process.stop()
        if not self.world.run(until=lambda: not self.world.processes, deadline=self.world.now + _STOPPING):
            raise Violation("a process that was asked to stop has not stopped")

    def _unseen(self) -> Iterable[str]:
        """Tasks that are recorded as successful although the witness never saw them succeed."""
        done = {(each.run, each.seq) for each in self.witness.executions if each.is_success}
        for history in self.safety.histories():
            asked = [each for record in read_steps(history) for each in record.asked]
            for_executors = {each.seq for each in asked if isinstance(each, TaskAsked)}
            for task in history.tasks:
                is_recorded = task.status is TaskStatus.SUCCESS and task.seq in for_executors
                if is_recorded and (task.run, task.seq) not in done:
                    yield f"task {task.seq} of run {key_text(task.run)} is recorded and was never done"

    # --- faults

    def _prepare(self, fault: Fault) -> None:
        machine = getattr(fault, "machine", None)
        if machine is not None and machine not in self._machines:
            return
        if isinstance(fault, OperationFault):
            self._machines[fault.machine].faults[fault.is_commit, fault.number] = fault
        else:
            self.world.after(fault.at, lambda: self._strike(fault))

    def _strike(self, fault: TimedFault) -> None:
        if self.faults_ended_at is not None:
            return
        self.world.note("!", str(fault))
        self.struck[type(fault).__name__] += 1
        match fault:
            case MachineCrash():
                self._machines[fault.machine].crash(fault.down)
            case Pause():
                self._machines[fault.machine].pause(self.world.now + fault.lasts)
            case Stall():
                self._machines[fault.machine].stall(self.world.now + fault.lasts, is_blamed=fault.is_blamed)
            case Jump():
                self._machines[fault.machine].skew += fault.by
                self.safety.clocks_agree = False
            case Deploy():
                self._machines[fault.machine].deploy(fault.overlap)
            case DatabaseOutage() | FullDisk() | ReadOnly() | LateResults() | DoubledResults():
                self._begin_condition(fault)
            case Slowness() | SlowFsync() | Silence() | LostNotifications():
                self._begin_condition(fault)
            case _:
                assert_never(fault)

    def _begin_condition(self, condition: Condition) -> None:
        self.conditions.begin(condition)
        self.world.after(condition.lasts, lambda: self.conditions.end(condition))

    def _stop_faults(self) -> None:
        self.world.note("!", "the faults are over")
        self.faults_ended_at = self.world.now
        self.conditions.clear()
        for machine in self._machines.values():
            machine.stop_faults()

    # --- called by processes, and the end

    def _read_attempts(self) -> list[AttemptRecord]:
        runs = [history.run.key for history in self.safety.histories()]
        return [each for run in runs for each in run_inline(self.store.list_attempts(self.namespace, run))]

    async def use(self, client: Client) -> None:
        await self._scenario.use(client)

    def is_newest(self, client: Client) -> bool:
        """During a deploy there may be two clients."""
        return any(
            machine.processes and machine.processes[-1].client is client
            for machine in self._machines.values()
            if machine.has_client
        )

    def keep_ended(self, process: Process) -> None:
        """Keep the process to the end of the simulation: collecting it earlier would run some of its code."""
        self._ended_processes.append(process)

    def _clean_up(self) -> None:
        for process in list(self.world.processes):
            if isinstance(process, Process):
                process.vanish("the simulation is over")
        for process in self._ended_processes:
            process.dispose()
        run_inline(self.store.close())


@contextmanager
def _logged(note: Callable[[str, str], None]) -> Generator[None]:
    """Sends holdfast's warnings to the trace instead of the terminal."""
    log = logging.getLogger("holdfast")
    before = log.handlers, log.propagate
    log.handlers, log.propagate = [_Noting(note)], False
    try:
        yield
    finally:
        log.handlers, log.propagate = before


class _Noting(logging.Handler):
    def __init__(self, note: Callable[[str, str], None]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        self._note("log", record.getMessage())


def _described(run: RunRecord) -> str:
    name = run.id or key_text(run.key)
    why = f" ({run.failure.message})" if run.failure else ""
    place = f"owned by {run.owner}" if run.owner else f"to wake at {run.wake_at}, waiting for {run.waiting}"
    return f"run {name} of {run.workflow} is {run.status}{why}, {place}"
