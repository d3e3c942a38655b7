"""What operators do to runs, and the record of it: who, what and when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from holdfast.core.names import is_storable
from holdfast.core.records import MessageKind, PostedMessage
from holdfast.core.updates import read_answer
from holdfast.core.values import Instant, Payload, RunKey, key_text, moment
from holdfast.errors import BadOption, NotRunning, RunNotFound
from holdfast.ports.runs import Act, ActResult, RunStore

_LONGEST_SENDER = 200
_TASKS_AT_ONCE = 1000
_MOST_NAMED = 20
_LONGEST_TEXT = 2_000
_DONE_WORDS = {
    MessageKind.TERMINATE: "terminated",
    MessageKind.PAUSE: "paused",
    MessageKind.TRY_NOW: "tried now",
}


class Timers(StrEnum):
    """What becomes of the timers and backoffs of a paused run when it is resumed."""

    CATCH_UP = "catch_up"
    """Those that came due meanwhile fire at once."""
    WAIT = "wait"
    """They are due later by as long as the run was paused."""


def timers_wait(timers: Any) -> bool:
    """Raises BadOption."""
    if timers not in {each.value for each in Timers}:
        raise BadOption("timers", timers, "one of " + ", ".join(Timers))
    return timers == Timers.WAIT


class Operators:
    def __init__(self, store: RunStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self.now = now

    async def act(
        self, run: RunKey, kind: MessageKind, text: str, by: str, task: str | int | None = None
    ) -> None:
        """Raises NotRunning, RunNotFound."""
        [result] = await self.act_on([run], kind, text, by, task)
        if result is ActResult.NO_SUCH_RUN:
            raise RunNotFound(key_text(run), self._namespace)
        if result is ActResult.REFUSED:
            record = await self._store.find_run(self._namespace, run)
            if record is None:
                raise RunNotFound(key_text(run), self._namespace)
            raise NotRunning(record.id or key_text(run), record.status, _DONE_WORDS[kind])

    async def check_task(self, run: RunKey, task: str | int) -> None:
        """Raises BadOption if the run has no task of that name or number."""
        names: dict[str, None] = {}
        since = 0
        while page := await self._store.list_tasks(self._namespace, run, since, _TASKS_AT_ONCE):
            for each in page:
                if task in (each.name, each.seq, str(each.seq)):
                    return
                names[each.name] = None
            since = page[-1].seq + 1
        known = ", ".join(list(names)[:_MOST_NAMED]) or "none"
        raise BadOption("task", task, f"a task of the run, by its name or number; it has {known}")

    async def act_on(
        self, runs: Sequence[RunKey], kind: MessageKind, text: str, by: str, task: str | int | None = None
    ) -> list[ActResult]:
        """Raises BadOption."""
        if not isinstance(text, str) or len(text) > _LONGEST_TEXT or not is_storable(text):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BadOption("reason", text, f"text of up to {_LONGEST_TEXT:,} characters")
        named = "" if task is None else str(task)
        by = checked_sender(by)
        acts = [Act(run, kind, text, by, named) for run in runs]
        return await self._store.act_on_runs(self._namespace, acts, self.now())


def checked_sender(by: Any) -> str:
    """Raises BadOption."""
    if not isinstance(by, str) or len(by) > _LONGEST_SENDER or not is_storable(by):
        raise BadOption("by", by, f"text of up to {_LONGEST_SENDER} characters: who does it")
    return by


class MessageInfo(msgspec.Struct, frozen=True):
    """A message that a run got, or what an operator did to it."""

    id: int
    kind: str
    """`signal`, `update`, `resolved`, `rejected`, `cancel`, `child`, `task`, `terminate`, `pause`, `resume`,
    `retry`, `try_now`"""
    name: str
    value: Any
    is_read: bool
    """Whether the run has heard it, or it was done."""
    by: str
    """Who sent it, if they said so."""
    at: dt.datetime | None
    answer: Any = None
    """What the handler of an update has returned."""
    problem: str = ""
    """Why an update was refused, or how its handler failed."""
    comment: str = ""
    """What they said about an answer."""
    question: int | None = None
    """The number of the question that it answers."""


def message_info(message: PostedMessage, decode: Callable[[Payload], Any]) -> MessageInfo:
    answer = None if message.answer is None else read_answer(message.answer)
    return MessageInfo(
        message.id,
        message.kind.value,
        message.name,
        decode(message.payload),
        message.taken is not None,
        message.by or "",
        None if message.at is None else moment(message.at),
        None if answer is None else decode(answer.payload),
        "" if answer is None or answer.failure is None else answer.failure.summary,
        message.comment or "",
        message.question,
    )
