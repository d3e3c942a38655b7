"""What a run of the workload does: a list of acts, which is the input of one workflow.

An act writes into the state of its run what it waits for, so that `explain` can be compared with it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from random import Random
from typing import Any, ClassVar, TypeAlias

import msgspec
from tests.simulation.life.answers import ANSWERERS, Inquire, Serve, serve_updates

from holdfast import Catalog, Retry, context, task, task_context, workflow
from holdfast.errors import HoldfastError

SECOND = dt.timedelta(seconds=1)
SIGNALS = ("a", "b")
catalog = Catalog()


class Unlucky(Exception):
    pass


class Outside:
    """What tasks leave behind outside of the database. One simulation is run at a time."""

    beats: ClassVar[dict[str, int]] = {}
    """The highest progress that a task has reported, by its id."""
    problems: ClassVar[list[str]] = []

    @classmethod
    def clear(cls) -> None:
        cls.beats.clear()
        cls.problems.clear()


# --- tasks


@task(catalog=catalog)
async def work(number: int, seconds: float) -> int:
    await asyncio.sleep(seconds)
    return number


@task(catalog=catalog, retry=Retry(max_attempts=5, first_delay=20 * SECOND))
async def struggle(number: int, failures: int) -> int:
    if task_context().attempt <= failures:
        raise Unlucky(f"attempt {task_context().attempt}")
    return number


@task(catalog=catalog, retry=Retry(max_attempts=1))
async def fail_at_first(number: int, failures: int) -> int:
    """Fails its run, which may be retried."""
    if task_context().attempt <= failures:
        raise Unlucky(f"attempt {task_context().attempt}")
    return number


@task(catalog=catalog, heartbeat=30 * SECOND, retry=Retry(max_attempts=20, first_delay=SECOND))
async def report_progress(times: int, failures: int) -> int:
    here = task_context()
    begun: int = here.heartbeat_details(int) or 0
    if begun > Outside.beats.get(here.task_id, 0):
        Outside.problems.append(f"task {here.task_id} goes on at {begun}, and nobody got so far")
    for number in range(begun, times):
        here.heartbeat(number + 1)
        Outside.beats[here.task_id] = max(Outside.beats.get(here.task_id, 0), number + 1)
        await asyncio.sleep(2)
        if here.attempt <= failures:
            raise Unlucky(f"attempt {here.attempt}")
    return times


@task(catalog=catalog, retry=Retry(max_attempts=20, first_delay=SECOND))
async def pour(stream: str, items: int, failures: int) -> int:
    here = task_context()
    for number in range(items):
        await here.publish(stream, [number, items])
        await asyncio.sleep(0.5 * (number % 3))
        if here.attempt <= failures and number >= items // 2:
            raise Unlucky(f"attempt {here.attempt}")
    return items


# --- acts


class Here:
    """The run that an act is done in."""

    def __init__(self) -> None:
        self.context = context()
        self.numbers = count()

    @contextmanager
    def waiting(self, kind: str, name: str = "") -> Generator[None]:
        key = f"wait:{kind}:{name}:{next(self.numbers)}"
        self.context.state.set(key, True)
        try:
            yield
        finally:
            self.context.state.delete(key)


class Work(msgspec.Struct, frozen=True, tag=True):
    number: int
    seconds: float = 0.0

    async def do(self, here: Here) -> Any:
        return await work(self.number, self.seconds)

    def accepts(self, value: Any) -> bool:
        return value == self.number


class Struggle(Work, frozen=True, tag=True):
    failures: int = 1

    async def do(self, here: Here) -> Any:
        return await struggle(self.number, self.failures)


class FailAtFirst(Work, frozen=True, tag=True):
    failures: int = 1

    async def do(self, here: Here) -> Any:
        return await fail_at_first(self.number, self.failures)


class Progress(Work, frozen=True, tag=True):
    failures: int = 0

    async def do(self, here: Here) -> Any:
        return await report_progress(self.number, self.failures)


class Pour(Work, frozen=True, tag=True):
    stream: str = "poured"
    failures: int = 0

    async def do(self, here: Here) -> Any:
        return await pour(self.stream, self.number, self.failures)


class Say(Work, frozen=True, tag=True):
    """The code of the workflow publishes."""

    stream: str = "said"

    async def do(self, here: Here) -> Any:
        here.context.publish_many(self.stream, range(self.number))
        return self.number


class Step(Work, frozen=True, tag=True):
    async def do(self, here: Here) -> Any:
        return await here.context.step("note", lambda: self._later(self.number))

    async def _later(self, number: int) -> int:
        await asyncio.sleep(self.seconds)
        return number


class Sleep(Work, frozen=True, tag=True):
    async def do(self, here: Here) -> Any:
        with here.waiting("timer"):
            await asyncio.sleep(self.seconds)
        return self.number


class Listen(msgspec.Struct, frozen=True, tag=True):
    name: str
    times: int

    async def do(self, here: Here) -> Any:
        heard: list[Any] = []
        state, key = here.context.state, f"heard:{self.name}"
        for _ in range(self.times):
            with here.waiting("signal", self.name):
                heard.append(await here.context.signal(self.name))
                state.set(key, [*state.get(key, list[Any], []), heard[-1]])
        return heard

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list) and len(value) == self.times


class Ask(msgspec.Struct, frozen=True, tag=True):
    name: str

    async def do(self, here: Here) -> Any:
        with here.waiting("promise", self.name):
            try:
                return await here.context.promise(self.name, same=True)
            except ValueError as error:
                return f"rejected: {error}"

    def accepts(self, value: Any) -> bool:
        return value in ("yes", "rejected: no")


class Child(msgspec.Struct, frozen=True, tag=True):
    number: int
    script: Script
    is_detached: bool = False

    async def do(self, here: Here) -> Any:
        child = live.options(
            id=f"{here.context.run_id}.{self.number}", detached=self.is_detached, tags=["child"]
        )(self.script)
        if self.is_detached:
            return child.id
        try:
            return await child
        except (HoldfastError, Unlucky, ExceptionGroup):
            return None

    def accepts(self, value: Any) -> bool:
        return self.is_detached or value is None or self.script.accepts_all(value)


class Together(msgspec.Struct, frozen=True, tag=True):
    left: list[Act]
    right: list[Act]

    async def do(self, here: Here) -> Any:
        async with asyncio.TaskGroup() as group:
            branches = [group.create_task(_in_turn(acts, here)) for acts in (self.left, self.right)]
        return [branch.result() for branch in branches]

    def accepts(self, value: Any) -> bool:
        return len(value) == 2 and _accept(self.left, value[0]) and _accept(self.right, value[1])


Act: TypeAlias = (
    Work
    | Struggle
    | FailAtFirst
    | Progress
    | Pour
    | Say
    | Step
    | Sleep
    | Listen
    | Ask
    | Child
    | Together
    | Serve
    | Inquire
)


class Script(msgspec.Struct, frozen=True):
    acts: list[Act]
    cleans_up: bool = False
    """Does a task at its end, also when it is cancelled or goes on as a new chapter."""
    later: list[list[Act]] = []
    """The acts of the chapters that follow."""
    leaves: str = ""
    """The name of a signal that each chapter asks for at its end and does not wait for."""
    before: list[Act] = []
    """The acts of the chapters before, and what came of them."""
    done: list[Any] = []

    def accepts(self, value: Any) -> bool:
        """Whether a run that succeeded may have this result. It has those of all chapters."""
        return not self.later and value[: len(self.done)] == self.done and self.accepts_all(value)

    def accepts_all(self, value: Any) -> bool:
        return _accept([*self.before, *self.acts, *(act for acts in self.later for act in acts)], value)

    def all_acts(self) -> Iterator[Act]:
        """With those of branches and chapters, without those of children."""
        yield from _flat([*self.before, *self.acts, *(act for acts in self.later for act in acts)])

    def next_chapter(self, done: list[Any]) -> Script:
        before = [*self.before, *self.acts]
        return Script(self.later[0], self.cleans_up, self.later[1:], self.leaves, before, done)

    def ids(self, id: str) -> Iterator[tuple[str, Script]]:
        """The ids of the run and its children, and what they do."""
        yield id, self
        for act in self.all_acts():
            if isinstance(act, Child):
                yield from act.script.ids(f"{id}.{act.number}")


def _flat(acts: list[Act]) -> Iterator[Act]:
    for act in acts:
        yield act
        if isinstance(act, Together):
            yield from _flat(act.left)
            yield from _flat(act.right)


def _accept(acts: list[Act], values: Any) -> bool:
    return len(values) == len(acts) and all(
        act.accepts(value) for act, value in zip(acts, values, strict=True)
    )


async def _in_turn(acts: list[Act], here: Here) -> list[Any]:
    return [await act.do(here) for act in acts]


@workflow(catalog=catalog)
async def live(script: Script) -> list[Any]:
    here = Here()
    if any(isinstance(act, Serve) for act in script.all_acts()):
        serve_updates(here, work)
    try:
        done = [*script.done, *await _in_turn(script.acts, here)]
        if script.later:
            if script.leaves:
                here.context.signal(script.leaves)
            here.context.continue_as(script.next_chapter(done))
        return done
    finally:
        if script.cleans_up:
            await work(-1, 1.0)


# --- drawing

_Draw: TypeAlias = Callable[[Random, int, "Numbers"], Act]


class Numbers:
    """Numbers that a script has not used yet."""

    def __init__(self) -> None:
        self._next = count()

    def next(self) -> int:
        return next(self._next)


def draw_script(dice: Random, depth: int = 2) -> Script:
    numbers = Numbers()
    acts, cleans_up = _draw_acts(dice, depth, numbers, dice.randint(1, 5)), dice.random() < 0.3
    if dice.random() < 0.7:
        return Script(acts, cleans_up)
    later = [_draw_acts(dice, depth, numbers, dice.randint(1, 3)) for _ in range(dice.randint(1, 3))]
    return Script(acts, cleans_up, later, dice.choice(("", *SIGNALS)))


def _draw_acts(dice: Random, depth: int, numbers: Numbers, most: int) -> list[Act]:
    return [dice.choice(DRAW)(dice, depth, numbers) for _ in range(most)]


def _draw_child(dice: Random, depth: int, numbers: Numbers) -> Act:
    if depth == 0:
        return Work(numbers.next())
    return Child(numbers.next(), draw_script(dice, depth - 1), is_detached=dice.random() < 0.4)


def _draw_together(dice: Random, depth: int, numbers: Numbers) -> Act:
    left, right = (_draw_acts(dice, max(depth - 1, 0), numbers, dice.randint(1, 3)) for _ in range(2))
    return Together(left, right)


DRAW: list[_Draw] = [
    lambda dice, depth, numbers: Work(numbers.next(), dice.choice((0.0, 1.0, 10.0))),
    lambda dice, depth, numbers: Struggle(numbers.next(), failures=dice.randint(1, 3)),
    lambda dice, depth, numbers: FailAtFirst(numbers.next(), failures=dice.randint(0, 2)),
    lambda dice, depth, numbers: Progress(dice.randint(1, 6), failures=dice.randint(0, 2)),
    lambda dice, depth, numbers: Pour(dice.randint(1, 12), failures=dice.randint(0, 2)),
    lambda dice, depth, numbers: Say(dice.randint(1, 4)),
    lambda dice, depth, numbers: Step(numbers.next(), dice.choice((0.0, 3.0))),
    lambda dice, depth, numbers: Sleep(numbers.next(), dice.choice((0.5, 8.0, 60.0, 900.0))),
    lambda dice, depth, numbers: Listen(dice.choice(SIGNALS), dice.randint(1, 3)),
    lambda dice, depth, numbers: Ask(f"promise-{numbers.next()}"),
    lambda dice, depth, numbers: Serve(dice.randint(1, 3)),
    lambda dice, depth, numbers: Inquire(
        f"question-{numbers.next()}", dice.choice((None, ANSWERERS, ANSWERERS[:1]))
    ),
    _draw_child,
    _draw_together,
]
"""All kinds of acts. `depth` is how deep the families of runs and the branches may still become."""
