"""W18: a loop of 2,000 tasks with arguments of 1 kB that goes on as a new chapter after every 200 of them.

Against the same loop with one history: how long it takes, and how long the slowest answer to a client takes
meanwhile.
"""

from __future__ import annotations

import asyncio
from time import perf_counter

from bench.throughput import expect, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast, context, task, workflow

_TEXT = "x" * 1000
_CHAPTER = 200


@task
async def measure_text(text: str) -> int:
    return len(text)


@workflow
async def loop_of_chapters(turns: int, in_chapter: int, text: str) -> int:
    for turn in range(1, turns + 1):
        await measure_text(text)
        if turn == in_chapter and turn < turns:
            context().continue_as(turns - turn, in_chapter, text)
    return turns


async def measure_chapters(trial: Trial) -> Figures:
    turns = trial.size(2_000, 400)
    async with Holdfast(trial.url) as hf:
        await warm_up(hf)
        alone, _, _ = await _time_loop(hf, turns, turns)
        took, slowest, chapters = await _time_loop(hf, turns, _CHAPTER)
    expect(chapters, turns // _CHAPTER)
    return {
        "one_history_s": alone,
        "chapters_s": took,
        "chapters_ratio": took / alone,
        "slowest_answer_ms": slowest * 1e3,
    }


async def _time_loop(hf: Holdfast, turns: int, in_chapter: int) -> tuple[float, float, int]:
    """The seconds of the loop and of the slowest answer, and the number of chapters."""
    begun, slowest = perf_counter(), 0.0
    run = await hf.start(loop_of_chapters, turns, in_chapter, _TEXT)
    result = asyncio.ensure_future(run.result())
    while not result.done():
        asked = perf_counter()
        await run.describe()
        slowest = max(slowest, perf_counter() - asked)
        await asyncio.sleep(0.005)
    await result
    return perf_counter() - begun, slowest, len(await hf.chapters(run))
