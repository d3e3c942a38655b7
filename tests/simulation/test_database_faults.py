"""What a simulated database does on a bad day, and what engines and clients make of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from random import Random

import pytest
from tests.simulation import workflows as w
from tests.simulation.jobs import Job, Jobs, Signalled

from holdfast.client import waiters
from holdfast.engine.committing import StoreOutage
from holdfast.engine.store_poller import StorePoller
from holdfast.testing.simulation.faults import (
    Fault,
    LostNotifications,
    ReadOnly,
    SlowFsync,
    draw_plan,
)
from holdfast.testing.simulation.interruptible import InterruptibleCall
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import SECOND, Violation


class SparedClient(Jobs):
    """The faults of the database strike nodes only."""

    is_client_spared = True
    deadly = ()


def simulate(
    plan: Sequence[Fault], *, seed: int = 1, span: int = 120, nodes: int = 2, jobs: list[Job] | None = None
) -> Simulation:
    wanted = jobs or [Job(f"job-{each}", w.sequence, 6, expected=15) for each in range(5)]
    scenario = SparedClient(wanted)
    simulation = Simulation(seed, scenario, plan=plan, span=span * SECOND, nodes=nodes, is_traced=True)
    simulation.run()
    return simulation


def lines_of(simulation: Simulation, part: str) -> list[str]:
    return [line for line in simulation.world.trace if part in line]


def seconds_of(line: str) -> float:
    return float(line.split(maxsplit=1)[0])


# --- read-only


def test_a_database_that_is_read_only_for_a_while_is_waited_for_with_few_statements() -> None:
    simulation = simulate([ReadOnly(None, 2 * SECOND, 60 * SECOND)])

    assert simulation.struck["ReadOnly"] == 1
    assert lines_of(simulation, "it is read-only now")
    commits = [line for line in simulation.world.trace if re.search(r"Commit .*-> Receipt", line)]
    assert [line for line in commits if seconds_of(line) > 62]
    assert not [line for line in commits if 2.1 < seconds_of(line) < 62]


def test_a_server_that_is_read_only_for_one_node_holds_up_no_other() -> None:
    simulation = simulate([ReadOnly("node-1", 2 * SECOND, 100 * SECOND)], jobs=late_runs())

    [end] = map(seconds_of, lines_of(simulation, "the faults are over"))
    commits = [line for line in lines_of(simulation, "Commit") if 3 < seconds_of(line) < end]
    assert {line.split()[1] for line in commits if "-> Receipt" in line} == {"node-2.1"}


def test_a_node_that_spins_on_a_read_only_database_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(self: StoreOutage, error: Exception) -> None:
        pass

    monkeypatch.setattr(StoreOutage, "wait", wait)

    with pytest.raises(Violation, match=r"nobody spins: node-\d.1 has sent \d+ statements"):
        simulate([ReadOnly(None, 2 * SECOND, 60 * SECOND)])


# --- a slow disk


@pytest.mark.parametrize("has_one_writer", [True, False])
def test_nobody_sees_a_write_before_its_fsync_is_over(has_one_writer: bool) -> None:
    simulation = simulate([SlowFsync(SECOND, 100 * SECOND, 8 * SECOND, has_one_writer)])

    done = [seconds_of(line) for line in lines_of(simulation, "-> ") if 1.1 < seconds_of(line) < 100]
    gaps = [later - sooner for sooner, later in itertools.pairwise(done)]
    assert max(gaps) > 1
    if not has_one_writer:
        return
    # One write after the other, and each takes up to 8 s: 4 s on average.
    assert 8 < len(done) < 50


@pytest.mark.parametrize("has_one_writer", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_fsyncs_that_take_longer_than_a_lease_lose_and_repeat_nothing(
    has_one_writer: bool, seed: int
) -> None:
    simulation = simulate([SlowFsync(SECOND, 150 * SECOND, 30 * SECOND, has_one_writer)], seed=seed, span=160)

    assert simulation.struck["SlowFsync"] == 1
    assert lines_of(simulation, "database is locked" if has_one_writer else "no answer for")


def test_a_client_that_is_spared_waits_for_the_disk_as_long_as_it_takes() -> None:
    jobs = [Job(f"late-{each}", w.sequence, 1, expected=0, start_after=2 + each) for each in range(8)]
    talking = Signalled("talking", w.receives, 8, numbers=8, has_stop=False, pause=1.0)
    simulation = simulate([SlowFsync(SECOND, 200 * SECOND, 60 * SECOND, True)], jobs=[talking, *jobs])

    assert simulation.struck["SlowFsync"] == 1
    assert talking.most_tries == 1


def test_a_renewal_that_waits_for_the_disk_holds_up_neither_its_loop_nor_the_world() -> None:
    jobs: list[Job] = [Job("long", w.sequence, 12, expected=66)]
    simulation = simulate([SlowFsync(SECOND, 60 * SECOND, 4 * SECOND, False)], jobs=jobs, span=100)

    renewals = [seconds_of(line) for line in lines_of(simulation, "renew_lease -> bool")]
    assert [at for at in renewals if 1 < at < 61]


def test_a_call_that_waits_is_continued_where_it_was_and_can_be_ended() -> None:
    said: list[str] = []

    def wait_twice() -> str:
        said.append("begun")
        call.wait(5)
        said.append("again")
        call.wait(7)
        return "done"

    call = InterruptibleCall(wait_twice)
    assert said == []
    assert call.go_on() == 5
    assert call.go_on() == 7
    assert said == ["begun", "again"]
    assert call.go_on() is None
    assert call.result == "done"

    call = InterruptibleCall(wait_twice)
    call.go_on()
    call.abandon()
    assert said == ["begun", "again", "begun"]


def test_what_a_call_raises_is_raised_to_the_world() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        InterruptibleCall(fail).go_on()


# --- lost notifications


def late_runs() -> list[Job]:
    """Runs that a client starts while the only node has nothing to do. Then it waits for them."""
    jobs = [Job(f"job-{each}", w.sequence, 2, expected=1) for each in range(3)]
    for job in jobs:
        job.start_after = 30
    return jobs


NOBODY_IS_TOLD = [LostNotifications(None, 0, 1000 * SECOND, 1.0)]


def test_without_notifications_everything_is_found_by_polling() -> None:
    told = simulate([], jobs=late_runs(), span=1000, nodes=1)
    polled = simulate(NOBODY_IS_TOLD, jobs=late_runs(), span=1000, nodes=1)

    took, took_longer = [each.world.now - each.world.began for each in (told, polled)]
    assert took < took_longer
    # A node polls every 20 s, and who waits for a run every 2 s.
    assert took_longer < took + 2 * 22 * SECOND


def _never_poll(patch: pytest.MonkeyPatch) -> None:
    init = StorePoller.__init__

    def made(self: StorePoller, *args: object) -> None:
        init(self, *args)  # pyright: ignore[reportArgumentType]
        self._poll_every *= 100_000

    patch.setattr(StorePoller, "__init__", made)


def _wait_for_notifications_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(waiters, "_POLL_SECONDS", 1e9)


@pytest.mark.parametrize("plant", [_never_poll, _wait_for_notifications_only])
def test_and_who_relies_on_notifications_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)

    with pytest.raises(Violation):
        simulate(NOBODY_IS_TOLD, jobs=late_runs(), span=1000, nodes=1)


# --- the plan


def test_all_of_it_is_drawn_from_the_seed_and_told() -> None:
    drawn = [fault for seed in range(200) for fault in draw_plan(Random(seed), ["node-1"], 60 * SECOND, 30)]

    told = {str(fault).split("(")[0]: str(fault) for fault in drawn}
    assert re.fullmatch(r"SlowFsync\(at=.*s, lasts=.*s, delay=.*s, has_one_writer=.*\)", told["SlowFsync"])
    assert re.fullmatch(r"ReadOnly\(machine=.*, at=.*s, lasts=.*s\)", told["ReadOnly"])
    lost = r"LostNotifications\(machine=.*, at=.*s, lasts=.*s, chance=.*\)"
    assert re.fullmatch(lost, told["LostNotifications"])
    slow = [fault for fault in drawn if isinstance(fault, SlowFsync)]
    assert max(fault.delay for fault in slow) > 20 * SECOND  # longer than a lease
