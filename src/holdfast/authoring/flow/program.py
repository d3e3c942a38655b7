"""The program of a flow: a cursor that goes from node to node, over state that they share.

The cursor is at one node, in the innermost flow of a stack: a `subflow` node pushes its own flow. A visit
(see `visits`, `branches`, `waiting`) does the work of the node. When it has ended, the program writes the
result, finds the action and follows its edge. A run is pinned to one version of its flow, so the same events
lead to the same commands on replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from holdfast.authoring.documents.references import find
from holdfast.authoring.flow.branches import Branching
from holdfast.authoring.flow.command_buffer import CommandBuffer, PackChild
from holdfast.authoring.flow.model import (
    DEFAULT,
    ERROR,
    ApprovalNode,
    CallNode,
    ChoiceNode,
    EventNode,
    ExecutorNode,
    Flow,
    FlowNode,
    ForeachNode,
    ParallelNode,
    SubflowNode,
    TimerNode,
)
from holdfast.authoring.flow.paths import PathValues
from holdfast.authoring.flow.shared import RESERVED, Shared
from holdfast.authoring.flow.visits import (
    Choosing,
    Result,
    Sleeping,
    Visit,
    VisitContext,
    VisitDone,
    VisitFailed,
    Working,
)
from holdfast.authoring.flow.waiting import Awaiting, Calling
from holdfast.authoring.replaying import compare, shares_in
from holdfast.core.codec import Codec
from holdfast.core.commands import (
    NO_INPUT,
    CancelRun,
    Command,
    CompleteRun,
    EndRun,
    FailRun,
    MarkPatch,
    MarkUndone,
    SetState,
)
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    DeadlinePassed,
    Event,
    PromiseAnswered,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
    UpdateReceived,
)
from holdfast.core.failures import capture, deadline_failure
from holdfast.core.history import TRIED_AGAIN, Past, Step
from holdfast.core.ids import name_for_children
from holdfast.core.journal import EndAsked, PatchMarked, TaskOpened
from holdfast.core.log_lines import LimitedLog
from holdfast.core.pieces import Pieces
from holdfast.core.records import RunRecord
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.updates import UpdateRefusal, refusal
from holdfast.core.values import Cancelled, Failed, Failure, Instant, Outcome, Payload, RunStatus
from holdfast.core.waiting import WaitReason
from holdfast.errors import Refused, TooManySteps
from holdfast.ports.flows import CURSOR

_STOPPED: Final = "stopped after step "
"""Begins the mark in the journal that a flow was stopped for too many steps; their number follows."""
_PAUSED: Final = "paused after step "
"""Begins the mark that a step ended although the flow could go on. A timer that is due at once begins the
next step."""
_MOST_VISITS: Final = 500
"""In one step of the run. Nodes that wait for nothing, such as choices that go round, are visited in the same
step. Other runs of the node wait for it meanwhile."""
_MOST_BYTES: Final = 1_000_000
"""Of the rows of one step, before another node is visited."""


class _FlowFrame:
    """A flow that is active: the flow of the run, or that of a subflow node."""

    __slots__ = ("flow", "node", "params", "prefix", "row", "shared")

    def __init__(self, flow: Flow, params: dict[str, Any], prefix: str, row: int | None) -> None:
        self.flow = flow
        self.params = params
        """The params from outside, which win over those of its nodes."""
        self.prefix = prefix
        self.row = row
        """The number of the task whose row shows the subflow node; None for the flow of the run."""
        self.shared = Shared()
        self.node: FlowNode = flow.nodes[flow.start]


class FlowProgram:
    log: LimitedLog | None = None  # it has no code that could write
    published: UnwrittenItems | None = None
    refused: list[UpdateRefusal] | None = None

    def __init__(
        self, run: RunRecord, flow: Flow, codec: Codec, pack_child: PackChild, max_steps: int
    ) -> None:
        name = name_for_children(run)
        self._buffer = CommandBuffer(run.key, name, codec, pack_child)
        self._frames = [_FlowFrame(flow, _params(run.input), "", None)]
        self._visit: Visit | None = None
        self._result: Result | None = None
        """The result of a visit that has ended, until the flow has gone on."""
        self._satisfied: dict[str, int] = {}
        """When a waiting node got its last value, by path."""
        self._writes = 0
        self._steps = 0
        self._most_steps = self._limit = max_steps
        self._stops_at: int | None = None
        """On replay: how many steps it had taken when it was stopped."""
        self._pauses_at: int | None = None
        """On replay: how many steps it had taken when it paused, if it did so in this step of the journal."""
        self._visits = 0
        """In this step of the journal."""
        self._pause: int | None = None
        """The number of the timer that ends a pause."""
        self._fails_here = False
        """On replay: the run failed in this step. Whether its state was too large is not checked again."""
        self._action = ""
        self._ending: EndRun | None = None
        self._reopening: Reopened | None = None
        self._shown: dict[str, Any] | None = None
        self._is_begun = self._is_at_end = False

    # --- the protocol

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        self._buffer.at = at
        self._visits = self._buffer.bytes = 0
        if not self._is_begun:
            self._is_begun = True
            self._enter()
        if self._reopening is not None:
            self._reopen(self._reopening)
        self._go_on()
        for event in events:
            self._hear(event)
            self._go_on()
        if self._reopening is not None:
            return []
        self._show_state()
        if self._ending is not None:
            self._close(self._ending)
        commands, self._buffer.commands = self._buffer.commands, []
        return commands

    def _go_on(self) -> None:
        while self._ending is None and self._result is not None:
            result, self._result = self._result, None
            self._leave(result)

    def waits(self) -> list[WaitReason]:
        return [] if self._visit is None else self._visit.waits()

    def dispose(self) -> None:
        self._buffer.timers.clear()
        self._visit = None

    def replay(self, past: Past, pause_after: int) -> Pieces[None]:
        opened = {asked.seq for step in past.steps for asked in step.asked if isinstance(asked, TaskOpened)}
        refused = {
            seq: outcome
            for seq, outcome in past.local.items()
            if isinstance(outcome, Failed) and seq not in opened
        }
        self._buffer.recorded, self._buffer.refused = past.local, refused
        self._buffer.shared_then = shares_in(past)
        for number, step in enumerate(past.steps):
            self._stops_at = _marked_step(step, _STOPPED)
            self._pauses_at = _marked_step(step, _PAUSED)
            self._fails_here = EndAsked(RunStatus.FAILED) in step.asked
            self._buffer.has_questions = step.has_questions
            compare(number, self.advance(step.at, step.events), step.asked)
            if number % pause_after == pause_after - 1:
                yield
        self._buffer.recorded, self._buffer.refused, self._buffer.shared_then = None, {}, None
        self._fails_here = False
        self._buffer.has_questions = True

    # --- events

    def _hear(self, event: Event) -> None:
        visit = None if self._ending is not None else self._visit
        match event:
            case TaskEnded():
                if visit is not None:
                    visit.task_ended(event.seq, event.outcome)
                elif self._visit is not None:
                    self._visit.task_ended_late(event.seq, event.outcome)
            case ChildEnded():
                if visit is not None:
                    visit.child_ended(event.seq, event.outcome)
            case TimerFired():
                action = self._buffer.timers.pop(event.seq, None)
                if event.seq == self._pause and self._ending is None:
                    self._pause = None
                    self._enter()
                elif action is not None and visit is not None:
                    action()
            case SignalReceived():
                self._receive(event.name, event.payload)
            case UpdateReceived():
                self.refused = [*(self.refused or ()), refusal(event, "a run of a flow takes no updates")]
            case CancelRequested():
                self._ending = self._ending or CancelRun(event.reason)
            case DeadlinePassed():
                self._ending = self._ending or FailRun(deadline_failure(event.deadline))
            case Reopened():
                # The client that reopened the run wrote that step without requests. The node that claims the
                # run makes them in its first step.
                self._reopening = event
                self._ending = None
            case PromiseAnswered():
                is_taken = visit is not None and visit.answered(event)
                if not is_taken and event.question is None:
                    self._buffer.ahead.setdefault(event.name, event)

    def _write_answer(self, key: str, value: Any) -> None:
        """An answer writes to the state of the run, as a signal does."""
        if not key.startswith(RESERVED):
            self._write(self._frames[0].shared, key, value)

    def _receive(self, key: str, payload: Payload) -> None:
        """A signal writes to the state of the run."""
        if key.startswith(RESERVED):
            return
        self._write(self._frames[0].shared, key, self._buffer.decode(payload))
        if self._visit is not None and self._ending is None:
            self._visit.shared_changed()

    # --- from node to node

    def _enter(self) -> None:
        """Visit the node of the innermost flow."""
        if self._may_not_go_on() or self._has_paused():
            return
        self._steps += 1
        self._visits += 1
        frame = self._frames[-1]
        node = frame.node
        params = {**node.params, **frame.params}
        around = [each.shared for each in reversed(self._frames)]
        input = _input_of(node, PathValues(params, frame.shared.values))
        context = VisitContext(node, frame.prefix + node.key, params, around, input)
        if isinstance(node.does, SubflowNode):
            self._descend(context, node.does.flow)
        else:
            self._visit = self._visit_of(context)
            self._visit.go()

    def _may_not_go_on(self) -> bool:
        """The limit is a setting, so it is not checked on replay: the journal has where the flow was
        stopped."""
        is_live = self._buffer.recorded is None
        must_stop = self._steps >= self._limit if is_live else self._steps == self._stops_at
        if must_stop:
            self._visit = None
            self._buffer.emit(MarkPatch(f"{_STOPPED}{self._steps}"))
            self._ending = FailRun(capture(TooManySteps(self._steps)))
        return must_stop

    def _has_paused(self) -> bool:
        """Whether the next node is left to the next step, so that this one does not become too long. On
        replay the journal has where the flow paused: the limits may be others by now."""
        if self._buffer.recorded is None:
            must_pause = self._visits >= _MOST_VISITS or (
                self._visits > 0 and self._buffer.bytes >= _MOST_BYTES
            )
        else:
            must_pause = self._steps == self._pauses_at and self._visits > 0
        if must_pause:
            self._visit = None
            self._buffer.emit(MarkPatch(f"{_PAUSED}{self._steps}"))
            self._pause = self._buffer.start_timer(self._buffer.at, lambda: None)
        return must_pause

    def _visit_of(self, context: VisitContext) -> Visit:
        match context.node.does:
            case ExecutorNode():
                return Working(self._buffer, context, self._ended)
            case ChoiceNode():
                return Choosing(self._buffer, context, self._ended)
            case ParallelNode() | ForeachNode():
                return Branching(self._buffer, context, self._ended)
            case TimerNode():
                return Sleeping(self._buffer, context, self._ended)
            case CallNode():
                return Calling(self._buffer, context, self._ended)
            case EventNode() | ApprovalNode():
                since = self._satisfied.get(context.path, 0)
                return Awaiting(
                    self._buffer,
                    context,
                    self._ended,
                    since,
                    lambda: self._note_satisfied(context.path),
                    self._write_answer,
                )
            case SubflowNode():
                raise AssertionError("a subflow is not visited")

    def _note_satisfied(self, path: str) -> int:
        self._satisfied[path] = self._writes
        return self._writes

    def _descend(self, context: VisitContext, flow: Flow) -> None:
        shown = self._buffer.encode_surely({"input": context.input})
        row = self._buffer.open(context.path, shown)
        self._visit = None
        self._frames.append(_FlowFrame(flow, context.params, context.path + "/", row))
        self._enter()

    def _ended(self, result: Result) -> None:
        self._result = result

    def _leave(self, result: Result) -> None:
        if isinstance(result, VisitDone):
            self._succeed(result)
        else:
            self._fail(result)

    def _succeed(self, done: VisitDone) -> None:
        """Write the result of a node, and follow the edge of its action."""
        frame = self._frames[-1]
        self._keep(frame, done.value)
        action = done.action
        if action is None:
            action = action_of(frame.node, done.value)
        self._action = action
        following = frame.flow.next_of(frame.node.key, action)
        if following is not None:
            frame.node = frame.flow.nodes[following]
            self._enter()
        elif len(self._frames) > 1:
            self._ascend()
        else:
            self._complete()

    def _keep(self, frame: _FlowFrame, value: Any) -> None:
        post = frame.node.post
        for key, steps in post.output_map.items():
            self._write(frame.shared, key, find(value, steps))
        if post.output_key is not None:
            self._write(frame.shared, post.output_key, value)

    def _write(self, shared: Shared, key: str, value: Any) -> None:
        self._writes += 1
        shared.write(key, value, self._writes)

    def _ascend(self) -> None:
        """The inner flow has ended. Its state is the result of its node."""
        inner = self._frames.pop()
        self._visit = None  # if this fails, a retry visits the subflow again
        value, path = inner.shared.values, inner.prefix.removesuffix("/")
        assert inner.row is not None
        stands = self._buffer.record(inner.row, path, self._buffer.succeeded(value, path), is_open=True)
        self._result = VisitFailed(stands.failure) if isinstance(stands, Failed) else VisitDone(value)

    def _fail(self, broken: VisitFailed) -> None:
        """Follow the edge for the failure, here or in a flow around this one. If there is none, the run
        fails."""
        frame = self._frames[-1]
        if broken.results is not None:
            self._keep(frame, broken.results)
        for depth in range(len(self._frames) - 1, -1, -1):
            flow, node = self._frames[depth].flow, self._frames[depth].node
            edges = flow.edges.get(node.key, {})
            own = broken.action if depth == len(self._frames) - 1 else None
            action = next((each for each in (ERROR, own, DEFAULT) if each in edges), None)
            if action is not None:
                self._climb_to(depth, broken.failure)
                self._action = ERROR if action == DEFAULT else action
                self._frames[-1].node = flow.nodes[edges[action]]
                self._enter()
                return
        self._action = ERROR
        self._ending = FailRun(self._run_failure(broken.failure))

    def _climb_to(self, depth: int, failure: Failure) -> None:
        """Fail the flows inside of the one at `depth`. They have no edge for the failure."""
        while len(self._frames) > depth + 1:
            self._close_frame(self._frames.pop(), Failed(failure))

    def _close_frame(self, frame: _FlowFrame, outcome: Outcome) -> None:
        if frame.row is not None:
            self._buffer.record(frame.row, frame.prefix.removesuffix("/"), outcome, is_open=True)
            frame.row = None

    def _run_failure(self, failure: Failure) -> Failure:
        frame = self._frames[-1]
        message = f"node {frame.prefix + frame.node.key!r} failed: {failure.message}"
        return msgspec.structs.replace(failure, message=message, arguments=None)

    # --- the end, and after it

    def _complete(self) -> None:
        self._visit, self._is_at_end = None, True
        if self._fails_here:
            self._ending = FailRun(TRIED_AGAIN)
            return
        try:
            output = self._buffer.encode(self._frames[0].shared.values, "the state of the run, its result,")
        except Refused as error:
            self._ending = FailRun(capture(error.with_traceback(None)))
        else:
            self._ending = CompleteRun(output)

    def _close(self, ending: EndRun) -> None:
        """Close the rows of everything that waits. The engine ends the tasks of executors."""
        if not isinstance(ending, CompleteRun):
            if self._visit is not None:
                self._visit.close()
                tasks, children = self._visit.undone()
                self._buffer.emit(MarkUndone(tuple(tasks), tuple(children)))
            failed = isinstance(ending, FailRun)
            outcome = Failed(ending.failure) if failed else Cancelled("the run ended")
            for frame in self._frames:
                self._close_frame(frame, outcome)
        self._buffer.emit(ending)

    def _reopen(self, event: Reopened) -> None:
        """An operator tries again: visit the last node once more."""
        self._reopening = None
        buffer = self._buffer
        buffer.next_task = max(buffer.next_task, event.tasks)
        buffer.next_timer = max(buffer.next_timer, event.timers)
        buffer.next_child = max(buffer.next_child, event.children)
        buffer.next_question = max(buffer.next_question, event.questions)
        buffer.timers.clear()
        self._result = self._pause = None
        self._limit = self._steps + self._most_steps
        self._frames[0].shared.show_all()
        self._shown = None
        for frame in self._frames[1:]:
            frame.row = buffer.open(frame.prefix.removesuffix("/"), NO_INPUT)
        if self._is_at_end:
            self._complete()
        elif self._visit is None:
            self._enter()
        else:
            self._visit.go_again(event)

    def state(self) -> dict[str, Payload]:
        """The state of the run, as it is stored, but for the cursor."""
        return {key: self._buffer.encode_surely(it) for key, it in self._frames[0].shared.values.items()}

    def _show_state(self) -> None:
        """Show the keys of the state that changed, and the cursor."""
        shared = self._frames[0].shared
        for key in shared.changed:
            self._buffer.emit(SetState(key, self._buffer.encode_surely(shared.values[key])))
        shared.changed.clear()
        frame = self._frames[-1]
        node = "" if isinstance(self._ending, CompleteRun) else frame.prefix + frame.node.key
        cursor = {"node": node, "action": self._action, "steps": self._steps}
        if cursor != self._shown:
            self._shown = cursor
            self._buffer.emit(SetState(CURSOR, self._buffer.encode_surely(cursor)))


def _params(input: Payload) -> dict[str, Any]:
    """Anything but a map was refused when the run was started."""
    return msgspec.json.decode(input, type=dict[str, Any])


def _input_of(node: FlowNode, values: PathValues) -> Any:
    prep = node.prep
    if prep.input_map is not None:
        return {name: values.at(path) for name, path in prep.input_map.items()}
    return None if prep.input_key is None else values.at(prep.input_key)


def action_of(node: FlowNode, value: Any) -> str:
    """The action that `post` gives a result."""
    if node.post.action_static is not None:
        return node.post.action_static
    found = None if node.post.action_key is None else find(value, node.post.action_key)
    return found if isinstance(found, str) else ""


def _marked_step(step: Step, mark: str) -> int | None:
    marks = [it.change_id for it in step.asked if isinstance(it, PatchMarked)]
    return next((int(it.removeprefix(mark)) for it in marks if it.startswith(mark)), None)
