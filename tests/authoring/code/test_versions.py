"""Code that changes under runs that are under way.

Each catalog here is what one deployment of a program has. A run begins on one of them and goes on
with another, on the same database.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from typing import Any

import pytest

from holdfast import Catalog, DeterminismError, RunStatus, Workflow, context, task, workflow
from holdfast.errors import NotParked, UnknownWorkflow, VersionConflict
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)


class Deployment:
    """A catalog with a few tasks, and one workflow `changing` that is written anew in every test."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        for name in ("charge", "ship", "mail"):
            self._add(name)
        workflow(catalog=self.catalog, name="steady")(_steady)

    def _add(self, name: str) -> None:
        async def do(value: Any = None) -> list[Any]:
            return [name, value]

        task(catalog=self.catalog, name=name)(do)

    def workflow(self, definition: Any, version: str | None = None) -> Workflow[..., Any]:
        return workflow(catalog=self.catalog, name="changing", version=version)(definition)

    def at(self, url: str) -> Environment:
        return Environment(url, catalog=self.catalog)


async def _steady() -> str:
    """A run that never changes, and must go on whatever becomes of the others."""
    await context().signal("go")
    await do("mail")
    return "steady"


def do(name: str, *args: Any) -> Any:
    return context().schedule(name, *args)


async def begin(url: str, deployment: Deployment, *names: str) -> None:
    async with deployment.at(url) as env:
        for name in names:
            await env.start(name, id=name)
        await env.wait_until_quiet()


# --- no explicit version: replay decides


async def _charge_then_ship() -> list[Any]:
    charged = await do("charge")
    await context().signal("go")
    return [charged, await do("ship")]


async def _charge_then_ship_tidied() -> list[Any]:
    """Other code that asks for the same things in the same order."""
    results: list[Any] = []
    for name in ("charge", "ship"):
        results.append(await do(name))
        if name == "charge":
            await context().signal("go")
    return results


async def test_edited_code_that_asks_for_the_same_goes_on_with_a_run(store_url: str) -> None:
    before, after = Deployment(), Deployment()
    old = before.workflow(_charge_then_ship)
    new = after.workflow(_charge_then_ship_tidied)
    assert old.version != new.version
    await begin(store_url, before, "changing")

    async with after.at(store_url) as env:
        run = await env.get("changing")
        await run.signal("go")

        assert await run.result() == [["charge", None], ["ship", None]]
        assert (await run.describe()).version == old.version


def test_comments_and_layout_are_no_change_of_code() -> None:
    def before() -> Workflow[[], int]:
        async def code() -> int:
            return 1

        return workflow(catalog=Catalog())(code)

    def after() -> Workflow[[], int]:
        async def code() -> int:
            # Now with a comment.

            return 1

        return workflow(catalog=Catalog())(code)

    assert before().version == after().version


async def test_edited_code_that_asks_for_something_else_parks_the_run_until_it_is_mended(
    store_url: str,
) -> None:
    before, broken = Deployment(), Deployment()
    before.workflow(_charge_then_ship)

    async def ship_then_charge() -> list[Any]:
        shipped = await do("ship")
        await context().signal("go")
        return [shipped, await do("charge")]

    broken.workflow(ship_then_charge)
    await begin(store_url, before, "changing", "steady")

    async with broken.at(store_url) as env:
        run, steady = await env.get("changing"), await env.get("steady")
        await run.signal("go")
        await steady.signal("go")

        assert await steady.result() == "steady"
        await env.wait_until_quiet()
        info = await run.describe()
        assert info.status is RunStatus.PARKED
        assert info.failure is not None
        assert info.failure.type == "holdfast.errors:DeterminismError"
        assert "step 0 of its journal has task 'charge' as request 0" in info.failure.message
        assert "now asks for task 'ship'" in info.failure.message
        assert "keep its recorded name: @task(name='charge')" in info.failure.message
        assert [each.id for each in await env.list(status="parked")] == ["changing"]
        assert await env.doctor() == []
        new = await env.start("changing", id="new")
        await new.signal("go")
        assert await new.result() == [["ship", None], ["charge", None]]

    async with before.at(store_url) as env:
        run = await env.get("changing")
        assert await run.status() is RunStatus.PARKED
        await env.resume(run)

        assert await run.result() == [["charge", None], ["ship", None]]
        assert (await run.describe()).failure is None


async def test_a_run_that_is_resumed_without_a_fix_is_parked_again(store_url: str) -> None:
    before, broken = Deployment(), Deployment()
    before.workflow(_charge_then_ship)

    async def mail_first() -> None:
        await do("mail")
        await context().signal("go")

    broken.workflow(mail_first)
    await begin(store_url, before, "changing")

    async with broken.at(store_url) as env:
        run = await env.get("changing")
        await run.signal("go")
        for _ in range(2):
            await env.wait_until_quiet()
            assert await run.status() is RunStatus.PARKED
            await env.resume(run)
        assert env.engine.failure is None


async def test_only_a_run_that_is_parked_can_be_resumed() -> None:
    deployment = Deployment()

    async with Environment(catalog=deployment.catalog) as env:
        run = await env.start("steady", id="steady")

        with pytest.raises(NotParked, match="'steady' is running"):
            await env.resume(run)


async def test_user_code_cannot_swallow_a_determinism_error(store_url: str) -> None:
    before, broken = Deployment(), Deployment()
    before.workflow(_charge_then_ship)

    async def swallow() -> Any:
        with contextlib.suppress(DeterminismError):
            context().state.set("new", 1)  # takes no number, so that all that follows fits
        return await _charge_then_ship()

    broken.workflow(swallow)
    await begin(store_url, before, "changing")

    async with broken.at(store_url) as env:
        run = await env.get("changing")
        await run.signal("go")
        await env.wait_until_quiet()

        assert await run.status() is RunStatus.PARKED


async def test_the_end_of_a_workflow_may_be_extended(store_url: str) -> None:
    before, after = Deployment(), Deployment()
    before.workflow(_charge_then_ship)

    async def extended() -> list[Any]:
        results = await _charge_then_ship()
        await asyncio.sleep(3600)
        return [*results, await do("mail", "thanks")]

    after.workflow(extended)
    await begin(store_url, before, "changing")

    async with after.at(store_url) as env:
        run = await env.get("changing")
        await run.signal("go")

        assert await run.result() == [["charge", None], ["ship", None], ["mail", "thanks"]]


# --- explicit versions


async def _one() -> str:
    await context().signal("go")
    return "one"


async def _two() -> str:
    await do("charge")
    await context().signal("go")
    return "two"


async def test_a_version_with_other_code_is_refused_and_the_same_code_is_fine(store_url: str) -> None:
    first, same, other = Deployment(), Deployment(), Deployment()
    first.workflow(_one, "1")
    same.workflow(_one, "1")
    other.workflow(_two, "1")
    await begin(store_url, first)
    await begin(store_url, same)

    with pytest.raises(
        VersionConflict, match="workflow 'changing' version '1' is known with another definition"
    ):
        await begin(store_url, other)


async def test_versions_run_side_by_side_and_runs_keep_theirs(store_url: str) -> None:
    before, after = Deployment(), Deployment()
    before.workflow(_one, "1")
    after.workflow(_one, "1")
    after.workflow(_two, "2")
    await begin(store_url, before, "changing")

    async with after.at(store_url) as env:
        old, new = await env.get("changing"), await env.start("changing", id="new")
        older = await env.start("changing", id="older", version="1")
        for run in (old, new, older):
            await run.signal("go")

        assert [await run.result() for run in (old, new, older)] == ["one", "two", "one"]
        assert [(await run.describe()).version for run in (old, new, older)] == ["1", "2", "1"]


async def test_a_run_of_a_version_that_nobody_has_waits_for_one_who_has(store_url: str) -> None:
    first, second = Deployment(), Deployment()
    first.workflow(_one, "1")
    second.workflow(_two, "2")
    await begin(store_url, first, "changing", "steady")

    async with second.at(store_url) as env:
        run, steady = await env.get("changing"), await env.get("steady")
        await run.signal("go")
        await steady.signal("go")
        await steady.result()
        await env.skip(HOUR)
        assert await run.status() is RunStatus.RUNNING
        assert not env.engine.has(run.key)
        with pytest.raises(UnknownWorkflow, match="'changing version 3'"):
            await env.start("changing", version="3")
    async with first.at(store_url) as env:
        assert await (await env.get("changing")).result() == "one"
