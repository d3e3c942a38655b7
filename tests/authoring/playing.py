"""A program played by hand: every event is the test's, and after each it is born anew from its journal.

What the old one and the new one ask for from there on must be the same, in every test that plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from holdfast.authoring.kinds import reopening_plan
from holdfast.core.commands import (
    CancelRun,
    CancelTask,
    CancelTimer,
    Command,
    CompleteRun,
    FailRun,
    OpenTask,
    RecordTask,
    ResumeChild,
    ResumeTask,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    Event,
    PromiseAnswered,
    SignalReceived,
    TaskEnded,
    TimerFired,
)
from holdfast.core.history import Past, restore
from holdfast.core.journal import write_step
from holdfast.core.program import Program
from holdfast.core.records import ChildRecord, History, MessageKind, MessageRecord, TaskRecord, new_run
from holdfast.core.shared_inputs import SharedInput, whole_input
from holdfast.core.values import (
    NULL,
    Cancelled,
    Failed,
    Failure,
    Instant,
    Outcome,
    Payload,
    RunKey,
    RunStatus,
    Succeeded,
    TaskStatus,
)
from holdfast.errors import UnknownWorkflow

KEY = RunKey(bytes(15) + b"\x01")
SECOND = 1_000_000


def json(value: Any) -> Payload:
    return Payload(msgspec.json.encode(value))


def failure(message: str = "broken") -> Failed:
    return Failed(Failure(type="builtins:ValueError", message=message))


class Play:
    kind = ""

    def __init__(self, input: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        self.known = known
        """Workflows that can be called."""
        self.run = new_run(
            KEY, "default", "play", "play", "1", "play", json(dict(input)), Instant(0), owner="node"
        )
        self.state: dict[str, Any] = {}
        self.now = Instant(0)
        self.steps: list[bytes] = []
        self.rows: dict[int, TaskRecord] = {}
        self.shared_inputs: dict[int, SharedInput] = {}
        self.messages: list[MessageRecord] = []
        self.children: dict[int, ChildRecord] = {}
        self.child_ids: dict[str, int] = {}
        self.timers: dict[int, Instant] = {}
        self.ends: list[Command] = []
        self.held: set[int] = set()
        """Tasks that are to be tried again when the program says so."""
        self.held_children: set[int] = set()
        self.program = self._born()
        self._advance([])

    # --- what happens

    def end(self, task: str, outcome: Outcome | Any = None, index: int | None = None) -> None:
        """An attempt at an open task has ended; a value that is no outcome is its output."""
        seq = self._open_seq(task, index)
        ended = outcome if isinstance(outcome, (Succeeded, Failed, Cancelled)) else Succeeded(json(outcome))
        self._settle(seq, ended)
        self._advance([TaskEnded(seq, ended)])

    def end_child(self, id: str, outcome: Outcome | Any = None) -> None:
        seq = self.child_ids[id]
        ended = outcome if isinstance(outcome, (Succeeded, Failed, Cancelled)) else Succeeded(json(outcome))
        row = self.children[seq]
        self.children[seq] = msgspec.structs.replace(
            row,
            status={
                Succeeded: RunStatus.SUCCESS,
                Failed: RunStatus.FAILED,
                Cancelled: RunStatus.CANCELLED,
            }[type(ended)],
            output=ended.payload if isinstance(ended, Succeeded) else None,
            failure=ended.failure if isinstance(ended, Failed) else None,
        )
        self._advance([ChildEnded(seq, ended)])

    def pass_time(self, seconds: float) -> None:
        self.now = Instant(self.now + int(seconds * SECOND))
        due = sorted(seq for seq, at in self.timers.items() if at <= self.now)
        for seq in due:
            del self.timers[seq]
        self._advance([TimerFired(seq) for seq in due])

    def signal(self, name: str, value: Any = None) -> None:
        message = self._post(MessageKind.SIGNAL, name, json(value))
        self._advance([SignalReceived(message, name, json(value))])

    def answer(self, promise: str, value: Any) -> None:
        message = self._post(MessageKind.RESOLVED, promise, json(value))
        self._advance([PromiseAnswered(message, promise, Succeeded(json(value)))])

    def cancel(self) -> None:
        message = self._post(MessageKind.CANCEL, "", json("stop"))
        self._advance([CancelRequested(message, "stop")])

    def retry(self, heard: Sequence[Event] = ()) -> None:
        """Open it again. What it has to hear had happened before anybody took it."""
        plan = reopening_plan(self.kind, self._history())
        for seq in plan.tasks:
            row = self.rows[seq]
            self.rows[seq] = msgspec.structs.replace(
                row, status=TaskStatus.PENDING, attempt=row.attempt + 1, forgiven=row.attempt, failure=None
            )
        self.held = set(plan.tasks)
        self.held_children = set(plan.event.children_again)
        for seq in plan.event.children_again:
            row = self.children[seq]
            if row.status in (RunStatus.FAILED, RunStatus.CANCELLED):
                self.children[seq] = msgspec.structs.replace(row, status=RunStatus.RUNNING, failure=None)
        self.ends.clear()
        self.state.clear()
        # A client writes this step, without a program.
        self.steps.append(write_step(self.now, [plan.event], []))
        self.program = self._born()
        self._advance(list(heard))

    # --- what there is to see

    @property
    def open(self) -> list[str]:
        """Tasks that executors have, and those that the program waits for."""
        rows = [row for row in self.rows.values() if not row.status.is_final and row.seq not in self.held]
        return [_shown(row) for row in rows]

    @property
    def states(self) -> dict[str, str]:
        """By task, as its last row says."""
        return {row.name: str(row.status) for row in self.rows.values()}

    def input_of(self, task: str, index: int | None = None) -> Any:
        return msgspec.json.decode(self.rows[self._open_seq(task, index)].input)

    @property
    def has_ended(self) -> bool:
        return bool(self.ends)

    @property
    def output(self) -> Any:
        [end] = self.ends
        assert isinstance(end, CompleteRun), end
        return msgspec.json.decode(end.output)

    @property
    def failure(self) -> str:
        [end] = self.ends
        assert isinstance(end, FailRun), end
        return end.failure.message

    @property
    def is_cancelled(self) -> bool:
        return any(isinstance(end, CancelRun) for end in self.ends)

    # --- how

    def make(self, past: Past) -> Program:
        raise NotImplementedError

    def _born(self) -> Program:
        return self.make(restore(self._history()))

    def pack(self, workflow: str, inputs: dict[str, Any]) -> Payload:
        if workflow not in self.known:
            raise UnknownWorkflow(workflow, None, list(self.known))
        return json(inputs)

    def _history(self) -> History:
        rows = [self.rows[seq] for seq in sorted(self.rows)]
        return History(self.run, self.steps, rows, self.messages, list(self.children.values()))

    def _advance(self, events: list[Event]) -> None:
        anew = self._born() if self.steps else None
        commands = self.program.advance(self.now, events)
        if anew is not None:
            assert anew.advance(self.now, events) == commands
            self.program = anew
        self.steps.append(write_step(self.now, events, commands))
        for command in commands:
            self._obey(command)

    def _obey(self, command: Command) -> None:
        match command:
            case ScheduleTask():
                self._add(command.seq, command.name, self._whole_input(command))
            case OpenTask():
                self._add(command.seq, command.name, command.input)
            case RecordTask():
                if not command.is_open:
                    self._add(command.seq, command.name, command.input)
                self._settle(command.seq, command.outcome, is_open=command.is_open)
            case ResumeTask():
                self.held.remove(command.seq)
            case ResumeChild():
                self.held_children.remove(command.seq)
            case CancelTask():
                self._settle(command.seq, Cancelled())
            case StartTimer():
                self.timers[command.seq] = command.due
            case CancelTimer():
                self.timers.pop(command.seq, None)
            case SetState():
                self.state[command.key] = msgspec.json.decode(command.value or NULL)
            case StartChild():
                key = RunKey(bytes(15) + bytes([100 + command.seq]))
                row = ChildRecord(KEY, command.seq, key, RunStatus.RUNNING, None, None)
                self.children[command.seq] = row
                assert command.id is not None
                self.child_ids[command.id] = command.seq
            case CompleteRun() | FailRun() | CancelRun():
                self._end_run(command)
            case _:
                pass

    def _whole_input(self, command: ScheduleTask) -> Payload:
        shared = command.shared
        if shared is not None:
            if shared.seq == command.seq:
                self.shared_inputs[shared.seq] = shared
            assert self.shared_inputs[shared.seq] == shared, "the rest of the input is not what is stored"
        return whole_input(shared, command.input)

    def _end_run(self, command: Command) -> None:
        self.ends.append(command)
        self.timers.clear()
        for seq, row in self.rows.items():
            if not row.status.is_final:
                self.rows[seq] = msgspec.structs.replace(row, status=TaskStatus.CANCELLED)
        for seq, child in self.children.items():
            if not child.status.is_final:
                self.children[seq] = msgspec.structs.replace(child, status=RunStatus.CANCELLED)

    def _add(self, seq: int, name: str, input: Payload) -> None:
        assert seq not in self.rows, "a number was used twice"
        self.rows[seq] = TaskRecord(
            KEY, seq, name, TaskStatus.PENDING, 1, 0, 0, input, None, None, None, None, self.now, None, None
        )

    def _settle(self, seq: int, outcome: Outcome, *, is_open: bool = True) -> None:
        match outcome:
            case Succeeded():
                changes: dict[str, Any] = {"status": TaskStatus.SUCCESS, "output": outcome.payload}
            case Failed():
                changes = {"status": TaskStatus.FAILED, "failure": outcome.failure}
            case Cancelled():
                changes = {"status": TaskStatus.CANCELLED if is_open else TaskStatus.SKIPPED}
        self.rows[seq] = msgspec.structs.replace(self.rows[seq], **changes)

    def _post(self, kind: MessageKind, name: str, payload: Payload) -> int:
        id = len(self.messages) + 1
        self.messages.append(MessageRecord(id, KEY, kind, name, payload, len(self.steps)))
        return id

    def _open_seq(self, task: str, index: int | None) -> int:
        shown = task if index is None else f"{task}[{index}]"
        [seq] = [it.seq for it in self.rows.values() if not it.status.is_final and _shown(it) == shown]
        return seq


def _shown(row: TaskRecord) -> str:
    given = msgspec.json.decode(row.input)
    places = [given.get(name) for name in ("parallel_index", "branch", "index")]
    index = next((place for place in places if place is not None), None)
    return row.name if index is None else f"{row.name}[{index}]"


__all__ = ["NULL", "Play", "failure", "json"]
