"""User code that blocks, raises KeyboardInterrupt, fails after a deploy, or misuses the client."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import time
from typing import Any

import pytest
from tests.patience import SOON

from holdfast import Catalog, Holdfast, Retry, RunCancelled, RunStatus, context, task, workflow
from holdfast.core.records import MessageKind
from holdfast.core.values import Payload
from holdfast.engine.gc_pause import GcPause
from holdfast.errors import (
    BadOption,
    BadUrl,
    DeterminismError,
    ForbiddenInWorkflow,
    NodeStopped,
    NotOpen,
    OpenedBefore,
    WrongLoop,
)
from holdfast.ports.commits import NewMessage
from holdfast.testing import Environment

catalog = Catalog()


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@workflow(catalog=catalog)
async def simple(value: int) -> int:
    return await echo(value)


async def test_workflow_code_that_raises_keyboard_interrupt_is_parked_and_others_go_on(
    sqlite_url: str,
) -> None:
    @workflow(name="interrupting", catalog=catalog)
    async def interrupting() -> None:
        raise KeyboardInterrupt

    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(interrupting)

        assert await hf.run(simple, 1) == 1
        assert await run.status() == RunStatus.PARKED


async def test_and_also_if_it_raises_that_while_it_is_replayed(sqlite_url: str) -> None:
    versions = Catalog()
    is_edited = False

    @workflow(name="edited", catalog=versions)
    async def edited() -> None:
        if is_edited:
            raise KeyboardInterrupt
        await context().signal("go")

    @workflow(name="other", catalog=versions)
    async def other() -> str:
        return "done"

    async with Environment(sqlite_url, catalog=versions) as environment:
        run = await environment.start(edited)
        await environment.wait_until_quiet()
        is_edited = True
        await environment.crash()
        await environment.wait_until_quiet()

        assert await run.status() == RunStatus.PARKED
        assert await environment.run(other) == "done"


async def test_workflow_code_that_blocks_is_named_in_a_warning(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    @workflow(name="blocking", catalog=catalog)
    async def blocking() -> None:
        time.sleep(1.1)  # noqa: ASYNC251  # which is the point

    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        with caplog.at_level(logging.WARNING):
            await hf.run(blocking)

    assert "workflow 'blocking'" in caplog.text
    assert "has held up everything" in caplog.text


async def test_code_that_fails_where_a_run_once_went_on_parks_it_and_does_not_fail_it(
    sqlite_url: str,
) -> None:
    versions = Catalog()

    def define(*, is_broken: bool) -> Any:
        @workflow(name="deployed", catalog=versions)
        async def deployed() -> str:
            first = await echo(1)
            if is_broken:
                raise NameError("a typo")
            await context().signal("go")
            return f"done {first}"

        versions.add_task(echo)
        return deployed

    url = sqlite_url
    async with Environment(url, catalog=versions) as environment:
        run = await environment.start(define(is_broken=False), id="x")
        await environment.wait_until_quiet()
        define(is_broken=True)
        await environment.crash()
        await environment.wait_until_quiet()
        parked = await environment.describe("x")
        define(is_broken=False)
        await environment.resume("x")
        await run.signal("go")

        assert parked.status == RunStatus.PARKED
        assert parked.failure is not None
        assert "NameError: a typo" in parked.failure.message
        assert parked.failure.type.endswith(DeterminismError.__name__)
        assert await run.result() == "done 1"


async def test_a_task_may_be_made_a_task_of_as_any_coroutine_may(sqlite_url: str) -> None:
    @workflow(name="grouping", catalog=catalog)
    async def grouping() -> list[int]:
        async with asyncio.TaskGroup() as group:
            members: Any = [group.create_task(echo(n)) for n in range(3)]
        alone: Any = asyncio.create_task(echo(3))
        return [*[member.result() for member in members], await alone]

    async with Environment(catalog=catalog) as environment:
        assert await environment.run(grouping) == [0, 1, 2, 3]


async def test_holdfast_called_from_workflow_code_is_refused_with_what_to_use(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=catalog) as hf:

        @workflow(name="reentrant", catalog=catalog)
        async def reentrant() -> str:
            try:
                await hf.start(simple, 1)
            except Exception as error:
                return str(error)
            return "started"

        assert "context().start_child" in await hf.run(reentrant)
        assert [run.workflow for run in await hf.list()] == ["reentrant"]


async def test_a_holdfast_is_opened_once_and_closing_it_again_is_harmless(sqlite_url: str) -> None:
    hf = Holdfast(sqlite_url, catalog=catalog)
    await hf.close()
    await hf.open()
    with pytest.raises(OpenedBefore):
        await hf.open()
    assert await hf.run(simple, 1) == 1
    await hf.close()
    await hf.close()

    with pytest.raises(OpenedBefore):
        await hf.open()
    with pytest.raises(NotOpen):
        await hf.start(simple, 1)


async def test_when_the_engine_fails_everyone_who_waits_is_told_why(sqlite_url: str) -> None:
    @workflow(name="waiting", catalog=catalog)
    async def waiting() -> Any:
        return await context().signal("never")

    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(waiting)
        result = asyncio.ensure_future(run.result())

        def break_down(*_: Any, **__: Any) -> None:
            raise ZeroDivisionError("a defect")

        engine: Any = hf._engine
        engine._decider.decide = break_down
        with pytest.raises(NodeStopped, match="a defect"):
            await hf.start(simple, 1)
        with pytest.raises(NodeStopped, match="a defect"):
            await hf.start(simple, 2)
        with pytest.raises(NodeStopped, match="a defect"):
            await result
        with pytest.raises(NodeStopped):
            await run.result()


async def test_runs_that_only_wait_make_room_for_others_when_memory_is_full(sqlite_url: str) -> None:
    @workflow(name="napping", catalog=catalog)
    async def napping() -> Any:
        return await context().signal("wake")

    async with Holdfast(sqlite_url, catalog=catalog, max_resident=10) as hf:
        naps = await hf.start_many(napping, [() for _ in range(10)])
        assert await (await hf.start(simple, 1)).result(timeout=SOON) == 1
        for nap in naps:
            await nap.signal("wake", 1)
        assert await asyncio.gather(*[nap.result(timeout=SOON) for nap in naps]) == [1] * 10


async def test_children_of_children_have_ids_that_every_store_can_keep(store_url: str) -> None:
    @workflow(name="nested", catalog=catalog)
    async def nested(depth: int) -> int:
        return 0 if depth == 0 else 1 + await nested(depth - 1)

    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(nested, 20, id="ü" * 500)

        assert await run.result(timeout=SOON) == 20


@pytest.mark.parametrize("timeout", [1, 0.5, "1s"])
async def test_a_timeout_that_is_a_bare_number_is_refused(sqlite_url: str, timeout: Any) -> None:
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(simple, 1)
        with pytest.raises(BadOption, match="timedelta"):
            await run.result(timeout=timeout)


def test_never_on_takes_one_error_or_several_by_class_or_name() -> None:
    assert Retry(never_on="ValueError").never_on == ("ValueError",)  # pyright: ignore[reportArgumentType]
    assert Retry(never_on=ValueError).never_on == ("builtins:ValueError",)  # pyright: ignore[reportArgumentType]
    assert Retry(never_on=(ValueError, "x:Y")).never_on == ("builtins:ValueError", "x:Y")
    with pytest.raises(BadOption, match="exception class"):
        Retry(never_on=(3,))


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(BadUrl, match="lost when the process ends"):
        Holdfast("sqlite:///:memory:")


async def test_cancelling_a_parked_parent_cancels_its_children_too(sqlite_url: str) -> None:
    family = Catalog()

    @workflow(name="child", catalog=family)
    async def child() -> Any:
        return await context().signal("never")

    def define(*, is_broken: bool) -> Any:
        @workflow(name="parent", catalog=family)
        async def parent() -> Any:
            if is_broken:
                raise NameError("a typo")
            return await child()

        return parent

    async with Environment(sqlite_url, catalog=family) as environment:
        await environment.start(define(is_broken=False), id="parent")
        await environment.wait_until_quiet()
        define(is_broken=True)
        await environment.crash()
        await environment.wait_until_quiet()
        assert (await environment.describe("parent")).status == RunStatus.PARKED
        await environment.cancel("parent")
        await environment.wait_until_quiet()

        assert (await environment.describe("parent")).status == RunStatus.CANCELLED
        assert (await environment.describe("parent/0")).status == RunStatus.CANCELLED


async def test_the_garbage_collector_does_not_run_foreign_finalizers_inside_a_workflow() -> None:
    catalog = Catalog()
    seen: list[str] = []

    class Foreign:
        """Garbage of someone else, that only the collector can find."""

        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            seen.append(type(asyncio.get_running_loop()).__name__)

    @workflow(catalog=catalog)
    async def busy() -> int:
        for _ in range(10):
            Foreign()
        many = len([[number] for number in range(50_000)])  # enough for the collector to come many times
        await context().signal("go")
        return many

    async with Environment(catalog=catalog) as env:
        run = await env.start(busy)
        await env.wait_until_quiet()
        await env.crash()  # replayed in its next life
        await env.signal(run, "go")
        assert await run.result() == 50_000
        gc.collect()

    assert seen
    assert "WorkflowLoop" not in seen
    assert gc.isenabled()


def test_a_process_forked_in_the_middle_of_a_tick_has_its_collector() -> None:
    with GcPause():
        child = os.fork()
        if child == 0:
            os._exit(0 if gc.isenabled() else 1)
        assert not gc.isenabled()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gc.isenabled()


@pytest.mark.parametrize("garbage", [b"123", b'{"a":1}', b"not json", b"\xff\xfe", b""])
async def test_messages_that_nobody_can_read_are_heard_as_far_as_they_can_be(garbage: bytes) -> None:
    """Whoever wrote them: they must neither stop the node nor be in the way of their run for ever."""
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def patient() -> str:
        try:
            await context().promise("answer", str)
        except ValueError:
            await context().signal("never")
        return "not reached"

    async with Environment(catalog=catalog) as env:
        run = await env.start(patient)
        await env.wait_until_quiet()
        for kind, name in ((MessageKind.REJECTED, "answer"), (MessageKind.CANCEL, "")):
            message = NewMessage(run.key, kind, name, Payload(garbage))
            await env.crash_points.post_messages(env.namespace, [message], env.clock.now())
        await env.wait_until_quiet()
        await env.crash()

        with pytest.raises(RunCancelled):
            await run.result()


async def test_client_calls_in_workflow_code_are_refused_and_harm_nobody() -> None:
    catalog = Catalog()
    handle: Any = None

    @workflow(catalog=catalog)
    async def waiting() -> None:
        await context().signal("go")

    @workflow(catalog=catalog)
    async def nosy(what: str) -> None:
        await (handle.result() if what == "result" else getattr(env, what)())

    async with Environment(catalog=catalog) as env:
        handle = await env.start(waiting)
        for what in ("result", "list", "doctor"):
            with pytest.raises(ForbiddenInWorkflow, match="calling holdfast itself"):
                await env.run(nosy, what)
        await handle.signal("go")
        await handle.result()


async def test_a_holdfast_is_used_on_the_loop_that_opened_it() -> None:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def simple() -> int:
        return 1

    async with Environment(catalog=catalog) as env:
        run = await env.start(simple)
        for call in (lambda: env.start(simple), run.describe, run.status, env.list):
            with pytest.raises(WrongLoop, match="run_coroutine_threadsafe"):
                await asyncio.to_thread(lambda call=call: asyncio.run(call()))
        assert await run.result() == 1
