"""Signals that workflow code sends to other runs: once, whatever crashes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.patience import SOON

from holdfast import (
    Catalog,
    DeterminismError,
    Holdfast,
    RunEnded,
    RunNotFound,
    Signal,
    StoreUnavailable,
    TaskError,
    WrongType,
    context,
    task,
    workflow,
)
from holdfast.stores.driver import Driver
from holdfast.testing import Environment, SimulatedRun, assert_durable, simulate

catalog = Catalog()


@task(catalog=catalog)
async def nap() -> None: ...


@workflow(catalog=catalog)
async def hear() -> list[Any]:
    """All words until `None`."""
    words: list[Any] = []
    while (word := await context().signal("word")) is not None:
        words.append(word)
    return words


@workflow(catalog=catalog)
async def tell(to: str, words: list[Any]) -> None:
    for word in words:
        await context().signal_run(to, "word", word)


@workflow(catalog=catalog)
async def talk(words: list[Any]) -> list[Any]:
    """With a child, and with itself."""
    child = context().start_child(hear)
    for word in words:
        await context().signal_run(child, "word", word)
        await context().signal_run(context().run_id, "echo", word)
    await asyncio.gather(*(context().signal_run(child.id, "word", "same") for _ in range(2)))
    await context().signal_run(child.id, "word", None)
    return [await child, [await context().signal("echo") for _ in words]]


@workflow(catalog=catalog)
async def try_to_tell(to: str) -> str:
    try:
        await context().signal_run(to, "word", 1)
    except RunNotFound as error:
        return f"not found: {error.id}"
    except RunEnded as error:
        return f"ended: {error.id}, {isinstance(error, TaskError)}"
    return "told"


async def test_a_crash_at_every_commit_doubles_no_signal(new_database: Callable[[], str]) -> None:
    heard = await assert_durable(talk, [1, 2, 3], catalog=catalog, new_database=new_database)

    assert heard == [[1, 2, 3, "same", "same"], [1, 2, 3]]


async def test_a_crash_at_every_commit_leaves_the_error_the_same(new_database: Callable[[], str]) -> None:
    told = await assert_durable(try_to_tell, "nobody", catalog=catalog, new_database=new_database)

    assert told == "not found: nobody"


def test_no_simulated_fault_doubles_a_signal() -> None:
    def check(run: SimulatedRun) -> None:
        assert run.result == [[1, 2, 3, "same", "same"], [1, 2, 3]]

    simulate(talk, [1, 2, 3], seeds=30, check=check, catalog=catalog)


@pytest.fixture
async def hf(store_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(store_url, catalog=catalog) as hf:
        yield hf


async def test_a_run_signals_another(hf: Holdfast) -> None:
    hearing = await hf.start(hear, id="ear")
    telling = await hf.start(tell, "ear", [1, {"two": 2}, None])

    await telling.result(SOON)

    assert await hearing.result(SOON) == [1, {"two": 2}]
    assert [step.name for step in await hf.tasks(telling)] == ["signal word"] * 3
    [first, _, _] = await hf.list_tasks(telling)
    assert first.input == b'{"run":"ear","name":"word","value":1}'


async def test_a_run_that_has_ended_or_is_not_there_is_an_error_that_code_can_catch(hf: Holdfast) -> None:
    await (await hf.signal_or_start(hear.options(id="ear"), Signal("word", None))).result(SOON)

    assert await hf.run(try_to_tell, "ear") == "ended: ear, True"
    assert await hf.run(try_to_tell, "nobody") == "not found: nobody"
    assert await hf.run(try_to_tell, "") == "not found: "


async def test_what_is_no_run_is_refused_at_once(hf: Holdfast) -> None:
    @workflow(catalog=catalog)
    async def confuse() -> list[str]:
        mistakes: list[str] = []
        working = nap()
        for wrong in (7, None, working):
            try:
                await context().signal_run(wrong, "word")  # type: ignore[arg-type]
            except WrongType as error:
                mistakes.append(str(error).partition(",")[0])
        await working
        return mistakes

    assert await hf.run(confuse) == ["a run: expected a child or the id of a run"] * 3


async def test_it_waits_while_the_store_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str
) -> None:
    failures = 4
    usual = Driver.write_and_tell

    async def fail_at_first(self: Driver, script: Any) -> Any:
        nonlocal failures
        answer = await usual(self, script)
        if not self._is_of_engine and failures:
            failures -= 1
            raise StoreUnavailable("the store", "the connection was closed")
        return answer

    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        hearing = await hf.start(hear, id="ear")
        monkeypatch.setattr(Driver, "write_and_tell", fail_at_first)
        await (await hf.start(tell, "ear", [1, 2, None])).result(SOON)

        assert await hearing.result(SOON) == [1, 2]
        assert failures == 0


async def test_code_that_would_send_another_signal_on_replay_is_stopped() -> None:
    words = [1]

    @workflow(catalog=catalog)
    async def change() -> None:
        await context().signal_run("ear", "word", words[0])
        await context().signal("go")

    async with Environment(catalog=catalog) as env:
        await env.start(hear, id="ear")
        run = await env.start(change, id="changing")
        await env.wait_until_quiet()
        words[0] = 2
        await env.crash()
        await run.signal("go")
        await env.wait_until_quiet()

        failure = (await env.describe(run)).failure
        assert failure is not None
        assert DeterminismError.__name__ in failure.type
        assert [message.value for message in await env.messages("ear")] == [1]
