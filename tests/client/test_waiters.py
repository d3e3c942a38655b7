"""Waiting for many runs: what it costs does not grow with how much happens elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast.client.waiters import Waiters
from holdfast.core.records import RunRecord, new_run
from holdfast.core.values import Instant, NodeId, Payload, RunKey, RunStatus
from holdfast.ports.commits import Commit, EndedRun
from holdfast.ports.store import Store
from holdfast.stores.open_store import store_for

NODE = NodeId("other")


def key(number: int) -> RunKey:
    return RunKey(number.to_bytes(16, "big"))


class World:
    """A store that another node writes to, and a client that counts what it asks."""

    def __init__(self, store: Any) -> None:
        self.store: Store = store
        self.local: set[RunKey] = set()
        self.asked_whether_local = 0
        self.asked: list[int] = []
        self.delay = 0.0
        self.waiters = Waiters(store, "default", self.is_local)
        self._ended = store.ended_runs
        store.ended_runs = self.ended

    def is_local(self, run: RunKey) -> bool:
        self.asked_whether_local += 1
        return run in self.local

    async def ended(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        self.asked.append(len(runs))
        await asyncio.sleep(self.delay)
        return await self._ended(namespace, runs)

    def wait(self, number: int) -> asyncio.Future[Any]:
        return self.waiters.wait(key(number), None, lambda payload: payload)

    async def create(self, *numbers: int) -> None:
        runs = [
            new_run(key(n), "default", None, "w", "1", "w", Payload(b"{}"), Instant(0), owner=NODE)
            for n in numbers
        ]
        await self.store.commit(Commit("default", NODE, 1, Instant(0), Instant(10), created=runs))

    async def end(self, number: int) -> None:
        row = EndedRun(key(number), RunStatus.SUCCESS, Payload(b"1"), None, None, None, Instant(1))
        await self.store.commit(Commit("default", NODE, 2, Instant(1), Instant(10), ended=[row]))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    store = store_for(f"sqlite:///{tmp_path / 'test.db'}", threads=False)
    await store.open()
    world = World(store)
    yield world
    await world.waiters.close()
    await store.close()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0.001)


async def test_news_costs_nothing_for_runs_of_this_node(world: World) -> None:
    world.local = {key(n) for n in range(1000)}
    for n in range(1000):
        world.wait(n)
    world.asked_whether_local = 0

    for _ in range(20):
        world.waiters._changed.set()
        await settle()

    assert (world.asked_whether_local, world.asked) == (0, [])


async def test_a_run_that_is_let_go_is_asked_for_and_one_that_came_back_is_not(world: World) -> None:
    await world.create(1, 2)
    world.local = {key(1), key(2)}
    first, second = world.wait(1), world.wait(2)
    world.local = {key(2)}
    world.waiters.runs_released([key(1), key(2), key(3)])
    await world.end(1)
    world.waiters._changed.set()
    await settle()

    assert await asyncio.wait_for(first, PATIENCE) == b"1"
    assert not second.done()
    assert world.asked == [1]


async def test_one_who_stopped_waiting_is_forgotten(world: World) -> None:
    for _ in range(3):
        world.wait(1).cancel()
    last = world.wait(1)
    assert last.other is None  # pyright: ignore[reportAttributeAccessIssue]
    last.cancel()
    world.waiters._changed.set()
    await settle()

    assert world.asked == []
    assert world.waiters._waiting == {}


async def test_long_questions_are_not_asked_all_the_time(world: World) -> None:
    await world.create(1)
    world.delay = 0.02
    ending = world.wait(1)
    began = time.monotonic()
    for _ in range(60):
        world.waiters._changed.set()
        await asyncio.sleep(0.005)
    took = time.monotonic() - began

    assert len(world.asked) <= took / (5 * world.delay) + 1  # the pause is four times as long
    await world.end(1)
    world.waiters._changed.set()
    assert await asyncio.wait_for(ending, PATIENCE) == b"1"


async def test_who_waits_is_told_of_the_end_also_after_an_answer_that_nobody_could_foresee(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.client.waiters._POLL_SECONDS", 0.02)
    answer = world.ended

    async def fail_once(namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        monkeypatch.setattr(world.store, "ended_runs", answer)
        raise ZeroDivisionError("a defect")

    await world.create(1)
    monkeypatch.setattr(world.store, "ended_runs", fail_once)
    waiting = world.wait(1)
    await asyncio.sleep(0)
    await world.end(1)

    assert await asyncio.wait_for(waiting, PATIENCE) == b"1"
    assert "a defect; still waiting for 1 runs" in caplog.text
