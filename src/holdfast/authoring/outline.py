"""What a definition says about the tasks of its runs, in the same words for every kind of workflow.

Views of runs are built on this, so they do not tell a DAG from a flow.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias


class TaskRows(Enum):
    """What the tasks of one name are, if a run has several."""

    CALLS = "calls from code, each by itself"
    ITEMS = "the items of a fan-out"
    VISITS = "visits of a node, one after the other"
    BRANCHES = "the branches of every visit of a node"


class ApprovalWait(NamedTuple):
    message: str = ""


class SignalWait(NamedTuple):
    name: str
    needs_value: bool = False
    """A signal whose value is null does not end the wait."""


class TimerWait(NamedTuple):
    duration: dt.timedelta | None
    """None: only the running task knows."""


class ChildWait(NamedTuple):
    workflow: str


class WorkerWait(NamedTuple):
    """A worker takes the task from the queue, and executes it."""

    service: str


TaskWait: TypeAlias = ApprovalWait | SignalWait | TimerWait | ChildWait | WorkerWait


class TaskOutline(NamedTuple):
    """All tasks of one name."""

    name: str
    rows: TaskRows = TaskRows.CALLS
    max_attempts: int | None = None
    """Of one task. None if nothing is attempted."""
    wait: TaskWait | None = None
    """What the task waits for instead of executing something here."""
    is_fan_out: bool = False
    depends_on: tuple[str, ...] = ()
    runs_on_failure: bool = False
    """It runs whatever became of the tasks that it depends on."""
    condition: str = ""
    """The task is skipped if this does not hold."""


class VisitDetails(NamedTuple):
    """What a definition says about one task that is a visit of a node. The task's row does not repeat it."""

    action: str = ""
    """The action that the visit led to; empty until it has ended."""
    prep: Mapping[str, Any] = {}
    kind: str = ""
    """The kind of the node; empty if the task is not a visit."""


class WorkflowOutline(NamedTuple):
    tasks: Mapping[str, TaskOutline] = {}
    """By name, in the order of the definition."""
    has_cursor: bool = False
    """The run moves from node to node, so not every task of the outline will be in it."""
    signals_need_value: bool = False
    """A signal whose value is null is the same as no signal."""


EMPTY_OUTLINE: Final = WorkflowOutline()
"""Of a workflow in code: only its runs know their tasks."""
