"""A DAG after loading: checked, with all defaults applied and every name resolved.

Only the loader makes these, and it raises before it makes one that could not run: an unknown name, a cycle, a
reference to a task that is not upstream, a type that does not fit.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, TypeAlias

import msgspec

from holdfast.authoring.dag.expressions import Expression
from holdfast.authoring.dag.types import Type
from holdfast.authoring.documents.references import Ref
from holdfast.core.policies import TaskOptions
from holdfast.core.timetable import Plan
from holdfast.ports.executor import PythonFunction, ShellCommand

__all__ = [
    "ApprovalTask",
    "CallTask",
    "Const",
    "Dag",
    "DagTask",
    "DagWork",
    "Each",
    "FanOut",
    "Parameter",
    "Ref",
    "SignalTask",
    "SleepTask",
    "Source",
    "Times",
]

# --- where values come from


class Const(msgspec.Struct, frozen=True, tag="const"):
    value: Any


Source: TypeAlias = Const | Ref


# --- what a task does


class CallTask(msgspec.Struct, frozen=True, tag="workflow"):
    """Another workflow, of any kind, as a child."""

    workflow: str


class ApprovalTask(msgspec.Struct, frozen=True, tag="approval", omit_defaults=True):
    """A yes or no from a person: the question of the task's name. `DagTask.inputs` has the facts, and
    `output_type` is the type of the answer."""

    message: str = ""
    """The title of the question."""
    by: tuple[str, ...] = ()
    """Who may answer. Empty: everybody."""


class SignalTask(msgspec.Struct, frozen=True, tag="signal"):
    name: str


class SleepTask(msgspec.Struct, frozen=True, tag="sleep"):
    duration: dt.timedelta


DagWork: TypeAlias = ShellCommand | PythonFunction | CallTask | ApprovalTask | SignalTask | SleepTask


# --- how often it does it


class Times(msgspec.Struct, frozen=True, tag="times"):
    """`parallel: 4` or `parallel: discover.count`."""

    count: int | Ref


class Each(msgspec.Struct, frozen=True, tag="each"):
    """`foreach: discover.files`"""

    items: Ref


FanOut: TypeAlias = Times | Each


class DagTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    work: DagWork
    description: str = ""
    depends_on: tuple[str, ...] = ()
    """In the order of the file, each once."""
    runs_on_failure: bool = False
    """`on_failure: run`: it runs when all upstream tasks have ended, also after a failure."""
    when: Expression | None = None
    inputs: dict[str, Source] | None = None
    """None: the inputs of the run and the outputs of the tasks that it depends on, by name."""
    input_type: Type | None = None
    output_type: Type | None = None
    """Of one item, if it fans out."""
    fan_out: FanOut | None = None
    concurrency: int | None = None
    options: TaskOptions = TaskOptions()
    """For Approval, Signal and Call only its `timeout` counts: how long to wait."""
    env: dict[str, str] = {}
    workdir: str | None = None
    """Relative to the folder of the DAG; None is that folder."""


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    type: Type
    has_default: bool = False
    default: Any = None


class Dag(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    description: str = ""
    inputs: dict[str, Parameter] = {}
    tasks: dict[str, DagTask]
    """In the order of the file."""
    output: dict[str, Ref] | None = None
    """None: the outputs of the tasks that no other depends on, by name."""
    timeout: dt.timedelta | None = None
    """For the whole run."""
    max_parallel: int | None = None
    """How many of its tasks may run at once."""
    schedule: Plan | None = None
    schedule_input: dict[str, Any] = {}
    """What its runs are given; see `core.schedule_inputs`."""
