"""Exceptions as values: workflow code may pass them on, keep them and return them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from holdfast import Catalog, Run, RunFailed, TaskError, context, task, workflow
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

catalog = Catalog()


class Declined(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"declined with code {code}")
        self.code = code


@dataclass
class Outcome:
    number: int
    error: Declined | None = None


@task(catalog=catalog)
async def fetch(number: int) -> int:
    if number == 2:
        raise Declined(number)
    return number


@task(catalog=catalog)
async def describe(values: list[int | BaseException]) -> list[str]:
    return [
        f"{isinstance(it, Declined)} {isinstance(it, TaskError)} {it}"
        if isinstance(it, Declined)
        else f"{it!r}"
        for it in values
    ]


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@task(catalog=catalog)
async def judge(number: int) -> Outcome:
    return Outcome(number, Declined(number) if number == 2 else None)


@workflow(catalog=catalog)
async def failing_child() -> None:
    raise Declined(7)


@workflow(catalog=catalog)
async def gather_all() -> list[int | BaseException | list[str]]:
    results = await asyncio.gather(*map(fetch, range(3)), return_exceptions=True)
    return [*results, await describe(results)]


async def test_what_gather_gives_is_passed_on_and_returned(new_database: NewDatabase) -> None:
    result = await assert_durable(gather_all, catalog=catalog, new_database=new_database)

    error = result[2]
    assert result[:2] == [0, 1]
    assert isinstance(error, Declined)
    assert isinstance(error, TaskError)
    assert (error.code, error.args) == (2, ("declined with code 2",))
    assert result[3] == ["0", "1", "True True declined with code 2"]


@workflow(catalog=catalog)
async def keep_all() -> list[Any]:
    ctx = context()
    outcomes = await asyncio.gather(*map(judge, range(1, 3)))
    [of_child] = await asyncio.gather(failing_child(), return_exceptions=True)
    sent = await ctx.signal("sent", Exception)
    ctx.state.set("last", [of_child, sent])
    await asyncio.sleep(10)
    untyped = await echo({"errors": [outcome.error for outcome in outcomes]})
    return [*ctx.state.get("last"), untyped["errors"], await ctx.run("local", lambda: KeyError("local"))]


async def test_exceptions_are_kept_in_models_state_signals_and_results(new_database: NewDatabase) -> None:
    async def send(run: Run[Any]) -> None:
        await run.signal("sent", Declined(5))

    result = await assert_durable(keep_all, catalog=catalog, new_database=new_database, during=send)

    of_child, sent, untyped, local = result
    assert isinstance(of_child, Declined)
    assert isinstance(of_child, RunFailed)
    assert (type(sent), sent.code) == (Declined, 5)
    assert (untyped[0], type(untyped[1]), untyped[1].code) == (None, Declined, 2)
    assert repr(local) == "KeyError('local')"


@pytest.mark.usefixtures("caplog")
async def test_a_model_under_a_bare_hint_is_told(caplog: pytest.LogCaptureFixture) -> None:
    @task(catalog=catalog)
    async def load() -> list:  # pyright: ignore[reportMissingTypeArgument]
        return [Outcome(1)]

    @workflow(catalog=catalog)
    async def loading() -> int:
        await load()
        return len(await load())

    async with Environment(catalog=catalog) as env:
        assert await env.run(loading) == 1

    [warning] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert warning.name == "holdfast.workflow"
    assert warning.getMessage() == (
        "the result of task 'load': [0] is of class Outcome, but its type hint does not say so, and it will "
        "come back as a dict; write list[Outcome] in the hint"
    )
