"""What a program of a flow and the visits of its nodes share: numbers, commands, and the codec.

Whatever could come out otherwise when it is asked again (is a value too large, is a workflow known here?) is
not asked again on replay: there the journal says how it was.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from holdfast.core.codec import Codec
from holdfast.core.commands import NO_INPUT, CancelTimer, Command, OpenTask, RecordTask, StartTimer
from holdfast.core.failures import capture
from holdfast.core.values import Failed, Instant, Outcome, Payload, RunKey, Succeeded
from holdfast.errors import Refused

_WITHOUT_LIMIT = Codec(sys.maxsize)


class PackChild(Protocol):
    def __call__(self, workflow: str, inputs: dict[str, Any]) -> Payload:
        """What is stored of the inputs of a workflow. Raises Refused."""
        ...


class CommandBuffer:
    def __init__(self, run: RunKey, run_name: str, codec: Codec, pack_child: PackChild) -> None:
        self.run = run
        self.run_name = run_name
        """What the ids of its children begin with."""
        self.at = Instant(0)
        self.commands: list[Command] = []
        self.next_task = self.next_timer = self.next_child = 0
        self.timers: dict[int, Callable[[], None]] = {}
        self.recorded: Mapping[int, Outcome] | None = None
        """While it replays: what was recorded of tasks that no executor ran, by their numbers."""
        self.refused: Mapping[int, Failed] = {}
        """While it replays: those of them that had failed before they were begun."""
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
        """How often this was asked for that path, this time included."""
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

    def encode(self, value: Any, what: str) -> Payload:
        """Raises PayloadTooLarge."""
        codec = self._codec if self.recorded is None else _WITHOUT_LIMIT
        return codec.encode(value, what)

    def succeeded(self, value: Any, path: str) -> Outcome:
        """How a node ends that gives this value: not well, if it is too large to be kept."""
        try:
            return Succeeded(self.encode(value, f"the result of node {path!r}"))
        except Refused as error:
            return Failed(capture(error.with_traceback(None)))

    def encode_surely(self, value: Any) -> Payload:
        """Of what was stored before, as part of something that was not too large."""
        return _WITHOUT_LIMIT.encode(value, "a value")

    def decode(self, payload: Payload) -> Any:
        return _WITHOUT_LIMIT.decode(payload, Any, "a value")

    def pack_child(self, workflow: str, inputs: dict[str, Any]) -> Payload:
        """Raises Refused."""
        if self.recorded is not None:
            return self.encode_surely(inputs)  # it was accepted then; what was stored of it is in the child
        return self._pack_child(workflow, inputs)

    # --- rows of tasks that no executor runs

    def open(self, name: str, input: Payload) -> int:
        seq = self.take_task()
        self.emit(OpenTask(seq, name, input))
        return seq

    def record(
        self, seq: int, name: str, outcome: Outcome, *, is_open: bool, input: Payload = NO_INPUT
    ) -> Outcome:
        """Answers what stands in the journal."""
        if self.recorded is not None:
            outcome = self.recorded.get(seq, outcome)
        self.emit(RecordTask(seq, name, outcome, is_open, input))
        return outcome
