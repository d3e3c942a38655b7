"""Connections that are not left open for ever.

uvicorn waits without limit for the rest of a request that somebody has begun, and for the first request of a
connection. So whoever opens many connections and says nothing would use up the descriptors of a process that
also has runs to look after.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS: Final = 30.0
"""How long the head of a request may take to come, from the connection on or from its first byte."""
BODY_SECONDS: Final = 30.0
"""How long the next part of a body may take to come."""
BODY_RATE: Final = 10_000
"""So many bytes a second must come, after the first `BODY_SECONDS`. Otherwise somebody who sends a byte now
and then would keep a connection for days, and needs no key for it."""
_MOST_SMALL_CHUNKS: Final = 1_000
_SMALL_CHUNK: Final = 64
"""In bytes, on average. To read a chunk takes as long as to read 10 kB, whatever its size."""
MOST_CONNECTIONS: Final = 10_000
"""More are refused with a 503."""


class BodyTimedOut(Exception):
    """The body of a request did not come."""


CONNECTION: Final = "holdfast.connection"
"""The extension of the ASGI scope by which our server lends the connection. Other servers do not."""


class Connection:
    """What the application may do with the connection of a request. ASGI has no way to close one whose client
    does not read."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def abort(self) -> None:
        self._transport.abort()

    def limit_send_buffer(self, bytes: int) -> None:
        connection = self._transport.get_extra_info("socket")
        if connection is not None:
            # It may be closed already. Then asyncio raises OSError, and uvloop ValueError.
            with contextlib.suppress(OSError, ValueError):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, bytes)


class _RequestReader(h11.Connection):
    """Refuses a body in chunks of a few bytes. All of them that have come are read without a pause, so a
    megabyte would stop the event loop for seconds, and needs no key for it."""

    _chunks = _bytes = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._bytes += len(event.data)
            if self._chunks > _MOST_SMALL_CHUNKS and self._bytes < self._chunks * _SMALL_CHUNK:
                raise h11.RemoteProtocolError("the chunks of the body are too small")
        return event


class PatientProtocol(H11Protocol):
    """Closes a connection whose request does not come, and lends the connection to the application."""

    request_seconds = REQUEST_SECONDS
    _timer: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn = _RequestReader(h11.SERVER)

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()  # the request was answered before the rest of it came

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()
        connection, app = Connection(transport), self.app

        async def app_with_connection(scope: Any, receive: Any, send: Any) -> None:
            scope.setdefault("extensions", {})[CONNECTION] = connection
            await app(scope, receive, send)

        self.app = app_with_connection

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]
        if is_answering:
            self._stop_timer()
        elif self._timer is None and self.timeout_keep_alive_task is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.request_seconds, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self.cycle is None or self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self.transport.close()


class TimelyBody:
    """The way in of one request. Raises BodyTimedOut if the next part of the body does not come, or if the
    whole comes too slowly."""

    def __init__(self, receive: Any, seconds: float = BODY_SECONDS) -> None:
        self._receive = receive
        self._seconds = seconds
        self._until: float | None = None
        """When the next part must be there. Each part that has come moves it."""
        self._is_whole = False

    async def __call__(self) -> Any:
        if self._is_whole:
            return await self._receive()  # waits for the end of the connection, which may take long
        now = asyncio.get_running_loop().time()
        if self._until is None:
            self._until = now + self._seconds
        try:
            message = await asyncio.wait_for(self._receive(), min(self._seconds, self._until - now))
        except TimeoutError:
            raise BodyTimedOut(f"the rest of the body did not come within {self._seconds:g} s") from None
        self._until += len(message.get("body", b"")) / BODY_RATE
        self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message
