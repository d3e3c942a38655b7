"""Reading the log of a run: the lines so far, or new lines as they come."""

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
from holdfast.ports.runs import RunStore

_PAGE = 1000
_POLL_SECONDS = 0.25
_RECONNECT_SECONDS = 1.0

_log = logging.getLogger(__name__)

_decode = msgspec.json.Decoder(list[tuple[int, str, str]]).decode


class LogLine(msgspec.Struct, frozen=True, gc=False):
    at: dt.datetime
    task: str | None
    """None if the code of the workflow wrote it."""
    index: int | None
    """The index of the task in a fan-out, if it is part of one."""
    attempt: int
    """0 if the code of the workflow wrote it."""
    stream: str
    """`stdout` or `stderr`, the level of a logging call (`INFO`), or `holdfast` for our own remarks."""
    text: str


async def read_logs(
    store: RunStore, namespace: str, run: RunKey, task: str | None, after: int = 0
) -> AsyncIterator[tuple[int, LogLine]]:
    """Every line so far, each with the number to pass as `after` to read on."""
    while True:
        page = await store.read_logs(namespace, run, after, task, _PAGE)
        for record in page:
            for line in _lines(record):
                yield record.number, line
            after = record.number
        if len(page) < _PAGE:
            return


async def follow_logs(
    store: RunStore, namespace: str, run: RunKey, task: str | None
) -> AsyncIterator[LogLine]:
    """Every line so far, and new ones until the run has ended. Keeps trying while the store is
    unavailable."""
    after = 0
    while True:
        try:
            # Before reading lines: the last lines are written together with the end of the run.
            is_over = bool(await store.ended_runs(namespace, [run]))
            async for number, line in read_logs(store, namespace, run, task, after):
                after = number
                yield line
        except StoreUnavailable as error:
            if not error.may_pass:
                raise
            _log.warning("%s; still following the log", error)
            await asyncio.sleep(_RECONNECT_SECONDS)
            continue
        if is_over:
            return
        await asyncio.sleep(_POLL_SECONDS)


def _lines(record: LogRecord) -> list[LogLine]:
    try:
        found: Any = _decode(record.lines)
    except msgspec.MsgspecError as error:
        whose = "the run itself" if record.task is None else f"task {record.task!r}"
        raise JournalCorrupt(None, f"the log of {whose} ({error})") from None
    return [
        LogLine(moment(Instant(at)), record.task, record.index, record.attempt, stream, text)
        for at, stream, text in found
    ]
