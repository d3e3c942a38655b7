"""Which worker is asked, and who is asked after that."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.executors.http.http_bench import HttpBench, RawWorker, answers, breaks_off, hangs, message_of, says
from tests.executors.recorder import value_of
from tests.patience import PATIENCE

from holdfast.core.values import Instant
from holdfast.errors import StoreUnavailable
from holdfast.ports.workers import WorkerRecord


@pytest.fixture
async def bench() -> AsyncIterator[HttpBench]:
    bench = HttpBench()
    yield bench
    await bench.close()


async def answered_by(bench: HttpBench, **options: object) -> str:
    attempt = bench.start(**options)  # type: ignore[arg-type]
    value_of(await bench.outcome_of(attempt))
    return attempt.worker


async def test_workers_of_a_service_take_turns(bench: HttpBench) -> None:
    for id in ("w2", "w3", "w1"):
        await bench.add(id, says(1))
    await bench.add("w0", says(1), services=("lower",))

    order = [await answered_by(bench) for _ in range(7)]

    assert order == ["w1", "w2", "w3", "w1", "w2", "w3", "w1"]


async def test_each_service_has_a_turn_of_its_own(bench: HttpBench) -> None:
    for id in ("w1", "w2"):
        await bench.add(id, says(1), services=("upper", "lower", "upper"))

    order = [await answered_by(bench, service=each) for each in ("upper", "lower", "upper", "lower")]

    assert order == ["w1", "w1", "w2", "w2"]


async def test_the_turn_goes_on_after_a_worker_that_is_gone(bench: HttpBench) -> None:
    workers = [await bench.add(id, says(1)) for id in ("w1", "w2", "w3")]
    order = [await answered_by(bench), await answered_by(bench)]

    bench.workers.remove(workers[1])
    await asyncio.sleep(1)
    order += [await answered_by(bench), await answered_by(bench)]
    await workers[1].close()

    assert order == ["w1", "w2", "w3", "w1"]


async def test_the_worker_with_the_least_load_is_asked_first(bench: HttpBench) -> None:
    for id, load in (("w1", 5), ("w2", 2), ("w3", 9)):
        (await bench.add(id, says(1))).load = load

    assert [await answered_by(bench, weighted_by_load=True) for _ in range(6)] == ["w2"] * 6


async def test_our_own_calls_that_are_under_way_count_as_load(bench: HttpBench) -> None:
    for id, load in (("w1", 0), ("w2", 2), ("w3", 100)):
        (await bench.add(id, hangs)).load = load
    first, second, _ = bench.workers

    for _ in range(8):
        bench.start(weighted_by_load=True)
    await first.wait_until(lambda: len(first.requests) == 5)
    await second.wait_until(lambda: len(second.requests) == 3)

    assert [len(worker.requests) for worker in bench.workers] == [5, 3, 0]


async def test_among_those_with_the_same_load_they_take_turns(bench: HttpBench) -> None:
    for id in ("w1", "w2"):
        await bench.add(id, says(1))

    assert [await answered_by(bench, weighted_by_load=True) for _ in range(4)] == ["w1", "w2", "w1", "w2"]


# --- one after the other


async def test_each_worker_is_asked_once_and_the_failure_names_them_all(bench: HttpBench) -> None:
    for id in ("w1", "w2", "w3"):
        await bench.add(id, answers("503 Service Unavailable", b"busy"))

    message = message_of(await bench.run())

    assert [len(worker.requests) for worker in bench.workers] == [1, 1, 1]
    assert message.startswith("no worker of service 'upper' has answered: w1 (http://127.0.0.1:")
    for worker in bench.workers:
        assert f"{worker.id} ({worker.url}): it answered 503 Service Unavailable ('busy')" in message
    assert len(bench.logged()) == 3


async def test_no_more_workers_are_asked_than_the_call_allows(bench: HttpBench) -> None:
    for id in ("w1", "w2", "w3"):
        await bench.add(id, breaks_off)

    message_of(await bench.run(max_attempts=2))

    assert [len(worker.requests) for worker in bench.workers] == [1, 1, 0]


async def test_between_two_workers_there_is_the_delay_and_none_after_the_last(
    bench: HttpBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in ("w1", "w2", "w3"):
        await bench.add(id, breaks_off)
    delays: list[float] = []
    sleep = asyncio.sleep

    async def sleep_briefly(seconds: float) -> None:
        delays.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", sleep_briefly)

    message_of(await bench.run(attempt_delay=dt.timedelta(seconds=0.3)))

    assert [each for each in delays if each] == [0.3, 0.3]


async def test_who_has_not_answered_is_asked_again_in_the_next_attempt(bench: HttpBench) -> None:
    worker = await bench.add("w1", breaks_off)
    message_of(await bench.run())

    worker.answer = says("back")

    assert value_of(await bench.run()) == "back"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:1", "it cannot be reached: "),
        ("http://no-such-host.invalid", "it cannot be reached: "),
        ("http://127.0.0.1:port", "its address cannot be understood: "),
        ("http://\x00", "its address cannot be understood: "),
        ("localhost:8080", "the connection broke: Request URL has an unsupported protocol"),
        ("", "the connection broke: Request URL is missing"),
    ],
)
async def test_a_worker_that_nobody_can_call_is_passed_over(bench: HttpBench, url: str, reason: str) -> None:
    bench.others.append(WorkerRecord("w1", url, ("upper",), "http", 0, Instant(0)))
    await bench.add("w2", says("from w2"))

    assert value_of(await bench.run()) == "from w2"
    assert reason in bench.logged()[0]


# --- the registry


async def test_without_a_worker_of_the_service_the_attempt_fails_when_it_has_waited(bench: HttpBench) -> None:
    await bench.add("w1", says(1), services=("lower",))

    message = message_of(await bench.run(), "NoWorker")

    assert message.startswith("no worker of service 'upper' has been online for 0s")


@pytest.mark.parametrize("change", [{"type": "async"}, {"url": "queue"}, {"is_online": False}])
async def test_workers_that_ask_by_themselves_or_are_offline_are_not_called(
    bench: HttpBench, change: dict[str, Any]
) -> None:
    worker = await bench.add("w2", says(1), services=())
    record = worker.record._replace(services=("upper",))
    bench.others = [record._replace(id="w1", **change), record]

    assert [await answered_by(bench) for _ in range(2)] == ["w2", "w2"]
    assert bench.logged() == []


async def test_a_worker_that_comes_back_in_time_is_found() -> None:
    bench = HttpBench(wait=10)
    attempts = [bench.start() for _ in range(50)]
    await asyncio.sleep(0.2)
    looks_before = bench.looks

    await bench.add("w1", says("late"))

    assert {value_of(await bench.outcome_of(attempt)) for attempt in attempts} == {"late"}
    assert looks_before < bench.looks < 10  # and not one look for each attempt
    await bench.close()


async def test_the_wait_for_a_worker_ends() -> None:
    bench = HttpBench(wait=1.5)
    began = time.monotonic()

    message = message_of(await bench.run(), "NoWorker")

    assert 1.5 <= time.monotonic() - began < PATIENCE
    assert "for 1.5s" in message
    await bench.close()


async def test_the_registry_is_asked_once_for_many_attempts(bench: HttpBench) -> None:
    await bench.add("w1", says(1))

    attempts = [bench.start() for _ in range(100)]
    for attempt in attempts:
        value_of(await bench.outcome_of(attempt))

    assert bench.looks < 10


async def test_if_the_registry_does_not_answer_what_it_said_last_still_counts(bench: HttpBench) -> None:
    await bench.add("w1", says(1))
    await bench.run()

    bench.trouble = StoreUnavailable("the database", "gone")
    await asyncio.sleep(1)

    assert value_of(await bench.run()) == 1
    assert bench.looks >= 2


async def test_if_the_registry_never_answered_that_is_the_failure(bench: HttpBench) -> None:
    bench.trouble = StoreUnavailable("the database", "gone")

    message = message_of(await bench.run(), "StoreUnavailable")

    assert message == "the database does not answer: gone"


# --- a worker that is killed

WORKER = """
import socket, sys, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
connection.recv(100_000)
print("called", flush=True)
time.sleep(60)
"""


async def test_when_a_worker_is_killed_in_mid_call_another_one_does_it(
    bench: HttpBench, tmp_path: Path
) -> None:
    process = subprocess.Popen([sys.executable, "-c", WORKER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = int(await asyncio.to_thread(process.stdout.readline))
    bench.others.append(WorkerRecord("w1", f"http://127.0.0.1:{port}", ("upper",), "http", 0, Instant(0)))
    survivor: RawWorker = await bench.add("w2", says("from the survivor"))
    attempt = bench.start()
    assert await asyncio.to_thread(process.stdout.readline) == "called\n"

    os.kill(process.pid, signal.SIGKILL)

    assert value_of(await bench.outcome_of(attempt)) == "from the survivor"
    assert survivor.requests[0].headers["idempotency-key"].endswith(":1")
    assert "w1" in bench.logged()[0]
    await asyncio.to_thread(process.communicate)


async def test_when_all_are_killed_the_next_attempt_finds_the_one_that_came_back(bench: HttpBench) -> None:
    worker = await bench.add("w1", says(1))
    await worker.close()
    message = message_of(await bench.run())

    bench.workers.remove(worker)
    await bench.add("w1", says("again"))
    await asyncio.sleep(1)

    assert "it cannot be reached" in message
    assert value_of(await bench.run()) == "again"
