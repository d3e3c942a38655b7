"""What is left behind when a waiting run leaves memory: nothing, whatever its `finally` blocks await."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import sys
from typing import Any

import pytest

from holdfast import Catalog, context, task, workflow
from holdfast.authoring.code.loop import WorkflowLoop
from holdfast.testing import Environment

catalog = Catalog()
charged: list[str] = []


@task(catalog=catalog)
def charge(what: str) -> str:
    """A plain function: outside a workflow, calling it does it."""
    charged.append(what)
    return what


@task(catalog=catalog)
async def echo(value: str) -> str:
    return value


async def release(name: str) -> str:
    return await echo(name)


async def nested_cleanup() -> None:
    try:
        try:
            await asyncio.sleep(3600)
        finally:
            await echo("inner")
    finally:
        await echo("outer")


@workflow(catalog=catalog)
async def cleans_up_twice() -> None:
    await nested_cleanup()


@workflow(catalog=catalog)
async def cleans_up_with_a_limit() -> None:
    try:
        await asyncio.sleep(3600)
    finally:
        await asyncio.wait_for(release("room"), 10)


@workflow(catalog=catalog)
async def cleans_up_together() -> None:
    try:
        await asyncio.sleep(3600)
    finally:
        await asyncio.gather(release("room"), release("car"))


class Saga:
    """Keeps the coroutine that runs it, so that the two hold each other and only the collector frees them."""

    async def run(self) -> None:
        try:
            try:
                await asyncio.sleep(3600)
            finally:
                await echo("inner")
        finally:
            await charge("twice")


@workflow(catalog=catalog)
async def keeps_its_coroutine() -> None:
    saga: Any = Saga()
    saga.work = saga.run()
    await saga.work


@pytest.mark.parametrize(
    "flow",
    [cleans_up_twice, cleans_up_with_a_limit, cleans_up_together, keeps_its_coroutine],
    ids=lambda it: it.name,
)
async def test_a_run_that_leaves_memory_leaves_nothing_behind(
    flow: Any, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    ignored: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: ignored.append(f"{it.object!r}: {it.exc_value!r}"))
    charged.clear()

    async with Environment(catalog=catalog) as env:
        await env.start(flow)
        await env.skip(dt.timedelta(minutes=1))  # it only waits, and is dropped after five seconds
        await env.wait_until_quiet()
    gc.collect()

    assert not ignored
    assert not [str(each.message) for each in recwarn]
    assert not charged


@workflow(catalog=catalog)
async def sleeps() -> None:
    await asyncio.sleep(3600)


@workflow(catalog=catalog)
async def waits_for_a_signal() -> None:
    await context().signal("go")


@pytest.mark.parametrize("flow", [sleeps, waits_for_a_signal], ids=lambda it: it.name)
async def test_a_waiting_run_that_leaves_memory_needs_no_garbage_collector(flow: Any) -> None:
    """Ten thousand of them would keep megabytes until it runs."""
    async with Environment(catalog=catalog) as env:
        await _put_to_sleep(env, flow)
        gc.collect()
        gc.disable()
        try:
            for _ in range(5):
                await _put_to_sleep(env, flow)
            loops = [each for each in gc.get_objects() if isinstance(each, WorkflowLoop)]
        finally:
            gc.enable()

    assert not loops


async def _put_to_sleep(env: Environment, flow: Any) -> None:
    await env.start(flow)
    await env.skip(dt.timedelta(minutes=1))
    await env.wait_until_quiet()
