"""Public calls with hostile arguments: an answer or a refusal, nothing changed, and the node goes on."""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
import logging
from binascii import crc32
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.hostile import EVERYTHING, SUBCLASSES, Obstinate, hostile
from tests.fuzz.household import catalog, echo, settle_in, simple
from tests.fuzz.outcomes import printable
from tests.fuzz.public_calls import CLIENT_CALLS, DEFINITION_CALLS, WORKFLOW_CALLS

from holdfast import Catalog, Holdfast, HoldfastError, RunStatus, context, task, task_context, workflow
from holdfast.testing import Environment

SHARE = 4
"""A call is tried with every fourth hostile thing, another fourth for each: all of them take minutes."""


def some(call: str) -> list[str]:
    return sorted({*list(EVERYTHING)[crc32(call.encode()) % SHARE :: SHARE], *SUBCLASSES})


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1, "holdfast")


@pytest.mark.parametrize("call", sorted(CLIENT_CALLS))
async def test_a_client_call_answers_or_is_refused_and_then_changes_nothing(call: str) -> None:
    async with Environment(catalog=catalog) as env:
        [run] = await settle_in(env, "waits")
        await env.run(simple, 1, id="done")
        for name in some(call):
            before = await _contents(env)
            is_refused = await _is_refused(name, lambda it: CLIENT_CALLS[call](env, run, it))
            assert not is_refused or await _contents(env) == before, name
        await env.wait_until_quiet()

        assert env.engine.failure is None
        await env.signal(run, "go")
        assert await run.result() == "waits"


async def _is_refused(name: str, call: Callable[[Any], Awaitable[Any]]) -> bool:
    with printable(name):
        try:
            await call(hostile(name))
        except (HoldfastError, Obstinate, TimeoutError) as refusal:
            str(refusal).encode()
            return True
    return False


async def _contents(env: Environment) -> tuple[int, int]:
    return len(await env.list(limit=10_000)), len((await env.history("waits")).messages)


@pytest.mark.parametrize("call", sorted(DEFINITION_CALLS))
def test_a_definition_is_taken_or_refused(call: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # without a URL a Holdfast makes a folder here
    for name in some(call):
        with printable(name):
            try:
                DEFINITION_CALLS[call](hostile(name))
            except (HoldfastError, Obstinate) as refusal:
                str(refusal).encode()


@workflow(catalog=catalog)
async def daring(call: str, name: str) -> str:
    """Makes a call with something hostile, and then waits, so that what the call left can be replayed."""
    how = "taken"
    try:
        answer = WORKFLOW_CALLS[call](hostile(name))
        if inspect.isawaitable(answer):
            await answer
    except (HoldfastError, Obstinate, TimeoutError, asyncio.CancelledError):
        how = "refused"
    await context().signal("go")
    return how


@pytest.mark.parametrize("call", sorted(WORKFLOW_CALLS))
async def test_what_a_workflow_asks_for_is_refused_or_can_be_replayed(call: str) -> None:
    async with Environment(catalog=catalog) as env:
        runs = {name: await env.start(daring, call, name) for name in some(call)}
        await env.skip(dt.timedelta(seconds=5))
        await env.crash()
        for run in runs.values():
            await env.signal(run, "go")
        await env.skip(dt.timedelta(seconds=5))

        infos = {name: await env.describe(run) for name, run in runs.items()}
        assert {name: info.failure for name, info in infos.items() if info.failure is not None} == {}
        waiting = [name for name, info in infos.items() if info.status is not RunStatus.SUCCESS]
        # Only for a promise or a signal that may come after the end of the world.
        assert not waiting or "timeout" in call


CALLS_IN_TIME: dict[str, Callable[[Holdfast], Awaitable[Any]]] = {
    "start": lambda hf: hf.start(simple, 1),
    "start_many": lambda hf: hf.start_many(simple, [1, 2]),
    "run": lambda hf: hf.run(simple, 1),
    "get": lambda hf: hf.get("nobody"),
    "describe": lambda hf: hf.describe("nobody"),
    "list": lambda hf: hf.list(),
    "history": lambda hf: hf.history("nobody"),
    "result": lambda hf: hf.result("nobody"),
    "state": lambda hf: hf.state("nobody"),
    "doctor": lambda hf: hf.doctor(),
    "signal": lambda hf: hf.signal("nobody", "x"),
    "resolve": lambda hf: hf.resolve("nobody", "x"),
    "reject": lambda hf: hf.reject("nobody", "x", "y"),
    "cancel": lambda hf: hf.cancel("nobody"),
    "resume": lambda hf: hf.resume("nobody"),
    "retry": lambda hf: hf.retry("nobody"),
    "serve": lambda hf: hf.serve(),
}


@pytest.mark.parametrize("call", sorted(CALLS_IN_TIME))
async def test_a_call_before_opening_or_after_closing_is_refused(call: str, sqlite_url: str) -> None:
    hf = Holdfast(sqlite_url, catalog=catalog)

    with pytest.raises(HoldfastError, match="not open"):
        await CALLS_IN_TIME[call](hf)
    await hf.open()
    await hf.close()
    with pytest.raises(HoldfastError, match="not open"):
        await CALLS_IN_TIME[call](hf)


async def test_calls_that_are_cancelled_in_the_middle_leave_a_node_that_works(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        for call in CALLS_IN_TIME.values():
            for turns in range(6):
                calling = asyncio.ensure_future(call(hf))
                for _ in range(turns):
                    await asyncio.sleep(0)
                calling.cancel()
                with suppress(asyncio.CancelledError, HoldfastError):  # or it was done before
                    await calling
        await asyncio.sleep(0.1)

        assert await hf.run(simple, 7) == 7
        assert await hf.doctor() == []


async def test_a_task_that_says_hostile_things_fails_alone() -> None:
    tasks = Catalog()

    @task(catalog=tasks)
    async def boast(name: str) -> Any:
        task_context().heartbeat(hostile(name))
        task_context().heartbeat_details(hostile(name))
        return hostile(name)

    @workflow(catalog=tasks)
    async def listen(name: str) -> str:
        try:
            await boast(name)
        except Exception as error:
            return type(error).__name__
        return "taken"

    tasks.add_task(echo)
    async with Environment(catalog=tasks) as env:
        runs = await env.start_many(listen, list(EVERYTHING))
        said = [await run.result() for run in runs]

        assert env.engine.failure is None
        assert "taken" in said
        assert "CannotStore" in said


async def test_an_error_with_something_deep_in_it_fails_its_run_and_no_more() -> None:
    """What can just be written where it was raised must also be written where the engine writes it, with
    another stack below: one of these depths is in between."""
    tasks = Catalog()

    @task(catalog=tasks)
    async def fail(depth: int) -> None:
        found: list[Any] = []
        for _ in range(depth):
            found = [found]
        error = ValueError("deep")
        error.found = found  # pyright: ignore[reportAttributeAccessIssue]
        raise error

    @workflow(catalog=tasks)
    async def failing(depth: int) -> None:
        await fail(depth)

    async with Environment(catalog=tasks) as env:
        for depth in range(860, 1000):
            run = await env.start(failing, depth)
            await env.wait_until_quiet()
            assert env.engine.failure is None, depth
            with pytest.raises(ValueError, match="deep"):
                await run.result()
