"""Processes that a task forks.

Such a child is a copy of the whole node. As long as it stays inside the task's function, that is the
task's affair. But should it come back from there, it would report an outcome, take up other tasks and
write under the node's name. So it ends there, as a script ends whose last line is reached.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback


class _Forks:
    count = 0
    """How often the line of this process has been forked: another number is another process."""


def _note_fork() -> None:
    _Forks.count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


class Birth:
    """Remembers the process it was made in."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = _Forks.count

    def end_child(self, error: BaseException | None) -> None:
        """If this is a child of that process: end it, with what the task's function has raised."""
        if self._count == _Forks.count:
            return
        code: object = 0
        if isinstance(error, SystemExit):
            code = error.code
        elif error is not None:
            traceback.print_exception(error)
            code = 1
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))
