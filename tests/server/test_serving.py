"""Serving from inside an event loop: addresses, beginning and ending."""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import Any

import httpx
import pytest

from holdfast.errors import BadOption
from holdfast.server.serving import ApiServer


class Recorder:
    """An application that says what happened to it, and answers when it is allowed to."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.may_answer = asyncio.Event()
        self.was_asked = asyncio.Event()
        self.is_local = False

    def end_streams(self) -> None:
        self.events.append("streams ended")

    async def close(self) -> None:
        self.events.append("closed")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.was_asked.set()
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


async def get(port: int, host: str = "127.0.0.1") -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.get(f"http://{host}:{port}/")


async def test_a_server_begins_answers_on_the_port_it_says_and_ends():
    app = Recorder()
    app.may_answer.set()
    server = ApiServer(app)

    port = await server.start("127.0.0.1", 0)
    response = await get(port)
    await server.stop()
    await server.stop()

    assert response.text == "ok"
    assert app.is_local
    assert app.events == ["streams ended", "closed"]
    with pytest.raises(httpx.ConnectError):
        await get(port)


async def test_what_is_being_asked_is_answered_before_a_server_ends():
    app = Recorder()
    server = ApiServer(app)
    port = await server.start("localhost", 0)

    asking = asyncio.create_task(get(port))
    await app.was_asked.wait()
    stopping = asyncio.create_task(server.stop())
    await asyncio.sleep(0.1)
    assert not stopping.done()
    app.may_answer.set()

    assert (await asking).text == "ok"
    await stopping


async def test_a_server_leaves_the_signals_of_its_process_alone():
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    server = ApiServer(Recorder())

    await server.start("127.0.0.1", 0)
    during = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    await server.stop()

    assert during == before


async def test_a_port_that_is_taken_is_refused_by_name():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(BadOption, match=rf"port is {port}, but must be one that is free on 127.0.0.1"):
            await ApiServer(Recorder()).start("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port", "option"),
    [
        ("no.such.host.invalid", 0, "host"),
        ("x" * 300, 0, "host"),
        ("127.0.0.1", 65_536, "port"),
        ("127.0.0.1", -1, "port"),
        ("127.0.0.1", True, "port"),
        ("203.0.113.1", 0, "port"),
    ],
)
async def test_an_address_that_cannot_be_had_is_refused(host: str, port: int, option: str):
    with pytest.raises(BadOption) as refused:
        await ApiServer(Recorder()).start(host, port)

    assert refused.value.option == option


async def test_whoever_waits_for_a_server_to_end_hears_of_it():
    server = ApiServer(Recorder())
    await server.start("127.0.0.1", 0)

    waiting = asyncio.create_task(server.wait_until_stopped())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await server.stop()

    await waiting


async def test_a_server_that_was_never_started_can_be_stopped():
    server = ApiServer(Recorder())

    await server.stop()
    await server.wait_until_stopped()
