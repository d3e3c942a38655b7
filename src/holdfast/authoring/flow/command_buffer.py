"""What a program of a flow shares with the visits of its nodes: numbers, commands, and the codec.

Some questions may have another answer later: is a value too large, is a workflow known here? They are not
asked again on replay. The journal has the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Set
from typing import Any, Protocol

from holdfast.core.codec import Codec
from holdfast.core.commands import (
    NO_INPUT,
    AskQuestion,
    CancelTimer,
    Command,
    OpenTask,
    RecordTask,
    StartTimer,
)
from holdfast.core.events import PromiseAnswered
from holdfast.core.failures import capture
from holdfast.core.values import Failed, Instant, Outcome, Payload, RunKey, Succeeded
from holdfast.errors import Refused

_WITHOUT_LIMIT = Codec(sys.maxsize)


class PackChild(Protocol):
    def __call__(self, workflow: str, inputs: dict[str, Any]) -> Payload:
        """The inputs of a workflow as they are stored. Raises Refused."""
        ...


class CommandBuffer:
    def __init__(self, run: RunKey, run_name: str, codec: Codec, pack_child: PackChild) -> None:
        self.run = run
        self.run_name = run_name
        """The beginning of the ids of its children."""
        self.at = Instant(0)
        self.commands: list[Command] = []
        self.bytes = 0
        """How large the payloads of the rows are that this step has recorded or opened."""
        self.next_task = self.next_timer = self.next_child = self.next_question = 0
        self.has_questions = True
        """On replay: whether approvals are recorded as questions. Older versions knew only their signals."""
        self.ahead: dict[str, PromiseAnswered] = {}
        """Answers that came before the run asked, by name."""
        self.timers: dict[int, Callable[[], None]] = {}
        self.recorded: Mapping[int, Outcome] | None = None
        """On replay: the recorded outcomes of tasks that no executor ran, by number. Else None."""
        self.refused: Mapping[int, Failed] = {}
        """On replay: the tasks that failed before they were started, by number."""
        self.shared_then: Set[int] | None = None
        """On replay: the tasks that a shared part of inputs was stored with, by number."""
        self._visits: dict[str, int] = {}
        self._codec = codec
        self._pack_child = pack_child

    def emit(self, command: Command) -> None:
        self.commands.append(command)

    def take_task(self) -> int:
        self.next_task += 1
        return self.next_task - 1

    def take_child(self) -> int:
        self.next_child += 1
        return self.next_child - 1

    def count_visit(self, path: str) -> int:
        """How often this was called for the path, this time included."""
        self._visits[path] = count = self._visits.get(path, 0) + 1
        return count

    def start_timer(self, due: Instant, action: Callable[[], None]) -> int:
        seq = self.next_timer
        self.next_timer += 1
        self.timers[seq] = action
        self.emit(StartTimer(seq, due))
        return seq

    def stop_timer(self, seq: int) -> None:
        if self.timers.pop(seq, None) is not None:
            self.emit(CancelTimer(seq))

    def ask(self, name: str, details: Payload) -> int:
        self.next_question += 1
        self.bytes += len(details)
        self.emit(AskQuestion(self.next_question - 1, name, details))
        return self.next_question - 1

    def encode(self, value: Any, what: str) -> Payload:
        """Raises PayloadTooLarge."""
        codec = self._codec if self.recorded is None else _WITHOUT_LIMIT
        return codec.encode(value, what)

    def check_size(self, size: int, what: str) -> None:
        """Raises PayloadTooLarge."""
        if self.recorded is None:
            self._codec.check_size(size, what)

    def succeeded(self, value: Any, path: str) -> Outcome:
        """The outcome of a node with this result: a failure if the result is too large to be stored."""
        try:
            return Succeeded(self.encode(value, f"the result of node {path!r}"))
        except Refused as error:
            return Failed(capture(error.with_traceback(None)))

    def encode_surely(self, value: Any) -> Payload:
        """Encode without a limit: the value was stored before as part of another one."""
        return _WITHOUT_LIMIT.encode(value, "a value")

    def decode(self, payload: Payload) -> Any:
        return _WITHOUT_LIMIT.decode(payload, Any, "a value")

    def pack_child(self, workflow: str, inputs: dict[str, Any]) -> Payload:
        """Raises Refused."""
        if self.recorded is not None:
            return self.encode_surely(inputs)  # it was accepted then, and the child has it
        return self._pack_child(workflow, inputs)

    # --- rows of tasks that no executor runs

    def open(self, name: str, input: Payload) -> int:
        seq = self.take_task()
        self.bytes += len(input)
        self.emit(OpenTask(seq, name, input))
        return seq

    def record(
        self, seq: int, name: str, outcome: Outcome, *, is_open: bool, input: Payload = NO_INPUT
    ) -> Outcome:
        """Returns the outcome that the journal has."""
        if self.recorded is not None:
            outcome = self.recorded.get(seq, outcome)
        self.bytes += len(input) + (len(outcome.payload) if isinstance(outcome, Succeeded) else 0)
        self.emit(RecordTask(seq, name, outcome, is_open, input))
        return outcome
