"""What workflow code may not do is refused by name, says what to do instead, and harms no other run."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from holdfast import Catalog, RunStatus, task, workflow
from holdfast.authoring.code import loop, program
from holdfast.errors import ForbiddenInWorkflow
from holdfast.testing import Environment

catalog = Catalog()


@task(catalog=catalog)
async def echo(value: int) -> int:
    return value


@workflow(catalog=catalog)
async def innocent(number: int) -> int:
    await asyncio.sleep(60)
    return await echo(number)


async def _connect() -> None:
    await asyncio.open_connection("localhost", 1)


async def _serve() -> None:
    await asyncio.start_server(lambda _r, _w: None, "localhost", 0)


async def _start_process() -> None:
    await asyncio.create_subprocess_exec("true")


async def _start_shell() -> None:
    await asyncio.create_subprocess_shell("true")


async def _use_a_thread() -> None:
    await asyncio.to_thread(print)


async def _use_an_executor() -> None:
    await asyncio.get_running_loop().run_in_executor(None, print)


async def _look_up_a_host() -> None:
    await asyncio.get_running_loop().getaddrinfo("localhost", 1)


async def _read_a_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        await asyncio.get_running_loop().sock_recv(ours, 1)


async def _be_called_from_a_thread() -> None:
    asyncio.get_running_loop().call_soon_threadsafe(print)


async def _handle_a_signal() -> None:
    asyncio.get_running_loop().add_signal_handler(15, print)


async def _run_the_loop() -> None:
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().run_until_complete(future)


async def _stop_the_loop() -> None:
    asyncio.get_running_loop().stop()


FORBIDDEN = {
    "loop.create_connection": _connect,
    "loop.create_server": _serve,
    "starting a process": _start_process,
    "starting a process ": _start_shell,
    "asyncio.to_thread": _use_a_thread,
    "run_in_executor": _use_an_executor,
    "looking up a host name": _look_up_a_host,
    "loop.sock_recv": _read_a_socket,
    "call_soon_threadsafe": _be_called_from_a_thread,
    "operating system signals": _handle_a_signal,
    "run_until_complete": _run_the_loop,
    "loop.stop": _stop_the_loop,
}


@pytest.mark.parametrize(("what", "code"), FORBIDDEN.items())
async def test_real_io_is_refused_and_says_to_use_a_task(
    what: str, code: Callable[[], Awaitable[Any]]
) -> None:
    @workflow(catalog=catalog, name="offender")
    async def offender() -> None:
        await code()

    async with Environment(catalog=catalog) as env:
        run = await env.start(offender)

        with pytest.raises(ForbiddenInWorkflow, match="put it in a @task") as raised:
            await run.result()
        assert what.strip() in str(raised.value)
        assert await run.status() is RunStatus.FAILED


async def test_what_is_refused_can_be_caught_and_the_run_goes_on() -> None:
    @workflow(catalog=catalog)
    async def adaptable() -> int:
        try:
            await asyncio.to_thread(print)
        except ForbiddenInWorkflow:
            return await echo(1)
        return 0

    async with Environment(catalog=catalog) as env:
        assert await env.run(adaptable) == 1


async def test_asyncio_run_is_refused_inside_a_workflow() -> None:
    @workflow(catalog=catalog)
    async def nesting() -> None:
        coroutine = asyncio.sleep(0)
        try:
            asyncio.run(coroutine)
        finally:
            coroutine.close()

    async with Environment(catalog=catalog) as env:
        run = await env.start(nesting)

        with pytest.raises(RuntimeError, match="cannot be called from a running event loop"):
            await run.result()


async def test_a_workflow_that_spins_is_parked_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "CALLBACKS_ALLOWED", 10_000)
    assert loop.CALLBACKS_ALLOWED >= 10_000

    @workflow(catalog=catalog)
    async def spinning() -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0)

    async with Environment(catalog=catalog) as env:
        spinner, other = await env.start(spinning), await env.start(innocent, 7)

        assert await other.result() == 7
        found = await spinner.describe()
        assert found.status is RunStatus.PARKED
        assert found.failure is not None
        assert found.failure.type == "holdfast.errors:ForbiddenInWorkflow"
        assert "spinning (10,000 steps without waiting" in found.failure.message
        assert await env.doctor() == []


async def test_a_workflow_that_waits_for_nothing_is_parked_and_the_others_go_on() -> None:
    @workflow(catalog=catalog)
    async def stuck() -> None:
        await echo(1)
        await asyncio.Event().wait()

    async with Environment(catalog=catalog) as env:
        run, other = await env.start(stuck), await env.start(innocent, 7)

        assert await other.result() == 7
        found = await run.describe()
        assert found.status is RunStatus.PARKED
        assert found.failure is not None
        assert found.failure.type == "holdfast.errors:Deadlock"
        assert "nothing in it will ever set" in found.failure.message
        assert await env.doctor() == []


async def test_a_deadlock_is_still_one_after_a_crash() -> None:
    @workflow(catalog=catalog)
    async def stuck_after_a_while() -> None:
        await asyncio.sleep(60)
        await asyncio.get_running_loop().create_future()

    async with Environment(catalog=catalog) as env:
        run, other = await env.start(stuck_after_a_while), await env.start(innocent, 7)
        await env.wait_until_quiet()
        await env.crash()
        await other.result()
        await env.resume(run)
        await env.wait_until_quiet()

        assert await run.status() is RunStatus.PARKED


async def test_system_exit_in_a_workflow_fails_the_run_and_not_the_node() -> None:
    @workflow(catalog=catalog)
    async def leaving() -> None:
        raise SystemExit(3)

    async with Environment(catalog=catalog) as env:
        run, other = await env.start(leaving), await env.start(innocent, 7)

        assert await other.result() == 7
        found = await run.describe()
        assert found.status is RunStatus.FAILED
        assert found.failure is not None
        assert found.failure.type == "builtins:SystemExit"
