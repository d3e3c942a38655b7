"""What a task says with `logging` becomes part of its log, whatever else is done with it.

It is taken where records are made: a handler would have to be added to the root logger, and
`logging.basicConfig` does nothing any more once that has one. So levels count as usual, and handlers and
filters do not.
"""

from __future__ import annotations

import logging
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

from holdfast.core.values import Instant
from holdfast.ports.executor import Attempt, Line, Log

Say = Callable[[logging.LogRecord], None]


class Speech:
    """What attempts of one executor have said and the engine has not heard yet. Any thread may add to it."""

    __slots__ = ("_is_waking", "_log", "_post", "_said")

    def __init__(self, log: Log, post: Callable[[Callable[[], None]], None]) -> None:
        self._log = log
        self._post = post
        self._said: deque[tuple[Attempt, list[Line]]] = deque()
        self._is_waking = False

    def say(self, attempt: Attempt, record: logging.LogRecord) -> None:
        self._said.append((attempt, _lines(record)))  # now: what it speaks of may change
        if not self._is_waking:
            self._is_waking = True
            self._post(self.pass_on)

    def pass_on(self) -> None:
        """On the loop's thread. Cleared first: what is added from here on is seen below, or wakes again."""
        self._is_waking = False
        while self._said:
            self._log(*self._said.popleft())


def _lines(record: logging.LogRecord) -> list[Line]:
    at = Instant(int(record.created * 1_000_000))
    try:
        text = record.getMessage()
    except Exception:  # arguments that do not fit: logging itself will say so, and the task goes on
        text = str(record.msg)
    if record.exc_info and record.exc_info[0] is not None:
        text += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip()
    lines = text.encode(errors="backslashreplace").decode().replace("\x00", "\ufffd").splitlines() or [""]
    return [Line(at, record.levelname, line) for line in lines]


class _Listening:
    is_on = False


def listen(current: Callable[[], Say | None]) -> None:
    """From now on, have every record that is made heard by whoever `current` answers: it is asked where the
    record is made, and knows the task that runs there, if one does. Once a process."""
    if _Listening.is_on:
        return
    _Listening.is_on = True
    make = logging.getLogRecordFactory()

    def make_and_tell(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        say = current()
        if say is not None:
            say(record)
        return record

    logging.setLogRecordFactory(make_and_tell)
