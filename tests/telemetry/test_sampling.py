"""How many traces are kept where holdfast sets up OpenTelemetry itself."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags
from tests.spans import Spans, spans, user_tracer

from holdfast import Catalog, context, task, workflow
from holdfast.telemetry.sampling import LimitedTraces
from holdfast.testing import Environment

__all__ = ["spans"]

catalog = Catalog()
UNSAMPLED = SpanContext(0xABC, 0xDEF, is_remote=True, trace_flags=TraceFlags(0))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@task(catalog=catalog)
async def is_sampled() -> bool:
    return trace.get_current_span().get_span_context().trace_flags.sampled


@workflow(catalog=catalog)
async def child() -> list[bool]:
    await asyncio.sleep(60)
    return [await is_sampled()]


@workflow(catalog=catalog)
async def parent(number: int) -> list[bool]:
    return [await is_sampled(), *await context().start_child(child)]


def runs_in(found: list[ReadableSpan]) -> set[object]:
    return {(it.attributes or {})["holdfast.run.id"] for it in found}


def open_roots(count: int) -> None:
    for _ in range(count):
        user_tracer().start_span("root").end()


def test_so_many_new_traces_are_kept_in_a_second_and_say_for_how_many_they_stand(spans: Spans) -> None:
    clock = Clock()
    spans.sample_with(LimitedTraces(3, clock))

    open_roots(10)
    clock.now = 1.0
    open_roots(2)
    clock.now = 100.0  # what was not used is not saved up
    open_roots(10)

    found = [(it.attributes or {}).get("holdfast.sampled_of") for it in spans.named("root")]
    assert found == [None, None, None, 8, None, None, None, None]


def test_what_belongs_to_the_trace_of_others_follows_their_decision(spans: Spans) -> None:
    spans.sample_with(LimitedTraces(1, Clock()))

    with user_tracer().start_as_current_span("first"):
        for _ in range(5):
            user_tracer().start_span("inner").end()
    with trace.use_span(NonRecordingSpan(UNSAMPLED)):
        user_tracer().start_span("elsewhere left out").end()

    assert spans.names == ["first", *["inner"] * 5]


@pytest.mark.parametrize("is_traced", [False, True])
async def test_a_share_of_the_runs_that_one_call_starts_is_traced_as_a_whole(
    store_url: str, spans: Spans, is_traced: bool
) -> None:
    spans.sample_with(LimitedTraces(30, Clock()))
    async with Environment(store_url, catalog=catalog, tracing=True) as env:
        if is_traced:
            with user_tracer().start_as_current_span("import"):  # takes one of the thirty
                runs = await env.start_many(parent, range(120))
        else:
            runs = await env.start_many(parent, range(120))
        await env.skip(dt.timedelta(seconds=30))
        await env.crash()
        results = [await run.result() for run in runs]

    started = spans.only("start parent").attributes or {}
    assert started["holdfast.runs.share"] == pytest.approx((29 if is_traced else 30) / 120)
    traced = {run.id for run, seen in zip(runs, results, strict=True) if seen == [True, True]}
    assert 5 < len(traced) < 70
    assert all(
        seen == [False, False] for run, seen in zip(runs, results, strict=True) if run.id not in traced
    )
    assert runs_in(spans.named("run parent")) == traced
    assert len(spans.named("task is_sampled")) == 2 * len(traced)
    assert len(spans.named("run child")) == len(traced)


async def test_runs_that_nobody_has_traced_begin_no_more_traces_than_that(spans: Spans) -> None:
    spans.sample_with(LimitedTraces(3, Clock()))
    async with Environment(catalog=catalog, tracing=True) as env:
        env._tracing = None  # as a client without tracing, or a schedule
        seen = [await env.run(is_sampled) for _ in range(5)]

    assert seen == [True, True, True, False, False]
    assert len(spans.named("take up is_sampled")) == len(spans.named("run is_sampled")) == 3


async def test_starts_begin_no_more_traces_than_that(spans: Spans) -> None:
    clock = Clock()
    spans.sample_with(LimitedTraces(2, clock))
    async with Environment(catalog=catalog, tracing=True) as env:
        seen = [await env.run(is_sampled) for _ in range(4)]
        clock.now = 0.5
        seen.append(await env.run(is_sampled))

    assert seen == [True, True, False, False, True]
    attributes = [it.attributes or {} for it in spans.named("start is_sampled")]
    assert [it.get("holdfast.sampled_of") for it in attributes] == [None, None, 3]
    assert "take up is_sampled" not in spans.names


def test_what_is_left_out_is_logged_once_an_hour(spans: Spans, caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    spans.sample_with(LimitedTraces(2, clock))

    open_roots(2)
    assert caplog.messages == []
    open_roots(3)
    assert len(caplog.messages) == 1
    clock.now = 3600.0
    open_roots(3)

    first, second = caplog.messages
    assert "at most 2 new traces are kept in a second, and 1 were left out" in first
    assert "and 3 were left out" in second
    assert "OTEL_TRACES_SAMPLER=parentbased_always_on" in second
