"""Tasks in processes of their own, whose node, worker or keeper is killed. `make chaos` does more of it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tests.chaos.notebook import Began, read_notebooks
from tests.chaos.processes import Process, running, wait_until
from tests.chaos.task_processes import NOTES, Started, left_in_the_end, left_of, of_node, send
from tests.chaos.workloads import catalog, errand, idle
from tests.chaos.world import notes_of
from tests.patience import PATIENCE, SOON

from holdfast import Holdfast

StartNode = Callable[[str], AbstractContextManager[Process]]


@pytest.fixture
def start_node(store_url: str, tmp_path: Path) -> StartNode:
    """By a name: a node as a process that can be killed."""
    settings = ["lease_seconds=1", "kill_seconds=0.5", "python_workers=2"]
    variables = {NOTES: str(notes_of(tmp_path)), "CHAOS_PYTHON": sys.executable}
    arguments = ["-m", "tests.chaos.worker", store_url, str(tmp_path), *settings]

    @contextmanager
    def start(name: str) -> Generator[Process]:
        with running(arguments, tmp_path / f"{name}.txt", variables) as process:
            yield process

    return start


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> Generator[None]:
    yield
    assert left_in_the_end(notes_of(tmp_path), PATIENCE / 2) == []


def begun(folder: Path, label: str) -> list[Began]:
    return [each for each in read_notebooks(folder) if isinstance(each, Began) and each.label == label]


def wait_for(folder: Path, *labels: str, attempt: int = 1) -> None:
    def is_so() -> bool:
        return all(any(each.attempt == attempt for each in begun(folder, label)) for label in labels)

    wait_until(is_so, f"attempt {attempt} of {labels}", PATIENCE)


def processes_of(folder: Path, node: Process, kind: str) -> list[Started]:
    return [each for each in of_node(notes_of(folder), node.pid) if each.kind == kind]


async def test_a_killed_node_takes_its_processes_along_and_their_tasks_are_tried_again(
    store_url: str, tmp_path: Path, start_node: StartNode
) -> None:
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        run = await hf.start(idle, who="a", id="it")
        with start_node("first") as first:
            wait_for(tmp_path, "polite", "stubborn")
            started = of_node(notes_of(tmp_path), first.pid)
            first.kill()
            assert left_of(notes_of(tmp_path), started, PATIENCE / 2) == []
        with start_node("second"):
            wait_for(tmp_path, "polite", "stubborn", attempt=2)
            lost = [attempt.status for attempt in await hf.attempts(run)]
            await run.cancel()
            wait_until(lambda: left_in_the_end(notes_of(tmp_path), 0)[1:] == [], "its processes to end")

        assert len(started) == 3  # two tasks and a keeper
        assert lost == ["lost", "lost"]
        assert [len(begun(tmp_path, label)) for label in ("polite", "stubborn")] == [2, 2]


async def test_a_keeper_that_is_killed_is_replaced_and_the_next_one_knows_what_there_is(
    store_url: str, tmp_path: Path, start_node: StartNode
) -> None:
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        run = await hf.start(idle, who="a", id="it")
        with start_node("first") as first:
            wait_for(tmp_path, "polite", "stubborn")
            [keeper] = processes_of(tmp_path, first, "keeper")
            send(keeper, signal.SIGKILL)
            wait_until(lambda: processes_of(tmp_path, first, "keeper") not in ([], [keeper]), "a new keeper")
            started = of_node(notes_of(tmp_path), first.pid)
            first.kill()

            assert left_of(notes_of(tmp_path), started, PATIENCE / 2) == []
        await run.cancel()


async def test_a_killed_process_is_a_failed_attempt_and_the_run_goes_on(
    store_url: str, tmp_path: Path, start_node: StartNode
) -> None:
    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        run = await hf.start(errand, who="a", items=[1, 2], seconds=1.0, id="it")
        await run.resolve("ask", True, ahead=True)
        with start_node("first") as node:
            wait_for(tmp_path, "process.0", "flaky")
            for victim in processes_of(tmp_path, node, "task"):
                send(victim, signal.SIGKILL)
            wait_for(tmp_path, "join")
            for victim in processes_of(tmp_path, node, "worker"):
                send(victim, signal.SIGKILL)
            result = await run.result(timeout=SOON)
            failed = [(attempt.status, attempt.problem) for attempt in await hf.attempts(run)]

        done = ["a:process.0", "a:process.1", "a:0", "a:1", "a:join"]
        assert result == {"done": done, "flaky": "a:flaky", "nothing": [], "unwanted": None}
        assert {status for status, _ in failed} == {"failed"}
        assert any("before the function had returned" in str(problem) for _, problem in failed)
        assert len(begun(tmp_path, "join")) == 2
        assert len(begun(tmp_path, "process.0")) == 2
