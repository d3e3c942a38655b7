"""What every executor of Python functions promises, tried on each."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any

import pytest
from tests.executors.recorder import RUN, Recorder, failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Outcome, task_id
from holdfast.errors import NotOpen
from holdfast.executors.context import task_context
from holdfast.executors.inline import InlineExecutor
from holdfast.executors.threads import ThreadExecutor
from holdfast.ports.executor import Attempt

flavour: ContextVar[str] = ContextVar("flavour", default="plain")


class Bench(Recorder):
    """Takes plain functions for both executors: for the event loop they are made async."""

    def add(self, function: Callable[..., Any]) -> str:
        if isinstance(self.executor, ThreadExecutor):
            return super().add(function)

        @functools.wraps(function)
        async def on_the_loop(*arguments: Any) -> Any:
            return function(*arguments)

        return super().add(on_the_loop)


@pytest.fixture(params=[InlineExecutor, ThreadExecutor])
async def bench(request: pytest.FixtureRequest):
    bench = Bench(request.param)
    yield bench
    await bench.executor.stop()


def add(left: int, right: int) -> int:
    return left + right


async def test_the_result_is_stored_and_reported(bench: Bench) -> None:
    outcome = await bench.run(add, 2, 3)

    assert value_of(outcome) == 5


async def test_a_report_never_comes_before_start_is_over(bench: Bench) -> None:
    attempt = bench.start(add, 2, 3)

    assert bench.reports == []
    await bench.outcome_of(attempt)


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(3), KeyboardInterrupt(), GeneratorExit("odd")]
)
async def test_whatever_a_task_raises_is_a_failure_and_the_next_task_runs(
    bench: Bench, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    outcome = await bench.run(fail)

    assert failure_of(outcome).type == type(error).__name__
    assert value_of(await bench.run(add, 1, 1)) == 2


async def test_exit_called_by_a_task_does_not_end_the_process(bench: Bench) -> None:
    outcome = await bench.run(sys.exit, "bye")

    assert failure_of(outcome).message == "bye"


async def test_a_cancelled_error_that_nobody_sent_is_a_failure(bench: Bench) -> None:
    def wait_for_something_cancelled() -> None:
        raise asyncio.CancelledError("not ours")

    outcome = await bench.run(wait_for_something_cancelled)

    assert failure_of(outcome).type == "CancelledError"


async def test_a_task_that_is_not_registered_fails_and_names_those_that_are(bench: Bench) -> None:
    await bench.run(add, 1, 1)
    attempt = Attempt(
        RUN, "r", "n", "w", "1", 0, "subtract", bench.reports[0][0].input, bench.reports[0][0].options, 1
    )

    bench.executor.start(attempt)

    failure = failure_of(await bench.outcome_of(attempt))
    assert failure.type == "holdfast.errors:UnknownTask"
    assert "add" in failure.message


async def test_input_of_the_wrong_shape_is_a_failure(bench: Bench) -> None:
    template = bench.start(add, 1, 1)
    await bench.outcome_of(template)
    attempt = Attempt(RUN, "r", "n", "w", "1", 0, "add", b'{"left": 1}', template.options, 1)  # type: ignore[arg-type]

    bench.executor.start(attempt)

    assert failure_of(await bench.outcome_of(attempt)).type == "WrongType"


async def test_a_result_that_cannot_be_stored_is_a_failure(bench: Bench) -> None:
    def connect() -> object:
        return object()

    assert failure_of(await bench.run(connect)).type == "CannotStore"


async def test_a_generator_is_not_a_result(bench: Bench) -> None:
    def pages() -> object:
        yield 1

    assert failure_of(await bench.run(pages)).type == "CannotStore"


async def test_a_task_knows_who_it_is(bench: Bench) -> None:
    def who() -> list[Any]:
        me = task_context()
        return [me.run_id, me.task_id, me.idempotency_key, me.attempt, me.name, me.workflow, me.namespace]

    known = value_of(await bench.run(who, number=3))

    key = task_id(RUN, 7)
    assert known == ["order-1", key, key, 3, "who", "checkout", "shop"]


async def test_variables_set_by_one_attempt_are_not_seen_by_the_next(bench: Bench) -> None:
    def taste_and_spoil() -> str:
        before = flavour.get()
        flavour.set("spoiled")
        return before

    tastes = [value_of(await bench.run(taste_and_spoil)) for _ in range(8)]

    assert tastes == ["plain"] * 8
    assert flavour.get() == "plain"


async def test_attempts_started_because_of_a_report_do_not_inherit_the_reported_tasks_variables(
    bench: Bench,
) -> None:
    def taste_and_spoil() -> str:
        before = flavour.get()
        flavour.set("spoiled")
        return before

    loop = asyncio.get_running_loop()
    seen: list[str] = []

    def go_on(attempt: Attempt, outcome: Outcome) -> None:
        seen.append(flavour.get())
        if len(seen) < 3:
            loop.call_soon(bench.start, taste_and_spoil)

    bench.on_report = go_on
    bench.start(taste_and_spoil)
    await bench.wait_for_reports(3)

    assert [value_of(outcome) for _, outcome in bench.reports] == ["plain"] * 3
    assert seen == ["plain"] * 3


async def test_attempts_do_not_see_the_variables_of_whoever_happens_to_start_them(bench: Bench) -> None:
    def taste() -> str:
        return flavour.get()

    def start_with_a_flavour() -> Attempt:
        flavour.set("the caller's")
        return bench.start(taste)

    await bench.run(taste)
    attempt = copy_context().run(start_with_a_flavour)

    assert value_of(await bench.outcome_of(attempt)) == "plain"


async def test_cancelling_what_has_been_reported_changes_nothing(bench: Bench) -> None:
    attempt = bench.start(add, 1, 1)
    await bench.outcome_of(attempt)

    bench.executor.cancel(attempt)

    assert value_of(await bench.run(add, 1, 2)) == 3
    assert len(bench.reports) == 2


async def test_a_finished_attempt_holds_nothing_of_the_executor(bench: Bench) -> None:
    attempt = bench.start(add, 1, 1)
    await bench.outcome_of(attempt)

    assert attempt.context is None


async def test_a_stopped_executor_takes_nothing_more_and_can_be_stopped_again(bench: Bench) -> None:
    await bench.run(add, 1, 1)

    await bench.executor.stop()
    await bench.executor.stop()

    with pytest.raises(NotOpen):
        bench.start(add, 1, 1)


async def test_an_executor_that_never_ran_anything_stops(bench: Bench) -> None:
    await bench.executor.stop()

    assert bench.reports == []


async def test_what_a_heartbeat_said_last_is_heard_before_the_failure_that_followed_it(bench: Bench) -> None:
    order: list[object] = []
    bench.on_report = lambda attempt, outcome: order.extend([*bench.beats, "report"])

    def count_and_fail() -> None:
        for page in range(5000):
            task_context().heartbeat(page)
        raise ValueError("the sixth page is missing")

    await bench.run(count_and_fail)

    assert order[-2:] == [4999, "report"]
    await asyncio.sleep(0.12)
    assert bench.beats[-1] == 4999


async def test_the_next_attempt_reads_what_the_last_one_said(bench: Bench) -> None:
    def resume() -> int:
        return task_context().heartbeat_details(int) + 1

    assert value_of(await bench.run(resume, details=41)) == 42


async def test_the_first_attempt_has_no_details_to_go_on_from(bench: Bench) -> None:
    def resume() -> object:
        return task_context().heartbeat_details(dict[str, int])

    assert value_of(await bench.run(resume)) is None


async def test_heartbeat_details_that_cannot_be_stored_are_refused_where_they_are_passed(
    bench: Bench,
) -> None:
    def beat() -> None:
        task_context().heartbeat(object())

    assert failure_of(await bench.run(beat)).type == "CannotStore"
    assert bench.beats == []


def exit_code_of(child: int) -> int:
    """Not waited for without end: if this is broken, nothing of it is to be left behind."""
    deadline = time.monotonic() + PATIENCE / 2
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("way", "code"), [("return", 0), ("exit", 3), ("last words", 1), ("raise", 1)])
async def test_a_process_that_a_task_forks_ends_where_it_would_become_a_second_node(
    bench: Bench, way: str, code: int
) -> None:
    def fork(way: str) -> int:
        child = os.fork()
        if child:
            return exit_code_of(child)
        if way == "exit":
            sys.exit(3)
        if way == "last words":
            sys.exit("bye")
        if way == "raise":
            raise ValueError("only the child")
        return -1

    assert value_of(await bench.run(fork, way)) == code
    assert len(bench.reports) == 1
