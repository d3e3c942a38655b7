"""Mistakes in the program of flows, planted one at a time: the property test must find each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.flows.test_flows import first_problem

from holdfast.authoring.documents import comparison
from holdfast.authoring.flow.branches import Branching
from holdfast.authoring.flow.model import DEFAULT, Flow
from holdfast.authoring.flow.program import FlowProgram
from holdfast.authoring.flow.shared import Shared
from holdfast.authoring.flow.visits import Result, VisitContext, VisitDone, VisitFailed
from holdfast.authoring.flow.waiting import Awaiting
from holdfast.core.events import Reopened
from holdfast.core.values import Failed, Outcome, Payload

SEEDS = 250

Plant = Callable[[pytest.MonkeyPatch], None]


def _take_the_default_edge_first(patch: pytest.MonkeyPatch) -> None:
    def next_of(self: Flow, node: str, action: str) -> str | None:
        edges = self.edges.get(node, {})
        return edges.get(DEFAULT) or edges.get(action)

    patch.setattr(Flow, "next_of", next_of)


def _collect_results_as_they_come(patch: pytest.MonkeyPatch) -> None:
    honest = Branching.task_ended

    def task_ended(self: Branching, seq: int, outcome: Outcome) -> None:
        if seq in self._tasks and not isinstance(outcome, Failed) and None in self._results:
            self._tasks[seq] = self._results.index(None)
        honest(self, seq, outcome)

    patch.setattr(Branching, "task_ended", task_ended)


def _start_all_branches_at_once(patch: pytest.MonkeyPatch) -> None:
    def fill(self: Branching) -> None:
        while self._waiting:
            self._start(self._waiting.popleft())
        if self._left == 0:
            self._conclude()

    patch.setattr(Branching, "_fill", fill)


def _do_every_branch_again_in_a_retry(patch: pytest.MonkeyPatch) -> None:
    def go_again(self: Branching, event: Reopened) -> None:
        self._failures.clear()
        self._tasks.clear()
        self._task_of.clear()
        self._row = None
        self.go()

    patch.setattr(Branching, "go_again", go_again)


def _write_results_though_it_fails_fast(patch: pytest.MonkeyPatch) -> None:
    def break_off(self: Branching) -> None:
        failure = self._failure()
        self._record(Failed(failure), broken=VisitFailed(failure, results=self._results))

    patch.setattr(Branching, "_break_off", break_off)


def _drop_what_failed_from_the_results(patch: pytest.MonkeyPatch) -> None:
    honest = Branching._finish

    def finish(self: Branching, done: VisitDone, shown: Any) -> None:
        kept = [each for each in done.value if each is not None]
        honest(self, VisitDone(kept), kept)

    patch.setattr(Branching, "_finish", finish)


def _share_state_with_the_flow_around(patch: pytest.MonkeyPatch) -> None:
    honest = FlowProgram._enter

    def enter(self: FlowProgram) -> None:
        self._frames[-1].shared = self._frames[0].shared
        honest(self)

    patch.setattr(FlowProgram, "_enter", enter)


def _send_signals_to_the_innermost_flow(patch: pytest.MonkeyPatch) -> None:
    def receive(self: FlowProgram, key: str, payload: Payload) -> None:
        if not key.startswith("$"):
            self._write(self._frames[-1].shared, key, self._buffer.decode(payload))
        if self._visit is not None and self._ending is None:
            self._visit.shared_changed()

    patch.setattr(FlowProgram, "_receive", receive)


def _take_an_old_answer_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Shared, "written_since", lambda *_: True)  # pyright: ignore[reportUnknownLambdaType]


def _remember_answers_in_memory_alone(patch: pytest.MonkeyPatch) -> None:
    honest = Awaiting.__init__

    def init(
        self: Awaiting,
        buffer: Any,
        context: VisitContext,
        end: Callable[[Result], None],
        since: int,
        on_value: Any,
        write: Any,
    ) -> None:
        known = on_value if buffer.recorded is None else lambda: since
        honest(self, buffer, context, end, since, known, write)

    patch.setattr(Awaiting, "__init__", init)


def _let_a_failure_end_the_run(patch: pytest.MonkeyPatch) -> None:
    honest = FlowProgram._fail

    def fail(self: FlowProgram, broken: VisitFailed) -> None:
        outer = self._frames[:-1]
        if outer:
            # Nobody around the innermost flow deals with it.
            edges = [(frame, frame.flow) for frame in outer]
            for frame, flow in edges:
                frame.flow = Flow(start=flow.start, nodes=flow.nodes)
            honest(self, broken)
            for frame, flow in edges:
                frame.flow = flow
        else:
            honest(self, broken)

    patch.setattr(FlowProgram, "_fail", fail)


def _compare_numbers_in_texts_as_texts(patch: pytest.MonkeyPatch) -> None:
    honest = comparison.number_in
    patch.setattr(comparison, "number_in", lambda value: None if isinstance(value, str) else honest(value))  # pyright: ignore[reportUnknownLambdaType]


def first_found() -> str:
    for seed in range(SEEDS):
        problem, _ = first_problem(seed)
        if problem is not None:
            return problem
    return "nothing was found"


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (_take_the_default_edge_first, "visits is"),
        (_collect_results_as_they_come, "shared is"),
        (_start_all_branches_at_once, "under way"),
        (_do_every_branch_again_in_a_retry, "succeeded 2 times in 1 visits|could not be played"),
        (_write_results_though_it_fails_fast, "shared is"),
        (_drop_what_failed_from_the_results, "shared is"),
        (_share_state_with_the_flow_around, "shared is"),
        (_send_signals_to_the_innermost_flow, "shared is"),
        (_take_an_old_answer_again, "visits is"),
        (_remember_answers_in_memory_alone, "could not be played"),
        (_let_a_failure_end_the_run, "visits is"),
        (_compare_numbers_in_texts_as_texts, "visits is"),
    ],
)
def test_a_planted_mistake_is_found(plant: Plant, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)

    problem = first_found()

    assert re.search(found, problem), problem
