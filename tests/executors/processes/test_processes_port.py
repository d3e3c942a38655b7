"""What every executor promises, tried on those that run tasks in processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any

import pytest
from tests.executors.processes.process_bench import ProcessBench, alive_with, python_bench, shell_bench
from tests.executors.recorder import failure_of, value_of

from holdfast.core.values import Cancelled, Outcome, Succeeded
from holdfast.errors import NotOpen, UnknownTask, WrongType
from holdfast.executors.processes.process_executor import ProcessExecutor
from holdfast.executors.processes.shell import ShellExecutor
from holdfast.executors.python.pool import PythonExecutor
from holdfast.ports.executor import Attempt, PythonFunction, ShellCommand

flavour: ContextVar[str] = ContextVar("flavour", default="plain")

FUNCTIONS = """
import time

def answer():
    return 42

def fail():
    raise ValueError("no")

def wait():
    print("waiting", flush=True)
    time.sleep(60)
"""

COMMANDS = {
    "answer": "echo HOLDFAST_OUTPUT:42",
    "fail": "exit 3",
    "wait": "echo waiting; sleep 60",
}


class Bench:
    """The same three tasks for both executors."""

    def __init__(self, make: Callable[..., ProcessBench], folder: Path) -> None:
        self.bench = make(folder, kill_after=1)
        (folder / "tasks.py").write_text(FUNCTIONS)

    @property
    def executor(self) -> ProcessExecutor:
        return self.bench.executor

    def start(self, task: str, **options: Any) -> Attempt:
        is_shell = isinstance(self.executor, ShellExecutor)
        work = ShellCommand(COMMANDS[task]) if is_shell else PythonFunction(task, file="tasks.py")
        return self.bench.start(work, **options)

    async def run(self, task: str) -> Outcome:
        return await self.bench.outcome_of(self.start(task))


@pytest.fixture(params=[shell_bench, python_bench], ids=["shell", "python"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(request.param, tmp_path)
    yield bench
    await bench.executor.stop()
    assert bench.bench.spoken_after_the_report == []


async def test_the_output_is_stored_and_reported(bench: Bench) -> None:
    outcome = await bench.run("answer")

    assert value_of(outcome) == 42


async def test_a_report_never_comes_before_start_is_over(bench: Bench) -> None:
    attempt = bench.start("answer")

    assert bench.bench.reports == []
    await bench.bench.outcome_of(attempt)


async def test_a_failure_is_reported_and_the_next_task_runs(bench: Bench) -> None:
    failed = await bench.run("fail")
    after = await bench.run("answer")

    assert failure_of(failed)
    assert value_of(after) == 42


async def test_a_body_that_cannot_be_found_is_a_failure_with_that_error_and_comes_after_start(
    bench: Bench,
) -> None:
    def refuse(attempt: Attempt) -> Any:
        raise UnknownTask(attempt.name, ["extract"])

    bench.executor._bodies = refuse
    attempt = bench.start("answer")

    assert bench.bench.reports == []
    failure = failure_of(await bench.bench.outcome_of(attempt))
    assert failure.type == "holdfast.errors:UnknownTask"
    assert "extract" in failure.message


async def test_an_output_that_is_refused_is_a_failure_with_that_error(bench: Bench) -> None:
    def refuse(output: bytes) -> Any:
        raise WrongType("the output of 'try'", f"expected a list, got {output!r}")

    attempt = bench.start("answer", store=refuse)

    failure = failure_of(await bench.bench.outcome_of(attempt))
    assert failure.type == "holdfast.errors:WrongType"
    assert failure.message == "the output of 'try': expected a list, got b'42'"


async def test_a_task_of_another_kind_is_a_failure_and_that_comes_after_start(bench: Bench) -> None:
    is_shell = isinstance(bench.executor, ShellExecutor)
    other = PythonFunction("answer", file="tasks.py") if is_shell else ShellCommand("true")

    attempt = bench.bench.start(other)

    assert bench.bench.reports == []
    assert failure_of(await bench.bench.outcome_of(attempt)).type == "holdfast.errors:WrongType"


async def test_a_cancelled_attempt_reports_that_once_and_leaves_nothing(bench: Bench) -> None:
    attempt = bench.start("wait", env={"MARK": "cancelled-in-port"})
    await bench.bench.wait_for_line(attempt, "waiting")

    bench.executor.cancel(attempt)
    bench.executor.cancel(attempt)

    assert await bench.bench.outcome_of(attempt) == Cancelled()
    assert alive_with("MARK=cancelled-in-port") == []
    await asyncio.sleep(0.05)
    assert len(bench.bench.reports) == 1


async def test_an_attempt_that_is_cancelled_at_once_is_cancelled(bench: Bench) -> None:
    attempt = bench.start("wait")
    bench.executor.cancel(attempt)

    assert await bench.bench.outcome_of(attempt) == Cancelled()
    assert value_of(await bench.run("answer")) == 42


async def test_cancelling_what_has_been_reported_changes_nothing(bench: Bench) -> None:
    attempt = bench.start("answer")
    await bench.bench.outcome_of(attempt)

    bench.executor.cancel(attempt)

    assert value_of(await bench.run("answer")) == 42
    assert len(bench.bench.reports) == 2


async def test_a_finished_attempt_holds_nothing_of_the_executor(bench: Bench) -> None:
    attempt = bench.start("answer")
    await bench.bench.outcome_of(attempt)

    assert attempt.context is None


async def test_a_stopped_executor_reports_nothing_takes_nothing_and_can_be_stopped_again(
    bench: Bench,
) -> None:
    attempt = bench.start("wait", env={"MARK": "stopped-in-port"})
    await bench.bench.wait_for_line(attempt, "waiting")

    await bench.executor.stop()
    await bench.executor.stop()

    assert bench.bench.reports == []
    assert alive_with("MARK=stopped-in-port") == []
    with pytest.raises(NotOpen):
        bench.start("answer")


async def test_an_executor_that_is_stopped_in_the_turn_of_its_first_start_leaves_nothing(
    bench: Bench,
) -> None:
    bench.start("wait", env={"MARK": "stopped-at-once"})
    scratch = bench.executor._scratch.folder

    await bench.executor.stop()
    await asyncio.sleep(0.05)

    assert alive_with("MARK=stopped-at-once") == []
    assert alive_with(scratch) == []  # the keeper has it among its arguments


async def test_an_executor_that_never_ran_anything_stops(bench: Bench) -> None:
    await bench.executor.stop()

    assert bench.bench.reports == []


async def test_stopping_gives_every_descriptor_and_every_file_back(bench: Bench) -> None:
    before = set(os.listdir("/proc/self/fd"))
    await asyncio.gather(*(bench.run("answer") for _ in range(5)))
    scratch = Path(bench.executor._scratch.folder)
    assert scratch.is_dir()

    await bench.executor.stop()

    assert set(os.listdir("/proc/self/fd")) <= before
    assert not scratch.exists()


async def test_the_folder_of_the_files_is_nobody_elses_business(bench: Bench) -> None:
    await bench.run("answer")

    assert Path(bench.executor._scratch.folder).stat().st_mode & 0o777 == 0o700


async def test_a_report_may_start_the_next_attempt(bench: Bench) -> None:
    left = 5

    def go_on(attempt: Attempt, outcome: Outcome) -> None:
        nonlocal left
        left -= 1
        if left:
            bench.start("answer")

    bench.bench.on_report = go_on
    bench.start("answer")
    await bench.bench.wait_for_reports(5)

    assert [value_of(outcome) for _, outcome in bench.bench.reports] == [42] * 5


async def test_reports_do_not_see_the_variables_of_whoever_happened_to_start_the_attempt(
    bench: Bench,
) -> None:
    seen: list[str] = []
    bench.bench.on_report = lambda attempt, outcome: seen.append(flavour.get())

    def start_with_a_flavour(task: str) -> Attempt:
        flavour.set("the caller's")
        return bench.start(task)

    await bench.run("answer")
    cancelled = copy_context().run(start_with_a_flavour, "wait")
    copy_context().run(bench.executor.cancel, cancelled)
    await bench.bench.outcome_of(cancelled)
    done = copy_context().run(start_with_a_flavour, "answer")
    await bench.bench.outcome_of(done)

    assert seen == ["plain"] * 3


async def test_a_report_that_raises_does_not_cost_the_others_theirs(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)

    def raise_once(attempt: Attempt, outcome: Outcome) -> None:
        if len(bench.bench.reports) == 1:
            raise RuntimeError("an engine in trouble")

    bench.bench.on_report = raise_once
    for _ in range(6):
        bench.start("answer")

    await bench.bench.wait_for_reports(6)
    assert all(isinstance(outcome, Succeeded) for _, outcome in bench.bench.reports)


@pytest.mark.parametrize("kind", [ShellExecutor, PythonExecutor])
def test_there_are_no_more_places_than_descriptors(
    kind: type[ProcessExecutor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: (256, 428))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: raised.append(limits))

    bench = ProcessBench(kind, tmp_path, capacity=1000)

    assert raised == [(428, 428)]
    assert bench.executor.capacity == 300 // kind.descriptors
