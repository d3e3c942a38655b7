from __future__ import annotations

import asyncio
import datetime as dt
import gc
import threading
import time
import warnings
import weakref
from contextvars import ContextVar

import pytest
from tests.executors.gate import Gate, thread_name
from tests.executors.recorder import Recorder, failure_of, value_of
from tests.patience import PATIENCE, until

from holdfast.core.values import Cancelled
from holdfast.errors import OutsideContext
from holdfast.executors.context import task_context
from holdfast.executors.threads import ThreadExecutor


async def test_cancel_interrupts_a_running_function_which_may_clean_up(threads: Recorder) -> None:
    gate = Gate()
    cleaned: list[bool] = []

    def hold() -> None:
        try:
            gate.wait()
        except Exception:
            cleaned.append(False)
        finally:
            cleaned.append(task_context().cancelled)

    attempt = threads.start(hold)
    await gate.wait_for_arrival()
    threads.executor.cancel(attempt)

    assert await threads.outcome_of(attempt) == Cancelled()
    assert cleaned == [True]


async def test_an_endless_loop_is_ended(threads: Recorder) -> None:
    spinning = threading.Event()

    def spin() -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            spinning.set()

    attempt = threads.start(spin)
    assert await asyncio.to_thread(spinning.wait, PATIENCE)
    began = time.monotonic()
    threads.executor.cancel(attempt)

    assert await threads.outcome_of(attempt) == Cancelled()
    assert time.monotonic() - began < PATIENCE / 2


async def test_a_thread_that_was_interrupted_runs_the_next_attempt() -> None:
    one = Recorder(ThreadExecutor, capacity=1)
    gate = Gate()

    def hold() -> str:
        gate.wait()
        return thread_name()

    attempt = one.start(hold)
    await gate.wait_for_arrival()
    one.executor.cancel(attempt)

    assert await one.outcome_of(attempt) == Cancelled()
    assert value_of(await one.run(thread_name)) == "holdfast-task-1"
    await one.executor.stop()


async def test_a_task_that_waits_for_a_thread_is_cancelled_at_once_and_never_called() -> None:
    one = Recorder(ThreadExecutor, capacity=1)
    gate = Gate()
    calls: list[int] = []

    def call() -> None:
        calls.append(1)

    first = one.start(gate.wait)
    await gate.wait_for_arrival()
    second = one.start(call)
    one.executor.cancel(second)
    one.executor.cancel(second)

    assert await one.outcome_of(second) == Cancelled()
    gate.is_open = True
    assert value_of(await one.outcome_of(first)) is None
    await one.executor.stop()
    assert calls == []
    assert len(one.reports) == 2


async def test_a_function_that_goes_on_after_cancel_reports_what_it_did(threads: Recorder) -> None:
    gate = Gate()

    def stubborn() -> str:
        try:
            gate.wait()
        except asyncio.CancelledError:
            pass
        return "saved"

    attempt = threads.start(stubborn)
    await gate.wait_for_arrival()
    threads.executor.cancel(attempt)

    assert value_of(await threads.outcome_of(attempt)) == "saved"


async def test_a_second_cancel_does_not_interrupt_the_clean_up(threads: Recorder) -> None:
    gate, tidying = Gate(), Gate()
    steps: list[str] = []

    def hold() -> None:
        try:
            gate.wait()
        finally:
            tidying.wait()
            steps.append("tidied")

    attempt = threads.start(hold)
    await gate.wait_for_arrival()
    threads.executor.cancel(attempt)
    await tidying.wait_for_arrival()
    threads.executor.cancel(attempt)
    tidying.is_open = True

    assert await threads.outcome_of(attempt) == Cancelled()
    assert steps == ["tidied"]


async def test_a_thread_inside_c_code_reports_once_it_returns(threads: Recorder) -> None:
    entered, release = threading.Event(), threading.Lock()
    release.acquire()
    seen: list[bool] = []

    def blocked() -> None:
        entered.set()
        with release:
            seen.append(task_context().cancelled)

    attempt = threads.start(blocked)
    assert await asyncio.to_thread(entered.wait, PATIENCE)
    threads.executor.cancel(attempt)
    await asyncio.sleep(0.05)
    assert threads.reports == []

    release.release()

    assert await threads.outcome_of(attempt) == Cancelled()


async def test_threads_are_started_as_they_are_needed_and_reused() -> None:
    pool = Recorder(ThreadExecutor, capacity=3)
    assert pool.executor.capacity == 3

    names = {value_of(await pool.run(thread_name)) for _ in range(20)}
    assert names == {"holdfast-task-1"}

    gate = Gate()
    held = [pool.start(gate.wait) for _ in range(9)]
    await gate.wait_for_arrival()
    await asyncio.sleep(0.02)  # for a fourth, if there should be one
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("holdfast-task-")]
    assert len(ours) == 3
    assert all(thread.daemon for thread in ours)

    gate.is_open = True
    for attempt in held:
        await pool.outcome_of(attempt)
    await pool.executor.stop()
    assert not any(thread.is_alive() for thread in ours)


async def test_stop_with_a_thread_stuck_in_c_code_is_bounded_and_the_thread_ends_later(
    threads: Recorder,
) -> None:
    entered, release = threading.Event(), threading.Lock()
    release.acquire()

    def stuck() -> None:
        entered.set()
        with release:
            task_context().heartbeat("nobody listens")

    threads.start(stuck)
    assert await asyncio.to_thread(entered.wait, PATIENCE)
    [thread] = [one for one in threading.enumerate() if one.name == "holdfast-task-1"]
    began = time.monotonic()
    await threads.executor.stop(grace=dt.timedelta(milliseconds=50))

    assert time.monotonic() - began < PATIENCE
    assert thread.is_alive()
    release.release()
    await asyncio.to_thread(thread.join, PATIENCE)
    assert not thread.is_alive()
    await asyncio.sleep(0.01)
    assert threads.reports == []
    assert threads.beats == []


def test_a_thread_that_outlives_its_loop_ends_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    entered, release = threading.Event(), threading.Lock()
    release.acquire()

    def stuck() -> None:
        entered.set()
        try:
            with release:
                pass
        finally:
            task_context().heartbeat("nobody is there")

    async def leave_behind() -> threading.Thread:
        recorder = Recorder(ThreadExecutor)
        recorder.start(stuck)
        assert await asyncio.to_thread(entered.wait, PATIENCE)
        await recorder.executor.stop(grace=dt.timedelta(milliseconds=10))
        return next(one for one in threading.enumerate() if one.name == "holdfast-task-1")

    thread = asyncio.run(leave_behind())
    release.release()
    thread.join(PATIENCE)

    assert not thread.is_alive()
    assert capfd.readouterr().err == ""


async def test_stop_ends_running_and_waiting_attempts_and_reports_none() -> None:
    pool = Recorder(ThreadExecutor, capacity=2)
    gate = Gate()
    for _ in range(10):
        pool.start(gate.wait)
    await gate.wait_for_arrival()

    await pool.executor.stop()
    await asyncio.sleep(0.01)

    assert pool.reports == []


async def test_heartbeats_of_a_tight_loop_are_few_on_the_event_loop_and_the_last_one_counts(
    threads: Recorder,
) -> None:
    def count() -> float:
        began = time.monotonic()
        for page in range(20_000):
            task_context().heartbeat(page)
        return time.monotonic() - began

    took = value_of(await threads.run(count))

    assert threads.beats == sorted(threads.beats)
    assert threads.beats[-1] == 19_999
    assert len(threads.beats) <= took / 0.05 + 3


async def test_a_heartbeat_is_heard_while_the_function_still_runs(threads: Recorder) -> None:
    gate = Gate()

    def work() -> None:
        task_context().heartbeat({"done": 1})
        gate.wait()

    attempt = threads.start(work)
    await gate.wait_for_arrival()
    await until(lambda: threads.beats)

    assert threads.beats == [{"done": 1}]
    gate.is_open = True
    await threads.outcome_of(attempt)
    assert threads.beats == [{"done": 1}]


async def test_a_heartbeat_without_details_does_not_wipe_those_before_it(threads: Recorder) -> None:
    def work() -> None:
        for beat in (1, None, 2, None):
            task_context().heartbeat(beat)

    await threads.run(work)

    assert [beat for beat in threads.beats if beat is not None][-1] == 2


async def test_a_report_that_raises_does_not_take_the_other_reports_with_it(threads: Recorder) -> None:
    troubles: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, trouble: troubles.append(trouble["exception"])
    )

    def stumble(attempt: object, outcome: object) -> None:
        if len(threads.reports) == 1:
            raise RuntimeError("a fault in the engine")

    threads.on_report = stumble
    attempts = [threads.start(thread_name) for _ in range(20)]
    threading.Event().wait(0.1)  # the loop is held up, so that all are reported in one go
    for attempt in attempts:
        await threads.outcome_of(attempt)

    assert [str(one) for one in troubles] == ["a fault in the engine"]


async def test_an_idle_thread_keeps_nothing_of_the_last_attempt_alive() -> None:
    pool = Recorder(ThreadExecutor, capacity=1)

    class Big:
        pass

    loaded: ContextVar[Big] = ContextVar("loaded")
    seen: list[weakref.ref[Big]] = []

    def load() -> None:
        big = Big()
        seen.append(weakref.ref(big))
        loaded.set(big)

    await pool.run(load)
    pool.reports.clear()

    def is_gone() -> bool:
        gc.collect()
        return seen[0]() is None

    await until(is_gone)
    await pool.executor.stop()


async def test_outside_a_task_the_context_says_where_it_can_be_had() -> None:
    with pytest.raises(OutsideContext, match="@task"):
        task_context()


async def test_ten_thousand_functions_are_done_in_seconds(threads: Recorder) -> None:
    def nothing() -> None:
        pass

    began = time.monotonic()
    for _ in range(10_000):
        threads.start(nothing)
    await threads.wait_for_reports(10_000)

    assert time.monotonic() - began < PATIENCE


async def test_an_awaitable_that_a_function_returns_is_awaited_on_the_event_loop(threads: Recorder) -> None:
    places: list[str] = []

    async def later() -> str:
        places.append(thread_name())
        await asyncio.sleep(0)
        return task_context().name

    def hand_over() -> object:
        places.append(thread_name())
        return later()

    attempt = threads.start(hand_over)

    assert value_of(await threads.outcome_of(attempt)) == "hand_over"
    assert places[0].startswith("holdfast-task")
    assert places[1] == thread_name()


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3)])
async def test_the_failure_of_such_an_awaitable_is_that_of_the_attempt(
    threads: Recorder, error: BaseException
) -> None:
    async def later() -> None:
        raise error

    def hand_over() -> object:
        return later()

    attempt = threads.start(hand_over)

    assert failure_of(await threads.outcome_of(attempt)).type == type(error).__name__


@pytest.mark.parametrize("rounds", range(6))
async def test_cancel_ends_an_attempt_wherever_it_is_between_thread_and_loop(
    threads: Recorder, rounds: int
) -> None:
    cleaned: list[bool] = []

    async def hang() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            cleaned.append(task_context().cancelled)

    def hand_over() -> object:
        returned.set()
        return hang()

    returned = threading.Event()
    attempt = threads.start(hand_over)
    returned.wait(PATIENCE)  # without `await`, so the loop has heard nothing of it yet
    if rounds:
        time.sleep(0.01)  # noqa: ASYNC251
    for _ in range(rounds - 1):
        await asyncio.sleep(0)
    with warnings.catch_warnings(record=rounds == 0):  # an interrupt may strike before it is handed over
        threads.executor.cancel(attempt)
        threads.executor.cancel(attempt)

        assert await threads.outcome_of(attempt) == Cancelled()
    assert cleaned in ([], [True])
    assert rounds < 5 or cleaned


async def test_stop_waits_for_the_awaitables() -> None:
    threads = Recorder(ThreadExecutor)
    hanging, cleaned = asyncio.Event(), list[int]()

    async def hang() -> None:
        hanging.set()
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            await asyncio.sleep(0.01)
            cleaned.append(1)

    def hand_over() -> object:
        return hang()

    threads.start(hand_over)
    await hanging.wait()
    await threads.executor.stop()

    assert cleaned == [1]
    assert threads.reports == []
