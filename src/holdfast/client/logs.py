"""What tasks have said: all of it, or as it comes."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from holdfast.core.records import LogRecord
from holdfast.core.values import Instant, RunKey, moment
from holdfast.errors import JournalCorrupt, StoreUnavailable
from holdfast.ports.store import Store

_PAGE = 1000
_LOOK_SECONDS = 0.25
_AWAY_SECONDS = 1.0

_log = logging.getLogger(__name__)

_decode = msgspec.json.Decoder(list[tuple[int, str, str]]).decode


class LogLine(msgspec.Struct, frozen=True, gc=False):
    at: dt.datetime
    task: str
    index: int | None
    """Its place in a fan-out, if it is one of several."""
    attempt: int
    stream: str
    """`stdout` or `stderr`; for a logging call its level, as in `INFO`; `holdfast` for what we say of it."""
    text: str


async def read_logs(
    store: Store, namespace: str, run: RunKey, task: str | None, after: int = 0
) -> AsyncIterator[tuple[int, LogLine]]:
    """Every line so far, each with the number to go on from after it."""
    while True:
        page = await store.read_logs(namespace, run, after, task, _PAGE)
        for record in page:
            for line in _lines(record):
                yield record.number, line
            after = record.number
        if len(page) < _PAGE:
            return


async def follow_logs(store: Store, namespace: str, run: RunKey, task: str | None) -> AsyncIterator[LogLine]:
    """Every line so far, and more as they come, until the run has ended. Waits for a store that is away."""
    after = 0
    while True:
        try:
            is_over = bool(
                await store.ended(namespace, [run])
            )  # asked first: the last lines come with the end
            async for number, line in read_logs(store, namespace, run, task, after):
                after = number
                yield line
        except StoreUnavailable as error:
            if not error.may_pass:
                raise
            _log.warning("%s; still following the log", error)
            await asyncio.sleep(_AWAY_SECONDS)
            continue
        if is_over:
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _lines(record: LogRecord) -> list[LogLine]:
    try:
        found: Any = _decode(record.lines)
    except msgspec.MsgspecError as error:
        raise JournalCorrupt(None, f"the log of task {record.task!r} cannot be read ({error})") from None
    return [
        LogLine(moment(Instant(at)), record.task, record.index, record.attempt, stream, text)
        for at, stream, text in found
    ]
