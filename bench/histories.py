"""W12: a run with a long history. What its replay costs, how soon it answers, and who waits for it meanwhile.

The history is what an engine would write: a program is advanced in memory, and its steps and tasks go into
the store in large commits. A node then loads the run because of a signal, while runs of one task are made one
at a time. Further signals find the run in memory.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Coroutine
from random import Random
from time import perf_counter, thread_time, time_ns
from typing import Any

from bench.databases import NAMESPACE
from bench.samples import no_op, one_task
from bench.throughput import expect, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast, context, task, workflow
from holdfast.authoring.catalog import Definitions, default_catalog
from holdfast.authoring.kinds import Kinds
from holdfast.core.codec import Codec
from holdfast.core.commands import ScheduleTask
from holdfast.core.events import Event, TaskEnded
from holdfast.core.history import restore
from holdfast.core.ids import KeyMaker
from holdfast.core.journal import write_step
from holdfast.core.pieces import finish
from holdfast.core.records import new_run
from holdfast.core.values import Instant, NodeId, Payload, RunKey, RunStatus, Succeeded, TaskStatus
from holdfast.core.waiting import WaitKind
from holdfast.engine.gc_pause import GcPause
from holdfast.ports.commits import Commit, Held, NewStep, NewTask, ReleasedRun, SettledTask
from holdfast.stores import SqlStore, store_for

_SECOND = 1_000_000
_ROWS = 5_000
"""Steps in one commit."""
_SIGNALS = 30

_answers: asyncio.Queue[int] = asyncio.Queue()


@task
async def answer(number: int) -> None:
    _answers.put_nowait(number)


@workflow
async def long_history(tasks: int) -> None:
    for number in range(tasks):
        await no_op(number)
    for number in range(_SIGNALS + 1):
        await context().signal("word")
        await answer(number)


async def measure_long_histories(trial: Trial) -> Figures:
    events = trial.size(100_000, 3_000)
    definitions = Definitions(default_catalog, Codec(), Kinds())
    store = store_for(trial.url)
    await store.open()
    try:
        run = await _write_history(store, definitions, events)
        replay = await _time_replay(store, definitions, run)
    finally:
        await store.close()
    async with Holdfast(trial.url, max_history=2 * events) as holdfast:
        await warm_up(holdfast)
        alone = await _time_runs_during(holdfast, asyncio.sleep(1))
        cold: list[float] = []
        beside = await _time_runs_during(holdfast, _time_signals(holdfast, 0, 1, cold))
        warm: list[float] = []
        await _time_signals(holdfast, 1, _SIGNALS, warm)
    return {
        "events": events,
        "replay_us": replay / events * 1e6,
        "cold_ms": cold[0] * 1e3,
        "resident_ms": statistics.median(warm) * 1e3,
        "alone_p50_ms": statistics.median(alone) * 1e3,
        "beside_p50_ms": statistics.median(beside) * 1e3,
        "held_up_ms": max(beside) * 1e3,
    }


async def _write_history(store: SqlStore, definitions: Definitions, events: int) -> RunKey:
    """Write a run that has done so many tasks, one after the other, and waits for a signal."""
    now = Instant(time_ns() // 1000 - 3600 * _SECOND)
    node, tick = NodeId("writer"), 0
    await store.register_definitions(NAMESPACE, definitions.stored(), now)
    key = KeyMaker(Random(1))(now)
    input = long_history.signature.pack((events,), {}, definitions.codec)
    pinned = definitions.pin(long_history.name, None)
    run = new_run(key, NAMESPACE, "long", long_history.name, *pinned, input, now, owner=node)
    program = definitions.program(run)
    commit = Commit(NAMESPACE, node, tick, now, Instant(now + _SECOND), created=[run])
    heard: list[Event] = []
    for position in range(events + 1):
        now = Instant(now + 1)
        commands = program.advance(now, heard)
        commit.steps.append(NewStep(key, position, write_step(now, heard, commands)))
        heard = []
        for command in commands:
            if isinstance(command, ScheduleTask):
                output = Payload(b"%d" % command.seq)
                commit.tasks.append(
                    NewTask(key, command.seq, command.name, TaskStatus.DISPATCHED, command.input, now)
                )
                commit.settled.append(
                    SettledTask(key, command.seq, TaskStatus.SUCCESS, 1, output, None, now, now)
                )
                heard.append(TaskEnded(command.seq, Succeeded(output)))
        if len(commit.steps) == _ROWS or not heard:
            await store.commit(commit)
            tick += 1
            commit = Commit(NAMESPACE, node, tick, now, Instant(now + _SECOND), held=[Held(key, 1)])
    wait = ("signal 'word'", WaitKind.SIGNAL, "word")
    commit.released.append(ReleasedRun(key, RunStatus.RUNNING, None, None, *wait))
    await store.commit(commit)
    await store.remove_node(NAMESPACE, node)
    program.dispose()
    return key


async def _time_replay(store: SqlStore, definitions: Definitions, run: RunKey) -> float:
    """The seconds of CPU time from the rows to the program. The median of three."""
    taken: list[float] = []
    (history,) = (await store.load_short_histories(NAMESPACE, [run], 1_000_000)).loaded
    for _ in range(3):
        with GcPause():
            began = thread_time()
            program = finish(definitions.replay(history.run, restore(history), 100))
            taken.append(thread_time() - began)
        program.dispose()
    return statistics.median(taken)


async def _time_signals(holdfast: Holdfast, first: int, count: int, taken: list[float]) -> None:
    """From the call of `signal` to the task that answers it."""
    for number in range(first, first + count):
        began = perf_counter()
        await holdfast.signal("long", "word")
        expect(await _answers.get(), number)
        taken.append(perf_counter() - began)


async def _time_runs_during(holdfast: Holdfast, other: Coroutine[Any, Any, None]) -> list[float]:
    """How long runs of one task take, one at a time, until the other work is done."""
    working = asyncio.ensure_future(other)
    taken: list[float] = []
    while not working.done():
        began = perf_counter()
        expect(await holdfast.run(one_task, 1), 1)
        taken.append(perf_counter() - began)
    await working
    return taken
