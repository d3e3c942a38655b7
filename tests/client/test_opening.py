"""Opening, serving and closing a Holdfast, also when somebody loses patience in between."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE, until

from holdfast import Catalog, Holdfast, task, workflow
from holdfast.errors import BadOption, NodeStopped, NotOpen, StoreUnavailable
from holdfast.stores.sql_store import SqlStore


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'test.db'}"


def store_threads() -> int:
    return sum(thread.name in ("holdfast-writer", "holdfast-reader") for thread in threading.enumerate())


async def test_serve_returns_on_sigterm(url: str) -> None:
    async with Holdfast(url, catalog=Catalog()) as hf:
        serving = asyncio.create_task(hf.serve())
        await asyncio.sleep(0.01)
        assert not serving.done()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(serving, PATIENCE)


async def test_serve_tells_when_the_engine_has_failed(url: str) -> None:
    async with Holdfast(url, catalog=Catalog()) as hf:
        serving = asyncio.create_task(hf.serve())
        await asyncio.sleep(0.01)

        def break_down(*_: Any, **__: Any) -> None:
            raise ZeroDivisionError("a defect")

        engine: Any = hf._engine
        engine._decider.decide = break_down
        engine._poller.poll_now()
        with pytest.raises(NodeStopped, match="a defect"):
            await asyncio.wait_for(serving, PATIENCE)


async def test_only_an_open_holdfast_with_an_engine_serves(url: str) -> None:
    with pytest.raises(NotOpen):
        await Holdfast(url, catalog=Catalog()).serve()
    async with Holdfast(url, catalog=Catalog(), engine=False) as hf:
        with pytest.raises(BadOption, match="engine"):
            await hf.serve()


async def test_a_close_that_is_interrupted_goes_on_and_can_be_waited_for(url: str) -> None:
    catalog, began, gate = Catalog(), asyncio.Event(), asyncio.Event()

    @task(catalog=catalog)
    async def hold() -> int:
        began.set()
        await gate.wait()
        return 1

    @workflow(catalog=catalog)
    async def holding() -> int:
        return await hold()

    before = store_threads()
    hf = Holdfast(url, catalog=catalog)
    await hf.open()
    run = await hf.start(holding)
    result = asyncio.ensure_future(run.result())
    await began.wait()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(hf.close(), 0.01)
    gate.set()
    await asyncio.wait_for(hf.close(), PATIENCE)

    assert store_threads() == before
    try:
        assert await asyncio.wait_for(result, PATIENCE) == 1
    except NotOpen:
        pass  # it was handed back; nobody is left waiting


async def test_an_open_that_is_interrupted_leaves_nothing_behind(url: str) -> None:
    before = store_threads()
    for turn in range(10):
        try:
            async with asyncio.timeout(0.0005 * turn):
                hf = Holdfast(url, catalog=Catalog())
                await hf.open()
                await hf.close()
        except TimeoutError:
            await asyncio.sleep(0.02)
    await hf.close()

    await until(lambda: store_threads() == before)


@pytest.mark.parametrize("method", ["now", "register_definitions"])
async def test_a_database_that_goes_away_while_holdfast_opens_is_waited_for(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = getattr(SqlStore, method)
    calls: list[int] = []

    async def away_once(*args: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            raise StoreUnavailable("the database", "server closed the connection unexpectedly")
        return await usual(*args)

    monkeypatch.setattr(SqlStore, method, away_once)
    hf = Holdfast(f"sqlite:///{tmp_path}/holdfast.db", catalog=Catalog(), open_seconds=2)

    async with asyncio.timeout(PATIENCE):
        await hf.open()

    await hf.close()
    assert len(calls) == 2
