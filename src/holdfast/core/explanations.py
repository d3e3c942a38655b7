"""The answer to "why does this run not go on?": reasons, as values that people and programs read."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

import msgspec

from holdfast.core.values import RunStatus


class ReasonKind(StrEnum):
    NODE = "node"
    """The node that the run is on, or one that it waits for."""
    START = "start"
    """The time at which the run is to be started."""
    PARKED = "parked"
    PAUSED = "paused"
    TURN = "turn"
    """Its parent holds it back after a retry."""
    CANCEL = "cancel"
    """The run was asked to end, and is cleaning up."""
    MESSAGE = "message"
    """Something has come that no node has read yet."""
    TASK = "task"
    RETRY = "retry"
    SLOT = "slot"
    SERVICE = "service"
    TIMER = "timer"
    SIGNAL = "signal"
    PROMISE = "promise"
    APPROVAL = "approval"
    UPDATE = "update"
    """A handler of the run waits for it, or is answering it."""
    CHILD = "child"
    DEADLINE = "deadline"
    END = "end"
    """The run is over."""


class Reason(msgspec.Struct, frozen=True):
    kind: ReasonKind
    name: str
    """Of the task, signal, child, node, …; empty if it has none."""
    what: str
    """In words."""
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    """When it ends by itself."""
    problem: str = ""
    """What is wrong; empty if nothing is."""
    advice: str = ""
    """What would move the run."""


class ExplanationPart(msgspec.Struct, frozen=True):
    """A piece of a sentence. The texts of its parts one after the other are the sentence."""

    text: str
    kind: str = ""
    """What it names, as in `ref`, or `strong`, or empty: task, run, workflow, node, queue, service, signal,
    promise, schedule."""
    ref: str = ""
    """The id of what it names; empty if it names nothing."""


class RunFacts(msgspec.Struct, frozen=True):
    """Numbers of a run. None: not known."""

    began_at: dt.datetime | None
    ended_at: dt.datetime | None
    took: float | None
    """In seconds, from the beginning to the end."""
    waited_for_person: float
    """In seconds: how long its questions were open, all added up."""
    tasks: int
    tasks_done: int
    """With success."""
    tasks_running: int
    """Also those that a node or worker has, and has not begun."""
    tasks_failed: int
    node: str | None
    """The node that has it in memory."""
    parent: str | None
    """The id of the run that started it."""
    children: int
    chapters: int
    steps: int
    """How long its journal is, in all chapters."""
    is_counted_exactly: bool
    """False: it has more tasks, children or questions than were counted."""
    tasks_skipped: int = 0


class Explanation(msgspec.Struct, frozen=True):
    """Why a run does not go on."""

    run: str
    workflow: str
    version: str
    status: RunStatus
    reasons: tuple[Reason, ...]
    """One at least. Those with a problem come first."""
    notes: tuple[str, ...] = ()
    """What was not looked at, because there is too much of it."""
    parts: tuple[ExplanationPart, ...] = ()
    """The same in one or a few sentences, with what they name."""
    facts: RunFacts | None = None

    @property
    def sentence(self) -> str:
        return "".join(part.text for part in self.parts)

    @property
    def problems(self) -> tuple[Reason, ...]:
        return tuple(reason for reason in self.reasons if reason.problem)

    @property
    def summary(self) -> str:
        """One line: the first problem, or else what it waits for."""
        for reason in self.problems:
            return f"{reason.what}: {reason.problem}"
        shown = [reason.what for reason in self.reasons[:2]]
        return "; ".join(shown) + (" …" if len(self.reasons) > len(shown) else "")
