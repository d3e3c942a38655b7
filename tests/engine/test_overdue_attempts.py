"""Attempts that do not end when they should. The next attempt waits for the last one, but not for ever."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Run, RunCancelled, load_dag
from holdfast.executors.processes.children import Processes
from holdfast.testing import Environment

WAIT = dt.timedelta(minutes=1)
"""How long the next attempt waits for the end of the last."""
STEP = dt.timedelta(seconds=2)


class Stuck:
    """A task whose first process hangs, and is ended by nothing; the second ends by itself."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog()
        self._began = folder / "began"
        self._file = folder / "stuck.yaml"

    @property
    def attempts(self) -> int:
        return len(self._began.read_text().split()) if self._began.exists() else 0

    async def start(self, env: Environment, options: str = "") -> Run[Any]:
        """And wait until its first process hangs."""
        command = f"echo x >> {self._began}; [ $(wc -l < {self._began}) -gt 1 ] || exec sleep 500"
        self._file.write_text(f"name: stuck\ntasks: {{work: {{command: '{command}'{options}}}}}\n")
        run = await env.start(load_dag(self._file, catalog=self.catalog), id="run")
        async with asyncio.timeout(PATIENCE):
            while not self.attempts:  # noqa: ASYNC110  # nobody tells of a file
                await asyncio.sleep(0.01)
        return run


@pytest.fixture
def stuck(tmp_path: Path) -> Stuck:
    return Stuck(tmp_path)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No signal ends a process, as if it hung in the kernel, until this is undone."""

    def do_nothing(processes: Processes, child: object, **options: object) -> None:
        pass

    with monkeypatch.context() as patch:
        patch.setattr(Processes, "end", do_nothing)
        yield patch


async def pass_time_until(env: Environment, is_so: Callable[[], bool]) -> dt.timedelta:
    """Advance the clock in steps, each with a moment for processes, which run in real time.

    Returns how much time passed. The engine's clock may run far ahead of a process that is just starting, so
    nothing in these tests may time out soon.
    """
    passed = dt.timedelta()
    async with asyncio.timeout(PATIENCE):
        while not is_so():
            env.clock.advance(STEP)
            passed += STEP
            await asyncio.sleep(0.02)
    return passed


async def test_the_attempt_after_one_that_timed_out_and_does_not_end_is_made_all_the_same(
    sqlite_url: str, stuck: Stuck, endless: pytest.MonkeyPatch
) -> None:
    async with Environment(sqlite_url, catalog=stuck.catalog) as env:
        run = await stuck.start(env, ", timeout: 10d, retries: 1")

        env.clock.advance(dt.timedelta(days=10))
        passed = await pass_time_until(env, lambda: stuck.attempts > 1)
        endless.undo()

        assert stuck.attempts == 2
        assert passed > WAIT
        assert await run.result() == {"work": None}


async def test_a_retry_of_a_run_whose_process_does_not_end_is_begun_all_the_same(
    sqlite_url: str, stuck: Stuck, endless: pytest.MonkeyPatch
) -> None:
    async with Environment(sqlite_url, catalog=stuck.catalog) as env:
        run = await stuck.start(env)
        await run.cancel("stop")
        with pytest.raises(RunCancelled):
            await run.result()

        await run.retry()
        passed = await pass_time_until(env, lambda: stuck.attempts > 1)
        endless.undo()

        assert stuck.attempts == 2
        assert passed > WAIT
        assert await run.result() == {"work": None}
