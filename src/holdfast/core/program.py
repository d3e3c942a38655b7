"""The one protocol of all programs: events in, commands out.

A program is the pure brain of a run. It is written three times (code, DAG, flow), and nothing else
in the system knows which is which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.commands import Command
from holdfast.core.events import Event
from holdfast.core.values import Instant


class Program(Protocol):
    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        """Feed events in journal order and take what the run now asks for.

        The same events in the same order at the same instants give the same commands. The first
        call, with no events, begins the run. Raises DeterminismError or ForbiddenInWorkflow when the
        run cannot go on with this code; the engine then parks it.
        """
        ...

    def waits(self) -> list[str]:
        """What the run waits for in the outside world, in words: `signal 'paid'`, `promise 'approval'`."""
        ...

    def dispose(self) -> None:
        """Let go of everything. Runs none of the run's own code that could have an effect."""
        ...
