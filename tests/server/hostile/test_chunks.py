"""Bodies in chunks of a few bytes, each of which takes as long to read as thousands of bytes do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest
from tests.patience import PATIENCE
from tests.server.hostile.raw_requests import exchange, request
from tests.server.v1.test_access import Server, keyed_server

CHUNKED = "Transfer-Encoding: chunked"
PATH = "/api/v1/workflow-validation"


@pytest.fixture
async def server(sqlite_url: str) -> AsyncIterator[Server]:
    async with keyed_server(sqlite_url) as server:
        yield server


def chunks(count: int, size: int) -> bytes:
    return (f"{size:x}\r\n" + " " * size + "\r\n").encode() * count


async def test_a_body_in_chunks_of_a_byte_is_refused(server: Server):
    head = request("POST", PATH, CHUNKED, f"Authorization: Bearer {server.keys['viewer']}")

    [answer] = await exchange(server.base, head + chunks(1_100, 1))

    assert answer.status == 400
    assert "Invalid HTTP request" in answer.body


async def test_a_body_in_chunks_of_a_byte_is_not_read_to_its_end_without_a_key(server: Server):
    """It stopped the event loop for a second for each 500 kB."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(server.base.rpartition(":")[2]))
    writer.write(request("POST", PATH, CHUNKED))
    async with asyncio.timeout(PATIENCE / 2):
        assert (await reader.readline()).startswith(b"HTTP/1.1 401")
        writer.write(chunks(1_100, 1))
        await reader.read()  # until the server closes the connection
    writer.close()


async def test_a_body_in_many_chunks_of_some_size_is_read(server: Server):
    key = f"Authorization: Bearer {server.keys['viewer']}"
    head = request("POST", PATH, CHUNKED, key, "Connection: close")
    body = chunks(3_000, 100) + b"2\r\n{}\r\n0\r\n\r\n"

    [answer] = await exchange(server.base, head + body)

    assert "missing required field" in answer.body, answer


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/flows"])
async def test_who_leaves_in_the_middle_of_a_body_is_not_logged(
    server: Server, path: str, caplog: pytest.LogCaptureFixture
):
    """One can do so without a key, too: to log in."""
    _, writer = await asyncio.open_connection("127.0.0.1", int(server.base.rpartition(":")[2]))
    key = f"Authorization: Bearer {server.keys['admin']}"
    writer.write(request("POST", path, "Content-Length: 10", *([key] if "flows" in path else []), body=b"{"))
    await asyncio.sleep(0.1)
    writer.close()
    await asyncio.sleep(0.2)
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_nonsense_after_the_answer_ends_the_connection_and_is_not_logged(
    server: Server, caplog: pytest.LogCaptureFixture
):
    """Somebody without a key could fill the log with tracebacks."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(server.base.rpartition(":")[2]))
    writer.write(request("POST", PATH, CHUNKED))
    async with asyncio.timeout(PATIENCE / 2):
        assert (await reader.readline()).startswith(b"HTTP/1.1 401")
        writer.write(b"this is no length\r\n")
        await reader.read()
    writer.close()
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []
