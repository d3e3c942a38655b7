"""`simulate`: does a workflow end as it should whatever goes wrong, in whatever order?"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from holdfast.authoring.catalog import Catalog, default_catalog
from holdfast.client.client import Client
from holdfast.client.run import Run
from holdfast.errors import BadOption, NodeStopped, NotOpen, SimulationFailed
from holdfast.testing.simulation.faults import Fault
from holdfast.testing.simulation.pull_worker import Services
from holdfast.testing.simulation.shrinking import shrink
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.witness import TaskExecution
from holdfast.testing.simulation.world import SECOND, Violation

_SHORTEST = 5 * SECOND
_SHOWN = 40
"""How many lines of the trace come with a failure."""


class SimulatedRun(msgspec.Struct, frozen=True):
    """How a run ended in one simulation, and what its tasks really did."""

    seed: int
    result: Any
    error: Exception | None
    """What `result()` raised, or None."""
    executions: list[TaskExecution]
    """One entry for each time a task ran to its end, in order. A task whose outcome was not recorded in time
    may be there twice."""

    @property
    def deeds(self) -> list[TaskExecution]:
        """The former name of `executions`, for tests that were written for 0.4.0 and before."""
        return self.executions

    def __str__(self) -> str:
        return f"with {self.result!r}" if self.error is None else f"with {_told(self.error)}"


class SimulationSummary(msgspec.Struct):
    """Totals of simulations that found nothing wrong."""

    seeds: int = 0
    faults: int = 0
    tasks: int = 0
    repeated: int = 0
    """Tasks that were done again, because a fault came before they were recorded."""
    hours: float = 0.0
    """Simulated time."""

    def __str__(self) -> str:
        return (
            f"{self.seeds:,} seeds, {self.hours:,.1f} simulated hours, {self.faults:,} faults: "
            f"{self.tasks:,} tasks done, {self.repeated:,} of them again after a crash, nothing wrong"
        )

    def add(self, simulation: Simulation) -> None:
        executions = [each for each in simulation.witness.executions if each.is_success]
        self.seeds += 1
        self.faults += simulation.struck.total()
        self.tasks += len(executions)
        self.repeated += len(executions) - len({(each.run, each.seq) for each in executions})
        self.hours += (simulation.world.now - simulation.world.began) / (3600 * SECOND)


def simulate(
    workflow: Any,
    *args: Any,
    seeds: int | Iterable[int] = 100,
    during: Callable[[Run[Any]], Awaitable[None]] | None = None,
    before: Callable[[], object] | None = None,
    check: Callable[[SimulatedRun], object] | None = None,
    catalog: Catalog = default_catalog,
    **kwargs: Any,
) -> SimulationSummary:
    """Run a workflow once for every seed, in a simulated world with faults.

    Nodes crash, stand still, lose the database or its answers, find it full, slow or read-only, get a wrong
    clock or no notifications, or are replaced, at moments that the seed decides. Then the faults stop.
    Everything is real except time: a simulated hour takes a moment, and the same seed gives the same history.

    Without `check`, the run must end as it does without faults. With `check`, only `check` decides: it is
    called with a `SimulatedRun` and refuses it by raising or by returning False. `before` is called before
    each simulation, to reset your fakes. `during` sends what the workflow waits for.

    Raises SimulationFailed with the seed and a list of faults that was shrunk as far as it still fails.
    Pass `seeds=[n]` to get the same history again.
    """
    wanted = _checked_seeds(seeds)
    _check_plain("before", before)
    _check_plain("check", check)

    def attempt(seed: int, plan: list[Fault] | None, *, is_traced: bool = False) -> Simulation:
        if before is not None:
            before()
        scenario = _OneRun(workflow, args, kwargs, during, catalog, expected, check)
        simulation = Simulation(seed, scenario, plan=plan, span=span, is_traced=is_traced)
        simulation.run()
        simulated.append(scenario.simulated(simulation))
        return simulation

    simulated: list[SimulatedRun] = []
    expected: SimulatedRun | None = None
    span: int | None = None
    summary = SimulationSummary()
    try:
        faultless = attempt(0, [], is_traced=True)
    except Violation as violation:
        story = list(violation.simulation.world.trace)[-_SHOWN:]
        raise SimulationFailed(0, f"it fails without faults: {violation}", [], story) from None
    expected = simulated[0]
    if expected.error is not None and check is None:
        how = f"without faults it ends {expected}; if that is as it should be, say so with a check"
        raise SimulationFailed(0, how, [], []) from expected.error
    # A fault after the end of the run shows nothing.
    span = max(_SHORTEST, 2 * (faultless.world.now - faultless.world.began))
    for seed in wanted:
        try:
            summary.add(attempt(seed, None))
        except Violation as violation:
            raise _explained(seed, violation, attempt) from None
    return summary


class _OneRun:
    """A scenario: one run of the user's workflow. Its client gets no faults."""

    queues: Mapping[str, int] = {}
    services: Services = MappingProxyType({})
    most_faults = 30
    slots = (2, 4, 1000)
    longest_task = 20.0
    is_client_spared = True
    deadly = ()

    def __init__(
        self,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        during: Callable[[Run[Any]], Awaitable[None]] | None,
        catalog: Catalog,
        expected: SimulatedRun | None,
        check: Callable[[SimulatedRun], object] | None,
    ) -> None:
        self.catalog = catalog
        self._workflow = workflow
        self._args = args
        self._kwargs = kwargs
        self._during = during
        self._expected = expected
        self._check = check
        self._ending: tuple[Any, Exception | None] | None = None
        self._is_helping = False
        self._trouble: Exception | None = None
        """What `during` raised."""

    async def use(self, client: Client) -> None:
        run = await client.start(self._workflow, *self._args, id="simulated", **self._kwargs)
        helping = asyncio.ensure_future(self._help(run))
        try:
            self._ending = (await run.result(), None)
        except (NotOpen, NodeStopped):
            raise
        except Exception as error:
            self._ending = (None, error)
        helping.cancel()

    async def _help(self, run: Run[Any]) -> None:
        if self._during is not None:
            self._is_helping = True
            try:
                await self._during(run)
            except (NotOpen, NodeStopped):
                raise
            except Exception as error:
                self._trouble = error
            self._is_helping = False

    def is_done(self) -> bool:
        return self._ending is not None

    def has_more_to_say(self) -> bool:
        return self._is_helping

    def simulated(self, simulation: Simulation) -> SimulatedRun:
        assert self._ending is not None
        result, error = self._ending
        return SimulatedRun(simulation.seed, result, error, simulation.witness.executions)

    def problems(self, simulation: Simulation) -> Iterable[str]:
        run = self.simulated(simulation)
        if self._trouble is not None:
            yield f"`during` failed: {_told(self._trouble)}"
        for attempt in simulation.failed_attempts:
            if attempt.failure is not None and attempt.failure.type.endswith(":ForbiddenInSimulation"):
                yield attempt.failure.message
        if self._check is not None:
            try:
                answer = self._check(run)
            except Exception as error:
                yield f"the check says no: {_told(error)}"
            else:
                if answer is False:
                    yield "the check says no: it returned False"
        elif self._expected is not None and str(run) != str(self._expected):
            yield f"the run ended {run}, and without faults {self._expected}"


def _explained(seed: int, violation: Violation, attempt: Callable[..., Simulation]) -> SimulationFailed:
    """Shrinks the plan by running the seed with fewer and fewer faults, and describes the failure."""

    def still_fails(plan: Any) -> bool:
        nonlocal violation
        try:
            attempt(seed, list(plan))
        except Violation as again:
            violation = again
            return True
        return False

    plan = shrink(violation.simulation.plan, still_fails)
    try:
        attempt(seed, plan, is_traced=True)
    except Violation as again:
        violation = again
    story = list(violation.simulation.world.trace)[-_SHOWN:]
    return SimulationFailed(seed, str(violation), [str(fault) for fault in plan], story)


def _checked_seeds(seeds: Any) -> list[int]:
    wanted = "how many, 1 or more, or a list of whole numbers"
    if isinstance(seeds, (bool, str, bytes)):
        raise BadOption("seeds", seeds, wanted)
    try:
        found: list[Any] = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    except TypeError:
        raise BadOption("seeds", seeds, wanted) from None
    if not found or not all(type(seed) is int for seed in found):
        raise BadOption("seeds", seeds, wanted)
    return found


def _check_plain(name: str, function: Any) -> None:
    if function is not None and (not callable(function) or inspect.iscoroutinefunction(function)):
        raise BadOption(name, function, "a plain function: nobody would await what another returns")


def _told(error: BaseException) -> str:
    return f"{type(error).__qualname__}: {error}"
