"""Spans, from whoever starts a run to the code of its tasks: one for each attempt, and none in replay."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags
from tests.spans import Spans, id_of, spans, trace_of, user_tracer

from holdfast import (
    Catalog,
    DoNotRetry,
    Holdfast,
    Retry,
    RunFailed,
    context,
    load_dag,
    task,
    task_context,
    workflow,
)
from holdfast.core.run_options import read_run_options
from holdfast.errors import BadOption
from holdfast.testing import Environment, assert_durable

__all__ = ["spans"]

catalog = Catalog()
UNSAMPLED = SpanContext(0xABC, 0xDEF, is_remote=True, trace_flags=TraceFlags(0))


@task(catalog=catalog, queue="money")
async def charge(amount: int) -> int:
    with user_tracer().start_as_current_span("call the bank"):
        await asyncio.sleep(0)
    return amount


@task(catalog=catalog)
def pack() -> None:
    with user_tracer().start_as_current_span("print a label"):
        pass


@workflow(catalog=catalog)
async def order(amount: int) -> int:
    await pack()
    return await charge(amount)


@task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=dt.timedelta(0)), secrets=["BANK"])
async def fragile() -> None:
    raise ValueError(f"the bank knows no {task_context().secret('BANK')}")


@workflow(catalog=catalog)
async def failing() -> None:
    await fragile()


@workflow(catalog=catalog)
async def patient() -> int:
    await charge(1)
    await asyncio.sleep(7200)
    await charge(2)
    return await context().start_child(order, 3)


@workflow(catalog=catalog)
async def family() -> int:
    return await context().start_child(order, 3)


@workflow(catalog=catalog)
async def serial(number: int) -> int:
    await charge(number)
    if number < 3:
        context().continue_as(number + 1)
    return number


@task(catalog=catalog)
async def see_parent() -> list[int]:
    found = trace.get_current_span().get_span_context()
    return [found.trace_id, found.trace_flags]


def attempts_of(spans: Spans) -> Counter[tuple[object, ...]]:
    facts = [span.attributes for span in spans.all if span.name.startswith("task ")]
    return Counter((it["holdfast.task.id"], it["holdfast.attempt"]) for it in facts if it is not None)


async def test_one_trace_leads_from_the_caller_into_the_code_of_tasks(store_url: str, spans: Spans) -> None:
    async with Environment(store_url, catalog=catalog, tracing=True) as env:
        with user_tracer().start_as_current_span("POST /orders"):
            run = await env.start(order, 5, id="order-1")
        assert await run.result() == 5

    started = spans.only("start order")
    assert spans.parent_of(started) == "POST /orders"
    assert started.kind is SpanKind.PRODUCER
    assert {it: spans.parent_of(spans.only(it)) for it in spans.names if it not in ("POST /orders",)} == {
        "start order": "POST /orders",
        "task pack": "start order",
        "print a label": "task pack",
        "task charge": "start order",
        "call the bank": "task charge",
        "run order": "start order",
    }
    assert len(spans.traces()) == 1
    assert dict(spans.only("task charge").attributes or {}) == {
        "holdfast.run.id": "order-1",
        "holdfast.workflow": "order",
        "holdfast.namespace": "default",
        "holdfast.node": env.engine.node,
        "holdfast.task": "charge",
        "holdfast.task.id": env.executions[1],
        "holdfast.attempt": 1,
        "holdfast.queue": "money",
    }
    assert (spans.only("run order").attributes or {})["holdfast.status"] == "success"


async def test_a_failed_attempt_has_its_exception_without_secrets(
    spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_SECRET_BANK", "swordfish-77")

    async with Environment(catalog=catalog, tracing=True) as env:
        run = await env.start(failing)
        with pytest.raises(RunFailed):
            await run.result()

    attempts = spans.named("task fragile")
    assert [(it.attributes or {})["holdfast.attempt"] for it in attempts] == [1, 2]
    for each in (*attempts, spans.only("run failing")):
        assert each.status.status_code is StatusCode.ERROR
        assert each.status.description == "ValueError: the bank knows no ***BANK***"
        [event] = each.events
        assert event.name == "exception"
        assert (event.attributes or {})["exception.type"] == "ValueError"
        assert "in fragile" in str((event.attributes or {})["exception.stacktrace"])
        assert "swordfish" not in each.to_json()


async def test_replay_after_a_crash_makes_no_second_span(
    spans: Spans, new_database: Callable[[], str]
) -> None:
    await assert_durable(order, 5, catalog=catalog, new_database=new_database, settings={"tracing": True})

    by_trace: dict[int, list[str]] = {}
    for span in spans.all:
        by_trace.setdefault(trace_of(span), []).append(span.name)
    assert len(by_trace) > 6
    for names in by_trace.values():
        assert names.count("run order") <= 1
    assert set(attempts_of(spans)) >= {(it, 1) for it, _ in attempts_of(spans)}
    # Of the attempts that crashed, the one after has the next number; no number comes twice in a database.
    twice = Counter(
        (
            trace_of(span),
            (span.attributes or {})["holdfast.task.id"],
            (span.attributes or {})["holdfast.attempt"],
        )
        for span in spans.all
        if span.name.startswith("task ")
    )
    assert set(twice.values()) == {1}


async def test_a_long_run_goes_on_in_other_traces_that_link_to_the_first(
    store_url: str, spans: Spans
) -> None:
    async with Environment(store_url, catalog=catalog, tracing=True) as env:
        run = await env.start(patient)
        assert await run.result() == 3

    started, taken_up = spans.only("start patient"), spans.only("take up patient")
    first, second, of_child = spans.named("task charge")
    assert trace_of(first) == trace_of(started)
    assert spans.parent_of(second) == "take up patient"
    assert trace_of(second) == trace_of(taken_up) != trace_of(started)
    assert spans.linked_from(taken_up) == ["start patient"]
    assert trace_of(of_child) == trace_of(taken_up), "a child belongs to the trace that its parent is in now"
    ended = spans.only("run patient")
    assert (trace_of(ended), spans.linked_from(ended)) == (trace_of(taken_up), ["start patient"])
    assert ended.start_time == ended.end_time
    assert (ended.attributes or {})["holdfast.run.seconds"] == 7200


async def test_children_and_chapters_stay_in_the_trace(store_url: str, spans: Spans) -> None:
    async with Environment(store_url, catalog=catalog, tracing=True) as env:
        await env.run(family)
        assert len(spans.traces()) == 1
        await env.run(serial, 1)

    assert len(spans.traces()) == 2
    assert len(spans.named("task charge")) == 4
    assert {spans.parent_of(it) for it in spans.named("task charge")} == {"start family", "start serial"}


async def test_what_nobody_has_traced_gets_a_trace_where_it_runs(spans: Spans) -> None:
    async with Environment(catalog=catalog, tracing=True) as env:
        env._tracing = None  # as a client without tracing, or a schedule
        await env.run(order, 5)

    assert spans.only("take up order").parent is None
    assert {spans.parent_of(spans.only(it)) for it in ("task pack", "task charge")} == {"take up order"}
    assert len(spans.traces()) == 1


async def test_an_unsampled_run_has_no_spans_and_tells_its_tasks_so(spans: Spans) -> None:
    async with Environment(catalog=catalog, tracing=True) as env:
        with trace.use_span(NonRecordingSpan(UNSAMPLED)):
            run = await env.start(see_parent)
        assert await run.result() == [0xABC, 0]

    assert spans.all == []


async def test_without_tracing_nothing_is_stored_and_nothing_is_made(spans: Spans) -> None:
    async with Environment(catalog=catalog) as env:
        with user_tracer().start_as_current_span("POST /orders"):
            run = await env.start(order, 5)
        await run.result()
        record = await env._find(run)

    assert record.options is None
    assert "task charge" not in spans.names


async def test_the_trace_is_kept_with_the_other_options_of_a_run(store_url: str, spans: Spans) -> None:
    async with Environment(store_url, catalog=catalog, tracing=True) as env:
        run = await env.start(order.options(tags=["vip"]), 5)
        options = read_run_options((await env._find(run)).options)
        await run.result()

    assert options.tags == ("vip",)
    assert options.trace.startswith(f"00-{trace_of(spans.only('start order')):032x}-")


@task(catalog=catalog)
async def talk() -> None:
    logging.getLogger("shop").warning("hello")
    raise DoNotRetry("and goodbye")


async def test_log_records_of_a_task_say_in_which_span_they_are(
    spans: Spans, caplog: pytest.LogCaptureFixture
) -> None:
    async with Environment(catalog=catalog, tracing=True) as env:
        run = await env.start(talk)
        with pytest.raises(Exception, match="goodbye"):
            await run.result()

    said, failed = (
        next(it for it in caplog.records if it.name == name) for name in ("shop", "holdfast.failures")
    )
    trace_id, span_id = id_of(spans.only("task talk"))
    for each in (said, failed):
        origin = vars(each)["holdfast_origin"]
        assert (origin["trace_id"], origin["span_id"]) == (f"{trace_id:032x}", f"{span_id:016x}")


thefts: list[Callable[[], Awaitable[None]]] = []


@task(catalog=catalog)
async def lose_the_run() -> int:
    if thefts:
        await thefts.pop()()
    return 1


async def test_what_was_decided_for_a_lost_run_has_no_span(spans: Spans) -> None:
    async with Environment(catalog=catalog, tracing=True) as env:
        thefts.append(lambda: env._parts.store.expire_nodes(env.namespace, [env.engine.node]))
        assert await env.run(lose_the_run) == 1

    assert len(spans.named("task lose_the_run")) == 2, "it was done twice"
    assert len(spans.named("run lose_the_run")) == 1


async def test_an_attempt_that_takes_too_long_has_failed(tmp_path: Path, spans: Spans) -> None:
    (tmp_path / "slow.yaml").write_text("name: slow\ntasks: {wait: {command: sleep 60, timeout: 1s}}\n")
    known = Catalog()
    dag = load_dag(tmp_path / "slow.yaml", catalog=known)
    async with Environment(catalog=known, tracing=True) as env:
        run = await env.start(dag)
        with pytest.raises(RunFailed):
            await run.result()

    attempt = spans.only("task wait")
    assert attempt.status.status_code is StatusCode.ERROR
    assert (attempt.attributes or {})["error.type"] == "holdfast.errors.TaskTimedOut"


async def test_a_tracer_that_fails_stops_no_run(
    spans: Spans, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no more disk")

    async with Environment(catalog=catalog, tracing=True) as env:
        run = await env.start(see_parent)
        monkeypatch.setattr("opentelemetry.sdk.trace.Tracer.start_span", fail)
        assert len(await run.result()) == 2

    assert [it.message for it in caplog.records if it.name == "holdfast.engine"] == [
        "a span could not be made, and others may be missing"
    ]


def test_tracing_without_its_extra_is_refused(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [it for it in sys.modules if it.startswith("opentelemetry")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "holdfast.telemetry.tracing", raising=False)

    with pytest.raises(BadOption, match=r"pip install 'holdfast\[tracing\]'"):
        Holdfast(sqlite_url, catalog=catalog, tracing=True)
