"""Workers that are called, by the executor that calls them and by strangers."""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.executors.http.http_bench import HttpBench, message_of
from tests.executors.recorder import RUN, value_of
from tests.patience import PATIENCE, until
from tests.worker.small_server import SmallServer

from holdfast.core.values import Cancelled, Instant, task_id
from holdfast.errors import BadOption
from holdfast.ports.workers import WorkerRecord
from holdfast.worker import Call, Worker


def worker_of(server: SmallServer, **options: Any) -> Worker:
    options = {"heartbeat": dt.timedelta(seconds=0.1), "url": "http://127.0.0.1:0"} | options
    worker = Worker(server.base, mode="push", **options)

    @worker.service
    def upper(text: str, op: str = "") -> str:
        if op == "fail":
            raise ValueError(f"cannot make {text!r} louder")
        return text.upper()

    @worker.service("lower case")
    async def lower(text: str) -> str:
        return text.lower()

    return worker


@pytest.fixture
async def bench() -> AsyncIterator[HttpBench]:
    bench = HttpBench(call_timeout=5)
    yield bench
    await bench.close()


def record_of(worker: Worker) -> WorkerRecord:
    return WorkerRecord(worker.id, worker.url, ("upper", "lower case"), "http", 0, Instant(0))


def is_listening(worker: Worker) -> bool:
    address = httpx.URL(worker.url)
    with socket.socket() as line:
        return line.connect_ex((address.host, address.port or 0)) == 0


async def post(url: str, **options: Any) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.request(options.pop("method", "POST"), url, **options)


# --- with the executor that calls it


async def test_a_node_calls_functions_of_both_kinds(server: SmallServer, bench: HttpBench) -> None:
    async with worker_of(server) as worker:
        bench.others.append(record_of(worker))
        registered = server.workers[worker.id]

        loud = await bench.run("upper", body=b'{"input": "ab", "params": {"op": "x", "y": 1}}')
        low = await bench.run("lower case", body=b'{"input": "AB", "params": {}}')

    assert (value_of(loud), value_of(low)) == ("AB", "ab")
    assert registered["URL"] == worker.url
    assert registered["Type"] == "http"
    assert not worker.url.endswith(":0")


async def test_an_exception_is_a_failure_of_the_service(server: SmallServer, bench: HttpBench) -> None:
    async with worker_of(server) as worker:
        bench.others.append(record_of(worker))

        outcome = await bench.run(body=b'{"input": "x", "params": {"op": "fail"}}')

    assert message_of(outcome) == "ValueError: cannot make 'x' louder"


async def test_services_know_for_whom_they_are_called(server: SmallServer, bench: HttpBench) -> None:
    worker = worker_of(server)
    calls: list[Call] = []

    @worker.service
    def plain() -> None:
        calls.append(worker.call())

    async with worker:
        bench.others.append(record_of(worker)._replace(services=("plain",)))
        await bench.run("plain", name="größer/b", id="100% sure")

    assert calls == [Call("plain", "100% sure", "größer/b", 3, task_id(RUN, 1))]


async def test_a_service_that_the_worker_does_not_have_is_asked_of_the_next_one(
    server: SmallServer, bench: HttpBench
) -> None:
    async with worker_of(server) as without, worker_of(server) as worker:
        worker.service("rare")(lambda: "found")
        for each in (without, worker):
            bench.others.append(record_of(each)._replace(services=("rare",)))

        outcome = await bench.run("rare")

    assert value_of(outcome) == "found"


async def test_who_hangs_up_ends_an_async_function_and_lets_a_thread_be(
    server: SmallServer, bench: HttpBench
) -> None:
    worker = worker_of(server)
    said: list[str] = []
    began, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    @worker.service
    async def on_loop() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            said.append("cancelled")

    @worker.service
    def on_thread() -> None:
        loop.call_soon_threadsafe(began.set)
        release.wait(PATIENCE)
        said.append("done")

    async with worker:
        bench.others.append(record_of(worker)._replace(services=("on_loop", "on_thread")))
        for service in ("on_loop", "on_thread"):
            began.clear()
            attempt = bench.start(service)
            async with asyncio.timeout(PATIENCE):
                await began.wait()
            bench.executor.cancel(attempt)
            assert await bench.outcome_of(attempt) == Cancelled()
        await server.wait_for_load(1)
        release.set()
        await server.wait_for_load(0)

    assert said == ["cancelled", "done"]


async def test_more_calls_than_may_run_wait_and_count_as_load(server: SmallServer, bench: HttpBench) -> None:
    worker = worker_of(server, concurrency=2)
    release = threading.Event()
    running: list[int] = []

    @worker.service
    def work() -> int:
        running.append(1)
        release.wait(PATIENCE)
        return len(running)

    async with worker:
        bench.others.append(record_of(worker)._replace(services=("work",)))
        attempts = [bench.start("work") for _ in range(5)]
        await server.wait_for_load(5)
        at_once = len(running)
        release.set()
        for attempt in attempts:
            value_of(await bench.outcome_of(attempt))

    assert at_once == 2
    assert len(running) == 5


async def test_a_worker_that_stops_finishes_its_calls_and_takes_no_more(
    server: SmallServer, bench: HttpBench
) -> None:
    worker = worker_of(server)
    release = threading.Event()

    @worker.service
    def work() -> str:
        release.wait(PATIENCE)
        return "done"

    async with worker:
        bench.others.append(record_of(worker)._replace(services=("work",)))
        under_way = bench.start("work")
        await server.wait_for_load(1)
        worker.stop()
        await until(lambda: not is_listening(worker))
        await asyncio.sleep(0.3)  # for a heartbeat that was on its way
        beats = len(server.heartbeats)
        too_late = await bench.run("work")
        release.set()
        in_time = await bench.outcome_of(under_way)
    await asyncio.sleep(0.2)

    assert value_of(in_time) == "done"
    assert "it cannot be reached" in message_of(too_late)
    assert len(server.heartbeats) == beats


async def test_a_call_that_does_not_end_does_not_keep_the_worker_from_stopping(
    server: SmallServer, bench: HttpBench
) -> None:
    worker = worker_of(server, drain=dt.timedelta(seconds=0.2))
    release = threading.Event()
    worker.service("hang")(lambda: release.wait(10 * PATIENCE))
    began = time.monotonic()

    async with worker:
        bench.others.append(record_of(worker)._replace(services=("hang",)))
        attempt = bench.start("hang")
        await server.wait_for_load(1)

    assert time.monotonic() - began < PATIENCE
    assert message_of(await bench.outcome_of(attempt))
    release.set()
    await asyncio.sleep(0.05)


# --- with strangers


async def test_what_is_said_over_http(server: SmallServer) -> None:
    async with worker_of(server, limit=1000) as worker:
        ok = await post(f"{worker.url}/exec/upper", content=b'{"input": "a", "params": {}}')
        behind = await post(f"{worker.url}/any/path/exec/lower%20case", content=b'{"input": "A"}')
        bad = await post(f"{worker.url}/exec/upper", content=b"{")
        large = await post(f"{worker.url}/exec/upper", content=b'"' + b"x" * 5000)
        unknown = await post(f"{worker.url}/exec/nothing", content=b"{}")
        elsewhere = await post(f"{worker.url}/", content=b"{}")
        asked = await post(f"{worker.url}/exec/upper", method="GET")
        empty = await post(f"{worker.url}/exec/upper")

    assert (ok.status_code, ok.json()) == (200, {"result": "A", "error": ""})
    assert behind.json() == {"result": "a", "error": ""}
    assert (bad.status_code, bad.json()["error"]) == (
        400,
        "the call: this is not JSON: Input data was truncated",
    )
    assert large.status_code == 413
    assert "over the limit of 1,000" in large.json()["error"]
    # Not as an error of the service: another worker may have it.
    assert (unknown.status_code, unknown.text) == (404, "there is no such service here")
    assert elsewhere.status_code == 404
    assert asked.status_code == 405
    assert empty.status_code == 400


async def test_a_result_over_the_limit_is_an_error_of_the_service(server: SmallServer) -> None:
    worker = worker_of(server, limit=1000)
    worker.service("long")(lambda: "x" * 2000)

    async with worker:
        answer = await post(f"{worker.url}/exec/long", content=b"{}")

    assert "takes 2,002 bytes as JSON, over the limit of 1,000" in answer.json()["error"]


async def test_headers_that_no_node_would_send_do_no_harm(server: SmallServer) -> None:
    worker = worker_of(server)
    worker.service("who")(lambda: list(worker.call()))
    headers = {"Holdfast-Attempt": "9" * 5000, "Holdfast-Run": "%ff%zz"}

    async with worker:
        answer = await post(f"{worker.url}/exec/who", content=b"{}", headers=headers)

    assert answer.json()["result"] == ["who", "\ufffd%zz", "", 1, ""]


# --- where it is found


async def test_a_port_that_is_taken_becomes_another_and_that_one_is_registered(server: SmallServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with worker_of(server, url=f"http://localhost:{port}/prefix/") as worker:
            answer = await post(f"{worker.url}/exec/upper", content=b'{"input": "a"}')

    assert worker.url.startswith("http://localhost:")
    assert worker.url.endswith("/prefix")
    assert f":{port}" not in worker.url
    assert server.workers[worker.id]["URL"] == worker.url
    assert answer.json()["result"] == "A"


async def test_a_free_port_is_taken_as_it_is(server: SmallServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    async with worker_of(server, url=f"http://localhost:{port}") as worker:
        assert worker.url == f"http://localhost:{port}"


@pytest.mark.parametrize("url", ["localhost:8080", "http://", "http://a:port", "ftp://a", "http://[::1"])
async def test_an_address_that_nobody_could_call_is_refused(server: SmallServer, url: str) -> None:
    with pytest.raises(BadOption, match="url is"):
        async with worker_of(server, url=url):
            pass
