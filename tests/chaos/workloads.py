"""The workflows of chaos runs. Tasks write down when they begin.

How a run must end follows from its input. Nodes and clients share this module, so a client knows what to
expect of the runs that it starts.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import time
from pathlib import Path
from typing import Any

from tests.chaos.notebook import Began, Notebook

from holdfast import Catalog, Retry, context, task, task_context, workflow
from holdfast.authoring.dag.workflow import DagWorkflow, load_dag

catalog = Catalog()

CLOSE = "close"
"""The last message to a mailbox."""
ENDLESS_SECONDS = 300.0
"""Longer than a round lasts, so such a run ends only if it is cancelled."""

_notebook: Notebook | None = None


def keep_notebook(folder: Path) -> None:
    """Write the executions of this process to a notebook in this folder."""
    global _notebook  # noqa: PLW0603  # tasks are functions of a module: there is no object to hold it
    _notebook = Notebook(folder / f"tasks-{os.getpid()}.jsonl")


def _note(label: str, after: list[str]) -> None:
    if _notebook is not None:
        me = task_context()
        _notebook.write(
            Began(
                process=os.getpid(),
                run=me.run_id,
                task=me.task_id,
                label=label,
                after=after,
                attempt=me.attempt,
            )
        )


# --- tasks


@task(catalog=catalog)
async def step(who: str, label: str, after: list[str], seconds: float) -> str:
    _note(label, after)
    await asyncio.sleep(seconds)
    return f"{who}:{label}"


@task(catalog=catalog)
def step_on_a_thread(who: str, label: str, after: list[str], seconds: float) -> str:
    _note(label, after)
    time.sleep(seconds)
    return f"{who}:{label}"


@task(
    catalog=catalog,
    retry=Retry(max_attempts=4, first_delay=dt.timedelta(milliseconds=40)),
    heartbeat=dt.timedelta(seconds=20),
)
async def flaky(who: str, label: str, failures: int) -> str:
    _note(label, [])
    task_context().heartbeat(task_context().attempt)
    if task_context().attempt <= failures:
        raise ConnectionError(f"attempt {task_context().attempt} of {label}")
    return f"{who}:{label}"


@task(catalog=catalog)
async def shaky(who: str, label: str, after: list[str], flag: str) -> str:
    """Fails until the file `flag` exists."""
    _note(label, after)
    if not Path(flag).exists():
        raise ValueError("not mended yet")
    return f"{who}:{label}"


# --- workflows


@workflow(catalog=catalog)
async def sequence(who: str, steps: int, seconds: float) -> list[str]:
    done: list[str] = []
    for number in range(steps):
        do = step_on_a_thread if number % 3 == 2 else step
        pause = context().random.uniform(0, seconds)
        done.append(await do(who, str(number), [str(number - 1)] if number else [], pause))
    return done


@workflow(catalog=catalog)
async def fan_out(who: str, width: int, seconds: float) -> list[str]:
    labels = [str(number) for number in range(width)]
    pauses = [context().random.uniform(0, seconds) for _ in labels]
    done = await asyncio.gather(
        *[step(who, label, [], pause) for label, pause in zip(labels, pauses, strict=True)]
    )
    return [*done, await step(who, "join", labels, 0)]


@workflow(catalog=catalog)
async def family(who: str, depth: int, width: int) -> list[Any]:
    first = await step(who, "first", [], 0)
    if depth:
        children = [family(who, depth - 1, width) for _ in range(width)]
        return [first, *await asyncio.gather(*children)]
    return [first, await sequence(who, 2, 0.02)]


@workflow(catalog=catalog)
async def naps(who: str, seconds: list[float]) -> list[str]:
    done = [await step(who, "0", [], 0)]
    for number, pause in enumerate(seconds, 1):
        await asyncio.sleep(pause)
        done.append(await step(who, str(number), [str(number - 1)], 0))
    return done


@workflow(catalog=catalog)
async def fragile(who: str, failures: int) -> list[str]:
    return [
        await flaky(who, "a", failures),
        *await asyncio.gather(flaky(who, "b", failures), flaky(who, "c", 1)),
    ]


@workflow(catalog=catalog)
async def mailbox(who: str) -> list[Any]:
    letters: list[Any] = []
    while (letter := await context().signal("mail", Any)) != CLOSE:
        letters.append(letter)
        if len(letters) % 4 == 0:
            await step(who, str(len(letters)), [], 0.01)
    return letters


@workflow(catalog=catalog)
async def ballot(who: str) -> Any:
    """Votes come before the run waits for them, while it counts, and after it has ended."""
    first = await step(who, "open", [], 0.01)
    await asyncio.sleep(context().random.uniform(0, 1.5))
    winner = await context().promise("winner", Any, same=True)
    await step(who, "count", ["open"], context().random.uniform(0, 0.8))
    return [first, winner, await context().promise("winner", Any, same=True)]


@workflow(catalog=catalog)
async def deadline(who: str, seconds: float) -> Any:
    """A race between a timer and a client. The winner never changes."""
    await step(who, "open", [], 0)
    try:
        return await context().promise("answer", Any, timeout=dt.timedelta(seconds=seconds), same=True)
    except TimeoutError:
        return await step(who, "late", ["open"], 0)


@workflow(catalog=catalog)
async def endless(who: str, children: int) -> None:
    try:
        await step(who, "first", [], 0)
        started = [endless(who, children - 1)] if children else []
        number = 0
        until = context().now() + dt.timedelta(seconds=ENDLESS_SECONDS)
        while context().now() < until:
            await asyncio.sleep(context().random.uniform(0, 0.5))
            await step(who, str(number), ["first"], context().random.uniform(0, 0.3))
            number += 1
        await asyncio.gather(*started)
    except asyncio.CancelledError:
        await step(who, "cleanup", ["first"], 0)
        raise


@workflow(catalog=catalog)
async def mended(who: str, flag: str) -> list[str]:
    first = await step(who, "before", [], 0.01)
    both = await asyncio.gather(shaky(who, "shaky", ["before"], flag), step(who, "beside", ["before"], 0.05))
    return [first, *both, await step(who, "after", ["before", "shaky", "beside"], 0)]


@workflow(catalog=catalog)
async def mended_family(who: str, flag: str) -> list[Any]:
    first = await step(who, "before", [], 0.01)
    children = await asyncio.gather(mended(who, flag), sequence(who, 2, 0.02))
    return [first, *children, await step(who, "after", ["before"], 0)]


# --- DAGs


def _load(name: str) -> DagWorkflow:
    return load_dag(Path(__file__).parent / "project" / f"{name}.yaml", catalog=catalog)


errand = _load("errand")
mended_dag = _load("mended_dag")
mishap = _load("mishap")
idle = _load("idle")
ticked = _load("ticked")

SCHEDULE = "ticker"
EVERY = dt.timedelta(seconds=2)

WAITS = ("ask", "helper", "nap", "nothing")
"""Tasks of DAGs that run in no process, so no line says that they begin."""
