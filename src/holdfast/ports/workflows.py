"""The definitions of this process, as a client uses them: it starts and reopens runs of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar

from holdfast.core.graphs import Graph, GraphLayout
from holdfast.core.records import Definition, History
from holdfast.core.reopening import ReopeningPlan
from holdfast.core.timetable import Plan
from holdfast.core.values import Payload
from holdfast.ports.flows import FlowReader
from holdfast.ports.programs import Pinned
from holdfast.ports.signals import SignalSender


class Startable(NamedTuple):
    """A workflow or a task that this process has, ready to be started."""

    definition: Definition
    pinned: Pinned
    pack: Callable[[tuple[Any, ...], dict[str, Any]], Payload]
    """Raises WrongType, CannotStore, PayloadTooLarge."""
    unpack_result: Callable[[Payload], Any]
    tick_inputs: Mapping[str, str] = {}
    """Inputs that a schedule fills in by itself, each with its value."""
    calls: Sequence[str] = ()
    """The names of workflows that it may call and that are not defined here."""


class WorkflowText(NamedTuple):
    """The text of a DAG or a flow that can be published."""

    name: str
    kind: str
    hash: str
    """Equal for texts that mean the same. The schedule counts; descriptions and the way of writing do not."""
    description: str
    input_schema: str | None
    plan: Plan | None
    """The schedule that the text contains."""
    schedule_input: Mapping[str, Any]
    own_name: str
    """The name that the text has. Empty: none."""


class WorkflowReader(Protocol):
    """Reads and compares the texts of workflows. Its methods may take long, and are called in threads."""

    def read(self, text: str, *, kind: str | None, name: str | None, file: str | None) -> WorkflowText:
        """Checks it, too. `kind` is `dag` or `flow`; None: the text tells it. `name` replaces that of the
        text, and `file` is where problems are. Raises BadDag, BadFlow."""
        ...

    def compare(self, before: Definition, after: Definition) -> list[Any]:
        """Each change with `path`, `kind`, `before` and `after`. Empty for code. Raises BadDocument."""
        ...

    def input_schema(self, definition: Definition) -> str | None:
        """As in `Definition`, also if an older release has stored a DAG or a flow. Raises BadDocument."""
        ...

    def graph(self, definition: Definition) -> tuple[Graph, GraphLayout] | None:
        """What drawings show, and where its parts are. None for code. Raises BadDocument."""
        ...

    def lay_out(self, graph: Graph) -> GraphLayout:
        """Where the parts of a graph are drawn."""
        ...


P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class HasRun(Protocol[P, R_co]):
    """An object of a class that is a workflow."""

    def run(self, *args: P.args, **kwargs: P.kwargs) -> Awaitable[R_co]: ...


class Workflows(Protocol):
    @property
    def flow_reader(self) -> FlowReader: ...

    @property
    def reader(self) -> WorkflowReader: ...

    def startable(self, workflow: Any, version: str | int | None) -> Startable:
        """`workflow` is the workflow or task itself, or the name of a workflow. Raises UnknownWorkflow, and
        UnknownTask for a task of another catalog."""
        ...

    def startable_task(self, name: str) -> Startable | None:
        """The task of that name. None if there is none."""
        ...

    def learn_published(self, definition: Definition) -> None:
        """See `Programs.learn_published`."""
        ...

    def startable_as(self, definition: Definition) -> Startable:
        """A published workflow. Raises BadDocument if its definition cannot be read here."""
        ...

    def startable_elsewhere(self, definition: Definition) -> Startable | None:
        """A workflow that another process has registered and this one does not have. None if its definition
        cannot be read here."""
        ...

    def stored(self) -> Sequence[Definition]:
        """Every version that is defined here, to be stored."""
        ...

    def plan_reopening(self, definition: Definition | None, history: History) -> ReopeningPlan:
        """How to reopen an ended run of that workflow. `definition` is None if the store lacks its version.

        Raises JournalCorrupt.
        """
        ...

    def replay_state(
        self, definition: Definition, history: History, step: int, now: Mapping[str, Payload]
    ) -> dict[str, Payload] | None:
        """The shared state of a run of a flow after that step of its journal, by replay. None if the replay
        cannot be had, does not do what the journal has, or does not end with the state `now`."""
        ...

    def send_with(self, sender: SignalSender) -> None:
        """What the code of runs sends signals with, if this process has a node."""
        ...

    def do_own_with(self, name: str, worker: Any) -> None:
        """What runs of one of holdfast's own workflows do their work with, if this process has a node."""
        ...

    def startable_own(self, name: str) -> Startable:
        """One of holdfast's own workflows."""
        ...

    def encode(self, value: Any, what: str) -> Payload: ...

    def decode(self, payload: Payload, type: Any, what: str) -> Any: ...
