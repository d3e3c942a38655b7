"""The catalog: every task and workflow of this process, by name.

Decorators add to `default_catalog` when modules are imported. A name means one thing, so a second definition
of a name is refused. The same definition again replaces the first: a module that was reloaded, a notebook
cell that ran again, a function that is defined inside another one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from holdfast.authoring.code.elsewhere import startable_code
from holdfast.authoring.differences import describe_difference
from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.core.history import Past
from holdfast.core.names import OWN_NAMES, checked_name, checked_version
from holdfast.core.pieces import Pieces
from holdfast.core.policies import TaskOptions
from holdfast.core.program import Program, ReplayableProgram
from holdfast.core.records import (
    ANY_NODE,
    TASK_VERSION,
    Definition,
    History,
    RunRecord,
    TaskRecord,
    task_claim,
)
from holdfast.core.reopening import ReopeningPlan
from holdfast.core.values import Failure, Payload
from holdfast.errors import (
    BadDefinition,
    BadOption,
    DeterminismError,
    JournalCorrupt,
    Refused,
    UnknownTask,
    UnknownWorkflow,
    WrongType,
    show,
)
from holdfast.ports.executor import Attempt, ProcessBody, ServiceCall, TaskBody
from holdfast.ports.flows import FlowReader
from holdfast.ports.programs import HasChapters, Pinned
from holdfast.ports.signals import SignalSender
from holdfast.ports.workflows import Startable, WorkflowReader

if TYPE_CHECKING:
    from holdfast.authoring.outline import VisitDetails, WorkflowOutline
    from holdfast.core.graphs import Graph
    from holdfast.core.timetable import Plan

_log = logging.getLogger("holdfast.authoring")


class TaskDefinition(Protocol):
    name: str
    task_options: TaskOptions
    is_async: bool
    function: Callable[..., Any]
    signature: Any

    @property
    def alone(self) -> WorkflowDefinition:
        """What a run of the task by itself runs."""
        ...


class WorkflowDefinition(Protocol):
    name: str
    version: str
    kind: str
    is_data: bool
    """Whether it is a `DataWorkflow`."""
    hash: str
    source: str
    is_pinned: bool
    origin: str
    """Where it was defined: `module:name`, or a file."""
    signature: Any

    @property
    def claim(self) -> str: ...

    @property
    def input_schema(self) -> str | None:
        """What its input and its updates look like, as definitions have it."""
        ...

    def program(self, run: RunRecord, definitions: Definitions) -> ReplayableProgram:
        """The program of a run that has not begun. `replay` brings it to where the run is."""
        ...


class FileSchedule(NamedTuple):
    plan: Plan
    input: Mapping[str, Any]


class DataWorkflow(WorkflowDefinition, Protocol):
    """A DAG or a flow. Its definition is data, not code, so every edition can be read from the store."""

    def edition(self, definition: Definition) -> DataWorkflow:
        """Another edition of the same workflow."""
        ...

    def calls(self) -> Sequence[tuple[str, str]]:
        """The tasks or nodes that call a workflow, each with the name of that workflow."""
        ...

    @property
    def file_schedule(self) -> FileSchedule | None:
        """The schedule that its file contains."""
        ...

    def functions(self) -> Sequence[str]:
        """The registered tasks that it may call."""
        ...

    def outline(self, input: Any) -> WorkflowOutline:
        """What a run with this input may do."""
        ...

    def graph(self) -> Graph:
        """What drawings show."""
        ...

    def facts(self) -> dict[str, Any]:
        """The same for programs, in the words of its kind."""
        ...

    def describe_visits(self, tasks: Sequence[TaskRecord]) -> Sequence[VisitDetails]:
        """One for each task."""
        ...

    def executor_of(self, attempt: Attempt) -> str:
        """The executor: `shell`, `python`, `http`, or `function` for a registered task. Never raises."""
        ...

    def process(self, task: str, codec: Codec) -> ProcessBody:
        """Raises UnknownTask."""
        ...

    def service_call(self, attempt: Attempt) -> ServiceCall:
        """What to call a worker with. Raises UnknownTask."""
        ...

    def body(self, attempt: Attempt, definitions: Definitions) -> Body:
        """The registered task that the attempt runs. Raises UnknownTask."""
        ...


class WorkflowKinds(Protocol):
    """Everything that depends on the kind of a workflow. `authoring.kinds` implements it."""

    @property
    def flow_reader(self) -> FlowReader: ...

    @property
    def reader(self) -> WorkflowReader: ...

    def own_workflow(self, name: str, worker: Any) -> WorkflowDefinition: ...

    def read_published(self, definition: Definition) -> DataWorkflow:
        """Raises BadDag, BadFlow."""
        ...

    def read_data(self, definition: Definition) -> DataWorkflow | None:
        """None for code, and for what cannot be read here."""
        ...

    def plan_reopening(self, definition: Definition | None, history: History) -> ReopeningPlan:
        """Raises JournalCorrupt."""
        ...

    def replay_state(
        self, definition: Definition, history: History, step: int, now: Mapping[str, Payload], codec: Codec
    ) -> dict[str, Payload] | None:
        """As in the port `Workflows`."""
        ...


class Catalog:
    def __init__(self) -> None:
        self._tasks: dict[str, TaskDefinition] = {}
        self.editions: dict[tuple[str, str], DataWorkflow] = {}
        """Every known version of workflows that are data, by name and version."""
        self._workflows: dict[str, dict[str | None, WorkflowDefinition]] = {}
        """By name, then by explicit version. None stands for the version derived from the source."""
        self.find_task: Callable[[str], TaskDefinition | None] = self._tasks.get

    def add_task(self, task: TaskDefinition) -> None:
        _refuse_own_name(task.name)
        known = self._tasks.get(task.name)
        if known is not None:
            _refuse_another(task.name, _place(known.function), _place(task.function))
        self._tasks[task.name] = task

    def add_workflow(self, workflow: WorkflowDefinition) -> None:
        _refuse_own_name(workflow.name)
        versions = self._workflows.setdefault(workflow.name, {})
        version = workflow.version if workflow.is_pinned else None
        known = versions.get(version)
        if known is not None:
            _refuse_another(workflow.name, known.origin, workflow.origin)
        versions.pop(version, None)
        versions[version] = workflow
        if workflow.is_data:
            self.add_edition(cast("DataWorkflow", workflow))

    def add_edition(self, workflow: DataWorkflow) -> None:
        self.editions[workflow.name, workflow.version] = workflow

    def forget_module(self, module: str) -> None:
        """Take back what this module has added: its import has failed."""
        for name, task in list(self._tasks.items()):
            if task.function.__module__ == module:
                del self._tasks[name]
        for versions in self._workflows.values():
            for version, workflow in list(versions.items()):
                if workflow.origin.startswith(f"{module}:"):
                    del versions[version]

    def task(self, name: str) -> TaskDefinition:
        task = self.find_task(checked_name("the name of a task", name))
        if task is None:
            raise UnknownTask(name, list(self._tasks))
        return task

    def workflow(self, name: str, version: str | None = None) -> WorkflowDefinition:
        """The workflow of that name and version; without a version, the one that was defined last."""
        name = checked_name("the name of a workflow", name)
        if version is not None:
            return self.recorded_workflow(name, checked_version(version))
        found = next(reversed(self._workflows.get(name, {}).values()), None)
        if found is None:
            raise UnknownWorkflow(name, version, list(self._workflows))
        return found

    def recorded_workflow(self, name: str, version: str) -> WorkflowDefinition:
        """The workflow of a run. Its name and version were checked before they were recorded.

        Raises UnknownWorkflow, and UnknownTask for a task that was started by itself.
        """
        if version == TASK_VERSION:
            task = self.find_task(name)
            if task is None:
                raise UnknownTask(name, list(self._tasks))
            return task.alone
        versions = self._workflows.get(name, {})
        found = versions.get(version) or self.editions.get((name, version))
        if found is None:
            unpinned = versions.get(None)
            is_other_code = unpinned is not None and not unpinned.is_data
            if is_other_code and version.startswith("auto-"):
                found = unpinned  # the run began on other code of this name; replay finds out whether it fits
        if found is None:
            raise UnknownWorkflow(name, version, list(self._workflows))
        return found

    def defines(self, name: str) -> bool:
        return bool(self._workflows.get(name))

    def find_data(self, name: str) -> DataWorkflow | None:
        """The workflow of that name, if it is data."""
        unpinned = self._workflows.get(name, {}).get(None)
        return None if unpinned is None or not unpinned.is_data else cast("DataWorkflow", unpinned)

    def task_names(self) -> Iterable[str]:
        return self._tasks.keys()

    def workflows(self) -> list[WorkflowDefinition]:
        return [workflow for versions in self._workflows.values() for workflow in versions.values()]


default_catalog = Catalog()


def _refuse_another(name: str, known: str, new: str) -> None:
    is_local = "<locals>" in known and "<locals>" in new
    if known != new and not is_local:
        raise BadDefinition(name, f"the name belongs to {known}; give {new} another with name=")


def _refuse_own_name(name: str) -> None:
    if name.startswith(OWN_NAMES):
        raise BadDefinition(name, f"names that begin with {OWN_NAMES!r} are for holdfast itself")


def _place(definition: Any) -> str:
    return f"{definition.__module__}.{definition.__qualname__}"


class Definitions:
    """A catalog as one engine uses it. Implements the port `Programs`, and gives the `TaskBody` of
    attempts."""

    def __init__(
        self,
        catalog: Catalog,
        codec: Codec,
        kinds: WorkflowKinds,
        max_steps: int = 10_000,
        log_limit: int = 1_000_000,
    ) -> None:
        self.catalog = catalog
        self.codec = codec
        self.kinds = kinds
        self.max_steps = max_steps
        """How many nodes a run of a flow may visit."""
        self.log_limit = log_limit
        """How many characters are kept of what workflow code writes in one step."""
        self.signal_sender: SignalSender | None = None
        self._own_workers: dict[str, Any] = {}
        """What the runs of holdfast's own workflows do their work with, by the name of the workflow."""
        self._own: dict[str, WorkflowDefinition] = {}
        self._bodies: dict[str, Body] = {}
        # Not in the catalog: several namespaces may share it, and each has its own flows.
        self._published: dict[tuple[str, str], DataWorkflow] = {}
        """Flows from the store, by name and version."""
        self._newest: dict[str, DataWorkflow] = {}
        """The newest known version of flows that other workflows call, by name."""

    def without_code(self) -> Definitions:
        """For another namespace: it reads definitions in the same way, and has none of its own."""
        return Definitions(Catalog(), self.codec, self.kinds, self.max_steps, self.log_limit)

    @property
    def flow_reader(self) -> FlowReader:
        return self.kinds.flow_reader

    @property
    def reader(self) -> WorkflowReader:
        return self.kinds.reader

    def send_with(self, sender: SignalSender) -> None:
        self.signal_sender = sender

    def do_own_with(self, name: str, worker: Any) -> None:
        self._own_workers[name] = worker
        self._own.pop(name, None)

    def _own_workflow(self, name: str) -> WorkflowDefinition:
        """It is in no catalog, so nobody can start it but holdfast itself. Raises UnknownWorkflow."""
        if name not in self._own:
            if name not in self._own_workers:
                raise UnknownWorkflow(name, None, [])
            self._own[name] = self.kinds.own_workflow(name, self._own_workers[name])
        return self._own[name]

    def startable_own(self, name: str) -> Startable:
        return self._startable(self._own_workflow(name))

    def plan_reopening(self, definition: Definition | None, history: History) -> ReopeningPlan:
        return self.kinds.plan_reopening(definition, history)

    def replay_state(
        self, definition: Definition, history: History, step: int, now: Mapping[str, Payload]
    ) -> dict[str, Payload] | None:
        return self.kinds.replay_state(definition, history, step, now, self.codec)

    def claims(self) -> Sequence[str]:
        of_workflows = [workflow.claim for workflow in self.catalog.workflows()]
        names = [*self.catalog.task_names(), *self._own_workers]
        return [*of_workflows, *map(task_claim, names), ANY_NODE]

    def lacks(self, run: RunRecord) -> bool:
        if run.version == TASK_VERSION or self.find_edition(run.workflow, run.version) is not None:
            return False
        return run.claim == ANY_NODE or self.catalog.find_data(run.workflow) is not None

    def learn(self, definition: Definition) -> None:
        current = self.catalog.find_data(definition.name)
        try:
            if definition.is_published:
                self._read_published(definition)
            elif current is not None and current.kind == definition.kind:
                self.catalog.add_edition(current.edition(definition))
            # Otherwise a workflow of another kind now has this name, and does not fit the runs.
        except Refused as error:  # this node then parks its runs
            _log.error("%s %s cannot be read here: %s", definition.name, definition.version, error)

    def _read_published(self, definition: Definition) -> DataWorkflow:
        """Raises BadDag, BadFlow."""
        key = (definition.name, definition.version)
        if key not in self._published:
            self._published[key] = self.kinds.read_published(definition)
        return self._published[key]

    def calls_of(self, run: RunRecord) -> list[str]:
        """The workflows that the run may call and that are not defined here. They may be published flows."""
        edition = self.find_edition(run.workflow, run.version)
        return [] if edition is None else self._not_defined(edition)

    def learn_published(self, definition: Definition) -> None:
        self.learn(definition)
        known = self.find_edition(definition.name, definition.version)
        if known is not None:
            self._newest[definition.name] = known

    def _not_defined(self, edition: DataWorkflow) -> list[str]:
        return sorted({name for _, name in edition.calls() if not self.catalog.defines(name)})

    def find_edition(self, workflow: str, version: str) -> DataWorkflow | None:
        """That version of a DAG or a flow, if it is known."""
        editions, published = self.catalog.editions, self._published
        if not editions and not published:
            return None  # fast path: called for every task, and most processes have neither
        key = (workflow, version)
        return editions.get(key) or published.get(key)

    def workflow(self, name: str, version: str | None = None) -> WorkflowDefinition:
        """From the catalog, or else from the store. Raises UnknownWorkflow."""
        found = self._newest.get(name) if version is None else self._published.get((name, version))
        if found is not None and not (version is None and self.catalog.defines(name)):
            return found
        return self.catalog.workflow(name, version)

    def edition_of(self, attempt: Attempt) -> DataWorkflow:
        """Raises UnknownWorkflow."""
        found = self.find_edition(attempt.workflow, attempt.version)
        return found or cast("DataWorkflow", self.catalog.workflow(attempt.workflow, attempt.version))

    def process(self, attempt: Attempt) -> ProcessBody:
        """The process to run for the attempt. Raises UnknownTask."""
        return self.edition_of(attempt).process(attempt.name, self.codec)

    def service_call(self, attempt: Attempt) -> ServiceCall:
        """What to call a worker with. Raises UnknownTask."""
        return self.edition_of(attempt).service_call(attempt)

    def pin(self, workflow: str, version: str | None) -> Pinned:
        found = self.workflow(workflow, version)
        return Pinned(found.version, found.claim)

    def program(self, run: RunRecord) -> Program:
        return self._workflow_of(run).program(run, self)

    def _workflow_of(self, run: RunRecord) -> WorkflowDefinition:
        """Raises UnknownWorkflow."""
        name, version = run.workflow, run.version
        if name.startswith(OWN_NAMES) and run.claim == task_claim(name):
            return self._own_workflow(name)
        return self._published.get((name, version)) or self.catalog.recorded_workflow(name, version)

    def replay(self, run: RunRecord, past: Past, pause_after: int) -> Pieces[Program]:
        program = self._workflow_of(run).program(run, self)
        if past.chapter.number:
            if not isinstance(program, HasChapters):
                raise JournalCorrupt(None, "it has chapters, but its workflow is not code any more")
            program.begin_chapter(past.chapter)
        if past.steps:
            try:
                yield from program.replay(past, pause_after)
            except BaseException:
                program.dispose()  # otherwise the garbage collector would run the code's `finally` blocks
                raise
        return program

    def explain(
        self, run: RunRecord, error: DeterminismError, then: Definition | None, recorded: Payload | None
    ) -> None:
        here = self._workflow_of(run)
        error.details = describe_difference(
            error, recorded, then, here.version, here.source, is_first_chapter=run.chapter == 0
        )

    def body(self, attempt: Attempt) -> TaskBody:
        """Raises UnknownTask, JournalCorrupt."""
        if attempt.body is not None:
            return attempt.body
        if attempt.options.is_step:
            # Never a registered task that happens to have the name of the step.
            raise JournalCorrupt(None, f"task {attempt.seq} is a step, but the code has no function for it")
        edition = self.find_edition(attempt.workflow, attempt.version)
        if edition is not None:
            return edition.body(attempt, self)
        name = attempt.name
        body = self._bodies.get(name)
        if body is None or body.task is not self.catalog.find_task(name):
            body = self._bodies[name] = Body(self.catalog.task(name), self.codec)
        return body

    def startable(self, workflow: Any, version: str | int | None) -> Startable:
        version = None if version is None else checked_version(version)
        if hasattr(workflow, "signature") and hasattr(workflow, "alone"):
            if version not in (None, TASK_VERSION):
                raise BadOption("version", version, f"left out: {workflow.name!r} is a task")
            workflow = workflow.alone
        if isinstance(workflow, str):
            # Only the store knows the newest version of a published workflow, and whether a version was
            # deleted.
            found = self.catalog.workflow(workflow, version)
        elif hasattr(workflow, "signature") and hasattr(workflow, "claim"):
            found = workflow
            self.catalog.workflow(found.name, found.version)  # refuses a workflow of another catalog
            if version is not None and version != found.version:
                found = self.catalog.workflow(found.name, version)
        else:
            raise WrongType(
                "start()",
                f"expected a workflow, a task or its name, got {show(workflow)}; "
                "is @workflow or @task missing?",
            )

        return self._startable(found)

    def startable_task(self, name: str) -> Startable | None:
        task = self.catalog.find_task(name)
        return None if task is None else self._startable(task.alone)

    def startable_as(self, definition: Definition) -> Startable:
        return self._startable(self._read_published(definition))

    def startable_elsewhere(self, definition: Definition) -> Startable | None:
        if definition.kind in ("dag", "flow"):
            found = self.kinds.read_data(definition)
            return None if found is None else self._startable(found)
        return startable_code(definition, self.codec)

    def _startable(self, found: WorkflowDefinition) -> Startable:
        def pack(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Payload:
            return found.signature.pack(args, kwargs, self.codec)

        return Startable(
            _stored(found),
            Pinned(found.version, found.claim),
            pack,
            found.signature.unpack_result,
            getattr(found.signature, "tick_inputs", {}),
            [] if not found.is_data else self._not_defined(cast("DataWorkflow", found)),
        )

    def stored(self) -> list[Definition]:
        return [_stored(workflow) for workflow in self.catalog.workflows()]

    def encode(self, value: Any, what: str) -> Payload:
        return self.codec.encode(value, what)

    def decode(self, payload: Payload, type: Any, what: str) -> Any:
        return self.codec.decode(payload, type, what)


def _stored(workflow: WorkflowDefinition) -> Definition:
    return Definition(
        workflow.name,
        workflow.version,
        workflow.kind,
        workflow.hash,
        workflow.source,
        workflow.origin,
        is_published=workflow.claim == ANY_NODE,
        input_schema=workflow.input_schema,
    )


class Body:
    """A task as executors call it."""

    def __init__(self, task: TaskDefinition, codec: Codec) -> None:
        self.task = task
        self.is_async = task.is_async
        self._function = task.function
        self._signature = task.signature
        self._codec = codec

    def call(self, input: Payload) -> Any:
        args, kwargs = self._signature.unpack(input)
        return self._function(*args, **kwargs)

    def store(self, result: Any) -> Payload:
        return self._signature.pack_result(result, self._codec)

    def explain(self, error: BaseException) -> Failure:
        return capture(error)
