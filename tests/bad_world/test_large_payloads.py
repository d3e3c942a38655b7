"""A hundred megabytes where they do not belong: refused quickly, with the limit, and nothing is written."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.patience import until

from holdfast import Catalog, Holdfast, RunStatus, Workflow, context, task, task_context, workflow
from holdfast.errors import CommitRefused, PayloadTooLarge

_SIZE = 100 * 1024 * 1024
_LIMIT = 4 * 1024 * 1024

catalog = Catalog()


@task(catalog=catalog)
async def give(size: int) -> str:
    return "x" * size


@task(catalog=catalog)
async def beat(size: int) -> None:
    task_context().heartbeat("x" * size)


@workflow(catalog=catalog)
async def measure(text: str) -> int:
    return len(text)


@workflow(catalog=catalog)
async def with_a_large_task_result(size: int) -> int:
    return len(await give(size))


@workflow(catalog=catalog)
async def with_a_large_result(size: int) -> str:
    return "x" * size


@workflow(catalog=catalog)
async def with_a_large_child(size: int) -> int:
    return await measure("x" * size)


@workflow(catalog=catalog)
async def with_a_large_state(size: int) -> None:
    context().state.set("text", "x" * size)


@workflow(catalog=catalog)
async def with_a_large_heartbeat(size: int) -> None:
    await beat(size)


@workflow(catalog=catalog)
async def with_a_large_error(size: int) -> None:
    raise ValueError("x" * size)


@workflow(catalog=catalog)
async def listen() -> int:
    return len(await context().signal("news", str))


@contextmanager
def refused_quickly(what: str) -> Generator[None]:
    began = time.process_time()
    with pytest.raises(PayloadTooLarge) as refusal:
        yield
    assert time.process_time() - began < 5
    assert what in str(refusal.value)
    assert f"over the limit of {_LIMIT:,}" in str(refusal.value)
    assert "raise the setting max_payload_bytes" in str(refusal.value)


@pytest.fixture
async def hf(store_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(store_url, catalog=catalog) as hf:
        yield hf


async def test_as_an_argument_it_starts_nothing(hf: Holdfast) -> None:
    with refused_quickly("the arguments of workflow 'measure'"):
        await hf.start(measure, "x" * _SIZE)

    assert await hf.list() == []


@pytest.mark.parametrize(
    ("large", "what"),
    [
        (with_a_large_task_result, "the result of task 'give'"),
        (with_a_large_result, "the result of workflow 'with_a_large_result'"),
        (with_a_large_child, "the arguments of workflow 'measure'"),
        (with_a_large_state, "state 'text'"),
        (with_a_large_heartbeat, "the heartbeat of task 'beat'"),
    ],
)
async def test_inside_a_run_it_fails_the_run_with_the_reason(
    large: Workflow[[int], Any], what: str, hf: Holdfast
) -> None:
    with refused_quickly(what):
        await hf.run(large, _SIZE)

    [run] = await hf.list()
    assert run.failure is not None
    assert what in run.failure.message


async def test_as_a_message_it_is_not_sent_and_the_run_goes_on(hf: Holdfast) -> None:
    run = await hf.start(listen)

    with refused_quickly("signal 'news'"):
        await run.signal("news", "x" * _SIZE)
    with refused_quickly("promise 'answer'"):
        await run.resolve("answer", "x" * _SIZE)
    with refused_quickly("the reason"):
        await run.cancel("x" * _SIZE)

    await run.signal("news", "hello")
    assert await run.result() == 5


async def test_an_error_of_that_length_is_cut(hf: Holdfast) -> None:
    with pytest.raises(ValueError, match="xxx"):
        await hf.run(with_a_large_error, _SIZE)

    [run] = await hf.list()
    assert run.failure is not None
    assert len(run.failure.message) < 10_000


async def test_the_limit_is_a_setting(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, max_payload_bytes=10) as hf:
        with pytest.raises(PayloadTooLarge, match="over the limit of 10;"):
            await hf.start(measure, "x" * 10)
    async with Holdfast(store_url, catalog=catalog, max_payload_bytes=2 * _LIMIT) as hf:
        assert await hf.run(measure, "x" * (_LIMIT + 1)) == _LIMIT + 1


@pytest.mark.long  # it takes several gigabytes of memory
async def test_a_statement_of_more_than_a_gigabyte_is_refused_by_name(postgres_url: str) -> None:
    """Postgres itself would end the session without a word."""
    size = (1 << 30) + 1
    async with Holdfast(postgres_url, catalog=catalog, max_payload_bytes=2 * size) as hf:
        with pytest.raises(CommitRefused, match="bytes in one statement, and it takes a gigabyte at most"):
            await hf.start(measure, "x" * size)
        run = await hf.start(with_a_large_task_result, size)

        async def is_parked() -> bool:
            return await run.status() is RunStatus.PARKED

        await until(is_parked)
        failure = (await run.describe()).failure
        assert failure is not None
        assert "bytes in one statement, and it takes a gigabyte at most" in failure.message
        assert await hf.run(measure, "abc") == 3
