"""Runs a program on holdfast, with crashes, and says how that differs from what asyncio alone makes of it."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from tests.programs.durable import Beginning, hanging, register
from tests.programs.language import Program, make_error
from tests.programs.plain import Ending, Expected, run_plain
from tests.programs.rules import Message, script

from holdfast import Catalog, Run, RunInfo
from holdfast.authoring.catalog import Definitions
from holdfast.authoring.kinds import Kinds
from holdfast.core.codec import Codec
from holdfast.core.history import Past, restore
from holdfast.core.journal import write_step
from holdfast.core.pieces import finish
from holdfast.core.records import History
from holdfast.errors import DeterminismError, NodeStopped, NotOpen, RunEnded, RunParked
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment
from holdfast.testing.crash_points import Crash, CrashPoints

_TURNS = 5
_SPINS = 50
_LOOK_EVERY = 0.05
_MOST_RUNS = 1000
PATIENCE = 30.0
"""Seconds of real time that a run may take: it needs a few hundredths."""


class Plan(NamedTuple):
    """At which commits to crash (from 1), and whether right after rather than right before."""

    crashes: Mapping[int, bool]

    def __str__(self) -> str:
        crashes = [f"{'after' if after else 'before'} commit {at}" for at, after in self.crashes.items()]
        return f"with a crash {', '.join(crashes)}" if crashes else "without a crash"


UNDISTURBED = Plan({})


def random_plan(dice: Random, commits: int) -> Plan:
    """A few crashes in a run that takes so many commits; often two in a row."""
    plan: dict[int, bool] = {}
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(1, commits + 2)
        plan[at] = dice.random() < 0.5
        if dice.random() < 0.3:
            plan[at + 1] = dice.random() < 0.5
    return Plan(dict(sorted(plan.items())))


class Proof(NamedTuple):
    problems: list[str]
    commits: int
    crashes: int


class EditProof(NamedTuple):
    outcome: str
    problems: list[str]


class Prover:
    """Has one catalog, and proves one program after the other."""

    def __init__(self) -> None:
        self._begun: list[Beginning] = []
        self._catalog = Catalog()
        self._failures: Counter[str] = Counter()
        self._edits: dict[Program, Program] = {}
        self._workflow = register(self._catalog, self._begun.append, self._failures, self._edits)
        self._definitions = Definitions(self._catalog, Codec(), Kinds())

    async def prove(self, program: Program, plan: Plan, url: str | None = None) -> Proof:
        """Run it and compare. `url` names an empty database; without one it is a SQLite file in memory."""
        expected = self.expect(program)
        self._begun.clear()
        self._failures.clear()
        async with _CrashingEnvironment(url, catalog=self._catalog, plan=plan) as env:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._drive(env, program)
            except (TimeoutError, NodeStopped, _Stuck) as error:
                problems = [await _explain_stuck(env, error)]
            else:
                problems = [*await self._compare(env, expected), *await self._check(env)]
            return Proof(problems, env.crash_points.commits, env.crashes)

    async def prove_edit(
        self, program: Program, edited: Program, plan: Plan, url: str | None = None
    ) -> EditProof:
        """Run it, crash, and go on with edited code. It must end as one of the two, or be parked."""
        self._begun.clear()
        self._failures.clear()
        self._edits.clear()
        environment = _CrashingEnvironment(
            url, catalog=self._catalog, plan=plan, on_crash=lambda: self._edits.update({program: edited})
        )
        async with environment as env:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._drive(env, program)
            except (TimeoutError, NodeStopped, _Stuck) as error:
                if isinstance(error, _Parked):
                    await env.wait_until_quiet()  # a message may just have had the run tried again
                if await _are_parked_by_an_edit(env):
                    return EditProof("parked", [])
                return EditProof("stuck", [await _explain_stuck(env, error)])
            if not self._edits:
                return EditProof("not edited", [])
            as_new = [*await self._compare(env, self.expect(edited)), *await self._check(env)]
            if not as_new:
                return EditProof("as the new code", [])
            self._edits.clear()  # it may have ended before anybody had to replay it
            as_old = [*await self._compare(env, self.expect(program)), *await self._check(env)]
            return EditProof("neither", as_new) if as_old else EditProof("as the old code", [])

    def expect(self, program: Program) -> Expected:
        return run_plain(program)

    async def _drive(self, env: _CrashingEnvironment, program: Program) -> None:
        """Start the program, send what it needs, and wait until all its runs are over."""
        run = await _start(env, self._workflow, program)
        at = 0.0
        for message in script(program):
            if message.at > at:
                await env.skip(dt.timedelta(seconds=message.at - at))
                at = message.at
            try:
                await send(run, message)
            except RunEnded:
                break
        while True:
            await env.wait_until_quiet()
            open_runs = [info for info in await env.list(limit=_MOST_RUNS) if not info.status.is_final]
            if not open_runs:
                return
            await _wait_for(env, await env.get(open_runs[-1].key))

    async def _compare(self, env: Environment, expected: Expected) -> list[str]:
        problems: list[str] = []
        endings: dict[str, Ending] = {}
        states: dict[str, dict[str, int]] = {}
        for info in await env.list(limit=_MOST_RUNS):
            path = info.input["path"]
            if path in endings:
                problems.append(f"two runs for the one child {path!r}")
            endings[path] = ending_of(info)
            states[path] = await env.state(info.key)
        problems += differences("run", "ended", expected, expected.endings, endings)
        problems += differences("run", "left the state", expected, expected.states, states)
        return [*problems, *self._compare_tasks(expected, is_disturbed=env.crashes > 0)]

    def _compare_tasks(self, expected: Expected, *, is_disturbed: bool) -> Iterator[str]:
        ids: dict[tuple[str, str], str] = {}
        attempts = Counter((begun.path, begun.place) for begun in self._begun)
        for begun in self._begun:
            key = (begun.path, begun.place)
            wanted = expected.begun.get(key)
            if ids.setdefault(key, begun.id) != begun.id:
                yield f"the task at {key} was begun as {ids[key]} and again as {begun.id}"
            if expected.is_loose(begun.path):
                continue
            if wanted is None:
                yield f"a task was begun that should not have been: {begun}"
            elif (wanted.task, wanted.value) != (begun.task, begun.value):
                yield f"a task was begun as {begun}, and not as {wanted}"
        for (path, place), wanted in expected.begun.items():
            found = attempts[path, place]
            if expected.is_loose(path) or not wanted.is_certain:
                continue
            if not found or (found != wanted.attempts and not is_disturbed):
                yield f"the task at {path, place} was attempted {found} times, and not as {wanted}"

    async def _check(self, env: Environment) -> list[str]:
        """What must be so whatever the program was."""
        problems = [f"recorded tasks were done again: {env.repeated}"] if env.repeated else []
        stranded = await env.doctor()
        if stranded:
            problems.append(f"runs were left with no reason to wake: {stranded}")
        for info in await env.list(limit=_MOST_RUNS):
            problems += self._replay(await env.history(info.key))
        return problems

    def _replay(self, history: History) -> Iterator[str]:
        """Take the run up again at every step, and have it do the next one: it must write the same."""
        past = restore(history)
        for number, step in enumerate(past.steps):
            before = Past(steps=past.steps[:number], position=number, local=past.local)
            try:
                program = finish(self._definitions.replay(history.run, before, 1))
            except DeterminismError as error:
                yield f"step {number} of run {history.run.id!r} cannot be replayed: {error}"
                return
            try:
                again = write_step(step.at, step.events, program.advance(step.at, step.events))
            finally:
                program.dispose()
            if again != history.steps[number]:
                yield f"step {number} of run {history.run.id!r} is another when it is replayed"


# --- an environment that crashes often ----------------------------------------------------------


class _ManyCrashPoints(CrashPoints):
    def __init__(self, points: CrashPoints, plan: Plan, on_crash: Callable[[], object]) -> None:
        super().__init__(points._store)
        self._plan = plan
        self._on_crash = on_crash

    async def commit(self, commit: Commit) -> Receipt:
        self.commits += 1
        after = self._plan.crashes.get(self.commits)
        if after is None:
            return await self._store.commit(commit)
        if after:
            await self._store.commit(commit)
        self._on_crash()
        raise Crash(f"at commit {self.commits}")


class _CrashingEnvironment(Environment):
    def __init__(
        self, url: str | None, *, catalog: Catalog, plan: Plan, on_crash: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(url, catalog=catalog)
        self.crash_points = _ManyCrashPoints(self.crash_points, plan, on_crash)

    async def wait_until_quiet(self) -> None:
        """Tasks that hang are no reason to wait: only the passing of time ends them."""
        turns = waited = 0
        while turns < _TURNS:
            turns = turns + 1 if self._is_quiet else 0
            waited += 1
            await asyncio.sleep(
                0 if turns or waited < _SPINS else 0.0005
            )  # what is on a thread takes a while

    @property
    def _is_quiet(self) -> bool:
        engine = self.engine
        if engine.failure is not None:
            return False  # it has crashed, and the next one is not there yet
        return (
            not (engine._is_ticking or engine._inbox.wake_event.is_set())
            and engine._dispatcher.running <= hanging.count
        )


class _Stuck(Exception):
    """A run cannot go on, or the node has failed by itself."""


class _Parked(_Stuck):
    pass


async def _start(env: Environment, workflow: Any, program: Program) -> Run[Any]:
    """A crash may come before the start is recorded. Its id makes it safe to ask again."""
    while True:
        try:
            return await env.start(workflow, program, id="first")
        except NotOpen:
            _check_node(env)
            await env.wait_until_quiet()


async def send(run: Run[Any], message: Message) -> None:
    match message.kind:
        case "signal":
            await run.signal(message.name, message.value)
        case "promise" if message.error is not None:
            await run.reject(message.name, make_error(message.error, message.value), ahead=True)
        case "promise":
            await run.resolve(message.name, message.value, ahead=True)
        case "cancel":
            await run.cancel()


async def _wait_for(env: Environment, run: Run[Any]) -> None:
    """Until it is over, however it ends. One that is parked waits for an operator, and there is none."""
    ending = asyncio.create_task(_result(run))
    try:
        while not (await asyncio.wait([ending], timeout=_LOOK_EVERY))[0]:
            _check_node(env)
            if await env.list(status="parked"):
                raise _Parked("a run is parked")
    finally:
        ending.cancel()
    # Every other end is looked at in the store.
    if not ending.cancelled() and isinstance(ending.exception(), RunParked):
        raise _Parked("a run is parked")


async def _result(run: Run[Any]) -> Any:
    return await run.result()


def _check_node(env: Environment) -> None:
    failure = env.engine.failure
    if failure is not None and not isinstance(failure, Crash):
        raise _Stuck(f"the node stopped by an error of its own: {failure!r}")


async def _are_parked_by_an_edit(env: Environment) -> bool:
    """Whether a run is parked, and each that is has a difference to tell."""
    parked = await env.list(status="parked", limit=_MOST_RUNS)
    failures = [info.failure for info in parked if info.failure is not None]
    is_told = all(it.type.endswith(":DeterminismError") and "recorded: " in it.traceback for it in failures)
    return bool(parked) and len(failures) == len(parked) and is_told


async def _explain_stuck(env: Environment, error: Exception) -> str:
    runs = [info for info in await env.list(limit=_MOST_RUNS) if not info.status.is_final]
    reasons = [
        f"{info.input['path']!r} is {info.status}, waits for {info.waiting}, failure "
        f"{info.failure and info.failure.message}"
        for info in runs
    ]
    return f"it does not end ({type(error).__name__}: {error}): {'; '.join(reasons)}"


def ending_of(info: RunInfo) -> Ending:
    match info.status:
        case "success":
            return Ending("success", info.output)
        case "failed":
            assert info.failure is not None
            name = info.failure.type.rpartition(":")[2]
            if name in ("TimeoutError", "TaskTimedOut"):
                return Ending("failed", "TimeoutError")
            return Ending("failed", f"{name}: {info.failure.message}")
        case _:
            return Ending(str(info.status))


def differences(
    what: str, verb: str, expected: Expected, wanted: Mapping[str, Any], found: Mapping[str, Any]
) -> Iterator[str]:
    for path in sorted({*wanted, *found}):
        if not expected.is_loose(path) and wanted.get(path) != found.get(path):
            yield f"{what} {path!r} {verb} {found.get(path)}, and not {wanted.get(path)}"
