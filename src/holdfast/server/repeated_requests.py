"""Changes that a client sends again, because it got no answer: they are done once.

A client gives a request an id (`Idempotency-Key`). If the request comes again, the answer is the one that it
got before; while it is still being done, the repetition waits for it. The answers are kept in memory. After a
restart of the server, the ids of runs and messages, which are stored, still keep those from being made twice.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, Final, NamedTuple, TypeAlias, cast

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server.access.callers import caller_of

HEADER: Final = b"idempotency-key"
MOST_ANSWERS: Final = 10_000
MOST_BYTES: Final = 16 * 1024 * 1024
_LARGEST_ANSWER: Final = 256 * 1024
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_DONE_NOTHING: Final = frozenset({401, 403, 408, 429})


class _Answer(NamedTuple):
    start: Any
    body: bytes


_Id: TypeAlias = tuple[str, ...]


class RepeatedRequests:
    """The caller is known when a request comes here: nobody gets the answer of somebody else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers: OrderedDict[_Id, asyncio.Future[_Answer | None]] = OrderedDict()
        """The oldest first. None: the request has failed, and may be sent again."""
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        id = _id_of(scope)
        if id is None:
            await self._app(scope, receive, send)
            return
        known = self._answers.get(id)
        answer = None if known is None else await asyncio.shield(known)
        if answer is not None:
            await send(cast("Message", {**answer.start}))
            await send({"type": "http.response.body", "body": answer.body, "more_body": False})
            return
        done = self._answers[id] = asyncio.get_running_loop().create_future()
        collected = _Collected(send)
        try:
            await self._app(scope, receive, collected.send)
        finally:
            self._end(id, done, collected.answer)

    def _end(self, id: _Id, done: asyncio.Future[_Answer | None], answer: _Answer | None) -> None:
        done.set_result(answer)
        if self._answers.get(id) is not done:
            return  # it was sent a third time
        if answer is None:
            del self._answers[id]
        else:
            self._bytes += len(answer.body)
            self._forget()

    def _forget(self) -> None:
        while len(self._answers) > MOST_ANSWERS or self._bytes > MOST_BYTES:
            oldest = next(iter(self._answers))
            if not self._answers[oldest].done():
                return  # all later ones are kept a little longer
            answer = self._answers.pop(oldest).result()
            self._bytes -= 0 if answer is None else len(answer.body)


def _id_of(scope: Scope) -> _Id | None:
    request = cast("Any", scope)
    if request["method"] in _READS:
        return None
    given = next((value for name, value in request["headers"] if name == HEADER), None)
    if given is None:
        return None
    caller = caller_of(scope)
    if not caller.role:
        return None  # nobody has logged in yet: the answer is for whoever shows the key, and has a session
    asked = f"{request['path']}?{request['query_string'].decode('latin-1')}"
    who = (caller.namespace, caller.key, caller.session, caller.name)
    return *who, request["method"], asked, given.decode("latin-1")


class _Collected:
    """What is sent, kept for those who ask again."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Any = None
        self._body: list[bytes] = []
        self._size = 0
        self._is_whole = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = {**message, "headers": [*message["headers"]]}
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            self._size += len(body)
            if self._size <= _LARGEST_ANSWER:
                self._body.append(body)
            self._is_whole = not message.get("more_body", False)
        await self._send(message)

    @property
    def answer(self) -> _Answer | None:
        if not self._is_whole or self._size > _LARGEST_ANSWER:
            return None
        status = self._start["status"]
        is_kept = status < 500 and status not in _DONE_NOTHING
        return _Answer(self._start, b"".join(self._body)) if is_kept else None
