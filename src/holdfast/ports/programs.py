"""The definitions of this process, as the engine uses them: it gets a program for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from holdfast.core.history import Past
from holdfast.core.pieces import Pieces
from holdfast.core.program import Program
from holdfast.core.records import ChapterStart, Definition, RunRecord
from holdfast.core.values import Payload
from holdfast.errors import DeterminismError
from holdfast.ports.executor import TaskBody


class Pinned(NamedTuple):
    """The version and the claim of a workflow, as they are stored in a run."""

    version: str
    claim: str


@runtime_checkable
class StepOwner(Protocol):
    """A program that may ask for tasks with `is_step`. Programs of DAGs and flows do not."""

    def step_body(self, seq: int) -> TaskBody | None:
        """The function of task number `seq`, while the task is open. Replay asks for the task again, so a
        program that was replayed has the functions of all open steps."""
        ...


@runtime_checkable
class HasChapters(Protocol):
    """A program that may ask for `ContinueRun`. Programs of DAGs and flows do not."""

    def begin_chapter(self, chapter: ChapterStart) -> None:
        """Begin where the chapter begins. Called before the first step."""
        ...


class Programs(Protocol):
    def claims(self) -> Sequence[str]:
        """The claims that this process can serve: `name@version` for every explicit version, `name` for every
        workflow whose version is derived from its source, and `name@task` for every task, which may be
        started by itself."""
        ...

    def pin(self, workflow: str, version: str | None) -> Pinned:
        """Raises UnknownWorkflow."""
        ...

    def lacks(self, run: RunRecord) -> bool:
        """Whether the run's definition must first be read from the store and passed to `learn`."""
        ...

    def learn(self, definition: Definition) -> None:
        """Add a version that another node registered, or an earlier edition of a file that this node has."""
        ...

    def stored(self) -> Sequence[Definition]:
        """Every version that is defined here, to be stored."""
        ...

    def calls_of(self, run: RunRecord) -> Sequence[str]:
        """The names of workflows that the run may call and that are not defined here. They may be published.
        Then their definitions are read from the store and passed to `learn_published`."""
        ...

    def learn_published(self, definition: Definition) -> None:
        """Add the newest published version of a workflow. A call of its name starts this version."""
        ...

    def program(self, run: RunRecord) -> Program:
        """The program of a run that has not begun. Raises UnknownWorkflow."""
        ...

    def replay(self, run: RunRecord, past: Past, pause_after: int) -> Pieces[Program]:
        """The program of a run, replayed to the end of its journal. It may pause after so many steps.

        Raises UnknownWorkflow, DeterminismError, ForbiddenInWorkflow if the run cannot go on here.
        """
        ...

    def explain(
        self, run: RunRecord, error: DeterminismError, then: Definition | None, recorded: Payload | None
    ) -> None:
        """Add the whole difference to the error. `then` is the version with which the run began, if the store
        has it; `recorded` is the input of the task `error.task`."""
        ...
