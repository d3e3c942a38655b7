"""However an attempt ends, nothing of it is left: no child, no daemon, nothing that does not want to go."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvloop
from tests.executors.processes.process_bench import ProcessBench, alive_with, shell_bench, until_begun
from tests.executors.recorder import failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Cancelled, Succeeded
from holdfast.ports.executor import Attempt

KILL_AFTER = 0.5
ENDLESS = "while :; do sleep 0.01; done"


@pytest.fixture(params=[True, False], ids=["pidfd", "sigchld"])
async def shell(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path, kill_after=KILL_AFTER, has_pidfd=request.param)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


@pytest.fixture(params=[True, False], ids=["pidfd", "sigchld"])
async def patient_shell(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ProcessBench]:
    """Kills nothing within a test, however busy the machine is."""
    bench = shell_bench(tmp_path, kill_after=10 * PATIENCE, has_pidfd=request.param)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


@pytest.fixture
def mark() -> str:
    return f"MARK={uuid.uuid4()}"


def start(shell: ProcessBench, script: str, mark: str) -> Attempt:
    name, _, value = mark.partition("=")
    return shell.start(script, env={name: value})


async def started(shell: ProcessBench, script: str, mark: str) -> Attempt:
    """Runs the script, which says `ready` when it is where the test wants it."""
    attempt = start(shell, script, mark)
    await shell.wait_for_line(attempt, "ready")
    return attempt


# --- by itself


async def test_a_child_in_the_background_ends_with_its_task(shell: ProcessBench, mark: str) -> None:
    attempt = start(shell, "sleep 60 & (sleep 60 & sleep 60) & echo said", mark)

    assert value_of(await shell.outcome_of(attempt)) is None
    assert alive_with(mark) == []
    assert shell.texts_of(attempt) == ["said"]


async def test_a_child_that_ignores_every_request_ends_with_its_task(shell: ProcessBench, mark: str) -> None:
    script = "(trap '' TERM HUP INT; while :; do sleep 60; done) > /dev/null 2>&1 & echo said; exit 3"
    attempt = start(shell, script, mark)

    assert failure_of(await shell.outcome_of(attempt)).message == "exited with code 3"
    assert alive_with(mark) == []


async def test_a_daemon_that_holds_the_tasks_pipes_ends_with_it_after_a_short_while(
    shell: ProcessBench, mark: str
) -> None:
    began = time.monotonic()
    attempt = start(shell, "setsid sleep 600 & echo said", mark)

    assert value_of(await shell.outcome_of(attempt)) is None
    assert time.monotonic() - began < PATIENCE
    assert alive_with(mark) == []


async def test_a_daemon_that_holds_the_pipes_and_has_shed_its_mark_is_given_up(
    shell: ProcessBench, mark: str
) -> None:
    began = time.monotonic()
    attempt = start(shell, "setsid env -i sleep 654.321 & echo said", mark)

    assert value_of(await shell.outcome_of(attempt)) is None
    assert time.monotonic() - began < PATIENCE
    assert shell.texts_of(attempt) == ["said"]
    for pid in alive_with("654.321"):
        os.kill(pid, signal.SIGKILL)


# --- cancelled


async def test_a_cancelled_task_is_asked_to_end_and_may_clean_up(
    patient_shell: ProcessBench, mark: str
) -> None:
    script = f"trap 'echo cleaning up; exit 0' TERM; echo ready; {ENDLESS}"
    attempt = await started(patient_shell, script, mark)

    patient_shell.executor.cancel(attempt)

    assert await patient_shell.outcome_of(attempt) == Cancelled()
    assert "cleaning up" in patient_shell.texts_of(attempt)
    assert alive_with(mark) == []


async def test_the_whole_group_is_asked_and_has_time_even_if_its_leader_ends_at_once(
    patient_shell: ProcessBench, mark: str
) -> None:
    child = f"trap 'sleep 0.2; echo child cleaned up; exit' TERM; echo ready; {ENDLESS}"
    script = f"({child}) & wait"
    attempt = await started(patient_shell, script, mark)

    patient_shell.executor.cancel(attempt)

    assert await patient_shell.outcome_of(attempt) == Cancelled()
    assert "child cleaned up" in patient_shell.texts_of(attempt)
    assert alive_with(mark) == []


async def test_a_task_that_does_not_listen_is_killed_after_its_time(shell: ProcessBench, mark: str) -> None:
    attempt = await started(shell, f"trap '' TERM; echo ready; {ENDLESS}", mark)
    began = time.monotonic()

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()
    assert KILL_AFTER <= time.monotonic() - began < PATIENCE
    assert alive_with(mark) == []


async def test_a_stopped_task_is_ended_too(patient_shell: ProcessBench, mark: str) -> None:
    attempt = await started(patient_shell, "echo ready; kill -STOP $$", mark)
    await asyncio.sleep(0.05)

    patient_shell.executor.cancel(attempt)

    assert await patient_shell.outcome_of(attempt) == Cancelled()
    assert alive_with(mark) == []


@pytest.mark.parametrize(
    "script",
    [
        "setsid sh -c 'trap \"\" TERM; echo ready; sleep 60' & wait",
        "setsid sh -c 'setsid sleep 60 & echo ready' > /dev/stdout & sleep 60",
        "(setsid sleep 60 > /dev/null 2>&1 &) ; echo ready; sleep 60",
        "set -m; sleep 60 & echo ready; wait",
        "nohup sleep 60 > /dev/null 2>&1 & echo ready; sleep 60",
    ],
    ids=["setsid that does not listen", "setsid in setsid", "daemon without pipes", "job control", "nohup"],
)
async def test_whatever_left_the_group_is_found_by_its_mark_and_killed(
    shell: ProcessBench, script: str, mark: str
) -> None:
    attempt = await started(shell, script, mark)
    assert alive_with(mark)

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()
    assert alive_with(mark) == []


async def test_a_task_that_starts_ever_more_processes_is_ended(shell: ProcessBench, mark: str) -> None:
    script = "echo ready; trap '' TERM; while :; do setsid sleep 60 > /dev/null 2>&1 & sleep 0.02; done"
    attempt = await started(shell, script, mark)

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()
    assert alive_with(mark) == []


async def test_an_end_that_comes_with_the_cancel_is_still_a_cancel_and_is_told_once(
    shell: ProcessBench,
) -> None:
    for delay in (0, 0.001, 0.002, 0.003, 0.005):
        attempt = shell.start("true")
        await asyncio.sleep(delay)
        shell.executor.cancel(attempt)
        outcome = await shell.outcome_of(attempt)
        assert isinstance(outcome, Cancelled | Succeeded)

    await asyncio.sleep(0.1)
    assert len(shell.reports) == 5


async def test_neighbours_of_a_cancelled_task_go_on(shell: ProcessBench, mark: str) -> None:
    others = [shell.start("sleep 0.6; echo HOLDFAST_OUTPUT:1") for _ in range(3)]
    attempt = await started(shell, f"trap '' TERM; echo ready; {ENDLESS}", mark)

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()
    assert [value_of(await shell.outcome_of(other)) for other in others] == [1, 1, 1]


async def test_a_hundred_are_cancelled_together_in_not_much_more_time_than_one(
    shell: ProcessBench, mark: str
) -> None:
    script = "(setsid sleep 600 > /dev/null 2>&1 &); exec sleep 600"
    attempts = [start(shell, script, mark) for _ in range(100)]
    async with asyncio.timeout(PATIENCE):
        while len(alive_with(mark)) < 200:  # noqa: ASYNC110  # nobody tells of processes
            await asyncio.sleep(0.05)
    began = time.monotonic()

    for attempt in attempts:
        shell.executor.cancel(attempt)
    await shell.wait_for_reports(100)

    assert time.monotonic() - began < 100 * KILL_AFTER
    assert alive_with(mark) == []
    assert {outcome for _, outcome in shell.reports} == {Cancelled()}


# --- stopped


async def test_stopping_ends_everything_and_reports_nothing(shell: ProcessBench, mark: str) -> None:
    await started(shell, "setsid sleep 60 > /dev/null 2>&1 & echo ready; sleep 60", mark)
    await started(shell, f"trap '' TERM; echo ready; {ENDLESS}", mark)

    await shell.executor.stop()

    assert alive_with(mark) == []
    assert shell.reports == []


async def test_a_daemon_that_a_task_left_without_a_trace_goes_with_its_node(
    shell: ProcessBench, mark: str
) -> None:
    daemon = "setsid sh -c 'touch up; exec sleep 60' > /dev/null 2>&1"
    attempt = start(shell, f"{daemon} & until [ -e up ]; do sleep 0.01; done", mark)
    await shell.outcome_of(attempt)
    async with asyncio.timeout(PATIENCE):
        while not alive_with(mark):  # noqa: ASYNC110  # nobody tells of processes
            await asyncio.sleep(0.02)  # it has no mark while its program is loaded
    assert len(alive_with(mark)) == 1

    await shell.executor.stop()

    assert alive_with(mark) == []


# --- bad company


async def test_a_child_that_somebody_else_in_the_node_waits_for_is_over_all_the_same(
    shell: ProcessBench,
) -> None:
    attempt = shell.start("echo said")
    await until_begun(attempt.context)

    os.waitpid(attempt.context.group, 0)

    assert failure_of(await shell.outcome_of(attempt)).attributes == {"exit_code": 255}
    assert shell.texts_of(attempt) == ["said"]


async def test_children_of_the_application_are_left_to_it(shell: ProcessBench) -> None:
    own = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 7"], {})

    await shell.run("true")
    await shell.run("sleep 0.1")

    assert os.waitstatus_to_exitcode(os.waitpid(own, 0)[1]) == 7


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_it_works_on_uvloop_as_on_asyncio(tmp_path: Path, has_pidfd: bool, mark: str) -> None:
    async def scenario() -> None:
        shell = shell_bench(tmp_path, kill_after=KILL_AFTER, has_pidfd=has_pidfd)
        done = [shell.start("echo said; echo HOLDFAST_OUTPUT:1") for _ in range(20)]
        attempt = await started(shell, "setsid sleep 60 & echo ready; sleep 60", mark)
        shell.executor.cancel(attempt)
        assert await shell.outcome_of(attempt) == Cancelled()
        assert [value_of(await shell.outcome_of(one)) for one in done] == [1] * 20
        assert [shell.texts_of(one) for one in done] == [["said"]] * 20
        await shell.executor.stop()

    uvloop.run(scenario())

    assert alive_with(mark) == []


def test_without_a_pidfd_on_a_thread_that_gets_no_signals_ends_are_noticed_too(
    tmp_path: Path,
) -> None:
    async def scenario() -> object:
        shell = shell_bench(tmp_path, has_pidfd=False)
        value = value_of(await shell.run("echo HOLDFAST_OUTPUT:1"))
        await shell.executor.stop()
        return value

    async def main() -> object:
        return await asyncio.to_thread(lambda: asyncio.run(scenario()))

    assert asyncio.run(main()) == 1


async def test_two_executors_without_a_pidfd_share_the_one_signal(tmp_path: Path) -> None:
    first, second = (shell_bench(tmp_path, has_pidfd=False) for _ in range(2))
    await asyncio.gather(first.run("true"), second.run("true"))

    earlier = await first.run("sleep 0.1; echo HOLDFAST_OUTPUT:1")
    await second.executor.stop()
    later = await first.run("sleep 0.1; echo HOLDFAST_OUTPUT:2")

    assert (value_of(earlier), value_of(later)) == (1, 2)
    await first.executor.stop()
    assert asyncio.get_running_loop().remove_signal_handler(signal.SIGCHLD) is False
