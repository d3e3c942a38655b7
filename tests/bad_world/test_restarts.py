"""A Postgres that is restarted while runs go on: nothing is lost, and nothing is done again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.chaos.evidence import Executions, repeated
from tests.chaos.node import STEPS, catalog, keep_log, result_of, ten_steps
from tests.chaos.own_postgres import OwnServer, own_server
from tests.patience import PATIENCE, until

from holdfast import Holdfast, StoreUnavailable

_RUNS = 20


def _restart_immediately(server: OwnServer) -> None:
    """Like `pg_ctl restart -m immediate`: no connection is closed in order, and the server has to recover."""
    server.stop_at_once()
    server.start()


@pytest.mark.parametrize("restart", [OwnServer.restart_fast, _restart_immediately])
async def test_runs_go_on_after_a_restart(
    restart: Callable[[OwnServer], None], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    executions = Executions(tmp_path / "executions")
    keep_log(executions.path)
    with own_server() as server:
        async with Holdfast(server.url, catalog=catalog) as hf, asyncio.timeout(PATIENCE):
            runs = await hf.start_many(ten_steps, [(run, 0.1) for run in range(_RUNS)])
            await until(lambda: executions.counts().total() > 3 * _RUNS)

            await asyncio.to_thread(restart, server)

            results = await asyncio.gather(*[run.result() for run in runs])
            with contextlib.suppress(StoreUnavailable):
                await hf.doctor()  # the first read on an idle connection finds out that it is gone
            assert await hf.doctor() == []

    assert results == [result_of(run) for run in range(_RUNS)]
    assert repeated(executions.counts()) == []
    assert executions.counts().total() == _RUNS * STEPS
