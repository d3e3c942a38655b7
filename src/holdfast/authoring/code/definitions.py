"""`@task` and `@workflow`: plain functions that become durable when workflow code calls them.

Outside a workflow, calling one just calls the function, so that it can be tested as such.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property, partial
from typing import Any, ParamSpec, TypeVar, Unpack, cast, overload

from holdfast.authoring.catalog import Catalog, Definitions, default_catalog
from holdfast.authoring.code.chapter_end import ChapterEnd
from holdfast.authoring.code.context import Context, current_program
from holdfast.authoring.code.handles import ChildHandle, TaskHandle
from holdfast.authoring.code.places import caller
from holdfast.authoring.code.program import CodeProgram
from holdfast.authoring.code.requests import Requests
from holdfast.authoring.code.source import hash_of, origin_of, source_of
from holdfast.authoring.code.task_options import Options, merge
from holdfast.authoring.code.task_program import TaskWorkflow
from holdfast.authoring.code.updates import marked_methods
from holdfast.authoring.code.workflow_shapes import (
    RunTakesAnything,
    RunTakesContext,
    TakesAnything,
    TakesContext,
)
from holdfast.core.codec import Codec, digest_of
from holdfast.core.input_schemas import written_schema
from holdfast.core.names import checked_address_name, checked_name, checked_version
from holdfast.core.policies import TaskOptions
from holdfast.core.records import TASK_VERSION, RunRecord
from holdfast.core.run_options import (
    PLAIN_START,
    OnParentEnd,
    StartKeywords,
    StartOptions,
    StartTarget,
    WithOptions,
    checked_options,
    child_policy,
)
from holdfast.core.signature import Signature
from holdfast.core.values import Payload
from holdfast.errors import BadDefinition, BadOption, UnknownWorkflow, WrongType, show
from holdfast.ports.signals import SignalSender
from holdfast.ports.workflows import HasRun

P = ParamSpec("P")
R = TypeVar("R")


_OPTION_NAMES = frozenset(Options.__annotations__)


class Task(StartTarget[P, R]):
    def __init__(self, function: Callable[P, Any], name: str, options: TaskOptions) -> None:
        self.function = function
        self.name = name
        self.task_options = options
        self.is_async = inspect.iscoroutinefunction(function)
        self.signature = Signature.of(function, name=f"task {name!r}")
        self._alone: TaskWorkflow | None = None
        self.__name__ = getattr(function, "__name__", name)
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    @property
    def alone(self) -> TaskWorkflow:
        """What `hf.start(task)` starts. Made when it is first needed: reading the source takes a while."""
        if self._alone is None:
            self._alone = TaskWorkflow(self)
        return self._alone

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> TaskHandle[R]:
        """In a workflow: ask for the task and return a handle to await. Elsewhere: call the function."""
        program = current_program()
        if program is None:
            return self.function(*args, **kwargs)
        handle = self.schedule(program, self.task_options, args, kwargs)
        handle.place = caller()
        return handle

    def options(self, **options: Unpack[Options]) -> TaskCall[P, R]:
        """The same task with other options for this call: `charge.options(timeout=...)(order)` in a workflow,
        or `hf.start(charge.options(timeout=...), order)`."""
        return TaskCall(self, merge(self.task_options, options))

    def schedule(
        self, requests: Requests, options: TaskOptions, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> TaskHandle[R]:
        signature = self.signature
        if requests.is_replaying:
            digest = signature.digest(args, kwargs)
            handle = requests.schedule_recorded(self.name, digest, signature.unpack_result)
            if handle is not None:
                return handle
            input = signature.pack(args, kwargs, requests.codec)
        else:
            input = signature.pack(args, kwargs, requests.codec)
            digest = signature.digest_of_packed(input, args, kwargs)
        return requests.schedule(self.name, input, digest, options, signature.unpack_result)

    def __repr__(self) -> str:
        return f"<task {self.name!r}>"


class TaskCall(WithOptions[P, R]):
    """A task with options for one call. In a workflow, calling it asks for the task; a client starts it as a
    run of its own."""

    def __init__(self, task: Task[P, R], options: TaskOptions) -> None:
        super().__init__(task, StartOptions(task_options=options))
        self._task, self._options = task, options

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> TaskHandle[R]:
        program = current_program()
        if program is None:
            return self._task.function(*args, **kwargs)
        handle = self._task.schedule(program, self._options, args, kwargs)
        handle.place = caller()
        return handle


class Workflow(StartTarget[P, R]):
    kind = "code"
    is_data = False

    def __init__(
        self,
        definition: Callable[..., Any] | type,
        entry: Callable[..., Coroutine[Any, Any, Any]],
        name: str,
        version: str | None,
    ) -> None:
        self.definition = definition
        self.name = name
        self.origin = origin_of(definition)
        self.hash = hash_of(definition)
        self.source = source_of(definition) or ""
        self.is_pinned = version is not None
        """Whether the version is explicit. Only nodes with exactly that version may run its runs."""
        self.version = version if version is not None else f"auto-{self.hash[:12]}"
        self._is_class = inspect.isclass(definition)
        self._entry = entry
        self._updates = marked_methods(cast("type", definition)) if self._is_class else ()
        parameters = list(inspect.signature(entry).parameters.values())[int(self._is_class) :]
        self._takes_context = bool(parameters) and _is_context(parameters[0])
        skip = int(self._is_class) + int(self._takes_context)
        self.signature = Signature.of(entry, name=f"workflow {name!r}", skip=skip)
        self.__name__ = name
        self.__doc__ = definition.__doc__
        self.__wrapped__ = definition

    @property
    def claim(self) -> str:
        return f"{self.name}@{self.version}" if self.is_pinned else self.name

    @property
    def input_schema(self) -> str | None:
        return self._schemas

    @cached_property
    def _schemas(self) -> str | None:
        if not self._updates:
            return self.signature.input_schema
        return written_schema(self.signature.describe(), {it.name: it.describe() for it in self._updates})

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ChildHandle[R]:
        """In a workflow: start a child and return a handle to await. Elsewhere: call the function."""
        program = current_program()
        if program is None:
            return self.begin(args, kwargs)  # pyright: ignore[reportReturnType]
        handle = self.start(program, args, kwargs)
        handle.place = caller()
        return handle

    def options(
        self, *, on_parent_end: str | None = None, detached: bool = False, **options: Unpack[StartKeywords]
    ) -> RunCall[P, R]:
        """The same workflow with options for one run: `hf.start(order.options(id=…), 5)`, or, in a workflow,
        `order.options(id=…)(5)` for a child. `on_parent_end` is what becomes of a child when its parent ends:
        "cancel", "detach" (it goes on; also `detached=True`) or "terminate"."""
        return RunCall(self, checked_options(options), child_policy(on_parent_end, detached))

    def start(
        self,
        requests: Requests,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        options: StartOptions = PLAIN_START,
        on_parent_end: OnParentEnd = OnParentEnd.CANCEL,
    ) -> ChildHandle[R]:
        input = self.signature.pack(args, kwargs, requests.codec)
        version = self.version if self.is_pinned else None
        if not requests.is_recorded_child():
            requests.resolver.require_workflow(self.name, version)
        digest = self.signature.digest(args, kwargs)
        return requests.start_child(
            self.name,
            version,
            input,
            digest,
            self.signature.unpack_result,
            options=options,
            on_parent_end=on_parent_end,
        )

    async def main(self, program: CodeProgram) -> Payload:
        """Run the workflow, from the stored input to the result to be stored."""
        args, kwargs = self.signature.unpack(program.run.input)
        try:
            result = await self.begin(args, kwargs, program)
        except (ChapterEnd, BaseExceptionGroup) as end:
            program.note_chapter_end(end)
            raise
        return self.signature.pack_result(result, program.codec)

    def program(self, run: RunRecord, definitions: Definitions) -> CodeProgram:
        resolver = CatalogResolver(
            definitions.catalog, definitions.log_limit, definitions.signal_sender, self.signature
        )
        return CodeProgram(run, definitions.codec, self.main, resolver)

    def begin(self, args: Any, kwargs: Any, program: CodeProgram | None = None) -> Awaitable[Any]:
        leading: list[Any] = [self.definition()] if self._is_class else []
        if self._updates and program is not None:
            for each in self._updates:
                program.add_handler(each.name, each.handler_of(leading[0]))
        if self._takes_context and program is not None:
            leading.append(Context(program))
        return self._entry(*leading, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<workflow {self.name!r} {self.version}>"


class RunCall(WithOptions[P, R]):
    """A workflow with options for one run. A client starts it; in a workflow, calling it starts a child."""

    def __init__(self, workflow: Workflow[P, R], options: StartOptions, on_parent_end: OnParentEnd) -> None:
        super().__init__(workflow, options)
        self._workflow = workflow
        self.on_parent_end = self._on_parent_end = on_parent_end

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ChildHandle[R]:
        program = current_program()
        if program is None:
            return self._workflow.begin(args, kwargs)  # pyright: ignore[reportReturnType]
        handle = self._workflow.start(
            program, args, kwargs, options=self.start_options, on_parent_end=self._on_parent_end
        )
        handle.place = caller()
        return handle


class CatalogResolver:
    """Implements `DefinitionResolver`: `context().schedule(...)` and `start_child(...)` take a name or a
    definition."""

    __slots__ = ("_catalog", "_signature", "log_limit", "signal_sender")

    def __init__(
        self, catalog: Catalog, log_limit: int, signal_sender: SignalSender | None, signature: Signature
    ) -> None:
        self._catalog = catalog
        self._signature = signature
        """Of the workflow whose code asks."""
        self.log_limit = log_limit
        self.signal_sender = signal_sender

    def pack_input(self, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec) -> Payload:
        return self._signature.pack(args, kwargs, codec)

    def require_workflow(self, name: str, version: str | None) -> None:
        self._catalog.workflow(name, version)

    def schedule(
        self, requests: Requests, task: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> TaskHandle[Any]:
        known: Any = task
        if isinstance(task, str):
            task = checked_name("the name of a task", task)
            known = self._catalog.find_task(task)
        _refuse_options(task, known, kwargs)
        if isinstance(known, Task):
            typed = cast("Task[..., Any]", known)
            return typed.schedule(requests, typed.task_options, args, kwargs)
        if not isinstance(task, str):
            raise WrongType("context().schedule()", f"expected a task or its name, got {show(task)}")
        input = _pack_unknown(f"task {task!r}", args, kwargs, requests.codec)
        decode = partial(_unpack_unknown, requests.codec)
        return requests.schedule(task, input, digest_of(kwargs), TaskOptions(), decode)

    def start_child(
        self,
        requests: Requests,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        options: StartOptions,
        on_parent_end: OnParentEnd,
    ) -> ChildHandle[Any]:
        version = None if options.version is None else checked_version(options.version)
        name = workflow if isinstance(workflow, str) else getattr(workflow, "name", None)
        if name is None:
            raise WrongType(
                "context().start_child()", f"expected a workflow or its name, got {show(workflow)}"
            )
        is_recorded = requests.is_recorded_child()
        if not is_recorded and (isinstance(workflow, Task) or version == TASK_VERSION):
            raise WrongType(
                "context().start_child()",
                f"{name!r} is a task; a workflow calls it as a function, or with context().schedule()",
            )
        try:
            known = self._catalog.workflow(name, version)
        except UnknownWorkflow:
            if not is_recorded:
                raise
            input = _pack_unknown(f"workflow {name!r}", args, kwargs, requests.codec)
            decode: Any = partial(_unpack_unknown, requests.codec)
            digest = digest_of(kwargs)
        else:
            input = known.signature.pack(args, kwargs, requests.codec)
            digest = known.signature.digest(args, kwargs)
            decode = known.signature.unpack_result
            version = known.version if known.is_pinned else None
        return requests.start_child(
            name, version, input, digest, decode, options=options, on_parent_end=on_parent_end
        )


def _refuse_options(task: Any, known: Any, kwargs: dict[str, Any]) -> None:
    """Raises WrongType for an option of tasks that would be taken for an argument."""
    if _OPTION_NAMES.isdisjoint(kwargs):
        return
    name = task if isinstance(task, str) else getattr(task, "name", "task")
    for option in sorted(_OPTION_NAMES & kwargs.keys()):
        if isinstance(known, Task) and cast("Task[..., Any]", known).signature.takes(option):
            continue
        raise WrongType(
            f"context().schedule({name!r})",
            f"{option} is an option of a task, and here keywords are arguments; import the task and call "
            f"{name}.options({option}=...)(...), or give the option in @task({option}=...)",
        )


def _pack_unknown(what: str, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec) -> Payload:
    if args:
        raise WrongType(what, "it is not registered here, so its arguments must be passed by keyword")
    return codec.encode(kwargs, f"the arguments of {what}")


def _unpack_unknown(codec: Codec, payload: Payload) -> Any:
    return codec.decode(payload, Any, "a result")


@overload
def task(function: Callable[P, Awaitable[R]], /) -> Task[P, R]: ...
@overload
def task(function: Callable[P, R], /) -> Task[P, R]: ...
@overload
def task(*, name: str | None = None, catalog: Catalog = ..., **options: Unpack[Options]) -> TaskDecorator: ...
def task(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    catalog: Catalog = default_catalog,
    **options: Unpack[Options],
) -> Any:
    """Make a function a task: it is retried if it fails, and never runs again once its result is recorded.

    `async def` functions run on the event loop, plain functions on threads.
    """
    decorator = TaskDecorator(name, merge(TaskOptions(), options), catalog)
    return decorator if function is None else decorator(function)


class TaskDecorator:
    def __init__(self, name: str | None, options: TaskOptions, catalog: Catalog) -> None:
        self._name, self._options, self._catalog = name, options, catalog

    @overload
    def __call__(self, function: Callable[P, Awaitable[R]], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Task[P, R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Task[Any, Any]:
        if not callable(function) or inspect.isclass(function):
            raise BadDefinition(show(function), "@task goes on a function")
        if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
            raise BadDefinition(function.__name__, "a task returns one value; a generator gives many")
        _refuse_method("task", function)
        made: Task[Any, Any] = Task(function, _name_of(self._name, function), self._options)
        self._catalog.add_task(made)
        return made


@overload
def workflow(definition: TakesAnything[R] | type[RunTakesAnything[R]], /) -> Workflow[..., R]: ...
@overload
def workflow(definition: TakesContext[P, R] | type[RunTakesContext[P, R]], /) -> Workflow[P, R]: ...
@overload
def workflow(definition: Callable[P, Awaitable[R]] | type[HasRun[P, R]], /) -> Workflow[P, R]: ...
@overload
def workflow(
    *, name: str | None = None, version: str | int | None = None, catalog: Catalog = ...
) -> WorkflowDecorator: ...
def workflow(
    definition: Any = None,
    /,
    *,
    name: str | None = None,
    version: str | int | None = None,
    catalog: Catalog = default_catalog,
) -> Any:
    """Make an async function, or a class with an async `run` method, a workflow."""
    decorator = WorkflowDecorator(name, version, catalog)
    return decorator if definition is None else decorator(definition)


class WorkflowDecorator:
    def __init__(self, name: str | None, version: str | int | None, catalog: Catalog) -> None:
        self._name, self._catalog = name, catalog
        self._version = None if version is None else checked_version(version)
        if self._version == TASK_VERSION:
            expected = "another: this one is kept for tasks that are started by themselves"
            raise BadOption("version", version, expected)

    @overload
    def __call__(self, definition: TakesAnything[R] | type[RunTakesAnything[R]], /) -> Workflow[..., R]: ...
    @overload
    def __call__(self, definition: TakesContext[P, R] | type[RunTakesContext[P, R]], /) -> Workflow[P, R]: ...
    @overload
    def __call__(self, definition: Callable[P, Awaitable[R]] | type[HasRun[P, R]], /) -> Workflow[P, R]: ...
    def __call__(self, definition: Any, /) -> Workflow[Any, Any]:
        name = _name_of(self._name, definition)
        entry = getattr(definition, "run", None) if inspect.isclass(definition) else definition
        if not inspect.iscoroutinefunction(entry):
            raise BadDefinition(
                name, "a workflow is an `async def` function, or a class with an `async def run`"
            )
        if entry is definition:
            _refuse_method("workflow", definition)
        made: Workflow[Any, Any] = Workflow(definition, entry, name, self._version)
        self._catalog.add_workflow(made)
        return made


def _refuse_method(kind: str, function: Any) -> None:
    """Raises BadDefinition for a function in the body of a class that takes the object or the class. A run
    that goes on in another process has no such object."""
    place, _, name = str(getattr(function, "__qualname__", "")).rpartition(".")
    if not place or place.endswith("<locals>"):
        return
    first = next(iter(inspect.signature(function).parameters), None)
    if first in ("self", "cls"):
        raise BadDefinition(
            name,
            f"@{kind} goes on a function, and this is a method of {place!r}: nobody passes `{first}`; put it "
            f"outside of the class and pass it what it needs, or put @staticmethod above @{kind} and leave "
            f"out `{first}`",
        )


def _name_of(given: str | None, definition: Any) -> str:
    name: Any = _own_name(definition) if given is None else given
    if name is None:
        raise BadDefinition(show(definition), "it has no name of its own; give it one with name=")
    if not isinstance(name, str) or not name or "@" in name or "/" in name or len(name) > 200:
        raise BadDefinition(show(name), "a name is 1 to 200 characters without '@' and '/'")
    return checked_address_name("name", name)


def _own_name(definition: Any) -> Any:
    try:
        return getattr(definition, "__name__", None)
    except Exception:  # a metaclass or a __getattr__ may raise
        return None


def _is_context(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    if annotation is inspect.Parameter.empty:
        return parameter.name == "ctx"
    return annotation is Context or (
        isinstance(annotation, str) and annotation.rpartition(".")[2] == "Context"
    )
