"""Server-sent events: reads them, and comes back from the last one when the connection breaks."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final, NamedTuple

import httpx

from holdfast.errors import HoldfastError
from holdfast.remote.connection import Connection, Query, no_answer
from holdfast.remote.problems import ProblemRead, error_of, error_of_problem

_QUIET_SECONDS: Final = 45.0
"""A server writes something every 15 s. A connection that is silent for longer is dead."""
_AGAIN: Final = frozenset({429, 502, 503, 504})
_ENDS: Final = frozenset({"end", "error", "lagged"})


class Event(NamedTuple):
    kind: str
    data: bytes
    id: str


class EventStream:
    """Until the server says that there is nothing more to come."""

    def __init__(self, connection: Connection, path: str, query: Query, after: str | None) -> None:
        self._connection = connection
        self._path = path
        self._query = query
        self._last = after

    async def events(self) -> AsyncGenerator[Event]:
        """Raises what the server says, and ServerUnavailable if it does not answer for long."""
        waiting = self._connection.patience()
        while True:
            try:
                async with contextlib.aclosing(self._read()) as events:
                    async for event in events:
                        waiting.reset()
                        if event.kind == "end":
                            return
                        if event.kind == "error":
                            self._raise(event)
                        if event.kind not in _ENDS:
                            yield event
            except httpx.TransportError as error:
                await waiting.pause(no_answer(self._connection.url, error))
            except _Again as answer:
                await waiting.pause(answer.problem, answer.retry_after)
            else:  # the server has ended the response, as when it stops; or this client was too slow
                await waiting.pause(no_answer(self._connection.url, httpx.ReadError("the events have ended")))

    async def _read(self) -> AsyncGenerator[Event]:
        headers = {"Accept": "text/event-stream"}
        if self._last is not None:
            headers["Last-Event-ID"] = self._last
        connection = self._connection
        request = connection.request("GET", self._path, query=self._query, headers=headers)
        request.extensions["timeout"]["read"] = _QUIET_SECONDS
        response = await connection.http.send(request, stream=True)
        try:
            if response.status_code != 200:
                problem = error_of(connection.url, response.status_code, await response.aread())
                if response.status_code in _AGAIN:
                    raise _Again(problem, response.headers.get("retry-after"))
                raise problem
            async with contextlib.aclosing(self._parse(response)) as events:
                async for event in events:
                    yield event
        finally:
            await response.aclose()

    async def _parse(self, response: httpx.Response) -> AsyncGenerator[Event]:
        kind, data, id = "", b"", None
        async with contextlib.aclosing(_lines(response.aiter_bytes())) as lines:
            async for line in lines:
                if line:
                    name, _, value = line.partition(b": ")
                    if name == b"event":
                        kind = value.decode()
                    elif name == b"data":
                        data = value
                    elif name == b"id":
                        id = value.decode()
                    continue
                if kind:
                    yield Event(kind, data, id or "")
                self._last = id or self._last  # once it is read: who comes back gets what was not
                kind, data, id = "", b"", None

    def _raise(self, event: Event) -> None:
        read = self._connection.read(event.data, ProblemWithStatus)
        problem = error_of_problem(self._connection.url, read.status, read)
        if read.status in _AGAIN:
            raise _Again(problem, None)
        raise problem


class ProblemWithStatus(ProblemRead, frozen=True, kw_only=True):
    status: int


class _Again(Exception):
    def __init__(self, problem: HoldfastError, retry_after: str | None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.retry_after = retry_after


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Only whole lines: what is cut off by a broken connection comes again."""
    parts: list[bytes] = []
    async for chunk in chunks:
        if b"\n" not in chunk:
            parts.append(chunk)
            continue
        *lines, rest = b"".join([*parts, chunk]).split(b"\n")
        parts = [rest]
        for line in lines:
            yield line.removesuffix(b"\r")
