"""The keeper of a lease: when it renews, when it warns, when it gives up."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvloop

from holdfast.core.values import Instant, NodeId, RunKey, later
from holdfast.engine.lease import NodeLease
from holdfast.engine.lease_keeper import KeeperThread, LeaseKeeper
from holdfast.engine.loop_watch import Activity, Holder, LoopWatch
from holdfast.engine.tuning import Tuning
from holdfast.errors import LoopStalled, StoreUnavailable
from holdfast.ports.commits import Commit
from holdfast.ports.nodes import Stall
from holdfast.testing.clock import ManualClock

_RUN = RunKey(bytes(16))
_LEASE = dt.timedelta(seconds=15)
_LOOK = dt.timedelta(milliseconds=250)


class Renewals:
    """A store that only notes what it is asked to do."""

    def __init__(self) -> None:
        self.until: list[Instant] = []
        self.ended: list[Stall | None] = []
        self.is_ours = True
        self.is_away = False
        self.is_closed = False

    def renew(self, node: NodeId, since: Instant, until: Instant) -> bool:
        self._answer()
        self.until.append(until)
        return self.is_ours

    def end(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        self._answer()
        self.ended.append(stall)

    def close(self) -> None:
        self.is_closed = True

    def _answer(self) -> None:
        if self.is_away:
            raise StoreUnavailable("the store", "it is away")


class DeafLoop(LoopWatch):
    """A loop that answers only while `is_moving`."""

    is_moving = True
    holds = Holder("workflow 'spin' (run 1)", _RUN, None, "a stack")

    def post(self, callback: Callable[..., object], *args: Any) -> None:
        if self.is_moving:
            callback(*args)

    def holder(self) -> Holder:
        return self.holds


class World:
    """A node with one run, whose keeper has a turn whenever `pass_time` says so."""

    def __init__(self, **tuning: Any) -> None:
        self.clock = ManualClock()
        self.store = Renewals()
        self.lease = NodeLease(_LEASE)
        self.lease.is_kept = True
        self.activity = Activity()
        self.has_runs = True
        self.stalls: list[LoopStalled] = []
        self.watch = DeafLoop(self.clock, self.activity, lambda _: None, _LOOK)
        self.keeper = LeaseKeeper(
            self.store,
            self.lease,
            self.watch,
            self.clock,
            Tuning(lease=_LEASE, **tuning),
            namespace="default",
            node=NodeId("node"),
            has_runs=lambda: self.has_runs,
            on_stall=self.stalls.append,
        )

    def commit(self) -> None:
        """The first commit, which begins the lease."""
        now = self.clock.now()
        assert self.lease.commit(
            Commit("default", NodeId("node"), 1, now, self.lease.end_after(now)), now, is_checked=True
        )

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / _LOOK.total_seconds())):
            self.clock.advance(_LOOK)
            self.keeper.turn()

    @property
    def is_valid(self) -> bool:
        return self.lease.is_valid(self.clock.now())


@pytest.fixture
async def world() -> World:
    made = World()
    made.commit()
    return made


async def test_a_lease_is_renewed_at_a_third_of_its_length_and_lasts(world: World) -> None:
    began = world.clock.now()

    world.pass_time(16)

    assert world.store.until == [later(began, dt.timedelta(seconds=15 + each)) for each in (5, 10, 15)]
    assert world.is_valid


async def test_it_is_renewed_while_the_loop_is_busy_for_many_leases(world: World) -> None:
    world.watch.is_moving = False

    world.pass_time(59)

    assert world.is_valid
    assert not world.stalls


async def test_a_node_without_runs_renews_nothing_and_looks_at_nothing(world: World) -> None:
    world.has_runs = False

    assert world.keeper.turn() is None
    world.pass_time(60)

    assert world.store.until == []
    assert not world.is_valid


async def test_a_node_that_has_just_had_runs_is_looked_at_for_a_while(world: World) -> None:
    assert world.keeper.turn() is not None
    world.has_runs = False

    turns = [world.keeper.turn() for _ in range(6)]

    assert turns == [0.25] * 4 + [None] * 2, "many short runs must not wake the thread once each"


async def test_a_node_that_has_not_committed_yet_has_nothing_to_renew() -> None:
    world = World()

    world.pass_time(60)

    assert world.store.until == []


async def test_a_lease_that_another_node_has_ended_does_not_count(world: World) -> None:
    world.store.is_ours = False

    world.pass_time(6)

    assert not world.is_valid


async def test_a_renewal_of_an_earlier_lease_does_not_count_for_the_new_one(world: World) -> None:
    old = world.lease.since
    world.clock.advance(dt.timedelta(seconds=20))
    world.commit()
    until = world.lease.until

    world.lease.renew(old, world.clock.now(), later(until, _LEASE))
    world.lease.lose(old)

    assert world.lease.until == until


async def test_a_store_that_is_away_is_asked_again_and_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.store.is_away = True
    world.pass_time(14)
    assert [each.getMessage() for each in caplog.records if "cannot be renewed" in each.getMessage()] != []
    assert len(caplog.records) == 1

    world.store.is_away = False
    world.pass_time(2)

    assert world.is_valid


async def test_commits_renew_the_lease_if_the_keeper_cannot(world: World) -> None:
    world.store.is_away = True

    assert not world.lease.is_due(world.clock.now())
    world.pass_time(8)

    assert world.lease.is_due(world.clock.now())


async def test_after_a_second_it_warns_and_names_what_holds_up_the_loop(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.watch.is_moving = False
    world.pass_time(1)
    assert caplog.records == []

    world.pass_time(28)

    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2  # after 1 s and after 10 s
    assert "workflow 'spin' (run 1) has held up the event loop of node node for 1.0 s" in lines[0]
    assert lines[0].endswith("a stack")
    world.watch.is_moving = True
    world.watch._answer()  # pyright: ignore[reportPrivateUsage]
    world.pass_time(1)
    assert caplog.records[-1].getMessage() == "the event loop of node node moves again"


async def test_after_stall_seconds_the_run_is_charged_and_the_lease_ends(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.watch.is_moving = False

    world.pass_time(61)

    assert world.store.ended == [Stall(_RUN, None, "a stack")]
    assert not world.is_valid
    (stall,) = world.stalls
    assert (round(stall.seconds), stall.holder) == (60, "workflow 'spin' (run 1)")
    assert caplog.records[-1].levelno == logging.CRITICAL
    renewed = len(world.store.until)
    world.pass_time(60)
    assert len(world.store.until) == renewed
    assert len(world.stalls) == 1


async def test_a_lease_that_has_ended_stays_so_whatever_the_loop_does_then(world: World) -> None:
    world.watch.is_moving = False
    world.pass_time(61)

    world.commit()
    world.lease.renew(world.lease.since, world.clock.now(), world.lease.end_after(world.clock.now()))

    assert not world.is_valid


async def test_nobody_is_charged_if_no_run_holds_up_the_loop(world: World) -> None:
    world.watch.is_moving = False
    world.watch.holds = Holder("a callback that belongs to no run")

    world.pass_time(61)

    assert world.store.ended == [None]


async def test_the_charge_is_tried_again_while_the_store_is_away(world: World) -> None:
    world.watch.is_moving = False
    world.pass_time(59)
    world.store.is_away = True
    world.pass_time(3)
    assert not world.stalls

    world.store.is_away = False
    world.pass_time(1)

    assert world.store.ended == [Stall(_RUN, None, "a stack")]
    assert len(world.stalls) == 1


async def test_a_store_that_stays_away_does_not_keep_a_stalled_node_alive(world: World) -> None:
    world.watch.is_moving = False
    world.store.is_away = True

    world.pass_time(70)

    assert len(world.stalls) == 1


async def test_a_process_that_stood_still_as_a_whole_is_not_blamed_on_its_loop(world: World) -> None:
    """The keeper has no turn while the process is stopped. When both go on, the loop gets time to answer."""
    world.watch.is_moving = False
    world.pass_time(1)
    world.clock.advance(dt.timedelta(hours=1))

    world.keeper.turn()

    assert not world.stalls


async def test_who_was_asked_to_stop_gets_the_drain_time_only() -> None:
    world = World(drain=dt.timedelta(seconds=3))
    world.commit()
    world.has_runs = False
    world.watch.is_moving = False

    world.keeper.expect_stop()
    world.pass_time(5)

    assert len(world.stalls) == 1
    assert world.store.ended == [None]  # it was not given the time for which runs are charged


async def test_the_drain_time_begins_when_the_node_is_asked_to_stop() -> None:
    world = World(drain=dt.timedelta(seconds=9))
    world.commit()
    world.watch.is_moving = False
    world.pass_time(8)

    world.keeper.expect_stop()
    world.pass_time(7)
    before = len(world.stalls)
    world.pass_time(4)

    assert (before, len(world.stalls)) == (0, 1)


async def test_a_process_whose_node_has_given_up_is_ended_when_it_is_asked_to_stop() -> None:
    world = World(drain=dt.timedelta(seconds=3))
    world.commit()
    world.watch.is_moving = False
    world.pass_time(70)
    given_up = len(world.stalls)

    world.keeper.expect_stop()
    world.pass_time(5)

    assert (given_up, len(world.stalls)) == (1, 2)
    assert len(world.store.ended) == 1


async def test_but_not_if_its_loop_moves_again() -> None:
    world = World(drain=dt.timedelta(seconds=3))
    world.commit()
    world.watch.is_moving = False
    world.pass_time(70)
    world.watch.is_moving = True
    world.watch._answer()

    world.keeper.expect_stop()
    world.pass_time(120)

    assert len(world.stalls) == 1


async def test_who_was_asked_to_stop_and_moves_is_let_be() -> None:
    world = World(drain=dt.timedelta(seconds=0))
    world.commit()

    world.keeper.expect_stop()
    world.pass_time(120)

    assert not world.stalls


async def test_the_thread_sleeps_until_a_run_comes_and_ends_when_it_is_told_to() -> None:
    world = World()
    world.has_runs = False
    turns: list[float] = []
    turn = world.keeper.turn

    def count() -> float | None:
        turns.append(time.monotonic())
        return turn()

    world.keeper.turn = count
    thread = KeeperThread(world.keeper, world.activity)
    thread.start()
    await _until(lambda: world.activity.is_unwatched and len(turns) == 1)

    world.has_runs = True
    world.activity.begin(None)  # pyright: ignore[reportArgumentType]  # which run it is does not matter
    await _until(lambda: len(turns) > 2)

    thread.close()
    await thread.wait_until_closed()
    assert world.store.is_closed
    assert "holdfast-lease" not in {each.name for each in threading.enumerate()}


async def test_a_loop_that_sleeps_in_a_task_is_found_with_the_task_that_sleeps() -> None:
    clock, activity = ManualClock(), Activity()
    watch = LoopWatch(clock, activity, lambda task: None, _LOOK)
    found: list[Holder] = []

    async def sleepy() -> None:
        looking = threading.Thread(target=lambda: found.append(watch.holder()))
        looking.start()
        looking.join()

    await asyncio.create_task(sleepy(), name="a nap")

    (holder,) = found
    assert holder.words == "asyncio task 'a nap', which belongs to no run"
    assert "in sleepy" in holder.stack
    assert holder.run is None


class UnheardWatch(LoopWatch):
    """Its questions do not reach the loop, as on a machine that gives the loop's thread no CPU time."""

    def post(self, callback: Callable[..., object], *args: Any) -> None:
        pass


def _silence_of(watch: LoopWatch, clock: ManualClock) -> int:
    watch.look()
    for _ in range(8):
        clock.advance(_LOOK)
        watch.look()
    return watch.look()


Loop = Callable[[], asyncio.AbstractEventLoop]
_each_loop = pytest.mark.parametrize(
    "loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)


@_each_loop
def test_a_loop_that_waits_for_something_to_do_is_not_held_up(loop: Loop) -> None:
    async def wait() -> int:
        clock = ManualClock()
        watch = UnheardWatch(clock, Activity(), lambda task: None, _LOOK)
        running, over = asyncio.get_running_loop(), asyncio.Event()

        def look() -> int:
            time.sleep(0.05)  # the loop has nothing to do now but to wait
            silence = _silence_of(watch, clock)
            running.call_soon_threadsafe(over.set)
            return silence

        with ThreadPoolExecutor(1) as pool:
            looking = pool.submit(look)
            await over.wait()
            return looking.result()

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(wait()) == 0


@_each_loop
def test_a_loop_whose_code_waits_for_a_descriptor_is_held_up(loop: Loop) -> None:
    async def block() -> int:
        clock = ManualClock()
        watch = UnheardWatch(clock, Activity(), lambda task: None, _LOOK)
        receiver, sender = socket.socketpair()

        def look() -> int:
            time.sleep(0.05)
            silence = _silence_of(watch, clock)
            sender.send(b"over")
            return silence

        with receiver, sender, selectors.DefaultSelector() as selector, ThreadPoolExecutor(1) as pool:
            selector.register(receiver, selectors.EVENT_READ)
            looking = pool.submit(look)
            selector.select(60)  # as the blocking client of some service does
            return looking.result()

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(block()) == 8 * _LOOK // dt.timedelta(microseconds=1)


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
