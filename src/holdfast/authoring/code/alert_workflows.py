"""The workflows of alerts: one that looks what has happened, and one that delivers a message.

The one that looks never ends by itself: once a day it is replaced by a new run, which deletes it. While there
are no rules it waits for a signal, and does nothing.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any, Final

from holdfast.authoring.code.context import Context
from holdfast.authoring.code.definitions import Workflow
from holdfast.core.alerts import (
    ALERTS,
    LOOK,
    LOOK_EVERY,
    VERSION,
    WEBHOOK,
    Delivery,
    Look,
    WatchPlace,
)
from holdfast.core.policies import Retry
from holdfast.core.records import task_claim
from holdfast.core.webhooks import MOST_ATTEMPTS, Sent, pause_after
from holdfast.ports.alerts import AlertWorker

_STEPS_OF_A_CHAPTER: Final = 200
_CHAPTERS: Final = 80
"""About a day. The rows of a run stay until it is deleted, so a run that never ended would grow for ever."""
_RETRY: Final = Retry(max_attempts=1_000_000, max_delay=dt.timedelta(minutes=1))
"""The database may be away for a while."""


class AlertWorkflow(Workflow[..., Any]):
    @property
    def claim(self) -> str:
        return task_claim(self.name)


def watching_workflow(worker: AlertWorker) -> AlertWorkflow:
    async def watch(ctx: Context, place: WatchPlace, previous: str | None = None) -> None:
        async def look_around() -> Look:
            return await worker.look(place)

        async def hand_over() -> None:
            await worker.hand_over(place)

        async def forget() -> None:
            await worker.forget(previous or "")

        if previous is not None:
            await ctx.step("forget", forget, retry=_RETRY)
        while True:
            look = await ctx.step("look", look_around, retry=_RETRY)
            place = look.place
            if not look.rules:
                place = WatchPlace(offset=await ctx.signal(LOOK, str))
            elif not look.is_behind:
                try:
                    await ctx.signal(LOOK, str, timeout=LOOK_EVERY)
                except TimeoutError:
                    pass
            if ctx.history_size > _STEPS_OF_A_CHAPTER:
                if ctx.chapter >= _CHAPTERS:
                    await ctx.step("hand over", hand_over, retry=_RETRY)  # that ends this run
                ctx.continue_as(place)

    return AlertWorkflow(watch, watch, ALERTS, VERSION)


def webhook_workflow(worker: AlertWorker) -> AlertWorkflow:
    async def deliver(ctx: Context, delivery: Delivery) -> Sent:
        async def send() -> Sent:
            return await worker.send(delivery, is_last=attempt == MOST_ATTEMPTS)

        for attempt in range(1, MOST_ATTEMPTS + 1):
            sent = await ctx.step("send", send, retry=_RETRY)
            if not sent.problem:
                return sent
            await asyncio.sleep(pause_after(attempt, sent, ctx.random.random()))
        raise AssertionError

    return AlertWorkflow(deliver, deliver, WEBHOOK, VERSION)
