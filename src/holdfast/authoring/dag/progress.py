"""The progress of a run of a DAG: one node for each task, with counters.

A node is ready when all tasks that it depends on have ended. A fan-out counts its items that are active and
those that remain. Nothing is searched, so the end of a task costs the same however many tasks there are.
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.authoring.dag.model import Dag, DagTask
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.values import NULL, Failure, Payload, TaskStatus

UNKNOWN: Final[Any] = object()
"""Stands for a value that was not decoded yet, since None is a value."""


class TaskProgress:
    """One task of one run. Its output is a list if it fans out, else that of its only item."""

    __slots__ = (
        "active",
        "again",
        "common",
        "count",
        "decoded",
        "downstream",
        "failed",
        "failure",
        "has_bad_upstream",
        "is_queued",
        "items",
        "next_index",
        "order",
        "outputs",
        "redo",
        "remaining",
        "shared",
        "status",
        "task",
        "waiting",
    )

    def __init__(self, task: DagTask, order: int) -> None:
        self.task = task
        self.order = order
        """Its index in the file."""
        self.downstream: list[TaskProgress] = []
        self.waiting = 0
        """How many of the tasks that it depends on have not ended."""
        self.has_bad_upstream = False
        """One of them has not succeeded."""
        self.is_queued = False
        """Whether it is in the queue of tasks that have items to start."""
        self.reset()

    def reset(self) -> None:
        self.status = TaskStatus.PENDING
        self.count = 1
        self.items: list[Any] | None = None
        self.outputs: list[Payload | None] = []
        self.next_index = self.active = self.remaining = 0
        self.redo: list[int] = []
        """Items to start again."""
        self.again: dict[int, int] = {}
        """The numbers of those items that are tasks or children to be resumed."""
        self.failed: dict[int, int | None] = {}
        """Items that failed, with the number of the task or child; None if it was never started."""
        self.failure: Failure | None = None
        """Of the item that failed first."""
        self.decoded: Any = UNKNOWN
        self.forget_common()

    def forget_common(self) -> None:
        """What its items have in common may be different from now on."""
        self.common: Payload | None = None
        """The fields that the inputs of all items have. None: not looked at yet. Empty: not worth sharing."""
        self.shared: SharedInput | None = None
        """Under which number they are stored."""

    @property
    def is_fan_out(self) -> bool:
        return self.task.fan_out is not None

    @property
    def may_start(self) -> bool:
        """Whether one more of its items may begin."""
        limit = self.task.concurrency
        return (self.next_index < self.count or bool(self.redo)) and (limit is None or self.active < limit)

    def begin(self, count: int, items: list[Any] | None) -> None:
        self.status = TaskStatus.RUNNING
        self.count = self.remaining = count
        self.items = items
        self.outputs = [None] * count

    def start_next(self) -> int:
        """The index of the item to start."""
        self.active += 1
        if self.redo:
            return self.redo.pop()
        self.next_index += 1
        return self.next_index - 1

    def start_early(self, index: int) -> None:
        """Count an item as active before its turn: it was to be started again, and has ended already."""
        self.active += 1
        self.redo.remove(index)
        del self.again[index]

    def output(self) -> Payload:
        """The output; null for items that did not succeed."""
        if self.is_fan_out:
            return Payload(b"[" + b",".join([each or NULL for each in self.outputs]) + b"]")
        return (self.outputs[0] if self.outputs else None) or NULL

    def take_back_failures(self) -> dict[int, int | None]:
        """Open the failed items again. Returns them, with the number that each had."""
        failed = self.failed
        self.remaining += len(failed)
        self.failed, self.failure = {}, None
        self.decoded = UNKNOWN
        self.status = TaskStatus.RUNNING
        return failed


class DagProgress:
    def __init__(self, dag: Dag) -> None:
        self.nodes = {task.name: TaskProgress(task, order) for order, task in enumerate(dag.tasks.values())}
        self.open = len(self.nodes)
        """How many tasks have not ended."""
        for node in self.nodes.values():
            node.waiting = len(node.task.depends_on)
            for name in node.task.depends_on:
                self.nodes[name].downstream.append(node)

    def ready(self) -> list[TaskProgress]:
        """Tasks that have not begun and wait for no other, in the order of the file."""
        pending = [node for node in self.nodes.values() if node.status is TaskStatus.PENDING]
        return [node for node in pending if node.waiting == 0]

    def finish(self, node: TaskProgress, status: TaskStatus) -> list[TaskProgress]:
        """Record the end of a task. Returns the tasks that wait for no other now."""
        node.status = status
        self.open -= 1
        ready: list[TaskProgress] = []
        for each in node.downstream:
            each.waiting -= 1
            each.has_bad_upstream = each.has_bad_upstream or status is not TaskStatus.SUCCESS
            # A task that runs after failures may have run before the run was opened again.
            if each.waiting == 0 and each.status is TaskStatus.PENDING:
                ready.append(each)
        return ready

    def failed(self) -> list[TaskProgress]:
        """In the order of the file."""
        return [node for node in self.nodes.values() if node.status is TaskStatus.FAILED]

    def leaves(self) -> list[TaskProgress]:
        return [node for node in self.nodes.values() if not node.downstream]

    def reopen(self) -> list[tuple[TaskProgress, int, int | None]]:
        """Open all tasks again that did not succeed. Returns the failed items, with the number that each
        had."""
        again: list[tuple[TaskProgress, int, int | None]] = []
        for node in self.nodes.values():
            node.is_queued = False
            if node.failed:
                again += [(node, index, seq) for index, seq in node.take_back_failures().items()]
            elif node.status in (TaskStatus.FAILED, TaskStatus.SKIPPED):
                node.reset()
            node.waiting = 0
            node.has_bad_upstream = False
        self.open = 0
        for node in self.nodes.values():
            if not node.status.is_final:
                self.open += 1
                for each in node.downstream:
                    each.waiting += 1
        return again
