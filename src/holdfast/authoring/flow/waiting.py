"""Nodes that wait for an event, an approval or another workflow.

A wait is a task row and, if it has a timeout, a timer. Both are in the journal, so the run can leave memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, cast

from holdfast.authoring.documents.references import Path, find
from holdfast.authoring.documents.unfit_answers import warn_of_answer
from holdfast.authoring.flow.command_buffer import CommandBuffer
from holdfast.authoring.flow.model import ApprovalNode, CallNode
from holdfast.authoring.flow.paths import BadPath, parse_path
from holdfast.authoring.flow.questions import question_details
from holdfast.authoring.flow.visits import Result, Visit, VisitContext, VisitDone, VisitFailed
from holdfast.core.commands import NO_INPUT, CloseQuestion, ResumeChild, StartChild
from holdfast.core.events import PromiseAnswered, Reopened
from holdfast.core.ids import LONGEST_PARENT
from holdfast.core.names import written_span
from holdfast.core.questions import read_details, unfit
from holdfast.core.values import Cancelled, Failed, Failure, Outcome, Succeeded, later
from holdfast.core.waiting import WaitKind, WaitReason, wait_for_children
from holdfast.errors import Refused, WrongType, show

APPROVED: Final = "approved"
REJECTED: Final = "rejected"
_YES = frozenset({"true", "yes", "y", "ok", "approve", "approved", "accept", "accepted"})
_NO = frozenset({"false", "no", "n", "reject", "rejected", "deny", "denied", "decline", "declined"})


class Awaiting(Visit):
    """Waits until its key is written. A value that an earlier visit of the node took does not count."""

    def __init__(
        self,
        buffer: CommandBuffer,
        context: VisitContext,
        end: Callable[[Result], None],
        since: int,
        on_value: Callable[[], int],
        write: Callable[[str, Any], None],
    ) -> None:
        super().__init__(buffer, context, end)
        self._is_approval = isinstance(context.node.does, ApprovalNode)
        self._since = since
        self._on_value = on_value
        self._write = write
        self._question: int | None = None
        """The number of the question that an approval has asked, while it is open."""
        self._timer: int | None = None
        self._path = Path("shared")
        self._details = NO_INPUT
        self._is_for_some = False
        """Whether only some people may answer. Then nothing else that is written to the key counts."""

    def go(self) -> None:
        if self._buffer.next_task in self._buffer.refused:
            # The visit may have failed because of its answer. Then the answer was taken all the same.
            with suppress(Refused):
                self._path = self._wanted()
                self._span("timeout_ms")
                self._take()
        super().go()

    def begin(self) -> None:
        self._path, self._question = self._wanted(), None
        limit = self._span("timeout_ms")
        asks = self._is_approval and self._buffer.has_questions
        details = None
        if asks and self._names_people:
            details = question_details(self._buffer, self._context)
            self._is_for_some = read_details(details).by is not None
        if self._is_for_some:
            self._drop_value()
        elif self._look():
            return
        if self._path.root != "shared":
            reason = "it has no value, and none can come: params and input do not change while a run waits"
            raise WrongType(f"{self._path} in node {self._context.path!r}", reason)
        if asks and details is None:
            details = question_details(self._buffer, self._context)
        # A signal writes a whole key. A signal for a part of a key would replace the rest.
        shown: dict[str, Any] = {"signal": self._key} if self._key is not None else {}
        if asks:
            shown["question"] = self._buffer.next_question
        self._open(input=self._context.input, **shown)
        if limit:
            words = written_span(limit)
            self._timer = self._buffer.start_timer(
                later(self._buffer.at, limit), lambda: self._give_up(words)
            )
        if details is not None:
            self._question = self._buffer.ask(self._context.path, details)
            self._details = details
            ahead = self._buffer.ahead.pop(self._context.path, None)
            if ahead is not None:
                self.answered(ahead)

    @property
    def _key(self) -> str | None:
        """The key of the state that an answer is written to."""
        return str(self._path.steps[0]) if len(self._path.steps) == 1 else None

    @property
    def _names_people(self) -> bool:
        does = self._context.node.does
        return isinstance(does, ApprovalNode) and does.question.get("by") is not None

    def answered(self, answer: PromiseAnswered) -> bool:
        question = self._question
        if question is None:
            return False
        if answer.question is None:
            if answer.name != self._context.path:
                return False
            why = unfit(self._details, answer)
            if why is not None:
                self._warn(why)
                return True
            self._buffer.emit(CloseQuestion(question, answer.message))
        elif answer.question != question:
            return False
        self._question = None
        self._stop_timer()
        if not isinstance(answer.outcome, Succeeded):
            self._record(answer.outcome)
            return True
        value = self._buffer.decode(answer.outcome.payload)
        if self._key is not None:
            self._write(self._key, value)
            self._take()
        self._decide(value)
        return True

    def _warn(self, why: str) -> None:
        if self._buffer.recorded is None:  # else it was said when the answer came
            warn_of_answer(self._buffer.run_name, self._context.path, why)

    def close(self) -> None:
        self._close_question()
        super().close()

    def _close_question(self) -> None:
        """It was answered by a signal, or nobody waits any more."""
        if self._question is not None:
            self._buffer.emit(CloseQuestion(self._question))
            self._question = None

    def _wanted(self) -> Path:
        """Raises WrongType."""
        name = "approval_key" if self._is_approval else "signal_key"
        text = self._param(name)
        try:
            path = Path("shared", (self._context.node.key,)) if text is None else parse_path(_text(text))
        except BadPath as error:
            what = f"params.{name} of node {self._context.path!r}"
            raise WrongType(what, f"got {show(text)}, but {error}") from None
        if path.root == "shared" and not path.steps:
            raise WrongType(f"params.{name} of node {self._context.path!r}", "it must name a key of $shared")
        return path

    def shared_changed(self) -> None:
        if self._row is None:
            return
        if not self._is_for_some:
            self._look()
        else:
            self._drop_value()

    def _drop_value(self) -> None:
        if self._take() is not None:
            who = "only some people may answer, and a signal does not say who"
            self._warn(f"{who}; use hf.approve(..., by=...)")

    def _look(self) -> bool:
        found = self._take()
        if found is None:
            return False
        self._stop_timer()
        self._close_question()
        if self._row is None:  # else the row has the input
            self._shown = self._show(input=self._context.input)
        self._decide(found)
        return True

    def _take(self) -> Any:
        """Take the value. Neither the next visit nor a retry of this one gets it again."""
        found = self._find()
        if found is not None:
            self._since = self._on_value()
        return found

    def _find(self) -> Any:
        if self._path.root != "shared":
            value = self._context.values.at(self._path)
            return None if self._is_nothing(value) else value
        for shared in self._context.around:
            value = find(shared.values, self._path.steps)
            if not self._is_nothing(value) and shared.written_since(str(self._path.steps[0]), self._since):
                return value
        return None

    def _is_nothing(self, value: Any) -> bool:
        return value is None or value == "" or (value is False and not self._is_approval)

    def _decide(self, value: Any) -> None:
        if not self._is_approval:
            self._finish(VisitDone(value), value)
            return
        post = self._context.node.post
        action = decision_in(value, post.action_key) or post.action_static
        if action is not None:
            self._finish(VisitDone(value, action), value)
            return
        message = f"it was answered with {show(value)}, which is neither yes nor no"
        self._record(Failed(Failure(type="holdfast.errors:WrongType", message=message)))

    def _give_up(self, limit: str) -> None:
        self._timer = None
        self._close_question()
        failure = Failure(type="holdfast.errors:TaskTimedOut", message=f"nothing came within {limit}")
        self._record(
            Failed(failure), broken=VisitFailed(failure, action=self._context.node.post.action_static)
        )

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._buffer.stop_timer(self._timer)
            self._timer = None

    def waits(self) -> list[WaitReason]:
        if self._row is None:
            return []
        kind = WaitKind.APPROVAL if self._is_approval else WaitKind.SIGNAL
        return [WaitReason(kind, str(self._path.steps[0]))]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadPath("a path is text")
    return value


def decision_in(value: Any, key: tuple[str | int, ...] | None) -> str | None:
    """The action of an answer; None if it is neither yes nor no nor another action."""
    if isinstance(value, dict) and key is not None:
        value = find(value, key)
    if isinstance(value, bool):
        return APPROVED if value else REJECTED
    if not isinstance(value, str) or not value:
        return None
    word = value.strip().lower()
    return APPROVED if word in _YES else REJECTED if word in _NO else value


class Calling(Visit):
    """Another workflow, as a child."""

    _child: int | None = None
    _child_id = ""

    def begin(self) -> None:
        does, input = self._context.node.does, self._context.input
        assert isinstance(does, CallNode)
        if input is not None and not isinstance(input, dict):
            what = f"the input of node {self._context.path!r}"
            raise WrongType(what, f"a workflow takes its inputs by name, from a map; got {show(input)}")
        packed = self._buffer.pack_child(does.workflow, cast("dict[str, Any]", input or {}))
        self._open(input=input, workflow=does.workflow)
        self._child = self._buffer.take_child()
        number = self._buffer.count_visit(self._context.path)
        path = self._context.path
        if len(path) > LONGEST_PARENT:  # an id that long would not fit an index of the database
            path = hashlib.sha256(path.encode()).hexdigest()[:32]
        self._child_id = f"{self._buffer.run_name}/{path}" + (f"#{number}" if number > 1 else "")
        self._buffer.emit(StartChild(self._child, does.workflow, None, self._child_id, packed))

    def go_again(self, event: Reopened) -> None:
        if self._child is None or self._child not in event.children_again:
            self._row = self._child = None
            self.go()
            return
        shown = self._buffer.encode_surely({"input": self._context.input})
        self._row = self._buffer.open(self._context.path, shown)
        self._buffer.emit(ResumeChild(self._child))

    def child_ended(self, seq: int, outcome: Outcome) -> None:
        if seq != self._child or self._row is None:
            return
        match outcome:
            case Succeeded():
                self._record(outcome, VisitDone(self._buffer.decode(outcome.payload)))
            case Cancelled():
                why = f": {outcome.reason}" if outcome.reason else ""
                message = f"run {self._child_id!r} was cancelled{why}"
                self._record(Failed(Failure(type="holdfast.errors:RunCancelled", message=message)))
            case Failed():
                self._record(outcome)

    def undone(self) -> tuple[list[int], list[int]]:
        return [], [] if self._child is None else [self._child]

    def waits(self) -> list[WaitReason]:
        return [] if self._row is None else wait_for_children([self._child_id])
