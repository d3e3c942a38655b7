"""asyncio in workflow code: as its documentation says, durable, and the same after a crash at any commit."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest

from holdfast import Catalog, TaskError, context, task, workflow
from holdfast.testing import Environment, assert_durable

DAY = 86_400

catalog = Catalog()
flavour: ContextVar[str] = ContextVar("flavour", default="plain")


class Spilled(Exception):
    pass


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@task(catalog=catalog)
async def spill(what: str) -> None:
    raise Spilled(what)


@task(catalog=catalog)
async def dawdle(value: int) -> int:
    await asyncio.sleep(random.random() / 500)
    return value


async def later(days: float, value: Any) -> Any:
    await asyncio.sleep(days * DAY)
    return await echo(value)


async def spill_later(days: float, what: str) -> None:
    await asyncio.sleep(days * DAY)
    await spill(what)


async def ends_as(expected: Any, code: Callable[[], Awaitable[Any]]) -> None:
    """Run the code as a workflow, with a crash at every commit in turn."""

    @workflow(catalog=catalog, name=code.__name__)
    async def body() -> Any:
        return await code()

    assert await assert_durable(body, catalog=catalog) == expected


# --- waiting


async def test_sleep_takes_its_time_and_survives() -> None:
    async def sleeper() -> Any:
        began = context().now()
        asyncio_began = asyncio.get_running_loop().time()
        await asyncio.sleep(30 * DAY)
        slept = context().now() - began
        return [
            dt.timedelta(days=30) <= slept < dt.timedelta(days=31),
            abs(asyncio.get_running_loop().time() - asyncio_began - slept.total_seconds()) < 0.001,
            await asyncio.sleep(0, "value"),
        ]

    await ends_as([True, True, "value"], sleeper)


async def test_gather_gives_results_in_order_of_its_arguments() -> None:
    async def gathering() -> Any:
        return await asyncio.gather(later(2, "slow"), echo("task"), later(1, "fast"), asyncio.sleep(1, "nap"))

    await ends_as(["slow", "task", "fast", "nap"], gathering)


async def test_gather_raises_the_first_failure_and_lets_the_others_go_on() -> None:
    async def failing() -> Any:
        slow = asyncio.create_task(later(2, "slow"))
        try:
            await asyncio.gather(slow, spill_later(1, "milk"))
        except Spilled as error:
            return [str(error), await slow]

    await ends_as(["milk", "slow"], failing)


async def test_gather_can_give_exceptions_as_values() -> None:
    async def gathering() -> Any:
        values = await asyncio.gather(spill("tea"), echo(1), spill_later(1, "milk"), return_exceptions=True)
        return [f"{type(v).__name__}: {v}" if isinstance(v, Exception) else v for v in values]

    await ends_as(["Spilled: tea", 1, "Spilled: milk"], gathering)


async def test_wait_returns_at_the_first_completion() -> None:
    async def waiting() -> Any:
        names = {asyncio.create_task(later(days, days), name=str(days)): days for days in (3, 1, 2)}
        done, pending = await asyncio.wait(names, return_when=asyncio.FIRST_COMPLETED)
        for each in pending:
            each.cancel()
        await asyncio.wait(pending)
        return [sorted(names[t] for t in done), sorted(names[t] for t in pending if t.cancelled())]

    await ends_as([[1], [2, 3]], waiting)


async def test_wait_returns_at_the_first_exception() -> None:
    async def waiting() -> Any:
        tasks = [asyncio.create_task(c) for c in (later(1, "a"), spill_later(2, "milk"), later(3, "b"))]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        failures = [str(t.exception()) for t in done if t.exception()]
        rest, _ = await asyncio.wait(pending)
        return [len(done), failures, [t.result() for t in rest]]

    await ends_as([2, ["milk"], ["b"]], waiting)


async def test_wait_for_all_takes_handles_too_and_gives_up_after_its_timeout() -> None:
    async def waiting() -> Any:
        first = [echo(1), echo(2), spill("tea")]
        done, pending = await asyncio.wait(first)
        assert not pending
        failed = [type(h.exception()).__name__ for h in done if h.exception()]
        done, pending = await asyncio.wait([asyncio.create_task(later(9, 9))], timeout=DAY)
        return [sorted(h.result() for h in first[:2]), failed, len(done), await pending.pop()]

    await ends_as([[1, 2], ["Spilled"], 0, 9], waiting)


async def test_as_completed_gives_results_as_they_come() -> None:
    async def completing() -> Any:
        coroutines = [later(days, days) for days in (3, 1, 2)]
        return [await each for each in asyncio.as_completed(coroutines)]

    await ends_as([1, 2, 3], completing)


async def test_as_completed_starts_coroutines_in_the_order_they_were_passed() -> None:
    """asyncio's own starts them in the order of a set: after a crash each would get another's result."""

    async def named(number: int) -> list[int]:
        return [number, await echo(number)]

    async def completing() -> Any:
        return sorted([await each for each in asyncio.as_completed([named(n) for n in range(12)])])

    await ends_as([[n, n] for n in range(12)], completing)


async def test_sets_of_tasks_are_walked_in_the_same_order_after_a_crash() -> None:
    async def ask(number: int) -> int:
        await echo(number)
        return number

    async def waiting() -> Any:
        done, _ = await asyncio.wait([asyncio.create_task(ask(n)) for n in range(12)])
        first = await asyncio.gather(*[echo(each.result()) for each in done])
        handles, _ = await asyncio.wait([echo(n) for n in range(12)])
        second = await asyncio.gather(*[echo(each.result()) for each in handles])
        return [[each.result() for each in done] == first, [each.result() for each in handles] == second]

    await ends_as([True, True], waiting)


async def test_as_completed_raises_timeouts() -> None:
    async def completing() -> Any:
        got: list[Any] = []
        for each in asyncio.as_completed([later(1, "quick"), later(9, "slow")], timeout=2 * DAY):
            try:
                got.append(await each)
            except TimeoutError:
                got.append("timed out")
        return got

    await ends_as(["quick", "timed out"], completing)


async def test_timeout_and_wait_for_cut_off_what_takes_too_long() -> None:
    async def timing() -> Any:
        seen: list[Any] = []
        try:
            async with asyncio.timeout(DAY):
                await later(2, "never")
        except TimeoutError:
            seen.append("timeout")
        try:
            await asyncio.wait_for(later(2, "never"), DAY)
        except TimeoutError:
            seen.append("wait_for")
        seen.append(await asyncio.wait_for(later(1, "in time"), 2 * DAY))
        async with asyncio.timeout(None) as limit:
            limit.reschedule(asyncio.get_running_loop().time() + DAY)
            seen.append(await echo("rescheduled"))
        return seen

    await ends_as(["timeout", "wait_for", "in time", "rescheduled"], timing)


# --- structure


async def test_a_task_group_cancels_the_siblings_of_one_that_fails() -> None:
    async def clean_up_when_cancelled(name: str) -> str:
        try:
            return await later(5, "never")
        except asyncio.CancelledError:
            await echo(f"{name} cleans up")
            raise

    async def grouping() -> Any:
        siblings: list[asyncio.Task[str]] = []
        spilled = ""
        try:
            async with asyncio.TaskGroup() as group:
                siblings += [group.create_task(clean_up_when_cancelled(f"s{n}")) for n in range(6)]
                group.create_task(spill_later(1, "milk"))
        except* Spilled as problems:
            [problem] = problems.exceptions
            assert isinstance(problem, TaskError)
            spilled = str(problem)
        return [spilled, [each.cancelled() for each in siblings]]

    await ends_as(["milk", [True] * 6], grouping)


async def test_a_task_group_gives_all_results() -> None:
    async def grouping() -> Any:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(later(n, n)) for n in (2, 1)]
        return [each.result() for each in tasks]

    await ends_as([2, 1], grouping)


async def test_what_is_shielded_goes_on_when_its_waiter_is_cancelled() -> None:
    async def shielding() -> Any:
        work = asyncio.create_task(later(2, "done"))
        try:
            await asyncio.wait_for(asyncio.shield(work), DAY)
        except TimeoutError:
            return ["timed out", await work]

    await ends_as(["timed out", "done"], shielding)


async def test_context_variables_belong_to_the_task_that_sets_them() -> None:
    async def season(name: str) -> str:
        flavour.set(name)
        await echo(name)
        return flavour.get()

    async def seasoning() -> Any:
        tasks = [asyncio.create_task(season(each)) for each in ("salt", "pepper")]
        return [*await asyncio.gather(*tasks), flavour.get()]

    await ends_as(["salt", "pepper", "plain"], seasoning)


# --- synchronisation


async def test_locks_semaphores_events_and_conditions_work() -> None:
    async def synchronising() -> Any:
        lock, pair, ready = asyncio.Lock(), asyncio.Semaphore(2), asyncio.Event()
        condition = asyncio.Condition()
        log: list[Any] = []
        inside = most = 0

        async def use(name: int) -> None:
            nonlocal inside, most
            async with pair:
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(60)
                inside -= 1
            async with lock:
                log.append(await echo(name))

        async def report() -> None:
            await ready.wait()
            async with condition:
                await condition.wait_for(lambda: len(log) == 5)
            log.append("all")

        reporter = asyncio.create_task(report())
        ready.set()
        await asyncio.gather(*[use(n) for n in range(5)])
        async with condition:
            condition.notify_all()
        await reporter
        return [most, log]

    await ends_as([2, [0, 1, 2, 3, 4, "all"]], synchronising)


async def test_queues_hand_work_to_workers_in_order() -> None:
    async def queueing() -> Any:
        work: asyncio.Queue[int] = asyncio.Queue(maxsize=2)
        done: list[Any] = []

        async def consume() -> None:
            while True:
                number = await work.get()
                done.append(await echo(number * 10))
                work.task_done()

        workers = [asyncio.create_task(consume()) for _ in range(2)]
        for number in range(5):
            await work.put(number)
        await work.join()
        for worker in workers:
            worker.cancel()
        return sorted(done)

    await ends_as([0, 10, 20, 30, 40], queueing)


# --- races


async def test_the_winner_of_a_race_is_the_same_after_a_crash() -> None:
    """The winner is told to a task, so it is recorded; replay must come to the same."""

    async def racing() -> Any:
        racers = [dawdle(n) for n in range(10)]
        done, pending = await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
        winners = [each.result() for each in done]
        told = await echo(winners)
        order = [each.result() async for each in _in_order_of_arrival(pending)]
        told_order = await echo(order)
        await asyncio.sleep(1)
        return [told == winners, told_order == order]

    await ends_as([True, True], racing)


async def _in_order_of_arrival(handles: set[Any]) -> AsyncIterator[Any]:
    while handles:
        done, handles = await asyncio.wait(handles, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            yield each


async def test_a_race_between_a_signal_and_a_timer_is_won_by_what_was_journaled_first(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def race() -> str:
        signal = context().signal("go")
        timer = asyncio.create_task(asyncio.sleep(60))
        done, _ = await asyncio.wait([signal, timer], return_when=asyncio.FIRST_COMPLETED)
        winner = "signal" if signal in done else "timer"
        await context().signal("end")
        return winner

    async with Environment(store_url, catalog=catalog) as env:
        early, late = await env.start(race), await env.start(race)
        await early.signal("go")
        await env.skip(dt.timedelta(minutes=2))
        await late.signal("go")
        await env.wait_until_quiet()
        await env.crash()
        for run in (early, late):
            await run.signal("end")

        assert [await early.result(), await late.result()] == ["signal", "timer"]


# --- what nobody awaits


async def test_a_failure_in_a_helper_that_nobody_awaits_does_not_fail_the_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def break_down() -> None:
        raise Spilled("unnoticed")

    @workflow(catalog=catalog)
    async def careless() -> str:
        helper = asyncio.create_task(break_down())
        await asyncio.sleep(1)
        del helper
        gc.collect()  # newer Pythons keep it in a circle with its traceback
        return "done"

    async with Environment(catalog=catalog) as env:
        assert await env.run(careless) == "done"

    assert "never retrieved" in caplog.text


@pytest.mark.parametrize("wrap", [asyncio.shield, asyncio.gather])
async def test_what_wait_gives_back_is_walked_in_the_same_order_every_time(wrap: Any) -> None:
    @workflow(catalog=catalog)
    async def walking() -> list[Any]:
        done, _ = await asyncio.wait([wrap(echo(number)) for number in range(8)])
        return [future.result() for future in done]

    walked: set[str] = set()
    for _ in range(4):
        async with Environment(catalog=catalog) as env:
            walked.add(str(await env.run(walking)))

    assert len(walked) == 1
