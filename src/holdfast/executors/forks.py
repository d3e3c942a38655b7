"""Child processes that a task forks.

Such a child is a copy of the whole node. It may do what it likes inside the task's function. If it returned
from there, it would report an outcome, run other tasks and write in the node's name. So it exits at that
point, with the exit code of a script that has reached its last line.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback


class _ForkCounter:
    count = 0
    """How often this process and its ancestors were forked. A forked child has another count than its
    parent."""


def _count_fork() -> None:
    _ForkCounter.count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


class ForkGuard:
    """Remembers the process that it was created in."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = _ForkCounter.count

    @property
    def is_forked(self) -> bool:
        return self._count != _ForkCounter.count

    def exit_if_forked(self, error: BaseException | None) -> None:
        """Exit if this process is a forked child. `error` is what the task's function has raised, if
        anything."""
        if self._count == _ForkCounter.count:
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
