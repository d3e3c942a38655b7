"""What an attempt publishes reaches the engine, however its thread and the event loop take turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from holdfast.core.codec import Codec
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.values import Payload, RunKey
from holdfast.executors.context import EngineLink, TaskContext
from holdfast.executors.publishing import AwaitableItems
from holdfast.ports.executor import Attempt


async def test_items_that_are_taken_before_they_are_announced_do_not_hide_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread adds an item, and before it can announce it, the loop takes it along with earlier ones."""
    taken: list[int] = []

    def take(attempt: Attempt, items: UnwrittenItems) -> None:
        taken.extend(batch.length for batch in items.take())

    context = TaskContext(_attempt(), EngineLink(lambda attempt, details: None, Codec(), publish=take))

    def add_and_lose_the_turn(items: AwaitableItems, stream: str, encoded: Sequence[bytes]) -> None:
        UnwrittenItems.add(items, stream, encoded)
        take(context._attempt, items)

    with monkeypatch.context() as patched:
        patched.setattr(AwaitableItems, "add", add_and_lose_the_turn)
        context.publish("numbers", 1)
    await asyncio.sleep(0)
    context.publish_many("numbers", [2, 3])
    await asyncio.sleep(0)

    assert taken == [1, 2]


def _attempt() -> Attempt:
    return Attempt(
        run=RunKey(bytes(16)),
        id="order-1",
        namespace="shop",
        workflow="checkout",
        version="1",
        seq=7,
        name="count",
        own_input=Payload(b"[]"),
        options=DEFAULT_OPTIONS,
        number=1,
        heartbeat_details=None,
    )
