"""The span of an attempt in other processes: commands, Python functions, and workers over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opentelemetry.trace import INVALID_SPAN_CONTEXT
from tests.engine.test_http_workers import world
from tests.executors.http.http_bench import says
from tests.spans import Spans, id_of, spans, user_tracer

from holdfast import Catalog, Holdfast, load_dag
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
