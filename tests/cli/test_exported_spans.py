"""Spans of our commands, as a real collector gets them: OTLP over HTTP, from real processes."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.cli.processes import Project

from holdfast import Call, Catalog, Holdfast

SHOP = """
from opentelemetry import trace
from holdfast import task, workflow

@task
async def charge() -> None:
    with trace.get_tracer("shop").start_as_current_span("call the bank"):
        pass

@workflow
async def order() -> str:
    await charge()
    return "ok"
"""
DAG = """
name: nightly
tasks:
  count: {file: steps.py, function: count}
"""
STEPS = """
from opentelemetry import trace

def count() -> int:
    with trace.get_tracer("steps").start_as_current_span("read the file"):
        return 5
"""


class Collector:
    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.services: set[str] = set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def take(self, request: Any) -> None:
        for resource in request.resource_spans:
            attributes = resource.resource.attributes
            self.services |= {it.value.string_value for it in attributes if it.key == "service.name"}
            for scope in resource.scope_spans:
                self.spans += scope.spans

    def parents(self) -> dict[str, str]:
        names = {span.span_id: span.name for span in self.spans}
        return {span.name: names.get(span.parent_span_id, "") for span in self.spans}


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.server.shutdown()
    collector.server.server_close()
    collector.thread.join()


@pytest.mark.parametrize("by_setting", [False, True])
def test_serve_exports_spans_of_all_its_processes(
    project: Project, collector: Collector, by_setting: bool
) -> None:
    project.write("shop.py", SHOP)
    project.write("steps.py", STEPS)
    project.write("nightly.yaml", DAG)
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    if by_setting:
        project.write("holdfast.toml", "tracing = true\n")
        variables |= {"OTEL_SERVICE_NAME": "shop"}
    serve = ("serve", "--no-http", "--until-idle", "--db", "h.db", "shop.py", "nightly.yaml")
    project.execute(*serve)  # its workflows are known from now on
    for name in ("order", "nightly"):
        # In a process of its own: the setting would let it use the provider of the tests here.
        assert project.execute("start", name, "--db", "h.db").returncode == 0

    done = project.execute(*serve, **variables)

    assert done.returncode == 0, done.stderr
    parents = collector.parents()
    assert parents["call the bank"] == "task charge"
    assert parents["read the file"] == "task count", "from a process of the pool"
    assert {parents["run order"], parents["task charge"]} <= {"take up order", "start order"}
    assert collector.services == {"shop" if by_setting else "holdfast"}


async def start_orders(project: Project, count: int) -> None:
    """By a client that is not traced and does none of the work."""
    async with Holdfast(f"sqlite:///{project.folder}/h.db", catalog=Catalog()) as hf:
        await hf.start_calls("order", [Call()] * count)


@pytest.mark.parametrize("sampler", ["", "parentbased_always_on"])
def test_above_the_limit_of_new_traces_some_runs_are_not_traced_and_the_log_says_so(
    project: Project, collector: Collector, sampler: str
) -> None:
    project.write("shop.py", SHOP)
    serve = ("serve", "--no-http", "--until-idle", "--db", "h.db", "shop.py")
    project.execute(*serve)
    asyncio.run(start_orders(project, 300))

    done = project.execute(*serve, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_TRACES_SAMPLER=sampler)

    assert done.returncode == 0, done.stderr
    kept = Counter(span.name for span in collector.spans)
    assert kept["take up order"] == kept["task charge"] == kept["call the bank"] == kept["run order"]
    if sampler:
        assert kept["run order"] == 300
        assert "not every run is traced" not in done.stderr
    else:
        assert 10 <= kept["run order"] < 300
        assert done.stderr.count("at most 10 new traces are kept in a second") == 1


def test_a_run_that_a_traced_command_starts_goes_on_in_its_trace(
    project: Project, collector: Collector
) -> None:
    project.write("shop.py", SHOP)
    serve = ("serve", "--no-http", "--until-idle", "--db", "h.db", "shop.py")
    project.execute(*serve)
    step = f"00-{0xABC:032x}-{0xDEF:016x}-01"
    started = project.execute("start", "order", "--db", "h.db", TRACEPARENT=step)
    assert started.returncode == 0, started.stderr

    done = project.execute(*serve, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, TRACEPARENT="of the node")

    assert done.returncode == 0, done.stderr
    [ended] = [span for span in collector.spans if span.name == "run order"]
    assert (int.from_bytes(ended.trace_id), int.from_bytes(ended.parent_span_id)) == (0xABC, 0xDEF)


def test_a_collector_that_is_away_holds_up_nothing(project: Project) -> None:
    project.write("shop.py", SHOP)

    done = project.execute(
        "worker",
        "--until-idle",
        "shop.py",
        HOLDFAST_TRACING="true",
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
    )

    assert done.returncode == 0, done.stderr
