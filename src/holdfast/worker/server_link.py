"""What a worker says to the server, over HTTP, and what to do when nobody answers."""

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

_PATIENCE: Final = 30.0
"""Seconds for one request."""

_LONGEST_WORDS: Final = 500
MAY_PASS: Final = frozenset({404, 405, 408, 425, 429})
"""A server that is not set up yet, or has too much to do, or is behind something that says so."""
_LOST_ON_THE_WAY: Final = frozenset({502, 504})
"""Said by whoever stands in between: the server may have done it all the same."""


class Reply(NamedTuple):
    status: int
    body: bytes

    @property
    def is_yes(self) -> bool:
        return 200 <= self.status < 300

    @property
    def words(self) -> str:
        """What it says is wrong."""
        try:
            said = msgspec.json.decode(self.body, type=dict[str, Any]).get("error")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            said = self.body.decode(errors="backslashreplace")
        return f"{self.status} {said or ''}".strip()[:_LONGEST_WORDS]


class Away(NamedTuple):
    """The server was not reached, or cannot answer just now."""

    reason: str
    may_have_heard: bool
    """It may have done what it was asked for, and only the answer got lost."""


class Backoff:
    """Pauses that grow. With jitter, so that a hundred workers do not come back in the same instant."""

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


async def wait_at_most(seconds: float, stopping: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stopping.wait()
    except TimeoutError:
        pass  # the usual case


def until_server_is_back() -> Backoff:
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
        # A client would follow redirects, look for proxies, and log every request that is made.
        self._transport = httpx.AsyncHTTPTransport(trust_env=False)
        self._trouble: str | None = None

    async def post(self, path: str, message: object) -> Reply | Away:
        """Any answer but those that say that the server cannot answer now. It is logged when that begins, and
        when it ends."""
        answer = await self._post(path, message)
        if isinstance(answer, Away):
            if self._trouble is None:
                _log.warning("the server at %s does not answer: %s", self._base, answer.reason)
            self._trouble = answer.reason
        elif self._trouble is not None:
            _log.info("the server at %s answers again", self._base)
            self._trouble = None
        return answer

    async def register(self, worker: Registration) -> None:
        """Until the server answers, or the worker is told to stop. Raises Refused if it says no."""
        message = {"ID": worker.id, "URL": worker.url, "Services": worker.services, "Type": worker.type}
        backoff, told = until_server_is_back(), ""
        while not self._stopping.is_set():
            answer = await self.post("/workers/register", message)
            if isinstance(answer, Reply):
                if answer.is_yes:
                    _log.info("registered at %s as %s (%s)", self._base, worker.id, worker.url)
                    return
                if answer.status not in MAY_PASS:
                    raise Refused(f"the server at {self._base} does not take this worker: {answer.words}")
                if answer.words != told:
                    told = answer.words
                    _log.warning("cannot register at %s: %s; is that its address?", self._base, told)
            await wait_at_most(backoff.next(), self._stopping)

    async def heartbeat(self, worker: Registration, load: int) -> None:
        """A server that has never heard of it is told again who it is."""
        message = {"ID": worker.id, "URL": worker.url, "Load": load}
        answer = await self.post("/workers/heartbeat", message)
        if isinstance(answer, Reply) and answer.status == 404:
            _log.warning("the server at %s does not know %s: %s", self._base, worker.id, answer.words)
            await self.register(worker)

    async def close(self) -> None:
        await self._transport.aclose()

    async def _post(self, path: str, message: object) -> Reply | Away:
        try:
            request = httpx.Request(
                "POST",
                self._base + path,
                content=msgspec.json.encode(message),
                headers={"Content-Type": "application/json", "User-Agent": "holdfast"},
                extensions={"timeout": httpx.Timeout(_PATIENCE).as_dict()},
            )
            async with asyncio.timeout(_PATIENCE):
                answer = await self._transport.handle_async_request(request)
                body = await answer.aread()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return Away(words_of(error) or type(error).__name__, may_have_heard=False)
        except (httpx.TransportError, TimeoutError) as error:
            return Away(words_of(error) or type(error).__name__, may_have_heard=True)
        reply = Reply(answer.status_code, body)
        if reply.status >= 500:
            return Away(reply.words, may_have_heard=reply.status in _LOST_ON_THE_WAY)
        return reply
