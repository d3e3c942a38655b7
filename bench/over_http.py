"""W19: `holdfast serve` in a process of its own, asked over HTTP: a batch of starts, single starts that wait
for the result, and pages of a list of a million runs.

The client writes requests by hand on one connection, so that the server is measured and not a library.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from statistics import median
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

from bench.many_rows import insert_runs
from bench.throughput import expect
from bench.trial import Figures, Trial
from holdfast import Holdfast

_SECONDS_TO_START = 30
_WARM_UP = 50


async def measure_server(trial: Trial) -> Figures:
    async with _served(trial.urls[0]) as port:
        figures = await asyncio.to_thread(_measure_starts, port, trial)
    async with Holdfast(trial.urls[1], engine=False):
        pass  # makes the tables
    insert_runs(trial.urls[1], trial.rows or trial.size(1_000_000, 20_000))
    async with _served(trial.urls[1]) as port:
        return figures | await asyncio.to_thread(_measure_pages, port, trial)


def _measure_starts(port: int, trial: Trial) -> Figures:
    server = _Asker(port)
    took: list[float] = []
    for number in range(_WARM_UP + trial.size(500, 50)):
        began = perf_counter()
        run = server.ask("POST", "/runs?wait=10", {"workflow": "one_task", "input": {"number": number}})
        took.append((perf_counter() - began) * 1e3)
        expect(run["run"]["status"], "success")
    rates: list[float] = []
    count = trial.size(10_000, 500)
    for turn in range(trial.size(3, 1)):
        runs = [{"input": {"number": number}, "id": f"{turn}-{number}"} for number in range(count)]
        began = perf_counter()
        answer = server.ask("POST", "/run-batches", {"workflow": "one_task", "runs": runs})
        rates.append(count / (perf_counter() - began))
        expect(len(answer), count)
        while server.ask("POST", "/run-ends", {"runs": [answer[-1]["key"]], "wait": 10}) == []:
            pass
    took = sorted(took[_WARM_UP:])
    return {
        "starts": count,
        "starts_per_s": median(rates),
        "wait_p50_ms": median(took),
        "wait_p99_ms": took[len(took) * 99 // 100],
    }


def _measure_pages(port: int, trial: Trial) -> Figures:
    server = _Asker(port)
    rounds = trial.size(20, 3)
    figures: Figures = {}
    for limit, pages in ((100, 1_000), (1_000, 900)):
        after: str | None = None
        for _ in range(trial.size(pages, 10) - 1):
            after = server.ask("GET", _page(limit, after))["next"]
        for name, place in (("first", None), ("deep", after)):
            took: list[float] = []
            for _ in range(rounds):
                began = perf_counter()
                found = server.ask("GET", _page(limit, place))["items"]
                took.append((perf_counter() - began) * 1e3)
                expect(len(found), limit)
            figures[f"{name}_{limit}_ms"] = median(took)
    return figures


def _page(limit: int, after: str | None) -> str:
    return "/runs?" + urlencode({"limit": limit} | ({} if after is None else {"after": after}))


class _Asker:
    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/v1{path}", sent, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        found = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {found[:500]!r}")
        return json.loads(found)


@asynccontextmanager
async def _served(url: str) -> AsyncGenerator[int]:
    """Its port."""
    command = ["-m", "holdfast", "serve", "bench.samples", "--quiet", "--db", url, "--port", "0"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stderr=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(_SECONDS_TO_START):
            while (found := re.search(rb"http://[^ :]+:(\d+)", await process.stderr.readline())) is None:
                if process.returncode is not None:
                    raise RuntimeError("holdfast serve has ended")
        draining = asyncio.create_task(process.stderr.read())
        yield int(found[1])
    finally:
        process.terminate()
        await process.wait()
    await draining
