"""Responses that go on: written as fast as the client reads, given up if it does not, ended when the server
stops."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from litestar import Response
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema
from litestar.types import Receive, Scope, Send

from holdfast.errors import StoreError
from holdfast.server.access.callers import Caller, caller_of
from holdfast.server.access.refusals import Unauthorized
from holdfast.server.connections import CONNECTION, Connection
from holdfast.server.live import sse
from holdfast.server.live.packing import PackedStream
from holdfast.server.live.subscriptions import QUIET_SECONDS
from holdfast.server.problems import Busy, problem_of

MEDIA_TYPE: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"
MOST_STREAMS: Final = 10_000
CHECK_SECONDS: Final = 4.0
"""So often is it checked whether the callers may still be told something."""
GIVE_UP_SECONDS: Final = 30.0
"""For so long may a client read nothing."""
_LAST_WORDS_SECONDS: Final = 0.2
"""So long a client may take to read what is under way when the server stops."""
_SEND_BUFFER: Final = 256 * 1024
"""For the kernel, which otherwise keeps megabytes for a client that does not read."""

_HEADERS: Final = [
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]

_PACKED: Final = [(b"content-encoding", b"deflate"), (b"vary", b"Accept-Encoding")]

ChunkSource: TypeAlias = "AsyncGenerator[list[sse.Chunk]]"
"""An empty list every few seconds if there is nothing to write."""
IsValid: TypeAlias = Callable[[Caller], Awaitable[bool]]
"""Whether the key or session of a caller is still good. Raises StoreError."""

_log = logging.getLogger("holdfast.server")


class OpenStreams:
    """Those of one server. Belongs to one event loop."""

    def __init__(self) -> None:
        self._open: set[_Writing] = set()
        self._waiting: set[asyncio.Event] = set()
        self._is_closed = False
        self._is_valid: IsValid | None = None
        self._checking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def respond(self, source: AsyncGenerator[bytes]) -> EventStream:
        """`source` says what to write; b"" every few seconds if there is nothing."""
        return EventStream(_Writing(_in_chunks(source), self, MEDIA_TYPE))

    def respond_chunks(self, source: ChunkSource, *, is_packed: bool) -> EventStream:
        """The same with chunks that are shared, and written packed if the client accepts that."""
        return EventStream(_Writing(source, self, MEDIA_TYPE, PackedStream() if is_packed else None))

    def respond_lines(self, source: AsyncGenerator[bytes]) -> EventStream:
        """Lines of JSON. If the source fails, the connection is cut, so that nobody takes them for all."""
        return EventStream(_Writing(_in_chunks(source), self, LINES))

    def check_room(self) -> None:
        """Raises Busy."""
        if self._is_closed:
            raise Busy("the server is stopping")
        if len(self._open) >= MOST_STREAMS:
            raise Busy(f"{MOST_STREAMS:,} streams are open, and this server takes no more")

    def end_when_refused(self, is_valid: IsValid) -> None:
        """From now on, end each response soon after its caller's key or session has ended."""
        self._is_valid = is_valid

    def end(self) -> None:
        """The server stops: end them all at once, and take no more."""
        self._is_closed = True
        if self._checking is not None:
            self._checking.cancel()
        for each in [*self._open]:
            each.interrupt()
        for event in self._waiting:
            event.set()

    @contextlib.contextmanager
    def waking(self, event: asyncio.Event) -> Generator[None]:
        """For a request that waits: the event is set when the server stops."""
        self._waiting.add(event)
        if self._is_closed:
            event.set()
        try:
            yield
        finally:
            self._waiting.discard(event)

    @contextlib.contextmanager
    def holding(self, writing: _Writing) -> Any:
        self._open.add(writing)
        if self._checking is None and self._is_valid is not None and not self._is_closed:
            self._checking = asyncio.create_task(self._check(self._is_valid), name="check open streams")
        if self._is_closed:
            asyncio.get_running_loop().call_soon(writing.interrupt)
        try:
            yield
        finally:
            self._open.discard(writing)

    async def _check(self, is_valid: IsValid) -> None:
        """As long as there are any. All of one key or one session are checked together."""
        try:
            while self._open:
                await asyncio.sleep(CHECK_SECONDS)
                by_caller: dict[tuple[str, str], list[_Writing]] = defaultdict(list)
                for each in self._open:
                    if each.caller is not None and (each.caller.key or each.caller.session):
                        by_caller[each.caller.key, each.caller.session].append(each)
                for writings in by_caller.values():
                    await _end_if_refused(writings, is_valid)
        finally:
            self._checking = None

    @property
    def is_closed(self) -> bool:
        return self._is_closed


class EventStream(Response[Any]):
    def __init__(self, writing: _Writing) -> None:
        super().__init__(None, media_type=writing.media_type)
        self._writing = writing

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self._writing


@dataclass
class StreamOperation(Operation):
    """Describes a route that answers with events, if the client wants them or always."""

    def __post_init__(self) -> None:
        found = (self.responses or {}).get("200")
        if isinstance(found, OpenAPIResponse):
            text = Schema(type=OpenAPIType.STRING, description="Server-sent events.")
            content = {kind: each for kind, each in (found.content or {}).items() if kind != MEDIA_TYPE}
            found.content = {**content, MEDIA_TYPE: OpenAPIMediaType(schema=text)}


class _Writing:
    """One response, as an ASGI application."""

    def __init__(
        self,
        source: ChunkSource,
        streams: OpenStreams,
        media_type: str,
        packed: PackedStream | None = None,
    ) -> None:
        """`packed`: the response has the content encoding deflate."""
        self.media_type = media_type
        self._source = source
        self._packed = packed
        self._streams = streams
        self._until = asyncio.timeout(None)
        self._is_interruptible = False
        self._is_gone = False
        self._is_stuck = self._is_broken = False
        self._sending_since: float | None = None
        self._refusal: Exception | None = None
        self.caller: Caller | None = None

    def refuse(self, error: Exception) -> None:
        """End the response, and say why."""
        self._refusal = error
        self.interrupt()

    def interrupt(self) -> None:
        """End the response, whatever it waits for."""
        if self._is_interruptible:
            self._is_interruptible = False
            self._until.reschedule(asyncio.get_running_loop().time())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions: dict[str, Any] = cast("Any", scope).get("extensions") or {}
        self.caller = caller_of(scope)
        connection: Connection | None = extensions.get(CONNECTION)
        if connection is not None:
            connection.limit_send_buffer(_SEND_BUFFER)
        listening = asyncio.get_running_loop().create_task(self._listen(receive))
        try:
            with self._streams.holding(self), self._giving_up():
                await self._write_all(send)
            if self._is_stuck:
                _log.info("a client that has read nothing for %d s is given up", GIVE_UP_SECONDS)
            if self._is_stuck or self._is_broken:
                await _close(connection, listening)
            elif not self._is_gone:
                await self._end(send, connection, listening)
        finally:
            listening.cancel()
            await self._source.aclose()

    async def _listen(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._is_gone = True
        self.interrupt()

    async def _write_all(self, send: Send) -> None:
        """Returns when everything is written, or when it was interrupted."""
        try:
            async with self._until:
                self._is_interruptible = True
                kind = (b"content-type", f"{self.media_type}; charset=utf-8".encode())
                headers = [kind, *_HEADERS] if self._packed is None else [kind, *_HEADERS, *_PACKED]
                await self._send(send, {"type": "http.response.start", "status": 200, "headers": headers})
                try:
                    await self._write_source(send)
                except Exception as error:
                    problem = problem_of(error)
                    if problem.code == "internal_error":
                        _log.error("a stream has failed", exc_info=error)
                    if self.media_type == LINES:
                        self._is_broken = True
                    else:
                        await self._write(send, [sse.Chunk(sse.event("error", problem))])
        except TimeoutError:  # it was interrupted
            self._is_broken = self.media_type == LINES
        finally:
            self._is_interruptible = False

    async def _write_source(self, send: Send) -> None:
        clock = asyncio.get_running_loop().time
        written_at = clock()
        async for chunks in self._source:
            if not chunks and clock() < written_at + QUIET_SECONDS:
                continue
            await self._write(send, chunks or [sse.Chunk(sse.comment("nothing new"))])
            written_at = clock()

    async def _write(self, send: Send, chunks: Sequence[sse.Chunk]) -> None:
        packed = self._packed
        some = [chunk.data if packed is None else packed.add(chunk.packed) for chunk in chunks]
        data = some[0] if len(some) == 1 else b"".join(some)
        await self._send(send, {"type": "http.response.body", "body": data, "more_body": True})

    async def _send(self, send: Send, message: Any) -> None:
        """Waits only until the client has read what was sent before."""
        self._sending_since = asyncio.get_running_loop().time()
        await send(message)
        self._sending_since = None

    @contextlib.contextmanager
    def _giving_up(self) -> Generator[None]:
        """Interrupt a response whose client reads nothing. One timer looks after all of its writes: a timer
        for each would cost more than many of the writes."""
        loop = asyncio.get_running_loop()

        def look() -> None:
            nonlocal timer
            now = loop.time()
            since = now if self._sending_since is None else self._sending_since
            if now >= since + GIVE_UP_SECONDS:
                self._is_stuck = True
                self.interrupt()
            else:
                timer = loop.call_at(since + GIVE_UP_SECONDS, look)

        timer = loop.call_later(GIVE_UP_SECONDS, look)
        try:
            yield
        finally:
            timer.cancel()

    async def _end(self, send: Send, connection: Connection | None, listening: asyncio.Task[None]) -> None:
        is_stopping = self._streams.is_closed
        try:
            async with asyncio.timeout(_LAST_WORDS_SECONDS if is_stopping else GIVE_UP_SECONDS):
                if self._refusal is not None:
                    await self._write(send, [sse.Chunk(sse.event("error", problem_of(self._refusal)))])
                last = b"" if self._packed is None else self._packed.end()
                await send({"type": "http.response.body", "body": last, "more_body": False})
        except TimeoutError:
            await _close(connection, listening)
        else:
            if is_stopping and connection is not None:
                asyncio.get_running_loop().call_later(_LAST_WORDS_SECONDS, connection.abort)


async def _in_chunks(source: AsyncGenerator[bytes]) -> AsyncGenerator[list[sse.Chunk]]:
    async with contextlib.aclosing(source):
        async for data in source:
            yield [sse.Chunk(data)] if data else []


async def _end_if_refused(writings: Sequence[_Writing], is_valid: IsValid) -> None:
    caller = writings[0].caller
    assert caller is not None
    try:
        if await is_valid(caller):
            return
    except StoreError:
        return  # nobody knows; the next look will tell
    except Exception:
        _log.exception("it could not be checked whether a stream may go on")
        return
    for each in writings:
        each.refuse(Unauthorized("the key or the session has ended"))


async def _close(connection: Connection | None, listening: asyncio.Task[None]) -> None:
    if connection is not None:
        connection.abort()
        await asyncio.wait([listening], timeout=1)  # until the server has noticed
