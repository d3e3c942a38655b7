"""`Worker` itself: what it takes, and how a process that runs one ends."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.executors.http.http_bench import HttpBench, message_of
from tests.executors.recorder import value_of
from tests.patience import PATIENCE, until
from tests.worker.small_server import SmallServer

import holdfast
from holdfast.core.values import Instant
from holdfast.errors import BadDefinition, BadOption, OpenedBefore, OutsideContext, Refused
from holdfast.ports.workers import WorkerRecord
from holdfast.worker import Worker

BASE = "http://127.0.0.1:1/api"

SCRIPT = """
import logging, sys, time
from datetime import timedelta
from holdfast.worker import Worker

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
worker = Worker(mode=sys.argv[1], heartbeat=timedelta(seconds=0.1))

@worker.service
def work(seconds: float) -> str:
    time.sleep(seconds)
    return "done"

worker.run()
print("ended in order")
"""


def start(server: SmallServer, mode: str, folder: Path) -> subprocess.Popen[str]:
    (folder / "worker.py").write_text(SCRIPT)
    environment = {
        **os.environ,
        "REGISTRY_URL": server.base,
        "WORKER_URL": "http://127.0.0.1:0",
        "PYTHONPATH": str(Path(holdfast.__file__).parent.parent),
    }
    return subprocess.Popen(
        [sys.executable, "worker.py", mode], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )


async def ended(process: subprocess.Popen[str]) -> str:
    said, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    return said


def is_pending(process: subprocess.Popen[str], number: signal.Signals) -> bool:
    """Whether the kernel has not given this signal to the process yet."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    masks = [int(line.split()[1], 16) for line in status.splitlines() if "Pnd:" in line]
    return any(mask >> (number - 1) & 1 for mask in masks)


# --- processes


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_it_finish_what_it_has(
    server: SmallServer, tmp_path: Path, number: signal.Signals
) -> None:
    id = server.put("work", 0.5)
    process = start(server, "pull", tmp_path)
    await server.wait_until(lambda: len(server.given) == 1)

    process.send_signal(number)
    said = await ended(process)

    assert (await server.result_of(id)).result == "done"
    assert process.returncode == 0
    assert said.endswith("ended in order\n")


async def test_a_second_signal_cuts_it_short(server: SmallServer, tmp_path: Path) -> None:
    server.put("work", 30)
    process = start(server, "pull", tmp_path)
    await server.wait_until(lambda: len(server.given) == 1)

    process.send_signal(signal.SIGTERM)
    await until(lambda: not is_pending(process, signal.SIGTERM))  # two that are pending are one
    process.send_signal(signal.SIGTERM)
    said = await ended(process)

    assert server.completed == []
    assert "told to stop once more" in said
    assert process.returncode == 0


async def test_a_worker_that_was_killed_is_another_one_when_it_comes_back(
    server: SmallServer, tmp_path: Path
) -> None:
    server.put("work", 30)
    first = start(server, "pull", tmp_path)
    await server.wait_until(lambda: len(server.given) == 1)

    first.kill()
    await ended(first)
    id = server.put("work", 0)
    second = start(server, "pull", tmp_path)
    await server.result_of(id)
    second.terminate()
    await ended(second)

    (_, killed), (_, alive) = server.given
    assert killed != alive


async def test_when_a_pushed_worker_is_killed_in_mid_call_another_one_does_it(
    server: SmallServer, tmp_path: Path
) -> None:
    bench = HttpBench()
    processes = [start(server, "push", tmp_path) for _ in range(2)]
    await server.wait_until(lambda: len(server.workers) == 2)
    urls = {id: it["URL"] for id, it in server.workers.items()}
    bench.others = [WorkerRecord(id, url, ("work",), "http", 0, Instant(0)) for id, url in urls.items()]
    attempt = bench.start("work", body=b'{"input": 0.7, "params": {}}')
    busy: list[str] = []

    def is_busy() -> bool:
        busy[:] = [beat["ID"] for beat in server.heartbeats if beat["Load"] == 1]
        return bool(busy)

    await server.wait_until(is_busy)
    for process in processes:
        assert process.stdout is not None
        told = await asyncio.to_thread(process.stdout.readline)
        assert told.startswith("registered at ")
        if busy[0] in told:
            process.kill()
    outcome = await bench.outcome_of(attempt)
    for process in processes:
        process.terminate()
        await ended(process)
    await bench.close()

    assert value_of(outcome) == "done"
    assert busy[0] in bench.logged()[0]
    assert attempt.worker != busy[0]


async def test_a_pushed_worker_ends_in_order(server: SmallServer, tmp_path: Path) -> None:
    bench = HttpBench()
    process = start(server, "push", tmp_path)
    await server.wait_until(lambda: len(server.workers) == 1)
    ((id, worker),) = server.workers.items()
    bench.others = [WorkerRecord(id, worker["URL"], ("work",), "http", 0, Instant(0))]
    attempt = bench.start("work", body=b'{"input": 0.5, "params": {}}')
    await server.wait_for_load(1)

    process.send_signal(signal.SIGTERM)
    outcome = await bench.outcome_of(attempt)
    said = await ended(process)
    after = await bench.run("work")
    await bench.close()

    assert value_of(outcome) == "done"
    assert said.endswith("ended in order\n")
    assert "it cannot be reached" in message_of(after)


# --- what it takes


def test_functions_stay_what_they_are():
    worker = Worker(BASE)

    @worker.service
    def double(number: int) -> int:
        return number * 2

    @worker.service("triple")
    def times_three(number: int) -> int:
        return number * 3

    assert (double(2), times_three(2)) == (4, 6)


def test_a_name_can_be_used_once():
    worker = Worker(BASE)
    worker.service("it")(lambda: 1)

    with pytest.raises(BadDefinition, match="has a service of that name already"):
        worker.service("it")(lambda: 2)


@pytest.mark.parametrize("name", ["", "a\x00b", "x" * 501])
def test_a_name_that_cannot_be_stored_is_refused(name: str):
    with pytest.raises(BadOption, match="the name of a service"):
        Worker(BASE).service(name)(lambda: 1)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"base": "localhost:8070"}, "base"),
        ({"mode": "both"}, "mode"),
        ({"concurrency": 0}, "concurrency"),
        ({"heartbeat": 5}, "heartbeat"),
        ({"heartbeat": dt.timedelta(0)}, "heartbeat"),
        ({"drain": 5}, "drain"),
        ({"name": "a\x00"}, "name"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], option: str):
    with pytest.raises(BadOption) as caught:
        Worker(**{"base": BASE, **options})

    assert caught.value.option == option


def test_without_an_address_of_the_server_there_is_no_worker(monkeypatch: pytest.MonkeyPatch):
    for name in ("REGISTRY_URL", "SCHEDULER_BASE"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(BadOption, match="base is None"):
        Worker()


async def test_a_worker_without_services_does_not_start():
    with pytest.raises(BadOption, match="at least one"):
        await Worker(BASE).serve()


async def test_a_worker_serves_once(server: SmallServer) -> None:
    worker = Worker(server.base)
    worker.service("it")(lambda: 1)
    async with worker:
        with pytest.raises(OpenedBefore):
            await worker.serve()


async def test_a_worker_that_was_told_to_stop_before_does_nothing() -> None:
    worker = Worker(BASE)
    worker.service("it")(lambda: 1)

    worker.stop()
    async with asyncio.timeout(PATIENCE):
        await worker.serve()


async def test_a_server_that_refuses_the_worker_ends_it(server: SmallServer) -> None:
    server.refusals["/register"] = ("400 Bad Request", b'{"error": "ID is too long"}')
    worker = Worker(server.base)
    worker.service("it")(lambda: 1)

    with pytest.raises(Refused, match="does not take this worker: 400 ID is too long"):
        await worker.serve()


async def test_a_wrong_address_is_told_and_tried_again(
    server: SmallServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.refusals["/register"] = ("404 Not Found", b"nothing here")
    worker = Worker(server.base)
    worker.service("it")(lambda: 1)
    serving = asyncio.create_task(worker.serve())
    told = f"cannot register at {server.base}: 404 nothing here; is that its address?"
    async with asyncio.timeout(PATIENCE):
        while told not in caplog.messages:  # noqa: ASYNC110  # nobody tells of a log line
            await asyncio.sleep(0.01)

    server.refusals.clear()
    await server.wait_until(lambda: worker.id in server.workers)
    worker.stop()
    await serving

    assert caplog.messages.count(told) == 1


@pytest.mark.parametrize("mode", ["pull", "push"])
@pytest.mark.parametrize(
    ("status", "is_unknown"), [("404 Not Found", True), ("429 Too Many Requests", False), ("400 Bad", False)]
)
async def test_a_worker_registers_again_only_where_it_is_not_known(
    server: SmallServer, mode: Any, status: str, is_unknown: bool
) -> None:
    """A registration frees what the worker holds: it would lose what it is working on."""
    server.refusals["/heartbeat"] = (status, b"not now")
    worker = Worker(server.base, mode=mode, heartbeat=dt.timedelta(seconds=0.05))
    worker.service("it")(lambda: 1)

    def said(what: str) -> int:
        return sum(request.line.split()[1].endswith(what) for request in server._http.requests)

    async with worker:
        await server._http.wait_until(lambda: said("/heartbeat") >= 4)

    assert (said("/register") > 1) == is_unknown


def test_a_call_is_known_only_while_a_service_is_called():
    with pytest.raises(OutsideContext, match="only while a service is called"):
        Worker.call()
