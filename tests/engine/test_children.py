"""Children: runs that a run starts, waits for and takes along when it ends."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Catalog, RunCancelled, RunFailed, RunStatus, context, task, workflow
from holdfast.errors import RunExists, UnknownWorkflow, WrongType
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

catalog = Catalog()


class Declined(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"declined with {code}")
        self.code = code


@task(catalog=catalog)
async def double(number: int) -> int:
    return number * 2


@workflow(catalog=catalog)
async def doubled(number: int) -> int:
    await asyncio.sleep(60)
    return await double(number)


@workflow(catalog=catalog)
async def declining(code: int) -> None:
    raise Declined(code)


@workflow(catalog=catalog)
async def waiting() -> str:
    """Waits for a signal; when it is cancelled, it cleans up."""
    try:
        await context().signal("go")
    except asyncio.CancelledError:
        context().state.set("cleaned", await double(1))
        raise
    return "went"


async def test_a_child_gives_its_result_to_its_parent(new_database: NewDatabase) -> None:
    @workflow(catalog=catalog)
    async def parent() -> list[Any]:
        first = doubled(1)
        second = doubled.options(id="named")(2)
        return [first.id, await first, second.id, await second]

    result = await assert_durable(parent, catalog=catalog, new_database=new_database)

    assert result == ["durable/0", 2, "named", 4]


async def test_a_failed_child_raises_its_own_class_in_the_parent(new_database: NewDatabase) -> None:
    @workflow(catalog=catalog)
    async def parent() -> list[Any]:
        try:
            await declining(7)
        except Declined as error:
            return [error.code, str(error), isinstance(error, RunFailed)]
        return []

    result = await assert_durable(parent, catalog=catalog, new_database=new_database)

    assert result == [7, "declined with 7", True]


async def test_a_failure_goes_up_through_the_generations() -> None:
    @workflow(catalog=catalog)
    async def middle() -> None:
        await declining(8)

    @workflow(catalog=catalog)
    async def grandparent() -> None:
        await middle()

    with pytest.raises(Declined, match="declined with 8") as raised:
        await assert_durable(grandparent, catalog=catalog)
    assert raised.value.code == 8


async def test_children_of_children_have_ids_that_tell_where_they_come_from() -> None:
    @workflow(catalog=catalog)
    async def middle(number: int) -> list[Any]:
        child = doubled(number)
        return [context().run_id, child.id, await child]

    @workflow(catalog=catalog)
    async def grandparent() -> list[Any]:
        return list(await asyncio.gather(middle(1), middle(2)))

    async with Environment(catalog=catalog) as env:
        run = await env.start(grandparent, id="root")

        assert await run.result() == [["root/0", "root/0/0", 2], ["root/1", "root/1/0", 4]]
        assert (await (await env.get("root/1/0")).result()) == 4


async def test_fifty_children_are_gathered(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def parent() -> int:
        return sum(await asyncio.gather(*[doubled(n) for n in range(50)]))

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        await env.wait_until_quiet()
        await env.crash()

        assert await run.result() == sum(2 * n for n in range(50))
        assert len(await env.list(status="success")) == 51
        assert await env.doctor() == []


async def test_an_id_that_belongs_to_another_run_fails_the_child_in_its_parent(
    new_database: NewDatabase,
) -> None:
    @workflow(catalog=catalog)
    async def parent() -> list[Any]:
        own = await doubled.options(id="taken")(1)
        try:
            await doubled.options(id="taken")(2)
        except RunExists as error:
            return [
                own,
                isinstance(error, RunFailed),
                "belongs to another run" in str(error),
                await double(3),
            ]
        return []

    result = await assert_durable(parent, catalog=catalog, new_database=new_database)

    assert result == [2, True, True, 6]


async def test_a_child_that_is_not_there_or_does_not_fit_is_refused_where_it_is_started() -> None:
    @workflow(catalog=catalog)
    async def parent() -> list[str]:
        reasons: list[str] = []
        for start in (
            lambda: context().start_child("nobody"),
            lambda: context().start_child("doubled", number=1, version="9"),
            lambda: context().start_child(doubled, "one"),
            lambda: context().start_child(5),
        ):
            try:
                start()
            except (UnknownWorkflow, WrongType) as error:
                reasons.append(str(error))
        return reasons

    async with Environment(catalog=catalog) as env:
        unknown, version, wrong, nonsense = await env.run(parent)

        assert "no workflow 'nobody' is registered here" in unknown
        assert "no workflow 'doubled version 9'" in version
        assert wrong == "the arguments of workflow 'doubled': number: expected int, got str"
        assert "expected a workflow or its name, got 5" in nonsense
        assert len(await env.list()) == 1


# --- cancelling


async def test_cancelling_a_parent_cancels_its_children_and_theirs(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def middle() -> str:
        return await waiting.options(id="leaf")()

    @workflow(catalog=catalog)
    async def root() -> str:
        return await middle.options(id="middle")()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(root, id="root")
        await env.wait_until_quiet()
        await run.cancel("enough")

        with pytest.raises(RunCancelled, match="enough"):
            await run.result()
        for id in ("middle", "leaf"):
            with pytest.raises(RunCancelled):
                await env.result(id)
        assert await env.state("leaf") == {"cleaned": 2}


async def test_children_that_still_run_are_cancelled_when_their_parent_ends_but_not_detached_ones() -> None:
    @workflow(catalog=catalog)
    async def hasty() -> str:
        waiting.options(id="attached")()
        waiting.options(id="detached", detached=True)()
        await asyncio.sleep(1)
        return "done"

    async with Environment(catalog=catalog) as env:
        assert await env.run(hasty) == "done"
        with pytest.raises(RunCancelled, match="its parent ended"):
            await env.result("attached")
        await env.wait_until_quiet()
        detached = await env.get("detached")
        assert await detached.status() is RunStatus.RUNNING
        await detached.signal("go")
        assert await detached.result() == "went"
        assert await env.doctor() == []


async def test_a_detached_child_can_be_awaited_like_any_other(new_database: NewDatabase) -> None:
    @workflow(catalog=catalog)
    async def parent() -> int:
        return await doubled.options(detached=True)(4)

    assert await assert_durable(parent, catalog=catalog, new_database=new_database) == 8


async def test_cancelling_a_handle_cancels_the_child(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def fickle() -> list[Any]:
        child = waiting.options(id="child")()
        await asyncio.sleep(1)
        was_pending = child.cancel()
        try:
            await child
        except asyncio.CancelledError:
            return [was_pending, child.cancel()]
        return []

    async with Environment(store_url, catalog=catalog) as env:
        assert await env.run(fickle) == [True, False]
        with pytest.raises(RunCancelled, match="its parent cancelled it"):
            await env.result("child")


async def test_a_timeout_around_a_child_cancels_it(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def impatient() -> str:
        try:
            async with asyncio.timeout(60):
                await waiting.options(id="child")()
        except TimeoutError:
            return "gave up"
        return "no timeout"

    async with Environment(store_url, catalog=catalog) as env:
        assert await env.run(impatient) == "gave up"
        with pytest.raises(RunCancelled):
            await env.result("child")


async def test_a_child_that_is_cancelled_from_outside_raises_in_its_parent() -> None:
    @workflow(catalog=catalog)
    async def parent() -> str:
        try:
            await waiting.options(id="child")()
        except RunCancelled as error:
            return str(error)
        return "no error"

    async with Environment(catalog=catalog) as env:
        run = await env.start(parent)
        await env.wait_until_quiet()
        await env.cancel("child", "an operator said so")

        assert "an operator said so" in await run.result()


async def test_a_child_that_is_cancelled_before_it_began_still_ends() -> None:
    @workflow(catalog=catalog)
    async def hasty() -> str:
        waiting.options(id="child")().cancel()
        return "done"

    async with Environment(catalog=catalog) as env:
        assert await env.run(hasty) == "done"
        with pytest.raises(RunCancelled):
            await env.result("child")
        assert await env.doctor() == []


async def test_a_parent_of_many_children_is_told_of_those_that_ended_while_it_was_away() -> None:
    @workflow(catalog=catalog)
    async def parent() -> list[str]:
        return list(await asyncio.gather(*[waiting.options(id=f"c{n}")() for n in range(3)]))

    async with Environment(catalog=catalog) as env:
        run = await env.start(parent, id="parent")
        await env.skip(dt.timedelta(minutes=1))
        assert not env.engine.has(run.key)
        waits_for = (await run.describe()).waiting
        for n in range(3):
            await env.signal(f"c{n}", "go")
            await env.skip(dt.timedelta(minutes=1))

        assert waits_for == "child c0, c1, c2"
        assert await run.result() == ["went"] * 3
