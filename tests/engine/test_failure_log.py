"""What has failed is in the log of the program once, with its exception, for those who collect errors."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import traceback
from pathlib import Path
from typing import Any

import pytest

from holdfast import (
    Catalog,
    DoNotRetry,
    Holdfast,
    Retry,
    RunFailed,
    context,
    load_dag,
    task,
    task_context,
    workflow,
)
from holdfast.engine.failure_log import MOST
from holdfast.errors import RunParked
from holdfast.testing import Environment

catalog = Catalog()
THRICE = Retry(max_attempts=3, first_delay=dt.timedelta(seconds=1), jitter=0)


class CardDeclined(Exception):
    pass


@task(catalog=catalog, retry=THRICE)
async def charge(card: str) -> None:
    raise CardDeclined("no money")


@task(catalog=catalog, retry=THRICE)
def charge_on_a_thread(card: str) -> None:
    raise CardDeclined("no money")


@workflow(catalog=catalog)
async def order(card: str) -> None:
    await charge(card)


@workflow(catalog=catalog)
async def order_on_a_thread(card: str) -> None:
    await charge_on_a_thread(card)


@workflow(catalog=catalog)
async def family() -> None:
    await context().start_child(order, "4111")


@workflow(catalog=catalog)
async def mistaken() -> None:
    raise KeyError("price")


@task(catalog=catalog)
async def refuse(number: int) -> None:
    raise DoNotRetry(f"number {number}")


@workflow(catalog=catalog)
async def wide() -> None:
    await asyncio.gather(*[refuse(number) for number in range(MOST + 5)], return_exceptions=True)


@task(catalog=catalog, secrets=["BANK"])
async def pay() -> None:
    key = task_context().secret("BANK")
    raise DoNotRetry(f"the bank knows no {key}")


@pytest.fixture
def failures(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def records(caplog: pytest.LogCaptureFixture, level: int) -> list[Any]:
    return [it for it in caplog.records if it.name == "holdfast.failures" and it.levelno == level]


@pytest.mark.parametrize("target", [order, order_on_a_thread], ids=["loop", "thread"])
async def test_a_task_that_fails_is_one_error_with_its_exception(
    failures: pytest.LogCaptureFixture, target: Any
) -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(target, "4111", id="order-1")
        with pytest.raises(RunFailed):
            await run.result()

    [error] = records(failures, logging.ERROR)
    assert error.msg == "task %s has failed: %s", "a constant: what differs is in the arguments"
    assert isinstance(error.exc_info[1], CardDeclined)
    frames = [frame.name for frame in traceback.extract_tb(error.exc_info[2])]
    assert frames == [error.task], "none of our own frames, which have the input in their variables"
    assert (error.run_id, error.workflow, error.attempt) == ("order-1", run_workflow(target), 3)
    warnings = records(failures, logging.WARNING)
    assert [(it.attempt, it.exc_info) for it in warnings] == [(1, None), (2, None)]


def run_workflow(target: Any) -> str:
    return "order" if target is order else "order_on_a_thread"


async def test_a_crash_at_any_commit_logs_no_failure_twice(failures: pytest.LogCaptureFixture) -> None:
    failed: list[int] = []
    for crash_after in (False, True):
        for crash_at in range(1, 8):
            failures.clear()
            async with Environment(catalog=catalog, crash_at=crash_at, crash_after=crash_after) as env:
                run = await env.start(mistaken, id="m") if crash_at > 1 else None
                if run is not None:
                    with pytest.raises(RunFailed):
                        await run.result()
            failed.append(len(records(failures, logging.ERROR)))
    assert max(failed) == 1


async def test_a_run_that_fails_by_itself_is_one_error_and_its_parents_are_none(
    failures: pytest.LogCaptureFixture,
) -> None:
    async with Environment(catalog=catalog) as env:
        for target in (mistaken, family):
            run = await env.start(target)
            with pytest.raises(RunFailed):
                await run.result()

    mine, of_task = records(failures, logging.ERROR)
    assert (mine.msg, mine.workflow) == ("run of %s has failed: %s", "mistaken")
    assert isinstance(mine.exc_info[1], KeyError)
    assert "in mistaken" in mine.traceback
    assert (of_task.task, of_task.workflow) == ("charge", "order")


async def test_what_may_show_a_secret_is_logged_without_frames(
    failures: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_SECRET_BANK", "swordfish-77")

    async with Environment(catalog=catalog) as env:
        run = await env.start(pay)
        with pytest.raises(Exception, match="the bank"):
            await run.result()

    [error] = records(failures, logging.ERROR)
    assert error.exc_info[2] is None
    assert str(error.exc_info[1]) == "the bank knows no ***BANK***"
    assert "swordfish" not in f"{error.getMessage()} {vars(error)}"


async def test_of_very_many_failures_some_are_logged_and_all_are_counted(
    failures: pytest.LogCaptureFixture,
) -> None:
    async with Environment(catalog=catalog) as env:
        await env.run(wide)

    errors = records(failures, logging.ERROR)
    assert len(errors) == MOST + 1
    assert errors[0].getMessage() == f"{MOST + 5} tasks have failed; here are {MOST} of them"


async def test_a_command_that_fails_has_an_exception_too(
    failures: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "dag.yaml").write_text("name: d\ntasks: {go: {command: 'echo oops >&2; exit 3'}}\n")
    known = Catalog()
    dag = load_dag(tmp_path / "dag.yaml", catalog=known)

    async with Holdfast(f"sqlite:///{tmp_path}/h.db", catalog=known) as hf:
        run = await hf.start(dag)
        with pytest.raises(RunFailed):
            await run.result()

    [error] = records(failures, logging.ERROR)
    assert type(error.exc_info[1]).__name__ == "CommandFailed"
    assert "oops" in error.traceback


class Unspeakable(KeyboardInterrupt):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@workflow(catalog=catalog)
async def interrupted() -> None:
    raise Unspeakable("by its own code")


async def test_a_run_that_cannot_go_on_is_an_error_when_it_is_parked(
    failures: pytest.LogCaptureFixture,
) -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(interrupted)
        with pytest.raises(RunParked):
            await run.result()

    errors = records(failures, logging.ERROR)
    assert {it.msg for it in errors} == {"run %s cannot go on and is parked: %s"}
    assert len(errors) <= 2, "when it is parked, and when it is not tried again any more"
    for each in errors:
        assert each.run_id == run.id
        assert "Unspeakable" in each.getMessage()
        assert isinstance(each.exc_info[1], KeyboardInterrupt)
        frames = [frame.name for frame in traceback.extract_tb(each.exc_info[2])]
        assert frames[0] == "interrupted", "from the user's code on"
