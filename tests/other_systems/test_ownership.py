"""Who has a run: two that want it, one that is leaving, one that was thought dead, one with a known name."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import socket
from collections import Counter
from typing import Any

import pytest
from tests.chaos.evidence import query
from tests.other_systems.staging import change, watch_commits
from tests.patience import PATIENCE, SOON, until

from holdfast import Catalog, Holdfast, Retry, Workflow, context, task, task_context, workflow
from holdfast.core.values import Instant
from holdfast.ports.commits import ClaimRequest, Commit
from holdfast.stores import store_for
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)


def counting_flow(catalog: Catalog, seconds: float = 0.0) -> tuple[Workflow[[], str], Counter[str]]:
    """A workflow of one task, and how often the task of each run was begun."""
    begun: Counter[str] = Counter()

    @task(catalog=catalog)
    async def work() -> str:
        begun[task_context().task_id] += 1
        await asyncio.sleep(seconds)
        return "done"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await work()

    return flow, begun


async def test_of_two_nodes_that_saw_the_same_work_one_gets_it_and_the_other_does_nothing(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 742: a claim from a stale list changes no row, and the work is executed all the same."""
    flow, _ = counting_flow(catalog)
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        await hf.start_many(flow, [()] * 200)
    stores = [store_for(store_url) for _ in range(4)]
    for store in stores:
        await store.open()
    now = await stores[0].now()
    saw = [await store.next_work("default", f"node-{n}", ["flow"]) for n, store in enumerate(stores)]  # type: ignore[arg-type]

    async def claim(number: int) -> list[bytes]:
        commit = Commit("default", f"node-{number}", 1, now, Instant(now + 60_000_000))  # type: ignore[arg-type]
        commit.claim = ClaimRequest(["flow"], 200)
        receipt = await stores[number].commit(commit)
        return [claimed.run.key for claimed in receipt.claimed]

    claimed = await asyncio.gather(*[claim(number) for number in range(4)])
    for store in stores:
        await store.close()

    assert all(peek.wake_at is not None for peek in saw)
    assert Counter(key for keys in claimed for key in keys).most_common(1)[0][1] == 1
    assert sum(map(len, claimed)) == 200


async def test_several_nodes_on_one_backlog_do_each_task_once(store_url: str, catalog: Catalog) -> None:
    """DBOS 742, Prefect 8880: two workers poll at the same time and both submit the same run."""
    flow, begun = counting_flow(catalog)
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        runs = await hf.start_many(flow, [()] * 300)
        nodes = [Holdfast(store_url, catalog=catalog) for _ in range(3)]
        for node in nodes:
            await node.open()

        results = [await run.result(timeout=SOON) for run in runs]
        for node in nodes:
            await node.close()

    assert results == ["done"] * 300
    assert set(begun.values()) == {1}
    assert len(begun) == 300


async def test_what_a_node_decided_for_a_run_that_it_had_lost_is_told_to_nobody(
    store_url: str, catalog: Catalog
) -> None:
    go, begun = asyncio.Event(), asyncio.Event()

    @task(catalog=catalog)
    async def work() -> str:
        begun.set()
        await go.wait()
        return "stale"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await work()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        result = asyncio.ensure_future(run.result())
        await asyncio.wait_for(begun.wait(), PATIENCE)
        assert change(store_url, "UPDATE runs SET owner = 'another', epoch = epoch + 1") == 1
        go.set()
        await until(lambda: not env.engine.has(run.key))  # its commit was refused

        await asyncio.sleep(0.05)
        assert not result.done()
        result.cancel()


async def test_a_process_that_comes_back_under_the_name_of_a_dead_one_is_another_node(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DBOS 804, Procrastinate 1518: host and process id return after a restart, the dead seem alive."""
    monkeypatch.setattr(socket, "gethostname", lambda: "pod-0")
    monkeypatch.setattr(os, "getpid", lambda: 1)
    flow, begun = counting_flow(catalog, seconds=0.5)
    first = Holdfast(store_url, catalog=catalog, lease_seconds=0.5)
    await first.open()
    await first.start(flow, id="left-behind")
    await until(lambda: begun)
    assert first._engine is not None
    await first._engine.kill()
    await first.close()

    async with Holdfast(store_url, catalog=catalog, lease_seconds=0.5) as second:
        assert second._engine is not None
        assert await (await second.get("left-behind")).result(timeout=SOON) == "done"
        assert second._engine.node != first._engine.node
    assert list(begun.values()) == [2]


async def test_a_node_that_is_leaving_claims_nothing_that_others_gave_back(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 804: while it drains, the old process takes again what the new one has just freed, and exits."""
    flow, _ = counting_flow(catalog)
    go = asyncio.Event()

    @task(catalog=catalog)
    async def hold() -> None:
        await go.wait()

    @workflow(catalog=catalog)
    async def holding() -> str:
        await hold()
        return "held"

    async with Holdfast(store_url, engine=False, catalog=catalog) as client:
        leaving = Holdfast(store_url, catalog=catalog, drain_seconds=20)
        await leaving.open()
        held = await leaving.start(holding)
        closing = asyncio.create_task(leaving.close())
        await asyncio.sleep(0.05)
        runs = await client.start_many(flow, [()] * 5)
        await asyncio.sleep(0.3)
        taken_by_nobody = query(store_url, "SELECT count(*) FROM runs WHERE owner IS NULL")
        async with Holdfast(store_url, catalog=catalog):
            results = [await run.result(timeout=SOON) for run in runs]
            go.set()
            await closing

            assert taken_by_nobody == [(5,)]
            assert results == ["done"] * 5
            assert await client.result(held.id) == "held"
            assert await client.doctor() == []


async def test_what_a_leaving_node_hands_back_in_the_middle_goes_on_elsewhere_at_once(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 804, Kestra 17124: a run handed back at shutdown stays with a process that is gone."""
    flow, begun = counting_flow(catalog, seconds=0.5)
    lease = 10 * PATIENCE
    async with Holdfast(store_url, catalog=catalog, lease_seconds=lease) as staying:
        leaving = Holdfast(store_url, catalog=catalog, drain_seconds=0, lease_seconds=lease)
        await leaving.open()
        run = await leaving.start(flow, id="moving")
        await until(lambda: begun)

        await leaving.close()

        assert await (await staying.get("moving")).result(timeout=SOON) == "done"
        assert await staying.doctor() == []
    assert list(begun.values()) == [2]
    assert run.id == "moving"


async def test_a_task_that_takes_many_leases_is_done_once_while_its_node_lives(
    store_url: str, catalog: Catalog
) -> None:
    """kombu 337, Celery 5935: longer than the visibility timeout, and it is given to a second worker."""
    flow, begun = counting_flow(catalog, seconds=6)
    settings: dict[str, Any] = {"catalog": catalog, "lease_seconds": 2}
    async with Holdfast(store_url, **settings) as first, Holdfast(store_url, **settings):
        assert await (await first.start(flow)).result(timeout=SOON) == "done"

    assert list(begun.values()) == [1]


async def test_what_is_due_later_than_the_lease_is_done_once_when_it_is_due(
    store_url: str, catalog: Catalog
) -> None:
    """kombu 337: held in memory until its ETA, it is older than the timeout and is run by two."""
    begun: list[dt.datetime] = []

    @task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=HOUR, max_delay=HOUR, jitter=0))
    async def later() -> str:
        begun.append(env.clock.time())
        if task_context().attempt == 1:
            raise ValueError("not yet")
        return "done"

    @workflow(catalog=catalog)
    async def flow() -> str:
        await asyncio.sleep(HOUR.total_seconds())
        return await later()

    async with Environment(store_url, catalog=catalog) as env:
        start = env.clock.time()
        run = await env.start(flow)
        seen = watch_commits(env)

        assert await run.result() == "done"
        assert [at - start for at in begun] == [HOUR, 2 * HOUR]
        # It was nobody's while it waited: there was no holder to be mistaken for a dead one.
        assert sum(bool(commit.released) for commit, _ in seen) == 2


async def test_a_clock_that_jumps_an_hour_gives_one_tick_and_not_all_that_were_missed(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 803: after a suspension every tick of the past is made up for, one by one and all at once."""
    ticks: list[dt.datetime] = []

    @task(catalog=catalog)
    async def tick() -> None:
        ticks.append(env.clock.time())

    @workflow(catalog=catalog)
    async def every_ten_seconds() -> None:
        while not context().has_signal("stop"):
            await tick()
            await asyncio.sleep(10)

    async with Environment(store_url, catalog=catalog) as env:
        await env.start(every_ten_seconds, id="ticker")
        await env.skip(dt.timedelta(seconds=25))
        before = len(ticks)
        env.clock.advance(HOUR)
        await env.wait_until_quiet()

        assert before == 3
        assert len(ticks) == 4
        await env.skip(dt.timedelta(seconds=25))
        assert len(ticks) == 6
