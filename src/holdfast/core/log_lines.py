"""Lines of logs: what an attempt or the code of a workflow writes, and how much of it is kept.

A line has at most `LONGEST_LINE` characters; a longer one becomes several. A log is limited: its first lines
and its last lines are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from holdfast.core.values import Instant

OURS: Final = "holdfast"
"""The stream of lines that holdfast itself adds to a log."""

NO_TASK: Final = -1
"""Instead of the number of a task: lines that the code of a workflow has written."""

LONGEST_LINE: Final = 16 * 1024

_TAIL = 200
"""How many of the last lines are kept when a log is over its limit."""
_TAIL_BYTES = 32_000
_LINE = 32
"""What a line counts besides its text: a million empty lines take room too."""

_encode = msgspec.json.Encoder().encode


class OutputLine(NamedTuple):
    """A line of output, without its line ending."""

    at: Instant
    stream: str
    """`stdout` or `stderr`; the level of a logging call, such as `INFO`; or `holdfast` for our own lines."""
    text: str


class LimitedLog:
    """Lines that are not written to the store yet."""

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


class PrintedText:
    """Joins what is printed in pieces to lines. `print` writes the end of a line by itself.

    Each thread has its own line, so that pieces of two threads do not mix. There is no lock: a thread that
    can be interrupted could leave it locked.
    """

    __slots__ = ("_begun",)

    def __init__(self) -> None:
        self._begun: dict[tuple[str, int], str] = {}
        """Lines that have no end yet, by stream and thread."""

    def feed(self, stream: str, text: str, thread: int) -> list[str]:
        """The lines that this text ends, and pieces of a line that is too long."""
        key = stream, thread
        text = self._begun.pop(key, "") + storable(text)
        *lines, rest = text.split("\n")
        found = [piece for line in lines for piece in pieces(line.removesuffix("\r"))]
        if len(rest) > LONGEST_LINE:
            *whole, rest = pieces(rest)
            found += whole
        if rest:
            self._begun[key] = rest
        return found

    def close(self) -> list[tuple[str, str]]:
        """The lines that have no end, each with its stream."""
        begun, self._begun = self._begun, {}
        return [(stream, line) for (stream, _), line in begun.items()]


def storable(text: str) -> str:
    """The text as databases accept it: without NUL, and without half a surrogate pair."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.encode(errors="backslashreplace").decode().replace("\x00", "\ufffd")


def pieces(line: str) -> list[str]:
    """Split a line that is too long, as for processes: the bounds on a log count lines."""
    if len(line) <= LONGEST_LINE:
        return [line]
    return [line[start : start + LONGEST_LINE] for start in range(0, len(line), LONGEST_LINE)]
