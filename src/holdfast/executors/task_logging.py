"""What a task says with `logging` becomes part of its log, whatever else is done with it.

It is taken where a logger makes its records: a handler would have to be added to the root logger, and
`logging.basicConfig` does nothing any more once that has one; and a factory of records is replaced by the
next one that is set. So levels count as usual, and handlers and filters do not.
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

_MOST_WAITING = 2000
_BREATH = 0.001
"""Seconds. Who talks faster than the loop can listen waits so long for it, each time: else a few threads
could keep it from its lease, and what they say would fill the memory."""

Say = Callable[[logging.LogRecord], None]


class Speech:
    """What attempts of one executor have said and the engine has not heard yet. Any thread may add to it."""

    __slots__ = ("_is_waking", "_log", "_post", "_said", "_thread")

    def __init__(self, log: Log, post: Callable[[Callable[[], None]], None]) -> None:
        self._log = log
        self._post = post
        self._said: deque[tuple[Attempt, list[OutputLine]]] = deque()
        self._is_waking = False
        self._thread = threading.get_ident()

    def say(self, attempt: Attempt, record: logging.LogRecord) -> None:
        self._said.append((attempt, _lines(record)))  # now: what it speaks of may change
        if not self._is_waking:
            self._is_waking = True
            self._post(self.pass_on)
        if len(self._said) > _MOST_WAITING:
            if threading.get_ident() == self._thread:
                self.pass_on()
            else:
                time.sleep(_BREATH)

    def pass_on(self) -> None:
        """On the loop's thread. Cleared first: what is added from here on wakes again. It waits for its turn:
        threads that never stop talking would else keep the loop from all else that it has to do."""
        self._is_waking = False
        for _ in range(len(self._said)):
            self._log(*self._said.popleft())


def _lines(record: logging.LogRecord) -> list[OutputLine]:
    at = _instant(record.created)
    level = _storable(str(record.levelname))[:_LONGEST_LEVEL]
    try:
        text = record.getMessage()
    except Exception:  # arguments that do not fit: logging itself will say so, and the task goes on
        text = _as_it_is(record.msg)
    if record.exc_info and record.exc_info[0] is not None:
        text += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip()
    lines = _storable(text).splitlines() or [""]
    return [OutputLine(at, level, piece) for line in lines for piece in _pieces(line)]


def _storable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode().replace("\x00", "\ufffd")


def _instant(seconds: float) -> Instant:
    """Of a record, which may have been made with a clock that shows anything."""
    try:
        at = int(seconds * 1_000_000)
    except (ValueError, OverflowError, TypeError):
        at = 0
    return Instant(at if is_instant(at) else 0)


def _pieces(line: str) -> list[str]:
    """What is too long becomes several lines, as with processes: what is cut and kept is counted in lines."""
    if len(line) <= _LONGEST_LINE:
        return [line]
    return [line[start : start + _LONGEST_LINE] for start in range(0, len(line), _LONGEST_LINE)]


def _as_it_is(message: object) -> str:
    try:
        return str(message)
    except Exception:  # nor is this a reason for a task to fail
        return object.__repr__(message)


class _Listening:
    is_on = False


def listen(current: Callable[[], Say | None]) -> None:
    """From now on, have every record that is made heard by whoever `current` answers: it is asked where the
    record is made, and knows the task that runs there, if one does. Once a process."""
    if _Listening.is_on:
        return
    _Listening.is_on = True
    make = logging.Logger.makeRecord

    @wraps(make)
    def make_and_tell(self: logging.Logger, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(self, *args, **kwargs)
        say = current()
        if say is not None:
            say(record)
        return record

    logging.Logger.makeRecord = make_and_tell
