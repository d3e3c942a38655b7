"""The exit codes of `holdfast`. Scripts depend on them: never change the meaning of one."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    SUCCESS = 0
    FAILED = 1
    """The run failed, `validate` or `doctor` found problems, or `db status` found pending migrations."""
    REFUSED = 2
    """Bad usage or bad input: nothing was changed."""
    CANCELLED = 3
    SET_ASIDE = 4
    """The run is parked or paused. Somebody must repair something, then resume the run."""
    NO_ROOM = 74
    """EX_IOERR: the command may have done its work, but could not write its answer."""
    STALLED = 75
    """EX_TEMPFAIL: the event loop stood still, so the node gave up its runs. Start it again."""
    INTERRUPTED = 130
    """Ctrl-C ended the command, or detached it from its run: --resume continues the run."""
    BROKEN_PIPE = 141
    """Nobody reads the output any more, so the command detached from its run."""
    TERMINATED = 143
    """SIGTERM detached the command from its run."""
