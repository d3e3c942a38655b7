"""Jobs: what a client wants from a run, what it did, and whether the outcome is possible."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from random import Random
from typing import Any, TypeVar

from tests.simulation import workflows as w

from holdfast import Catalog, Run, RunStatus
from holdfast.client.client import Client
from holdfast.errors import (
    NodeStopped,
    NotEnded,
    NotOpen,
    PromiseSettled,
    RunCancelled,
    RunEnded,
    RunFailed,
    StoreError,
)
from holdfast.testing.simulation.pull_worker import Services
from holdfast.testing.simulation.simulation import Simulation

T = TypeVar("T")

_TROUBLE = (StoreError, NotOpen, NodeStopped)
"""Errors that are no mistake of the client. After one of them the outcome of the call is unknown."""


async def insist(call: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await call()
        except _TROUBLE:
            await asyncio.sleep(1)


class Job:
    """One run, and what the user knows about it. Outlives the client's processes."""

    def __init__(
        self, id: str, workflow: Any, *args: Any, expected: Any = None, start_after: float = 0
    ) -> None:
        self.id = id
        self.workflow = workflow
        self.args = args
        self.expected = expected
        self.start_after = start_after
        self.ending: tuple[str, Any] | None = None

    async def do(self, client: Client) -> None:
        await asyncio.sleep(self.start_after)
        run = await insist(lambda: client.start(self.workflow, *self.args, id=self.id))
        await self.meanwhile(client, run)
        await self.await_ending(run)

    async def meanwhile(self, client: Client, run: Run[Any]) -> None:
        """What else the client does to the run."""

    async def await_ending(self, run: Run[Any]) -> None:
        async def end() -> tuple[str, Any]:
            try:
                return "success", await run.result()
            except RunFailed as error:
                return "failed", str(error)
            except RunCancelled as error:
                return "cancelled", error.reason

        self.ending = await insist(end)

    def problems(self) -> Iterable[str]:
        if not self.is_right():
            what = f"{self.id}, {self.workflow.name}{self.args}"
            yield f"{what}, ended with {self.ending}, not {self.expected!r}"

    def is_right(self) -> bool:
        return self.ending == ("success", self.expected)


class Sleeper(Job):
    def is_right(self) -> bool:
        return self.ending is not None and self.ending[0] == "success" and self.ending[1] >= self.args[0]


class Drawer(Job):
    def is_right(self) -> bool:
        return self.ending is not None and self.ending[0] == "success" and len(self.ending[1]) == 4


class Failing(Job):
    def is_right(self) -> bool:
        return self.ending is not None and self.ending[0] == "failed" and self.expected in self.ending[1]


class Retried(Failing):
    """Fails, is retried by the client, and fails again. The task gets all its attempts once more."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.retried = 0

    async def do(self, client: Client) -> None:
        await super().do(client)
        while self.retried < 2:
            self.ending = None
            try:
                await client.retry(self.id)
            except NotEnded:
                pass  # the retry before this one was done after all
            except _TROUBLE:
                await asyncio.sleep(1)
                continue
            self.retried += 1
            await self.await_ending(await insist(lambda: client.get(self.id)))


class Signalled(Job):
    """Sends numbers in order, and each again until it is acknowledged."""

    def __init__(self, *args: Any, numbers: int, has_stop: bool, pause: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._numbers = list(range(numbers)) + ([-1] if has_stop else [])
        self._tries: dict[int, int] = {}
        self._acknowledged: set[int] = set()
        self._pause = pause

    @property
    def most_tries(self) -> int:
        return max(self._tries.values())

    async def meanwhile(self, client: Client, run: Run[Any]) -> None:
        for number in self._numbers:
            while number not in self._acknowledged:
                self._tries[number] = self._tries.get(number, 0) + 1
                try:
                    await run.signal("number", number)
                except RunEnded:
                    break  # the run has ended, by a signal that was not acknowledged
                except _TROUBLE:
                    await asyncio.sleep(1)
                else:
                    self._acknowledged.add(number)
            await asyncio.sleep(self._pause)

    def is_right(self) -> bool:
        if self.ending is None or self.ending[0] != "success":
            return False
        received: list[int] = self.ending[1]
        once = list(dict.fromkeys(received))
        wanted = self.args[0] if self.args else None
        if wanted is not None and len(received) != wanted:
            return False
        is_in_order = once == sorted(once) == list(range(len(once)))
        is_bounded = all(received.count(number) <= self._tries.get(number, 0) for number in once)
        known = self._acknowledged - {-1} if wanted is None else set[int]()
        return is_in_order and is_bounded and known <= set(once)


class Approved(Job):
    """Two people approve the run. Exactly one of them succeeds."""

    def __init__(self, *args: Any, delay: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._delay = delay
        self._won: set[str] = set()
        self._refused: set[str] = set()
        self._unknown: set[str] = set()

    async def meanwhile(self, client: Client, run: Run[Any]) -> None:
        await asyncio.sleep(self._delay)
        await asyncio.gather(*[self._approve(run, name) for name in ("ann", "bob")])

    async def _approve(self, run: Run[Any], name: str) -> None:
        while name not in self._won | self._refused:
            try:
                await run.resolve("approval", name, ahead=True)
            except (PromiseSettled, RunEnded):
                self._refused.add(name)
            except _TROUBLE:
                self._unknown.add(name)
                await asyncio.sleep(1)
            else:
                self._won.add(name)

    def is_right(self) -> bool:
        if self.ending is None or self.ending[0] != "success" or len(self._won) > 1:
            return False
        winner = self.ending[1].removeprefix("approved by ")
        # After a lost answer or a crash of the client, either approval may have been done.
        return winner in ("ann", "bob") and (not self._won or self._won == {winner})


class Cancelled(Job):
    def __init__(self, *args: Any, delay: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._delay = delay
        self._is_told = False

    async def meanwhile(self, client: Client, run: Run[Any]) -> None:
        await asyncio.sleep(self._delay)
        while not self._is_told:
            try:
                await run.cancel("enough")
            except RunEnded:
                pass  # ended by a request that was not acknowledged
            except _TROUBLE:
                await asyncio.sleep(1)
                continue
            self._is_told = True

    def is_right(self) -> bool:
        return self.ending == ("cancelled", "enough")


class Deadly(Job):
    """Ends every process that takes it, until it is parked. Then the client cancels it."""

    async def meanwhile(self, client: Client, run: Run[Any]) -> None:
        while True:
            try:
                await run.signal("go")
                break
            except RunEnded:
                return
            except _TROUBLE:
                await asyncio.sleep(1)
        while (status := await insist(run.status)) is not RunStatus.PARKED:
            if status is RunStatus.CANCELLED:
                return  # ended by a request that was not acknowledged
            await asyncio.sleep(30)
        try:
            await insist(lambda: run.cancel("enough"))
        except RunEnded:
            pass  # ended by a request that was not acknowledged

    def is_right(self) -> bool:
        return self.ending == ("cancelled", "enough")


class Jobs:
    """A scenario: several jobs at once."""

    is_client_spared = False
    most_faults = 30
    slots = (2, 4, 1000)
    deadly = ("deadly", "deadly_after_a_task")
    longest_task = 20.0
    """Longer than a lease, which a node renews however long its tasks take."""

    def __init__(self, jobs: list[Job], catalog: Catalog = w.catalog) -> None:
        self.queues = {"narrow": 2}
        self.services: Services = {}
        self.jobs = jobs
        self.catalog = catalog

    async def use(self, client: Client) -> None:
        await asyncio.gather(*[job.do(client) for job in self.jobs if job.ending is None])

    def is_done(self) -> bool:
        return all(job.ending is not None for job in self.jobs)

    def has_more_to_say(self) -> bool:
        return True

    def problems(self, simulation: Simulation) -> Iterable[str]:
        for job in self.jobs:
            yield from job.problems()


_DRAW: list[Callable[[str, Random], Job]] = [
    lambda id, dice: Job(id, w.sequence, n := dice.randint(0, 12), expected=n * (n - 1) // 2),
    lambda id, dice: Job(id, w.fan_out, n := dice.randint(0, 7), expected=[2 * i for i in range(n)]),
    lambda id, dice: Job(id, w.narrow, n := dice.randint(1, 6), expected=list(range(n))),
    lambda id, dice: Job(id, w.retries, dice.randint(1, 4), expected="done"),
    lambda id, dice: Job(id, w.catches, "it", expected="caught it"),
    lambda id, dice: Failing(id, w.fails, "badly", expected="badly"),
    lambda id, dice: Retried(id, w.fails, "badly", expected="badly"),
    lambda id, dice: Sleeper(id, w.sleeps, dice.choice((0.5, 8.0, 90.0, 3600.0))),
    lambda id, dice: Signalled(
        id, w.receives, n := dice.randint(1, 4), numbers=n, has_stop=False, pause=dice.choice((0, 7))
    ),
    lambda id, dice: Signalled(
        id, w.receives_all_until_stop, numbers=dice.randint(1, 5), has_stop=True, pause=dice.choice((0, 7))
    ),
    lambda id, dice: Approved(id, w.approval, delay=dice.choice((0, 1, 30))),
    lambda id, dice: Job(
        id, w.parent, n := dice.randint(0, 3), expected=[i * (i - 1) // 2 for i in range(n)]
    ),
    lambda id, dice: Job(id, w.grandparent, id, expected=[[0, 0], 3]),
    lambda id, dice: Job(id, w.abandons_a_child, id, expected="left"),
    lambda id, dice: Job(id, w.races, expected="1 first, 3"),
    lambda id, dice: Job(id, w.limits, expected="gave up"),
    lambda id, dice: Job(
        id,
        w.takes_steps,
        n := dice.randint(0, 4),
        expected=[*(squares := [i * i for i in range(n)]), sum(squares)],
    ),
    lambda id, dice: Job(id, w.hangs_once, expected=True),
    lambda id, dice: Job(id, w.beats, n := dice.randint(1, 8), expected=n),
    lambda id, dice: Cancelled(id, w.cleans_up, delay=dice.choice((0, 1, 20))),
    lambda id, dice: Drawer(id, w.draws),
    lambda id, dice: Deadly(id, w.deadly),
]


def draw_jobs(seed: int) -> Jobs:
    dice = Random(f"{seed} jobs")
    kinds = dice.sample(_DRAW, dice.randint(1, 5))
    jobs = [dice.choice(kinds)(f"job-{number}", dice) for number in range(dice.randint(1, 8))]
    return _at_different_times(jobs, dice)


def _at_different_times(jobs: list[Job], dice: Random) -> Jobs:
    for job in jobs:
        job.start_after = dice.choice((0, dice.uniform(0, 4), dice.uniform(0, 60)))
    return Jobs(jobs)


_DRAW_TASKS: list[Callable[[str, Random], Job]] = [
    lambda id, dice: Job(id, w.add, 1, n := dice.randint(0, 12), expected=n + 1),
    lambda id, dice: Job(id, w.double, n := dice.randint(0, 7), expected=2 * n),
    lambda id, dice: Job(id, w.succeed_at, dice.randint(1, 4), expected="done"),
    lambda id, dice: Failing(id, w.fail_always, "badly", expected="badly"),
    lambda id, dice: Retried(id, w.fail_always, "badly", expected="badly"),
    lambda id, dice: Cancelled(id, w.hang, delay=dice.choice((0, 1, 30))),
]


def draw_lone_tasks(seed: int) -> Jobs:
    """Tasks that are started by themselves, beside some workflows."""
    dice = Random(f"{seed} lone tasks")
    kinds = [*dice.sample(_DRAW_TASKS, dice.randint(1, 4)), *dice.sample(_DRAW, dice.randint(0, 2))]
    return _at_different_times(
        [dice.choice(kinds)(f"job-{n}", dice) for n in range(dice.randint(1, 8))], dice
    )
