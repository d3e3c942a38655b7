"""What views of a run show, summed up, in the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tests.differential.workers import HasTables

from holdfast.core.journal_graphs import HeardMessage
from holdfast.core.records import RunRecord, TaskRecord
from holdfast.core.run_graphs import TaskTally
from holdfast.core.run_points import ListedColumns, RunColumns
from holdfast.core.values import Instant, RunKey, TaskStatus
from holdfast.core.workflow_numbers import TaskTimes
from holdfast.ports.runs import RunFilter


class RunViewModel:
    async def tally_tasks(
        self: HasTables, namespace: str, run: RunKey, at: Instant | None, most: int
    ) -> list[TaskTally]:
        is_here = self.tables.run(namespace, run) is not None
        tasks = [task for key, task in sorted(self.tables.tasks.items()) if key[0] == run and is_here]
        groups: dict[tuple[str, TaskStatus], list[TaskRecord]] = {}
        for task in tasks:
            if at is None or task.created_at <= at:
                groups.setdefault((task.name, _status(task, at)), []).append(task)
        return [_tally(name, status, some, at) for (name, status), some in groups.items()][:most]

    async def list_heard_messages(
        self: HasTables, namespace: str, run: RunKey, limit: int
    ) -> list[HeardMessage]:
        if self.tables.run(namespace, run) is None:
            return []
        return [
            HeardMessage(message.id, message.kind, message.name, message.question)
            for _, message in sorted(self.tables.messages.items())
            if message.run == run and message.taken is not None and message.taken >= 0
        ][:limit]

    async def list_points(self: HasRuns, namespace: str, which: RunFilter, binned: int = 0) -> ListedColumns:
        """Bins are not compared: floating point numbers differ a little."""
        found = await self.list_runs(namespace, which)
        return ListedColumns(_columns(found), None)

    async def read_task_times(
        self: HasTables, namespace: str, runs: Sequence[str], each: int, most: int
    ) -> TaskTimes:
        keys = [RunKey(bytes.fromhex(run)) for run in runs]
        found = [
            task
            for run in keys
            if self.tables.run(namespace, run) is not None
            for key, task in sorted(self.tables.tasks.items())
            if key[0] == run and task.seq < each
        ][:most]
        return TaskTimes(
            [task.name for task in found],
            [task.status for task in found],
            [task.attempt for task in found],
            [_span(task) for task in found],
        )

    async def count_open_runs(
        self: HasTables, namespace: str, workflows: Sequence[str], most: int
    ) -> dict[str, int]:
        found = [
            run for run in self.tables.runs.values() if run.namespace == namespace and not run.status.is_final
        ]
        return {name: min(most, sum(run.workflow == name for run in found)) for name in workflows}


def _span(task: TaskRecord) -> int | None:
    if task.started_at is None or task.finished_at is None:
        return None
    return task.finished_at - task.started_at


class HasRuns(HasTables, Protocol):
    async def list_runs(self, namespace: str, which: RunFilter) -> list[RunRecord]: ...


def _columns(runs: Sequence[RunRecord]) -> RunColumns:
    return RunColumns(
        [run.key.hex() for run in runs],
        [run.id for run in runs],
        [run.workflow for run in runs],
        [run.version for run in runs],
        [run.status for run in runs],
        [run.created_at for run in runs],
        [run.started_at for run in runs],
        [run.finished_at for run in runs],
    )


def _is_over(instant: Instant | None, at: Instant | None) -> bool:
    return instant is not None and (at is None or instant <= at)


def _status(task: TaskRecord, at: Instant | None) -> TaskStatus:
    if at is None or _is_over(task.finished_at, at):
        return task.status
    return TaskStatus.RUNNING if _is_over(task.started_at, at) else TaskStatus.PENDING


def _tally(name: str, status: TaskStatus, tasks: list[TaskRecord], at: Instant | None) -> TaskTally:
    began = [
        task.started_at for task in tasks if task.started_at is not None and _is_over(task.started_at, at)
    ]
    ended = [
        task.finished_at for task in tasks if task.finished_at is not None and _is_over(task.finished_at, at)
    ]
    return TaskTally(
        name,
        status,
        len(tasks),
        sum(task.attempt > 1 for task in tasks),
        max(task.attempt for task in tasks),
        tasks[0].seq,
        tasks[-1].seq,
        min(task.created_at for task in tasks),
        min(began, default=None),
        max(ended, default=None),
    )
