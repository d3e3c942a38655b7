"""A bit of everything that users do, in fixed shares, so that every part of the engine is kept busy."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from holdfast import Catalog, Holdfast, Retry, context, task, task_context, workflow

catalog = Catalog()


@task(catalog=catalog)
async def step(number: int) -> int:
    return number + 1


@task(catalog=catalog)
def step_on_a_thread(number: int) -> int:
    return number + 1


@task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=dt.timedelta(milliseconds=50)))
async def flaky() -> int:
    """Fails at first, as networks do."""
    if task_context().attempt == 1:
        raise ConnectionError("try again")
    return task_context().attempt


@task(catalog=catalog)
async def hopeless() -> None:
    raise ValueError("as always")


@workflow(catalog=catalog)
async def sequence(length: int) -> int:
    number = 0
    for _ in range(length):
        number = await step(number)
    return number


@workflow(catalog=catalog)
async def fan_out(width: int) -> int:
    return sum(await asyncio.gather(*[step(number) for number in range(width)]))


@workflow(catalog=catalog)
async def nap(seconds: float) -> int:
    await asyncio.sleep(seconds)
    return await step_on_a_thread(0)


@workflow(catalog=catalog)
async def listen() -> Any:
    context().state.set("waits", True)
    return await context().signal("go", timeout=dt.timedelta(minutes=5))


@workflow(catalog=catalog)
async def family(children: int) -> int:
    return sum(await asyncio.gather(*[sequence(1) for _ in range(children)]))


@workflow(catalog=catalog)
async def stumble() -> int:
    tries = await flaky()
    try:
        await hopeless()
    except ValueError:
        return tries
    raise AssertionError("a hopeless task has succeeded")


class Kind(NamedTuple):
    share: int
    runs: int
    """How many runs it makes, children included."""
    play: Callable[[Holdfast], Awaitable[None]]


async def _expect(hf: Holdfast, workflow: Any, argument: Any, expected: Any) -> None:
    result = await hf.run(workflow, *argument)
    assert result == expected, f"{workflow!r} gave {result!r}, not {expected!r}"


async def _listen(hf: Holdfast) -> None:
    run = await hf.start(listen)
    await run.signal("go", 7)
    assert await run.result() == 7


KINDS: Final = {
    "sequence": Kind(5, 1, lambda hf: _expect(hf, sequence, (5,), 5)),
    "fan-out": Kind(1, 1, lambda hf: _expect(hf, fan_out, (20,), 210)),
    "nap": Kind(1, 1, lambda hf: _expect(hf, nap, (0.2,), 1)),
    "signal": Kind(1, 1, _listen),
    "family": Kind(1, 4, lambda hf: _expect(hf, family, (3,), 3)),
    "stumble": Kind(1, 1, lambda hf: _expect(hf, stumble, (), 2)),
}
TIMED: Final = "sequence"
"""Whose latency is measured: it waits for nothing but the engine."""

_ORDER: Final = [name for name, kind in KINDS.items() for _ in range(kind.share)]


class Load:
    """Plays kinds in turn, at full speed or at a rate, and counts what ended and how long it took."""

    def __init__(self, hf: Holdfast) -> None:
        self._hf = hf
        self._turn = 0
        self._open: set[asyncio.Task[None]] = set()
        self.runs = 0
        """That have ended, children included."""
        self.late = 0
        """Starts that were left out, because as many as are allowed were under way."""
        self.latencies: list[float] = []
        """Since they were last taken."""

    async def at_full_speed(self, seconds: float, together: int) -> float:
        """Runs ended in a second, with so many under way all the time."""
        began, before = time.monotonic(), self.runs
        end = began + seconds
        await asyncio.gather(*[self._play_until(end) for _ in range(together)])
        return (self.runs - before) / (time.monotonic() - began)

    async def at_rate(self, runs_per_second: float, seconds: float, together: int) -> None:
        began, started = time.monotonic(), 0
        per_turn = sum(kind.runs * kind.share for kind in KINDS.values()) / len(_ORDER)
        while (passed := time.monotonic() - began) < seconds:
            due = int(passed * runs_per_second / per_turn) - started
            for _ in range(due):
                started += 1
                if len(self._open) < together:
                    self._begin()
                else:
                    self.late += 1
            await asyncio.sleep(0.02)
        await self.drain()

    async def drain(self) -> None:
        while self._open:
            await asyncio.wait(self._open)

    def take_latencies(self) -> list[float]:
        taken, self.latencies = self.latencies, []
        return taken

    def _begin(self) -> None:
        playing = asyncio.create_task(self._play())
        self._open.add(playing)
        playing.add_done_callback(self._ended)

    def _ended(self, playing: asyncio.Task[None]) -> None:
        self._open.discard(playing)
        playing.result()  # a wrong result must not be kept quiet

    async def _play_until(self, end: float) -> None:
        while time.monotonic() < end:
            await self._play()

    async def _play(self) -> None:
        name = _ORDER[self._turn % len(_ORDER)]
        self._turn += 1
        began = time.monotonic()
        await KINDS[name].play(self._hf)
        if name == TIMED:
            self.latencies.append(time.monotonic() - began)
        self.runs += KINDS[name].runs
