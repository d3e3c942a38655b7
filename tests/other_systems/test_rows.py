"""Rows that a node cannot read or cannot take: they are the matter of their own run alone."""

from __future__ import annotations

import datetime as dt

import pytest
from tests.other_systems.staging import change

from holdfast import Catalog, Holdfast, RunStatus, context, task, workflow
from holdfast.testing import Environment

DAY = dt.timedelta(days=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("UPDATE tasks SET status = 'postponed' WHERE run = ({bad})", "task 0 is 'postponed'"),
        ("UPDATE tasks SET status = 'failed', failure = '{{}}' WHERE run = ({bad})", None),
        (
            "UPDATE messages SET kind = 'wink' WHERE run = ({bad})",
            "a kind that this version does not know",
        ),
        ("UPDATE runs SET status = 'archived' WHERE key = ({bad})", None),
        ("DELETE FROM journal WHERE position = 0 AND run = ({bad})", "step 0 of the journal is missing"),
    ],
)
async def test_one_row_that_this_code_cannot_read_does_not_stop_the_node(
    damage: str, reason: str | None, store_url: str, catalog: Catalog
) -> None:
    """DBOS 546, Kestra 15620 and 16784: written by a newer version during a rolling deploy, or damaged."""

    @task(catalog=catalog)
    async def step(number: int) -> int:
        return number

    @workflow(catalog=catalog)
    async def flow(number: int) -> int:
        first = await step(number)
        await context().signal("go")
        return first

    async with Environment(store_url, catalog=catalog) as env:
        for id in ("a", "bad", "z"):
            await env.start(flow, 1, id=id)
        await env.wait_until_quiet()
        await env.signal("bad", "other")
        await env.wait_until_quiet()
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        for id in ("a", "bad", "z"):
            await hf.signal(id, "go")
    change(store_url, damage.format(bad="SELECT key FROM runs WHERE id = 'bad'"))

    async with Environment(store_url, catalog=catalog) as env:
        assert [await env.result(id) for id in ("a", "z")] == [1, 1]
        assert env.engine.failure is None
        assert {info.id for info in await env.list()} >= {"a", "z"}
        if reason is not None:
            bad = await env.describe("bad")
            assert bad.status is RunStatus.PARKED
            assert bad.failure is not None
            assert reason in bad.failure.message


async def test_the_doctor_names_a_run_that_is_overdue_because_no_node_has_its_workflow(
    store_url: str, catalog: Catalog
) -> None:
    """Airflow 13542 (b): waiting for code that is gone looks like being about to start, for ever."""

    @workflow(catalog=catalog, version="1")
    async def flow() -> None:
        await context().signal("go")

    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        await hf.start(flow, id="overdue")

    async with Environment(store_url, catalog=Catalog()) as env:
        await env.skip(DAY)
        info = await env.describe("overdue")

        assert info.status is RunStatus.PENDING
        wanted = "no node has version '1' of workflow 'flow'"
        assert [wanted in run.problem for run in await env.doctor()] == [True]


async def test_news_for_a_run_whose_row_this_code_cannot_read_do_not_stop_the_node_that_has_them(
    store_url: str, catalog: Catalog
) -> None:
    """The same from the other side: its child ends, and the end is told in a commit for everybody's runs."""

    @workflow(catalog=catalog)
    async def child() -> str:
        return await context().signal("go", str)

    @workflow(catalog=catalog)
    async def parent() -> str:
        return await child.options(id="child")()

    async with Environment(store_url, catalog=catalog) as env:
        await env.start(parent, id="parent")
        await env.skip(dt.timedelta(minutes=1))
    change(store_url, "UPDATE runs SET status = 'suspended' WHERE id = 'parent'")

    async with Environment(store_url, catalog=catalog) as env:
        await env.signal("child", "go", "gone")
        assert await env.result("child") == "gone"
        await env.wait_until_quiet()
    change(store_url, "UPDATE runs SET status = 'running', wake_at = created_at WHERE id = 'parent'")

    async with Environment(store_url, catalog=catalog) as env:
        assert await env.result("parent") == "gone"
