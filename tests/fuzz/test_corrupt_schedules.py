"""Schedules whose rows were damaged behind the engine's back: they suffer, and no other schedule does."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.fuzz.corruptions import SCHEDULES
from tests.fuzz.damage import Damage
from tests.fuzz.household import catalog, simple

from holdfast import HoldfastError
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)
PATIENCE = 30
"""Seconds of real time. A node that has died is never quiet again."""


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1, "holdfast")


@pytest.mark.parametrize("damage", SCHEDULES, ids=lambda damage: damage.title)
async def test_a_damaged_schedule_stops_no_other_and_no_node(store_url: str, damage: Damage) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        for name in ("a good one", "bad", "some good one"):
            await env.schedules.put(name, simple, every=HOUR, input={"value": 1}, overlap="allow")
    damage.do(store_url, "bad")

    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        await env.wait_until_quiet()
        # From tick to tick, since one that cannot fire is looked at again and again.
        for _ in range(3):
            env.clock.advance(HOUR)
            env.engine._poller.poll_now()
            await env.wait_until_quiet()
        await _check_answers(env, damage)

        assert env.engine.failure is None, damage.title
        ids = [run.id for run in await env.list(limit=1000)]
        for name in ("a good one", "some good one"):
            assert len([id for id in ids if id.startswith(f"{name}@")]) == 3, (damage.title, ids)
        assert await env.run(simple, 1) == 1


async def _check_answers(env: Environment, damage: Damage) -> None:
    """Whoever asks is told something they can use, and can get rid of it."""
    questions: list[Callable[[], Awaitable[Any]]] = [
        env.schedules.list,
        lambda: env.schedules.get("bad"),
        lambda: env.schedules.preview("bad", 3),
        lambda: env.schedules.trigger("bad"),
        lambda: env.schedules.pause("bad"),
        lambda: env.schedules.resume("bad"),
        lambda: env.schedules.put("bad", simple, every=HOUR, input={"value": 2}),
        lambda: env.schedules.delete("bad"),
    ]
    for ask in questions:
        with suppress(HoldfastError):
            await ask()
        await env.wait_until_quiet()
        assert env.engine.failure is None, damage.title
    assert "bad" not in {schedule.name for schedule in await env.schedules.list()}


@pytest.mark.parametrize(
    "damages",
    [
        [Damage("schedules", "plan", b"{}")],
        [Damage("schedules", "queued", "[x]")],
        [Damage("schedules", "plan", b"{}"), Damage("schedules", "queued", "[1]")],
    ],
    ids=["plan", "queue", "plan with a queue"],
)
async def test_a_schedule_that_cannot_fire_is_no_reason_to_spin(
    store_url: str, damages: list[Damage]
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("bad", simple, every=HOUR, input={"value": 1})
    for damage in damages:
        damage.do(store_url, "bad")

    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        env.clock.advance(HOUR)
        await env.wait_until_quiet()
        before = env.crash_points.statements
        await env.skip(dt.timedelta(seconds=30))
        sent = env.crash_points.statements - before

    assert sent < 300
