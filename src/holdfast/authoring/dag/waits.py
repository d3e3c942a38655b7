"""The waits of a DAG that no executor knows of: for an approval, a signal, a timer, another workflow.

Each wait has a task row, which shows what the run waits for. The row is opened when the wait begins, and
recorded when it ends.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from holdfast.authoring.dag.model import CallTask
from holdfast.authoring.dag.progress import TaskProgress
from holdfast.core.commands import (
    NO_INPUT,
    AskQuestion,
    CancelChild,
    CancelTimer,
    CloseQuestion,
    Command,
    OpenTask,
    StartTimer,
)
from holdfast.core.events import PromiseAnswered
from holdfast.core.names import written_span
from holdfast.core.questions import unfit
from holdfast.core.values import Cancelled, Failed, Failure, Instant, Outcome, Payload, Succeeded, later
from holdfast.core.waiting import WaitKind, WaitReason, wait_for_children

_NOTHING = {"", "false", "null", "0", "{}", "[]"}
_WORDS = {"no", "n", "reject", "rejected", "deny", "denied", "refuse", "refused", "decline", "declined"}
_NO = frozenset(_NOTHING | _WORDS)


class Wait(NamedTuple):
    node: TaskProgress
    item: int
    """Its index."""
    seq: int
    """The number of the task whose row shows the wait."""


class _Question(NamedTuple):
    name: str
    wait: Wait
    number: int | None
    """None if an older version asked, which knew promises by name only."""
    details: Payload


Ended = Callable[[Wait, Outcome, "int | None"], None]
"""Called when a wait is over. The last argument is the number of the child, if the wait was for one."""


class Waits:
    def __init__(
        self, emit: Callable[[Command], None], ended: Ended, dropped: Callable[[str, str], None]
    ) -> None:
        """`dropped` is told the name of a question and why an answer was not taken that came ahead of it."""
        self._emit = emit
        self._dropped = dropped
        self._ended = ended
        self.next_timer = 0
        self._timers: dict[int, Callable[[], None]] = {}
        self._limits: dict[int, int] = {}
        """The timers of timeouts, by the number of the task."""
        self.children: dict[int, Wait] = {}
        self._child_of: dict[int, int] = {}
        """The numbers of children, by the number of the task."""
        self._sleeps: dict[int, Wait] = {}
        self.next_question = 0
        self._questions: dict[str, _Question] = {}
        """What the run asks for, by name."""
        self._ahead: dict[str, PromiseAnswered] = {}
        """Answers that came before the run asked."""
        self._signals: dict[str, deque[Payload]] = {}
        self._listeners: dict[str, deque[Wait]] = {}

    def __iter__(self) -> Iterator[Wait]:
        yield from self.children.values()
        yield from self._sleeps.values()
        yield from (question.wait for question in self._questions.values())
        for waiting in self._listeners.values():
            yield from waiting

    def reasons(self, child_ids: Mapping[int, str]) -> list[WaitReason]:
        reasons = wait_for_children(child_ids[child] for child in self.children)
        reasons += [WaitReason(WaitKind.APPROVAL, name) for name in self._questions]
        reasons += [WaitReason(WaitKind.SIGNAL, name) for name, waits in self._listeners.items() if waits]
        return reasons

    # --- beginning

    def open(self, node: TaskProgress, index: int, seq: int, input: Payload, at: Instant) -> Wait:
        """Open the row of a wait, and start a timer if its task has a timeout."""
        self._emit(OpenTask(seq, node.task.name, input))
        wait = Wait(node, index, seq)
        self.limit(wait, at)
        return wait

    def limit(self, wait: Wait, at: Instant) -> None:
        allowed = wait.node.task.options.timeout
        if allowed is not None:
            self._limits[wait.seq] = self.start_timer(
                later(at, allowed), lambda: self._give_up(wait, allowed)
            )

    def start_timer(self, due: Instant, action: Callable[[], None]) -> int:
        seq = self.next_timer
        self.next_timer += 1
        self._timers[seq] = action
        self._emit(StartTimer(seq, due))
        return seq

    def await_child(self, child: int, wait: Wait) -> None:
        self.children[child] = wait
        self._child_of[wait.seq] = child

    def sleep(self, wait: Wait, due: Instant) -> None:
        self._sleeps[wait.seq] = wait
        self.start_timer(due, lambda: self._wake(wait))

    def ask(self, name: str, wait: Wait, details: Payload) -> None:
        self._emit(AskQuestion(self.next_question, name, details))
        self._ask(_Question(name, wait, self.next_question, details))
        self.next_question += 1

    def ask_by_name(self, name: str, wait: Wait) -> None:
        """On replay: as older versions asked. Their steps have no questions."""
        self._ask(_Question(name, wait, None, NO_INPUT))

    def _ask(self, question: _Question) -> None:
        self._questions[question.name] = question
        ahead = self._ahead.pop(question.name, None)
        if ahead is not None and self._fits(question, ahead):
            self._give_answer(question, ahead)

    def listen(self, signal: str, wait: Wait) -> None:
        self._listeners.setdefault(signal, deque()).append(wait)
        self._give_signals(signal)

    # --- ending

    def fire(self, timer: int) -> None:
        action = self._timers.pop(timer, None)
        if action is not None:
            action()

    def settle(self, answer: PromiseAnswered) -> None:
        """An answer with a number is for that question. One without is for the name."""
        if answer.question is not None:
            asked = (it for it in self._questions.values() if it.number == answer.question)
            question = next(asked, None)
        else:
            question = self._questions.get(answer.name)
            if question is None:
                self._ahead.setdefault(answer.name, answer)
            elif not self._fits(question, answer):
                return
        if question is not None:
            self._give_answer(question, answer)

    def _fits(self, question: _Question, answer: PromiseAnswered) -> bool:
        why = unfit(question.details, answer)
        if why is not None:
            self._dropped(question.name, why)
        return why is None

    def close_questions(self) -> None:
        """Nobody waits for the answers any more."""
        for question in self._questions.values():
            if question.number is not None:
                self._emit(CloseQuestion(question.number))

    def receive(self, signal: str, payload: Payload) -> None:
        self._signals.setdefault(signal, deque()).append(payload)
        self._give_signals(signal)

    def end_child(self, child: int, outcome: Outcome) -> None:
        wait = self.children.pop(child, None)
        if wait is not None:
            if isinstance(outcome, Cancelled):
                why = f": {outcome.reason}" if outcome.reason else ""
                outcome = _failed(wait, "RunCancelled", f"its run was cancelled{why}")
            self._end(wait, outcome, child)

    def _give_answer(self, question: _Question, answer: PromiseAnswered) -> None:
        del self._questions[question.name]
        if question.number is not None and answer.question is None:
            self._emit(CloseQuestion(question.number, answer.message))
        self._end(question.wait, _decided(question.wait, answer.outcome))

    def _give_signals(self, name: str) -> None:
        waiting, signals = self._listeners.get(name), self._signals.get(name)
        while waiting and signals:
            self._end(waiting.popleft(), Succeeded(signals.popleft()))

    def _wake(self, wait: Wait) -> None:
        del self._sleeps[wait.seq]
        self._end(wait, Succeeded(Payload(b"null")))

    def _give_up(self, wait: Wait, allowed: dt.timedelta) -> None:
        child = self._forget(wait)
        if child is not None:
            self._emit(CancelChild(child))
        self._end(
            wait, _failed(wait, "TaskTimedOut", f"it waited longer than {written_span(allowed)}"), child
        )

    def _forget(self, wait: Wait) -> int | None:
        """Stop waiting. Returns the number of the child, if the wait was for one."""
        if not isinstance(wait.node.task.work, CallTask):
            for question in [each for each in self._questions.values() if each.wait is wait]:
                del self._questions[question.name]
                if question.number is not None:
                    self._emit(CloseQuestion(question.number))
            for waiting in self._listeners.values():
                if wait in waiting:
                    waiting.remove(wait)
        child = self._child_of.pop(wait.seq, None)
        if child is not None:
            self.children.pop(child, None)
        return child

    def _end(self, wait: Wait, outcome: Outcome, child: int | None = None) -> None:
        timer = self._limits.pop(wait.seq, None)
        if timer is not None and self._timers.pop(timer, None) is not None:
            self._emit(CancelTimer(timer))
        self._ended(wait, outcome, child)

    def break_off(self) -> list[Wait]:
        """Forget all waits: the run was opened again. Returns those that were not for children."""
        waits = [wait for wait in self if not isinstance(wait.node.task.work, CallTask)]
        self._timers.clear()
        self._limits.clear()
        self.children.clear()
        self._sleeps.clear()
        self._questions.clear()
        self._listeners.clear()
        return waits

    def dispose(self) -> None:
        self._timers.clear()
        self._emit = self._ended = self._dropped = _nothing


def _nothing(*_: object) -> None: ...


def _failed(wait: Wait, error: str, reason: str) -> Failed:
    message = f"task {wait.node.task.name!r}: {reason}"
    return Failed(Failure(type=f"holdfast.errors:{error}", message=message))


def _decided(wait: Wait, answer: Outcome) -> Outcome:
    """An answer approves, unless it means no. It becomes the output of the task."""
    if not isinstance(answer, Succeeded):
        return answer
    text = answer.payload.decode().strip('"').lower()
    if text not in _NO:
        return answer
    return _failed(wait, "Rejected", f"it was not approved, but answered with {text}")
