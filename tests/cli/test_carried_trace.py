"""Commands in the trace of whoever has called them, as a step of CI: `TRACEPARENT` and `TRACESTATE`."""

from __future__ import annotations

import pytest
from tests.cli.processes import Project
from tests.cli.test_server_option import on_its_thread, start_server
from tests.spans import Spans, spans, trace_of

import holdfast.sync
from holdfast import Catalog, context, workflow
from holdfast.core.run_options import RunOptions, read_run_options

__all__ = ["spans"]

catalog = Catalog()
TRACE, SPAN = 0x4BF92F3577B34DA6A3CE929D0E0E4736, 0x00F067AA0BA902B7
STEP = f"00-{TRACE:032x}-{SPAN:016x}-01"


@workflow(catalog=catalog)
async def order() -> int:
    return await context().signal("paid", int)


def options_of(hf: holdfast.sync.Holdfast, run: str) -> RunOptions:
    return read_run_options(on_its_thread(hf, lambda: hf.inner._find(run)).options)


def test_a_run_that_a_command_starts_belongs_to_the_trace_of_its_caller(
    project: Project, store_url: str, spans: Spans
) -> None:
    start = ("start", "order", "--db", store_url)
    with holdfast.sync.Holdfast(store_url, catalog=catalog, tracing=True) as hf:
        started = project.run(*start, "--id", "a", TRACEPARENT=STEP, TRACESTATE="vendor=abc")
        plain = project.run(*start, "--id", "b", "--tag", "x", TRACEPARENT=STEP)
        signalled = project.run("signal", "a", "paid", "5", "--db", store_url, TRACEPARENT=STEP)
        assert [it.returncode for it in (started, plain, signalled)] == [0, 0, 0], started.stderr
        assert hf.result("a") == 5
        stored = options_of(hf, "a"), options_of(hf, "b")

    assert stored[0].trace == f"{STEP} vendor=abc"
    assert (stored[1].trace, stored[1].tags) == (STEP, ("x",))
    ended = spans.only("run order")
    assert ended.parent is not None
    assert (trace_of(ended), ended.parent.span_id) == (TRACE, SPAN)


@pytest.mark.parametrize(
    ("traceparent", "tracestate", "stored"),
    [
        (STEP, "é" * 3, STEP),
        (STEP, "a=" + "b" * 600, STEP),
        (STEP.upper(), "", ""),
        (f"00-{0:032x}-{SPAN:016x}-01", "", ""),
        (f"00-{TRACE:032x}-{0:016x}-01", "", ""),
        (f"ff{STEP[2:]}", "", ""),
        (f"{STEP}-more", "", ""),
        ("", "vendor=abc", ""),
    ],
)
def test_what_is_no_trace_is_ignored(
    project: Project, sqlite_url: str, traceparent: str, tracestate: str, stored: str
) -> None:
    with holdfast.sync.Holdfast(sqlite_url, catalog=catalog) as hf:
        variables = {"TRACEPARENT": traceparent, "TRACESTATE": tracestate}
        started = project.run("start", "order", "--id", "a", "--db", sqlite_url, **variables)
        options = options_of(hf, "a")

    assert started.returncode == 0, started.stderr
    assert options.trace == stored


def test_a_server_is_told_the_trace_of_a_command(project: Project, sqlite_url: str, spans: Spans) -> None:
    with holdfast.sync.Holdfast(sqlite_url, catalog=catalog, tracing=True) as hf:
        server, port = on_its_thread(hf, lambda: start_server(hf))
        try:
            there = ("--server", f"http://127.0.0.1:{port}")
            started = project.run("start", "order", "--id", "a", *there, TRACEPARENT=STEP)
            signalled = project.run("signal", "a", "paid", "5", *there, TRACEPARENT=STEP)
        finally:
            on_its_thread(hf, server.stop)
        assert [it.returncode for it in (started, signalled)] == [0, 0], started.stderr
        assert hf.result("a") == 5

    parents = {name: spans.only(name).parent for name in ("start order", "signal paid")}
    assert {name: it and (it.trace_id, it.span_id) for name, it in parents.items()} == dict.fromkeys(
        parents, (TRACE, SPAN)
    )
