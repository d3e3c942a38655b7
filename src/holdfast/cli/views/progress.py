"""The progress of a run: one line for each name of a task, however many tasks have that name.

`RunProgress` is fed with what `Client.tasks` returns, beginning with the lowest number that has not ended.
Tasks that have ended are counted and forgotten, so a fan-out of 100,000 costs only what is under way.

A node of a flow may be visited many times. Its line shows the latest visit and the number of visits.

A run that was opened again keeps its old rows. Tasks that an executor ran are tried again under their
numbers. Tasks that were skipped, and tasks that waited for something, get new rows; the old rows no longer
count.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from holdfast.authoring.outline import EMPTY_OUTLINE, TaskOutline, TaskRows, WorkflowOutline
from holdfast.client.logs import LogLine
from holdfast.client.run import AttemptInfo, Cursor, RunInfo, TaskInfo
from holdfast.core.values import TaskStatus

_MOST_FAILURES = 20
"""How many failed tasks a line keeps; more are only counted."""

_UNDERWAY = (TaskStatus.PENDING, TaskStatus.DISPATCHED, TaskStatus.RUNNING)
_FINAL_BY_WEIGHT = (TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.SUCCESS, TaskStatus.SKIPPED)


class TaskChange(NamedTuple):
    """A task whose state differs from the last look."""

    task: TaskInfo
    before: TaskStatus | None
    """None: the task is new."""
    attempt_before: int
    max_attempts: int | None
    """None if it is not known."""


class UnsuccessfulAttempt(NamedTuple):
    """An attempt that did not succeed, and its task."""

    task: TaskInfo
    attempt: AttemptInfo


class RunSnapshot(NamedTuple):
    """A run at one look. `changes`, `unsuccessful` and `lines` are those since the look before."""

    info: RunInfo
    progress: RunProgress
    changes: Sequence[TaskChange] = ()
    unsuccessful: Sequence[UnsuccessfulAttempt] = ()
    lines: Sequence[LogLine] = ()
    cursor: Cursor | None = None
    """The position in a flow."""


class View(Protocol):
    """Shows a run while it is watched."""

    def prints_above(self) -> AbstractContextManager[None]:
        """Entered before the node is opened: what this process prints does not disturb the view."""
        ...

    def show(self, snapshot: RunSnapshot) -> None:
        """Called several times a second, even if nothing has changed."""
        ...

    def hide(self) -> None:
        """Leaves the terminal to others, until `reveal`."""
        ...

    def reveal(self) -> None: ...

    def finish(self, snapshot: RunSnapshot) -> None:
        """The run has ended, or the user has detached from it."""
        ...


class _TaskState(NamedTuple):
    status: TaskStatus
    attempt: int
    lost: int
    is_retry: bool


class TaskLine:
    """All tasks of one name."""

    def __init__(self, outline: TaskOutline, *, depth: int = 0) -> None:
        self.name = outline.name
        self.outline = outline
        self.depth = depth
        """The length of the longest path to it from a task without dependencies."""
        self.counts: Counter[TaskStatus] = Counter()
        self.total: int | None = None
        """How many items the fan-out has; None until that is known."""
        self.active: dict[int, TaskInfo] = {}
        """Tasks that run or wait for a retry, by number."""
        self.failed: list[TaskInfo] = []
        """The first tasks that failed."""
        self.upstream: list[TaskLine] = []
        """The lines that it depends on."""
        self.attempt = 1
        """The highest attempt of any task."""
        self.lost = 0
        self.started_at: dt.datetime | None = None
        self.finished_at: dt.datetime | None = None
        self.is_empty = False
        """It is over and had no items."""
        self.is_closed = False
        """The run is over: tasks that were not asked for never will be."""
        self.is_to_come_again = False
        """It was skipped, and then the run was opened again: what it depends on is not over."""
        self._replaceable: dict[int | None, tuple[int, TaskStatus]] = {}
        """Rows without success that a later row may replace: number and status, by index in the fan-out."""

    @property
    def asked_for(self) -> int:
        return self.counts.total()

    @property
    def done(self) -> int:
        return self.asked_for - sum(self.counts[status] for status in _UNDERWAY)

    @property
    def running(self) -> int:
        return self.counts[TaskStatus.RUNNING] + self.counts[TaskStatus.DISPATCHED]

    @property
    def is_fan_out(self) -> bool:
        return self.asked_for > 1 or self.total is not None or self.outline.is_fan_out

    @property
    def expected(self) -> int:
        return max(self.asked_for, self.total or 0)

    @property
    def state(self) -> str:
        """One word: waiting, queued, running, retrying, or the status that it ended with."""
        if self.is_empty:
            return "success"
        if not self.asked_for or self.is_to_come_again:
            return "waiting"
        if not self.is_over:
            # A dispatched task counts as running: the store calls a task running only if it takes a while.
            if self.running or self.done:
                return "running"
            return "retrying" if any(each.retry_at for each in self.active.values()) else "queued"
        return next(status.value for status in _FINAL_BY_WEIGHT if self.counts[status])

    @property
    def is_over(self) -> bool:
        if self.is_empty or self.is_closed:
            return True
        return not self.is_to_come_again and self.asked_for > 0 and self.done >= self.expected

    def replace_old_rows(self, task: TaskInfo) -> list[int]:
        """Removes the rows from the counts that this new row replaces. Returns their numbers."""
        seqs: list[int] = []
        for index in {task.index, None} & self._replaceable.keys():
            seq, status = self._replaceable.pop(index)
            self.counts[status] -= 1
            seqs.append(seq)
        if seqs:
            self.failed = [each for each in self.failed if each.seq not in seqs]
            if not self.asked_for:
                self.started_at = self.finished_at = None
        return seqs

    def look_upstream(self) -> None:
        """Call this in the order of dependencies. A task is skipped only after its dependencies are over."""
        is_skipped = self.counts[TaskStatus.SKIPPED] > 0
        self.is_to_come_again = is_skipped and any(not each.is_over for each in self.upstream)

    def move(self, before: TaskStatus | None, task: TaskInfo) -> None:
        if before is not None:
            self.counts[before] -= 1
        self.counts[task.status] += 1
        if task.count is not None:
            self.total = task.count
        self.attempt = max(self.attempt, task.attempt)
        self.active.pop(task.seq, None)
        if task.status is TaskStatus.RUNNING or (task.retry_at is not None and not task.status.is_final):
            self.active[task.seq] = task
        if task.status is TaskStatus.FAILED and len(self.failed) < _MOST_FAILURES:
            self.failed.append(task)
        if self._is_replaceable(task):
            self._replaceable[task.index] = (task.seq, task.status)
        started = task.started_at
        if started is not None and (self.started_at is None or started < self.started_at):
            self.started_at = started
        ended = task.finished_at
        if ended is not None and (self.finished_at is None or ended > self.finished_at):
            self.finished_at = ended

    def show_progress(self, task: TaskInfo) -> None:
        """The task is where it was, but its last heartbeat may say something new."""
        if task.seq in self.active:
            self.active[task.seq] = task

    def _is_replaceable(self, task: TaskInfo) -> bool:
        """An executor's task is tried again under its number, but a row for a whole fan-out is not."""
        if not task.status.is_final or task.status is TaskStatus.SUCCESS:
            return False
        is_item = self.outline.rows is TaskRows.ITEMS
        return is_item and (task.index is None or self.outline.wait is not None)


class VisitsLine(TaskLine):
    """The visits of one node, one after the other. Shows the latest."""

    latest: TaskInfo | None = None

    @property
    def is_fan_out(self) -> bool:
        return False

    @property
    def state(self) -> str:
        latest = self.latest
        if latest is None:
            return "waiting"
        if latest.status.is_final:
            return latest.status.value
        if latest.status is not TaskStatus.PENDING:
            return "running"
        return "queued" if latest.retry_at is None else "retrying"

    def move(self, before: TaskStatus | None, task: TaskInfo) -> None:
        super().move(before, task)
        if self.latest is not None and task.seq < self.latest.seq:
            return
        self.latest = task
        self.attempt = task.attempt
        self.started_at, self.finished_at = task.started_at, task.finished_at
        self.failed = [task] if task.status is TaskStatus.FAILED else []


class BranchesLine(TaskLine):
    """The branches of all visits of the node `parent`. Only the node knows how many there will be."""

    parent: TaskLine | None = None

    @property
    def is_fan_out(self) -> bool:
        return True

    @property
    def is_over(self) -> bool:
        return super().is_over and (self.is_closed or self.parent is None or self.parent.is_over)

    @property
    def state(self) -> str:
        """A successful visit of the node makes up for failed branches of earlier visits."""
        state = super().state
        is_repaired = state == "failed" and self.parent is not None and self.parent.state == "success"
        return "success" if is_repaired else state


class RunProgress:
    def __init__(
        self,
        outline: WorkflowOutline = EMPTY_OUTLINE,
        attempts_of: Callable[[str], int | None] = lambda name: None,
    ) -> None:
        """`attempts_of` is asked for the maximum of attempts of tasks that are not in the outline."""
        self._outline = outline
        self._attempts_of = attempts_of
        self.lines: dict[str, TaskLine] = {}
        """In the order of the definition, or else in the order in which the tasks were asked for."""
        self.next = 0
        """The number to read on from: no task below it can change any more."""
        self.unsuccessful: dict[int, AttemptInfo] = {}
        """The last attempt without success, by the number of the task, for tasks that have not ended."""
        self.replaced: set[int] = set()
        """Numbers of old rows that no longer count since the run was opened again."""
        self._known: dict[int, _TaskState] = {}
        self._highest = -1
        self._downstream: dict[str, list[str]] = {}
        self._by_depth: list[TaskLine] = []
        if not outline.has_cursor:
            self._lay_out(outline.tasks)

    def _lay_out(self, tasks: Mapping[str, TaskOutline]) -> None:
        depths = _depths(tasks)
        for name, task in tasks.items():
            self.lines[name] = TaskLine(task, depth=depths[name])
            for upstream in task.depends_on:
                self._downstream.setdefault(upstream, []).append(name)
        for name, task in tasks.items():
            self.lines[name].upstream = [self.lines[each] for each in task.depends_on]
        self._by_depth = sorted(self.lines.values(), key=lambda line: line.depth)

    def restarted(self) -> RunProgress:
        """The progress of the same run before the first look."""
        return RunProgress(self._outline, self._attempts_of)

    @property
    def has_cursor(self) -> bool:
        return self._outline.has_cursor

    def apply(self, tasks: Iterable[TaskInfo]) -> list[TaskChange]:
        changes: list[TaskChange] = []
        for task in tasks:
            if task.seq < self.next:
                continue  # an earlier page of the same look counted it
            state = _TaskState(task.status, task.attempt, task.lost, task.retry_at is not None)
            known = self._known.get(task.seq)
            if state == known:
                self.lines[task.name].show_progress(task)
                continue
            line = self.lines.get(task.name)
            if line is None:
                line = self.lines[task.name] = self._new_line(task.name)
            if known is None:
                self.replaced.update(line.replace_old_rows(task))
            line.move(None if known is None else known.status, task)
            line.lost += task.lost - (0 if known is None else known.lost)
            self._known[task.seq] = state
            self._highest = max(self._highest, task.seq)
            if task.status.is_final:
                self.unsuccessful.pop(task.seq, None)
            before, attempt = (None, 1) if known is None else known[:2]
            changes.append(TaskChange(task, before, attempt, line.outline.max_attempts))
        self._forget_ended()
        for line in self._by_depth:
            line.look_upstream()
        return changes

    def _new_line(self, name: str) -> TaskLine:
        outline = self._outline.tasks.get(name)
        if outline is None:
            return TaskLine(TaskOutline(name, max_attempts=self._attempts_of(name)))
        if outline.rows is TaskRows.VISITS:
            return VisitsLine(outline)
        line = BranchesLine(outline)
        line.parent = self.lines.get(name.rpartition("/")[0])
        return line

    def _forget_ended(self) -> None:
        while self.next <= self._highest:
            known = self._known.get(self.next)
            # A missing number stays missing: the task was cancelled before it was recorded.
            if known is not None and not known.status.is_final:
                return
            self._known.pop(self.next, None)
            self.next += 1

    def note_attempts(self, attempts: Sequence[AttemptInfo]) -> None:
        for attempt in attempts:
            known = self._known.get(attempt.seq)
            if known is not None and not known.status.is_final:
                self.unsuccessful[attempt.seq] = attempt

    def close(self) -> None:
        """The run is over."""
        for line in self.lines.values():
            line.is_closed = True

    def find_empty(self, *, is_success: bool) -> None:
        """Finds fan-outs without items. They have no rows; they are over if the run succeeds or goes on."""
        for name, line in self.lines.items():
            if line.asked_for or not line.outline.is_fan_out:
                continue
            after = self._downstream.get(name, ())
            line.is_empty = is_success or any(self.lines[each].asked_for for each in after)

    def totals(self) -> Counter[str]:
        """How many lines have each state."""
        return Counter(line.state for line in self.lines.values())


def _depths(tasks: Mapping[str, TaskOutline]) -> dict[str, int]:
    depths: dict[str, int] = {}
    # Without recursion: a chain of tasks may be longer than Python's stack.
    stack = list(tasks)[::-1]
    while stack:
        upstream = tasks[stack[-1]].depends_on
        missing = [each for each in upstream if each not in depths]
        if missing:
            stack += missing
        else:
            depths[stack.pop()] = max((depths[each] + 1 for each in upstream), default=0)
    return depths
