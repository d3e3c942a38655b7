"""`holdfast.sync`: the calls of a client without `await`, from any thread."""

from __future__ import annotations

import asyncio
import datetime as dt
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE, SOON
from tests.sync import generate

import holdfast
from holdfast import Catalog, RunCancelled, RunStatus, context, task, workflow
from holdfast.errors import (
    BadOption,
    ForbiddenInWorkflow,
    InEventLoop,
    NotOpen,
    OpenedBefore,
    RunNotFound,
    StoreUnavailable,
)
from holdfast.sync import Holdfast, Run

SECOND = dt.timedelta(seconds=1)
catalog = Catalog()
opened: list[Holdfast] = []
"""What tasks and workflows of these tests call."""


@task(catalog=catalog)
def add(a: int, b: int = 1) -> int:
    return a + b


@workflow(catalog=catalog)
async def total(numbers: list[int]) -> int:
    found = 0
    for number in numbers:
        found = await add(found, number)
    return found


@workflow(catalog=catalog)
async def ask(question: str) -> str:
    context().state.set("question", question)
    context().logger.info("asking %s", question)
    answer = await context().signal("answer", str)
    promised = await context().promise("signature", str)
    return f"{question} {answer} {promised}"


@workflow(catalog=catalog)
async def fail(message: str) -> None:
    raise ValueError(message)


@task(catalog=catalog)
def start_another(number: int) -> int:
    return opened[-1].run(total, [number, number])


@task(catalog=catalog)
async def wait_on_the_loop() -> int:
    return opened[-1].run(total, [1])


@workflow(catalog=catalog)
async def wait_in_workflow() -> int:
    return opened[-1].run(total, [1])


@pytest.fixture
def hf(store_url: str) -> Iterator[Holdfast]:
    with Holdfast(store_url, catalog=catalog) as made:
        opened.append(made)
        yield made
    opened.clear()


def until(holds: Callable[[], object]) -> None:
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE, "it did not happen"
        time.sleep(0.01)


def in_thread(function: Callable[[], Any]) -> Future[Any]:
    made: Future[Any] = Future()

    def call() -> None:
        try:
            made.set_result(function())
        except BaseException as error:
            made.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return made


# --- what it has


def test_its_calls_are_those_of_the_async_classes() -> None:
    written = generate.TARGET.read_text(encoding="utf-8")

    assert generate.formatted(generate.generate()) == written, "run: python -m tests.sync.generate"


@pytest.mark.parametrize("name", generate.LEFT_OUT)
def test_what_is_left_out_is_there(name: str) -> None:
    assert callable(getattr(holdfast.Holdfast, name.partition(".")[2]))
    assert name.partition(".")[2] in ("open", "close") or not hasattr(Holdfast, name.partition(".")[2])


def test_a_script_runs_a_workflow_and_looks_at_it(hf: Holdfast) -> None:
    assert hf.run(total, [1, 2, 3]) == 6
    run = hf.start(total, [4, 5], id="nine")

    assert isinstance(run, Run)
    assert (run.result(SOON), run.id, run.status()) == (9, "nine", RunStatus.SUCCESS)
    assert hf.get("nine").key == run.key
    assert hf.result(run) == hf.result("nine", int) == 9
    assert hf.describe(run).input == {"numbers": [4, 5]}
    assert [each.name for each in hf.tasks(run)] == ["add", "add"]
    assert [each.result() for each in hf.start_many(total, [([1],), ([2],)], ids=["a", "b"])] == [1, 2]
    assert {each.id for each in hf.list(workflow=total)} >= {"nine", "a", "b"}
    assert hf.attempts("nine") == hf.doctor() == []


def test_it_sends_messages_reads_logs_and_state(hf: Holdfast) -> None:
    run = hf.start(ask, "why?")
    until(lambda: hf.state(run))

    hf.signal(run, "answer", "because")
    run.resolve("signature", "Ann", ahead=True)

    assert run.result(SOON) == "why? because Ann"
    assert hf.state(run) == {"question": "why?"}
    assert [line.text for line in hf.follow(run)] == [line.text for line in hf.logs(run)]
    assert "asking why?" in hf.logs(run)[0].text


def test_it_cancels_retries_and_raises_the_error_of_the_run(hf: Holdfast) -> None:
    waiting = hf.start(ask, "who?")
    waiting.cancel("no matter")
    with pytest.raises(RunCancelled, match="no matter"):
        waiting.result(SOON)
    hf.retry(waiting)
    hf.reject(waiting, "signature", ValueError("no pen"), ahead=True)
    waiting.signal("answer", "nobody")

    with pytest.raises(ValueError, match="no pen"):
        waiting.result(SOON)
    with pytest.raises(ValueError, match="too late"):
        hf.run(fail, "too late")
    assert {each.workflow for each in hf.failures()} == {"ask", "fail"}
    with pytest.raises(TimeoutError):
        hf.start(ask, "when?").result(dt.timedelta(milliseconds=50))
    with pytest.raises(RunNotFound):
        hf.get("nobody")


def test_schedules_and_flows_have_their_calls(hf: Holdfast) -> None:
    hf.schedules.put("hourly", total, every=3600 * SECOND, input={"numbers": [1, 2]})

    run = hf.schedules.trigger("hourly")

    assert isinstance(run, Run)
    assert run.result(SOON) == 3
    assert [each.name for each in hf.schedules.list()] == ["hourly"]
    assert hf.schedules.pause("hourly").is_paused
    hf.schedules.delete("hourly")
    assert hf.flows.list() == ([], 0)


# --- threads


def test_many_threads_use_one_at_once(hf: Holdfast) -> None:
    def one(number: int) -> int:
        return hf.start(total, [number, number]).result(SOON)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(one, range(64))) == [2 * number for number in range(64)]


def test_a_thread_that_waits_holds_up_no_other(hf: Holdfast) -> None:
    run = hf.start(ask, "who?")
    waiters = [in_thread(run.result) for _ in range(8)]

    assert hf.run(total, [1, 2]) == 3

    assert not any(each.done() for each in waiters)
    hf.signal(run, "answer", "me")
    hf.resolve(run, "signature", "!", ahead=True)
    assert [each.result(PATIENCE) for each in waiters] == ["who? me !"] * 8


def test_a_task_on_a_thread_may_call_it(hf: Holdfast) -> None:
    assert hf.run(start_another, 4) == 8


def test_code_on_an_event_loop_is_refused(hf: Holdfast) -> None:
    with pytest.raises(InEventLoop, match=r"holdfast\.Holdfast with `await`"):
        hf.run(wait_on_the_loop)
    run = hf.start(wait_in_workflow)
    with pytest.raises((ForbiddenInWorkflow, holdfast.RunFailed), match="start_child"):
        run.result(SOON)


async def test_so_is_a_thread_that_runs_an_event_loop_of_its_own(store_url: str) -> None:
    waiting = Holdfast(store_url, catalog=catalog)

    with pytest.raises(InEventLoop):
        waiting.open()

    assert not [each for each in threading.enumerate() if each.name == "holdfast-sync"]
    await asyncio.to_thread(waiting.open)
    await asyncio.to_thread(waiting.close)


# --- opening and closing


def test_it_is_opened_once_and_refuses_calls_before_and_after(store_url: str) -> None:
    hf = Holdfast(store_url, catalog=catalog)
    hf.close()
    with pytest.raises(NotOpen):
        hf.run(total, [1])
    with hf:
        run = hf.start(total, [1])
    hf.close()

    with pytest.raises(NotOpen):
        run.result()
    with pytest.raises(NotOpen):
        next(hf.follow(run))
    with pytest.raises(OpenedBefore):
        hf.open()
    assert not [each for each in threading.enumerate() if each.name == "holdfast-sync"]


def test_a_database_that_cannot_be_opened_leaves_no_thread(tmp_path: Path) -> None:
    hf = Holdfast(f"sqlite:///{tmp_path}/nowhere/a.db", open_seconds=0)

    with pytest.raises(StoreUnavailable):
        hf.open()

    assert not [each for each in threading.enumerate() if each.name == "holdfast-sync"]


def test_calls_that_wait_while_it_is_closed_raise_not_open(store_url: str) -> None:
    with Holdfast(store_url, catalog=catalog) as hf:
        run = hf.start(ask, "who?")
        until(lambda: hf.logs(run))
        lines = hf.follow(run)
        assert next(lines)
        waiting = [in_thread(run.result), in_thread(lambda: next(lines)), in_thread(lambda: hf.result(run))]
        time.sleep(0.2)
        assert not any(each.done() for each in waiting)

    for each in waiting:
        assert isinstance(each.exception(PATIENCE), NotOpen)


def test_several_threads_may_close_it(store_url: str) -> None:
    hf = Holdfast(store_url, catalog=catalog)
    hf.open()

    closing = [in_thread(hf.close) for _ in range(4)]

    assert [each.result(PATIENCE) for each in closing] == [None] * 4


# --- processes

SCRIPT = """
import os, sys
from holdfast import context, workflow
from holdfast.errors import InFork
from holdfast.sync import Holdfast

@workflow
async def endless() -> None:
    await context().signal("never")

@workflow
async def double(number: int) -> int:
    return 2 * number

hf = Holdfast(sys.argv[1])
"""


def start_script(tmp_path: Path, store_url: str, code: str) -> subprocess.Popen[str]:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT + code)
    return subprocess.Popen(
        [sys.executable, str(file), store_url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_ctrl_c_ends_a_call_that_waits(store_url: str, tmp_path: Path) -> None:
    code = "with hf:\n    run = hf.start(endless)\n    print('waiting', flush=True)\n    run.result()\n"
    script = start_script(tmp_path, store_url, code)
    assert script.stdout is not None
    assert script.stdout.readline() == "waiting\n"
    time.sleep(0.2)

    script.send_signal(signal.SIGINT)

    _, told = script.communicate(timeout=PATIENCE)
    assert script.returncode == -signal.SIGINT
    assert told.rstrip().endswith("KeyboardInterrupt")


def test_a_fork_is_refused_by_name_and_the_parent_goes_on(store_url: str, tmp_path: Path) -> None:
    code = """
with hf:
    child = os.fork()
    if child == 0:
        try:
            hf.run(double, 1)
        except InFork as error:
            print(error, flush=True)
    else:
        os.waitpid(child, 0)
        print(hf.run(double, 21), flush=True)
"""
    script = start_script(tmp_path, store_url, code)

    told, problems = script.communicate(timeout=PATIENCE)
    assert (script.returncode, problems) == (0, "")
    first, second = told.splitlines()
    assert "open one in each process, after the fork" in first
    assert second == "42"


def test_a_script_may_end_without_closing_it(store_url: str, tmp_path: Path) -> None:
    script = start_script(tmp_path, store_url, "hf.open()\nprint(hf.run(double, 21))\nhf.start(endless)\n")

    assert script.communicate(timeout=PATIENCE) == ("42\n", "")
    assert script.returncode == 0


def test_many_runs_are_selected_and_changed(store_url: str) -> None:
    with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        runs = hf.start_many(ask.options(tags=["batch"]), ["a", "b", "c"])
        chosen = hf.select(tag="batch")

        assert chosen.count() == 3
        assert chosen.pause("audit").done == 3
        assert chosen.resume(timers="wait", by="ann").done == 3
        assert chosen.terminate("enough").done == 3
        assert {run.status() for run in runs} == {RunStatus.CANCELLED}
        with pytest.raises(BadOption):
            hf.select(status="nonsense")
