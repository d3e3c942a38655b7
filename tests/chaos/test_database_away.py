"""Postgres that is not there yet, goes away, comes back, and drops connections in the middle of commits."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.chaos.bad_line import bad_line
from tests.chaos.evidence import Executions, read_tasks, repeated
from tests.chaos.node import STEPS, catalog, one_step, result_of, ten_steps
from tests.chaos.own_postgres import OwnServer
from tests.chaos.processes import node_arguments, running, wait_until
from tests.patience import PATIENCE, SOON

from holdfast import Holdfast
from holdfast.errors import NotOpen, StoreUnavailable


async def test_a_database_that_is_down_at_start_is_waited_for(server: OwnServer, tmp_path: Path) -> None:
    server.stop()
    with running(node_arguments(server.url, tmp_path / "executions"), tmp_path / "node") as node:
        node.wait_for_output("waiting for it")
        assert node.is_running

        server.start()

        node.wait_for_output("serving")
        async with Holdfast(server.url, engine=False, catalog=catalog) as hf:
            assert await (await hf.start(one_step, 4, 0)).result(timeout=SOON) == 400


async def test_a_database_that_stays_away_is_reported_when_the_patience_is_over(
    server: OwnServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.stop()

    with pytest.raises(StoreUnavailable, match="does not answer"):
        await Holdfast(server.url, open_seconds=0.5).open()

    assert "waiting for it" in caplog.text


async def test_a_node_whose_database_is_gone_stops_all_the_same(
    server: OwnServer, caplog: pytest.LogCaptureFixture
) -> None:
    hf = Holdfast(server.url, catalog=catalog, drain_seconds=0)
    await hf.open()
    run = await hf.start(one_step, 1, 5.0)
    await asyncio.to_thread(server.stop)
    waiting = asyncio.ensure_future(run.result())
    await asyncio.sleep(0.5)

    async with asyncio.timeout(PATIENCE):
        await hf.close()

    assert "cannot hand back its runs" in caplog.text
    with pytest.raises(NotOpen):
        await waiting


async def test_runs_survive_a_database_that_is_killed_and_away_for_ten_seconds(
    server: OwnServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    executions = Executions(tmp_path / "executions")
    with running(node_arguments(server.url, executions.path, lease=2), tmp_path / "node") as node:
        async with Holdfast(server.url, engine=False, catalog=catalog) as hf:
            runs = await hf.start_many(ten_steps, [(run, 0.5) for run in range(40)])
            results = asyncio.gather(*[run.result(timeout=SOON) for run in runs])
            wait_until(lambda: executions.counts().total() > 120, "tasks that are executed")
            recorded = {task.id for task in read_tasks(server.url) if task.is_final}
            executions.news()
            server.kill()

            with pytest.raises(StoreUnavailable, match="does not answer"):
                await hf.start(one_step, 1, 0)
            await asyncio.sleep(10)
            assert node.is_running
            await asyncio.to_thread(server.start)

            assert await results == [result_of(run) for run in range(40)]
            assert await hf.doctor() == []
        assert "holding everything and trying again" in node.output
        assert "the store answers again after" in node.output
        assert "still waiting for 40 runs" in caplog.text

    assert recorded
    assert [task for task in executions.news() if task in recorded] == []
    # The node was there all the time and forgot nothing, so nothing at all had to be done again.
    assert repeated(executions.counts()) == []


async def test_commits_whose_answer_is_lost_are_neither_lost_nor_done_again(
    postgres_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    name, _, folder = postgres_url.partition("?host=")
    with bad_line(folder, seed=5) as (line, other_folder):
        url = f"{name}?host={other_folder}"
        with running(node_arguments(url, executions.path, lease=10), tmp_path / "node") as node:
            node.wait_for_output("serving")
            line.is_bad = True
            async with Holdfast(postgres_url, engine=False, catalog=catalog) as hf:
                runs = await hf.start_many(ten_steps, [(run, 0.05) for run in range(20)])
                results = [await run.result(timeout=SOON) for run in runs]
                assert await hf.doctor() == []

    assert line.lost_answers > 0
    assert line.broken > 0
    assert results == [result_of(run) for run in range(20)]
    assert set(executions.counts().values()) == {1}
    assert executions.counts().total() == 20 * STEPS
