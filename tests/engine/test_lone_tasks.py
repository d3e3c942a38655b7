"""Runs of a task by itself survive a crash at every commit, and an edit of the task."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from holdfast import Catalog, Retry, task, task_context
from holdfast.testing import Environment, assert_durable

SECOND = dt.timedelta(seconds=1)
catalog = Catalog()


@task(catalog=catalog)
async def add(a: int, b: int = 1) -> int:
    return a + b


@task(catalog=catalog)
def multiply(a: int, b: int) -> int:
    return a * b


@task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=SECOND))
async def succeed_at(attempt: int) -> str:
    if task_context().attempt < attempt:
        raise ValueError(f"attempt {task_context().attempt}")
    return "done"


@task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=SECOND))
async def fail_always() -> None:
    raise ValueError("no money")


async def test_a_task_by_itself_survives_a_crash_at_every_commit(new_database: Callable[[], str]) -> None:
    assert await assert_durable(add, 1, b=2, catalog=catalog, new_database=new_database) == 3
    assert await assert_durable(multiply, 2, 3, catalog=catalog, new_database=new_database) == 6


async def test_so_does_one_that_is_tried_again_and_one_that_fails(new_database: Callable[[], str]) -> None:
    assert await assert_durable(succeed_at, 3, catalog=catalog, new_database=new_database) == "done"
    with pytest.raises(ValueError, match="no money"):
        await assert_durable(fail_always, catalog=catalog, new_database=new_database)


async def test_a_task_that_was_edited_runs_its_new_code_after_a_crash(store_url: str) -> None:
    own = Catalog()

    @task(catalog=own, name="edited", retry=Retry(max_attempts=2, first_delay=3600 * SECOND))
    async def old() -> str:
        raise ValueError("a mistake")

    async with Environment(store_url, catalog=own) as env:
        run = await env.start(old)
        await env.wait_until_quiet()

        @task(catalog=own, name="edited")
        async def new(added: str = "nothing") -> str:
            return f"mended, {added} is missing"

        await env.crash()

        assert await run.result() == "mended, nothing is missing"
