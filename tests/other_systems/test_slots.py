"""Slots of a queue: never more in use than there are, and all of them free again at the end."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.processes import wait_until
from tests.other_systems.staging import change, passing_time
from tests.patience import SOON, until

from holdfast import (
    Catalog,
    Holdfast,
    Retry,
    RunCancelled,
    RunFailed,
    Task,
    TaskStatus,
    Workflow,
    task,
    task_context,
    workflow,
)
from holdfast.authoring.dag.workflow import DagWorkflow, load_dag
from holdfast.errors import RunEnded
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)


class Gauge:
    """How many hold a slot now, and the most that ever did."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.go = asyncio.Event()

    async def hold(self) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.go.wait()
        finally:
            # As a real cancellation does, it takes a while to let go.
            for _ in range(3):
                await asyncio.sleep(0)
            self.now -= 1


@pytest.fixture
def gauge() -> Gauge:
    return Gauge()


def holding_flow(catalog: Catalog, gauge: Gauge, **options: Any) -> Workflow[[], str]:
    held: Task[[], None] = task(catalog=catalog, name="hold", queue="narrow", **options)(gauge.hold)

    @workflow(catalog=catalog)
    async def flow() -> str:
        await held()
        return "done"

    return flow


def slots(env: Environment) -> list[tuple[int, int, int]]:
    """Free slots, all slots and who waits, of every lane that is in use."""
    queues = env.engine._dispatcher._queues.values()
    return [(queue.free, queue.capacity, len(queue.waiting)) for queue in queues]


@pytest.mark.parametrize("victims", [[0], [3], [0, 3], [0, 1, 2, 3], [3, 4], [5, 0]])
async def test_cancelling_runs_never_lets_more_run_than_the_limit_nor_fewer_afterwards(
    victims: list[int], store_url: str, catalog: Catalog, gauge: Gauge
) -> None:
    """Kestra 13211, 13743: killing a running or a queued one frees a slot twice, unheld, or not at all."""
    flow = holding_flow(catalog, gauge)
    async with Environment(store_url, catalog=catalog, queues={"narrow": 2}) as env:
        runs = await env.start_many(flow, [()] * 6)
        for number in victims:
            await runs[number].cancel()
        await until(lambda: not any(env.engine.has(runs[number].key) for number in victims))
        await until(lambda: gauge.now == 2)
        gauge.go.set()

        for number, run in enumerate(runs):
            if number in victims:
                with pytest.raises(RunCancelled):
                    await run.result()
            else:
                assert await run.result() == "done"
        await env.wait_until_quiet()

        assert gauge.most == 2
        assert slots(env) == [(2, 2, 0)]


async def fail() -> None:
    raise ValueError("no")


async def cancel_itself() -> None:
    raise asyncio.CancelledError


async def exit_at_once() -> None:
    raise SystemExit(1)


async def hang() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("body", [fail, cancel_itself, exit_at_once, hang])
async def test_a_slot_comes_back_however_the_attempt_in_it_ended(
    body: Callable[[], Any], store_url: str, catalog: Catalog
) -> None:
    """Kestra 17759, Hatchet 4494, Airflow 13542: one way to end is forgotten, and its slot is lost."""
    retry = Retry(max_attempts=3)
    ending = task(catalog=catalog, queue="narrow", retry=retry, timeout=HOUR)(body)
    first_two = asyncio.Semaphore(2)

    @task(catalog=catalog, queue="narrow")
    async def well() -> str:
        async with first_two:
            return "done"

    @workflow(catalog=catalog)
    async def badly() -> None:
        await ending()

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await well()

    async with Environment(store_url, catalog=catalog, queues={"narrow": 2}) as env:
        bad = await env.start_many(badly, [()] * 5)
        async with passing_time(env, HOUR / 10):
            ends = await asyncio.gather(*[run.result() for run in bad], return_exceptions=True)
        good = await env.start_many(flow, [()] * 5)

        assert [await run.result() for run in good] == ["done"] * 5
        assert all(isinstance(end, Exception) for end in ends)
        assert slots(env) == [(2, 2, 0)]


async def test_slots_of_a_node_that_died_are_not_missing_on_the_one_that_takes_its_place(
    store_url: str, catalog: Catalog, gauge: Gauge
) -> None:
    """Airflow 13542, Prefect 16746, DBOS 805: the slots of the dead count as taken, and nothing starts."""
    flow = holding_flow(catalog, gauge)
    async with Environment(store_url, catalog=catalog, queues={"narrow": 2}) as env:
        runs = await env.start_many(flow, [()] * 6)
        for _ in range(3):
            await env.crash()
            await until(lambda: gauge.now == 2)
        gauge.go.set()

        assert [await run.result() for run in runs] == ["done"] * 6
        assert gauge.most == 2
        assert slots(env) == [(2, 2, 0)]


async def test_a_node_that_lost_its_runs_has_their_slots_for_others(
    store_url: str, catalog: Catalog, gauge: Gauge
) -> None:
    """Airflow 13542 (a): what was adopted wrongly stays in memory until all slots are used."""
    flow = holding_flow(catalog, gauge)
    async with Environment(store_url, catalog=catalog, queues={"narrow": 2}) as env:
        runs = await env.start_many(flow, [()] * 4)
        assert change(store_url, "UPDATE runs SET owner = 'another', epoch = epoch + 1") == 4

        def has_lost_them() -> bool:  # it learns of it when it next says that it is alive
            env.clock.advance(env._parts.tuning.lease / 2)
            return not any(env.engine.has(run.key) for run in runs)

        await until(has_lost_them)
        gauge.go.set()

        assert await env.run(flow) == "done"
        assert slots(env) == [(2, 2, 0)]


async def test_a_full_queue_does_not_keep_the_tasks_of_another_from_starting(
    store_url: str, catalog: Catalog, gauge: Gauge
) -> None:
    """Airflow 13542 (c): the next N are all of the full pool, and those of free pools never come up."""
    flow = holding_flow(catalog, gauge, priority=10)

    @task(catalog=catalog, queue="wide")
    async def free() -> str:
        return "free"

    @workflow(catalog=catalog)
    async def wide() -> str:
        return await free()

    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        behind = await env.start_many(flow, [()] * 700)  # more than are claimed or started in one commit

        assert await env.run(wide) == "free"
        statuses = {(await env.list_tasks(run))[0].status for run in behind[1:20]}
        assert statuses == {TaskStatus.PENDING}
        gauge.go.set()
        assert [await run.result() for run in behind] == ["done"] * 700


async def test_an_attempt_that_waits_for_a_slot_is_not_taken_for_one_that_runs(
    store_url: str, catalog: Catalog, gauge: Gauge
) -> None:
    """Prefect 18324, Airflow 13542: 'queued' counts as running, and a crash takes its slot along."""
    flow = holding_flow(catalog, gauge)
    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        runs = await env.start_many(flow, [()] * 3)
        await env.crash()
        gauge.go.set()
        await asyncio.gather(*[run.result() for run in runs])

        rows = [await env.crash_points.list_attempts(env.namespace, run.key) for run in runs]
        assert [[row.status for row in attempts] for attempts in rows] == [["lost"], [], []]


async def test_a_slot_is_held_by_what_still_runs_though_nobody_waits_for_it_any_more(
    store_url: str, catalog: Catalog
) -> None:
    """Kestra 13211: KILLING counts as ended, and the next is started beside the one that goes on."""
    running = most = 0
    let_go = asyncio.Event()

    @task(catalog=catalog, queue="narrow")
    async def stubborn() -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            while not let_go.is_set():
                try:
                    await let_go.wait()
                except asyncio.CancelledError:
                    continue  # it does not want to end
        finally:
            running -= 1
        return task_context().attempt

    @workflow(catalog=catalog)
    async def flow() -> int:
        return await stubborn()

    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        first = await env.start(flow)
        second = await env.start(flow)
        await first.cancel()
        with pytest.raises(RunCancelled):
            await first.result()
        await asyncio.sleep(0.05)
        while_stubborn = running
        let_go.set()

        assert await second.result() == 1
        assert while_stubborn == most == 1
        assert slots(env) == [(1, 1, 0)]


async def test_runs_that_wait_for_slots_of_a_full_queue_leave_room_for_those_of_other_workflows(
    store_url: str, catalog: Catalog
) -> None:
    """Airflow 13542 (c): everything the node may hold waits for one slot, and what could run is not taken."""
    go = asyncio.Event()

    @task(catalog=catalog, queue="narrow")
    async def hold() -> str:
        await go.wait()
        return "held"

    @workflow(catalog=catalog)
    async def narrow() -> str:
        return await hold()

    @workflow(catalog=catalog)
    async def also_narrow() -> str:
        return await hold()

    @workflow(catalog=catalog)
    async def free() -> str:
        return "free"

    async with (
        Holdfast(store_url, catalog=catalog, queues={"narrow": 1}, max_resident=20) as hf,
        Holdfast(store_url, engine=False, catalog=catalog) as client,
    ):
        stuck = [*await client.start_many(narrow, [()] * 40), *await hf.start_many(also_narrow, [()] * 40)]
        await asyncio.sleep(0.2)
        results = [await (await who.start(free)).result(timeout=SOON) for who in (hf, client, hf)]
        go.set()
        results += await asyncio.gather(*[run.result(timeout=SOON) for run in stuck])

    assert results == ["free"] * 3 + ["held"] * 80


# --- tasks in processes


class Commands:
    """Commands that write a line when they begin and when they end, however that is."""

    def __init__(self, folder: Path, catalog: Catalog) -> None:
        self._folder = folder
        self._catalog = catalog

    def load(self, name: str, command: str, **fields: Any) -> DagWorkflow:
        lines = [f"    {field}: {value}" for field, value in fields.items()]
        noted = f"echo begin >> log.txt; trap 'echo end >> log.txt' EXIT; trap 'exit 9' TERM; {command}"
        text = "\n".join([f"name: {name}", "tasks:", "  each:", f'    command: "{noted}"', *lines])
        path = self._folder / f"{name}.yaml"
        path.write_text(text)
        return load_dag(path, catalog=self._catalog)

    def most_at_once(self) -> int:
        now = most = 0
        for line in (self._folder / "log.txt").read_text().split():
            now += 1 if line == "begin" else -1
            most = max(most, now)
        return most


@pytest.fixture
def commands(tmp_path: Path, catalog: Catalog) -> Commands:
    return Commands(tmp_path, catalog)


FAILING = "sleep 0.05; test $HOLDFAST_ATTEMPT = 3"
HANGING = "test $HOLDFAST_ATTEMPT = 2 || sleep 60 & wait $!"


@pytest.mark.parametrize(("command", "timeout"), [(FAILING, 60), (HANGING, 1)])
async def test_no_more_items_of_a_fan_out_run_at_once_than_its_concurrency(
    command: str, timeout: float, store_url: str, catalog: Catalog, commands: Commands
) -> None:
    """Airflow 48629, 49696, 50276: the limit of a mapped task holds for none of its items."""
    retries = "{max_attempts: 3, first_delay: 0}"
    dag = commands.load("fan", command, parallel=6, concurrency=2, timeout=timeout, retries=retries)
    async with Holdfast(store_url, catalog=catalog, kill_seconds=1) as hf:
        run = await hf.start(dag)

        assert await run.result(timeout=SOON) == {"each": [None] * 6}

    assert commands.most_at_once() == 2


async def test_a_retry_by_hand_keeps_to_the_concurrency_of_a_fan_out(
    store_url: str, catalog: Catalog, commands: Commands, tmp_path: Path
) -> None:
    """Airflow 1442: what an operator clears begins all at once, whatever the limit."""
    dag = commands.load("fan", "sleep 0.1; test -e mended", parallel=5, concurrency=2)
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result(timeout=SOON)
        (tmp_path / "mended").touch()

        await run.retry()

        assert await run.result(timeout=SOON) == {"each": [None] * 5}
    assert commands.most_at_once() == 2


@pytest.mark.parametrize("ending", ["exit 3", "kill -9 $$", "sleep 600 & wait $!"])
async def test_a_slot_of_a_queue_comes_back_however_the_process_in_it_ended(
    ending: str, store_url: str, catalog: Catalog, commands: Commands
) -> None:
    """Prefect 7752, 8566, 17415: a task that timed out, was cancelled or killed keeps its slot.
    Airflow 1057, 15399, 15793: more slots in use than there are, and then fewer than none."""
    bad = commands.load("bad", ending, queue="narrow", timeout=0.3)
    good = commands.load("good", "true", queue="narrow")
    async with Holdfast(store_url, catalog=catalog, kill_seconds=1, queues={"narrow": 2}) as hf:
        failing = await hf.start_many(bad, [()] * 6)
        began = time.monotonic()
        with contextlib.suppress(RunEnded):
            await failing[-1].cancel()
        ends = await asyncio.gather(*[run.result(timeout=SOON) for run in failing], return_exceptions=True)
        took = time.monotonic() - began
        working = await hf.start_many(good, [()] * 4)

        assert [await run.result(timeout=SOON) for run in working] == [{"each": None}] * 4
        assert all(isinstance(end, RunFailed | RunCancelled) for end in ends)
    # Less than a poll: each time limit is noticed at once, also that of a task that got another's slot.
    assert took < 20
    # One that kills itself cannot say that it has ended.
    assert commands.most_at_once() <= 2 or "kill" in ending


async def test_slots_of_processes_that_a_stopping_node_ended_are_free_on_the_next(
    store_url: str, catalog: Catalog, commands: Commands, tmp_path: Path
) -> None:
    """Prefect 23016: a worker that is asked to stop leaves its runs 'running', and their slots taken."""
    dag = commands.load("slow", "test -e go || sleep 60 & wait $!", queue="narrow")
    settings: dict[str, Any] = {"kill_seconds": 1, "drain_seconds": 0, "queues": {"narrow": 2}}
    async with Holdfast(store_url, catalog=catalog, **settings) as first:
        ids = [run.id for run in await first.start_many(dag, [()] * 5)]
        await asyncio.to_thread(wait_until, (tmp_path / "log.txt").exists, "a task that begins")
    (tmp_path / "go").touch()
    async with Holdfast(store_url, catalog=catalog, **settings) as second:
        runs = [await second.get(id) for id in ids]

        assert [await run.result(timeout=SOON) for run in runs] == [{"each": None}] * 5
    assert commands.most_at_once() <= 2
