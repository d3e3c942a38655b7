"""The kinds of workflow, for layers that do not tell them apart: what depends on the kind is asked here.

The composition root hands `Kinds` to `Definitions`. Loaders are imported when they are first used, so that a
process with only code workflows does not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.authoring.catalog import DataWorkflow
    from holdfast.core.records import Definition, History
    from holdfast.core.reopening import ReopeningPlan
    from holdfast.ports.programs import FlowReader


def reopening_plan(kind: str, history: History) -> ReopeningPlan:
    """How to open an ended run of that kind again. Raises JournalCorrupt."""
    if kind == "dag":
        from holdfast.authoring.dag.reopening import plan_reopening as plan
    elif kind == "flow":
        from holdfast.authoring.flow.reopening import plan_reopening as plan
    else:
        from holdfast.authoring.code.reopening import plan_reopening as plan
    return plan(history)


class Kinds:
    """Implements `catalog.WorkflowKinds`."""

    @property
    def flow_reader(self) -> FlowReader:
        from holdfast.authoring.flow.workflow import DefinitionReader

        return DefinitionReader()

    def read_published(self, definition: Definition) -> DataWorkflow:
        from holdfast.authoring.flow.workflow import read_edition

        return read_edition(definition)

    def plan_reopening(self, definition: Definition | None, history: History) -> ReopeningPlan:
        # A definition that is data is in the store before its runs are, so one that is missing is code.
        return reopening_plan("code" if definition is None else definition.kind, history)
