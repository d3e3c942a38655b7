"""Workers that fall silent are known as offline, and the store is left alone while there are none."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from tests.patience import until

from holdfast.client.workers import Workers
from holdfast.errors import StoreUnavailable
from holdfast.server.worker_expiry import WorkerExpiry

EVERY = 0.01


class Registry:
    """Counts how often it is asked, and answers what it is told to."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def mark_offline(self) -> int:
        self.asked += 1
        answer = self.answers.pop(0) if self.answers else 0
        if isinstance(answer, Exception):
            raise answer
        return answer


@contextlib.asynccontextmanager
async def running(expiry: WorkerExpiry) -> AsyncGenerator[None]:
    expiry.start()
    yield
    await expiry.stop()


def expiry_of(registry: Registry) -> WorkerExpiry:
    return WorkerExpiry(cast("Workers", cast("Any", registry)), EVERY)


async def test_it_asks_while_workers_are_online_and_then_falls_silent():
    registry = Registry(2, 1, 0)

    async with running(expiry_of(registry)):
        await until(lambda: registry.asked >= 3)
        await asyncio.sleep(EVERY * 20)

    assert registry.asked == 3


async def test_it_asks_again_once_a_worker_is_heard_of():
    registry = Registry(0, 1, 0)
    expiry = expiry_of(registry)

    async with running(expiry):
        await until(lambda: registry.asked >= 1)
        await asyncio.sleep(EVERY * 10)
        assert registry.asked == 1
        expiry.note_heartbeat()
        await until(lambda: registry.asked >= 3)
        await asyncio.sleep(EVERY * 10)

    assert registry.asked == 3


async def test_a_store_that_is_away_is_asked_again(caplog: pytest.LogCaptureFixture):
    registry = Registry(StoreUnavailable("sqlite", "gone"), 0)

    async with running(expiry_of(registry)):
        await until(lambda: registry.asked >= 2)
        await asyncio.sleep(EVERY * 10)

    assert registry.asked == 2
    assert "gone" in caplog.text


async def test_it_ends_with_the_server():
    registry = Registry(*[1] * 1000)

    async with running(expiry_of(registry)):
        await until(lambda: registry.asked > 0)
    asked = registry.asked
    await asyncio.sleep(EVERY * 5)

    assert registry.asked == asked
