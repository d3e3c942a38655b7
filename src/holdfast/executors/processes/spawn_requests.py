"""What is to be known of a process in order to start it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

STDIN, STDOUT, STDERR = range(3)

DEFAULT_SIGNALS: Final = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
"""All of them, whatever this process does about them."""
BLOCKED_SIGNALS: Final = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
"""What a terminal may send to the node's group, in which a new process is for some microseconds. One that was
stopped before its program is loaded would be waited for without end."""


class EnvironmentBlock:
    """The variables that all processes of a node have in common.

    There may be a hundred, and to hand them over one by one takes about as long as to start a process. So the
    form in which the system takes them is made once.
    """

    __slots__ = ("prepared", "variables")

    def __init__(self, variables: Mapping[bytes, bytes]) -> None:
        self.variables: Final = variables
        self.prepared: Any = None
        """By whoever starts processes."""

    def without(self, names: Mapping[bytes, bytes]) -> EnvironmentBlock:
        if self.variables.keys().isdisjoint(names):
            return self
        return EnvironmentBlock({name: value for name, value in self.variables.items() if name not in names})


class SpawnRequest(NamedTuple):
    """A process to be started, as the leader of a group of its own."""

    program: str
    arguments: tuple[str, ...]
    environment: EnvironmentBlock
    variables: dict[bytes, bytes]
    """Its own, in place of those in the environment that have the same names."""
    channel: int | None = None
    """A descriptor that becomes its standard input; else that is empty."""

    def check(self) -> None:
        """Raises ValueError for what no process can be told. The environment is our own, so it can be."""
        if "\0" in "".join((self.program, *self.arguments)):
            wrong = next(text for text in (self.program, *self.arguments) if "\0" in text)
            raise ValueError(f"a NUL character cannot be part of a command: {wrong!r}")
        variables = self.variables
        names = b"".join(variables)
        if b"=" in names or b"" in variables:
            wrong = next(name for name in variables if not name or b"=" in name)
            raise ValueError(f"{os.fsdecode(wrong)!r} cannot be the name of a variable of the environment")
        if b"\0" in names or b"\0" in b"".join(variables.values()):
            wrong = next(name for name, value in variables.items() if b"\0" in name + value)
            raise ValueError(f"the variable {os.fsdecode(wrong)!r} has a NUL character, which none can have")


Start = Callable[[], int | OSError]
"""Starts a process and returns its number, or why it could not be started."""
Prepare = Callable[[SpawnRequest, int, int], Start]
"""Does what can be done before, given the descriptors that become standard output and standard error."""
