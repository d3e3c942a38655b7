"""What a command says while it runs."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import ProcessBench, shell_bench
from tests.executors.recorder import failure_of, value_of


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


async def test_both_streams_are_heard_line_by_line_with_their_time(shell: ProcessBench) -> None:
    before = time.time_ns() // 1000
    attempt = shell.start("echo one; echo two >&2; printf three")

    await shell.outcome_of(attempt)

    assert shell.texts_of(attempt, "stdout") == ["one", "three"]
    assert shell.texts_of(attempt, "stderr") == ["two"]
    assert all(before <= line.at <= time.time_ns() // 1000 for line in shell.lines[attempt])


async def test_a_line_is_heard_while_the_task_runs(shell: ProcessBench) -> None:
    attempt = shell.start("echo now; sleep 30")

    await shell.wait_for_line(attempt, "now")

    assert shell.reports == []
    shell.executor.cancel(attempt)
    await shell.outcome_of(attempt)


async def test_all_that_was_said_before_the_end_is_heard_before_the_report(shell: ProcessBench) -> None:
    attempt = shell.start("seq 40000; seq 40000 >&2")
    counts: list[int] = []
    shell.on_report = lambda attempt, outcome: counts.append(len(shell.lines[attempt]))

    await shell.outcome_of(attempt)

    assert counts == [80_000]
    assert shell.texts_of(attempt, "stdout") == [str(number) for number in range(1, 40_001)]


async def test_the_last_words_before_a_kill_are_heard(shell: ProcessBench) -> None:
    attempt = shell.start("echo last words; kill -9 $$")

    assert failure_of(await shell.outcome_of(attempt)).message == "was ended by signal SIGKILL"
    assert shell.texts_of(attempt) == ["last words"]


async def test_a_task_that_closes_its_streams_goes_on(shell: ProcessBench) -> None:
    attempt = shell.start('echo before; exec >&- 2>&-; sleep 0.2; echo 1 > "$HOLDFAST_OUTPUT_FILE"')

    assert value_of(await shell.outcome_of(attempt)) == 1
    assert shell.texts_of(attempt) == ["before"]


async def test_tasks_that_shout_leave_the_event_loop_its_turns(shell: ProcessBench) -> None:
    attempts = [shell.start("yes") for _ in range(8)]
    longest = 0.0
    deadline = time.monotonic() + 0.25
    gc.freeze()  # what a thousand tests before this one have left behind is not looked through each time
    while time.monotonic() < deadline:
        # What this thread did, and not how long others kept it from its turn.
        began = time.thread_time()
        await asyncio.sleep(0)
        longest = max(longest, time.thread_time() - began)
    gc.unfreeze()
    for attempt in attempts:
        shell.executor.cancel(attempt)
    await shell.wait_for_reports(8)

    assert longest < 0.5
    assert all(set(shell.texts_of(attempt)) == {"y"} for attempt in attempts)


async def test_one_that_shouts_does_not_keep_others_from_being_heard(shell: ProcessBench) -> None:
    loud = [shell.start("yes") for _ in range(4)]
    await shell.wait_for_line(loud[0], "y")

    outcome = await shell.run("echo HOLDFAST_OUTPUT:1")

    assert value_of(outcome) == 1
    for attempt in loud:
        shell.executor.cancel(attempt)
    await shell.wait_for_reports(5)


@pytest.mark.parametrize(
    ("command", "is_warned"),
    [
        ("printf '50%% HOLDFAST_OUTPUT:1'", True),
        ("printf '50%%\\rHOLDFAST_OUTPUT:1\\n'", True),
        ("echo ' HOLDFAST_OUTPUT:1'; exit 1", False),
        ("echo 50% HOLDFAST_OUTPUT:1; echo HOLDFAST_OUTPUT:2", False),
        ("""echo 50% HOLDFAST_OUTPUT:1; echo 2 > "$HOLDFAST_OUTPUT_FILE" """, False),
        ("echo not HOLDFAST_OUTPUT:1; echo later", False),
    ],
)
async def test_an_output_line_that_does_not_begin_with_the_marker_is_told_of_in_the_log(
    shell: ProcessBench, command: str, is_warned: bool
) -> None:
    attempt = shell.start(command)
    await shell.outcome_of(attempt)

    warnings = shell.texts_of(attempt, "holdfast")
    assert len(warnings) == is_warned
    assert all("does not begin with that" in warning for warning in warnings)
