"""Looking at a run until it rests, when things happen between one look and the next."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import os
import signal
from collections.abc import Generator
from typing import Any, cast

import pytest
from tests.cli.builders import DATABASE

from holdfast import Catalog, Holdfast, Retry, task, workflow
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.interrupts import Interrupts
from holdfast.cli.views.progress import RunProgress, RunSnapshot
from holdfast.cli.watching.session import RunRequest, RunSession
from holdfast.cli.watching.watcher import RunWatcher
from holdfast.client.run import RunInfo, TaskInfo
from holdfast.core.values import RunStatus
from holdfast.errors import RunFailed

catalog = Catalog()
failures = {"left": 0}


@task(catalog=catalog)
async def work() -> str:
    if failures["left"]:
        failures["left"] -= 1
        raise ValueError("no luck")
    await asyncio.sleep(0.5)
    return "done"


@workflow(catalog=catalog)
async def main() -> str:
    return await work()


@task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=dt.timedelta(seconds=0.4), factor=1, jitter=0))
async def stubborn() -> str:
    return await cast("Any", work).function()


@workflow(catalog=catalog)
async def insist() -> str:
    return await stubborn()


class Views:
    def __init__(self) -> None:
        self.seen: list[RunSnapshot] = []

    def show(self, snapshot: RunSnapshot) -> None:
        self.seen.append(snapshot)

    def hide(self) -> None: ...

    def reveal(self) -> None: ...

    def finish(self, snapshot: RunSnapshot) -> None: ...


class Slow:
    """A client whose first question about tasks is answered only when the run has ended."""

    def __init__(self, client: Holdfast) -> None:
        self._client = client
        self._was_asked = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def tasks(self, run: Any, **options: Any) -> list[TaskInfo]:
        if not self._was_asked:
            self._was_asked = True
            with contextlib.suppress(RunFailed):
                await run.result()
            await asyncio.sleep(0)
        return await self._client.tasks(run, **options)


class Asking:
    """A client that notes which tasks' attempts are asked for."""

    def __init__(self, client: Holdfast) -> None:
        self._client = client
        self.outside_wait: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def attempts(self, run: Any, *, of: Any = None) -> Any:
        self.outside_wait.append(of)
        return await self._client.attempts(run, of=of)


class Reopening:
    """A client that opens the run again as soon as its end could be seen."""

    def __init__(self, client: Holdfast) -> None:
        self._client = client
        self.has_reopened = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def describe(self, run: Any) -> RunInfo:
        info = await self._client.describe(run)
        if info.status is RunStatus.FAILED and not self.has_reopened:
            self.has_reopened = True
            await self._client.retry(run)
            info = await self._client.describe(run)
        return info


async def test_a_run_that_fails_in_the_middle_of_a_look_is_seen_to_have_failed(sqlite_url: str):
    failures["left"] = 1
    async with Holdfast(sqlite_url, catalog=catalog) as client:
        run = await client.start(main)
        watcher = RunWatcher(cast("Holdfast", Slow(client)), run, RunProgress(), await client.describe(run))

        await watcher.watch(Views())

    assert watcher.snapshot.info.status is RunStatus.FAILED
    assert watcher.snapshot.progress.lines["work"].state == "failed"


async def test_only_attempts_of_tasks_that_moved_are_read_and_each_is_told_once(sqlite_url: str):
    failures["left"] = 2
    async with Holdfast(sqlite_url, catalog=catalog) as client:
        run = await client.start(insist)
        asking = Asking(client)
        watcher = RunWatcher(cast("Holdfast", asking), run, RunProgress(), await client.describe(run))
        views = Views()

        await watcher.watch(views)

    seen = [*views.seen, watcher.snapshot]
    assert [each.attempt.attempt for snapshot in seen for each in snapshot.unsuccessful] == [1, 2]
    assert watcher.snapshot.info.output == "done"
    assert asking.outside_wait
    assert all(of == [0] for of in asking.outside_wait)


async def test_a_run_that_was_opened_again_is_watched_on(sqlite_url: str):
    failures["left"] = 1
    async with Holdfast(sqlite_url, catalog=catalog) as client:
        run = await client.start(main)
        reopening = Reopening(client)
        watcher = RunWatcher(cast("Holdfast", reopening), run, RunProgress(), await client.describe(run))
        views = Views()

        await watcher.watch(views)

    assert reopening.has_reopened
    assert watcher.snapshot.info.status is RunStatus.SUCCESS
    assert watcher.snapshot.info.output == "done"
    line = watcher.snapshot.progress.lines["work"]
    assert (line.state, line.asked_for, line.attempt) == ("success", 1, 2)
    assert len(views.seen) < 20, "it rests between looks"


class Interrupting:
    """A client that is interrupted when the run has ended, and this is not seen yet."""

    def __init__(self, client: Holdfast) -> None:
        self._client = client
        self._was_asked = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def tasks(self, run: Any, **options: Any) -> list[TaskInfo]:
        if not self._was_asked:
            self._was_asked = True
            await run.result()
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.1)
        return await self._client.tasks(run, **options)


@pytest.fixture
def signals_put_back() -> Generator[None]:
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals_put_back")
async def test_a_signal_at_the_very_end_does_not_detach_from_a_run_that_is_over(
    sqlite_url: str, capsys: pytest.CaptureFixture[str]
):
    failures["left"] = 0
    request = RunRequest([], True, None, None, None, False, DATABASE, False, True)
    with Interrupts() as interrupts:
        async with Holdfast(sqlite_url, catalog=catalog) as client:
            run = await client.start(main)
            interrupting = cast("Holdfast", Interrupting(client))
            watcher = RunWatcher(interrupting, run, RunProgress(), await client.describe(run))
            session = RunSession(request, client, watcher, Views(), interrupts)

            came = await session.watch()

    assert came is ExitCode.SUCCESS
    assert "success after" in capsys.readouterr().err
