"""Reading the log of a run: the lines so far, or new lines as they come."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import msgspec

from holdfast.core.names import checked_name
from holdfast.core.records import LogRecord
from holdfast.core.sealed import check_open
from holdfast.core.values import Instant, RunKey, moment
from holdfast.errors import BadOption, JournalCorrupt, StoreUnavailable
from holdfast.ports.runs import RunStore

_PAGE = 1000
_GROUPS, _BYTES = 100, 1024 * 1024
"""How many groups of lines to read at once for a page, and how many bytes a page has."""
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


class LogEntry(LogLine, frozen=True, gc=False):
    """A line with its place in the log."""

    offset: str
    """Pass it as `after` to read on behind this line."""


class LogPlace(NamedTuple):
    """Lines are stored in groups: the number of the group, and how many of its lines were read."""

    number: int
    lines: int


_OFFSET = re.compile(r"(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,8})", re.ASCII)


def read_log_offset(text: str | None) -> LogPlace:
    """Raises BadOption."""
    found = _OFFSET.fullmatch("0-0" if text is None else text)
    if found is None:
        raise BadOption("after", text, "the offset of a line of the log")
    return LogPlace(int(found[1]), int(found[2]))


async def read_log_page(
    store: RunStore, namespace: str, run: RunKey, task: str | None, after: LogPlace, limit: int
) -> list[LogEntry]:
    """No more than `limit` lines, and about a megabyte of them. Raises BadOption."""
    task = None if task is None else checked_name("task", task)
    entries: list[LogEntry] = []
    size, number = 0, after.number - 1
    while True:
        page = await store.read_logs(namespace, run, number, task, _GROUPS)
        for record in page:
            number = record.number
            done = after.lines if number == after.number else 0
            for index, line in enumerate(_lines(record)[done:], done + 1):
                if len(entries) == limit or size > _BYTES:
                    return entries
                size += len(line.text)
                entries.append(LogEntry(**msgspec.structs.asdict(line), offset=f"{number}-{index}"))
        if len(page) < _GROUPS:
            return entries


async def read_logs(
    store: RunStore, namespace: str, run: RunKey, task: str | None, after: int = 0
) -> AsyncIterator[tuple[int, LogLine]]:
    """Every line so far, each with the number to pass as `after` to read on. Raises BadOption."""
    task = None if task is None else checked_name("task", task)
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
    check_open(record.lines)
    try:
        found: Any = _decode(record.lines)
    except msgspec.MsgspecError as error:
        whose = "the run itself" if record.task is None else f"task {record.task!r}"
        raise JournalCorrupt(None, f"the log of {whose} ({error})") from None
    return [
        LogLine(moment(Instant(at)), record.task, record.index, record.attempt, stream, text)
        for at, stream, text in found
    ]
