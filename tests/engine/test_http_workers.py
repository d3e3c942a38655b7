"""What a run does when its workers misbehave: real HTTP on loopback, real processes, on both databases."""

from __future__ import annotations

import asyncio
import datetime as dt
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
from tests.executors.http.http_bench import Answer, RawWorker, answers, breaks_off, hangs, says
from tests.patience import PATIENCE, until

from holdfast import Catalog, Holdfast, RunFailed, load_flow

FLOW = """
    start: call
    nodes:
      call:
        kind: executor
        service: upper
        max_retries: {retries}
        wait_ms: 100
        prep: {{input_key: $params.word}}
        post: {{output_key: said}}
"""

WORKER = """
import os, sys, time
from holdfast.worker import Worker

worker = Worker(sys.argv[1], mode="push", url="http://127.0.0.1:0", name=sys.argv[2])

@worker.service
def upper(word: str) -> str:
    print("called", flush=True)
    time.sleep(float(sys.argv[3]))
    return word.upper() + " by " + sys.argv[2]

worker.run()
"""


class World(NamedTuple):
    hf: Holdfast
    base: str
    """Of the API that workers register with."""
    folder: Path

    async def add(self, id: str, answer: Answer) -> RawWorker:
        worker = await RawWorker(id, answer).open()
        await self.hf.workers.register(id, worker.url, ["upper"], "http")
        return worker

    async def start(self, retries: int = 0) -> Any:
        file = self.folder / "flow.yaml"
        file.write_text(FLOW.format(retries=retries))
        flow = load_flow(file, catalog=Catalog())
        made = await self.hf.flows.create("flow")
        await self.hf.flows.publish(made.id, flow.source)
        return await self.hf.start(made.id, word="hi")

    async def attempts(self, run: Any) -> list[tuple[int, str, str]]:
        """The number of each, how it ended, and by whom."""
        found = await self.hf.run_overviews.attempts(run.key)
        return [(it.attempt, it.status, it.worker.partition(" ")[0]) for it in found]


@asynccontextmanager
async def world(url: str, folder: Path, **settings: Any) -> AsyncIterator[World]:
    settings = {"worker_call_seconds": 1, "worker_wait_seconds": 0.3, **settings}
    async with Holdfast(url, catalog=Catalog(), **settings) as hf:
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        try:
            yield World(hf, f"http://127.0.0.1:{port}/api", folder)
        finally:
            await server.stop()


BAD = {
    "answers 500": answers("500 Internal Server Error", b"oops"),
    "answers garbage": answers("200 OK", b"<html>what?"),
    "answers no object": answers("200 OK", b"[1, 2]"),
    "breaks off": breaks_off,
    "hangs": hangs,
}


@pytest.mark.parametrize("bad", BAD)
async def test_a_worker_that_gives_no_answer_is_passed_over_for_another(
    store_url: str, tmp_path: Path, bad: str
) -> None:
    async with world(store_url, tmp_path) as here:
        broken, good = await here.add("a-bad", BAD[bad]), await here.add("b-good", says("HI"))
        runs = [await here.start() for _ in range(2)]

        results = [await run.result() for run in runs]

        assert results == [{"said": "HI"}, {"said": "HI"}]
        assert broken.requests, "one of the two calls began with the bad one"
        assert [await here.attempts(run) for run in runs] == [[(1, "success", "b-good")]] * 2
        keys = {request.headers["idempotency-key"] for request in [*broken.requests, *good.requests]}
        assert len(keys) == 2
        for worker in (broken, good):
            await worker.close()


@pytest.mark.parametrize("bad", BAD)
async def test_where_all_workers_are_bad_the_run_fails_and_says_who_did_what(
    sqlite_url: str, tmp_path: Path, bad: str
) -> None:
    async with world(sqlite_url, tmp_path) as here:
        worker = await here.add("only", BAD[bad])
        run = await here.start(retries=1)

        with pytest.raises(RunFailed, match="only"):
            await run.result()

        assert len(worker.requests) == 2
        assert [(number, status) for number, status, _ in await here.attempts(run)] == [
            (1, "failed"),
            (2, "failed"),
        ]
        await worker.close()


async def test_a_worker_that_says_what_is_wrong_is_believed_and_the_node_is_tried_again(
    store_url: str, tmp_path: Path
) -> None:
    async with world(store_url, tmp_path) as here:
        worker = await here.add("w", answers("200 OK", b'{"result": null, "error": "bad input"}'))
        run = await here.start(retries=1)
        await worker.wait_until(lambda: len(worker.requests) == 1)
        worker.answer = says("HI")

        assert await run.result() == {"said": "HI"}

        assert await here.attempts(run) == [(1, "failed", "w"), (2, "success", "w")]
        attempts = [request.headers["holdfast-attempt"] for request in worker.requests]
        assert attempts == ["1", "2"]
        assert len({request.headers["idempotency-key"] for request in worker.requests}) == 1
        await worker.close()


async def test_an_answer_of_fifty_megabytes_fails_the_node_and_takes_no_memory(
    sqlite_url: str, tmp_path: Path
) -> None:
    body = b'{"result": "' + b"x" * 50_000_000 + b'"}'
    async with world(sqlite_url, tmp_path, worker_call_seconds=30) as here:
        worker = await here.add("large", answers("200 OK", body))
        run = await here.start()
        before = psutil.Process().memory_info().rss

        with pytest.raises(RunFailed, match="over the limit"):
            await run.result()

        assert (
            psutil.Process().memory_info().rss - before < 75_000_000
        )  # the worker here holds it once itself
        await worker.close()


async def test_a_run_waits_for_a_worker_that_comes_back(store_url: str, tmp_path: Path) -> None:
    async with world(store_url, tmp_path, worker_wait_seconds=20) as here:
        run = await here.start()
        await asyncio.sleep(0.5)
        assert not (await here.hf.describe(run)).status.is_final

        worker = await here.add("back", says("HI"))

        assert await run.result() == {"said": "HI"}
        await worker.close()


async def test_without_any_worker_the_run_fails_when_it_has_waited_long_enough(
    sqlite_url: str, tmp_path: Path
) -> None:
    async with world(sqlite_url, tmp_path) as here:
        run = await here.start(retries=1)

        with pytest.raises(RunFailed, match="no worker of service 'upper'"):
            await run.result()

        assert [status for _, status, _ in await here.attempts(run)] == ["failed", "failed"]


async def test_a_silent_worker_is_offline_and_not_called(sqlite_url: str, tmp_path: Path) -> None:
    async with world(sqlite_url, tmp_path, worker_ttl_seconds=0.5) as here:
        worker = await here.add("silent", says("HI"))
        await asyncio.sleep(0.7)
        run = await here.start()

        with pytest.raises(RunFailed, match="no worker"):
            await run.result()

        assert worker.requests == []
        [shown] = await here.hf.workers.list(ttl=dt.timedelta(hours=1))
        assert not shown.is_online
        await worker.close()


async def test_a_worker_killed_in_the_middle_of_a_call_costs_nothing_but_time(
    store_url: str, tmp_path: Path
) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    async with world(store_url, tmp_path, worker_call_seconds=30, worker_wait_seconds=20) as here:
        victim = await _begin(script, here.base, "victim", "60")
        await _until_registered(here, 1)
        run = await here.start()
        assert await victim.stdout.readline() == b"called\n"

        heir = await _begin(script, here.base, "heir", "0")
        await _until_registered(here, 2)
        victim.kill()
        result = await run.result()

        assert result == {"said": "HI by heir"}
        [(number, status, by)] = await here.attempts(run)
        assert (number, status, by.startswith("heir")) == (1, "success", True)
        heir.terminate()
        assert await heir.wait() == 0
        await victim.wait()


async def _begin(script: Path, base: str, name: str, seconds: str) -> Any:
    return await asyncio.create_subprocess_exec(
        sys.executable, script, base, name, seconds, stdout=subprocess.PIPE
    )


async def _until_registered(here: World, count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(await here.hf.workers.list()) < count:  # noqa: ASYNC110  # another process makes it true
            await asyncio.sleep(0.05)


async def test_a_node_that_stops_does_not_wait_for_workers_that_have_not_come(
    store_url: str, tmp_path: Path
) -> None:
    """It would wait for as long as a drain may last, which is past the patience of the test."""
    settings: dict[str, Any] = {"worker_wait_seconds": 10 * PATIENCE, "drain_seconds": 10 * PATIENCE}
    async with world(store_url, tmp_path, **settings) as here:
        run = await here.start()

        async def is_running() -> bool:
            return [task.status for task in await here.hf.tasks(run)] == ["running"]

        await until(is_running)
        before = time.monotonic()
    took = time.monotonic() - before

    assert took < PATIENCE
    async with world(store_url, tmp_path, **settings) as here:
        worker = await here.add("late", says("HI"))
        assert await (await here.hf.get(run.id)).result(timeout=dt.timedelta(seconds=PATIENCE)) == {
            "said": "HI"
        }
        assert await here.attempts(run) == [(1, "success", "late")]
        await worker.close()
