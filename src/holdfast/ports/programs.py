"""What the engine and the client need to know of the definitions that this process has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from holdfast.core.history import Past
from holdfast.core.program import Program
from holdfast.core.records import Definition, History, RunRecord
from holdfast.core.reopening import ReopeningPlan
from holdfast.core.values import Payload


class Pinned(NamedTuple):
    """A workflow that this process has, as it is written into a run."""

    version: str
    claim: str


class Programs(Protocol):
    def claims(self) -> Sequence[str]:
        """The claims this process can serve: `name@version` for every explicit version it has, and
        `name` for every workflow whose version is derived from its source."""
        ...

    def pin(self, workflow: str, version: str | None) -> Pinned:
        """Raises UnknownWorkflow."""
        ...

    def lacks(self, run: RunRecord) -> bool:
        """Its definition is data that must be read from the store and given to `learn` first."""
        ...

    def learn(self, definition: Definition) -> None:
        """Have a version that another node registered, or an earlier edition of a file that this one has."""
        ...

    def stored(self) -> Sequence[Definition]:
        """Every version that is defined here, as the store is to know it."""
        ...

    def calls_of(self, run: RunRecord) -> Sequence[str]:
        """The names of workflows that it may call and that are not defined here: they may be published flows,
        to be read from the store and given to `learn_published`."""
        ...

    def learn_published(self, definition: Definition) -> None:
        """Have the newest version of a flow that another workflow calls."""
        ...

    def program(self, run: RunRecord, past: Past) -> Program:
        """The program of a run, brought to where its journal ends.

        Raises UnknownWorkflow, DeterminismError, ForbiddenInWorkflow: the run cannot go on here.
        """
        ...


class Startable(NamedTuple):
    """A workflow that this process has, ready to be started."""

    definition: Definition
    pinned: Pinned
    pack: Callable[[tuple[Any, ...], dict[str, Any]], Payload]
    """Raises WrongType, CannotStore, PayloadTooLarge."""
    unpack_result: Callable[[Payload], Any]
    tick_inputs: Mapping[str, str] = {}
    """Inputs that a schedule fills in by itself, and with what."""
    calls: Sequence[str] = ()
    """Workflows that it may call and that are not defined here."""


R_co = TypeVar("R_co", covariant=True)


class Typed(Protocol[R_co]):
    """A workflow whose result is known to the type checker."""

    def unpack_result(self, payload: Payload) -> R_co: ...


class FlowReader(Protocol):
    """What reads the definitions of flows."""

    def check(self, source: str, *, is_json: bool | None) -> str:
        """A hash of what the definition means. `is_json` None: the text itself tells. Raises BadFlow."""
        ...

    def compare(self, before: str, after: str) -> list[Any]:
        """Each change with `path`, `kind`, `before` and `after`. Raises BadFlow."""
        ...


class Workflows(Protocol):
    @property
    def flow_reader(self) -> FlowReader: ...

    def startable(self, workflow: Any, version: str | int | None) -> Startable:
        """By the workflow itself or its name. Raises UnknownWorkflow."""
        ...

    def learn_published(self, definition: Definition) -> None:
        """See `Programs`."""
        ...

    def startable_as(self, definition: Definition) -> Startable:
        """A flow that was published, as the store has it. Raises BadFlow, if it cannot be read here."""
        ...

    def stored(self) -> Sequence[Definition]:
        """Every version that is here, as the store is to know it."""
        ...

    def plan_reopening(self, definition: Definition | None, history: History) -> ReopeningPlan:
        """How to open an ended run of that workflow again. None: the store does not know its version.

        Raises JournalCorrupt.
        """
        ...

    def encode(self, value: Any, what: str) -> Payload: ...

    def decode(self, payload: Payload, type: Any, what: str) -> Any: ...
