"""Connections that say nothing, or not enough, are closed; others are left alone."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import httpx
import pytest
from tests.server.test_serving import Recorder

from holdfast.server import connections
from holdfast.server.connections import BodyTimedOut, Connection, PatientProtocol, TimelyBody
from holdfast.server.serving import ApiServer

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(PatientProtocol, "request_seconds", 0.3)
    app = Recorder()
    app.may_answer.set()
    server = ApiServer(app)
    yield await server.start("127.0.0.1", 0)
    await server.stop()


async def closed_after(reader: asyncio.StreamReader) -> float:
    begin = time.monotonic()
    # A server that closes while bytes are on their way resets the connection.
    with contextlib.suppress(ConnectionResetError):
        async with asyncio.timeout(10):
            await reader.read()
    return time.monotonic() - begin


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: loc"])
async def test_a_request_that_does_not_come_is_not_waited_for(port: int, said: bytes):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)

    assert 0.25 <= await closed_after(reader) < 5
    writer.close()


async def test_a_request_that_comes_byte_by_byte_is_given_up(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def drip() -> None:
        for byte in REQUEST * 10:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    assert await closed_after(reader) < 5
    dripping.cancel()
    writer.close()


async def test_the_second_request_of_a_connection_may_not_be_slow_either(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST)
    async with asyncio.timeout(5):
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
    await asyncio.sleep(0.5)  # between two requests a connection may be quiet for longer
    writer.write(REQUEST[:10])

    assert await closed_after(reader) < 4
    writer.close()


async def test_a_request_that_is_being_answered_is_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(PatientProtocol, "request_seconds", 0.1)
    app = Recorder()
    server = ApiServer(app)
    port = await server.start("127.0.0.1", 0)
    async with httpx.AsyncClient(trust_env=False) as client:
        asking = asyncio.create_task(client.get(f"http://127.0.0.1:{port}/"))
        await asyncio.sleep(0.5)
        app.may_answer.set()
        assert (await asking).text == "ok"
    await server.stop()


async def test_a_body_must_come_in_time_and_then_the_end_may_take_long():
    messages: list[Any] = [{"type": "http.request", "body": b"a", "more_body": True}]

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(0.2)
        return {"type": "http.disconnect"}

    body = TimelyBody(receive, 0.05)
    assert (await body())["body"] == b"a"
    with pytest.raises(BodyTimedOut, match=r"0\.05 s"):
        await body()

    messages = [{"type": "http.request", "body": b"a"}]
    body = TimelyBody(receive, 0.05)
    await body()
    assert (await body())["type"] == "http.disconnect"


async def test_a_body_that_does_not_come_is_answered_with_a_408(
    small_api: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connections.TimelyBody.__init__, "__defaults__", (0.1,))
    url = small_api.http.base_url
    reader, writer = await asyncio.open_connection("127.0.0.1", url.port)
    writer.write(b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")

    async with asyncio.timeout(5):
        answer = await reader.readuntil(b"}")

    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"code":"body_timed_out"' in answer
    writer.close()


@pytest.mark.parametrize("loops", ["asyncio", "uvloop"])
def test_a_connection_that_the_client_has_left_can_still_be_limited(loops: str):
    loop_factory: Any = pytest.importorskip(loops).new_event_loop

    async def limit_after_the_end() -> None:
        ended = asyncio.Event()
        transports: list[Any] = []

        class Server(asyncio.Protocol):
            def connection_made(self, transport: Any) -> None:
                transport.get_extra_info("socket")  # as uvicorn does; uvloop keeps what it has given once
                transports.append(transport)

            def connection_lost(self, exc: Exception | None) -> None:
                ended.set()

        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        async with server, asyncio.timeout(5):
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.close()
            await ended.wait()
            await asyncio.sleep(0.05)  # the socket is closed after the protocol was told
            assert transports[0].get_extra_info("socket").fileno() == -1

            Connection(transports[0]).limit_send_buffer(1024)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(limit_after_the_end())


async def test_more_connections_than_there_may_be_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("holdfast.server.serving.MOST_CONNECTIONS", 3)
    app = Recorder()
    app.may_answer.set()
    server = ApiServer(app)
    port = await server.start("127.0.0.1", 0)
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).status_code == 503
    for _, writer in opened:
        writer.close()
    await server.stop()
