"""Inside a worker process: the environment, the folder and the streams of a call, restored after it.

This is one of two modules that touch the environment. It reads nothing from it; it makes the environment that
the user's function sees.
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

_PR_SET_CHILD_SUBREAPER = 36
"""An option of prctl, on Linux."""


class CallSetup:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._saved_variables = dict(os.environ)
        self._call_variables: Mapping[str, str] = {}
        """Those of the call that is running."""
        self._saved_descriptors = {number: os.dup(number) for number in range(3)}
        self._libc = _load_libc()
        self._streams = (_text_stream(1), _text_stream(2))
        sys.stdout, sys.stderr = self._streams
        self._adopt_orphans()

    def prepare(self, variables: Mapping[str, str], folder: str) -> None:
        self._call_variables = variables
        os.environ.update(variables)
        try:
            os.chdir(folder)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"there is no folder {folder}, which is the workdir of the task"
            ) from None

    def save(self) -> None:
        """Keep variables that a module has set while it was loaded: a module is loaded once, for all
        calls."""
        saved = self._saved_variables
        self._saved_variables = {
            name: value for name, value in os.environ.items() if name not in self._call_variables
        }
        self._saved_variables |= {name: saved[name] for name in self._call_variables if name in saved}

    def restore(self) -> bool:
        """After a call. False if something is left of the call, and the worker must be replaced."""
        self._flush()
        for number, saved in self._saved_descriptors.items():
            os.dup2(saved, number)
        self._restore_streams()
        self._restore_variables()
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            os.chdir(self._folder)
        except OSError:
            return False  # the folder was removed
        return threading.active_count() == 1 and not _has_children()

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, *self._streams):
            # The function may have closed the stream, or replaced it by an object whose flush raises
            # anything.
            with contextlib.suppress(Exception):
                stream.flush()
        if self._libc is not None:
            self._libc.fflush(None)  # output of C code

    def _restore_streams(self) -> None:
        """Keep the stream objects as long as they are open: logging handlers refer to them."""
        out, error = self._streams
        if out.closed:
            out = _text_stream(1)
        if error.closed:
            error = _text_stream(2)
        self._streams = (out, error)
        sys.stdout, sys.stderr = self._streams

    def _restore_variables(self) -> None:
        for name in os.environ.keys() - self._saved_variables.keys():
            del os.environ[name]
        for name, value in self._saved_variables.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    def _adopt_orphans(self) -> None:
        """A process whose parent exits becomes a child of this one. So `restore` notices every daemon."""
        if self._libc is not None and sys.platform == "linux":
            self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _text_stream(number: int) -> TextIO:
    """Line-buffered, so that the log shows a line while the function runs. Any character can be written."""
    raw = io.FileIO(number, "w", closefd=False)
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _load_libc() -> Any:
    """None where libc cannot be loaded without a name."""
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):
        return None


def _has_children() -> bool:
    """Whether a child process still runs. Children that have exited are reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
