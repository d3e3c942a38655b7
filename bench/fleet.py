"""W4b: how long a run takes whose node is in another process.

W15: four nodes on one Postgres, each in a process of its own. How evenly a batch is spread that is started on
one of them, what four nodes do in a second against one, and how many statements the whole fleet sends for one
signal to a run that is not in memory, against one node.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any

from bench.samples import hear_signals, ten_tasks
from bench.throughput import expect, measure_latency_of
from bench.trial import Figures, Trial
from holdfast import Holdfast, task, workflow
from holdfast.stores import SqlStore

_NODES = 4
_SETTLE_SECONDS = 7
"""Until runs that only wait have left memory."""
_SECONDS_TO_JOIN = 3


@task
async def where() -> int:
    await asyncio.sleep(0.01)
    return os.getpid()


@workflow
async def find_node(number: int) -> int:
    return await where()


async def measure_latency_across_processes(trial: Trial) -> Figures:
    async with AsyncExitStack() as stack:
        await NodeProcess.start(trial.url, stack)
        client = await stack.enter_async_context(Holdfast(trial.url, engine=False))
        await measure_latency_of(client, 20)
        return await measure_latency_of(client, trial.size(200, 50))


async def measure_fleet(trial: Trial) -> Figures:
    if trial.url.startswith("sqlite"):
        return {}  # a fleet needs a server
    runs, tasks = trial.size(1_000, 100), trial.size(2_000, 100)
    async with AsyncExitStack() as stack:
        nodes = [await NodeProcess.start(trial.url, stack)]
        await nodes[0].ask("tasks", tasks)
        alone = await nodes[0].ask("tasks", tasks)
        by_one = await _count_statements(trial.url, nodes, trial.size(20, 5))
        nodes += [await NodeProcess.start(trial.url, stack) for _ in range(_NODES - 1)]
        await asyncio.sleep(_SECONDS_TO_JOIN)
        began = perf_counter()
        shares = await nodes[0].ask("spread", runs)
        spread = perf_counter() - began
        together = await nodes[0].ask("tasks", tasks)
        by_all = await _count_statements(trial.url, nodes, trial.size(20, 5))
    return {
        "nodes_used": len(shares),
        "largest_share": max(shares.values()) / runs,
        "spread_s": spread,
        "alone_tasks_per_s": tasks * 10 / alone,
        "tasks_per_s": tasks * 10 / together,
        "speedup": alone / together,
        "statements_per_signal": by_all,
        "statements_ratio": by_all / by_one,
    }


async def _count_statements(url: str, nodes: list[NodeProcess], signals: int) -> float:
    """Of all nodes, for each signal, from the signal to the result of its run."""
    async with Holdfast(url, engine=False) as client:
        runs = await client.start_many(hear_signals, [1] * signals)
        await asyncio.sleep(_SETTLE_SECONDS)
        sent = 0
        for run in runs:
            before = [await node.ask("statements", 0) for node in nodes]
            await run.signal("word", 1)
            expect(await run.result(), 1)
            await asyncio.sleep(0.2)
            after = [await node.ask("statements", 0) for node in nodes]
            sent += sum(after) - sum(before)
    return sent / signals


class NodeProcess:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, url: str, stack: AsyncExitStack) -> NodeProcess:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.fleet", url, stdin=pipe, stdout=pipe
        )
        node = cls(process)
        stack.push_async_callback(node.stop)
        await node._answer()
        return node

    async def ask(self, what: str, size: int) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([what, size]).encode() + b"\n")
        return await self._answer()

    async def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(await self._process.stdout.readline())


async def _be_a_node(url: str) -> None:
    """Do what each line of the standard input asks for, and answer with a line."""
    async with Holdfast(url) as holdfast:
        print("null", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            what, size = json.loads(line)
            print(json.dumps(await _do(holdfast, what, size)), flush=True)


async def _do(holdfast: Holdfast, what: str, size: int) -> Any:
    match what:
        case "statements":
            store = holdfast._store
            assert isinstance(store, SqlStore)
            return store.statements
        case "spread":
            runs = await holdfast.start_many(find_node, range(size))
            return Counter(await asyncio.gather(*(run.result() for run in runs)))
        case _:
            began = perf_counter()
            runs = await holdfast.start_many(ten_tasks, range(size))
            expect(await asyncio.gather(*(run.result() for run in runs)), list(range(size)))
            return perf_counter() - began


if __name__ == "__main__":
    asyncio.run(_be_a_node(sys.argv[1]))
