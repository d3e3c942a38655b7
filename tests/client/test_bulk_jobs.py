"""Bulk jobs: an act on all runs that match, in the background, through crashes, with a report."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.patience import PATIENCE, SOON, until

from holdfast import (
    BadOption,
    BulkJob,
    Catalog,
    Holdfast,
    JobNotFound,
    RunCancelled,
    RunEnded,
    RunFailed,
    RunStatus,
    TooManyRuns,
    UnknownWorkflow,
    context,
    task,
    workflow,
)
from holdfast.client import bulk_acts
from holdfast.client.run_filters import RunConditions
from holdfast.core.bulk import BULK, BULK_CLAIM, BulkConditions
from holdfast.errors import BadDefinition
from holdfast.testing import Environment

catalog = Catalog()
AT_ONCE = dt.timedelta(0)
FLOW = '{"name": "holdfast.bulk", "start": "a", "nodes": {"a": {"kind": "timer", "params": {"delay_ms": 1}}}}'
tries: list[str] = []


@workflow(catalog=catalog)
async def waiting(name: str) -> str:
    await context().signal("go")
    return name


@workflow(catalog=catalog)
async def family(name: str) -> None:
    await context().start_child(waiting, name)


@workflow(catalog=catalog)
async def failing(name: str) -> str:
    tries.append(name)
    raise ValueError(f"no {name}")


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    tries.clear()
    monkeypatch.setattr(bulk_acts, "_AT_ONCE", 4)
    monkeypatch.setattr(bulk_acts, "_FEW_AT_ONCE", 4)


async def ended(hf: Any, job: BulkJob) -> BulkJob:
    await asyncio.wait_for(asyncio.gather(hf.result(job.id), return_exceptions=True), PATIENCE)
    return await hf.bulk.get(job.id)


async def begin(hf: Any, workflow: Any, count: int, **options: Any) -> list[Any]:
    return await hf.start_many(workflow.options(**options), [f"r{number}" for number in range(count)])


# --- what is done


async def test_a_job_does_it_to_all_runs_that_match_and_counts_them(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await begin(hf, waiting, 10, tags=["june"])
        other = await hf.start(waiting, "other")

        preview = await hf.bulk.preview("cancel", tag="june")
        job = await hf.bulk.start("cancel", {"reason": "enough", "by": "ann"}, tag="june")
        done = await ended(hf, job)

        assert (preview.matched, preview.is_exact, len(preview.sample)) == (10, True, 10)
        assert (done.status, done.act, done.by) == (RunStatus.SUCCESS, "cancel", "ann")
        assert done.conditions == {"tag": ["june"]}
        assert (done.matched, done.done, done.failed, done.skipped) == (10, 10, 0, 0)
        assert done.per_second is not None
        assert done.ends_at is None
        for run in runs:
            with pytest.raises(RunCancelled, match="enough"):
                await run.result(timeout=SOON)
        [message] = await hf.messages(runs[0], acts_only=True)
        assert (message.kind, message.by) == ("cancel", "ann")
        assert await other.status() is RunStatus.RUNNING


async def test_every_act_is_done_in_the_background(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await begin(hf, waiting, 5)
        keys = {run.id for run in runs}

        for act, expected in (("pause", "paused"), ("resume", "running"), ("terminate", "cancelled")):
            done = await ended(hf, await hf.bulk.start(act, workflow=waiting))
            assert (done.matched, done.done, done.failed) == (5, 5, 0), act
            await until(partial(_all, hf, keys, expected))
        done = await ended(hf, await hf.bulk.start("delete", workflow=waiting, status="cancelled"))

        assert (done.done, done.rows > 5) == (5, True)
        assert await hf.list(workflow=waiting) == []


async def _all(hf: Holdfast, keys: set[str], status: str) -> bool:
    return {run.id for run in await hf.list(status=status)} >= keys


async def test_ended_runs_are_retried_once_each_although_they_fail_again(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await begin(hf, failing, 9)
        await asyncio.gather(*(run.result(timeout=SOON) for run in runs), return_exceptions=True)
        tries.clear()

        done = await ended(hf, await hf.bulk.start("retry", workflow=failing))
        for run in runs:
            with pytest.raises(RunFailed):
                await run.result(timeout=SOON)

        assert (done.done, done.failed) == (9, 0)
        assert sorted(tries) == [f"r{number}" for number in range(9)]


async def test_runs_that_are_started_after_a_job_are_left_alone(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        await begin(client, waiting, 3)
        job = await client.bulk.start("terminate", workflow=waiting)
        later = await client.start(waiting, "later")
        assert (await client.bulk.get(job.id)).matched is None

        async with Holdfast(store_url, catalog=catalog) as node:
            assert (await ended(node, job)).done == 3
            assert not (await later.status()).is_final


async def test_a_run_that_refuses_is_reported_and_the_others_go_on(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        parents = await begin(hf, family, 5)
        await until(lambda: _children(hf, 5))
        await asyncio.gather(*(run.terminate() for run in parents))
        await until(lambda: _all_ended(hf))

        done = await ended(hf, await hf.bulk.start("delete", workflow=waiting))
        first = await hf.bulk.failures(done.id, limit=3)
        second = await hf.bulk.failures(done.id, limit=3, after=first.next)

        assert (done.matched, done.done, done.failed) == (5, 0, 5)
        assert [len(first.items), len(second.items), second.next] == [3, 2, None]
        assert {each.code for each in first.items} == {"needed_by_parent"}
        assert len({each.run for each in first.items + second.items}) == 5
        assert "is a child of" in first.items[0].message


async def _children(hf: Holdfast, count: int) -> bool:
    return len(await hf.list(workflow=waiting)) == count


async def _all_ended(hf: Holdfast) -> bool:
    return all(run.status.is_final for run in await hf.list())


async def test_a_job_leaves_jobs_alone_unless_it_names_them(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        first = await client.bulk.start("cancel", {"all": True})
        await client.bulk.start("terminate", {"all": True, "id": "second"})

        async with Holdfast(store_url, catalog=catalog) as node:
            jobs = [await ended(node, first), await ended(node, await client.bulk.get("second"))]

        assert [job.status for job in jobs] == ["success", "success"]
        assert [job.done for job in jobs] == [0, 0]


# --- crashes


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("act", ["delete", "retry"])
async def test_a_job_survives_a_crash_at_each_commit(
    new_database: Callable[[], str], act: str, after: bool
) -> None:
    commit, has_crashed = 0, True
    while has_crashed:
        async with Environment(new_database(), catalog=catalog, crash_after=after) as env:
            runs = await begin(env, failing, 6)
            await env.wait_until_quiet()
            env.clock.advance(dt.timedelta(seconds=1))
            job = await env.bulk.start(act, workflow=failing)
            env.clock.advance(dt.timedelta(seconds=1))
            env.crash_points._at = env.crash_points.commits + commit  # none is number 0

            progress = await env.result(job.id)
            await env.wait_until_quiet()

            commit, has_crashed = commit + 1, env.crashes > 0 or commit == 0
            assert progress["matched"] == 6
            assert progress["done"] == 6 or env.crashes
            if act == "delete":
                assert await env.list(workflow=failing) == []
            else:
                acts = [await env.messages(run, acts_only=True) for run in runs]
                assert [[each.kind for each in of_run] for of_run in acts] == [["retry"]] * 6
    assert commit > 3


async def test_cancellations_are_sent_once_although_a_page_is_done_again(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        [run] = await begin(hf, waiting, 1)
        job = await hf.bulk.start("pause", workflow=waiting)
        await ended(hf, job)
        record = await hf._find(run)
        options = bulk_acts.ActOptions("", "ann", uid="holdfast.bulk:x")

        for _ in range(2):
            result = await hf._bulk_acts.do(bulk_acts.BulkAct.CANCEL, [record], options)
            assert result.done == 1

        kinds = [message.kind for message in await hf.messages(run, acts_only=True)]
        assert kinds.count("cancel") == 1


async def test_a_job_that_is_cancelled_stops_after_its_page(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await begin(hf, waiting, 40)
        pages = 0
        do = hf._bulk_acts.do

        async def slowly(*args: Any, **kwargs: Any) -> Any:
            nonlocal pages
            pages += 1
            result = await do(*args, **kwargs)
            await asyncio.sleep(0.02)
            return result

        hf._bulk_acts.do = slowly
        job = await hf.bulk.start("terminate", workflow=waiting)
        await until(lambda: pages > 1)
        await hf.bulk.cancel(job.id, "stop", by="ann")
        stopped = await ended(hf, job)

        assert stopped.status is RunStatus.CANCELLED
        assert "stop" in stopped.problem
        assert stopped.done == 4 * pages < 40
        with pytest.raises(RunEnded):
            await hf.bulk.cancel(job.id)


# --- what is refused


async def test_a_job_without_conditions_needs_to_say_so(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        with pytest.raises(BadOption, match="there are no conditions"):
            await hf.bulk.start("cancel")
        with pytest.raises(BadOption, match="there are no conditions"):
            await hf.bulk.preview("cancel")
        with pytest.raises(BadOption, match="act is 'explode'"):
            await hf.bulk.start("explode", {"all": True})
        with pytest.raises(BadOption, match="act is 'prune'"):
            await hf.bulk.start("prune", {"all": True})
        with pytest.raises(BadOption, match="condition"):
            await hf.bulk.start("cancel", workflw="x")  # pyright: ignore[reportCallIssue]
        with pytest.raises(BadOption, match="option"):
            await hf.bulk.start("cancel", {"alll": True}, workflow="x")  # pyright: ignore[reportArgumentType]
        with pytest.raises(BadOption, match="reason"):
            await hf.bulk.start("cancel", {"reason": "x" * 3000}, workflow="x")

        assert (await hf.bulk.list()).items == []


async def test_a_job_that_would_change_more_runs_than_it_may_is_refused(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        await begin(hf, waiting, 3)

        with pytest.raises(TooManyRuns, match="more than 2 runs match"):
            await hf.bulk.start("cancel", {"at_most": 2}, workflow=waiting)

        assert (await hf.bulk.start("cancel", {"at_most": 3}, workflow=waiting)).status == "pending"


async def test_a_job_that_is_asked_for_twice_under_one_id_is_one_job(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        first = await hf.bulk.start("cancel", {"id": "friday"}, workflow=waiting)
        again = await hf.bulk.start("cancel", {"id": "friday"}, workflow=waiting)

        assert first.id == again.id == "friday"
        assert [job.id for job in (await hf.bulk.list()).items] == ["friday"]


async def test_only_jobs_are_found_as_jobs(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        run = await hf.start(waiting, "x")

        for id in (run.id, "nothing"):
            with pytest.raises(JobNotFound):
                await hf.bulk.get(id)
        with pytest.raises(JobNotFound):
            await hf.bulk.failures("nothing")
        job = await hf.bulk.start("cancel", workflow=waiting)
        with pytest.raises(BadOption, match="after"):
            await hf.bulk.failures(job.id, after="x")


async def test_nobody_but_hf_bulk_starts_the_workflow_of_jobs(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await ended(hf, await hf.bulk.start("cancel", workflow=waiting))

        with pytest.raises(UnknownWorkflow):
            await hf.start(BULK, {"act": "delete"})
        with pytest.raises(UnknownWorkflow):
            await hf.start(BULK, {"act": "delete"}, version="1")
        [node] = await hf.nodes()
        assert BULK_CLAIM not in (node.serves or [])
    with pytest.raises(BadDefinition, match="for holdfast itself"):
        workflow(name="holdfast.mine", catalog=Catalog())(waiting.definition)
    with pytest.raises(BadDefinition, match="for holdfast itself"):
        task(name="holdfast.mine", catalog=Catalog())(_nothing)


def _nothing() -> None: ...


async def test_nobody_publishes_a_workflow_under_a_name_of_holdfast(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=catalog, engine=False) as hf:
        with pytest.raises(BadOption, match="for holdfast itself"):
            await hf.workflows.put(FLOW)
        with pytest.raises(BadOption, match="for holdfast itself"):
            await hf.flows.create("holdfast.bulk")


async def test_a_selection_leaves_jobs_alone_unless_it_names_them(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=catalog, engine=False) as hf:
        job = await hf.bulk.start("cancel", workflow=waiting)

        spared = await hf.select(status="pending").terminate()
        assert (spared.done, spared.refused) == (0, [(job.id, "it is itself a bulk job")])
        assert (await hf.select(workflow=BULK).terminate()).done == 1


def test_stored_conditions_are_those_of_lists() -> None:
    assert set(BulkConditions.__struct_fields__) == set(RunConditions.__annotations__)


# --- pruning


async def test_old_runs_are_pruned_in_the_background(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await begin(hf, failing, 6)
        await asyncio.gather(*(run.result(timeout=SOON) for run in runs), return_exceptions=True)

        counted = await hf.bulk.preview_prune(AT_ONCE, workflow=failing)
        none = [
            await hf.bulk.preview_prune(dt.timedelta(days=1)),
            await hf.bulk.preview_prune(AT_ONCE, status=["success"]),
        ]
        some = await ended(hf, await hf.bulk.prune(AT_ONCE, workflow=failing, limit=2, by="ann"))
        rest = await ended(hf, await hf.bulk.prune(AT_ONCE, status=["failed", "cancelled"]))

        assert (counted.matched, [each.matched for each in none]) == (6, [0, 0])
        assert (some.matched, some.done, rest.matched, rest.done) == (2, 2, 4, 4)
        assert some.conditions == {"workflow": "failing", "older_than": 0.0, "limit": 2}
        assert rest.rows >= 4
        assert await hf.list(workflow=failing) == []
        assert [job.id for job in (await hf.bulk.list()).items] == [rest.id, some.id]
        with pytest.raises(BadOption, match="only ended runs"):
            await hf.bulk.prune(AT_ONCE, status="running")
