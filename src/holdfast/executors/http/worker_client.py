"""One call of one worker over HTTP, and what its response means.

Each call has its own connection, and connections are used again. This module pools them itself, one in each
httpx transport, because httpx's pool iterates over all of its connections for every request: with a hundred
calls at once that takes more time than everything else.

A transport, unlike an httpx client, follows no redirects, keeps no cookies and looks for no proxies. It
connects only where users may have this process connect.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
import string
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import httpx
import msgspec

from holdfast.core.codec import Codec, words_of
from holdfast.core.failures import capture
from holdfast.core.names import written_span
from holdfast.core.values import Failed, Outcome, Succeeded, task_id
from holdfast.errors import AddressRefused, PayloadTooLarge, Refused, WorkerFailed, show
from holdfast.executors.http.outbound_gate import OutboundGate
from holdfast.executors.http.pinned_transport import PinnedTransport
from holdfast.executors.http.service_workers import NoAnswer
from holdfast.ports.executor import Attempt, ServiceCall
from holdfast.ports.workers import WorkerRecord

KEEP_IDLE: Final = 2.0
"""Seconds. Servers keep idle connections longer. If a server closed one just as it is used again, that call
would get no answer."""

_LONGEST_SHOWN: Final = 200


_decode = msgspec.json.Decoder(dict[str, Any]).decode


class WorkerClient:
    """Belongs to one event loop."""

    def __init__(self, limit: int, timeout: dt.timedelta, gate: OutboundGate) -> None:
        self._codec = Codec(limit)
        self._timeout = timeout
        self._connections = _ConnectionPool(gate)

    async def call(self, worker: WorkerRecord, call: ServiceCall, attempt: Attempt) -> Outcome | NoAnswer:
        address = f"{worker.url.rstrip('/')}/exec/{quote(call.service, safe='')}"
        try:
            url = httpx.URL(address)
            request = httpx.Request("POST", url, content=call.body, headers=_headers(attempt))
        except (httpx.InvalidURL, ValueError) as error:
            return NoAnswer(f"its address cannot be understood: {words_of(error)}")
        try:
            async with asyncio.timeout(self._timeout.total_seconds()):
                return await self._exchange(request, f"{url.scheme}://{url.netloc.decode()}", call.service)
        except TimeoutError:
            return NoAnswer(f"it did not answer within {written_span(self._timeout)}")
        except AddressRefused as error:
            return NoAnswer(str(error))
        except httpx.ConnectError as error:
            return NoAnswer(f"it cannot be reached: {words_of(error)}", is_gone=True)
        except (httpx.TransportError, OSError) as error:
            reason = f"the connection broke: {words_of(error) or type(error).__name__}"
            return NoAnswer(reason, is_gone=True)

    async def close(self) -> None:
        await self._connections.close()

    async def _exchange(self, request: httpx.Request, origin: str, service: str) -> Outcome | NoAnswer:
        transport = self._connections.acquire(origin)
        is_complete = False
        try:
            response = await transport.handle_async_request(request)
            body = bytearray()
            try:
                is_complete = await self._read(response, body)
            finally:
                await response.aclose()
        finally:
            if is_complete:
                self._connections.release(origin, transport)
            else:
                await transport.aclose()
        what = f"the answer of service {service!r}"
        if not is_complete:
            return Failed(capture(PayloadTooLarge(what, len(body), self._codec.limit)))
        return self._interpret(response, bytes(body), what)

    async def _read(self, response: httpx.Response, body: bytearray) -> bool:
        """False if the body is over the limit. Then the rest is not read."""
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self._codec.limit:
                return False
        return True

    def _interpret(self, response: httpx.Response, body: bytes, what: str) -> Outcome | NoAnswer:
        try:
            answer = _decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = f"that is no answer of a worker: {words_of(error)}" if response.is_success else ""
            return NoAnswer(_described(response, body, reason))
        # Some workers write `Result` and `Error`, which was always accepted.
        answer = {name.lower(): value for name, value in answer.items()}
        if answer.get("error"):
            return Failed(capture(WorkerFailed(_text(answer["error"]))))
        if not response.is_success:
            return NoAnswer(_described(response, body))
        if answer.keys().isdisjoint(("result", "error")):
            return NoAnswer(_described(response, body, "that has neither result nor error"))
        try:
            return Succeeded(self._codec.encode(answer.get("result"), what))
        except Refused as error:
            return Failed(capture(error.with_traceback(None)))


def _headers(attempt: Attempt) -> Mapping[str, str]:
    trace: Mapping[str, str] = {} if attempt.span is None else attempt.span.carrier
    return {
        **{name: value for name, value in trace.items() if value},
        "Accept": "application/json",
        # Not compressed: a hundred bytes could become a hundred thousand before the limit is checked.
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "holdfast",
        "Idempotency-Key": task_id(attempt.run, attempt.seq),
        "Holdfast-Run": _header_value(attempt.run_id),
        "Holdfast-Task": _header_value(attempt.name),
        "Holdfast-Attempt": str(attempt.number),
    }


_SAFE: Final = string.punctuation.replace("%", "")


def _header_value(text: str) -> str:
    """URL-encoded, except printable ASCII characters without the space and `%`."""
    return quote(text, safe=_SAFE)


def _described(response: httpx.Response, body: bytes, reason: str = "") -> str:
    shown = body[:_LONGEST_SHOWN].decode(errors="backslashreplace")
    parts = [f"it answered {response.status_code} {response.reason_phrase}".rstrip(), reason]
    return ", ".join(filter(None, parts)) + (f" ({show(shown)})" if shown else "")


def _text(error: object) -> str:
    return error if isinstance(error, str) else msgspec.json.encode(error).decode()


class _IdleConnection(NamedTuple):
    transport: PinnedTransport
    since: float


class _ConnectionPool:
    """Transports with one connection each."""

    def __init__(self, gate: OutboundGate) -> None:
        self._gate = gate
        self._loop = asyncio.get_running_loop()
        self._security = ssl.create_default_context()  # shared, because it is slow to create
        self._idle: dict[str, list[_IdleConnection]] = {}
        """By origin; the connection that was used last is at the end."""
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def acquire(self, origin: str) -> PinnedTransport:
        idle = self._idle.get(origin)
        if idle:
            return idle.pop().transport
        return PinnedTransport(self._gate, self._security, KEEP_IDLE)

    def release(self, origin: str, transport: PinnedTransport) -> None:
        self._idle.setdefault(origin, []).append(_IdleConnection(transport, self._loop.time()))
        if self._timer is None:
            self._timer = self._loop.call_later(KEEP_IDLE, self._close_idle)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for idle in self._idle.values():
            for each in idle:
                await each.transport.aclose()
        self._idle.clear()
        if self._closing:
            await asyncio.wait(self._closing)

    def _close_idle(self) -> None:
        """Called by a timer: otherwise connections to a worker that is never called again would stay open for
        ever."""
        before = self._loop.time() - KEEP_IDLE
        for origin, idle in list(self._idle.items()):
            while idle and idle[0].since <= before:
                task = self._loop.create_task(idle.pop(0).transport.aclose())
                self._closing.add(task)
                task.add_done_callback(self._closing.discard)
            if not idle:
                del self._idle[origin]
        self._timer = self._loop.call_later(KEEP_IDLE, self._close_idle) if self._idle else None
