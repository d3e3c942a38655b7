"""A DAG while it is checked: what was read of it, with the position of everything that may turn out wrong."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import msgspec

from holdfast.authoring.dag.expressions import Expression
from holdfast.authoring.dag.fields import TaskKind
from holdfast.authoring.dag.model import Const, DagWork, Parameter
from holdfast.authoring.dag.types import Type
from holdfast.authoring.documents.nodes import Node, ScalarNode
from holdfast.authoring.documents.problems import START, Position
from holdfast.authoring.documents.references import Ref
from holdfast.core.timetable import Plan


class Use(NamedTuple):
    """A reference with its position."""

    title: str
    """The field, for messages."""
    ref: Ref
    offsets: tuple[int, ...]
    is_short: bool
    scalar: ScalarNode

    def at(self, step: int) -> Position:
        return self.scalar.at(self.offsets[step])


class PositionedConstant(NamedTuple):
    """A constant with its position."""

    source: Const
    position: Position


class When(NamedTuple):
    expression: Expression
    scalar: ScalarNode


class TaskDraft(msgspec.Struct, kw_only=True):
    """A task. Fields that were wrong are left out, and named in `broken`."""

    name: str
    position: Position
    broken: frozenset[str] = frozenset()
    positions: dict[str, Position] = {}
    """The positions of the keys of its fields."""
    nodes: dict[str, Node] = {}
    """The values of its fields, not read yet."""
    kind: TaskKind | None = None
    work: DagWork | None = None
    depends_on: list[tuple[str, Position]] = []
    when: When | None = None
    inputs: dict[str, Use | PositionedConstant] | None = None
    input_positions: dict[str, Position] = {}
    input_type: Type | None = None
    output_type: Type | None = None
    foreach: Use | None = None
    parallel: int | Use | None = None
    concurrency: int | None = None
    options: dict[str, Any] = {}
    env: dict[str, str] = {}
    workdir: str | None = None

    @property
    def fans_out(self) -> bool:
        return self.foreach is not None or self.parallel is not None


class DagDraft(msgspec.Struct, kw_only=True):
    name: str = ""
    description: str = ""
    inputs: dict[str, Parameter] = {}
    lost_inputs: frozenset[str] = frozenset()
    """Inputs with a wrong name or type."""
    tasks: dict[str, TaskDraft] = {}
    lost_tasks: frozenset[str] = frozenset()
    """Tasks of which only the names are known."""
    tasks_position: Position = START
    output: dict[str, Use] | None = None
    timeout: dt.timedelta | None = None
    max_parallel: int | None = None
    schedule: Plan | None = None
    schedule_input: dict[str, PositionedConstant] = {}
    schedule_position: Position | None = None
    """The position of its inputs, or of the schedule if it has none."""
    has_tasks: bool = True
    """False if the tasks cannot be read at all, so no name can be called unknown."""
    has_inputs: bool = True
