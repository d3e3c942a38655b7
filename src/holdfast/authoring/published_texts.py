"""Reads the texts of DAGs and flows for those who publish, compare and draw them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from holdfast.authoring.catalog import DataWorkflow
from holdfast.authoring.dag.loader import definition_hash as hash_of_dag
from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.model import Dag
from holdfast.authoring.dag.workflow import DagSignature
from holdfast.authoring.documents.nodes import value_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.yaml_text import compose
from holdfast.authoring.flow.comparison import FlowChange, compare_documents, compare_flows
from holdfast.authoring.flow.loader import definition_hash as hash_of_flow
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.workflow import FlowSignature
from holdfast.authoring.graphs.layout import lay_out
from holdfast.authoring.workflow_files import kind_of
from holdfast.core.graphs import Graph, GraphLayout
from holdfast.core.records import Definition
from holdfast.errors import BadFlow, BadOption, Problem
from holdfast.ports.workflows import WorkflowText

_NAMELESS = "<definition>"


class PublishedTextReader:
    """Implements the port `WorkflowReader`."""

    def __init__(self, read_definition: Callable[[Definition], DataWorkflow | None]) -> None:
        """`read_definition` gives None for code."""
        self._read_definition = read_definition

    def read(self, text: str, *, kind: str | None, name: str | None, file: str | None) -> WorkflowText:
        place = file or name or _NAMELESS
        match kind or kind_of(text.encode(errors="replace"), place):
            case "dag":
                dag = load_text(text, file=place, has_folder=False)
                own_name = dag.name
                dag = dag if name is None else msgspec.structs.replace(dag, name=name)
                schema = DagSignature(dag).input_schema
                return WorkflowText(
                    dag.name,
                    "dag",
                    _hash(dag),
                    dag.description,
                    schema,
                    dag.schedule,
                    dag.schedule_input,
                    own_name,
                )
            case "flow":
                flow = load_flow_text(text, file=place)
                title = name or flow.name
                if not title:
                    raise BadFlow([Problem(place, 1, 1, "the flow needs a name")])
                schema = FlowSignature.input_schema
                return WorkflowText(
                    title, "flow", hash_of_flow(flow), flow.description, schema, None, {}, flow.name
                )
            case other:
                raise BadOption("kind", other, "dag or flow")

    def compare(self, before: Definition, after: Definition) -> list[FlowChange]:
        if before.kind != after.kind:
            return []
        match before.kind:
            case "flow":
                return compare_flows(load_flow_text(before.source), load_flow_text(after.source))
            case "dag":
                return compare_documents(_plain(before.source), _plain(after.source))
            case _:
                return []

    def input_schema(self, definition: Definition) -> str | None:
        if definition.input_schema is not None:
            return definition.input_schema
        found = self._read_definition(definition)
        return None if found is None else found.input_schema

    def graph(self, definition: Definition) -> tuple[Graph, GraphLayout] | None:
        found = self._read_definition(definition)
        if found is None:
            return None
        graph = found.graph()
        return graph, lay_out(graph)

    def lay_out(self, graph: Graph) -> GraphLayout:
        return lay_out(graph)


def _hash(dag: Dag) -> str:
    """Equal for DAGs that do the same at the same times."""
    meaning = hash_of_dag(dag)
    if dag.schedule is None:
        return meaning
    schedule = msgspec.json.encode([meaning, dag.schedule, dag.schedule_input], order="sorted")
    return hashlib.sha256(schedule).hexdigest()


def _plain(text: str) -> Any:
    """The document as it is written. Raises BadDag."""
    problems = Problems(_NAMELESS)
    root = compose(text, problems)
    problems.raise_if_any()
    return None if root is None else value_of(root)
