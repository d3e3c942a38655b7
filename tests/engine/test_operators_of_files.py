"""What operators do to runs of DAGs and flows: pause with timers that wait, try now, terminate."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, NotRunning, RunCancelled, RunStatus, TaskStatus, load_dag, load_flow
from holdfast.testing import Environment, assert_durable

SECOND = dt.timedelta(seconds=1)
KINDS = ["dag", "flow"]

DAG = """
name: slow
tasks:
  wait: {sleep: 60s}
"""
FLOW = """
name: slow
start: wait
nodes:
  wait: {kind: timer, params: {delay_ms: 60000}, post: {action_static: next}}
"""
STUMBLING_DAG = """
name: stumbling
tasks:
  stumble:
    command: test -e {mark} || {{ touch {mark}; exit 1; }}
    retries: {{max_attempts: 3, first_delay: 1h, max_delay: 1h, jitter: 0}}
"""
STUMBLING_FLOW = """
name: stumbling
start: stumble
nodes:
  stumble:
    kind: executor
    exec_type: local_script
    script: {{language: bash, code: "test -e {mark} || {{ touch {mark}; exit 1; }}"}}
    max_retries: 2
    wait_ms: 3600000
    post: {{action_static: next}}
"""


def load(kind: str, folder: Path, texts: tuple[str, str]) -> tuple[Any, Catalog]:
    catalog = Catalog()
    text = texts[KINDS.index(kind)]
    path = folder / ("it.yaml" if kind == "dag" else "it.flow.yaml")
    path.write_text(text.format(mark=folder / "mark") if "{mark}" in text else text)
    return (load_dag if kind == "dag" else load_flow)(path, catalog=catalog), catalog


async def _until_status(run: Any, status: RunStatus) -> None:
    async with asyncio.timeout(PATIENCE):
        while await run.status() is not status:  # noqa: ASYNC110  # another process may change it
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_timers_wait_for_as_long_as_the_run_was_paused(
    kind: str, store_url: str, tmp_path: Path
) -> None:
    slow, catalog = load(kind, tmp_path, (DAG, FLOW))
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(slow)
        await env.wait_until_quiet()
        before = env.clock.now()
        await run.pause()
        await env.wait_until_quiet()
        env.clock.advance(1000 * SECOND)

        await run.resume(timers="wait")

        await run.result()
        assert 1060 <= (env.clock.now() - before) / 1_000_000 < 1070


@pytest.mark.parametrize("kind", KINDS)
async def test_timers_that_wait_survive_every_crash(
    kind: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    slow, catalog = load(kind, tmp_path, (DAG, FLOW))

    async def pause(run: Any) -> None:
        try:
            await run.pause()
        except NotRunning:
            pass  # a crash has come, and this is the second time
        await _until_status(run, RunStatus.PAUSED)
        run._client.clock.advance(500 * SECOND)
        await run.resume(timers="wait")

    await assert_durable(slow, during=pause, catalog=catalog, new_database=new_database)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_backoff_waits_or_is_ended_by_hand(kind: str, store_url: str, tmp_path: Path) -> None:
    stumbling, catalog = load(kind, tmp_path, (STUMBLING_DAG, STUMBLING_FLOW))
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(stumbling)
        async with asyncio.timeout(PATIENCE):
            while not [each for each in await env.tasks(run) if each.retry_at is not None]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await run.pause()
        await _until_status(run, RunStatus.PAUSED)
        env.clock.advance(7200 * SECOND)
        await run.resume(timers="wait")
        await env.wait_until_quiet()
        [task] = await env.tasks(run)
        assert task.status is TaskStatus.PENDING
        before = env.clock.now()

        await env.try_now(run, "stumble")

        await run.result()
        assert (env.clock.now() - before) / 1_000_000 < 1000


@pytest.mark.parametrize("kind", KINDS)
async def test_a_run_that_waits_is_terminated(kind: str, store_url: str, tmp_path: Path) -> None:
    slow, catalog = load(kind, tmp_path, (DAG, FLOW))
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(slow)
        await env.wait_until_quiet()

        await run.terminate("enough", by="ann")

        with pytest.raises(RunCancelled, match="terminated by ann: enough"):
            await run.result()
        assert [each.status for each in await env.tasks(run) if not each.status.is_final] == []
