"""W13: lists, claims, `doctor` and a run beside millions of rows, compared with ten thousand.

Both databases are measured in turns, so that other load on the machine disturbs both alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from bench.backlog import Claimant
from bench.databases import START
from bench.many_rows import LATER, RARE, insert_runs
from bench.samples import one_task
from bench.throughput import expect, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast
from holdfast.core.values import Instant, RunStatus
from holdfast.ports.runs import RunPage
from holdfast.stores import SqlStore, store_for

_SMALL = 10_000
_PAGE = 100

_LISTS: dict[str, dict[str, Any]] = {
    "list_newest": {},
    "list_workflow": {"workflow": "flow_3"},
    "list_rare_workflow": {"workflow": RARE},
    "list_no_workflow": {"workflow": "no_such"},
    "list_success": {"status": "success"},
    "list_failed": {"status": "failed"},
    "list_parked": {"status": "parked"},
    "list_workflow_failed": {"workflow": "flow_3", "status": "failed"},
    "list_rare_running": {"workflow": RARE, "status": "running"},
}
_PAGES = {
    "page_all": RunPage(limit=50),
    "page_workflow": RunPage(workflow="flow_3", limit=50),
    "page_success": RunPage([RunStatus.SUCCESS], limit=50),
}


async def measure_many_rows(trial: Trial) -> Figures:
    rows = trial.rows or trial.size(1_000_000, 50_000)
    rounds = trial.size(20, 3)
    figures: Figures = {"rows": rows, "small_rows": _SMALL}
    async with Holdfast(trial.urls[0], engine=False), Holdfast(trial.urls[1], engine=False):
        pass  # makes the tables
    insert_runs(trial.urls[0], _SMALL)
    began = perf_counter()
    insert_runs(trial.urls[1], rows)
    figures["insert_s"] = perf_counter() - began
    async with Holdfast(trial.urls[0], engine=False) as few, Holdfast(trial.urls[1], engine=False) as many:
        for name, which in _LISTS.items():
            await _compare(
                figures, name, rounds, lambda hf, which=which: hf.list(limit=_PAGE, **which), few, many
            )
        for name, page in _PAGES.items():
            await _compare(
                figures, name, rounds, lambda hf, page=page: hf.run_overviews.page(page), few, many
            )
        began = perf_counter()
        await many.doctor()
        figures["doctor_s"] = perf_counter() - began
    figures["worst_list_ms"] = max(figures[f"{name}_ms"] for name in _LISTS)
    large, small = [sum(figures[f"{name}{size}_ms"] for name in _LISTS) for size in ("", "_small")]
    figures["lists_ratio"] = large / small
    await _measure_claims(trial, figures, rounds)
    await _measure_runs(trial, figures, trial.size(100, 10))
    return figures


async def _compare(
    figures: Figures,
    name: str,
    rounds: int,
    ask: Callable[[Holdfast], Awaitable[object]],
    few: Holdfast,
    many: Holdfast,
) -> None:
    took: dict[Holdfast, list[float]] = {few: [], many: []}
    for _ in range(rounds + 1):  # the first is not counted: it prepares statements and reads from the disk
        for holdfast, times in took.items():
            began = perf_counter()
            await ask(holdfast)
            times.append((perf_counter() - began) * 1e3)
    figures[f"{name}_ms"] = statistics.median(took[many][1:])
    figures[f"{name}_small_ms"] = statistics.median(took[few][1:])


async def _measure_claims(trial: Trial, figures: Figures, rounds: int) -> None:
    """Claims of a hundred runs at once, put back each time."""
    stores: list[SqlStore] = [store_for(url) for url in trial.urls]
    few, many = map(Claimant, stores)
    for claimant in (few, many):
        await claimant.store.open()
        claimant.now = Instant(START + LATER + 1)
    try:
        for name, ask in (("claim", Claimant.claim_and_put_back), ("peek", Claimant.look)):
            took: list[list[float]] = [[], []]
            for _ in range(rounds):
                for claimant, times in zip((few, many), took, strict=True):
                    times.append(await ask(claimant))
            figures[f"{name}_small_ms"], figures[f"{name}_ms"] = map(statistics.median, took)
    finally:
        for store in stores:
            await store.close()


async def _measure_runs(trial: Trial, figures: Figures, rounds: int) -> None:
    """One run at a time, from its start to its result, on both databases in turns."""
    async with Holdfast(trial.urls[0]) as few, Holdfast(trial.urls[1]) as many:
        took: dict[Holdfast, list[float]] = {few: [], many: []}
        for holdfast in took:
            await warm_up(holdfast)
        for number in range(rounds):
            for holdfast, times in took.items():
                began = perf_counter()
                result = await holdfast.run(one_task, number)
                times.append((perf_counter() - began) * 1e3)
                expect(result, number)
    figures["run_small_ms"], figures["run_ms"] = map(statistics.median, (took[few], took[many]))
    figures["run_ratio"] = figures["run_ms"] / figures["run_small_ms"]
