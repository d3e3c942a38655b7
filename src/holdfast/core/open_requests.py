"""What a run has asked for and not got, read from its journal without the code of the run.

The journal is read from its end, because what is open was usually asked for lately. So a part of a long
journal tells nearly all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from holdfast.core.journal import (
    DeadlineHeard,
    ReopenedHeard,
    Requested,
    StepRecord,
    TaskAsked,
    TaskOpened,
    TimerAsked,
    TimerCancelAsked,
    TimerHeard,
    TimersMoved,
    read_options,
    read_step,
)
from holdfast.core.policies import TaskOptions
from holdfast.core.values import Instant
from holdfast.core.waiting import WaitKind
from holdfast.errors import JournalCorrupt


class OpenRequests:
    def __init__(self) -> None:
        self.at: Instant | None = None
        """The time of the last step."""
        self.timers: dict[int, tuple[Instant, Instant]] = {}
        """When each open timer is due, and since when it has been set."""
        self.messages: dict[tuple[WaitKind, str], Instant] = {}
        """Signals and promises that the code has asked for, and when last."""
        self.asked: Counter[tuple[WaitKind, str]] = Counter()
        """How often it has asked for each."""
        self.opened: set[int] = set()
        """Tasks that no executor runs: the program waits for something itself."""
        self.is_overdue = False
        """The run has heard that its deadline has passed."""
        self.reopened_in = -1
        """The position of the step in which it was last retried."""
        self._tasks: dict[int, TaskAsked] = {}
        self._over: set[int] = set()
        """Timers that have fired or were cancelled."""
        self._moved = 0
        """By how many microseconds later steps have moved the timers."""
        self._struck_out = range(0)
        """Positions of steps that a reopening has made void."""

    def options_of(self, seq: int) -> TaskOptions | None:
        """The options of a task. None if they are not known."""
        asked = self._tasks.get(seq)
        try:
            return None if asked is None else read_options(asked)
        except JournalCorrupt:
            return None

    def add(self, steps: Sequence[tuple[int, bytes]]) -> None:
        """The steps before those that were added, the newest first. A step that cannot be read is skipped."""
        for position, data in steps:
            if position in self._struck_out:
                continue
            try:
                self._add(position, read_step(position, data))
            except JournalCorrupt:
                continue

    def _add(self, position: int, step: StepRecord) -> None:
        self.at = self.at or step.at
        for asked in reversed(step.asked):
            self._note(asked, step.at)
        for _, kind, name in step.messages:
            self.messages.setdefault((kind, name), step.at)
            self.asked[kind, name] += 1
        for heard in step.heard:
            match heard:
                case TimerHeard():
                    self._over.add(heard.seq)
                case TimersMoved():
                    self._moved += heard.by
                case DeadlineHeard():
                    self.is_overdue = True
                case ReopenedHeard():
                    self._struck_out = range(heard.position, position)
                    self.reopened_in = max(self.reopened_in, position)
                case _:
                    pass

    def _note(self, asked: Requested, at: Instant) -> None:
        match asked:
            case TaskAsked():
                self._tasks.setdefault(asked.seq, asked)
            case TaskOpened():
                self.opened.add(asked.seq)
            case TimerCancelAsked():
                self._over.add(asked.seq)
            case TimerAsked():
                if asked.seq not in self._over:
                    self.timers[asked.seq] = Instant(asked.due + self._moved), at
            case _:
                pass
