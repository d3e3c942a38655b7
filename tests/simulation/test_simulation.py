"""The simulator: the same seed is the same history, it finds what is planted, and the engine stands it."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import settings
from tests.simulation import workflows as w
from tests.simulation.jobs import Job, Jobs
from tests.simulation.workloads import WORKLOADS

from holdfast.core.values import Instant, NodeId
from holdfast.engine.committing import Committer, commit_with_retries
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.engine import Engine
from holdfast.engine.inbox import AttemptEnded
from holdfast.engine.resident import LiveAttempt
from holdfast.engine.tick import Tick
from holdfast.ports.commits import Commit, Receipt
from holdfast.stores import commit_script
from holdfast.stores.sql_store import SqlStore
from holdfast.testing.simulation import simulation
from holdfast.testing.simulation.database import DatabaseConnection
from holdfast.testing.simulation.faults import Delay, Fault, MachineCrash, Stall
from holdfast.testing.simulation.shrinking import shrink
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import SECOND, Violation

SEEDS = 4 if settings.default.derandomize else 40
TIMES = range(SECOND, 300 * SECOND, 7 * SECOND)


def run(seed: int, plan: Sequence[Fault] | None = None, workload: str = "jobs") -> Simulation:
    simulation = Simulation(seed, WORKLOADS[workload](seed), plan=plan)
    simulation.run()
    return simulation


def first_violation(seeds: int) -> str:
    for seed in range(seeds):
        try:
            run(seed)
        except Violation as violation:
            return str(violation)
    return "nothing was found"


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_run_ends_well_whatever_goes_wrong(workload: str) -> None:
    for seed in range(1_000_000, 1_000_000 + SEEDS):
        run(seed, workload=workload)


def test_the_same_seed_is_the_same_history() -> None:
    seeds = (3, 7, 11)

    first, again = [[run(seed).world.digest for seed in seeds] for _ in range(2)]

    assert first == again
    assert len(set(first)) == 3


def test_a_history_is_the_same_in_another_process() -> None:
    def tell(hash_seed: str) -> str:
        command = [sys.executable, "-m", "tests.simulation", "--workload", "jobs", "--seed", "7"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    assert tell("1") == tell("2")


class Spared(Jobs):
    is_client_spared = True
    deadly = ()


def test_a_crash_drops_everything_that_is_in_memory_and_the_next_process_goes_on() -> None:
    scenario = Jobs([Job("job", w.sequence, 8, expected=28)])
    crashes: list[Fault] = [
        MachineCrash(machine, at, SECOND) for at in TIMES for machine in ("client", "node-1")
    ]

    simulation = Simulation(0, scenario, plan=crashes, span=300 * SECOND)
    simulation.run()

    assert simulation.struck.total() > 5
    assert scenario.jobs[0].ending == ("success", 28)


@pytest.mark.parametrize(("lasts", "lost"), [(50, 0), (70, 1)])
def test_a_node_whose_loop_stands_still_keeps_its_runs_for_a_minute_and_then_gives_them_up(
    lasts: int, lost: int
) -> None:
    jobs = [Job(f"job-{each}", w.sequence, 30, expected=435) for each in range(5)]
    stall: list[Fault] = [Stall("node-1", 3 * SECOND, lasts * SECOND, True)]
    simulation = Simulation(1, Spared(jobs), plan=stall, span=120 * SECOND, nodes=1)

    simulation.run()

    assert simulation.struck["Stall"] == 1
    assert len(simulation.blamed) == 1
    boots = [line for line in simulation.world.trace if line.endswith("boots") and "node-1" in line]
    assert len(boots) == 1 + lost


# --- what is planted is found


Plant = Callable[[pytest.MonkeyPatch], None]


def _drop_the_fence(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(commit_script, "_find_lost", lambda tx, commit: frozenset())  # pyright: ignore[reportUnknownLambdaType]


def _act_before_the_commit(patch: pytest.MonkeyPatch) -> None:
    begin = Engine.start

    def start(self: Engine, node: NodeId | None = None) -> None:
        honest = self._decider.decide

        def decide(now: Instant, *, hand_back: bool) -> Tick:
            tick = honest(now, hand_back=hand_back)
            self._dispatcher.note_commit()
            self._effects.dispatch(tick)
            return tick

        patch.setattr(self._decider, "decide", decide)
        begin(self, node)

    patch.setattr(Engine, "start", start)


def _act_without_asking_again_whose_the_runs_are(patch: pytest.MonkeyPatch) -> None:
    async def commit(self: Committer, tick: Tick) -> Receipt:
        receipt = await commit_with_retries(self._store, self._clock, tick.commit, lambda _: None)
        self._lease.commit(tick.commit, receipt.lease_since, is_checked=True)
        return receipt

    patch.setattr(Committer, "commit", commit)


def _take_a_lost_answer_for_a_lost_commit(patch: pytest.MonkeyPatch) -> None:
    async def recover(self: SqlStore, commit: Commit) -> None:
        return None

    patch.setattr(SqlStore, "recover_commit", recover)


def _give_a_slot_back_for_every_report(patch: pytest.MonkeyPatch) -> None:
    def report(self: Dispatcher, attempt: LiveAttempt, outcome: Any) -> None:
        attempt.slots.free += 1
        attempt.slots.shared.free += 1
        self.running -= 1
        self._inbox.post(AttemptEnded(attempt, outcome, self._clock.now()))
        self._fill(attempt.slots)

    patch.setattr(Dispatcher, "report", report)


def _forget_who_asks_for_a_wake_up(patch: pytest.MonkeyPatch) -> None:
    from holdfast.stores.sqlite import driver

    release = driver._queries()["release_runs"]
    assert "coalesce(wake_at" in release
    forgetful = release.replace("min(coalesce(?5, wake_at), coalesce(wake_at, ?5))", "?5")
    patch.setitem(driver._queries(), "release_runs", forgetful)


def try_renewals_that_come_late(patch: pytest.MonkeyPatch) -> None:
    """Each commit in turn is on its way for so long that the lease runs out meanwhile. There are no keepers,
    so only commits renew the leases."""

    def open_renewal(self: DatabaseConnection, patience: dt.timedelta) -> None:
        return None

    patch.setattr(DatabaseConnection, "open_renewal", open_renewal)
    for number, node in product(range(2, 14), ("node-1", "node-2")):
        late: list[Fault] = [Delay(node, number, True, 147 * SECOND // 10)]
        jobs = [Job(f"job-{each}", w.narrow, 6, expected=list(range(6))) for each in range(5)]
        Simulation(number, Spared(jobs), plan=late, span=120 * SECOND, nodes=2).run()


def test_a_renewal_that_came_too_late_is_no_reason_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    try_renewals_that_come_late(monkeypatch)


def test_and_that_is_found_if_it_is_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _act_without_asking_again_whose_the_runs_are(monkeypatch)
    monkeypatch.setattr(simulation, "_REFUSING", 0.0)  # the planted mistake does not divide refused commits

    with pytest.raises(Violation, match="promise 2"):
        try_renewals_that_come_late(monkeypatch)


@pytest.mark.parametrize(
    ("plant", "promise"),
    [
        (_drop_the_fence, "promise 2|promise 6|UNIQUE constraint"),
        (_act_before_the_commit, "promise 1"),
        (_take_a_lost_answer_for_a_lost_commit, "UNIQUE constraint"),
        (_give_a_slot_back_for_every_report, "slot"),
        (_forget_who_asks_for_a_wake_up, "promise 7"),
    ],
)
def test_what_is_planted_is_found(plant: Plant, promise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)

    violation = first_violation(300)

    assert re.search(promise, violation), violation


# --- making a failure smaller


def test_a_failure_is_told_with_no_more_than_it_takes() -> None:
    tried: list[Sequence[int]] = []

    def still_fails(items: Sequence[int]) -> bool:
        tried.append(items)
        return 17 in items and 42 in items

    assert shrink(range(100), still_fails) == [17, 42]
    assert len(tried) < 100


def test_shrinking_is_bounded_and_may_find_that_nothing_is_needed() -> None:
    assert shrink([1, 2, 3], lambda items: True) == []
    assert len(shrink(range(1000), lambda items: len(items) > 400, tries=5)) > 400
