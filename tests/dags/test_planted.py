"""Mistakes in the program of DAGs, planted one at a time: the simulator must find each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

import pytest
from tests.dags.drawing import draw_dag
from tests.dags.rules import broken_rules
from tests.simulation.dags import DagScenario

from holdfast.authoring.dag.model import Dag
from holdfast.authoring.dag.program import DagProgram
from holdfast.authoring.dag.progress import DagProgress, TaskProgress
from holdfast.core.values import Outcome, Payload, Succeeded, TaskStatus
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import Violation

SEEDS = 150

Plant = Callable[[pytest.MonkeyPatch], None]


class WatchedScenario(DagScenario):
    """Looks at the way there as well as at the end."""

    def problems(self, simulation: Simulation) -> Iterable[str]:
        yield from super().problems(simulation)
        for history in simulation.safety.histories():
            if history.run.id == "first":
                yield from broken_rules(self._dag, history)


def first_violation() -> str:
    for seed in range(SEEDS):
        scenario = WatchedScenario(draw_dag(Random(f"{seed} dag")))
        try:
            # Nothing goes wrong but what is planted: that is soonest found.
            Simulation(seed, scenario, plan=[], nodes=1).run()
        except Violation as violation:
            return str(violation)
    return "nothing was found"


def _ignore_on_failure(patch: pytest.MonkeyPatch) -> None:
    honest = DagProgram._arrive

    def arrive(self: DagProgram, node: TaskProgress) -> None:
        if node.has_bad_upstream:
            self._skip(node, "a task that it depends on did not succeed")
        else:
            honest(self, node)

    patch.setattr(DagProgram, "_arrive", arrive)


def _collect_outputs_as_they_come(patch: pytest.MonkeyPatch) -> None:
    honest = DagProgram._end_item

    def end_item(self: DagProgram, node: TaskProgress, index: int, outcome: Outcome, seq: int | None) -> None:
        free = node.outputs.index(None) if isinstance(outcome, Succeeded) else index
        honest(self, node, free, outcome, seq)

    patch.setattr(DagProgram, "_end_item", end_item)


def _ignore_concurrency(patch: pytest.MonkeyPatch) -> None:
    def may_start(self: TaskProgress) -> bool:
        return self.next_index < self.count or bool(self.redo)

    patch.setattr(TaskProgress, "may_start", property(may_start))


def _ignore_max_parallel(patch: pytest.MonkeyPatch) -> None:
    def can_start(self: DagProgram) -> bool:
        return bool(self._ready)

    patch.setattr(DagProgram, "_can_start", can_start)


def _do_everything_again_in_a_retry(patch: pytest.MonkeyPatch) -> None:
    def reopen(self: DagProgress) -> list[tuple[TaskProgress, int, int]]:
        for node in self.nodes.values():
            node.reset()
            node.is_queued = node.has_bad_upstream = False
            node.waiting = len(node.task.depends_on)
        self.open = len(self.nodes)
        return []

    patch.setattr(DagProgress, "reopen", reopen)


def _count_skipped_as_failed(patch: pytest.MonkeyPatch) -> None:
    def failed(self: DagProgress) -> list[TaskProgress]:
        bad = (TaskStatus.FAILED, TaskStatus.SKIPPED)
        return [node for node in self.nodes.values() if node.status in bad]

    patch.setattr(DagProgress, "failed", failed)


def _forget_a_dependency(patch: pytest.MonkeyPatch) -> None:
    honest = DagProgress.__init__

    def init(self: DagProgress, dag: Dag) -> None:
        honest(self, dag)
        for node in self.nodes.values():
            node.waiting = min(node.waiting, 1)

    patch.setattr(DagProgress, "__init__", init)


def _give_an_empty_fan_out_null(patch: pytest.MonkeyPatch) -> None:
    honest = TaskProgress.output

    def output(self: TaskProgress) -> Payload:
        return honest(self) if self.outputs else Payload(b"null")

    patch.setattr(TaskProgress, "output", output)


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (_ignore_on_failure, "the run gave|the tasks are"),
        (_collect_outputs_as_they_come, "the run gave"),
        (_ignore_concurrency, "items of .* under way"),
        (_ignore_max_parallel, "tasks under way"),
        (_do_everything_again_in_a_retry, "succeeded 2 times|the client waits in vain"),
        (_count_skipped_as_failed, "the run is failed, not success"),
        (_forget_a_dependency, "the tasks are|the run gave|promise|the run is"),
        (_give_an_empty_fan_out_null, "the run gave"),
    ],
)
def test_a_planted_mistake_is_found(plant: Plant, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)

    violation = first_violation()

    assert re.search(found, violation), violation


def test_and_without_one_nothing_is_found() -> None:
    for seed in range(10):
        scenario = WatchedScenario(draw_dag(Random(f"{seed} dag")))
        Simulation(seed, scenario).run()
