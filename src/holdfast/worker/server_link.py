"""Requests of a worker to the server over HTTP, and what to do when the server does not answer."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Any, Final, NamedTuple

import httpx
import msgspec

from holdfast.core.codec import words_of
from holdfast.errors import Refused

_log = logging.getLogger("holdfast.worker")

_TIMEOUT: Final = 30.0
"""Seconds for one request."""

_LONGEST_MESSAGE: Final = 500
TRANSIENT_STATUSES: Final = frozenset({404, 405, 408, 425, 429})
"""The server is not set up yet or is overloaded, or a proxy in front of it says so."""
_PROXY_STATUSES: Final = frozenset({502, 504})
"""Sent by a proxy: the server may have done what it was asked all the same."""


class ServerReply(NamedTuple):
    status: int
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def message(self) -> str:
        """The status and the error message of the server."""
        try:
            error = msgspec.json.decode(self.body, type=dict[str, Any]).get("error")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            error = self.body.decode(errors="backslashreplace")
        return f"{self.status} {error or ''}".strip()[:_LONGEST_MESSAGE]


class NoReply(NamedTuple):
    """The server was not reached, or cannot answer now."""

    reason: str
    may_have_acted: bool
    """The server may have done what it was asked, and only its answer was lost."""


class Backoff:
    """Pauses that grow, with jitter, so that a hundred workers do not come back at the same moment."""

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = first, longest
        self._next = first

    def reset(self) -> None:
        self._next = self._first

    def next(self) -> float:
        """Seconds."""
        seconds = self._next * random.uniform(0.75, 1)
        self._next = min(self._next * 2, self._longest)
        return seconds


async def sleep_unless_stopping(seconds: float, stopping: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stopping.wait()
    except TimeoutError:
        pass  # the usual case


def reconnect_backoff() -> Backoff:
    return Backoff(0.2, 10)


class Registration(NamedTuple):
    id: str
    url: str
    services: list[str]
    type: str


class ServerLink:
    """Belongs to one event loop."""

    def __init__(self, base: str, stopping: asyncio.Event) -> None:
        self._base = base.rstrip("/")
        self._stopping = stopping
        # An httpx client would follow redirects, look for proxies and log every request.
        self._transport = httpx.AsyncHTTPTransport(trust_env=False)
        self._problem: str | None = None
        """Why the server did not answer the last request."""

    async def post(self, path: str, message: object) -> ServerReply | NoReply:
        """Logs when the server stops answering, and when it answers again."""
        answer = await self._post(path, message)
        if isinstance(answer, NoReply):
            if self._problem is None:
                _log.warning("the server at %s does not answer: %s", self._base, answer.reason)
            self._problem = answer.reason
        elif self._problem is not None:
            _log.info("the server at %s answers again", self._base)
            self._problem = None
        return answer

    async def register(self, worker: Registration) -> None:
        """Tries until the server accepts the worker, or the worker is told to stop. Raises Refused."""
        message = {"ID": worker.id, "URL": worker.url, "Services": worker.services, "Type": worker.type}
        backoff, logged = reconnect_backoff(), ""
        while not self._stopping.is_set():
            answer = await self.post("/workers/register", message)
            if isinstance(answer, ServerReply):
                if answer.is_success:
                    _log.info("registered at %s as %s (%s)", self._base, worker.id, worker.url)
                    return
                if answer.status not in TRANSIENT_STATUSES:
                    raise Refused(f"the server at {self._base} does not take this worker: {answer.message}")
                if answer.message != logged:
                    logged = answer.message
                    _log.warning("cannot register at %s: %s; is that its address?", self._base, logged)
            await sleep_unless_stopping(backoff.next(), self._stopping)

    async def heartbeat(self, worker: Registration, load: int) -> None:
        """If the server does not know the worker, it is registered again."""
        message = {"ID": worker.id, "URL": worker.url, "Load": load}
        answer = await self.post("/workers/heartbeat", message)
        if isinstance(answer, ServerReply) and answer.status == 404:
            _log.warning("the server at %s does not know %s: %s", self._base, worker.id, answer.message)
            await self.register(worker)

    async def close(self) -> None:
        await self._transport.aclose()

    async def _post(self, path: str, message: object) -> ServerReply | NoReply:
        try:
            request = httpx.Request(
                "POST",
                self._base + path,
                content=msgspec.json.encode(message),
                headers={"Content-Type": "application/json", "User-Agent": "holdfast"},
                extensions={"timeout": httpx.Timeout(_TIMEOUT).as_dict()},
            )
            async with asyncio.timeout(_TIMEOUT):
                answer = await self._transport.handle_async_request(request)
                body = await answer.aread()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return NoReply(words_of(error) or type(error).__name__, may_have_acted=False)
        except (httpx.TransportError, TimeoutError) as error:
            return NoReply(words_of(error) or type(error).__name__, may_have_acted=True)
        reply = ServerReply(answer.status_code, body)
        if reply.status >= 500:
            return NoReply(reply.message, may_have_acted=reply.status in _PROXY_STATUSES)
        return reply
