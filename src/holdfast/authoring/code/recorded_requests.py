"""What a run has asked for according to its journal. Replay compares new requests with it."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core import journal
from holdfast.core.history import Past
from holdfast.core.values import Instant, Outcome


class RecordedTask(NamedTuple):
    kind: str
    name: str


class RecordedRequests:
    """The requests of a run, by kind and number."""

    __slots__ = ("cancels", "children", "early", "is_reopened", "local", "tasks", "timers")

    def __init__(self, past: Past) -> None:
        self.tasks: dict[int, RecordedTask] = {}
        self.timers: dict[int, Instant] = {}
        self.children: dict[int, str] = {}
        self.cancels: set[tuple[str, int]] = set()
        self.local = past.local
        self.is_reopened = False
        self.early: dict[tuple[str, int], Outcome] = {}
        """Outcomes whose requests the code has not made yet. It may have changed to ask later."""

    def expect(self, asked: journal.Requested) -> None:
        match asked:
            case journal.TaskAsked():
                self.tasks[asked.seq] = RecordedTask("task", asked.name)
            case journal.TaskRecorded():
                self.tasks[asked.seq] = RecordedTask("local side effect", asked.name)
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
                pass  # the program keeps patches, the code rebuilds the state, and the end may move
            case journal.ChildResumed():
                pass  # a reopening asks for it, not the code
            case journal.TaskOpened() | journal.TaskResumed() | journal.UndoneMarked():
                pass  # only DAGs and flows ask for these
