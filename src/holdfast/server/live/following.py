"""The log and the streams of one run, as events until it has ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any, Final, cast

from holdfast.client.client import Client
from holdfast.client.run import Run
from holdfast.client.streams import StreamItem
from holdfast.core.values import key_text
from holdfast.errors import StoreUnavailable
from holdfast.ports.changes import ChangeFilter
from holdfast.server.live import sse

_LINES: Final = 1_000
_POLL_SECONDS: Final = 0.25
_LONGEST_POLL_SECONDS: Final = 1.0
"""A log in which nothing is written is looked at less often."""
_RECONNECT_SECONDS: Final = 1.0
_QUIET_SECONDS: Final = 1.0


async def log_events(
    client: Client, run: Run[Any], task: str | None, after: str | None
) -> AsyncGenerator[bytes]:
    watching = client.watching(ChangeFilter())
    pause = _POLL_SECONDS
    while True:
        try:
            # Before reading lines: the last lines are written together with the end of the run.
            state, _ = await watching.end_of(run.key)
            found = await client.log_page(run, after=after, task=task, limit=_LINES)
        except StoreUnavailable as error:
            if not error.may_pass:
                raise
            yield sse.comment("the database does not answer; this goes on when it is back")
            await asyncio.sleep(_RECONNECT_SECONDS)
            continue
        for chunk in sse.chunks_of(sse.event("log", line, line.offset) for line in found):
            yield chunk.data
        if found:
            after, pause = found[-1].offset, _POLL_SECONDS
            continue
        if state is None or state.status.is_final:
            yield _end_of(run)
            return
        yield b""
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_POLL_SECONDS)


async def stream_events(client: Client, run: Run[Any], name: str, after: int | None) -> AsyncGenerator[bytes]:
    items = cast("AsyncGenerator[StreamItem]", client.stream(run, name, after=after))
    waiting: asyncio.Future[StreamItem] | None = None
    try:
        while True:
            waiting = asyncio.ensure_future(anext(items)) if waiting is None else waiting
            await asyncio.wait([waiting], timeout=_QUIET_SECONDS)
            if not waiting.done():
                yield b""
                continue
            try:
                item = waiting.result()
            except StopAsyncIteration:
                yield _end_of(run)
                return
            waiting = None
            yield sse.event("item", item, str(item.offset))
    finally:
        if waiting is not None:
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await waiting
        await items.aclose()


def _end_of(run: Run[Any]) -> bytes:
    return sse.event("end", {"key": key_text(run.key)})
