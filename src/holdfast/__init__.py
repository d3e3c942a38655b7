"""holdfast: workflows that survive crashes. Plain Python over SQLite or Postgres."""

from holdfast.app import Holdfast
from holdfast.authoring.catalog import Catalog
from holdfast.authoring.code.context import Context, context
from holdfast.authoring.code.definitions import Task, Workflow, task, workflow
from holdfast.authoring.code.handles import ChildHandle, TaskHandle
from holdfast.client.run import Run, RunInfo
from holdfast.core.policies import Retry
from holdfast.core.values import Failure, RunStatus, TaskStatus
from holdfast.errors import (
    DeterminismError,
    HoldfastError,
    Refused,
    RunCancelled,
    RunFailed,
    TaskError,
    TaskLost,
    TaskTimedOut,
)
from holdfast.executors.context import TaskContext, task_context

__all__ = [
    "Catalog",
    "ChildHandle",
    "Context",
    "DeterminismError",
    "Failure",
    "Holdfast",
    "HoldfastError",
    "Refused",
    "Retry",
    "Run",
    "RunCancelled",
    "RunFailed",
    "RunInfo",
    "RunStatus",
    "Task",
    "TaskContext",
    "TaskError",
    "TaskHandle",
    "TaskLost",
    "TaskStatus",
    "TaskTimedOut",
    "Workflow",
    "context",
    "task",
    "task_context",
    "workflow",
]
