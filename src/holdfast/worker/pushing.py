"""Push mode: a small HTTP server with one route, `POST /exec/<service>`.

A response with an `error` in it means that the service has failed, and then the node calls no other worker.
So a problem of this worker alone, such as a service that it does not have, is reported without an `error`
field.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import math
import socket
from collections.abc import Awaitable, Callable, Generator, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec
import uvicorn

from holdfast.errors import BadOption, PayloadTooLarge, WrongType
from holdfast.worker.calls import Call, CallRunner
from holdfast.worker.server_link import Registration, ServerLink
from holdfast.worker.services import Service, ServiceReply, decode_request, error_reply
from holdfast.worker.spans import in_span_of

_log = logging.getLogger("holdfast.worker")

AsgiScope: TypeAlias = MutableMapping[str, Any]
AsgiMessage: TypeAlias = MutableMapping[str, Any]
AsgiReceive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
AsgiSend: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]

_KEEP_ALIVE: Final = 30
"""Seconds. Longer than a node keeps a connection, so that this side never closes one that is about to be
used."""
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_CLOSE_TIMEOUT: Final = 5.0
"""Seconds to close the connections that are left."""
_BACKLOG: Final = 2048
"""Connections that the system queues until they are accepted."""


class ServiceApp:
    """The ASGI application."""

    def __init__(self, services: Mapping[str, Service], calls: CallRunner, limit: int) -> None:
        self._services = services
        self._calls = calls
        self._limit = limit
        """Bounds the body of a request, in bytes."""

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        # Any prefix is accepted: the address that this worker is registered with may have a path.
        service = self._services.get(scope["path"].partition("/exec/")[2])
        if service is None:
            await _refuse(send, HTTPStatus.NOT_FOUND, "there is no such service here")
        elif scope["method"] != "POST":
            await _refuse(send, HTTPStatus.METHOD_NOT_ALLOWED, "services are called with POST")
        else:
            await self._answer(service, scope, receive, send)

    async def _answer(self, service: Service, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        try:
            body = await self._read(receive)
            if body is None:
                return  # the caller has disconnected
            request = decode_request(body)
        except PayloadTooLarge as error:
            await _send_reply(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, error_reply(str(error)))
            return
        except WrongType as error:
            await _send_reply(send, HTTPStatus.BAD_REQUEST, error_reply(str(error)))
            return
        headers = _headers_of(scope)
        with in_span_of(headers.get("traceparent", ""), headers.get("tracestate", "")):
            work = asyncio.create_task(self._calls.perform(service, request, _call_of(service, scope)))
        disconnected = asyncio.create_task(_wait_for_disconnect(receive))
        try:
            await asyncio.wait([work, disconnected], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await _send_reply(send, HTTPStatus.OK, work.result())
        finally:
            # If the caller has disconnected, nobody waits for the answer, so an async function is cancelled.
            work.cancel()
            disconnected.cancel()
            await asyncio.wait([work, disconnected])

    async def _read(self, receive: AsgiReceive) -> bytes | None:
        """None if the caller disconnects before the whole body has come. Raises PayloadTooLarge."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) > self._limit:
                raise PayloadTooLarge("the call", len(body), self._limit)
            if not message.get("more_body", False):
                return bytes(body)


def _headers_of(scope: AsgiScope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _call_of(service: Service, scope: AsgiScope) -> Call:
    headers = _headers_of(scope)
    attempt = headers.get("holdfast-attempt", "")
    return Call(
        service.name,
        unquote(headers.get("holdfast-run", "")),
        unquote(headers.get("holdfast-task", "")),
        int(attempt) if attempt.isdecimal() and len(attempt) < 10 else 1,
        headers.get("idempotency-key", ""),
    )


async def _wait_for_disconnect(receive: AsgiReceive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_reply(send: AsgiSend, status: HTTPStatus, reply: ServiceReply) -> None:
    await _send(send, status, b"application/json", msgspec.json.encode(reply.as_message()))


async def _refuse(send: AsgiSend, status: HTTPStatus, text: str) -> None:
    await _send(send, status, b"text/plain; charset=utf-8", text.encode())


async def _send(send: AsgiSend, status: HTTPStatus, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})


# --- the address


class Endpoint(NamedTuple):
    socket: socket.socket
    url: str
    """With the port that was bound."""


def open_endpoint(url: str) -> Endpoint:
    """Listen at `url`, or on another port if that one is taken. Raises BadOption, OSError."""
    parts = _parts_of(url)
    host = parts.hostname or ""
    # A name that is not loopback may be one of several names of this machine, so listen on all addresses.
    address = ("127.0.0.1" if host != "::1" else host) if host in _LOOPBACK else ("::" if ":" in host else "")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    wanted = parts.port if parts.port is not None else (443 if parts.scheme == "https" else 80)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, wanted))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            _log.warning("port %d is taken, so another one is used", wanted)
            listener.bind((address, 0))
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    port = listener.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    return Endpoint(listener, f"{parts.scheme}://{name}:{port}{parts.path.rstrip('/')}")


def _parts_of(url: str) -> SplitResult:
    expected = "an address that nodes can call, such as http://localhost:8080"
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise BadOption("url", url, expected) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadOption("url", url, expected)
    return parts


# --- the server


class _WorkerUvicorn(uvicorn.Server):
    """Does not handle signals: `Worker.run` does."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class CallServer:
    def __init__(
        self,
        services: Mapping[str, Service],
        calls: CallRunner,
        link: ServerLink,
        stopping: asyncio.Event,
        *,
        id: str,
        url: str,
        limit: int,
        drain_timeout: float,
    ) -> None:
        """Connections are accepted from here on, and answered once `run` is called. Raises BadOption,
        OSError."""
        self._socket, self.url = open_endpoint(url)
        self._calls = calls
        self._link = link
        self._stopping = stopping
        self._registration = Registration(id, self.url, list(services), "http")
        drain_seconds = math.ceil(drain_timeout)
        self.drain_timeout = drain_seconds + _CLOSE_TIMEOUT
        self._serving: asyncio.Task[None] | None = None
        self._server = _WorkerUvicorn(
            uvicorn.Config(
                ServiceApp(services, calls, limit),
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=drain_seconds,
            )
        )

    async def register(self) -> None:
        await self._link.register(self._registration)

    async def heartbeat(self) -> None:
        if not self._stopping.is_set():  # else the server should mark it as offline
            await self._link.heartbeat(self._registration, self._calls.load)

    async def run(self) -> None:
        serving = self._serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        told_to_stop = asyncio.create_task(self._stopping.wait())
        await asyncio.wait([serving, told_to_stop], return_when=asyncio.FIRST_COMPLETED)
        told_to_stop.cancel()
        self._server.should_exit = True
        await asyncio.wait([serving])
        serving.result()

    async def abort(self) -> None:
        self._server.should_exit = self._server.force_exit = True
        if self._serving is not None and not self._serving.done():
            for task in self._server.server_state.tasks:
                task.cancel()
            await asyncio.wait([self._serving], timeout=_CLOSE_TIMEOUT)
        self._socket.close()
