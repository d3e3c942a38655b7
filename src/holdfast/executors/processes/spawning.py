"""Starting one process, in the best way that this system has."""

from __future__ import annotations

import errno
import os
import sys
from typing import Final

from holdfast.executors.processes.spawn_requests import (
    BLOCKED_SIGNALS,
    DEFAULT_SIGNALS,
    STDERR,
    STDIN,
    STDOUT,
    Prepare,
    SpawnRequest,
    Start,
)

SHELL: Final = "/bin/sh"

_NO_INPUT = (os.POSIX_SPAWN_OPEN, STDIN, os.devnull, os.O_RDONLY, 0)


def _prepare_by_python(order: SpawnRequest, stdout: int, stderr: int) -> Start:
    """All of the node stands still while a process is started."""
    channel = order.channel
    environment = {**order.environment.variables, **order.variables}
    file_actions = (
        _NO_INPUT if channel is None else (os.POSIX_SPAWN_DUP2, channel, STDIN),
        (os.POSIX_SPAWN_DUP2, stdout, STDOUT),
        (os.POSIX_SPAWN_DUP2, stderr, STDERR),
    )

    def start() -> int | OSError:
        try:
            return os.posix_spawn(
                order.program,
                order.arguments,
                environment,
                file_actions=file_actions,
                setpgroup=0,
                setsigmask=BLOCKED_SIGNALS,
                setsigdef=DEFAULT_SIGNALS,
            )
        except OSError as error:
            return error

    return start


def _choose() -> Prepare:
    if sys.platform not in ("linux", "darwin"):
        return _prepare_by_python
    try:
        from holdfast.executors.processes import spawning_by_libc
    except (ImportError, OSError, AttributeError):
        return _prepare_by_python
    return spawning_by_libc.prepare


_prepare = _choose()


def prepare(order: SpawnRequest, stdout: int, stderr: int) -> Start:
    """Do all that can be done before. Raises ValueError for what no process can be told."""
    order.check()
    start = _prepare(order, stdout, stderr)

    def start_somehow() -> int | OSError:
        begun = start()
        if isinstance(begun, OSError) and begun.errno == errno.ENOEXEC and order.program != SHELL:
            # A script that does not say what runs it. Every shell runs it itself, so it works here too.
            arguments = (SHELL, order.program, *order.arguments[1:])
            return _prepare(order._replace(program=SHELL, arguments=arguments), stdout, stderr)()
        return begun

    return start_somehow
