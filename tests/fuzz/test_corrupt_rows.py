"""Rows that were damaged behind the engine's back: their run suffers, and nobody else.

Every kind of damage is done to a run of its own, all in one database. Then a new node opens it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.fuzz.corruptions import CORRUPTIONS
from tests.fuzz.damage import Damage
from tests.fuzz.household import catalog, resting, settle_in, simple

from holdfast import HoldfastError, Run, RunStatus
from holdfast.core.records import MessageKind
from holdfast.core.values import NULL
from holdfast.errors import StoreError
from holdfast.ports.commits import NewMessage
from holdfast.testing import Environment

GROUPS = {
    f"{table} {first}": damages[first : first + 25]
    for table, damages in CORRUPTIONS.items()
    for first in range(0, len(damages), 25)
}
A_WHILE = dt.timedelta(days=3)
"""Long enough for what backs off to be tried again, and for runs that only wait to leave memory."""


PATIENCE = 40
"""Seconds of real time. A node that has died is never quiet again."""


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1, "holdfast")


@pytest.mark.parametrize("group", sorted(GROUPS))
async def test_a_damaged_run_is_set_aside_and_all_others_end(store_url: str, group: str) -> None:
    damages = dict(enumerate(GROUPS[group]))
    async with Environment(store_url, catalog=catalog) as env:
        # The last one, and its last child, keep the highest key: an Environment counts on from there.
        runs = await settle_in(env, "good", *[f"bad {number}" for number in damages], "last")
    for number, damage in damages.items():
        damage.do(store_url, runs[number + 1].key)

    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        await env.wait_until_quiet()
        assert env.engine.failure is None, f"the node died of one of {[it.title for it in damages.values()]}"
        await env.signal("good", "go")
        assert await env.result("good") == "good"
        await env.skip(A_WHILE)
        for number, damage in damages.items():
            await _check_answers(env, runs[number + 1], damage)
        await env.skip(A_WHILE)

        assert env.engine.failure is None
        assert await env.run(simple, 1) == 1
        await env.list(limit=1000)
        await env.doctor()


async def _check_answers(env: Environment, run: Run[Any], damage: Damage) -> None:
    """Everyone who asks about the run is told something they can use, and nothing breaks by asking."""
    info = await env.describe(Run(env, run.key, None, lambda _: None))
    if info.status is RunStatus.PARKED:
        assert info.failure is not None or damage.column == "status", damage.title
        assert info.failure is None or info.failure.message, damage.title
    questions: list[Callable[[], Awaitable[Any]]] = [
        lambda: env.history(run),
        lambda: env.list_tasks(run),
        lambda: env.tasks(run),
        lambda: env.attempts(run),
        lambda: env.logs(run),
        lambda: env.state(run),
        lambda: env.resume(run),
        lambda: env.signal(run, "go"),
        lambda: env.cancel(run, "enough"),
        lambda: env.retry(run),
        lambda: env.cancel(run, "enough"),
    ]
    for ask in questions:
        with suppress(HoldfastError):
            await ask()
        await env.wait_until_quiet()
        assert env.engine.failure is None, damage.title


@pytest.mark.parametrize("name", ["x", "", "-1", "1.0", "9" * 5000, "٣", "²", "7"])
async def test_news_of_a_child_that_there_is_not_stop_nobody_else(name: str) -> None:
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog) as env:
        good, bad = await settle_in(env, "good", "bad")
        message = NewMessage(bad.key, MessageKind.CHILD, name, NULL)
        await env.crash_points.post_messages(env.namespace, [message], env.clock.now())
        await env.wait_until_quiet()

        assert env.engine.failure is None
        await env.signal(good, "go")
        assert await good.result() == "good"
        info = await env.describe(bad)
        assert info.status is RunStatus.RUNNING or (info.failure is not None and info.failure.message)


@pytest.mark.parametrize("kind", ["bogus", "", "child", "unreadable"])
async def test_a_message_of_an_unknown_kind_sets_only_its_reader_aside(store_url: str, kind: str) -> None:
    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        good, bad = await settle_in(env, "good", "bad")
        await env.crash_points.post_messages(
            env.namespace, [NewMessage(bad.key, MessageKind.SIGNAL, "odd", NULL)], env.clock.now()
        )
        Damage("messages", "kind", kind, "name = 'odd'").do(store_url, bad.key)
        await env.wait_until_quiet()

        assert env.engine.failure is None
        await env.signal(good, "go")
        assert await good.result() == "good"
        assert (await bad.status()) in (RunStatus.PARKED, RunStatus.RUNNING)


@pytest.mark.parametrize("failure", [b"[]", b'{"type":5}', b"{}"])
async def test_a_child_with_an_unreadable_failure_has_failed_all_the_same(
    store_url: str, failure: bytes
) -> None:
    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        child = await env.start(resting, 1)
        await env.wait_until_quiet()
        await env.cancel(child)
        await env.wait_until_quiet()
        Damage("runs", "failure", failure).do(store_url, child.key)
        other = await env.start(simple, 1)

        with pytest.raises(HoldfastError):
            await env.result(child.id)
        assert await other.result() == 1


async def test_the_answer_about_a_damaged_journal_says_which_step(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        [run] = await settle_in(env, "bad")
    Damage("journal", None, None, "position = 1").do(store_url, run.key)

    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        await env.wait_until_quiet()
        info = await env.describe("bad")

        assert info.status is RunStatus.PARKED
        assert info.failure is not None
        assert "step 1" in info.failure.message
        await env.cancel("bad")
        with pytest.raises(StoreError, match="step 1"):
            await env.retry("bad")
