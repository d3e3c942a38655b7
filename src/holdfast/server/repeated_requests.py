"""Changes that a client sends again, because it got no answer: they are done once.

A client gives a request an id (`Idempotency-Key`). If the request comes again, the answer is the one that it
got before; while it is still being done, the repetition waits for it. If another request has the same id, it
is refused: its sender would take the answer for that of their own. The answers are kept in memory. After a
restart of the server, the ids of runs and messages, which are stored, still keep those from being made twice.

Each caller has answers of their own. If there are too many of all, those who have most lose their oldest: a
caller who sends many requests does not make the server forget the answers of others.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from typing import Any, Final, NamedTuple, TypeAlias, cast

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server.access.callers import caller_of
from holdfast.server.connections import BodyTimedOut
from holdfast.server.gateway import refuse
from holdfast.server.problems import BadRequest, IdempotencyKeyReused

HEADER: Final = b"idempotency-key"
MOST_ANSWERS: Final = 10_000
MOST_BYTES: Final = 16 * 1024 * 1024
_LARGEST_ANSWER: Final = 256 * 1024
_LONGEST_KEY: Final = 255
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_DONE_NOTHING: Final = frozenset({401, 403, 408, 429})


class _Body(NamedTuple):
    """What is remembered of the body of a request."""

    size: int
    digest: bytes


class _Answer(NamedTuple):
    start: Any
    body: bytes
    asked: _Body | None
    """None: the body was not read to its end, so nothing depends on it."""
    room: int
    """About how many bytes it takes."""


_Who: TypeAlias = tuple[str, ...]
_Id: TypeAlias = tuple[str, ...]
_Answers: TypeAlias = OrderedDict[_Id, asyncio.Future[_Answer | None]]
"""The oldest first. None: the request has failed, and may be sent again."""
_NONE: Final[_Answers] = OrderedDict()


class RepeatedRequests:
    """The caller is known when a request comes here: nobody gets the answer of somebody else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers: dict[_Who, _Answers] = {}
        self._count = 0
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = _key_of(scope)
        if given is None:
            await self._app(scope, receive, send)
            return
        if len(given) > _LONGEST_KEY:
            await refuse(scope, send, BadRequest(f"an Idempotency-Key has at most {_LONGEST_KEY} bytes"))
            return
        who, id = _who_asks(scope), _id_of(scope, given)
        sent = _SentBody(receive)
        known = self._answers.get(who, _NONE).get(id)
        answer = None if known is None else await asyncio.shield(known)
        if answer is None:
            await self._do(who, id, scope, sent, send)
        else:
            await _repeat(answer, scope, sent, send)

    async def _do(self, who: _Who, id: _Id, scope: Scope, sent: _SentBody, send: Send) -> None:
        done: asyncio.Future[_Answer | None] = asyncio.get_running_loop().create_future()
        answers = self._answers.setdefault(who, OrderedDict())
        if id not in answers:
            self._count += 1
        answers[id] = done
        collected = _Collected(send)
        try:
            await self._app(scope, cast("Receive", sent.receive), collected.send)
        finally:
            self._end(who, id, done, collected.answer(id, sent.body))

    def _end(self, who: _Who, id: _Id, done: asyncio.Future[_Answer | None], answer: _Answer | None) -> None:
        done.set_result(answer)
        if self._answers.get(who, _NONE).get(id) is not done:
            return  # it was sent a third time
        if answer is None:
            self._remove(who, id)
        else:
            self._bytes += answer.room
            self._forget(who)

    def _forget(self, who: _Who) -> None:
        while self._count > MOST_ANSWERS or self._bytes > MOST_BYTES:
            own = self._answers.get(who, _NONE)
            if len(own) * len(self._answers) <= self._count:  # others have more
                who = max(self._answers, key=lambda it: len(self._answers[it]))
            oldest, done = next(iter(self._answers[who].items()))
            if not done.done():
                return  # all later ones are kept a little longer
            answer = done.result()
            self._bytes -= 0 if answer is None else answer.room
            self._remove(who, oldest)

    def _remove(self, who: _Who, id: _Id) -> None:
        del self._answers[who][id]
        self._count -= 1
        if not self._answers[who]:
            del self._answers[who]


async def _repeat(answer: _Answer, scope: Scope, sent: _SentBody, send: Send) -> None:
    try:
        is_same = answer.asked is None or await sent.read(answer.asked.size) == answer.asked
    except BodyTimedOut as error:
        await refuse(scope, send, error)
        return
    if not is_same:
        text = "another request, with another body, had this Idempotency-Key: give each request its own"
        await refuse(scope, send, IdempotencyKeyReused(text))
        return
    await send(cast("Message", {**answer.start}))
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})


def _key_of(scope: Scope) -> bytes | None:
    request = cast("Any", scope)
    # Without a role, somebody is about to log in: the answer is for whoever shows the key.
    if request["method"] in _READS or not caller_of(scope).role:
        return None
    return next((value for name, value in request["headers"] if name == HEADER), None)


def _who_asks(scope: Scope) -> _Who:
    caller = caller_of(scope)
    return caller.namespace, caller.key, caller.session, caller.name


def _id_of(scope: Scope, given: bytes) -> _Id:
    request = cast("Any", scope)
    asked = f"{request['path']}?{request['query_string'].decode('latin-1')}"
    return request["method"], asked, given.decode("latin-1")


class _SentBody:
    """The body of a request, on its way to the application."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._hash = hashlib.blake2b(digest_size=32)
        self._size = 0
        self._is_whole = False

    async def receive(self) -> Any:
        message = cast("Any", await self._receive())
        if message["type"] == "http.request":
            part: bytes = message.get("body", b"")
            self._hash.update(part)
            self._size += len(part)
            self._is_whole = not message.get("more_body", False)
        return message

    async def read(self, most: int) -> _Body | None:
        """None if it is larger, or does not come to its end. Raises BodyTimedOut."""
        while not self._is_whole and self._size <= most:
            if (await self.receive())["type"] != "http.request":
                return None
        return self.body

    @property
    def body(self) -> _Body | None:
        """None if it was not read to its end."""
        return _Body(self._size, self._hash.digest()) if self._is_whole else None


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

    def answer(self, id: _Id, asked: _Body | None) -> _Answer | None:
        """None if it is not kept."""
        if not self._is_whole or self._size > _LARGEST_ANSWER:
            return None
        status = self._start["status"]
        if status >= 500 or status in _DONE_NOTHING:
            return None
        headers = sum(len(name) + len(value) for name, value in self._start["headers"])
        room = self._size + headers + sum(map(len, id))
        return _Answer(self._start, b"".join(self._body), asked, room)
