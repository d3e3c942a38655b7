"""Workers in the simulation: mistakes in the queue, planted one at a time, and what finds each."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.simulation.workloads import WORKLOADS

from holdfast.stores.sqlite import driver
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import Violation

SEEDS = 400

Plant = Callable[[pytest.MonkeyPatch], None]


def _plant_query(patch: pytest.MonkeyPatch, name: str, honest: str, wrong: str) -> None:
    query = driver._queries()[name]
    assert honest in query
    patch.setitem(driver._queries(), name, query.replace(honest, wrong))


def _take_late_completions(patch: pytest.MonkeyPatch) -> None:
    _plant_query(patch, "end_item", "lease = ?4", "?4 = ?4")


def _give_no_lease(patch: pytest.MonkeyPatch) -> None:
    _plant_query(patch, "take_item", "ready_at = ?7", "ready_at = min(?6, ?7)")


def _keep_what_is_completed(patch: pytest.MonkeyPatch) -> None:
    _plant_query(patch, "end_item", "DELETE FROM queue", "UPDATE queue SET ready_at = ready_at")


def _count_leases_from_one(patch: pytest.MonkeyPatch) -> None:
    _plant_query(patch, "take_item", "lease = ?5", "lease = min(?5, 1)")


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (_take_late_completions, "late completion|completed once|completed again"),
        (_give_no_lease, "one worker has an item"),
        (_keep_what_is_completed, "completed once|completed again|its run was told"),
        (_count_leases_from_one, "leases are counted"),
    ],
)
def test_a_planted_mistake_is_found(plant: Plant, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)

    violation = first_violation()

    assert re.search(found, violation), violation


def first_violation() -> str:
    for seed in range(SEEDS):
        try:
            Simulation(seed, WORKLOADS["flows"](seed)).run()
        except Violation as violation:
            return str(violation)
    return "nothing was found"


def test_workers_do_much_of_the_work_and_some_of_it_is_taken_from_them() -> None:
    taken = lost = 0
    for seed in range(40):
        simulation = Simulation(seed, WORKLOADS["flows"](seed))
        simulation.run()
        taken += sum(each.process.startswith("worker-") for each in simulation.witness.executions)
        lost += sum(
            attempt.status == "lost" and attempt.worker != "" for attempt in simulation.failed_attempts
        )

    assert taken > 40
    assert lost > 0
