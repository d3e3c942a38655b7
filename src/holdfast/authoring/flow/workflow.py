"""A flow as a workflow: its interface to the catalog, the client and the executors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.authoring.catalog import Body, Catalog, Definitions, FileSchedule, default_catalog
from holdfast.authoring.flow.branches import branch_path
from holdfast.authoring.flow.comparison import compare_flows
from holdfast.authoring.flow.functions import FunctionBody, WorkInput
from holdfast.authoring.flow.loader import definition_hash, load_flow_text, read_flow_file
from holdfast.authoring.flow.model import (
    CallNode,
    ExecutorNode,
    Flow,
    FlowNode,
    ForeachNode,
    Http,
    LocalFunction,
    LocalScript,
    ParallelNode,
    SubflowNode,
)
from holdfast.authoring.flow.outline import outline_flow
from holdfast.authoring.flow.program import FlowProgram
from holdfast.authoring.flow.visit_details import describe_visits
from holdfast.authoring.outline import VisitDetails, WorkflowOutline
from holdfast.core.codec import Codec, digest_of
from holdfast.core.input_schemas import InputSchema, written_schema
from holdfast.core.records import ANY_NODE, Definition, RunRecord, TaskRecord
from holdfast.core.run_options import StartTarget
from holdfast.core.values import Payload
from holdfast.errors import PayloadTooLarge, UnknownTask, WrongType
from holdfast.ports.executor import Attempt, ProcessBody, ProcessWork, ServiceCall, ShellCommand

if TYPE_CHECKING:
    from holdfast.core.graphs import Graph

_THROUGH_FILES: Final = 'exec "$0" "$@" <"$HOLDFAST_INPUT_FILE" >"$HOLDFAST_OUTPUT_FILE"'
"""Connects a script's standard input and output to the files that the process executor uses."""


class FlowSignature:
    """A run of a flow takes any parameters, by name."""

    input_schema = written_schema(InputSchema({"type": "object"}))
    """Like `Signature.input_schema`."""

    def __init__(self, name: str) -> None:
        self._name = f"workflow {name!r}"

    def pack(self, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec) -> Payload:
        """Raises WrongType, CannotStore, PayloadTooLarge."""
        if args:
            raise WrongType(f"a call of {self._name}", "its params are passed by name, not by position")
        return codec.encode(kwargs, f"the params of {self._name}")

    def digest(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """Like `Signature.digest`."""
        return None if args else digest_of(kwargs)

    def unpack_result(self, payload: Payload) -> Any:
        return msgspec.json.decode(payload)


class FlowWorkflow(StartTarget[..., Any]):
    kind = "flow"
    is_data = True

    def __init__(self, flow: Flow, source: str, file: Path | None, published: str | None = None) -> None:
        """`published` is the version number of a published flow. Any node may run such a flow."""
        self.flow = flow
        self.name = flow.name
        self.source = source
        self.folder = Path.cwd() if file is None else file.parent
        self.origin = "" if file is None else str(file)
        self.hash = definition_hash(flow)
        self.is_pinned = published is not None
        self.version = published or f"auto-{self.hash[:12]}"
        self.claim = flow.name if published is None else ANY_NODE
        self.signature = FlowSignature(flow.name)
        self._nodes = dict(_nodes_of(flow, ""))
        self._bodies: dict[str, FunctionBody] = {}

    @property
    def input_schema(self) -> str | None:
        return self.signature.input_schema

    def describe_visits(self, tasks: Sequence[TaskRecord]) -> list[VisitDetails]:
        return describe_visits(self._nodes, tasks)

    @property
    def file_schedule(self) -> FileSchedule | None:
        return None

    def outline(self, input: Any) -> WorkflowOutline:
        return outline_flow(self.flow, input)

    def graph(self) -> Graph:
        from holdfast.authoring.flow.drawing import graph_of

        return graph_of(self.flow)

    def facts(self) -> dict[str, Any]:
        from holdfast.authoring.flow.drawing import as_facts

        return as_facts(self.flow)

    def calls(self) -> list[tuple[str, str]]:
        """The paths of nodes that call a workflow, each with the workflow's name."""
        return [
            (path, node.does.workflow)
            for path, node in self._nodes.items()
            if isinstance(node.does, CallNode)
        ]

    def functions(self) -> list[str]:
        """The names of the registered tasks that the flow may call."""
        found: set[str] = set()
        for node in self._nodes.values():
            work = _work_of(node)
            if isinstance(work, LocalFunction):
                found |= set(node.does.services) if isinstance(node.does, ParallelNode) else {work.name}
        return sorted(found)

    def program(self, run: RunRecord, definitions: Definitions) -> FlowProgram:
        """Raises UnknownTask if this process lacks one of the flow's functions. Another node may have it."""
        for name in self.functions():
            definitions.catalog.task(name)

        def pack_child(workflow: str, inputs: dict[str, Any]) -> Payload:
            found = definitions.workflow(workflow)
            return found.signature.pack((), inputs, definitions.codec)

        return FlowProgram(run, self.flow, definitions.codec, pack_child, definitions.max_steps)

    def edition(self, definition: Definition) -> FlowWorkflow:
        """Another edition of the workflow, read from the store."""
        return read_edition(definition, Path(self.origin) if self.origin else None)

    # --- for executors

    def executor_of(self, attempt: Attempt) -> str:
        match _work_of(self._nodes.get(attempt.name)):
            case Http():
                return "http"
            case LocalScript():
                return "shell"
            case _:
                return "function"

    def work(self, task: str) -> ProcessWork | None:
        work = _work_of(self._nodes.get(task))
        if not isinstance(work, LocalScript):
            return None
        return ShellCommand(("/bin/sh", "-c", _THROUGH_FILES, *work.command))

    def process(self, task: str, codec: Codec) -> ProcessBody:
        """Raises UnknownTask."""
        script, work = _work_of(self._node(task)), self.work(task)
        if not isinstance(script, LocalScript) or work is None:
            raise UnknownTask(task, list(self._nodes))
        folder = str(self.folder)
        workdir = str(self.folder / script.work_dir) if script.work_dir else folder
        return ProcessBody(work, folder, workdir, script.env, _ScriptOutput(task, codec).store)

    def service_call(self, attempt: Attempt) -> ServiceCall:
        """Raises UnknownTask."""
        node, given = self._node(attempt.name), msgspec.json.decode(attempt.input, type=WorkInput)
        work = _work_of(node)
        if not isinstance(work, Http):
            raise UnknownTask(attempt.name, list(self._nodes))
        service = given.service or getattr(node.does, "service", "")
        body = msgspec.json.encode({"input": given.input, "params": given.params})
        return ServiceCall(service, body, work.max_attempts, work.attempt_delay, work.weighted_by_load)

    def body(self, attempt: Attempt, definitions: Definitions) -> Body:
        """Raises UnknownTask."""
        node = self._node(attempt.name)
        work = _work_of(node)
        name = work.name if isinstance(work, LocalFunction) else attempt.name
        if isinstance(node.does, ParallelNode):
            name = msgspec.json.decode(attempt.input, type=WorkInput).service
        body = self._bodies.get(name)
        if body is None or body.task is not definitions.catalog.find_task(name):
            body = self._bodies[name] = FunctionBody(definitions.catalog.task(name), definitions.codec)
        return body

    def _node(self, path: str) -> FlowNode:
        node = self._nodes.get(path)
        if node is None:
            raise UnknownTask(path, list(self._nodes))
        return node

    def __repr__(self) -> str:
        return f"<workflow {self.name!r} {self.version}>"


def _nodes_of(flow: Flow, prefix: str) -> list[tuple[str, FlowNode]]:
    """Every node with its path, including the nodes of inner flows. A node with branches is also listed under
    the path of its branches."""
    found: list[tuple[str, FlowNode]] = []
    for key, node in flow.nodes.items():
        found.append((prefix + key, node))
        if isinstance(node.does, SubflowNode):
            found += _nodes_of(node.does.flow, f"{prefix}{key}/")
        elif isinstance(node.does, (ParallelNode, ForeachNode)):
            found.append((branch_path(prefix + key, node.does), node))
    return found


def _work_of(node: FlowNode | None) -> Any:
    does = None if node is None else node.does
    return does.work if isinstance(does, (ExecutorNode, ParallelNode, ForeachNode)) else None


class _ScriptOutput:
    """Checks and stores the standard output of a script."""

    def __init__(self, node: str, codec: Codec) -> None:
        self._what = f"what the script of node {node!r} has written to its standard output"
        self._codec = codec

    def store(self, output: bytes) -> Payload:
        """Raises WrongType, PayloadTooLarge."""
        if len(output) > self._codec.limit:
            raise PayloadTooLarge(self._what, len(output), self._codec.limit)
        return self._codec.encode(self._codec.decode(Payload(output), Any, self._what), self._what)


class DefinitionReader:
    """Reads definitions of flows before they are published."""

    def check(self, source: str, *, is_json: bool | None) -> str:
        return definition_hash(load_flow_text(source, file="definition", is_json=is_json))

    def compare(self, before: str, after: str) -> list[Any]:
        return list(compare_flows(load_flow_text(before), load_flow_text(after)))


def load_flow(path: str | Path, *, catalog: Catalog = default_catalog) -> FlowWorkflow:
    """Read a workflow from a JSON or YAML file and add it to the catalog.

    Raises BadFlow with all problems at once.
    """
    file = Path(path).absolute()
    flow, source = read_flow_file(file)
    workflow = FlowWorkflow(flow, source, file)
    catalog.add_workflow(workflow)
    return workflow


def parse_flow(text: str, file: str, *, is_json: bool | None) -> FlowWorkflow:
    """`is_json` None: the text tells the format. Raises BadFlow."""
    return FlowWorkflow(load_flow_text(text, file=file, is_json=is_json), text, Path(file))


def read_edition(definition: Definition, file: Path | None = None) -> FlowWorkflow:
    """The workflow of a stored version, from a file or published. Raises BadFlow."""
    flow = load_flow_text(definition.source, file=definition.origin or definition.name)
    flow = msgspec.structs.replace(flow, name=definition.name)
    published = definition.version if definition.is_published else None
    return FlowWorkflow(flow, definition.source, file, published)
