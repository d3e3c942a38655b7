from __future__ import annotations

import asyncio
import datetime as dt
import gc
import sys
import time
from types import FrameType

from tests.executors.recorder import Recorder, failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Cancelled
from holdfast.executors.context import task_context
from holdfast.executors.inline import InlineExecutor


async def forever() -> None:
    await asyncio.Event().wait()


async def test_cancel_ends_a_task_that_waits(inline: Recorder) -> None:
    cleaned: list[bool] = []

    async def hold() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(task_context().cancelled)

    attempt = inline.start(hold)
    await asyncio.sleep(0)
    inline.executor.cancel(attempt)

    assert await inline.outcome_of(attempt) == Cancelled()
    assert cleaned == [True]


async def test_cancel_before_the_first_step_means_the_task_is_never_called(inline: Recorder) -> None:
    calls: list[int] = []

    async def call() -> None:
        calls.append(1)

    attempt = inline.start(call)
    inline.executor.cancel(attempt)
    inline.executor.cancel(attempt)

    assert await inline.outcome_of(attempt) == Cancelled()
    assert calls == []


async def test_a_task_that_goes_on_after_cancel_reports_what_it_did(inline: Recorder) -> None:
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
        return "saved"

    attempt = inline.start(stubborn)
    await asyncio.sleep(0)
    inline.executor.cancel(attempt)

    assert value_of(await inline.outcome_of(attempt)) == "saved"


async def test_a_second_cancel_does_not_interrupt_the_clean_up(inline: Recorder) -> None:
    steps: list[str] = []

    async def tidy() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.02)
            steps.append("tidied")

    attempt = inline.start(tidy)
    await asyncio.sleep(0)
    inline.executor.cancel(attempt)
    await asyncio.sleep(0.005)
    inline.executor.cancel(attempt)

    assert await inline.outcome_of(attempt) == Cancelled()
    assert steps == ["tidied"]


async def test_an_error_in_the_clean_up_is_a_failure(inline: Recorder) -> None:
    async def clumsy() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("disk is full")

    attempt = inline.start(clumsy)
    await asyncio.sleep(0)
    inline.executor.cancel(attempt)

    assert failure_of(await inline.outcome_of(attempt)).type == "OSError"


async def test_asyncio_timeouts_and_task_groups_work_inside_a_task(inline: Recorder) -> None:
    async def twice(number: int) -> int:
        assert task_context().name == "compose"
        return number * 2

    async def compose() -> list[int | str]:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        except TimeoutError:
            pass
        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(twice(n)) for n in range(3)]
        task = asyncio.current_task()
        assert task is not None
        return [*(part.result() for part in parts), task.get_name()]

    assert value_of(await inline.run(compose)) == [0, 2, 4, "compose"]


async def test_a_plain_helper_thread_of_a_task_may_beat(inline: Recorder) -> None:
    def crunch() -> None:
        task_context().heartbeat({"page": 3})

    async def delegate() -> None:
        await asyncio.to_thread(crunch)
        await asyncio.sleep(0.02)

    await inline.run(delegate)

    assert inline.beats == [{"page": 3}]


async def test_stop_ends_every_task_and_reports_nothing(inline: Recorder) -> None:
    ended: list[int] = []

    async def hold() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            task_context().heartbeat("too late")
            ended.append(1)

    for _ in range(5):
        inline.start(hold)
    await asyncio.sleep(0)
    await inline.executor.stop()
    await asyncio.sleep(0.01)

    assert len(ended) == 5
    assert inline.reports == []
    assert inline.beats == []


async def test_stop_does_not_wait_for_ever_for_a_task_that_will_not_end(inline: Recorder) -> None:
    released = asyncio.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue

    inline.start(stubborn)
    await asyncio.sleep(0)
    began = time.perf_counter()
    await inline.executor.stop(grace=dt.timedelta(milliseconds=50))

    assert time.perf_counter() - began < PATIENCE
    released.set()
    await asyncio.sleep(0.01)
    assert inline.reports == []


def test_a_loop_that_is_thrown_away_with_tasks_on_it_reports_nothing() -> None:
    loop = asyncio.new_event_loop()

    async def begin() -> Recorder:
        recorder = Recorder(InlineExecutor)
        recorder.start(forever)
        await asyncio.sleep(0)
        return recorder

    recorder = loop.run_until_complete(begin())
    for task in asyncio.all_tasks(loop):
        task.get_coro().close()  # type: ignore[union-attr] # what the garbage collector does
        task._log_destroy_pending = False  # type: ignore[attr-defined] # the complaint is about this test
    loop.close()
    gc.collect()

    assert recorder.reports == []


async def test_an_attempt_costs_a_handful_of_calls_however_many_there_are(inline: Recorder) -> None:
    """Calls are counted and not timed: they are the same on every machine."""

    async def nothing() -> None:
        pass

    async def calls_of(count: int) -> int:
        calls = 0

        def note(frame: FrameType, event: str, _: object) -> None:
            nonlocal calls
            calls += event == "call" and "holdfast/executors" in frame.f_code.co_filename

        inline.reports.clear()
        sys.setprofile(note)
        try:
            for _ in range(count):
                inline.start(nothing)
            await inline.wait_for_reports(count)
        finally:
            sys.setprofile(None)
        return calls

    await calls_of(1)
    few, many = await calls_of(100), await calls_of(1000)
    assert many == 10 * few
    assert few <= 100 * 5
