"""The span of an attempt in other processes: commands, Python functions, and workers over HTTP."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.trace import (
    INVALID_SPAN_CONTEXT,
    NonRecordingSpan,
    SpanContext,
    StatusCode,
    TraceFlags,
    TraceState,
    use_span,
)
from tests.engine.test_http_workers import world
from tests.engine.test_queued_work import ONE, start, take
from tests.executors.http.http_bench import says
from tests.spans import Spans, id_of, spans, user_tracer

from holdfast import Catalog, Holdfast, load_dag
from holdfast.client.workers import queue_id
from holdfast.testing import Environment
from holdfast.worker import Worker

__all__ = ["spans"]

DAG = """
name: nightly
tasks:
  command:
    command: printf '"%s"' "$TRACEPARENT|$TRACESTATE" > "$HOLDFAST_OUTPUT_FILE"
    output_type: str
  function:
    file: steps.py
    function: where
  again:
    depends_on: function
    file: steps.py
    function: where
output: {command: {ref: command}, function: {ref: function}, again: {ref: again}}
"""
STEPS = """
import os
from opentelemetry import trace

def where() -> list[str]:
    found = trace.get_current_span().get_span_context()
    return [os.environ.get("TRACEPARENT", ""), f"{found.trace_id:032x}-{found.span_id:016x}"]
"""


def written(span: Any) -> str:
    trace_id, span_id = id_of(span)
    return f"{trace_id:032x}-{span_id:016x}"


def ids_in(traceparent: str) -> str:
    version, ids, flags = traceparent[:2], traceparent[3:-3], int(traceparent[-2:], 16)
    assert (version, flags & 1) == ("00", 1)
    return ids


async def test_commands_and_python_functions_find_the_span_of_their_attempt(
    tmp_path: Path, spans: Spans
) -> None:
    (tmp_path / "steps.py").write_text(STEPS)
    (tmp_path / "dag.yaml").write_text(DAG)
    catalog = Catalog()
    dag = load_dag(tmp_path / "dag.yaml", catalog=catalog)

    async with Holdfast(f"sqlite:///{tmp_path}/h.db", catalog=catalog, tracing=True, python_workers=1) as hf:
        result = await hf.run(dag)

    ids = {it: written(spans.only(f"task {it}")) for it in ("command", "function", "again")}
    assert len(set(ids.values())) == 3
    traceparent, _, tracestate = result["command"].partition("|")
    assert (ids_in(traceparent), tracestate) == (ids["command"], "")
    for each in ("function", "again"):
        told, found = result[each]
        assert (ids_in(told), found) == (ids[each], ids[each])


async def test_without_tracing_other_processes_are_told_of_no_span(tmp_path: Path, spans: Spans) -> None:
    (tmp_path / "steps.py").write_text(STEPS)
    (tmp_path / "dag.yaml").write_text(DAG)
    catalog = Catalog()
    dag = load_dag(tmp_path / "dag.yaml", catalog=catalog)

    async with Holdfast(f"sqlite:///{tmp_path}/h.db", catalog=catalog, python_workers=1) as hf:
        result = await hf.run(dag)

    nowhere = f"{INVALID_SPAN_CONTEXT.trace_id:032x}-{INVALID_SPAN_CONTEXT.span_id:016x}"
    assert result == {"command": "|", "function": ["", nowhere], "again": ["", nowhere]}


async def test_a_worker_over_http_gets_the_headers(tmp_path: Path, spans: Spans) -> None:
    async with world(f"sqlite:///{tmp_path}/h.db", tmp_path, tracing=True) as here:
        raw = await here.add("any", says("HI"))
        run = await here.start()
        await run.result()
        await raw.close()

    [request] = raw.requests
    assert ids_in(request.headers["traceparent"]) == written(spans.only("task call"))
    assert "tracestate" not in request.headers


async def test_what_a_worker_takes_from_the_queue_is_a_span_when_it_has_reported(
    store_url: str, spans: Spans
) -> None:
    async with Environment(store_url, catalog=Catalog(), tracing=True) as env:
        run = await start(env, ONE)
        first = await take(env, "resize", "w1")
        await env.skip(dt.timedelta(seconds=30))
        assert spans.named("task work") == []
        await env.workers.complete(queue_id(first), error="out of paper")
        await env.skip(dt.timedelta(minutes=11))
        second = await take(env, "resize", "w2")
        await env.crash()
        await env.workers.complete(queue_id(second), result=7)
        assert await run.result() == {"result": 7}

    failed, done = sorted(spans.named("task work"), key=lambda it: it.start_time or 0)
    assert {spans.parent_of(it) for it in (failed, done)} == {f"start {flow_in(spans)}"}
    assert [(it.attributes or {})["holdfast.attempt"] for it in (failed, done)] == [1, 2]
    assert [(it.attributes or {})["holdfast.worker"] for it in (failed, done)] == ["w1", "w2"]
    assert [it.status.status_code for it in (failed, done)] == [StatusCode.ERROR, StatusCode.UNSET]


@pytest.mark.parametrize("is_sampled", [True, False])
async def test_a_worker_that_polls_is_told_the_trace_of_the_run(
    store_url: str, tmp_path: Path, spans: Spans, is_sampled: bool
) -> None:
    flags = TraceFlags(TraceFlags.SAMPLED if is_sampled else TraceFlags.DEFAULT)
    state = TraceState([("vendor", "abc")])
    caller = SpanContext(0xABC, 0xDEF, is_remote=True, trace_flags=flags, trace_state=state)
    async with world(store_url, tmp_path, tracing=True) as here:
        flow = await here.hf.flows.create("flow")
        await here.hf.flows.publish(flow.id, ONE)
        with use_span(NonRecordingSpan(caller)):
            await here.hf.start(flow.id)
        item = await polled(here.base)

    assert item["traceparent"].startswith(f"00-{0xABC:032x}-")
    assert item["traceparent"].endswith("-01" if is_sampled else "-00")
    assert item["tracestate"] == "vendor=abc"


async def test_a_worker_that_polls_for_a_run_that_is_not_traced_is_told_nothing(
    sqlite_url: str, tmp_path: Path, spans: Spans
) -> None:
    async with world(sqlite_url, tmp_path) as here:
        flow = await here.hf.flows.create("flow")
        await here.hf.flows.publish(flow.id, ONE)
        await here.hf.start(flow.id)
        item = await polled(here.base)

    assert not {"traceparent", "tracestate"} & item.keys()


async def polled(base: str) -> dict[str, Any]:
    """The first task that the queue has for a worker, in any language."""
    async with httpx.AsyncClient(trust_env=False) as http:
        while True:
            asked = {"worker_id": "any", "services": ["resize"]}
            answer = await http.post(f"{base}/queue/poll", json=asked)
            if answer.status_code != 204:
                return answer.raise_for_status().json()
            await asyncio.sleep(0.01)


async def test_what_our_own_worker_opens_for_a_task_of_the_queue_is_in_the_trace(
    store_url: str, tmp_path: Path, spans: Spans
) -> None:
    async with world(store_url, tmp_path, tracing=True) as here:
        worker = Worker(here.base, mode="pull", name="ours")

        @worker.service
        def resize(input: Any) -> int:
            with user_tracer().start_as_current_span("read the picture"):
                return 7

        flow = await here.hf.flows.create("flow")
        await here.hf.flows.publish(flow.id, ONE)
        async with worker:
            run = await here.hf.start(flow.id)
            assert await run.result() == {"result": 7}

    opened, done = spans.only("read the picture"), spans.only("task work")
    assert spans.parent_of(opened) == spans.parent_of(done) == f"start {flow_in(spans)}"


def flow_in(spans: Spans) -> str:
    [started] = [it.name for it in spans.all if it.name.startswith("start ")]
    return started.removeprefix("start ")


async def test_what_our_own_worker_opens_is_below_the_attempt(tmp_path: Path, spans: Spans) -> None:
    async with world(f"sqlite:///{tmp_path}/h.db", tmp_path, tracing=True) as here:
        worker = Worker(here.base, mode="push", url="http://127.0.0.1:0", name="ours")

        @worker.service
        def upper(word: str) -> str:
            with user_tracer().start_as_current_span("look it up"):
                return word.upper()

        async with worker:
            run = await here.start()
            assert await run.result() == {"said": "HI"}

    assert spans.parent_of(spans.only("look it up")) == "task call"
