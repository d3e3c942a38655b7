"""The log lines of attempts on their way into the store.

Lines are written with the commit that ends their attempt, and a few times a second before that, so that
they can be read while it runs. The log of an attempt is limited: its first lines and its last lines are
kept.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Iterable, Sequence

import msgspec

from holdfast.core.values import Instant, later
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.ports.clock import Clock
from holdfast.ports.executor import OURS, Attempt, OutputLine

_TAIL = 200
"""How many of the last lines are kept when the log of an attempt is over its limit."""
_TAIL_BYTES = 32_000
_LINE = 32
"""What a line counts besides its text: a million empty lines take room too."""

_encode = msgspec.json.Encoder().encode


class AttemptLog:
    """The lines of one attempt that are not written yet."""

    __slots__ = ("_cut", "_cut_bytes", "_limit", "_size", "_tail", "_tail_size", "is_queued", "lines")

    def __init__(self, limit: int) -> None:
        self.lines: list[OutputLine] = []
        self.is_queued = False
        self._limit = limit
        self._size = 0
        self._tail: deque[OutputLine] = deque()
        self._tail_size = self._cut = self._cut_bytes = 0

    def add(self, lines: Sequence[OutputLine]) -> None:
        for line in lines:
            size = len(line.text) + _LINE
            if self._size < self._limit:
                self._size += size
                self.lines.append(line)
                continue
            self._tail.append(line)
            self._tail_size += size
            while len(self._tail) > _TAIL or (self._tail_size > _TAIL_BYTES and len(self._tail) > 1):
                dropped = len(self._tail.popleft().text)
                self._tail_size -= dropped + _LINE
                self._cut += 1
                self._cut_bytes += dropped + 1

    def has_more(self, *, is_over: bool) -> bool:
        return bool(self.lines) or (is_over and bool(self._tail))

    def take(self, *, is_over: bool) -> bytes | None:
        """The lines to write now, as JSON. An attempt that is over may log more lines, and this is called
        again."""
        lines, self.lines = self.lines, []
        if is_over and self._tail:
            if self._cut:
                words = f"… {self._cut:,} lines ({self._cut_bytes:,} characters) were cut here"
                lines.append(OutputLine(self._tail[0].at, OURS, words))
            lines += self._tail
            self._tail.clear()
            self._tail_size = self._cut = self._cut_bytes = 0
        return _encode(lines) if lines else None


class LogBuffer:
    def __init__(self, clock: Clock, every: dt.timedelta, limit: int, inbox: EngineInbox) -> None:
        self._clock = clock
        self._every = every
        self._limit = limit
        self._inbox = inbox
        self._queue: deque[tuple[Instant, LiveAttempt]] = deque()
        """Attempts that have lines to write, and when to write them."""

    def log(self, attempt: Attempt, lines: Sequence[OutputLine]) -> None:
        """Executors call this. An attempt that was given up may still log its last lines."""
        if not isinstance(attempt, LiveAttempt) or attempt.resident.is_gone:
            return
        log = attempt.log
        if log is None:
            log = attempt.log = AttemptLog(self._limit)
        log.add(lines)
        if not log.is_queued and log.has_more(is_over=attempt.stage is Stage.CLOSED):
            log.is_queued = True
            if not self._queue:
                self._inbox.wake()  # so that the loop waits no longer than until these lines are due
            self._queue.append((later(self._clock.now(), self._every), attempt))

    def next_due(self) -> Instant | None:
        return self._queue[0][0] if self._queue else None

    def take_due(self, now: Instant) -> Iterable[LiveAttempt]:
        while self._queue and self._queue[0][0] <= now:
            _, attempt = self._queue.popleft()
            if attempt.log is not None:
                attempt.log.is_queued = False
                has_more = attempt.log.has_more(is_over=attempt.stage is Stage.CLOSED)
                if has_more and not attempt.resident.is_gone:
                    yield attempt
