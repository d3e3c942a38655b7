"""Attempts: retries, timeouts, silence, slots and priorities, and what is left of them in the store."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.patience import PATIENCE, until

from holdfast import (
    Catalog,
    DoNotRetry,
    Retry,
    Run,
    TaskError,
    TaskLost,
    TaskTimedOut,
    Workflow,
    context,
    task,
    task_context,
    workflow,
)
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.core.records import AttemptRecord
from holdfast.core.values import TaskStatus, moment
from holdfast.testing import Environment, assert_durable

SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)


class Declined(Exception):
    pass


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def call(catalog: Catalog, ask: Callable[[], Any]) -> Workflow[[], Any]:
    """A workflow that awaits one thing."""

    @workflow(catalog=catalog, name="call")
    async def ask_once() -> Any:
        return await ask()

    return ask_once


async def attempts(env: Environment, run: Run) -> list[AttemptRecord]:
    return await env.crash_points.list_attempts(env.namespace, run.key)


async def until_shown(env: Environment, run: Run) -> None:
    """Until its one task is shown as running."""

    async def is_running() -> bool:
        return (await env.list_tasks(run))[0].status is TaskStatus.RUNNING

    await until(is_running)


# --- retries


async def test_a_failed_task_is_tried_again_after_growing_delays_within_their_jitter(
    store_url: str, catalog: Catalog
) -> None:
    began: list[dt.datetime] = []
    retry = Retry(max_attempts=4, first_delay=10 * SECOND, factor=3, max_delay=60 * SECOND, jitter=0.2)

    @task(catalog=catalog, retry=retry)
    async def flaky() -> int:
        began.append(env.clock.time())
        if task_context().attempt < 4:
            raise Declined(f"attempt {task_context().attempt}")
        return task_context().attempt

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, flaky))

        assert await run.result() == 4
        rows = await attempts(env, run)
        [task_row] = await env.list_tasks(run)
    delays = [(after - before).total_seconds() for before, after in itertools.pairwise(began)]
    for delay, expected in zip(delays, (10, 30, 60), strict=True):
        assert expected * 0.8 <= delay <= expected * 1.2
    assert len({round(d / e, 6) for d, e in zip(delays, (10, 30, 60), strict=True)}) > 1  # varied, by chance
    assert [(r.attempt, r.status) for r in rows] == [(1, "failed"), (2, "failed"), (3, "failed")]
    assert [r.failure.message for r in rows if r.failure] == ["attempt 1", "attempt 2", "attempt 3"]
    assert [moment(r.started_at) for r in rows if r.started_at] == began[:3]
    assert (task_row.status, task_row.attempt) == (TaskStatus.SUCCESS, 4)


async def test_retries_survive_a_crash_at_every_commit(
    new_database: Callable[[], str], catalog: Catalog
) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=5))
    async def flaky(number: int) -> int:
        # Attempts that were lost in a crash count too, but not against `max_attempts`.
        if task_context().attempt < 3:
            raise Declined("not yet")
        return number

    @workflow(catalog=catalog)
    async def trying() -> list[int]:
        return list(await asyncio.gather(flaky(1), flaky(2)))

    assert await assert_durable(trying, catalog=catalog, new_database=new_database) == [1, 2]


async def test_a_task_fails_for_good_after_its_last_attempt(catalog: Catalog) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=3))
    async def hopeless() -> None:
        raise Declined(f"attempt {task_context().attempt}")

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, hopeless))

        with pytest.raises(Declined, match="attempt 3"):
            await run.result()
        assert [row.attempt for row in await attempts(env, run)] == [1, 2, 3]


@pytest.mark.parametrize("named", [Declined, "Declined", f"{__name__}:Declined"])
async def test_an_error_that_is_never_retried_is_final_at_once(named: Any, catalog: Catalog) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=5, never_on=(LookupError, named)))
    async def final() -> None:
        if task_context().attempt == 1:
            raise ValueError("once more")
        raise Declined("no")

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, final))

        with pytest.raises(Declined):
            await run.result()
        assert [row.attempt for row in await attempts(env, run)] == [1, 2]


class ProviderDown(ConnectionError):
    pass


async def test_only_the_errors_of_only_on_are_retried_with_their_subclasses(catalog: Catalog) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=5, only_on=(ConnectionError, TimeoutError)))
    async def picky() -> None:
        if task_context().attempt == 1:
            raise ProviderDown("once more")
        raise Declined("no")

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, picky))

        with pytest.raises(Declined):
            await run.result()
        assert [row.attempt for row in await attempts(env, run)] == [1, 2]


class Stolen(DoNotRetry):
    pass


def _raise_from_the_class() -> None:
    raise Declined("no") from DoNotRetry


@pytest.mark.parametrize("last", [DoNotRetry("no"), Stolen("no"), _raise_from_the_class])
async def test_a_task_can_say_that_another_attempt_is_of_no_use(last: Any, catalog: Catalog) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=5))
    async def final() -> None:
        if task_context().attempt == 1:
            try:
                raise DoNotRetry("it was dealt with")
            except DoNotRetry:
                raise Declined("once more")  # noqa: B904  # raised after it, not from it
        if callable(last):
            last()
        raise last

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, final))

        with pytest.raises((Declined, DoNotRetry), match="no"):
            await run.result()
        assert [row.attempt for row in await attempts(env, run)] == [1, 2]


async def test_a_call_can_have_its_own_retries(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def flaky() -> int:
        if task_context().attempt < 2:
            raise Declined("not yet")
        return task_context().attempt

    async with Environment(catalog=catalog) as env:
        assert await env.run(call(catalog, flaky.options(retry=Retry(max_attempts=2)))) == 2


async def test_a_backoff_goes_on_where_it_was_after_a_crash(catalog: Catalog) -> None:
    began: list[dt.datetime] = []

    @task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=HOUR, max_delay=HOUR, jitter=0))
    async def flaky() -> int:
        began.append(env.clock.time())
        if task_context().attempt == 1:
            raise Declined("not yet")
        return task_context().attempt

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, flaky))
        await env.skip(dt.timedelta(minutes=30))
        await env.crash()

        assert await run.result() == 2
    assert began[1] - began[0] == HOUR


# --- too long, too late, too quiet


class Hanging:
    """A task that hangs in its first attempt and returns its number in later ones."""

    def __init__(self, catalog: Catalog, **options: Any) -> None:
        self.began = asyncio.Event()
        self.was_cancelled = False
        self.details: Any = None
        hanging = self

        @task(catalog=catalog, **options)
        async def hang() -> int:
            here = task_context()
            hanging.details = here.heartbeat_details()
            if here.attempt > 1:
                return here.attempt
            here.heartbeat({"done": 3})
            hanging.began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                hanging.was_cancelled = True
                raise
            return 0

        self.task = hang


async def test_a_task_that_runs_too_long_is_ended_and_tried_again(store_url: str, catalog: Catalog) -> None:
    hanging = Hanging(catalog, timeout=30 * SECOND, retry=Retry(max_attempts=2))

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, hanging.task))
        await hanging.began.wait()
        env.clock.advance(29 * SECOND)
        await asyncio.sleep(0.01)
        assert not hanging.was_cancelled
        env.clock.advance(2 * SECOND)

        assert await run.result() == 2
        assert hanging.was_cancelled
        [row] = await attempts(env, run)
        assert row.status == "timed_out"
        assert row.failure is not None
        assert row.failure.message == "task 'hang' ran longer than 30s"


async def test_a_timeout_raises_a_task_error_that_is_a_timeout_error(catalog: Catalog) -> None:
    hanging = Hanging(catalog, timeout=30 * SECOND)

    @workflow(catalog=catalog)
    async def patient() -> list[bool]:
        try:
            await hanging.task()
        except TimeoutError as error:
            return [isinstance(error, TaskError), isinstance(error, TaskTimedOut)]
        return []

    async with Environment(catalog=catalog) as env:
        run = await env.start(patient)
        await hanging.began.wait()
        env.clock.advance(31 * SECOND)

        assert await run.result() == [True, True]


async def test_a_plain_function_that_runs_too_long_is_ended_on_its_thread(catalog: Catalog) -> None:
    began, ended = threading.Event(), threading.Event()

    @task(catalog=catalog, timeout=30 * SECOND)
    def spin() -> None:
        began.set()
        try:
            for _ in range(50_000):
                time.sleep(0.0001)
        finally:
            ended.set()

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, spin))
        await asyncio.to_thread(began.wait, PATIENCE)
        env.clock.advance(31 * SECOND)

        with pytest.raises(TaskTimedOut, match="ran longer than"):
            await run.result()
        assert await asyncio.to_thread(ended.wait, PATIENCE)


async def test_a_plain_function_can_see_that_it_is_cancelled(catalog: Catalog) -> None:
    began, told = threading.Event(), threading.Event()

    @task(catalog=catalog)
    def stubborn() -> str:
        here = task_context()
        began.set()
        for _ in range(50_000):
            try:
                time.sleep(0.0001)
            except asyncio.CancelledError:
                pass  # it polls instead
            if here.cancelled:
                told.set()
                return "ended by itself"
        return "never told"

    @workflow(catalog=catalog)
    async def fickle() -> None:
        handle = stubborn()
        await context().signal("enough")
        handle.cancel()

    async with Environment(catalog=catalog) as env:
        run = await env.start(fickle)
        await asyncio.to_thread(began.wait, PATIENCE)
        await run.signal("enough")
        await run.result()

        assert await asyncio.to_thread(told.wait, PATIENCE)
        await env.wait_until_quiet()
        [row] = await env.list_tasks(run)
        assert row.status is TaskStatus.CANCELLED


async def test_a_task_that_waits_too_long_for_a_slot_times_out_and_never_begins(catalog: Catalog) -> None:
    hanging = Hanging(catalog, queue="narrow")
    begun: list[int] = []

    @task(catalog=catalog, queue="narrow", start_timeout=30 * SECOND)
    async def hurry() -> None:
        begun.append(1)

    @workflow(catalog=catalog)
    async def queueing() -> str:
        handle = hanging.task()
        try:
            await hurry()
        except TaskTimedOut as error:
            handle.cancel()
            return str(error)
        return "no timeout"

    async with Environment(catalog=catalog, queues={"narrow": 1}) as env:
        run = await env.start(queueing)
        await hanging.began.wait()
        env.clock.advance(31 * SECOND)

        assert await run.result() == "task 'hurry' waited longer than 30s for a free slot"
        assert begun == []


async def test_a_task_that_is_silent_for_too_long_is_ended(catalog: Catalog) -> None:
    hanging = Hanging(catalog, heartbeat=10 * SECOND)

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, hanging.task))
        await hanging.began.wait()
        await asyncio.sleep(0.01)
        env.clock.advance(11 * SECOND)

        with pytest.raises(TaskTimedOut, match="was silent for longer than 10s"):
            await run.result()
        assert hanging.was_cancelled


async def test_a_task_that_beats_may_run_for_as_long_as_it_likes(catalog: Catalog) -> None:
    beats, heard = asyncio.Queue[bool](), asyncio.Event()

    @task(catalog=catalog, heartbeat=10 * SECOND)
    async def work() -> str:
        while await beats.get():
            task_context().heartbeat()
            heard.set()
        return "done"

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, work))
        for _ in range(5):
            heard.clear()
            beats.put_nowait(True)
            await heard.wait()
            await asyncio.sleep(0.06)  # a heartbeat reaches the engine at most every 50 ms
            env.clock.advance(6 * SECOND)
        beats.put_nowait(False)

        assert await run.result() == "done"
        assert await attempts(env, run) == []


async def test_what_an_attempt_said_of_itself_is_given_to_the_next(catalog: Catalog) -> None:
    given: list[Any] = []

    @task(catalog=catalog, retry=Retry(max_attempts=3))
    async def resuming() -> None:
        here = task_context()
        given.append(here.heartbeat_details(dict[str, int]))
        if here.attempt == 1:
            here.heartbeat({"done": 7})
        if here.attempt < 3:
            raise Declined("half-way")

    async with Environment(catalog=catalog) as env:
        await env.run(call(catalog, resuming))

    assert given == [None, {"done": 7}, {"done": 7}]


async def test_what_an_attempt_said_of_itself_survives_a_crash(store_url: str, catalog: Catalog) -> None:
    hanging = Hanging(catalog)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, hanging.task))
        await hanging.began.wait()
        await asyncio.sleep(0.01)
        env.clock.advance(SECOND)
        await until_shown(env, run)
        await env.crash()

        assert await run.result() == 2
        assert hanging.details == {"done": 3}
        [row] = await attempts(env, run)
        assert row.status == "lost"


# --- to be seen


async def test_a_long_task_is_shown_as_running(catalog: Catalog) -> None:
    hanging = Hanging(catalog)

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, hanging.task))
        await hanging.began.wait()
        before = (await env.list_tasks(run))[0].status
        env.clock.advance(SECOND)
        await until_shown(env, run)

        assert before is TaskStatus.DISPATCHED
        [row] = await env.list_tasks(run)
        assert row.started_at is not None
        await run.cancel()


# --- tasks that take their node with them


async def test_a_task_that_dies_with_its_node_too_often_is_lost(store_url: str, catalog: Catalog) -> None:
    began = asyncio.Event()

    @task(catalog=catalog)
    async def deadly() -> None:
        began.set()
        await asyncio.Event().wait()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, deadly))
        for _ in range(LOST_ATTEMPTS_ALLOWED + 1):
            while not began.is_set():
                await asyncio.sleep(0.001)
                env.clock.advance(SECOND)
            began.clear()
            await env.crash()

        with pytest.raises(TaskLost, match="was running when its node died, 11 times"):
            await run.result()
        rows = await attempts(env, run)
        assert [row.status for row in rows] == ["lost"] * (LOST_ATTEMPTS_ALLOWED + 1)
        assert not began.is_set()


async def test_a_task_that_waited_for_a_slot_in_a_later_life_is_lost_all_the_same(
    store_url: str, catalog: Catalog
) -> None:
    began = {name: asyncio.Event() for name in ("first", "second", "deadly")}
    gate = asyncio.Event()

    @task(catalog=catalog)
    async def do(name: str) -> None:
        began[name].set()
        await (gate.wait() if name == "second" else asyncio.Event().wait())

    @workflow(catalog=catalog)
    async def all_of_them() -> None:
        await asyncio.gather(do("first"), do("second"), do("deadly"))

    async with Environment(store_url, catalog=catalog, concurrency=1) as env:
        run = await env.start(all_of_them)
        for name, event in began.items():  # each waits for the only slot until it is its turn
            await asyncio.wait_for(event.wait(), PATIENCE)
            if name == "second":
                gate.set()
            else:
                began["first"].clear()
                await env.crash()
        await asyncio.wait_for(began["first"].wait(), PATIENCE)

        lost = [(row.seq, row.status) for row in await attempts(env, run)]
        assert lost == [(0, "lost"), (2, "lost")]


async def test_an_attempt_whose_slot_comes_free_during_a_commit_is_recorded_before_it_starts(
    catalog: Catalog,
) -> None:
    gate, held, again = asyncio.Event(), asyncio.Event(), asyncio.Event()
    begun = 0

    @task(catalog=catalog)
    async def hold() -> None:
        held.set()
        await gate.wait()

    @task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=dt.timedelta(seconds=10)))
    async def deadly() -> None:
        nonlocal begun
        begun += 1
        if begun == 1:
            raise ValueError("once")
        again.set()
        await asyncio.Event().wait()

    @workflow(catalog=catalog)
    async def both() -> None:
        await asyncio.gather(deadly(), hold())

    async with Environment(catalog=catalog, concurrency=1) as env:
        run = await env.start(both)
        await asyncio.wait_for(held.wait(), PATIENCE)
        store: Any = env.crash_points
        commit = store.commit
        [due] = [row.due_at for row in await env.list_tasks(run) if row.due_at is not None]

        async def let_go_meanwhile(given: Any) -> Any:
            if env.clock.now() >= due:
                gate.set()
                for _ in range(5):
                    await asyncio.sleep(0)
            return await commit(given)

        store.commit = let_go_meanwhile
        env.clock.move_to(due)
        await asyncio.wait_for(again.wait(), PATIENCE)

        row = (await env.list_tasks(run))[0]
        assert (row.name, row.status, row.attempt) == ("deadly", TaskStatus.DISPATCHED, 2)


async def test_a_lost_attempt_does_not_count_against_the_retries(catalog: Catalog) -> None:
    began = asyncio.Event()

    @task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=SECOND))
    async def unlucky() -> int:
        here = task_context()
        if here.attempt < 3:
            began.set()
            await asyncio.Event().wait()
        if here.attempt == 3:
            raise Declined("its own fault, once")
        return here.attempt

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, unlucky))
        for _ in range(2):
            await asyncio.wait_for(began.wait(), PATIENCE)
            began.clear()
            await env.crash()

        assert await run.result() == 4
        assert [row.status for row in await attempts(env, run)] == ["lost", "lost", "failed"]
