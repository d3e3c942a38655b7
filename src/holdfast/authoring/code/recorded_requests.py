"""What a run asked for, according to its journal. Replay holds every request of the code against it.

There is one order over all kinds of requests. The code has to ask for exactly what is recorded, step by step:
nothing else, nothing less and nothing more. Journals of 0.4.0 and before have no digests of inputs and no
waits for messages. They are compared as far as they go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from holdfast.core import journal
from holdfast.core.history import Past, Step
from holdfast.core.values import Instant, Outcome
from holdfast.core.waiting import WaitKind

AnyRequest: TypeAlias = journal.Requested | journal.MessageAsked


class RecordedRequests:
    """A cursor over the requests of the steps that are replayed."""

    __slots__ = ("_asked", "_index", "_is_exact", "_is_reopened", "_local", "_loose_timers", "step")

    def __init__(self, past: Past) -> None:
        self._local = past.local
        self._asked: Sequence[AnyRequest] = ()
        self._index = 0
        self._is_exact = self._is_reopened = False
        self._loose_timers: dict[int, Instant] = {}
        self.step = 0
        """The number of the step that is replayed."""

    # --- steps

    def begin_step(self, number: int, step: Step) -> None:
        self.step = number
        self._asked = step.asked
        self._index = 0
        self._is_exact = step.is_exact

    def note_reopening(self) -> None:
        self._is_reopened = True

    @property
    def position(self) -> int:
        """Of the next request in its step."""
        return self._find_next()

    @property
    def is_step_done(self) -> bool:
        """Whether the code has surely asked for all that the step has, and for nothing else. If False,
        `unmade` and `unrecorded_timer` know more."""
        return self._index == len(self._asked) and not self._loose_timers

    def unmade(self) -> AnyRequest | None:
        """At the end of a step: a request that is recorded, and that the code has not made."""
        return self._next()

    def unrecorded_timer(self) -> journal.TimerAsked | None:
        """At the end of a step: a timer that the code has started, and that is not recorded."""
        for seq, due in self._loose_timers.items():
            return journal.TimerAsked(seq, due)
        return None

    # --- requests

    def take(self, asked: AnyRequest) -> bool:
        """Whether the code asks for what is recorded next. If so, go on to the one after it."""
        if not self._is_exact and self._is_unknown(type(asked)):
            return True
        index = self._find_next()
        if index == len(self._asked):
            return False
        recorded = self._asked[index]
        if type(recorded) is not type(asked) or not _agree(recorded, asked):
            return False
        self._index = index + 1
        return True

    def take_task(self, seq: int, name: str, digest: int | None) -> bool:
        """Whether this very call of a task is recorded next. If so, go on to the one after it. Only if the
        digests are known: then it is surely the same call."""
        index = self._index if self._is_exact else self._find_next()
        if index == len(self._asked):
            return False
        recorded = self._asked[index]
        if (
            type(recorded) is journal.TaskAsked
            and recorded.digest is not None
            and recorded.digest == digest
            and recorded.seq == seq
            and recorded.name == name
        ):
            self._index = index + 1
            return True
        return False

    def has_effect_next(self) -> bool:
        return isinstance(self._next(), journal.TaskRecorded)

    def has_child_next(self) -> bool:
        return isinstance(self._next(), journal.ChildAsked)

    def has_promise_next(self) -> bool:
        """A promise that is no question. Steps of 0.4.0 and before do not tell when the code asked for it."""
        if not self._is_exact:
            return True
        recorded = self._next()
        return isinstance(recorded, journal.MessageAsked) and recorded.kind is WaitKind.PROMISE

    def take_timer(self, seq: int, due: Instant) -> bool:
        """A timer that is cancelled in the step in which it was started is not in the journal. So a timer
        that is not recorded is only noted here, until the end of the step."""
        recorded = self._next()
        if isinstance(recorded, journal.TimerAsked) and recorded.seq == seq:
            return self.take(journal.TimerAsked(seq, due))
        self._loose_timers[seq] = due
        return True

    def take_timer_cancel(self, seq: int) -> bool:
        if self._loose_timers.pop(seq, None) is not None:
            return True
        return self.take(journal.TimerCancelAsked(seq))

    def take_patch(self, change_id: str) -> bool:
        """Whether the run has marked this change here."""
        for index in range(self._index, len(self._asked)):
            recorded = self._asked[index]
            if type(recorded) is not journal.PatchMarked:
                return False
            if recorded.change_id == change_id:
                self._index = index + 1
                return True
        return False

    def local_outcome(self, seq: int) -> Outcome:
        return self._local[seq]

    def _next(self) -> AnyRequest | None:
        """The next request that the code has to make. None: the step has no more."""
        index = self._find_next()
        return self._asked[index] if index < len(self._asked) else None

    def _find_next(self) -> int:
        """The index of `_next`. What lies before it, the code need not ask for: children that the program
        resumed when the run was reopened, and marks of changes. A mark says that the run took the changed
        path. Code may take that path without asking, once no run needs the old one."""
        for index in range(self._index, len(self._asked)):
            kind = type(self._asked[index])
            if kind is journal.ChildResumed or kind is journal.PatchMarked:
                continue
            if self._is_exact or not self._is_unknown(kind):
                return index
        return len(self._asked)

    def _is_unknown(self, kind: type[AnyRequest]) -> bool:
        """Whether steps up to 0.4.0 do not say when the code asked for this. They have no messages. And a run
        that was once reopened wrote its whole state again whenever it was loaded."""
        return kind is journal.MessageAsked or (self._is_reopened and kind is journal.StateAsked)


def _agree(recorded: AnyRequest, asked: AnyRequest) -> bool:
    """Whether two requests of the same kind are the same. Options of tasks may change: the recorded ones
    count."""
    match recorded, asked:
        case journal.TaskAsked(), journal.TaskAsked():
            return (
                recorded.seq == asked.seq
                and recorded.name == asked.name
                and recorded.digest in (None, asked.digest)
            )
        case journal.ChildAsked(), journal.ChildAsked():
            return (
                recorded.seq == asked.seq
                and recorded.workflow == asked.workflow
                and recorded.detached == asked.detached
                and recorded.terminated == asked.terminated
                and recorded.id in (None, asked.id)
                and recorded.digest in (None, asked.digest)
            )
        case journal.StateAsked(), journal.StateAsked():
            return recorded.key == asked.key and recorded.digest in (None, asked.digest)
        case _:
            return recorded == asked
