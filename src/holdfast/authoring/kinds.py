"""The kinds of workflow: code, DAG, flow, and a task by itself. Other layers ask here for everything that
depends on the kind.

`Holdfast` passes `Kinds` to `Definitions`. Loaders are imported on first use, so that a process with only
code workflows does not load them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from holdfast.core.alerts import ALERTS
from holdfast.core.bulk import BULK
from holdfast.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.authoring.catalog import DataWorkflow, WorkflowDefinition
    from holdfast.core.codec import Codec
    from holdfast.core.records import Definition, History
    from holdfast.core.reopening import ReopeningPlan
    from holdfast.core.values import Payload
    from holdfast.ports.flows import FlowReader
    from holdfast.ports.workflows import WorkflowReader


def reopening_plan(kind: str, history: History) -> ReopeningPlan:
    """How to reopen an ended run of that kind. Raises JournalCorrupt."""
    if kind == "dag":
        from holdfast.authoring.dag.reopening import plan_reopening as plan
    elif kind == "flow":
        from holdfast.authoring.flow.reopening import plan_reopening as plan
    else:  # code, or a task by itself
        from holdfast.authoring.code.reopening import plan_reopening as plan
    return plan(history)


def as_data(workflow: WorkflowDefinition) -> DataWorkflow | None:
    """None for a workflow in code, and for a task."""
    return cast("DataWorkflow", workflow) if workflow.is_data else None


def read_definition(definition: Definition | None) -> DataWorkflow | None:
    """The workflow as it was when its run was started.

    None for a workflow in code, for a task, and for a definition that a later version wrote and this one
    cannot read.
    """
    if definition is None or definition.kind not in ("dag", "flow"):
        return None
    if definition.kind == "dag":
        from holdfast.authoring.dag.workflow import read_edition
    else:
        from holdfast.authoring.flow.workflow import read_edition
    try:
        return read_edition(definition)
    except Refused:
        return None


class Kinds:
    """Implements `catalog.WorkflowKinds`."""

    @property
    def flow_reader(self) -> FlowReader:
        from holdfast.authoring.flow.workflow import DefinitionReader

        return DefinitionReader()

    @property
    def reader(self) -> WorkflowReader:
        from holdfast.authoring.published_texts import PublishedTextReader

        return PublishedTextReader(read_definition)

    def own_workflow(self, name: str, worker: Any) -> WorkflowDefinition:
        if name == BULK:
            from holdfast.authoring.code.bulk_workflow import bulk_workflow

            return bulk_workflow(worker)
        from holdfast.authoring.code.alert_workflows import watching_workflow, webhook_workflow

        return watching_workflow(worker) if name == ALERTS else webhook_workflow(worker)

    def read_published(self, definition: Definition) -> DataWorkflow:
        if definition.kind == "dag":
            from holdfast.authoring.dag.workflow import read_edition
        else:
            from holdfast.authoring.flow.workflow import read_edition
        return read_edition(definition)

    def read_data(self, definition: Definition) -> DataWorkflow | None:
        return read_definition(definition)

    def plan_reopening(self, definition: Definition | None, history: History) -> ReopeningPlan:
        # DAGs and flows are stored before their runs, so a missing definition is code.
        return reopening_plan("code" if definition is None else definition.kind, history)

    def replay_state(
        self, definition: Definition, history: History, step: int, now: Mapping[str, Payload], codec: Codec
    ) -> dict[str, Payload] | None:
        if definition.kind != "flow":
            return None
        from holdfast.authoring.flow.past_states import replay_state

        return replay_state(definition, history, step, now, codec)
