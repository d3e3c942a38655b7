"""The moment of interruption: `cancel` hits its own attempt, whenever it comes, and nothing else."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from tests.executors.gate import Gate, thread_name
from tests.executors.recorder import Recorder, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Cancelled, Outcome
from holdfast.executors import threads as threads_module
from holdfast.executors.threads import ThreadExecutor


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads take turns after every few steps instead of every few milliseconds: races come out.

    The garbage collector is off. It runs finalizers of other tests' event loops on whichever thread is at
    work, and an interrupt that strikes inside one is lost.
    """
    before = sys.getswitchinterval()
    gc.collect()
    gc.disable()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    gc.enable()


@pytest.mark.parametrize("steps", [0, 30, 300])
async def test_cancel_at_any_moment_hits_its_own_attempt_and_no_other(
    steps: int, eager_switching: None
) -> None:
    """Two hundred races between the end of a function and its cancellation, on threads that are reused."""
    pool = Recorder(ThreadExecutor, capacity=2)

    def short(length: int) -> str:
        for _ in range(length):
            pass
        return "done"

    bystander_failures: list[object] = []
    cancelled = 0
    for race in range(200):
        victim = pool.start(short, steps)
        bystander = pool.start(short, 5)
        deadline = time.perf_counter() + (race % 40) * 5e-6
        while time.perf_counter() < deadline:
            pass
        pool.executor.cancel(victim)
        outcome = await pool.outcome_of(victim)
        if outcome == Cancelled():
            cancelled += 1
        else:
            assert value_of(outcome) == "done"
        after = await pool.outcome_of(bystander)
        if after == Cancelled():
            bystander_failures.append(after)
        pool.reports.clear()

    assert bystander_failures == []
    assert cancelled > 0
    names = {value_of(await pool.run(thread_name)) for _ in range(10)}
    assert names <= {"holdfast-task-1", "holdfast-task-2"}
    await pool.executor.stop()


async def test_cancelling_many_at_once_leaves_no_interrupt_for_those_that_come_after(
    eager_switching: None,
) -> None:
    """Up to Python 3.12 a flag that an interrupt waits is shared by all threads: one may hide another's."""
    pool = Recorder(ThreadExecutor, capacity=6)

    def short(length: int) -> str:
        for _ in range(length):
            pass
        return "done"

    for race in range(100):
        victims = [pool.start(short, race * 5) for _ in range(6)]
        for victim in victims:
            pool.executor.cancel(victim)
        for victim in victims:
            await pool.outcome_of(victim)
        after = [await pool.outcome_of(one) for one in [pool.start(short, 50) for _ in range(6)]]
        assert [value_of(outcome) for outcome in after] == ["done"] * 6
        pool.reports.clear()
    await pool.executor.stop()


async def test_a_function_that_ends_while_the_interrupt_is_being_sent_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = threads_module._set_async_exception

    def send_slowly(thread: int, error: Any) -> int:
        if thread != threading.get_ident():
            gate.is_open = True
            returning.wait(PATIENCE)
            threading.Event().wait(0.02)
        return send(thread, error)

    monkeypatch.setattr(threads_module, "_set_async_exception", send_slowly)
    one = Recorder(ThreadExecutor, capacity=1)
    for _ in range(5):
        gate, returning = Gate(), threading.Event()

        def wait(gate: Gate = gate, returning: threading.Event = returning) -> None:
            gate.wait()
            returning.set()

        attempt = one.start(wait)
        await gate.wait_for_arrival()
        one.executor.cancel(attempt)

        assert value_of(await one.outcome_of(attempt)) is None
        assert value_of(await one.run(thread_name)) == "holdfast-task-1"
    await one.executor.stop()


async def test_a_thread_goes_on_though_an_interrupt_is_lost_in_a_finalizer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = threads_module._set_async_exception
    lost: list[int] = []

    def lose_the_first_of_the_thread_itself(thread: int, error: Any) -> int:
        if thread == threading.get_ident() and not lost:
            lost.append(thread)
            return 1
        return send(thread, error)

    monkeypatch.setattr(threads_module, "_set_async_exception", lose_the_first_of_the_thread_itself)
    one = Recorder(ThreadExecutor, capacity=1)
    gate = Gate()

    def ignore_the_interrupt() -> str:
        try:
            gate.wait()
        except asyncio.CancelledError:
            pass
        return "done"

    attempt = one.start(ignore_the_interrupt)
    await gate.wait_for_arrival()
    one.executor.cancel(attempt)

    await one.outcome_of(attempt)
    assert len(lost) == 1
    assert value_of(await one.run(thread_name)) == "holdfast-task-1"
    await one.executor.stop()


class Stepper:
    """Stops a thread before step number `stop_at` of the code between taking an attempt and leaving it."""

    WATCHED = frozenset({"_perform", "_call", "begin", "leave", "outcome_of", "task"})

    def __init__(self, stop_at: int) -> None:
        self.stop_at = stop_at
        self.steps = 0
        self.is_armed = False
        self.has_stopped = threading.Event()
        self.may_go_on = threading.Lock()
        self.may_go_on.acquire()

    def install(self) -> None:
        """On the thread: whatever it calls from now on is traced."""
        sys.settrace(self)

    def __call__(self, frame: FrameType, event: str, argument: object) -> Stepper | None:
        if not self.is_armed or frame.f_code.co_name not in self.WATCHED:
            return None
        frame.f_trace_opcodes = True
        if event in ("opcode", "line"):  # some releases of Python 3.12 tell only of lines
            self.steps += 1
            if self.steps == self.stop_at:
                self.has_stopped.set()
                self.may_go_on.acquire(timeout=PATIENCE)
        return self


async def cancel_at(step: int) -> Outcome | None:
    """The outcome of a task that is cancelled before this step; None if it has fewer steps."""

    def task() -> str:
        return "done"

    stepper = Stepper(step)
    one = Recorder(ThreadExecutor, capacity=1)
    await one.run(stepper.install)
    stepper.is_armed = True
    attempt = one.start(task)
    arrival = asyncio.create_task(asyncio.to_thread(stepper.has_stopped.wait, PATIENCE))
    ending = asyncio.create_task(one.outcome_of(attempt))
    await asyncio.wait([arrival, ending], return_when=asyncio.FIRST_COMPLETED)
    was_stopped = stepper.has_stopped.is_set()
    stepper.has_stopped.set()
    await arrival

    one.executor.cancel(attempt)
    stepper.may_go_on.release()

    outcome = await ending
    assert value_of(await one.run(thread_name)) == "holdfast-task-1"
    await one.executor.stop()
    return outcome if was_stopped else None


async def test_cancel_between_any_two_steps_is_reported_once_and_leaves_the_thread_usable() -> None:
    outcomes: list[Outcome] = []
    for step in range(1, 1000):
        outcome = await cancel_at(step)
        if outcome is None:
            break
        outcomes.append(outcome)

    assert len(outcomes) > 10
    done = [outcome != Cancelled() for outcome in outcomes]
    assert done == sorted(done)  # cancelled up to some step, done from there on
    assert {False, True} == set(done)
