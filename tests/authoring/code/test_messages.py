"""Promises and signals, as workflow code waits for them, after a crash at any commit, on both stores."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from holdfast import Catalog, Run, context, task, workflow
from holdfast.errors import BadAnswer, PromiseSettled, WrongType
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

catalog = Catalog()


class Declined(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"declined with code {code}")
        self.code = code


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


# --- promises


@workflow(catalog=catalog)
async def decide() -> list[Any]:
    ctx = context()
    approval = await ctx.promise("approval", bool, same=True)
    again = await ctx.promise("approval", bool, timeout=dt.timedelta(seconds=1), same=True)
    try:
        await ctx.promise("payment")
    except Declined as error:
        payment = [error.code, str(error)]
    else:
        payment = []
    try:
        await ctx.promise("never", timeout=dt.timedelta(days=3))
    except TimeoutError:
        return [approval, again, payment, "timed out"]
    return []


async def _settle(run: Run) -> None:
    with contextlib.suppress(PromiseSettled):
        await run.resolve("approval", True, ahead=True)
    with contextlib.suppress(PromiseSettled):
        await run.reject("payment", Declined(5), ahead=True)


async def test_promises_resolve_reject_time_out_and_can_be_asked_twice(new_database: NewDatabase) -> None:
    decided = await assert_durable(decide, during=_settle, new_database=new_database, catalog=catalog)

    assert decided == [True, True, [5, "declined with code 5"], "timed out"]


async def test_a_promise_may_be_settled_before_or_after_it_is_asked_for() -> None:
    @workflow(catalog=catalog)
    async def late() -> list[int]:
        await context().signal("go")
        return [await context().promise("early", int), await context().promise("late", int)]

    async with Environment(catalog=catalog) as env:
        run = await env.start(late)
        await run.resolve("early", 1, ahead=True)
        await run.signal("go")
        await env.wait_until_quiet()
        await env.crash()
        await run.resolve("late", 2)

        assert await run.result() == [1, 2]


async def test_one_who_stops_waiting_does_not_take_the_promise_from_another() -> None:
    @workflow(catalog=catalog)
    async def both() -> list[Any]:
        patient = context().promise("value", int)
        hasty = context().promise("value", int, timeout=dt.timedelta(seconds=1))
        [hurried] = await asyncio.gather(hasty, return_exceptions=True)
        await echo("asked")
        return [type(hurried).__name__, await patient]

    async with Environment(catalog=catalog) as env:
        run = await env.start(both)
        await env.skip(dt.timedelta(minutes=1))
        await run.resolve("value", 9)

        assert await run.result() == ["TimeoutError", 9]


@pytest.mark.parametrize(
    ("type", "wrong", "right"),
    [(int, "many", 3), (int | None, 1.5, None), (list[str], ["a", 1], ["a"]), (Decimal, "much", 2)],
)
async def test_a_promise_refuses_a_value_of_another_type(type: Any, wrong: Any, right: Any) -> None:
    @workflow(catalog=catalog)
    async def typed() -> Any:
        return await context().promise("count", type)

    async with Environment(catalog=catalog) as env:
        run = await env.start(typed)
        await env.wait_until_quiet()
        with pytest.raises(BadAnswer, match=f"'count' of run '{run.id}' cannot be answered with this"):
            await run.resolve("count", wrong)
        await run.resolve("count", right)

        assert await run.result() in (right, str(right))


async def test_a_shared_promise_of_the_wrong_type_raises_in_the_workflow() -> None:
    @workflow(catalog=catalog)
    async def typed() -> str:
        try:
            await context().promise("count", int, same=True)
        except WrongType as error:
            return str(error)
        return "no error"

    async with Environment(catalog=catalog) as env:
        run = await env.start(typed)
        await run.resolve("count", "many")

        assert "promise 'count'" in await run.result()


# --- signals


@workflow(catalog=catalog)
async def converse() -> list[Any]:
    ctx = context()
    first = await ctx.signal("word", str)
    await echo(first)
    rest = ctx.drain_signals("word", str)
    try:
        await ctx.signal("word", str, timeout=dt.timedelta(hours=1))
    except TimeoutError:
        rest.append("silence")
    number = await ctx.signal("number", int)
    return [first, rest, number, ctx.has_signal("word"), ctx.has_signal("number")]


async def _talk(run: Run) -> None:
    for word in ("a", "b", "c"):
        await run.signal("word", word)
    await run.signal("number", 1)
    await run.signal("number", 2)


async def test_signals_come_in_order_and_each_once(new_database: NewDatabase) -> None:
    said = await assert_durable(converse, during=_talk, new_database=new_database, catalog=catalog)

    assert said == ["a", ["b", "c", "silence"], 1, False, True]


async def test_a_wait_for_a_signal_that_times_out_loses_no_message(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def impatient() -> list[Any]:
        timed_out = 0
        while True:
            try:
                word = await context().signal("word", str, timeout=dt.timedelta(minutes=1))
            except TimeoutError:
                timed_out += 1
            else:
                return [timed_out, word, await context().signal("word", str)]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(impatient)
        await env.skip(dt.timedelta(minutes=3.5))
        await run.signal("word", "one")
        await run.signal("word", "two")

        assert await run.result() == [3, "one", "two"]


async def test_two_waits_for_one_signal_are_served_in_the_order_they_began() -> None:
    @workflow(catalog=catalog)
    async def pair() -> list[int]:
        return list(await asyncio.gather(context().signal("n", int), context().signal("n", int)))

    async with Environment(catalog=catalog) as env:
        run = await env.start(pair)
        await env.wait_until_quiet()
        await run.signal("n", 1)
        await env.crash()
        await run.signal("n", 2)

        assert await run.result() == [1, 2]


async def test_a_cancelled_wait_for_a_signal_takes_none() -> None:
    @workflow(catalog=catalog)
    async def fickle() -> int:
        waiting = context().signal("n", int)
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.sleep(1)
        return await context().signal("n", int)

    async with Environment(catalog=catalog) as env:
        run = await env.start(fickle)
        await env.skip(dt.timedelta(seconds=1.5))
        await run.signal("n", 1)

        assert await run.result() == 1


async def test_a_signal_that_came_before_the_timeout_wins_although_both_are_heard_at_once() -> None:
    @workflow(catalog=catalog)
    async def impatient() -> Any:
        try:
            async with asyncio.timeout(60):
                return await context().signal("go")
        except TimeoutError:
            return "too late"

    async with Environment(catalog=catalog) as env:
        run = await env.start(impatient)
        await env.wait_until_quiet()
        await env.engine.kill()
        await run.signal("go", "in time")
        env.clock.advance(dt.timedelta(minutes=5))  # nobody is there when the time is up
        await env.crash()

        assert await run.result() == "in time"


async def test_signals_that_came_together_are_there_together() -> None:
    @workflow(catalog=catalog)
    async def collect() -> list[Any]:
        first = await context().signal("word")
        return [first, *context().drain_signals("word")]

    async with Environment(catalog=catalog) as env:
        run = await env.start(collect)
        await env.wait_until_quiet()
        await env.engine.kill()
        for word in ("one", "two", "three"):
            await run.signal("word", word)
        await env.crash()

        assert await run.result() == ["one", "two", "three"]
