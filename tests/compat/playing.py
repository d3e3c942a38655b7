"""What is played for the recording of 0.3.0 and later: runs of DAGs, what tasks say, and schedules."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Any

from tests.compat.dags import DAY, calling, delivery, earlier_edition, fragile, held_up, talking
from tests.patience import PATIENCE

from holdfast.testing import Environment

Pass = Callable[[Environment, float], Awaitable[None]]

THEN: dict[str, list[list[Any]]] = {
    "dag-at-its-gate": [["approve", "gate"], ["signal", "go"]],
    "dag-waiting-for-a-signal": [["signal", "go"]],
    "dag-failed": [["retry"], ["approve", "after"]],
    "dag-cancelled": [["retry"], ["approve", "gate"], ["signal", "go"]],
    "dag-opened-again": [["approve", "after"]],
    "dag-calling-in-turn/call/0": [["approve", "after"]],
    "dag-calling-in-turn/call/1": [["approve", "after"]],
    "dag-of-an-earlier-edition": [["approve", "gate"]],
    "talking-half-way": [["signal", "go", "good bye"]],
}
"""What each run needs from outside to come to its end. The others go on by themselves."""


async def put_schedules(env: Environment, settle: Callable[[Environment], Awaitable[None]]) -> None:
    """One that fires and has more to do, one whose ticks wait for each other, and one that is paused."""
    minute = dt.timedelta(minutes=1)
    end = env.clock.time() + 7 * minute
    await env.schedules.put("reports", "steps", every=minute, input={"first": 1, "second": 2}, end=end)
    await env.schedules.put("naps", "sleeping", every=minute, input={"days": 1}, overlap="queue", end=end)
    await env.schedules.put(
        "nightly",
        "delivery",
        cron="30 2 * * 1-5",
        timezone="Europe/Berlin",
        input={"parcels": ["{tick}"]},
        jitter=minute,
        catchup={"all": 3},
        overlap="cancel_previous",
    )
    await env.schedules.pause("nightly")
    await settle(env)


async def play_dags(env: Environment, wait: Pass) -> None:
    """One after the other, so that rows that are numbered for all runs have the same numbers each time."""

    async def start(workflow: Any, id: str, **inputs: Any) -> None:
        await env.start(workflow, id=id, **inputs)
        await wait(env, 0)

    for id, days in (("dag-finished", 0), ("dag-waiting-for-a-child", 1)):
        await start(delivery, id, day=DAY, days=days)
        await env.approve(id, "gate")
        await env.signal(id, "go")
        await wait(env, 40)
    await start(delivery, "dag-at-its-gate", day=DAY)
    await start(delivery, "dag-waiting-for-a-signal", day=DAY)
    await env.approve("dag-waiting-for-a-signal", "gate")
    await start(delivery, "dag-cancelled", day=DAY)
    await env.cancel("dag-cancelled", "not today")
    await wait(env, 1)
    for id in ("dag-failed", "dag-opened-again", "dag-finished-at-the-second-try"):
        await start(fragile, id)
    for id in ("dag-opened-again", "dag-finished-at-the-second-try"):
        await env.retry(id)
        await wait(env, 0)
    await env.approve("dag-finished-at-the-second-try", "after")
    await wait(env, 0)
    await start(calling, "dag-calling-in-turn")
    await env.retry("dag-calling-in-turn")
    await wait(env, 0)
    with earlier_edition() as earlier:
        await start(earlier, "dag-of-an-earlier-edition")
    await start(talking, "talking-half-way")
    await wait(env, 60)


async def leave_dag_under_way(env: Environment) -> None:
    """Until its command runs and has been heard."""
    await env.start(held_up, id="dag-under-way")
    async with asyncio.timeout(PATIENCE):
        while env.engine._decider._logs.next_due() is None:  # noqa: ASYNC110  # a process is what is waited for
            await asyncio.sleep(0.001)
