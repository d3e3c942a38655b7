"""Lines that tasks write, on their way to the engine.

Records of `logging` are captured where a logger creates them (`Logger.makeRecord`). A handler on the root
logger would not do: `logging.basicConfig` does nothing once the root logger has a handler. A record factory
would not do either: the next factory that is set replaces it. So levels apply to the log of a task as usual,
but handlers and filters do not.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from holdfast.core.log_lines import OutputLine, pieces, storable
from holdfast.core.masking import Mask
from holdfast.core.values import Instant, is_instant
from holdfast.ports.executor import Attempt, FindSink, LineSink, Log

_LONGEST_LEVEL = 50

_MOST_UNSENT = 2000
_PAUSE_WHEN_FULL = 0.001
"""Seconds that a thread sleeps after each call while the buffer is full. Without it, a few threads that log
without a pause could keep the event loop from renewing its lease, and could fill the memory."""


class TaskLogBuffer:
    """Lines that attempts of one executor have logged and the engine has not received yet. Any thread may
    add."""

    __slots__ = ("_flush_is_scheduled", "_log", "_loop_thread", "_post", "_unsent")

    def __init__(self, log: Log, post: Callable[[Callable[[], None]], None]) -> None:
        self._log = log
        self._post = post
        self._unsent: deque[tuple[Attempt, Sequence[OutputLine]]] = deque()
        self._flush_is_scheduled = False
        self._loop_thread = threading.get_ident()

    def add(self, attempt: Attempt, lines: Sequence[OutputLine]) -> None:
        self._unsent.append((attempt, lines))
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


def lines_of(record: logging.LogRecord) -> list[OutputLine]:
    at = _instant(record.created)
    level = storable(str(record.levelname))[:_LONGEST_LEVEL]
    try:
        text = record.getMessage()
    except Exception:  # the arguments do not fit: logging prints that itself, and the task goes on
        text = _unformatted(record.msg)
    if record.exc_info and record.exc_info[0] is not None:
        text += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip()
    lines = storable(text).splitlines() or [""]
    return [OutputLine(at, level, piece) for line in lines for piece in pieces(line)]


def _mask_record(record: logging.LogRecord, mask: Mask) -> None:
    """Before handlers see it, which write it to places that are not ours."""
    try:
        text = record.getMessage()
    except Exception:  # as above
        text = _unformatted(record.msg)
    masked = mask.text(text)
    if masked != text:
        record.msg, record.args = masked, ()
    if record.exc_info and record.exc_info[0] is not None:
        trace = "".join(traceback.format_exception(*record.exc_info)).rstrip()
        masked = mask.text(trace)
        if masked != trace:
            # A handler would format the exception itself, so it gets none.
            record.msg, record.args = f"{mask.text(text)}\n{masked}", ()
            record.exc_info = record.exc_text = None


def _instant(seconds: float) -> Instant:
    """The time of a record. A record may have been made with a clock that shows anything; then it is 0."""
    try:
        at = int(seconds * 1_000_000)
    except (ValueError, OverflowError, TypeError):
        at = 0
    return Instant(at if is_instant(at) else 0)


def _unformatted(message: object) -> str:
    try:
        return str(message)
    except Exception:  # a message that cannot be printed must not fail its task
        return object.__repr__(message)


class _Hooks:
    finders: tuple[FindSink, ...] = ()
    are_installed = False


class _Handling(threading.local):
    """Whether handlers of `logging` are called on this thread. What they print is in the log already."""

    depth = 0


_handling = _Handling()


def current_sink() -> LineSink | None:
    """The log of the code that is running now; None outside of tasks and workflows, and in a handler of
    `logging`."""
    for find in _Hooks.finders:
        sink = find()
        if sink is not None:
            return None if _handling.depth else sink
    return None


def add_to_logs(find: FindSink) -> None:
    """From now on, each log record goes to the log that `find` finds where the record is created."""
    if find not in _Hooks.finders:
        _Hooks.finders += (find,)
    if not _Hooks.are_installed:
        _Hooks.are_installed = True
        _install_hooks()


def _install_hooks() -> None:
    make, call_handlers = logging.Logger.makeRecord, logging.Logger.callHandlers

    @wraps(make)
    def make_and_pass_on(self: logging.Logger, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(self, *args, **kwargs)
        sink = current_sink()
        if sink is not None:
            if sink.secrets is not None:
                _mask_record(record, sink.secrets.mask)
            sink.add_lines(lines_of(record))
            record.holdfast_origin = sink.origin
        return record

    @wraps(call_handlers)
    def call_unheard(self: logging.Logger, record: logging.LogRecord) -> None:
        _handling.depth += 1
        try:
            call_handlers(self, record)
        finally:
            _handling.depth -= 1

    logging.Logger.makeRecord = make_and_pass_on
    logging.Logger.callHandlers = call_unheard
