"""A real engine cannot tell the model from SQLite, and leaves the same behind, to the last byte.

It shows that the model is whole: all that an engine and a client ask of a store is there.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections import Counter
from typing import Any, TypeAlias, cast

import pytest
from tests.differential.model import ModelStore

from holdfast import Catalog, Retry, Run, RunStatus, context, task, task_context, workflow
from holdfast.core.records import AttemptRecord, History, TaskSummary
from holdfast.core.values import Payload, RunKey, key_text
from holdfast.errors import NotOpen
from holdfast.ports.runs import RunFilter
from holdfast.ports.store import Store
from holdfast.testing import Environment
from holdfast.testing.crash_points import CrashPoints

HOUR = dt.timedelta(hours=1)

catalog = Catalog()


class Declined(Exception):
    pass


@task(catalog=catalog)
async def double(number: int) -> int:
    logging.getLogger("shop").warning("doubling %d", number)
    return number * 2


@task(catalog=catalog, retry=Retry(max_attempts=2))
async def charge(amount: int) -> int:
    if task_context().attempt <= 2:
        raise Declined(f"not {amount}")
    return amount


@workflow(catalog=catalog)
async def doubled(number: int) -> int:
    await asyncio.sleep(60)
    return await double(number)


@workflow(catalog=catalog)
async def patient() -> str:
    """Waits for what comes from outside; when it is cancelled, it cleans up."""
    try:
        order = await context().signal("order", int)
        context().state.set("order", order)
        return f"{order}: {await context().promise('approval')}"
    except asyncio.CancelledError:
        context().state.set("cleaned", await double(1))
        raise


@workflow(catalog=catalog)
async def family(numbers: list[int]) -> list[int]:
    patient.options(id="left-behind")()
    return [sum(await asyncio.gather(*(doubled(number) for number in numbers))), await double(len(numbers))]


@workflow(catalog=catalog)
async def paid() -> int:
    return await charge(await double(21))


async def _live(env: Environment, *, crash: bool = False) -> list[Any]:
    """A day with a bit of everything. Time goes on by the hour, and nobody waits for a result: that way
    nothing depends on how fast anything is."""
    await env.schedules.put("report", doubled, cron="30 * * * *", input={"number": 4}, overlap="queue")
    await _start(env, family, "family", [1, 2, 3])
    waiting, cancelled = await _start(env, patient, "waiting"), await _start(env, patient, "cancelled")
    await env.skip(HOUR)  # long enough for both to leave memory
    await waiting.signal("order", 7)
    if crash:
        await env.crash()
    await cancelled.cancel("enough")
    await env.skip(HOUR)
    await waiting.resolve("approval", "yes")
    failing = await _start(env, paid, "failing")
    await env.skip(HOUR)
    seen: list[Any] = [await failing.status()]
    if seen == [RunStatus.FAILED]:
        await failing.retry()
    await _start(env, patient, "waiting")  # which there is already
    await env.skip(HOUR)
    await env.schedules.pause("report")
    runs = [await env.describe(id) for id in ("family", "waiting", "cancelled", "failing")]
    ends: list[Any] = [(run.status, run.output) for run in runs]
    return [*seen, *ends, await env.doctor(), env.repeated, await env.schedules.list()]


async def _start(env: Environment, workflow: Any, id: str, *args: Any) -> Run[Any]:
    try:
        return await env.start(workflow, *args, id=id)
    except NotOpen:  # the node has crashed in the middle of it; another one is under way
        await env.skip(HOUR)
        return await env.start(workflow, *args, id=id)


Rest: TypeAlias = tuple[History, list[AttemptRecord], dict[str, Payload], list[TaskSummary], list[str]]


async def _left_behind(env: Environment) -> list[Rest]:
    store = cast("Store", env.crash_points)
    runs = await store.list_runs(env.namespace, RunFilter())
    return [
        (
            history,
            await store.list_attempts(env.namespace, history.run.key),
            await store.read_state(env.namespace, history.run.key),
            await store.list_task_summaries(env.namespace, history.run.key, 0, 1000),
            await _said(env, history.run.key),
        )
        for history in await store.load_histories(env.namespace, [run.key for run in runs])
    ]


async def _said(env: Environment, run: RunKey) -> list[str]:
    """Without the instants, which are those of the machine."""
    return [f"{line.stream}: {line.text}" for line in await env.logs(key_text(run))]


def _on_model(**options: Any) -> Environment:
    env = Environment(catalog=catalog, **options)
    env.crash_points = CrashPoints(
        ModelStore(env.clock.now), at=options.get("crash_at"), after=options.get("crash_after", False)
    )
    return env


async def test_a_day_on_the_model_ends_as_it_should() -> None:
    async with _on_model() as env:
        seen, runs = await _live(env), await _left_behind(env)

    success = RunStatus.SUCCESS
    assert seen[:3] == [RunStatus.FAILED, (success, [12, 6]), (success, "7: yes")]
    assert seen[3:7] == [(RunStatus.CANCELLED, None), (success, 42), [], []]
    assert len(runs) == 12
    (report,) = seen[7]
    assert (report.is_paused, report.is_active, report.queued, report.skipped) == (True, False, [], 0)
    said = Counter(text for *_, lines in runs for text in lines)
    numbers = {1: 3, 2: 1, 3: 2, 4: 4, 21: 1}
    assert said == {f"WARNING: doubling {number}": count for number, count in numbers.items()}


@pytest.mark.parametrize("crash", [False, True])
async def test_an_engine_does_the_same_on_the_model_as_on_sqlite(crash: bool) -> None:
    async with Environment(catalog=catalog) as env:
        expected = await _live(env, crash=crash), await _left_behind(env)
    async with _on_model() as env:
        found = await _live(env, crash=crash), await _left_behind(env)

    assert found == expected


@pytest.mark.parametrize("crash_after", [False, True])
@pytest.mark.parametrize("crash_at", range(1, 25, 2))
async def test_a_crash_at_a_commit_leaves_the_same_on_the_model_as_on_sqlite(
    crash_at: int, crash_after: bool
) -> None:
    options: dict[str, Any] = {"crash_at": crash_at, "crash_after": crash_after}

    async with Environment(catalog=catalog, **options) as env:
        expected = await _live(env), await _left_behind(env), env.crashes
    async with _on_model(**options) as env:
        found = await _live(env), await _left_behind(env), env.crashes

    assert found == expected
    assert env.crashes == 1
