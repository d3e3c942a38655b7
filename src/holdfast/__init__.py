"""holdfast: workflows that survive crashes. Plain Python or YAML, over SQLite or Postgres."""

from holdfast.app import Holdfast
from holdfast.authoring.catalog import Catalog
from holdfast.authoring.code.context import Context, context
from holdfast.authoring.code.definitions import Task, Workflow, task, workflow
from holdfast.authoring.code.handles import ChildHandle, TaskHandle
from holdfast.authoring.dag.workflow import DagWorkflow, load_dag
from holdfast.client.logs import LogLine
from holdfast.client.run import AttemptInfo, Run, RunInfo, TaskInfo
from holdfast.client.schedules import ScheduleInfo
from holdfast.core.policies import Retry
from holdfast.core.values import Failure, RunStatus, TaskStatus
from holdfast.errors import (
    BadDag,
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
    "AttemptInfo",
    "BadDag",
    "Catalog",
    "ChildHandle",
    "Context",
    "DagWorkflow",
    "DeterminismError",
    "Failure",
    "Holdfast",
    "HoldfastError",
    "LogLine",
    "Refused",
    "Retry",
    "Run",
    "RunCancelled",
    "RunFailed",
    "RunInfo",
    "RunStatus",
    "ScheduleInfo",
    "Task",
    "TaskContext",
    "TaskError",
    "TaskHandle",
    "TaskInfo",
    "TaskLost",
    "TaskStatus",
    "TaskTimedOut",
    "Workflow",
    "context",
    "load_dag",
    "task",
    "task_context",
    "workflow",
]
