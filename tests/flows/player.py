"""A random flow played to its end without an engine: one thing after the other, in the order of dice."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from tests.authoring.flow.playing import Play, failure
from tests.flows.interpreter import Ending
from tests.flows.services import CALLED, Refused, serve
from tests.flows.signals import SHORT_MS, Signals, rescue

from holdfast.authoring.flow.workflow import FlowWorkflow
from holdfast.core.commands import Command, ScheduleTask, StartChild
from holdfast.core.policies import TaskOptions
from holdfast.core.records import History, TaskRecord
from holdfast.ports.flows import CURSOR

_MOST_MOVES = 2000
_WAITS = ("wait_event", "approval")


class _Stage(Play):
    """Remembers what tasks and children were asked for with."""

    def __init__(self, text: str, params: dict[str, Any], max_steps: int) -> None:
        self.options: dict[int, TaskOptions] = {}
        self.asked: dict[str, tuple[str, Any]] = {}
        """By child, the workflow and its input."""
        super().__init__(text, params, max_steps=max_steps, **dict.fromkeys(CALLED, True))

    def _obey(self, command: Command) -> None:
        super()._obey(command)
        if isinstance(command, ScheduleTask):
            self.options[command.seq] = command.options
        elif isinstance(command, StartChild):
            assert command.id is not None
            self.asked[command.id] = command.workflow, msgspec.json.decode(command.input)

    def history(self) -> History:
        return self._history()


class Player:
    def __init__(
        self,
        flow: dict[str, Any],
        params: dict[str, Any],
        signals: Signals,
        dice: Random,
        *,
        max_steps: int = 40,
    ) -> None:
        self.flow = flow
        self._params = params
        self._signals = signals
        self._dice = dice
        self._retried = 0
        self._place: tuple[int, int] | None = None
        """Where it was when it moved last: how often it was retried, and its step."""
        self._to_hear: list[tuple[str, Any]] = []
        self._is_cancelled = False
        text = json.dumps(flow)
        self.play = _Stage(text, params, max_steps)
        self._workflow = FlowWorkflow(self.play.flow, text, Path("random.json"))

    def play_on(self) -> None:
        """Until the run has ended."""
        for _ in range(_MOST_MOVES):
            if self.play.has_ended:
                return
            if self.play.is_paused:
                self.play.pass_time(0)
            else:
                self._move()
        raise AssertionError(f"the run has not ended; what is open: {self.play.open}")

    def retry(self) -> None:
        self._retried += 1
        self.play.retry()

    # --- what has become of it

    @property
    def ending(self) -> Ending:
        cursor = self.play.state[CURSOR]
        return Ending(
            self._status, self.play.shared, self._visits(), cursor["node"], cursor["action"], cursor["steps"]
        )

    @property
    def _status(self) -> str:
        if self.play.is_cancelled:
            return "cancelled"
        [end] = self.play.ends
        return "success" if type(end).__name__ == "CompleteRun" else "failed"

    def _visits(self) -> list[tuple[str, str, str]]:
        rows = [row for row in self.play.history().tasks if place_of(row) is None]
        descriptions = self._workflow.describe_visits(rows)
        return [
            (row.name, str(row.status), description.action)
            for row, description in zip(rows, descriptions, strict=True)
        ]

    # --- what happens next

    def _move(self) -> None:
        cursor = self.play.state[CURSOR]
        node = node_at(self.flow, cursor["node"])
        is_wait = node["kind"] in _WAITS
        place = self._retried, cursor["steps"]
        if place != self._place:
            self._place = place
            # Nothing but the node says how long it waits: nobody around it does in flows that are drawn.
            hears_nothing = is_wait and node.get("params", {}).get("timeout_ms") == SHORT_MS
            self._to_hear = [] if hears_nothing else list(self._signals.at(*place))
            self._is_cancelled = not hears_nothing and self._signals.cancels(*place)
        if self._to_hear and not (self._can_wait(node) and self._dice.random() < 0.5):
            self.play.signal(*self._to_hear.pop(0))
        elif self._is_cancelled and not self._to_hear:
            self.play.cancel()
        elif is_wait:
            self._answer(node, cursor["node"])
        elif self.play.timers:
            self._pass_time()
        else:
            self._end_something(node)

    def _can_wait(self, node: dict[str, Any]) -> bool:
        """Whether something may end before the rest of the signals: not if the node might end with it."""
        branches = [row for row in self._open_rows() if place_of(row) is not None]
        return len(branches) > 1 and node.get("failure_strategy") != "fail_fast"

    def _open_rows(self) -> list[TaskRecord]:
        rows = self.play.rows.values()
        return [row for row in rows if not row.status.is_final and row.seq not in self.play.held]

    def _answer(self, node: dict[str, Any], path: str) -> None:
        if self.play.timers:
            self._pass_time()
            return
        name = "approval_key" if node["kind"] == "approval" else "signal_key"
        wanted = node.get("params", {}).get(name) or path.rpartition("/")[2]
        self.play.signal(*rescue(wanted))

    def _pass_time(self) -> None:
        first = min(self.play.timers.values())
        left = (first - self.play.now) / 1_000_000
        self.play.pass_time(left / 2 if self._dice.random() < 0.3 else left)

    def _end_something(self, node: dict[str, Any]) -> None:
        if "workflow" in node:
            [id] = [
                id for id, seq in self.play.child_ids.items() if not self.play.children[seq].status.is_final
            ]
            workflow, input = self.play.asked[id]
            self.play.end_child(id, self._outcome(workflow, input, {}, 1))
            return
        row = self._dice.choice([row for row in self._open_rows() if row.seq in self.play.options])
        given = msgspec.json.decode(row.input)
        service = service_of(node, given)
        options = self.play.options[row.seq]
        assert options.service == (service if node.get("exec_type") == "queue" else None)
        outcome = self._outcome(service, given["input"], given["params"], options.retry.max_attempts)
        self.play.end(row.name, outcome, place_of(row))

    def _outcome(self, service: str, input: Any, params: Any, tries: int) -> Any:
        """Of the last attempt."""
        reason = ""
        for attempt in range(1, tries + 1):
            try:
                return serve(service, input, params, attempt=attempt, retried=self._retried)
            except Refused as error:
                reason = str(error)
        return failure(reason)


def node_at(flow: dict[str, Any], path: str) -> dict[str, Any]:
    """By the path of a node, or of its branches."""
    key, _, rest = path.partition("/")
    node = flow["nodes"][key]
    return node_at(node["subflow"], rest) if rest and "subflow" in node else node


def place_of(row: TaskRecord) -> int | None:
    """Which branch or item it is, if it is one."""
    given = msgspec.json.decode(row.input)
    return given.get("branch", given.get("index"))


def service_of(node: dict[str, Any], given: dict[str, Any]) -> str:
    """What is to be done, by the node and what its task was given."""
    if "script" in node:
        return node["script"]["cmd"]
    return given.get("service") or node.get("func") or node["service"]
