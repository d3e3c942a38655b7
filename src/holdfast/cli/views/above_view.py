"""What this process prints while a live view is on the screen appears above the view.

rich can do this itself, by replacing `sys.stdout` and `sys.stderr` whenever a view is shown. But then what a
task prints would reach its log together with the view. So these streams are put in place before the node
is opened, and the node hears what is printed first.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator
from typing import Any

from rich.file_proxy import FileProxy


class _StreamAboveView:
    def __init__(self, find_view: Callable[[], FileProxy | None], below: Any) -> None:
        self._find_view = find_view
        self._below = below

    def write(self, text: str) -> int:
        return (self._find_view() or self._below).write(text)

    def flush(self) -> None:
        (self._find_view() or self._below).flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)


@contextlib.contextmanager
def prints_above(find_view: Callable[[], FileProxy | None]) -> Generator[None]:
    """`find_view` returns where to write while a view is shown, and None while there is none."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_StreamAboveView(find_view, stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
