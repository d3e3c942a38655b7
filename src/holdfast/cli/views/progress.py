"""How far a run has come, one line for each name of a task, however many tasks there are of it.

Fed with what `Client.tasks` answers, from the lowest number on that had not ended. What has ended is counted
and forgotten, so that a fan-out of 100,000 costs what is under way.

A node of a flow may be visited again and again. Its line shows the latest visit, and how many there were.

A run that was opened again keeps the rows of before. Those of commands and functions are tried again under
their numbers; what was skipped, and what waited for others, gets a new row, and the old one does not count.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from holdfast.authoring.dag.model import ApprovalTask, CallTask, SignalTask, SleepTask
from holdfast.client.run import AttemptInfo, TaskInfo
from holdfast.core.values import TaskStatus

if TYPE_CHECKING:
    from holdfast.authoring.dag.model import Dag, DagTask
    from holdfast.cli.views.flow_nodes import NodeDetails

_MOST_FAILURES = 20
"""Of one line, of which more is kept than a number."""

_UNDERWAY = (TaskStatus.PENDING, TaskStatus.DISPATCHED, TaskStatus.RUNNING)
_FINAL_BY_WEIGHT = (TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.SUCCESS, TaskStatus.SKIPPED)


class TaskChange(NamedTuple):
    """A task that stands otherwise than when it was last looked at."""

    task: TaskInfo
    before: TaskStatus | None
    """None: it was not there."""
    attempt_before: int
    most_attempts: int | None
    """How many it may have, if that is known."""


class _Stand(NamedTuple):
    status: TaskStatus
    attempt: int
    lost: int
    is_retry: bool


class TaskLine:
    """All tasks of one name."""

    def __init__(
        self,
        name: str,
        *,
        depth: int = 0,
        task: DagTask | None = None,
        node: NodeDetails | None = None,
        most_attempts: int | None = None,
    ) -> None:
        self.name = name
        self.task = task
        """What the DAG says of it."""
        self.node = node
        """What the flow says of it."""
        self.depth = depth
        """The longest way to it from a task that depends on none."""
        self.most_attempts = most_attempts
        self.counts: Counter[TaskStatus] = Counter()
        self.total: int | None = None
        """How many items it fans out into, once that is known."""
        self.active: dict[int, TaskInfo] = {}
        """Those that run or wait to be tried again, by their numbers."""
        self.failed: list[TaskInfo] = []
        """The first ones."""
        self.upstream: list[TaskLine] = []
        """What it depends on."""
        self.attempt = 1
        """The highest that any of them has reached."""
        self.lost = 0
        self.started_at: dt.datetime | None = None
        self.finished_at: dt.datetime | None = None
        self.is_empty = False
        """It is over and had no items."""
        self.is_closed = False
        """The run is over: what was not asked for never will be."""
        self.is_to_come_again = False
        """It was skipped, and the run was opened again since: what it depends on is not over."""
        self._undone: dict[int | None, tuple[int, TaskStatus]] = {}
        """Rows that did not succeed and that a later one may take the place of, by their places in a fan-out:
        number and status."""

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
        return (
            self.asked_for > 1
            or self.total is not None
            or (self.task is not None and self.task.fan_out is not None)
        )

    @property
    def expected(self) -> int:
        return max(self.asked_for, self.total or 0)

    @property
    def state(self) -> str:
        """In one word: waiting, queued, running, retrying, or as it ended."""
        if self.is_empty:
            return "success"
        if not self.asked_for or self.is_to_come_again:
            return "waiting"
        if not self.is_over:
            # What was handed to an executor runs; it is called so in the store only if it takes a while.
            if self.running or self.done:
                return "running"
            return "retrying" if any(each.retry_at for each in self.active.values()) else "queued"
        return next(status.value for status in _FINAL_BY_WEIGHT if self.counts[status])

    @property
    def is_over(self) -> bool:
        if self.is_empty or self.is_closed:
            return True
        return not self.is_to_come_again and self.asked_for > 0 and self.done >= self.expected

    def make_way(self, task: TaskInfo) -> list[int]:
        """For a row that is new. Answers the numbers of those from before that do not count any more."""
        places = {task.index, None}
        overtaken = [each for each in places if each in self._undone]
        seqs: list[int] = []
        for place in overtaken:
            seq, status = self._undone.pop(place)
            self.counts[status] -= 1
            seqs.append(seq)
        if seqs:
            self.failed = [each for each in self.failed if each.seq not in seqs]
            if not self.asked_for:
                self.started_at = self.finished_at = None
        return seqs

    def look_upstream(self) -> None:
        """Those that it depends on have looked before. Nothing is skipped before all of them are over."""
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
        if self._may_be_overtaken(task):
            self._undone[task.index] = (task.seq, task.status)
        started = task.started_at
        if started is not None and (self.started_at is None or started < self.started_at):
            self.started_at = started
        ended = task.finished_at
        if ended is not None and (self.finished_at is None or ended > self.finished_at):
            self.finished_at = ended

    def _may_be_overtaken(self, task: TaskInfo) -> bool:
        if self.task is None or not task.status.is_final or task.status is TaskStatus.SUCCESS:
            return False
        # What an executor runs is tried again under its number; only a row that stands for all items is not.
        return task.index is None or isinstance(
            self.task.work, (ApprovalTask, CallTask, SignalTask, SleepTask)
        )


class VisitsLine(TaskLine):
    """The visits of one node of a flow, which come one after the other: the latest is what it shows."""

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
    """The branches of a parallel, or the items of a foreach: of all visits of that node.

    How many there will be, only the node knows, whose line is `parent`.
    """

    parent: TaskLine | None = None

    @property
    def is_fan_out(self) -> bool:
        return True

    @property
    def is_over(self) -> bool:
        return super().is_over and (self.is_closed or self.parent is None or self.parent.is_over)

    @property
    def state(self) -> str:
        """A visit that went well says so, whatever became of those before."""
        stands = super().state
        is_mended = stands == "failed" and self.parent is not None and self.parent.state == "success"
        return "success" if is_mended else stands


class RunProgress:
    def __init__(
        self,
        dag: Dag | None = None,
        attempts_of: Callable[[str], int | None] = lambda name: None,
        nodes: Mapping[str, NodeDetails] | None = None,
    ) -> None:
        """`nodes` are those of a flow. Their lines come as they are visited: not all of them will be."""
        self._attempts_of = attempts_of
        self._nodes = nodes
        self.lines: dict[str, TaskLine] = {}
        """In the order of the file, or else in that in which they were asked for."""
        self.next = 0
        """The number to look on from: no task below it can change any more."""
        self.setbacks: dict[int, AttemptInfo] = {}
        """The last attempt of a task that did not succeed, for those that are not over."""
        self.overtaken: set[int] = set()
        """Numbers of rows from before the run was opened again, in whose place there are others."""
        self._dag = dag
        self._known: dict[int, _Stand] = {}
        self._highest = -1
        self._downstream: dict[str, list[str]] = {}
        self._by_depth: list[TaskLine] = []
        if dag is not None:
            self._lay_out(dag)

    def _lay_out(self, dag: Dag) -> None:
        depths = _depths(dag)
        for name, task in dag.tasks.items():
            attempts = task.options.retry.max_attempts
            self.lines[name] = TaskLine(name, depth=depths[name], task=task, most_attempts=attempts)
            for upstream in task.depends_on:
                self._downstream.setdefault(upstream, []).append(name)
        for name, task in dag.tasks.items():
            self.lines[name].upstream = [self.lines[each] for each in task.depends_on]
        self._by_depth = sorted(self.lines.values(), key=lambda line: line.depth)

    def anew(self) -> RunProgress:
        """For the same run, with nothing seen yet."""
        return RunProgress(self._dag, self._attempts_of, self._nodes)

    @property
    def is_of_a_flow(self) -> bool:
        return self._nodes is not None

    def apply(self, tasks: Iterable[TaskInfo]) -> list[TaskChange]:
        changes: list[TaskChange] = []
        for task in tasks:
            if task.seq < self.next:
                continue  # counted and forgotten, by an earlier part of the same look
            stands = _Stand(task.status, task.attempt, task.lost, task.retry_at is not None)
            known = self._known.get(task.seq)
            if stands == known:
                continue
            line = self.lines.get(task.name)
            if line is None:
                line = self.lines[task.name] = self._new_line(task.name)
            if known is None:
                self.overtaken.update(line.make_way(task))
            line.move(None if known is None else known.status, task)
            line.lost += task.lost - (0 if known is None else known.lost)
            self._known[task.seq] = stands
            self._highest = max(self._highest, task.seq)
            if task.status.is_final:
                self.setbacks.pop(task.seq, None)
            before, attempt = (None, 1) if known is None else known[:2]
            changes.append(TaskChange(task, before, attempt, line.most_attempts))
        self._forget_ended()
        for line in self._by_depth:
            line.look_upstream()
        return changes

    def _new_line(self, name: str) -> TaskLine:
        node = None if self._nodes is None else self._nodes.get(name)
        if node is None:
            return TaskLine(name, most_attempts=self._attempts_of(name))
        if not node.is_branch:
            return VisitsLine(name, node=node, most_attempts=node.most_attempts)
        line = BranchesLine(name, node=node, most_attempts=node.most_attempts)
        line.parent = self.lines.get(name.rpartition("/")[0])
        return line

    def _forget_ended(self) -> None:
        while self.next <= self._highest:
            known = self._known.get(self.next)
            # A number that is not there never will be: it was taken back before it was recorded.
            if known is not None and not known.status.is_final:
                return
            self._known.pop(self.next, None)
            self.next += 1

    def note_attempts(self, attempts: Sequence[AttemptInfo]) -> None:
        for attempt in attempts:
            known = self._known.get(attempt.seq)
            if known is not None and not known.status.is_final:
                self.setbacks[attempt.seq] = attempt

    def close(self) -> None:
        """The run is over."""
        for line in self.lines.values():
            line.is_closed = True

    def find_empty(self, *, is_success: bool) -> None:
        """A fan-out over nothing leaves no trace but this: the run succeeds, or what is after it begins."""
        for name, line in self.lines.items():
            if line.task is None or line.asked_for or line.task.fan_out is None:
                continue
            after = self._downstream.get(name, ())
            line.is_empty = is_success or any(self.lines[each].asked_for for each in after)

    def totals(self) -> Counter[str]:
        """How many lines stand how."""
        return Counter(line.state for line in self.lines.values())


def _depths(dag: Dag) -> dict[str, int]:
    depths: dict[str, int] = {}
    # Without recursion: a chain of tasks may be longer than the stack is deep.
    stack = list(reversed(dag.tasks))
    while stack:
        upstream = dag.tasks[stack[-1]].depends_on
        missing = [each for each in upstream if each not in depths]
        if missing:
            stack += missing
        else:
            depths[stack.pop()] = max((depths[each] + 1 for each in upstream), default=0)
    return depths
