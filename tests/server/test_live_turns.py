"""Subscribers write in turn, so that the engine on the same event loop does not wait for all of them."""

from __future__ import annotations

import asyncio

from tests.patience import PATIENCE

from holdfast.server.live.sse import Chunk
from holdfast.server.live.subscriptions import Subscription, Turns


async def test_of_many_subscribers_few_write_at_a_time_and_all_in_the_end():
    turns = Turns()
    written: list[bytes] = []

    async def write(subscription: Subscription) -> None:
        while (data := await subscription.next()) is not None:
            written.append(b"".join(each.data for each in data))

    subscriptions = [Subscription(turns) for _ in range(1_200)]
    writing = [asyncio.create_task(write(each)) for each in subscriptions]
    await asyncio.sleep(0)
    for each in subscriptions:
        each.put(Chunk(b"a"))
    most = 0
    async with asyncio.timeout(PATIENCE):
        while len(written) < 600:
            before = len(written)
            await asyncio.sleep(0)
            most = max(most, len(written) - before)
        for each in subscriptions:
            each.put(Chunk(b"b"))
            each.finish(b"c")
        await asyncio.gather(*writing)

    assert most <= 20
    assert sorted(set(written)) == [b"a", b"abc", b"bc"], "what comes meanwhile is written together"
    assert b"".join(written).count(b"c") == 1_200


async def test_a_subscriber_writes_no_more_than_a_piece_in_its_turn():
    subscription = Subscription(Turns())
    for _ in range(10):
        subscription.put(Chunk(bytes(100_000)))
    subscription.finish(b"end")

    pieces: list[int] = []
    async with asyncio.timeout(PATIENCE):
        while (data := await subscription.next()) is not None:
            pieces.append(sum(len(each.data) for each in data))

    assert pieces == [200_000] * 4 + [200_003]


async def test_a_subscriber_whose_client_is_sent_packed_chunks_writes_more_of_them_in_its_turn():
    subscription = Subscription(Turns(), is_packed=True)
    for _ in range(10):
        subscription.put(Chunk(bytes(100_000)))
    subscription.finish(b"end")

    async with asyncio.timeout(PATIENCE):
        chunks = await subscription.next()

    assert chunks is not None
    assert len(chunks) == 11
