"""Inside a worker process: what a call finds around it, and how that is put back after it.

The worker takes over its variables, its folder and its streams, and so is one of the two places that touch
the environment: it does not ask it for anything, it makes the one that the user's function sees.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any, TextIO

_SET_CHILD_SUBREAPER = 36
"""Of prctl, on Linux."""


class Surroundings:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._before = dict(os.environ)
        self._given: Mapping[str, str] = {}
        """The variables of the call that runs."""
        self._originals = {number: os.dup(number) for number in range(3)}
        self._library = _load_c_library()
        self._streams = (_text_stream(1), _text_stream(2))
        sys.stdout, sys.stderr = self._streams
        self._adopt_orphans()

    def prepare(self, variables: Mapping[str, str], folder: str) -> None:
        self._given = variables
        os.environ.update(variables)
        try:
            os.chdir(folder)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"there is no folder {folder}, which is the workdir of the task"
            ) from None

    def note(self) -> None:
        """Variables that modules have set while they were loaded stay: that happens once, for all calls."""
        before = self._before
        self._before = {name: value for name, value in os.environ.items() if name not in self._given}
        self._before |= {name: before[name] for name in self._given if name in before}

    def put_back(self) -> bool:
        """After a call. False if something is left of it that cannot be put back."""
        self._flush()
        for number, original in self._originals.items():
            os.dup2(original, number)
        self._restore_streams()
        self._restore_variables()
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            os.chdir(self._folder)
        except OSError:
            return False  # it was removed
        return threading.active_count() == 1 and not _has_children()

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, *self._streams):
            # The function may have closed it, or put anything there, whose flush may do anything.
            with contextlib.suppress(Exception):
                stream.flush()
        if self._library is not None:
            self._library.fflush(None)  # what was printed by code in C

    def _restore_streams(self) -> None:
        """The same objects, as long as they work: logging handlers keep them."""
        out, error = self._streams
        if out.closed:
            out = _text_stream(1)
        if error.closed:
            error = _text_stream(2)
        self._streams = (out, error)
        sys.stdout, sys.stderr = self._streams

    def _restore_variables(self) -> None:
        for name in os.environ.keys() - self._before.keys():
            del os.environ[name]
        for name, value in self._before.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    def _adopt_orphans(self) -> None:
        """A process whose parent ends becomes our child, so `put_back` sees it: no daemon gets away."""
        if self._library is not None and sys.platform == "linux":
            self._library.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _text_stream(number: int) -> TextIO:
    """Line by line, so that it can be read while the function runs. No odd character is an error."""
    raw = io.FileIO(number, "w", closefd=False)
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _load_c_library() -> Any:
    """None where there is none that is known by no name."""
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):
        return None


def _has_children() -> bool:
    """Whether a child process still runs. Those that have ended, and that nobody asked for, are forgotten."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
