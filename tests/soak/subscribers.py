"""What subscribers cost: `python -m tests.soak.subscribers [--seconds 10] [--url URL] [--plain] [--tabs]`.

A node with a server does 1,000 tasks a second, first alone, then with 1,000 subscribers of one run and 200 of
everything, in another process; they accept compression as browsers do, or with --plain none. Prints the
latency of runs and the memory of the node. With --tabs, the subscribers are what 200 tabs of the pages have
open: pulses, half of them of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import uvloop

from holdfast import Catalog, Holdfast, task, workflow
from holdfast.server.serving import ApiServer

_RUNS_PER_S, _TASKS = 200, 5
_ON_ONE_RUN, _ON_EVERYTHING = 1_000, 200
_TABS = 200

catalog = Catalog()


@task(catalog=catalog)
async def double(number: int) -> int:
    return number * 2


@workflow(catalog=catalog)
async def order(number: int) -> int:
    for _ in range(_TASKS):
        number = await double(number)
    return number


@task(catalog=catalog)
async def pause() -> None:
    await asyncio.sleep(0.5)


@workflow(catalog=catalog)
async def busy() -> None:
    """The run that many watch: about four changes a second."""
    for _ in range(1_000):
        await pause()


# --- the subscribers, in a process of their own


class _Subscriber(asyncio.Protocol):
    bytes = lost = 0

    def data_received(self, data: bytes) -> None:
        _Subscriber.bytes += len(data)

    def connection_lost(self, exc: Exception | None) -> None:
        _Subscriber.lost += 1


def _paths(run: str, *, tabs: bool) -> list[str]:
    if tabs:
        return ["/api/v1/pulse", f"/api/v1/pulse?run={run}"] * (_TABS // 2)
    return [f"/api/v1/events?run={run}"] * _ON_ONE_RUN + ["/api/v1/events"] * _ON_EVERYTHING


async def _subscribe(port: int, run: str, encoding: str, *, tabs: bool) -> None:
    loop = asyncio.get_running_loop()
    paths = _paths(run, tabs=tabs)
    for path in paths:
        transport, _ = await loop.create_connection(_Subscriber, "127.0.0.1", port)
        head = f"GET {path} HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: {encoding}\r\n\r\n"
        transport.write(head.encode())
    print("subscribed", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(_Subscriber.bytes, _Subscriber.lost, flush=True)


# --- the node


class _Figures(NamedTuple):
    latencies: list[float]
    """In order."""
    tasks_per_s: float
    cores: float
    """How much of the processor the node has used."""
    waited: float
    """For how much of the time its event loop was ready and had no core: well above 0 if other processes
    disturbed the measurement, and then latencies say little."""


async def _load(hf: Holdfast, seconds: float) -> _Figures:
    found: list[float] = []

    async def one(number: int) -> None:
        began = time.perf_counter()
        await (await hf.start(order, number)).result()
        found.append(time.perf_counter() - began)

    began, cpu, waited = time.perf_counter(), time.process_time(), _waited()
    running: list[asyncio.Task[None]] = []
    for number in range(int(seconds * _RUNS_PER_S)):
        await asyncio.sleep(max(0.0, began + number / _RUNS_PER_S - time.perf_counter()))
        running.append(asyncio.create_task(one(number)))
    await asyncio.gather(*running)
    taken = time.perf_counter() - began
    cores = (time.process_time() - cpu) / taken
    return _Figures(sorted(found), len(found) * _TASKS / taken, cores, (_waited() - waited) / taken)


def _waited() -> float:
    """Seconds. Only Linux tells."""
    try:
        return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def _report(what: str, figures: _Figures) -> None:
    found, rate, cores, waited = figures
    memory = psutil.Process().memory_info().rss / 1e6
    p50, p99 = statistics.median(found) * 1e3, found[len(found) * 99 // 100] * 1e3
    print(
        f"{what:>20}: p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, {rate:5.0f} tasks/s, {cores:.2f} cores, "
        f"{waited:.0%} without a core, {memory:5.0f} MB"
    )


@contextlib.asynccontextmanager
async def _subscribers(
    server: ApiServer, port: int, run: str, encoding: str, *, tabs: bool
) -> AsyncGenerator[Any]:
    command = [sys.executable, "-m", "tests.soak.subscribers", "--subscribe", str(port), run, encoding]
    command += ["--tabs"] if tabs else []
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdout.readline()
    open_streams: Any = server._app  # pyright: ignore[reportPrivateUsage]
    while len(open_streams._tenants.streams) < len(_paths(run, tabs=tabs)):  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    yield
    process.stdin.close()
    bytes, lost = map(int, (await process.stdout.readline()).split())
    print(f"{'they have got':>20}: {bytes / 1e6:.0f} MB; {lost} were too slow and let go")
    await process.wait()


async def _measure(url: str, seconds: float, encoding: str, *, tabs: bool) -> None:
    async with Holdfast(url, catalog=catalog) as hf:
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        run = await hf.start(busy)
        await _load(hf, 2)
        for turn in range(2):
            _report(f"alone, {turn + 1}", await _load(hf, seconds))
            async with _subscribers(server, port, run.id, encoding, tabs=tabs):
                await asyncio.sleep(1)
                _report(f"subscribers, {turn + 1}", await _load(hf, seconds))
            await asyncio.sleep(6)
        await run.terminate()
        await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--url")
    parser.add_argument("--plain", action="store_true", help="clients that accept no compression")
    parser.add_argument("--tabs", action="store_true", help="what 200 tabs of the pages have open")
    parser.add_argument("--subscribe", nargs=3)
    options = parser.parse_args()
    if options.subscribe:
        port, run, encoding = options.subscribe
        uvloop.run(_subscribe(int(port), run, encoding, tabs=options.tabs))
        return
    encoding = "identity" if options.plain else "gzip, deflate, br"
    with tempfile.TemporaryDirectory() as folder:
        url = options.url or f"sqlite:///{folder}/soak.db"
        uvloop.run(_measure(url, options.seconds, encoding, tabs=options.tabs))


if __name__ == "__main__":
    main()
