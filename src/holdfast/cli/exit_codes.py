"""The exit codes of `holdfast`, and which one an error or the end of a run has.

Scripts depend on them: never change the meaning of one. The table in docs/reference/cli.md has them all.
"""

from __future__ import annotations

import errno
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from holdfast.core.values import RunStatus


class ExitCode(IntEnum):
    SUCCESS = 0
    FAILED = 1
    """The run failed, `validate` or `doctor` found problems, or `db status` found pending migrations."""
    REFUSED = 2
    """Bad usage or bad input, the state of a thing does not allow it, there is no such thing, or the database
    or the server does not answer. Nothing was changed, unless the message says otherwise."""
    CANCELLED = 3
    SET_ASIDE = 4
    """The run is parked or paused. Somebody must repair something, then resume the run."""
    BUG = 70
    """EX_SOFTWARE: an error that nobody has foreseen. stderr has the traceback."""
    NO_ROOM = 74
    """EX_IOERR: the command may have done its work, but could not write its answer."""
    STALLED = 75
    """EX_TEMPFAIL: the event loop stood still, so the node gave up its runs. Start it again."""
    INTERRUPTED = 130
    """Ctrl-C ended the command, or detached it from its run: --resume continues the run."""
    BROKEN_PIPE = 141
    """Nobody reads the output any more. A command that has a run has detached from it."""
    TERMINATED = 143
    """SIGTERM detached the command from its run."""


def exit_code_of(error: BaseException) -> ExitCode:
    """Of a command that raised it."""
    match error:
        case HoldfastError():
            return ExitCode.REFUSED
        case KeyboardInterrupt():
            return ExitCode.INTERRUPTED
        case FileNotFoundError() if folder_is_gone():
            return ExitCode.REFUSED
        case OSError(errno=errno.ENOSPC):
            return ExitCode.NO_ROOM
        case _:
            return ExitCode.BUG


def exit_code_of_run(status: RunStatus) -> ExitCode:
    """Of a command that has waited for a run. A run that goes on is no failure."""
    match status.value:
        case "failed":
            return ExitCode.FAILED
        case "cancelled":
            return ExitCode.CANCELLED
        case "paused" | "parked":
            return ExitCode.SET_ASIDE
        case _:
            return ExitCode.SUCCESS


def folder_is_gone() -> bool:
    """Whether the current folder was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False
