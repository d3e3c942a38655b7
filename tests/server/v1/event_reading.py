"""A client of events, over a plain socket: it reads when it is told to, and can be cut off in the middle."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.patience import PATIENCE
from tests.server.v1.asking import Asker


class Event(NamedTuple):
    kind: str
    data: Any
    id: str


class Reader:
    def __init__(self, connection: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connection = connection
        self.writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}
        self.last_id = ""
        self.comments: list[str] = []

    async def read_head(self) -> None:
        first, *lines = (await self._connection.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    async def events(self) -> AsyncIterator[Event]:
        """Until the server has ended the stream."""
        kind, data = "", ""
        while line := (await self._connection.readline()).decode():
            name, _, value = line.rstrip("\n").partition(": ")
            match name:
                case "id":
                    self.last_id = value
                case "event":
                    kind = value
                case "data":
                    data = value
                case "" if value:
                    self.comments.append(value)
                case "":
                    if data:
                        yield Event(kind, json.loads(data), self.last_id)
                    kind, data = "", ""
                case _:
                    raise AssertionError(line)

    async def read(self, at_most: int | None = None, *, until: str | None = None) -> list[Event]:
        """Until the end of the stream, so many, or up to the offset."""
        found: list[Event] = []
        async with asyncio.timeout(PATIENCE):
            async for event in self.events():
                if until is not None and event.id > until:
                    break
                found.append(event)
                if len(found) == at_most or event.id == until:
                    break
        return found

    async def body(self) -> Any:
        return json.loads(await self._connection.read())


@contextlib.asynccontextmanager
async def reading(
    api: Asker,
    path: str = "/events",
    last_id: str = "",
    *,
    buffer: int | None = None,
    headers: Mapping[str, str] | None = None,
    **query: Any,
) -> AsyncGenerator[Reader]:
    """`buffer` is the size of that of the socket: a small one, for clients that do not read."""
    url = api.http.base_url
    connection = socket.socket()
    if buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, (url.host, url.port))
    opened, writer = await asyncio.open_connection(sock=connection, limit=2**16 if buffer is None else buffer)
    try:
        target = f"{url.raw_path.decode().rstrip('/')}{path}?{urlencode(query)}"
        headers = {"Host": f"{url.host}:{url.port}", "Accept": "text/event-stream", **(headers or {})}
        if last_id:
            headers["Last-Event-ID"] = last_id
        # HTTP/1.0: the body is not in pieces, and ends with the connection.
        head = [f"GET {target} HTTP/1.0", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write(("\r\n".join(head) + "\r\n\r\n").encode())
        reader = Reader(opened, writer)
        await reader.read_head()
        yield reader
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
