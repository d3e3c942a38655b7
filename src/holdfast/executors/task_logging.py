"""Records that a task makes with `logging` become part of its log.

Records are captured where a logger creates them (`Logger.makeRecord`). A handler on the root logger would not
do: `logging.basicConfig` does nothing once the root logger has a handler. A record factory would not do
either: the next factory that is set replaces it. So levels apply to the log of a task as usual, but handlers
and filters do not.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any

from holdfast.core.values import Instant, is_instant
from holdfast.ports.executor import Attempt, Log, OutputLine

_LONGEST_LINE = 16 * 1024
_LONGEST_LEVEL = 50

_MOST_UNSENT = 2000
_PAUSE_WHEN_FULL = 0.001
"""Seconds that a thread sleeps after each record while the buffer is full. Without it, a few threads that log
without a pause could keep the event loop from renewing its lease, and could fill the memory."""

RecordSink = Callable[[logging.LogRecord], None]


class TaskLogBuffer:
    """Lines that attempts of one executor have logged and the engine has not received yet. Any thread may
    add."""

    __slots__ = ("_flush_is_scheduled", "_log", "_loop_thread", "_post", "_unsent")

    def __init__(self, log: Log, post: Callable[[Callable[[], None]], None]) -> None:
        self._log = log
        self._post = post
        self._unsent: deque[tuple[Attempt, list[OutputLine]]] = deque()
        self._flush_is_scheduled = False
        self._loop_thread = threading.get_ident()

    def add(self, attempt: Attempt, record: logging.LogRecord) -> None:
        # Formatted now: the record's arguments may change later.
        self._unsent.append((attempt, _lines(record)))
        if not self._flush_is_scheduled:
            self._flush_is_scheduled = True
            self._post(self.flush)
        if len(self._unsent) > _MOST_UNSENT:
            if threading.get_ident() == self._loop_thread:
                self.flush()
            else:
                time.sleep(_PAUSE_WHEN_FULL)

    def flush(self) -> None:
        """On the event loop's thread. Sends what is in the buffer now; lines added meanwhile wait for the
        next flush. Otherwise threads that log without a pause would keep the loop here for ever."""
        # Cleared first, so that a line that is added from here on schedules another flush.
        self._flush_is_scheduled = False
        for _ in range(len(self._unsent)):
            self._log(*self._unsent.popleft())


def _lines(record: logging.LogRecord) -> list[OutputLine]:
    at = _instant(record.created)
    level = _storable(str(record.levelname))[:_LONGEST_LEVEL]
    try:
        text = record.getMessage()
    except Exception:  # the arguments do not fit: logging prints that itself, and the task goes on
        text = _unformatted(record.msg)
    if record.exc_info and record.exc_info[0] is not None:
        text += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip()
    lines = _storable(text).splitlines() or [""]
    return [OutputLine(at, level, piece) for line in lines for piece in _pieces(line)]


def _storable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode().replace("\x00", "\ufffd")


def _instant(seconds: float) -> Instant:
    """The time of a record. A record may have been made with a clock that shows anything; then it is 0."""
    try:
        at = int(seconds * 1_000_000)
    except (ValueError, OverflowError, TypeError):
        at = 0
    return Instant(at if is_instant(at) else 0)


def _pieces(line: str) -> list[str]:
    """Split a line that is too long, as for processes: the bounds on a log count lines."""
    if len(line) <= _LONGEST_LINE:
        return [line]
    return [line[start : start + _LONGEST_LINE] for start in range(0, len(line), _LONGEST_LINE)]


def _unformatted(message: object) -> str:
    try:
        return str(message)
    except Exception:  # a message that cannot be printed must not fail its task
        return object.__repr__(message)


class _RecordHook:
    is_installed = False


def install_record_hook(current_sink: Callable[[], RecordSink | None]) -> None:
    """From now on, pass every new log record to the sink of the task that made it.

    `current_sink` is called where the record is created; it returns None where no task is running. Only the
    first call in a process has an effect.
    """
    if _RecordHook.is_installed:
        return
    _RecordHook.is_installed = True
    make = logging.Logger.makeRecord

    @wraps(make)
    def make_and_pass_on(self: logging.Logger, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(self, *args, **kwargs)
        sink = current_sink()
        if sink is not None:
            sink(record)
        return record

    logging.Logger.makeRecord = make_and_pass_on
