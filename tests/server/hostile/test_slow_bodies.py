"""Somebody who sends a body a byte at a time, to keep connections busy."""

from __future__ import annotations

import asyncio
from typing import Any

from holdfast.server.connections import BODY_RATE, BodyTimedOut, TimelyBody


def parts_of(body: bytes, every: float) -> Any:
    """A client that sends it again and again, and never comes to the end."""

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(every)
        return {"type": "http.request", "body": body, "more_body": True}

    return receive


async def read_until_given_up(body: bytes, *, seconds: float, most: int) -> int:
    timely = TimelyBody(parts_of(body, seconds / 10), seconds)
    for count in range(most):
        try:
            await timely()
        except BodyTimedOut:
            return count
    return most


async def test_a_body_that_comes_a_byte_at_a_time_is_given_up():
    assert 2 <= await read_until_given_up(b"x", seconds=0.2, most=1000) <= 11


async def test_a_body_that_comes_fast_enough_is_read_for_as_long_as_it_takes():
    enough = b"x" * int(BODY_RATE * 0.1)

    assert await read_until_given_up(enough, seconds=0.2, most=25) == 25
