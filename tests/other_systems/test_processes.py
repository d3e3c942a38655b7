"""Tasks in processes of their own: none outlives its attempt or is waited for in vain, and all is heard."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import psutil
import pytest
from tests.patience import PATIENCE, SOON

from holdfast import Catalog, Holdfast, RunCancelled, RunFailed
from holdfast.authoring.dag.workflow import DagWorkflow, load_dag

Load = Callable[..., DagWorkflow]


@pytest.fixture
def load(tmp_path: Path, catalog: Catalog) -> Load:
    """Write a DAG and its files, and read it. What its tasks start can be told by a mark."""

    def load(tasks: str, **files: str) -> DagWorkflow:
        for name, content in files.items():
            (tmp_path / f"{name}.py").write_text(dedent(content))
        path = tmp_path / "dag.yaml"
        path.write_text("name: dag\ntasks:\n" + indent(dedent(tasks), "  "))
        return load_dag(path, catalog=catalog)

    return load


@pytest.fixture
def hf(store_url: str, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Holdfast:
    monkeypatch.setenv("CASE", str(tmp_path))
    return Holdfast(store_url, catalog=catalog, kill_seconds=0.5)


def marked(folder: Path) -> list[str]:
    """The command lines of the processes that tasks of this test have started, without keepers."""
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            command = " ".join(process.cmdline())
            is_ours = process.environ().get("CASE") == str(folder) and process.pid != os.getpid()
        except (psutil.Error, OSError):
            continue  # it has just ended, or is somebody else's
        if is_ours and "keeper.py" not in command and "worker_script.py" not in command:
            found.append(command)
    return found


def zombies() -> list[int]:
    """Children of this process that have ended, and that nobody has asked about."""
    return [each.pid for each in psutil.Process().children() if is_zombie(each)]


def is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False  # it was reaped meanwhile


async def until(is_so: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        await asyncio.sleep(0.02)


# --- nothing outlives its attempt


FAMILY = """
family:
  timeout: {timeout}
  command: |
    sleep 301 &
    (trap '' TERM; sleep 302; sleep 303) &
    setsid sleep 304 > /dev/null 2>&1 &
    touch begun
    wait
"""


async def test_a_cancelled_task_takes_its_whole_family_along(
    hf: Holdfast, load: Load, tmp_path: Path
) -> None:
    """Prefect 20979, 17593, Airflow 44626, 68644: the shell is killed, and the command it ran goes on."""
    dag = load(FAMILY.format(timeout=600))
    async with hf:
        run = await hf.start(dag)
        await until((tmp_path / "begun").exists)
        before = marked(tmp_path)

        await run.cancel()
        with pytest.raises(RunCancelled):
            await run.result(timeout=SOON)
        await until(lambda: not marked(tmp_path))

    assert len(before) >= 4


async def test_a_task_that_takes_too_long_takes_its_whole_family_along(
    hf: Holdfast, load: Load, tmp_path: Path
) -> None:
    """pftaskqueue 32, Airflow 1714: after a timeout the descendants go on."""
    dag = load(FAMILY.format(timeout=1))
    async with hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed, match="longer than"):
            await run.result(timeout=SOON)
        await until(lambda: not marked(tmp_path))

    assert (tmp_path / "begun").exists()


async def test_a_process_that_is_stopped_and_deaf_is_ended_and_its_slot_is_free(
    hf: Holdfast, load: Load, tmp_path: Path
) -> None:
    """oh-my-pi 12767: a child that does not die at once is forgotten, and holds its memory and its slot."""
    dag = load(
        """
          deaf:
            command: trap '' TERM; touch begun; kill -STOP $$; sleep 300
            timeout: 0.5
            queue: narrow
            on_failure: run
          next: {depends_on: [deaf], on_failure: run, queue: narrow, command: touch next}
        """
    )
    async with hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result(timeout=SOON)
        await until(lambda: not marked(tmp_path))

    assert (tmp_path / "next").exists()


async def test_processes_that_were_killed_leave_no_zombies(hf: Holdfast, load: Load, tmp_path: Path) -> None:
    """superset 6152, django-q 441, autosubmit 1381: the killed are not reaped, until none can be started."""
    dag = load(
        """
          many:
            parallel: 10
            command: sleep 300 & sleep 300
            timeout: 0.3
            retries: {max_attempts: 2, first_delay: 0}
        """
    )
    async with hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result(timeout=SOON)

        await until(lambda: not marked(tmp_path))
        await until(lambda: not zombies())


async def test_a_worker_that_is_killed_in_a_call_is_a_failed_attempt_and_the_call_is_made_again(
    hf: Holdfast, load: Load
) -> None:
    """Celery 1628, billiard 273, 408: the message of a worker that was killed is acknowledged, and lost."""
    dag = load(
        """
          die:
            file: deadly.py
            function: die
            retries: {max_attempts: 3, first_delay: 0}
        """,
        deadly="""
        import os, signal

        def die() -> int:
            if os.environ["HOLDFAST_ATTEMPT"] != "3":
                os.kill(os.getpid(), signal.SIGKILL)
            return int(os.environ["HOLDFAST_ATTEMPT"])
        """,
    )
    async with hf:
        run = await hf.start(dag)

        assert await run.result(timeout=SOON) == {"die": 3}
        assert [attempt.status for attempt in await hf.attempts(run)] == ["failed", "failed"]


# --- nothing is waited for in vain


async def test_a_task_is_over_when_its_process_is_whoever_still_holds_its_output(
    hf: Holdfast, load: Load, tmp_path: Path
) -> None:
    """gptme 3756, tinyexec 138, crush 2653, haskell/process 70: a child in the background has inherited the
    pipe, and its end is waited for."""
    dag = load(
        """
          starts: {command: 'sleep 600 & setsid sleep 600 & echo done; echo HOLDFAST_OUTPUT:1'}
        """
    )
    async with hf:
        run = await hf.start(dag)
        began = time.monotonic()

        assert await run.result(timeout=SOON) == {"starts": 1}
        took = time.monotonic() - began
        await until(lambda: not marked(tmp_path))

    assert took < PATIENCE


async def test_a_task_may_say_more_than_a_pipe_holds_on_both_streams(hf: Holdfast, load: Load) -> None:
    """grantiva 35, oh-my-pi 12657: nobody reads the other stream, and the child waits to write to it."""
    dag = load(
        """
          loud:
            command: |
              head -c 300000 /dev/zero | tr '\\\\0' 'e' >&2
              head -c 300000 /dev/zero | tr '\\\\0' 'o'
              echo; echo HOLDFAST_OUTPUT:2
        """
    )
    async with hf:
        assert await (await hf.start(dag)).result(timeout=SOON) == {"loud": 2}


# --- all is heard


async def test_all_that_a_task_says_before_it_ends_is_kept_in_order(hf: Holdfast, load: Load) -> None:
    """crabbox 1097, DolphinScheduler 5775: what is still in the pipe when the process ends is thrown away."""
    dag = load(
        """
          counts:
            parallel: 3
            command: seq 1 4000; echo last >&2; exit 7
        """
    )
    async with hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result(timeout=SOON)
        lines = await hf.logs(run)

    for index in range(3):
        said = [line.text for line in lines if line.index == index and line.stream == "stdout"]
        assert said == [str(number) for number in range(1, 4001)]
        assert [line.text for line in lines if line.index == index and line.stream == "stderr"] == ["last"]


async def test_every_attempt_has_its_own_log_and_its_own_last_words(hf: Holdfast, load: Load) -> None:
    """hermes-agent 88456: the failure of an attempt that said nothing has the words of the one before.
    DolphinScheduler 16560: of several attempts the log of one can be read."""
    dag = load(
        """
          twice:
            command: test $HOLDFAST_ATTEMPT = 2 || echo "words of $HOLDFAST_ATTEMPT" >&2; exit 9
            retries: {max_attempts: 3, first_delay: 0}
        """
    )
    async with hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result(timeout=SOON)
        said = [(line.attempt, line.text) for line in await hf.logs(run)]
        rows = await hf._store.list_attempts(hf.namespace, run.key)

    assert said == [(1, "words of 1"), (3, "words of 3")]
    assert [row.failure.traceback for row in rows if row.failure] == ["words of 1", "", "words of 3"]


async def test_what_was_said_before_its_node_stopped_is_kept_beside_what_the_next_attempt_says(
    store_url: str, catalog: Catalog, load: Load, tmp_path: Path
) -> None:
    """leoflow 861, end-of-line 105: the log of a task whose worker died ends in the middle, or is gone."""
    dag = load(
        """
          slow: {command: 'echo "begun by $$"; test -e go || sleep 300'}
        """
    )
    async with Holdfast(store_url, catalog=catalog, kill_seconds=0.5, drain_seconds=0) as first:
        run = await first.start(dag, id="it")
        seen = [line async for line in _first_of(first, "it")]
    (tmp_path / "go").touch()
    async with Holdfast(store_url, catalog=catalog) as second:
        await (await second.get("it")).result(timeout=SOON)
        lines = [line.text for line in await second.logs("it")]

    assert len(lines) == 2
    assert lines[0] == seen[0].text
    assert lines[0] != lines[1]
    assert run.id == "it"


async def _first_of(hf: Holdfast, run: str) -> Any:
    async for line in hf.follow(run):
        yield line
        return
