"""pgbouncer between a node and Postgres, which dies and comes back while runs are under way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.chaos.evidence import Executions, repeated
from tests.chaos.node import catalog, result_of, ten_steps
from tests.chaos.pooler import pooler_before
from tests.chaos.processes import node_arguments, running, wait_until
from tests.patience import SOON

from holdfast import Holdfast

_RUNS = 20


async def test_runs_go_on_when_the_pooler_is_killed_and_started_again(
    postgres_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    with (
        pooler_before(postgres_url, "session") as between,
        running(node_arguments(between.url, executions.path, lease=10), tmp_path / "node") as node,
    ):
        async with Holdfast(postgres_url, engine=False, catalog=catalog) as hf:
            runs = await hf.start_many(ten_steps, [(run, 0.1) for run in range(_RUNS)])
            results = asyncio.gather(*[run.result(timeout=SOON) for run in runs])
            await asyncio.to_thread(
                wait_until, lambda: executions.counts().total() > 3 * _RUNS, "tasks that are executed"
            )

            between.pooler.kill()
            await asyncio.to_thread(node.wait_for_output, "holding everything and trying again")
            between.pooler.start()

            assert await results == [result_of(run) for run in range(_RUNS)]
            assert await hf.doctor() == []
            assert node.is_running

    assert repeated(executions.counts()) == []
