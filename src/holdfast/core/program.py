"""The one protocol of all programs: events in, commands out.

A program decides what a run does next, and has no side effects. There are several kinds of programs, and
nothing outside `authoring` knows which kind a run has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.commands import Command
from holdfast.core.events import Event
from holdfast.core.history import Past
from holdfast.core.log_lines import LimitedLog
from holdfast.core.pieces import Pieces
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.updates import UpdateRefusal
from holdfast.core.values import Instant
from holdfast.core.waiting import WaitReason


class Program(Protocol):
    log: LimitedLog | None
    """What the code has written in this step; None if nothing. It is no part of the journal, and replay
    writes nothing. Whoever records the step takes the lines and sets this to None."""

    published: UnwrittenItems | None
    """What the code has published in this step, like `log`."""

    refused: list[UpdateRefusal] | None
    """The updates among the events of this step that the program does not take. They are no part of the
    journal, like `log`: whoever records the step leaves them out, and sets this to None."""

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        """Feed events in journal order and return the commands that follow from them.

        The same events in the same order at the same instants give the same commands. The first call has
        no events and begins the run. Raises DeterminismError or ForbiddenInWorkflow if the run cannot go
        on with this code; the engine then parks the run.
        """
        ...

    def waits(self) -> list[WaitReason]:
        """The messages and children that the run waits for. Children come first: the doctor checks them."""
        ...

    def dispose(self) -> None:
        """Release everything. Runs no code of the user's that could have an effect."""
        ...


class ReplayableProgram(Program, Protocol):
    def replay(self, past: Past, pause_after: int) -> Pieces[None]:
        """Bring a new program to the end of the journal. It may pause after so many steps. If it raises, or
        is not finished, the program can only be disposed of.

        Raises DeterminismError or ForbiddenInWorkflow if the run cannot go on with this code.
        """
        ...
