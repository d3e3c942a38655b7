"""The outline of a DAG."""

from __future__ import annotations

from typing import assert_never

from holdfast.authoring.dag.model import ApprovalTask, CallTask, Dag, DagTask, SignalTask, SleepTask
from holdfast.authoring.dag.types import check
from holdfast.authoring.outline import (
    ApprovalWait,
    ChildWait,
    SignalWait,
    TaskOutline,
    TaskRows,
    TaskWait,
    TimerWait,
    WorkflowOutline,
)
from holdfast.ports.executor import PythonFunction, ShellCommand


def outline_dag(dag: Dag) -> WorkflowOutline:
    return WorkflowOutline({name: _outline_task(task) for name, task in dag.tasks.items()})


def _outline_task(task: DagTask) -> TaskOutline:
    return TaskOutline(
        task.name,
        TaskRows.ITEMS,
        max_attempts=task.options.retry.max_attempts,
        wait=_wait_of(task),
        is_fan_out=task.fan_out is not None,
        depends_on=task.depends_on,
        runs_on_failure=task.runs_on_failure,
        condition="" if task.when is None else task.when.text,
    )


def _wait_of(task: DagTask) -> TaskWait | None:
    match task.work:
        case ApprovalTask(message=message, by=by):
            needs_value = task.output_type is not None and check(True, task.output_type) is not None
            return ApprovalWait(message, by[0] if by else "", needs_value)
        case SignalTask(name=name):
            return SignalWait(name)
        case SleepTask(duration=duration):
            return TimerWait(duration)
        case CallTask(workflow=workflow):
            return ChildWait(workflow)
        case ShellCommand() | PythonFunction():
            return None
        case _:
            assert_never(task.work)
