"""The outline of a workflow: its tasks, described in the same way for every kind of workflow.

Views of runs use outlines, so they need no code for DAGs or flows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias


class TaskRows(Enum):
    """How the tasks of one name relate, if a run has several."""

    CALLS = "calls from code, each by itself"
    ITEMS = "the items of a fan-out"
    VISITS = "visits of a node, one after the other"
    BRANCHES = "the branches of every visit of a node"


class ApprovalWait(NamedTuple):
    message: str = ""
    by: str = ""
    """One of those who may answer. Empty: everybody may."""
    needs_value: bool = False
    """Whether yes is no answer."""


class SignalWait(NamedTuple):
    name: str
    needs_value: bool = False
    """A signal whose value is null does not end the wait."""


class TimerWait(NamedTuple):
    duration: dt.timedelta | None
    """None if it is known only when the task runs."""


class ChildWait(NamedTuple):
    workflow: str


class WorkerWait(NamedTuple):
    """A worker takes the task from the queue and executes it."""

    service: str


TaskWait: TypeAlias = ApprovalWait | SignalWait | TimerWait | ChildWait | WorkerWait


class TaskOutline(NamedTuple):
    """All tasks of one name."""

    name: str
    rows: TaskRows = TaskRows.CALLS
    max_attempts: int | None = None
    """The limit for one task. None if the task has no attempts."""
    wait: TaskWait | None = None
    """What the task waits for instead of executing something here."""
    is_fan_out: bool = False
    depends_on: tuple[str, ...] = ()
    runs_on_failure: bool = False
    """The task runs even if a task that it depends on did not succeed."""
    condition: str = ""
    """The task is skipped if this does not hold."""


class VisitDetails(NamedTuple):
    """Details of a visit of a node that come from the definition and are not stored with the task."""

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
"""The outline of a workflow in code, whose tasks are known only from its runs."""
