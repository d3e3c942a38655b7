"""Tasks and children that nobody awaits: they are named, and their failure is not lost."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Catalog, RunFailed, TaskStatus, Workflow, context, task, workflow
from holdfast.testing import Environment, assert_durable

catalog = Catalog()


class Declined(Exception):
    pass


@task(catalog=catalog)
async def quick(value: int = 1) -> int:
    return value


@task(catalog=catalog)
async def failing() -> None:
    raise Declined("no")


@workflow(catalog=catalog)
async def failing_child() -> None:
    raise Declined("no")


@workflow(catalog=catalog)
async def drops_and_ends() -> str:
    quick()
    return "ended"


@workflow(catalog=catalog)
async def drops_and_goes_on() -> str:
    quick()
    await quick(2)
    return "ended"


@workflow(catalog=catalog)
async def drops_by_name() -> str:
    context().schedule("quick")
    await quick(2)
    return "ended"


@workflow(catalog=catalog)
async def drops_a_child() -> str:
    failing_child.options(id="dropped")()
    return "ended"


@workflow(catalog=catalog)
async def drops_a_detached_child() -> str:
    failing_child.options(detached=True)()
    return "ended"


@workflow(catalog=catalog)
async def keeps_and_awaits() -> int:
    first, second = quick(1), quick(2)
    await asyncio.sleep(1)
    others = [quick(n) for n in range(3)]
    await asyncio.wait({quick(7), quick(8)}, return_when=asyncio.FIRST_COMPLETED)
    return await first + await second + sum(await asyncio.gather(*others))


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Without runs that have failed, which are logged, too."""
    records = [record for record in caplog.records if record.name != "holdfast.failures"]
    return [record.getMessage() for record in records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("dropping", "what", "line"),
    [
        (drops_and_ends, "task 'quick'", 2),
        (drops_and_goes_on, "task 'quick'", 2),
        (drops_by_name, "task 'quick'", 2),
        (drops_a_child, "child 'dropped'", 2),
    ],
)
async def test_what_is_called_and_thrown_away_is_named_with_its_line(
    dropping: Workflow[[], str], what: str, line: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with Environment(catalog=catalog) as env:
        assert await env.run(dropping) == "ended"

    [warning] = warnings_of(caplog)
    first = inspect.getsourcelines(dropping.definition)[1]
    assert f"nobody awaits {what}, which was called in {__file__}:{first + line}" in warning


@pytest.mark.parametrize("fine", [keeps_and_awaits, drops_a_detached_child])
async def test_what_is_awaited_later_or_detached_is_not_named(
    fine: Workflow[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with Environment(catalog=catalog) as env:
        await env.run(fine)

    assert not warnings_of(caplog)


async def test_a_line_that_is_called_often_is_named_once_a_step(caplog: pytest.LogCaptureFixture) -> None:
    here = Catalog()

    @workflow(catalog=here)
    async def drops_many() -> None:
        for n in range(100):
            quick(n)

    here.add_task(quick)
    async with Environment(catalog=here) as env:
        await env.run(drops_many)

    assert len(warnings_of(caplog)) == 1


@workflow(catalog=catalog)
async def loses_a_failure() -> str:
    failing()
    await quick()
    await asyncio.sleep(1)
    return "ended"


@workflow(catalog=catalog)
async def loses_the_failure_of_a_child() -> str:
    child = failing_child()
    while not child.done():  # noqa: ASYNC110  # nobody is to await it
        await asyncio.sleep(1)
    return "ended"


@pytest.mark.parametrize("losing", [loses_a_failure, loses_the_failure_of_a_child])
async def test_a_failure_that_nobody_has_looked_at_fails_the_run(
    losing: Workflow[[], str], new_database: Callable[[], str]
) -> None:
    with pytest.raises(Declined, match="no") as failed:
        await assert_durable(losing, catalog=catalog, new_database=new_database)

    assert isinstance(failed.value, RunFailed)
    assert f"called this in {__file__}:" in failed.value.traceback_text
    assert "did not await it" in failed.value.traceback_text


@workflow(catalog=catalog)
async def looks_later() -> str:
    handles = [failing() for _ in range(200)]
    child = failing_child()
    while not child.done():  # noqa: ASYNC110  # nobody is to await it
        await asyncio.sleep(1)
    for handle in handles:
        try:
            await handle
        except Declined:
            pass
    return f"{type(child.exception()).__name__}"


@workflow(catalog=catalog)
async def takes_the_first() -> int:
    done, _ = await asyncio.wait({failing(), quick(3)}, return_when=asyncio.ALL_COMPLETED)
    return sum(handle.result() for handle in done if not handle.exception())


@task(catalog=catalog)
async def fails_late() -> None:
    await asyncio.sleep(0.05)
    raise Declined("no")


@workflow(catalog=catalog)
async def leaves_the_slower_one_behind() -> str:
    slow = fails_late()
    await asyncio.wait([quick(3), slow], return_when=asyncio.FIRST_COMPLETED)
    while not slow.done():  # noqa: ASYNC110  # nobody is to await it
        await asyncio.sleep(1)
    return "ended"


@workflow(catalog=catalog)
async def leaves_a_detached_child() -> str:
    child = failing_child.options(detached=True)()
    while not child.done():  # noqa: ASYNC110  # nobody is to await it
        await asyncio.sleep(1)
    return "ended"


@workflow(catalog=catalog)
async def gathers_exceptions() -> int:
    return len(await asyncio.gather(failing(), failing(), return_exceptions=True))


@pytest.mark.parametrize(
    ("looking", "expected"),
    [
        (looks_later, "Declined"),
        (takes_the_first, 3),
        (leaves_the_slower_one_behind, "ended"),
        (leaves_a_detached_child, "ended"),
        (gathers_exceptions, 2),
    ],
)
async def test_a_failure_that_the_code_has_looked_at_does_not(
    looking: Workflow[[], Any], expected: Any, new_database: Callable[[], str]
) -> None:
    assert await assert_durable(looking, catalog=catalog, new_database=new_database) == expected


async def test_a_run_that_lost_a_failure_goes_on_there_when_it_is_retried() -> None:
    here, tries = Catalog(), list[int]()

    @task(catalog=here)
    async def fails_once() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise Declined("no")

    @workflow(catalog=here)
    async def loses_it() -> str:
        handle = fails_once()
        while not handle.done():  # noqa: ASYNC110  # nobody is to await it
            await asyncio.sleep(1)
        return "ended"

    async with Environment(catalog=here) as env:
        run = await env.start(loses_it)
        with pytest.raises(Declined):
            await run.result()
        await run.retry()

        assert await run.result() == "ended"
        assert [each.status for each in await env.tasks(run)] == [TaskStatus.SUCCESS]
