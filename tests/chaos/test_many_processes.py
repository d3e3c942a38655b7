"""Several processes on one SQLite file: they share the work and do each piece of it once."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tests.chaos.evidence import Executions, repeated
from tests.chaos.node import STEPS, catalog, result_of, ten_steps
from tests.chaos.processes import node_arguments, running
from tests.patience import SOON

from holdfast import Holdfast

_RUNS = 300


async def test_three_nodes_share_the_runs_that_a_fourth_process_starts(
    sqlite_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    start = node_arguments(sqlite_url, executions.path, lease=15)
    with contextlib.ExitStack() as nodes:
        started = [nodes.enter_context(running(start, tmp_path / f"node-{number}")) for number in range(3)]
        for node in started:
            node.wait_for_output("serving")
        async with Holdfast(sqlite_url, engine=False, catalog=catalog) as hf:
            runs = [await hf.start(ten_steps, number, 0.02) for number in range(_RUNS)]
            results = [await run.result(timeout=SOON) for run in runs]
            assert await hf.doctor() == []

    assert results == [result_of(number) for number in range(_RUNS)]
    assert repeated(executions.counts()) == []
    assert executions.counts().total() == _RUNS * STEPS
    assert executions.processes().keys() == {node.pid for node in started}
