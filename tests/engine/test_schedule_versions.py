"""Which workflow, and which version of it, a schedule starts; and what is said if no node can start it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from holdfast import Catalog, Holdfast, ScheduleTaken, Workflow, workflow
from holdfast.core.values import Instant
from holdfast.errors import BadOption, UnknownWorkflow, WrongType
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)
MINUTE = dt.timedelta(minutes=1)


def report(catalog: Catalog, version: str | None) -> Workflow[[], str]:
    @workflow(catalog=catalog, name="report", version=version)
    async def report() -> str:
        return f"by {version}"

    return report


def fleet(*versions: str | None) -> tuple[Catalog, list[Workflow[[], str]]]:
    """A catalog with these versions, the newest last."""
    catalog = Catalog()
    return catalog, [report(catalog, version) for version in versions]


async def outputs(env: Environment) -> list[Any]:
    return [run.output for run in sorted(await env.list(limit=1000), key=lambda run: run.id)]


def move_on(env: Environment, span: dt.timedelta) -> None:
    env.clock.move_to(Instant(env.clock.now() + round(span.total_seconds() * 1_000_000)))


# --- versions


@pytest.mark.parametrize("by_name", [False, True])
async def test_a_schedule_follows_the_version_that_is_deployed(store_url: str, by_name: bool) -> None:
    old, [report_1] = fleet("1")
    async with Environment(store_url, catalog=old) as env:
        put = await env.schedules.put("hourly", "report" if by_name else report_1, cron="0 * * * *")
        await env.skip(2 * HOUR + MINUTE)

    new, _ = fleet("2")
    async with Environment(store_url, catalog=new) as env:
        move_on(env, 2 * HOUR + MINUTE)
        await env.skip(2 * HOUR)

        assert put.workflow == "report"
        assert await outputs(env) == ["by 1", "by 1", "by 2", "by 2"]


async def test_of_several_versions_a_schedule_starts_the_one_that_start_would(store_url: str) -> None:
    catalog, [report_1, _] = fleet("1", "2")
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("hourly", report_1, cron="0 * * * *")

        await env.skip(HOUR)
        triggered = await env.schedules.trigger("hourly")

        assert await triggered.result() == await env.run("report") == "by 2"
        assert set(await outputs(env)) == {"by 2"}


async def test_a_schedule_that_was_told_a_version_stays_with_it_until_it_is_put_without(
    store_url: str,
) -> None:
    catalog, [report_1, report_2] = fleet("1", "2")
    async with Environment(store_url, catalog=catalog) as env:
        told = await env.schedules.put("hourly", report_2, cron="0 * * * *", version=1)
        await env.skip(2 * HOUR)
        # Schedules of earlier releases have the version of their workflow, too.
        untold = await env.schedules.put("hourly", report_1, cron="0 * * * *")
        await env.skip(HOUR)

        assert (told.workflow, untold.workflow) == ("report@1", "report")
        assert await outputs(env) == ["by 1", "by 1", "by 2"]


async def test_a_version_that_a_schedule_cannot_keep_is_refused(store_url: str) -> None:
    catalog, [unpinned] = fleet(None)
    async with Environment(store_url, catalog=catalog) as env:
        with pytest.raises(BadOption, match="'report' has no versions"):
            await env.schedules.put("hourly", unpinned, cron="0 * * * *", version=unpinned.version)
        with pytest.raises(UnknownWorkflow):
            await env.schedules.put("hourly", unpinned, cron="0 * * * *", version="7")

        assert await env.schedules.list() == []


async def test_the_input_is_checked_with_the_version_that_would_fire() -> None:
    catalog, [report_1] = fleet("1")

    @workflow(catalog=catalog, name="report", version="2")
    async def report_2(day: str) -> str:
        return day

    async with Environment(catalog=catalog) as env:
        with pytest.raises(WrongType, match="day"):
            await env.schedules.put("hourly", report_1, cron="0 * * * *")
        await env.schedules.put("hourly", report_1, cron="0 * * * *", input={"day": "{date}"})
        await env.skip(HOUR)

        assert await outputs(env) == ["2030-01-01"]


async def test_a_newer_version_that_takes_other_inputs_fails_its_runs_with_the_reason(
    store_url: str,
) -> None:
    old, [report_1] = fleet("1")
    async with Environment(store_url, catalog=old) as env:
        await env.schedules.put("hourly", report_1, cron="0 * * * *")
    new = Catalog()

    @workflow(catalog=new, name="report", version="2")
    async def report_2(day: str) -> str:
        return day

    async with Environment(store_url, catalog=new) as env:
        await env.skip(HOUR)
        [run] = await env.list()

        assert run.status == "failed"
        assert run.failure is not None
        assert "day" in run.failure.message


async def test_the_schedule_of_a_published_flow_starts_its_newest_version_on_any_node(store_url: str) -> None:
    def flow(start: str) -> dict[str, Any]:
        return {"start": start, "nodes": {start: {"kind": "timer", "params": {"delay_ms": 1}}}}

    async with Environment(store_url, catalog=Catalog()) as env:
        await env.flows.create("published")
        await env.flows.publish("published", flow("a"))
        info = await env.schedules.put("hourly", "published", cron="0 * * * *", input={"day": "{date}"})
        await env.skip(HOUR)
        await env.flows.publish("published", flow("b"))
        await env.skip(HOUR)
        await env.skip(MINUTE)
        second, first = await env.list()

        assert info.workflow == "published"
        assert [(run.version, run.status) for run in (first, second)] == [("1", "success"), ("2", "success")]
        with pytest.raises(
            BadOption, match="left out: the schedule of a published workflow starts the newest"
        ):
            await env.schedules.put("daily", "published", version=1, cron="0 0 * * *")


# --- names


async def test_a_name_that_another_workflow_has_is_refused_and_changes_nothing(store_url: str) -> None:
    catalog, [report_1] = fleet("1")

    @workflow(catalog=catalog)
    async def bill() -> str:
        return "bill"

    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        before = await hf.schedules.put("nightly", bill, cron="0 2 * * *")
        with pytest.raises(
            ScheduleTaken, match=r"starts workflow 'bill'.* or delete 'nightly' first"
        ) as caught:
            await hf.schedules.put("nightly", report_1, cron="0 3 * * *")

        assert (caught.value.name, caught.value.workflow, caught.value.wanted) == (
            "nightly",
            "bill",
            "report",
        )
        assert await hf.schedules.list() == [before]
        await hf.schedules.delete("nightly")
        assert (await hf.schedules.put("nightly", report_1, cron="0 3 * * *")).workflow == "report"


# --- schedules that no node can start


async def test_a_schedule_that_no_node_can_start_says_so_until_one_can(store_url: str) -> None:
    old, [report_1] = fleet("1")
    new, _ = fleet("2")
    async with Environment(store_url, catalog=old) as env:
        await env.schedules.put("told", report_1, cron="0 * * * *", version="1")
        await env.schedules.put("following", report_1, cron="0 * * * *")
        await env.schedules.put("paused", report_1, cron="0 * * * *", version="1")
        await env.schedules.pause("paused")

    async with Environment(store_url, catalog=new) as env:
        await env.skip(HOUR + MINUTE)
        early = await env.schedules.get("told")
        assert (early.problem, await env.doctor()) == (None, [])

        await env.skip(2 * MINUTE)
        late = {info.name: info.problem for info in await env.schedules.list()}
        [found] = await env.doctor()

        assert (late["following"], late["paused"]) == (None, None)
        assert late["told"] is not None
        assert late["told"].startswith(
            "due since 2030-01-01T01:00:00+00:00, and no node has fired it; start a"
        )
        assert "node that has workflow 'report' version '1'" in late["told"]
        assert found[:2] == ("told", "report@1")
        assert found.problem == late["told"]

    async with Environment(store_url, catalog=old) as env:
        move_on(env, HOUR + 3 * MINUTE)
        await env.skip(MINUTE)

        assert [info.problem for info in await env.schedules.list()] == [None, None, None]
        assert await env.doctor() == []
