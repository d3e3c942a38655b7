"""The trace of whoever sends a request: it goes on in the run that the request starts."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, use_span
from tests.spans import Spans, spans, trace_of, user_tracer

import holdfast.sync
from holdfast import Catalog, Holdfast, RunNotFound, Signal, UpdateTimedOut, context, workflow
from holdfast.core.values import key_text

__all__ = ["spans"]

catalog = Catalog()
TRACE = 0x4BF92F3577B34DA6A3CE929D0E0E4736
PARENT = f"00-{TRACE:032x}-00f067aa0ba902b7-01"


@workflow(catalog=catalog)
async def order(amount: int) -> int:
    return amount


@workflow(catalog=catalog)
async def asked() -> int:
    return await context().signal("paid", int)


@contextlib.asynccontextmanager
async def served(url: str) -> AsyncGenerator[tuple[Holdfast, str]]:
    async with Holdfast(url, catalog=catalog, tracing=True) as hf:
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        try:
            yield hf, f"http://127.0.0.1:{port}"
        finally:
            await server.stop()


async def post_order(base: str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=base, trust_env=False) as http:
        body = {"workflow": "order", "input": {"amount": 5}}
        return await http.post("/api/v1/runs?wait=5", json=body, headers=headers)


async def test_a_request_with_a_traceparent_starts_a_run_in_that_trace(store_url: str, spans: Spans) -> None:
    async with served(store_url) as (_, base):
        answer = await post_order(base, traceparent=PARENT, tracestate="vendor=abc")

    assert answer.status_code < 300, answer.text
    started = spans.only("start order")
    assert started.parent is not None
    assert (started.parent.trace_id, started.parent.span_id) == (TRACE, 0x00F067AA0BA902B7)
    ended = spans.only("run order")
    assert trace_of(ended) == TRACE
    assert ended.context is not None
    assert ended.context.trace_state.get("vendor") == "abc"


@pytest.mark.parametrize(
    "said", ["nonsense", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", PARENT + "-x" * 500, ""]
)
async def test_a_traceparent_that_says_nothing_is_ignored(sqlite_url: str, spans: Spans, said: str) -> None:
    async with served(sqlite_url) as (_, base):
        answer = await post_order(base, traceparent=said)

    assert answer.status_code < 300, answer.text
    assert spans.only("start order").parent is None


async def test_requests_do_not_see_the_trace_of_others(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (_, base):
        await post_order(base, traceparent=PARENT)
        await post_order(base)

    first, second = spans.named("start order")
    assert (trace_of(first), second.parent) == (TRACE, None)


async def test_a_remote_client_sends_the_current_span(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (_, base), Holdfast(base, catalog=catalog, tracing=True) as remote:
        with user_tracer().start_as_current_span("elsewhere"):
            assert await remote.run(order, 5) == 5

    assert spans.parent_of(spans.only("start order")) == "elsewhere"


async def test_signals_are_spans_of_whoever_sends_them(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (hf, _):
        run = await hf.start(asked.options(id="order-1"))
        with user_tracer().start_as_current_span("webhook"):
            await hf.signal(key_text(run.key), "paid", 5)
        assert await run.result() == 5

    sent = spans.only("signal paid")
    assert spans.parent_of(sent) == "webhook"
    assert spans.linked_from(sent) == ["start asked"]
    assert (sent.attributes or {})["holdfast.run.id"] == "order-1", "as all other spans of the run"


async def test_a_signal_to_a_run_that_is_not_sampled_has_no_link(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (hf, _):
        with use_span(NonRecordingSpan(SpanContext(0xABC, 0xDEF, is_remote=True))):
            run = await hf.start(asked)
        await hf.signal(run, "paid", 5)
        with pytest.raises(RunNotFound):
            await hf.signal("nobody", "paid", 5)

    assert [tuple(it.links) for it in spans.named("signal paid")] == [(), ()]


async def test_signals_to_many_runs_are_one_span_that_names_them(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (hf, _):
        runs = [await hf.start(asked.options(id=f"order-{number}")) for number in range(120)]
        with user_tracer().start_as_current_span("webhook"):
            await hf.signal_many([(run, Signal("paid", 5)) for run in runs])
            await hf.signal_many([])
        assert {await run.result() for run in runs} == {5}

    sent = spans.only("signal paid")
    assert spans.parent_of(sent) == "webhook"
    attributes = sent.attributes or {}
    assert (attributes["holdfast.signal"], attributes["holdfast.messages"]) == ("paid", 120)
    assert attributes["holdfast.run.ids"] == tuple(f"order-{number}" for number in range(100))


@workflow(catalog=catalog)
async def counter() -> None:
    context().on_update("add", lambda number: number + 1)
    await context().signal("stop")


async def test_updates_are_spans_of_whoever_sends_them(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (hf, _):
        run = await hf.start(counter)
        with user_tracer().start_as_current_span("webhook"):
            assert await hf.update(run, "add", 5) == 6
        await hf.signal(run, "stop")
        await run.result()

    sent = spans.only("update add")
    assert spans.parent_of(sent) == "webhook"
    assert spans.linked_from(sent) == ["start counter"]


@workflow(catalog=catalog)
async def hesitant() -> None:
    async def add(number: int) -> int:
        await context().signal("go")
        return number

    context().on_update("add", add)
    await context().signal("stop")


async def test_an_update_that_is_not_answered_in_time_is_an_error(sqlite_url: str, spans: Spans) -> None:
    async with served(sqlite_url) as (hf, _):
        run = await hf.start(hesitant)
        with pytest.raises(UpdateTimedOut):
            await hf.update(run, "add", 5, timeout=dt.timedelta(milliseconds=50))

    assert spans.only("update add").status.status_code is StatusCode.ERROR


async def test_calls_without_await_are_in_the_trace_of_their_thread(tmp_path: Path, spans: Spans) -> None:
    def call() -> None:
        with (
            holdfast.sync.Holdfast(f"sqlite:///{tmp_path}/s.db", catalog=catalog, tracing=True) as hf,
            user_tracer().start_as_current_span("job"),
        ):
            assert hf.run(order, 5) == 5

    await asyncio.to_thread(call)

    assert spans.parent_of(spans.only("start order")) == "job"
