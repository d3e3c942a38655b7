"""A DAG as a workflow: its interface to the catalog, the client and the executors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.authoring.catalog import Body, Catalog, Definitions, FileSchedule, default_catalog
from holdfast.authoring.dag.loader import definition_hash, load_text
from holdfast.authoring.dag.model import CallTask, Dag, DagTask
from holdfast.authoring.dag.outline import outline_dag
from holdfast.authoring.dag.program import DagProgram
from holdfast.authoring.dag.types import Type, check, describe, json_schema_of
from holdfast.authoring.documents.file_text import read_text
from holdfast.authoring.outline import VisitDetails, WorkflowOutline
from holdfast.core.codec import Codec, digest_of
from holdfast.core.input_schemas import InputSchema, written_schema
from holdfast.core.records import ANY_NODE, Definition, RunRecord, TaskRecord
from holdfast.core.run_options import StartTarget
from holdfast.core.schedule_inputs import DATE, TICK
from holdfast.core.values import Payload
from holdfast.errors import BadDag, PayloadTooLarge, UnknownTask, WrongType, show
from holdfast.ports.executor import (
    Attempt,
    ProcessBody,
    ProcessWork,
    PythonFunction,
    ServiceCall,
    ShellCommand,
)

if TYPE_CHECKING:
    from holdfast.core.graphs import Graph


class DagSignature:
    """Packs and checks the inputs of a DAG, as the signature of a code workflow does with its parameters."""

    def __init__(self, dag: Dag) -> None:
        self._dag = dag
        self._name = f"workflow {dag.name!r}"

    @property
    def tick_inputs(self) -> dict[str, str]:
        """Required inputs of type date or datetime. A schedule that does not set them fills in its tick."""
        texts = {"date": DATE, "datetime": TICK}
        needed = {name: it for name, it in self._dag.inputs.items() if not it.has_default}
        kinds = {name: describe(it.type) for name, it in needed.items()}
        return {name: texts[kind] for name, kind in kinds.items() if kind in texts}

    @cached_property
    def input_schema(self) -> str | None:
        """Like `Signature.input_schema`."""
        inputs = self._dag.inputs
        schema = {
            "type": "object",
            "properties": {
                name: {**json_schema_of(it.type), **({"default": it.default} if it.has_default else {})}
                for name, it in inputs.items()
            },
            "required": [name for name, it in inputs.items() if not it.has_default],
            "additionalProperties": False,
        }
        return written_schema(InputSchema(schema))

    def pack(self, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec) -> Payload:
        """Raises WrongType with all problems at once, CannotStore, PayloadTooLarge."""
        if args:
            raise WrongType(f"a call of {self._name}", "its inputs are passed by name, not by position")
        expected = self._dag.inputs
        unknown = [show(name) for name in kwargs if name not in expected]
        missing = [name for name, it in expected.items() if name not in kwargs and not it.has_default]
        values = {name: kwargs.get(name, it.default) for name, it in expected.items() if name not in missing}
        payload = codec.encode(values, f"the inputs of {self._name}")
        # A value may be passed as a date. Its JSON is stored, so its JSON is checked.
        stored: dict[str, Any] = codec.decode(payload, dict[str, Any], f"the inputs of {self._name}")
        checked = {name: check(value, expected[name].type) for name, value in stored.items()}
        problems = [f"it has no input {name}; it takes {', '.join(expected) or 'none'}" for name in unknown]
        problems += [f"it needs the input {name!r} ({describe(expected[name].type)})" for name in missing]
        problems += [f"{name}: {problem}" for name, problem in checked.items() if problem is not None]
        if problems:
            raise WrongType(f"the inputs of {self._name}", "; ".join(problems))
        return payload

    def digest(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """Like `Signature.digest`."""
        return None if args else digest_of(kwargs)

    def unpack_result(self, payload: Payload) -> Any:
        return msgspec.json.decode(payload)


class DagWorkflow(StartTarget[..., Any]):
    kind = "dag"
    is_data = True

    def __init__(self, dag: Dag, source: str, file: Path | None, published: str | None = None) -> None:
        """`published` is the version number of a published DAG. Any node may run it, in the folder in which
        the node was started."""
        self.dag = dag
        self.name = dag.name
        self.source = source
        self.folder = Path.cwd() if file is None else file.parent
        self.origin = "" if file is None else str(file)
        self.hash = definition_hash(dag)
        self.is_pinned = published is not None
        self.version = published or f"auto-{self.hash[:12]}"
        self.claim = dag.name if published is None else ANY_NODE
        self.signature = DagSignature(dag)
        self._bodies: dict[str, tuple[Codec, ProcessBody]] = {}

    @property
    def input_schema(self) -> str | None:
        return self.signature.input_schema

    def program(self, run: RunRecord, definitions: Definitions) -> DagProgram:
        def pack_child(workflow: str, inputs: dict[str, Any]) -> Payload:
            found = definitions.workflow(workflow)
            return found.signature.pack((), inputs, definitions.codec)

        return DagProgram(run, self.dag, definitions.codec, pack_child)

    def edition(self, definition: Definition) -> DagWorkflow:
        """Another edition of the workflow, read from the store. It uses the same folder as this edition."""
        dag = load_text(definition.source, file=self.origin)
        return DagWorkflow(dag, definition.source, Path(self.origin))

    @property
    def file_schedule(self) -> FileSchedule | None:
        plan = self.dag.schedule
        return None if plan is None else FileSchedule(plan, self.dag.schedule_input)

    def outline(self, input: Any) -> WorkflowOutline:
        return outline_dag(self.dag)

    def graph(self) -> Graph:
        from holdfast.authoring.dag.drawing import graph_of

        return graph_of(self.dag)

    def facts(self) -> dict[str, Any]:
        from holdfast.authoring.dag.drawing import as_facts

        return as_facts(self.dag)

    def describe_visits(self, tasks: Sequence[TaskRecord]) -> list[VisitDetails]:
        return [VisitDetails()] * len(tasks)

    def functions(self) -> list[str]:
        return []

    def calls(self) -> list[tuple[str, str]]:
        """The tasks that call a workflow, each with the workflow's name."""
        return [
            (it.name, it.work.workflow) for it in self.dag.tasks.values() if isinstance(it.work, CallTask)
        ]

    # --- for executors

    def executor_of(self, attempt: Attempt) -> str:
        return "python" if isinstance(self.work(attempt.name), PythonFunction) else "shell"

    def service_call(self, attempt: Attempt) -> ServiceCall:
        raise UnknownTask(attempt.name, list(self.dag.tasks))

    def body(self, attempt: Attempt, definitions: Definitions) -> Body:
        """The registered task that replaces this task of the DAG in a simulation without processes."""
        return Body(definitions.catalog.task(attempt.name), definitions.codec)

    def work(self, task: str) -> ProcessWork | None:
        found = self.dag.tasks.get(task)
        work = None if found is None else found.work
        return work if isinstance(work, (ShellCommand, PythonFunction)) else None

    def process(self, task: str, codec: Codec) -> ProcessBody:
        """Raises UnknownTask."""
        codec_then, body = self._bodies.get(task, (None, None))
        if body is None or codec_then is not codec:
            body = self._new_body(task, codec)
            self._bodies[task] = (codec, body)
        return body

    def _new_body(self, task: str, codec: Codec) -> ProcessBody:
        found, work = self.dag.tasks.get(task), self.work(task)
        if found is None or work is None:
            raise UnknownTask(task, list(self.dag.tasks))
        project = str(self.folder)
        workdir = str(self.folder / found.workdir) if found.workdir else project
        return ProcessBody(work, project, workdir, found.env, _ProcessOutput(found, codec).store)

    def __repr__(self) -> str:
        return f"<workflow {self.name!r} {self.version}>"


_WHERE_OUTPUT_GOES: Final = "; a command writes its output to the file $HOLDFAST_OUTPUT_FILE"


class _ProcessOutput:
    """Checks and stores the output of a process."""

    def __init__(self, task: DagTask, codec: Codec) -> None:
        self._what = f"the output of task {task.name!r}"
        self._type: Type | None = task.output_type
        self._hint = _WHERE_OUTPUT_GOES if isinstance(task.work, ShellCommand) else ""
        self._codec = codec

    def store(self, output: bytes) -> Payload:
        """Raises WrongType, PayloadTooLarge."""
        if len(output) > self._codec.limit:
            raise PayloadTooLarge(self._what, len(output), self._codec.limit)
        value = self._codec.decode(Payload(output), Any, self._what)
        if self._type is not None:
            problem = check(value, self._type)
            if problem is not None:
                raise WrongType(self._what, problem if value is not None else problem + self._hint)
        return self._codec.encode(value, self._what)


def load_dag(path: str | Path, *, catalog: Catalog = default_catalog) -> DagWorkflow:
    """Read a workflow from a YAML file and add it to the catalog. Raises BadDag with all problems at once.

    Paths in the file are relative to its folder.
    """
    file = Path(path).absolute()
    # The file is read only once: it may change at any time, and the hash must match the stored text.
    workflow = parse_dag(read_text(file, BadDag), str(file), folder=file.parent)
    catalog.add_workflow(workflow)
    return workflow


def parse_dag(text: str, file: str, *, folder: Path | None) -> DagWorkflow:
    """Checks the files that the DAG names, too, if there is a folder. Raises BadDag."""
    return DagWorkflow(load_text(text, file=file, folder=folder), text, Path(file))


def read_edition(definition: Definition) -> DagWorkflow:
    """The workflow of a stored version, from a file or published. Raises BadDag."""
    dag = load_text(definition.source, file=definition.origin or definition.name)
    if definition.is_published:
        dag = msgspec.structs.replace(dag, name=definition.name)
        return DagWorkflow(dag, definition.source, None, definition.version)
    return DagWorkflow(dag, definition.source, Path(definition.origin))
