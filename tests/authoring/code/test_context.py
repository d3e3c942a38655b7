"""Everything the context offers gives the same answer after a crash at any commit, on both stores."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
import logging
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Catalog, Context, Run, TaskError, context, task, workflow
from holdfast.errors import BadOption, OutsideContext, WrongType
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

catalog = Catalog()
calls = itertools.count(1)


class Declined(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"declined with code {code}")
        self.code = code


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@task(catalog=catalog)
def double(number: int, *, plus: int = 0) -> int:
    return number * 2 + plus


@workflow(catalog=catalog)
async def doubled(number: int) -> int:
    return await double(number)


# --- who am I


@workflow(catalog=catalog, version=7)
async def introduce(ctx: Context, name: str, *, age: int = 3) -> list[Any]:
    said = [ctx.run_id, ctx.namespace, ctx.workflow, ctx.version, ctx.input]
    await echo(1)
    assert said == [ctx.run_id, ctx.namespace, ctx.workflow, ctx.version, ctx.input]
    assert context().run_id == ctx.run_id
    return said


async def test_a_run_knows_its_name_its_version_and_its_input(new_database: NewDatabase) -> None:
    said = await assert_durable(introduce, "Ada", new_database=new_database, catalog=catalog)

    assert said == ["durable", "default", "introduce", "7", {"name": "Ada", "age": 3}]


def test_there_is_no_context_outside_a_workflow() -> None:
    with pytest.raises(OutsideContext, match="only inside a workflow"):
        context()


# --- time and chance


@workflow(catalog=catalog)
async def roll() -> list[Any]:
    """What is handed to a task is recorded; after a crash, the code must come up with the same again."""
    ctx = context()
    first = [ctx.now(), ctx.random.random(), str(ctx.uuid4())]
    told_first = await echo(first)
    await asyncio.sleep(3600)
    second = [ctx.now(), ctx.random.randint(1, 10**9), str(ctx.uuid4())]
    told_second = await echo(second)
    slept = second[0] - first[0]
    assert isinstance(slept, dt.timedelta)
    return [
        [first[0].isoformat(), *first[1:]] == [_as_iso(told_first[0]), *told_first[1:]],
        [second[0].isoformat(), *second[1:]] == [_as_iso(told_second[0]), *told_second[1:]],
        slept >= dt.timedelta(hours=1),
        first[2] != second[2] and uuid.UUID(first[2]).version == 4,
    ]


def _as_iso(stored: str) -> str:
    return dt.datetime.fromisoformat(stored).isoformat()


async def test_time_dice_and_uuids_are_the_same_after_a_crash(new_database: NewDatabase) -> None:
    assert await assert_durable(roll, new_database=new_database, catalog=catalog) == [True, True, True, True]


async def test_two_runs_have_different_dice_and_uuids() -> None:
    @workflow(catalog=catalog)
    async def dice() -> tuple[float, str]:
        return context().random.random(), str(context().uuid4())

    async with Environment(catalog=catalog) as env:
        one, other = await env.run(dice), await env.run(dice)

    assert one[0] != other[0]
    assert one[1] != other[1]


# --- memory


@workflow(catalog=catalog)
async def remember() -> list[Any]:
    state = context().state
    state.set("kept", {"count": 1})
    state.set("dropped", [1, 2])
    state.set("nothing", None)
    await echo(1)
    seen = [state.get("kept"), state.get("absent", default="none"), state.keys()]
    state.delete("dropped")
    state.delete("absent")
    state.set("kept", {"count": state.get("kept", dict[str, int])["count"] + 1})
    await echo(2)
    return [*seen, state.get("kept"), state.keys(), state.get("dropped")]


async def test_state_is_rebuilt_by_replay(new_database: NewDatabase) -> None:
    seen = await assert_durable(remember, new_database=new_database, catalog=catalog)

    assert seen == [
        {"count": 1},
        "none",
        ["kept", "dropped", "nothing"],
        {"count": 2},
        ["kept", "nothing"],
        None,
    ]


async def test_state_is_readable_from_outside_while_the_run_goes_on_and_after_it(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def progress() -> None:
        context().state.set("done", 1)
        context().state.set("scratch", "x")
        await context().signal("go")
        context().state.set("done", 2)
        context().state.delete("scratch")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(progress)
        await env.wait_until_quiet()
        before = await env.state(run)
        await env.crash()
        await run.signal("go")
        await run.result()

        assert before == {"done": 1, "scratch": "x"}
        assert await env.state(run) == {"done": 2}


async def test_state_of_the_wrong_type_is_refused_where_it_is_read() -> None:
    @workflow(catalog=catalog)
    async def mistaken() -> str:
        context().state.set("count", "many")
        try:
            context().state.get("count", int)
        except WrongType as error:
            return str(error)
        return "no error"

    async with Environment(catalog=catalog) as env:
        assert "state 'count'" in await env.run(mistaken)


# --- local side effects


@workflow(catalog=catalog)
async def count() -> list[Any]:
    ctx = context()
    number = await ctx.run("count", lambda: next(calls))
    told = await echo(number)
    try:
        await ctx.run("decline", _decline, 17)
    except Declined as error:
        caught = [error.code, str(error), isinstance(error, TaskError)]
    else:
        caught = []
    await echo(caught)
    return [told == number, caught]


def _decline(code: int) -> None:
    raise Declined(code)


async def test_a_local_side_effect_is_recorded_also_if_it_raised(new_database: NewDatabase) -> None:
    result = await assert_durable(count, new_database=new_database, catalog=catalog)

    assert result == [True, [17, "declined with code 17", True]]


async def test_a_recorded_side_effect_is_not_done_again() -> None:
    done: list[int] = []

    @workflow(catalog=catalog)
    async def once() -> None:
        await context().run("append", done.append, 1)
        await context().signal("go")

    async with Environment(catalog=catalog) as env:
        run = await env.start(once)
        await env.wait_until_quiet()
        await env.crash()
        await run.signal("go")
        await run.result()

    assert done == [1]


# --- work by name


@workflow(catalog=catalog)
async def by_name() -> list[int]:
    ctx = context()
    return [
        await ctx.schedule("double", 2, plus=1),
        await ctx.schedule("double", number=3),
        await ctx.schedule(double, 4),
        await ctx.start_child("doubled", 5),
        await ctx.start_child(doubled, number=6, id="six"),
    ]


async def test_tasks_and_children_are_asked_for_by_name_or_by_themselves(new_database: NewDatabase) -> None:
    assert await assert_durable(by_name, new_database=new_database, catalog=catalog) == [5, 6, 8, 10, 12]


@pytest.mark.parametrize("name", ["", "x" * 501, "a\x00b", "half a \ud800", 5])
async def test_names_that_no_store_could_keep_are_refused_where_they_are_given(name: Any) -> None:
    """Found later, in a commit, one of them would stop a node with all its other runs."""

    @workflow(catalog=catalog)
    async def naming() -> int:
        ctx = context()
        refused = 0
        for use in (
            lambda: ctx.state.set(name, 1),
            lambda: ctx.patched(name),
            lambda: ctx.promise(name),
            lambda: ctx.signal(name),
            lambda: ctx.schedule(name),
            lambda: ctx.start_child(doubled, 1, id=name),
            lambda: doubled.options(id=name)(1),
        ):
            try:
                use()
            except (BadOption, WrongType):
                refused += 1
        try:
            await ctx.run(name, list)
        except BadOption:
            refused += 1
        return refused

    async with Environment(catalog=catalog) as env:
        assert await env.run(naming) == 8
        assert await env.run(doubled, 1) == 2


async def test_one_may_sleep_for_ever_and_be_woken(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def eternal() -> str:
        try:
            await asyncio.wait_for(context().signal("go"), float("inf"))
            async with asyncio.timeout(60):
                await asyncio.sleep(1e18)
        except TimeoutError:
            return "woken"
        return "no"

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(eternal)
        await env.skip(dt.timedelta(days=1))
        await run.signal("go")

        assert await run.result() == "woken"


# --- cancellation


@workflow(catalog=catalog)
async def graceful() -> list[bool]:
    ctx = context()
    before = ctx.cancel_requested
    try:
        await ctx.signal("never")
    except asyncio.CancelledError:
        await echo("cleaned up")
        return [before, ctx.cancel_requested]
    return []


async def test_a_run_can_see_that_it_was_asked_to_end(new_database: NewDatabase) -> None:
    seen = await assert_durable(graceful, during=Run.cancel, new_database=new_database, catalog=catalog)

    assert seen == [False, True]


# --- change


async def test_a_patch_is_for_runs_that_reach_it_first_and_both_kinds_of_run_go_on(store_url: str) -> None:
    before, after = Catalog(), Catalog()
    for each in (before, after):
        each.add_task(echo)

    @workflow(catalog=before, name="changing")
    async def old() -> list[Any]:
        first = await echo("old step")
        await context().signal("go")
        return [first]

    @workflow(catalog=after, name="changing")
    async def new() -> list[Any]:
        is_new = context().patched("new-step")
        first = await echo("new step") if is_new else await echo("old step")
        await context().signal("go")
        assert context().patched("new-step") == is_new
        return [first, is_new]

    async with Environment(store_url, catalog=before) as env:
        await env.start(old, id="begun")
        await env.wait_until_quiet()
    async with Environment(store_url, catalog=after) as env:
        fresh = await env.start(new, id="fresh")
        await env.wait_until_quiet()
        await env.crash()
        begun = await env.get("begun")
        for run in (begun, fresh):
            await run.signal("go")

        assert await begun.result() == ["old step", False]
        assert await fresh.result() == ["new step", True]


# --- logging


async def test_a_line_is_logged_once_however_often_it_is_replayed(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "holdfast.workflow")

    @workflow(catalog=catalog)
    async def talkative() -> None:
        context().logger.info("began")
        await echo(1)
        context().logger.info("went on with %d", 2)
        await context().signal("go")
        context().logger.warning("ends")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(talkative, id="chatty")
        for _ in range(3):
            await env.wait_until_quiet()
            await env.crash()
        await run.signal("go")
        await run.result()

    lines = [record for record in caplog.records if record.name == "holdfast.workflow.talkative"]
    assert [line.getMessage() for line in lines] == [
        "[chatty] began",
        "[chatty] went on with 2",
        "[chatty] ends",
    ]
    assert {vars(line)["run_id"] for line in lines} == {"chatty"}
