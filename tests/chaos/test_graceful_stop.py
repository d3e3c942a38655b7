"""A script that is asked to stop hands back what it has, and the next one goes on at once."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from tests.chaos.evidence import Executions, query
from tests.chaos.node import catalog, one_step, one_step_on_a_thread, result_of, ten_steps
from tests.chaos.processes import node_arguments, running, wait_until
from tests.patience import PATIENCE, SOON

from holdfast import Holdfast

_LONG_LEASE = 10 * PATIENCE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_stopped_script_hands_its_runs_to_the_next_without_waiting_for_the_lease(
    number: signal.Signals, store_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    start = node_arguments(store_url, executions.path, lease=_LONG_LEASE, drain=0.3)
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        runs = await hf.start_many(ten_steps, [(run, 0.1) for run in range(20)])
        slow = await hf.start(one_step, 3, 1)
        with running(start, tmp_path / "first") as first:
            wait_until(lambda: executions.counts().total() > 40, "tasks that are executed")
            first.send(number)
            first.wait(PATIENCE)
        assert query(store_url, "SELECT id FROM runs WHERE owner IS NOT NULL") == []
        assert query(store_url, "SELECT id FROM nodes") == []
        # No node is left, and that is all that doctor finds.
        problems = {found.problem.partition(";")[0] for found in await hf.doctor()}
        assert problems <= {"it is due, and no node is running"}

        with running(start, tmp_path / "second"):
            began = time.monotonic()
            results = [await run.result(timeout=SOON) for run in runs]
            assert await slow.result(timeout=SOON) == 300
            took = time.monotonic() - began

    assert results == [result_of(run) for run in range(20)]
    assert took < PATIENCE


async def test_a_task_that_ends_while_the_node_stops_is_recorded(store_url: str, tmp_path: Path) -> None:
    executions = Executions(tmp_path / "executions")
    start = node_arguments(store_url, executions.path, lease=_LONG_LEASE, drain=10)
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        on_a_thread = await hf.start(one_step_on_a_thread, 1, 0.6)
        on_the_loop = await hf.start(one_step, 2, 0.6)
        with running(start, tmp_path / "first") as first:
            wait_until(lambda: executions.counts().total() == 2, "both tasks to begin")
            first.send(signal.SIGTERM)
            first.wait(PATIENCE)
        with running(start, tmp_path / "second"):
            assert await on_a_thread.result(timeout=SOON) == 100
            assert await on_the_loop.result(timeout=SOON) == 200

    assert set(executions.counts().values()) == {1}
