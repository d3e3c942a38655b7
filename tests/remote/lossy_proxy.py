"""A proxy that passes requests on and swallows answers: the server has done it, and the client hears
nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from urllib.parse import urlsplit


class LossyProxy:
    def __init__(self, host: str, port: int) -> None:
        self._target = host, port
        self.swallows: Callable[[str], int] = lambda _: 0
        """Given the first line of a request, how many answers to requests of that line are swallowed."""
        self.seen: list[str] = []
        """The first lines of all requests."""
        self.cut_after = 2**62
        """How many bytes of each response of events are passed on."""
        self._open: set[asyncio.StreamWriter] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while True:
                request = await _message(reader)
                line = request.split(b"\r\n", 1)[0].decode()
                self.seen.append(line)
                if b"text/event-stream" in request:
                    await self._stream(request, writer)
                    break
                answer = await self._ask(request)
                if self.seen.count(line) <= self.swallows(line):
                    break
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass  # the client has left
        finally:
            self._open.discard(writer)
            writer.close()

    async def _ask(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._target)
        try:
            writer.write(request)
            return await _message(reader)
        finally:
            writer.close()

    async def _stream(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        """Passes on what comes, and breaks the connection after `cut_after` bytes."""
        reader, target = await asyncio.open_connection(*self._target)
        left = self.cut_after
        try:
            target.write(request)
            while left > 0 and (some := await reader.read(min(left, 4096))):
                left -= len(some)
                writer.write(some)
                await writer.drain()
        finally:
            target.close()

    def cut(self) -> None:
        """Break all connections of clients."""
        for writer in self._open:
            writer.transport.abort()


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        ),
        0,
    )
    return head + await reader.readexactly(length)


@contextlib.asynccontextmanager
async def lossy_proxy(url: str) -> AsyncGenerator[tuple[LossyProxy, str]]:
    target = urlsplit(url)
    proxy = LossyProxy(target.hostname or "", target.port or 0)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield proxy, f"http://127.0.0.1:{port}"
    finally:
        server.close()
        proxy.cut()
