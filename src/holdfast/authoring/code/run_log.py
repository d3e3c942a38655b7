"""What workflow code writes, with `print` or `logging`, until the step is recorded.

Lines are written to the store in the commit of the step, and replay writes none. So each line is there once.
The lines of one step are limited, like those of an attempt.
"""

from __future__ import annotations

from holdfast.core.log_lines import LimitedLog, OutputLine, PrintedText
from holdfast.core.values import Instant


class RunLog(LimitedLog):
    __slots__ = ("_at", "_printed")

    def __init__(self, limit: int, at: Instant) -> None:
        super().__init__(limit)
        self._at = at
        self._printed: PrintedText | None = None

    def print(self, stream: str, text: str) -> None:
        if self._printed is None:
            self._printed = PrintedText()
        lines = self._printed.feed(stream, text, 0)
        self.add([OutputLine(self._at, stream, line) for line in lines])

    def take(self, *, is_over: bool) -> bytes | None:
        if self._printed is not None:
            self.add([OutputLine(self._at, *begun) for begun in self._printed.close()])
        return super().take(is_over=is_over)
