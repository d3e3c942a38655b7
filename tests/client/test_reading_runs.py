"""Reads runs with a client, and sends signals and cancellations to them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from holdfast import Catalog, RunFailed, RunStatus, context, task, task_context, workflow
from holdfast.errors import BadOption, CannotStore, PromiseSettled, RunEnded, RunNotFound, WrongType
from holdfast.ports.runs import RunPage
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)

catalog = Catalog()


@task(catalog=catalog)
async def double(number: int) -> int:
    return number * 2


@workflow(catalog=catalog)
async def doubled(number: int) -> int:
    return await double(number)


@workflow(catalog=catalog, version=3)
async def failing(why: str) -> None:
    raise ValueError(why)


@workflow(catalog=catalog)
async def patient() -> list[Any]:
    return [await context().signal("word"), await context().promise("answer")]


@task(catalog=catalog)
async def count_aloud(numbers: int) -> None:
    for number in range(numbers):
        task_context().logger.info("number %d", number)


@workflow(catalog=catalog)
async def counted(groups: int) -> None:
    for _ in range(groups):
        await count_aloud(3)


# --- looking


async def test_the_log_is_read_in_pages_that_may_end_between_any_two_lines(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(counted, 4)
        await run.result()
        lines = [line.text for line in await env.logs(run)]
        everything = await env.log_page(run)

        assert [line.text for line in everything] == lines == [f"number {n}" for n in range(3)] * 4
        for limit in (1, 2, 5, 12):
            for number, line in enumerate(everything, 1):
                page = await env.log_page(run, after=line.offset, limit=limit)
                assert page == everything[number : number + limit]
        assert await env.log_page(run, task="double") == []
        for wrong in ("x", "1", "-1-0", "1-1-1", "01-0", "9" * 30 + "-0"):
            with pytest.raises(BadOption, match="after"):
                await env.log_page(run, after=wrong)
        with pytest.raises(BadOption, match="limit"):
            await env.log_page(run, limit=0)


async def test_a_run_can_be_described_from_its_beginning_to_its_end(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient, id="patient")
        await env.skip(HOUR)
        waiting = await run.describe()
        await run.signal("word", "hello")
        await run.resolve("answer", 42, ahead=True)
        await run.result()
        ended = await env.describe("patient")

        assert (waiting.id, waiting.workflow, waiting.namespace) == ("patient", "patient", "default")
        assert waiting.status is RunStatus.RUNNING
        assert waiting.waiting == "signal 'word'"
        assert (waiting.input, waiting.output, waiting.finished_at) == ({}, None, None)
        assert ended.status is RunStatus.SUCCESS
        assert (ended.output, ended.failure, ended.waiting) == (["hello", 42], None, None)
        assert ended.created_at == waiting.created_at
        assert ended.finished_at is not None
        assert ended.finished_at - ended.created_at >= HOUR


async def test_a_failed_run_keeps_why_it_failed(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(failing, "no reason")

        with pytest.raises(ValueError, match="no reason") as raised:
            await run.result()
        assert isinstance(raised.value, RunFailed)
        assert "raise ValueError(why)" in raised.value.traceback_text
        info = await run.describe()
        assert (info.status, info.version, info.input) == (RunStatus.FAILED, "3", {"why": "no reason"})
        assert info.failure is not None
        assert (info.failure.type, info.failure.message) == ("builtins:ValueError", "no reason")


async def test_a_run_is_found_by_its_id_and_by_its_key_after_a_restart(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        named, unnamed = await env.start(doubled, 1, id="named"), await env.start(doubled, 2)
        await named.result()
        await unnamed.result()
        key = (await named.describe()).key
    async with Environment(store_url, catalog=catalog) as env:
        assert await (await env.get("named")).result() == 2
        assert await env.result(key) == 2
        assert await env.result(unnamed.id) == 4


async def test_pages_of_runs_end_where_their_total_ends(sqlite_url: str) -> None:
    async with Environment(sqlite_url, catalog=catalog) as env:
        await env.run(doubled, 1)

        assert await env.run_overviews.page(RunPage(offset=99_999)) == ([], 1)
        with pytest.raises(
            BadOption, match="page is 10001, but must be one that begins among the first 100,000 runs"
        ):
            await env.run_overviews.page(RunPage(offset=100_000))


async def test_runs_are_listed_newest_first_by_status_by_workflow_and_by_page(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        for n in range(7):
            await env.run(doubled, n, id=f"d{n}")
        for n in range(2):
            with pytest.raises(ValueError, match="f"):
                await env.run(failing, "f", id=f"f{n}")
        await env.start(patient, id="p")

        async def ids(**filters: Any) -> list[str]:
            return [run.id for run in await env.list(**filters)]

        assert await ids() == ["p", "f1", "f0", "d6", "d5", "d4", "d3", "d2", "d1", "d0"]
        assert await ids(status="failed") == ["f1", "f0"]
        assert await ids(status="running") == ["p"]
        assert await ids(status="success", limit=2) == ["d6", "d5"]
        assert await ids(workflow="doubled", limit=3) == ["d6", "d5", "d4"]
        assert await ids(workflow="doubled", limit=3, before="d4") == ["d3", "d2", "d1"]
        assert await ids(workflow="doubled", status="success", before=await env.get("d1")) == ["d0"]
        assert await ids(workflow="doubled", before="d0") == []
        assert await ids(workflow="nobody") == []


async def test_a_misspelt_condition_is_refused_and_does_not_mean_every_run() -> None:
    known = "but must be one of status, workflow, tag, fingerprint, created_after, created_before"
    async with Environment(catalog=catalog) as env:
        hf: Any = env  # a type checker sees these mistakes
        await hf.run(doubled, 1)
        for ask in (hf.list, hf.select):
            with pytest.raises(BadOption, match=f"condition is 'worflow', {known}"):
                await ask(worflow="doubled")
        for lines in (hf.watch(worflow="doubled"), hf.export_runs(worflow="doubled")):
            with pytest.raises(BadOption, match="condition is 'worflow'"):
                await anext(lines)
        with pytest.raises(
            BadOption, match="option is 'dryrun', but must be one of status, workflow, limit, dry_run"
        ):
            await hf.prune(dt.timedelta(0), dryrun=True)
        with pytest.raises(
            BadOption, match="option is 'dryrun', but must be one of live, skip_existing, dry_run"
        ):
            await hf.import_runs([], dryrun=True)

        assert len(await hf.list()) == 1


async def test_bad_questions_are_refused() -> None:
    async with Environment(catalog=catalog) as env:
        limits: list[Any] = [0, -1, 10_001, "3"]
        for limit in limits:
            with pytest.raises(BadOption, match="limit"):
                await env.list(limit=limit)
        with pytest.raises(BadOption, match="status is 'done', but must be one of pending, running, success"):
            await env.list(status="done")
        for ask in (env.get, env.describe, env.state, env.result, env.history, env.resume, env.retry):
            with pytest.raises(RunNotFound, match="no run 'nobody' in namespace 'default'"):
                await ask("nobody")
        with pytest.raises(RunNotFound):
            await env.list(before="nobody")
        for odd in ("", "a\x00b", "\ud800", "x" * 501):
            with pytest.raises(RunNotFound):
                await env.describe(odd)
        with pytest.raises(BadOption, match="workflow"):
            await env.list(workflow=5)  # pyright: ignore[reportArgumentType]
        nothing: Any = None
        with pytest.raises(WrongType, match="expected a handle or the id of a run, got None"):
            await env.result(nothing)


@pytest.mark.parametrize(
    "page",
    [{"limit": 0}, {"limit": 2**31}, {"limit": "3"}, {"since": -1}, {"since": 2**40}, {"since": None}],
    ids=str,
)
async def test_a_page_of_tasks_that_cannot_be_is_refused(store_url: str, page: dict[str, Any]) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.run(doubled, 1, id="one")

        for ask in (env.tasks, env.list_tasks):
            with pytest.raises(BadOption, match=next(iter(page))):
                await ask("one", **page)


async def test_waiting_for_a_result_can_time_out_and_be_taken_up_again() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(patient)
        with pytest.raises(TimeoutError):
            await run.result(timeout=dt.timedelta(milliseconds=20))
        await run.signal("word", 1)
        await run.resolve("answer", 2, ahead=True)

        assert await run.result(timeout=HOUR) == [1, 2]
        assert await run.result() == [1, 2]


# --- telling


async def test_a_promise_is_settled_once(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient, id="patient")
        await run.resolve("answer", 1, ahead=True)

        with pytest.raises(PromiseSettled, match="promise 'answer' of run 'patient' is settled"):
            await run.resolve("answer", 2, ahead=True)
        with pytest.raises(PromiseSettled):
            await run.reject("answer", "too late")
        await run.signal("word", "x")
        assert await run.result() == ["x", 1]


async def test_a_promise_can_be_rejected_with_plain_words() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(patient)
        await run.reject("answer", "not today", ahead=True)
        await run.signal("word", "x")

        with pytest.raises(ValueError, match="not today"):
            await run.result()


async def test_a_run_that_has_ended_takes_nothing_more(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(doubled, 1, id="ended")
        await run.result()

        with pytest.raises(RunEnded, match="run 'ended' has ended and takes no signals any more"):
            await run.signal("word", 1)
        with pytest.raises(RunEnded, match="takes no promises"):
            await run.resolve("answer", 1, ahead=True)
        with pytest.raises(RunEnded, match="takes no promises"):
            await run.reject("answer", "no")


async def test_bad_messages_are_refused_where_they_are_sent() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(patient, id="patient")

        with pytest.raises(CannotStore, match=r"signal 'word' cannot be stored: \['a'\]"):
            await run.signal("word", {"a": object()})
        with pytest.raises(CannotStore, match="promise 'answer' cannot be stored"):
            await run.resolve("answer", float("nan"))
        for tell in (env.signal, env.resolve):
            with pytest.raises(BadOption, match="name"):
                await tell("patient", "", 1)
            with pytest.raises(RunNotFound):
                await tell("nobody", "word", 1)
        with pytest.raises(BadOption, match="name"):
            await run.reject("a\x00b", "no")
        reasons: list[Any] = [123, None, {"a": 1}, b"enough"]
        for reason in reasons:
            with pytest.raises(WrongType, match=r"cancel\(\): expected the reason as text"):
                await run.cancel(reason)
        await run.signal("word", 1)
        await run.resolve("answer", 2, ahead=True)
        assert await run.result() == [1, 2]


async def test_a_handle_is_of_its_own_run_although_another_is_named_like_its_key() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(patient)
        other = await env.start(patient, id=run.id)

        assert (await run.describe()).key == run.id
        assert (await env.describe(run.id)).key == (await other.describe()).key != run.id


async def test_messages_come_in_pages_and_acts_by_themselves(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient)
        for number in range(3):
            await run.signal("word", number)
        await run.resolve("answer", 42, ahead=True, by="ann")
        await run.result()
        first = await env.messages(run, limit=2)

        rest = await env.messages(run, after=first[-1].id)
        acts = await env.messages(run, acts_only=True, limit=1)

        assert [it.value for it in [*first, *rest]] == [0, 1, 2, 42]
        assert [(it.kind, it.by) for it in acts] == [("resolved", "ann")]
        with pytest.raises(BadOption, match="after"):
            await env.messages(run, after=-1)


async def test_a_page_goes_on_where_the_last_one_ended(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        for number in range(5):
            await (await env.start(doubled, number, id=f"run-{number}")).result()

        first = await env.page(limit=3, workflow="doubled")
        second = await env.page(limit=3, workflow="doubled", after=first.next, payloads=False)

        assert [info.id for info in (*first.items, *second.items)] == [f"run-{n}" for n in (4, 3, 2, 1, 0)]
        assert first.items[0].output == 8
        assert (second.items[0].input, second.items[0].output) == (None, None)
        assert second.next is None
        with pytest.raises(BadOption, match="after is 'run-1'"):
            await env.page(after="run-1")


async def test_runs_are_chosen_by_how_long_they_took(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await (await env.start(doubled, 1, id="quick")).result()
        long = await env.start(patient, id="long")
        await env.skip(HOUR)
        assert [info.id for info in await env.list(took_over=0)] == ["quick"]
        await env.terminate(long)

        assert [info.id for info in await env.list(took_over=3600)] == ["long"]
        assert [info.id for info in await env.list(took_under=3600)] == ["quick"]
        assert await env.select(took_over=1, took_under=7200.5).count() == 1
        for bad in (-1, float("nan"), True, "30s", 10**10, HOUR):
            wrong: Any = bad
            with pytest.raises(BadOption, match=r"took_over is .* a number of seconds from 0"):
                await env.list(took_over=wrong)


async def test_what_an_operator_does_to_many_runs_goes_by_the_same_conditions(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        for number in range(3):
            await env.start(failing, f"no {number}")
        await env.skip(HOUR)
        await env.start(patient, id="patient-1")
        await env.start(patient, id="other")
        await env.skip(HOUR)

        assert await env.select(error_contains="no 1").count() == 1
        assert await env.select(status=["failed", "running"]).count() == 5
        report = await env.select(id_contains="PATIENT-").cancel()
        await env.skip(HOUR)

        assert report.done == 1
        assert [info.id for info in await env.list(status="cancelled")] == ["patient-1"]
        assert [info.version for info in await env.list(version=3, limit=1)] == ["3"]
        with pytest.raises(RunNotFound):
            await env.select(parent="nobody").count()
