"""A terminal that is gone: to write to it is an error from then on, which must not fail a task."""

from __future__ import annotations

import os
from stat import S_ISCHR


def leave_terminal() -> None:
    """Sends what is printed to nowhere, if it went to a terminal. `isatty` does not know one that is gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        if S_ISCHR(os.fstat(stream).st_mode):
            os.dup2(nothing, stream)
    os.close(nothing)
