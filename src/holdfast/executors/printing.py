"""What tasks and workflows print becomes part of their logs.

While a node is open, `sys.stdout` and `sys.stderr` are replaced. A write goes to the stream that was there
before, as ever, and also to the log of the task or the workflow that is running, if any.
"""

from __future__ import annotations

import errno
import sys
import threading
from collections.abc import Iterable
from typing import Any

from holdfast.executors.task_logging import current_sink


class _HeardStream:
    """Everything but writing is that of the stream below, such as `isatty` and `fileno`. So bytes that are
    written to `buffer` are not heard."""

    def __init__(self, below: Any, name: str) -> None:
        self.below = below
        self.is_heard = True
        """False when the last node has closed. Somebody may have kept this object."""
        self._name = name

    def write(self, text: str) -> int:
        if self.is_heard:
            sink = current_sink()
            if sink is not None and isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                sink.print(self._name, text)
                shown = text
                if sink.secrets is not None:
                    shown = sink.secrets.shown.feed(self._name, text, threading.get_ident())
                try:
                    self.below.write(shown)
                except OSError as error:
                    # The terminal was closed. The log has the text, and the task need not fail for it.
                    if error.errno != errno.EIO:
                        raise
                return len(text)
        return self.below.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)

    def __repr__(self) -> str:
        return f"<{self._name}, heard by holdfast: {self.below!r}>"


class _Hearing:
    lock = threading.Lock()
    nodes = 0
    """How many nodes of this process hear what is printed."""
    streams: tuple[tuple[str, _HeardStream], ...] = ()


def start_hearing() -> None:
    """Hear what is printed, until each node of this process that has called this has stopped."""
    with _Hearing.lock:
        _Hearing.nodes += 1
        if _Hearing.nodes == 1:
            _Hearing.streams = tuple(_replaced(name) for name in ("stdout", "stderr") if getattr(sys, name))


def stop_hearing() -> None:
    """Put the streams back. One that somebody else has replaced meanwhile stays."""
    with _Hearing.lock:
        _Hearing.nodes -= 1
        if _Hearing.nodes:
            return
        for name, stream in _Hearing.streams:
            stream.is_heard = False
            if getattr(sys, name) is stream:
                setattr(sys, name, stream.below)
        _Hearing.streams = ()


def _replaced(name: str) -> tuple[str, _HeardStream]:
    below: Any = getattr(sys, name)
    while isinstance(below, _HeardStream):  # of nodes that have closed, put back by somebody who had kept it
        below = below.below
    stream = _HeardStream(below, name)
    setattr(sys, name, stream)
    return name, stream
