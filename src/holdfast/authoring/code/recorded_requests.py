"""What a run asked for in its past, kept for comparison while it asks again."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core import journal
from holdfast.core.history import Past
from holdfast.core.values import Instant, Outcome


class Recorded(NamedTuple):
    """What the journal has of a task, for comparison."""

    kind: str
    name: str


class RecordedRequests:
    """What a run asked for in its past, by kind and number: what it asks for now is held against it."""

    __slots__ = ("cancels", "children", "early", "is_reopened", "local", "tasks", "timers")

    def __init__(self, past: Past) -> None:
        self.tasks: dict[int, Recorded] = {}
        self.timers: dict[int, Instant] = {}
        self.children: dict[int, str] = {}
        self.cancels: set[tuple[str, int]] = set()
        self.local = past.local
        self.is_reopened = False
        self.early: dict[tuple[str, int], Outcome] = {}
        """Outcomes that the journal has before the code asks: it asks later than it used to."""

    def expect(self, asked: journal.Requested) -> None:
        match asked:
            case journal.TaskAsked():
                self.tasks[asked.seq] = Recorded("task", asked.name)
            case journal.TaskRecorded():
                self.tasks[asked.seq] = Recorded("local side effect", asked.name)
            case journal.TimerAsked():
                self.timers[asked.seq] = asked.due
            case journal.ChildAsked():
                self.children[asked.seq] = asked.workflow
            case journal.TaskCancelAsked():
                self.cancels.add(("task", asked.seq))
            case journal.TimerCancelAsked():
                self.cancels.add(("timer", asked.seq))
            case journal.ChildCancelAsked():
                self.cancels.add(("child", asked.seq))
            case journal.PatchMarked() | journal.StateAsked() | journal.EndAsked():
                pass  # patches are the program's, state is rebuilt by the code, and an end may move
            case journal.ChildResumed():
                pass  # asked for by whoever opened the run again
            case journal.TaskOpened() | journal.TaskResumed() | journal.UndoneMarked():
                pass  # never asked for by code
