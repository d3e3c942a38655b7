"""Requests to the server, and what to do when it does not answer.

A request is sent again if no answer came, or if a proxy says that the server is away. That is safe: each
change has an id (`Idempotency-Key`, and the id of the run or message), so the server does it once.
"""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any, Final, NoReturn, TypeAlias, TypeVar, overload
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from holdfast.core.codec import words_of
from holdfast.errors import (
    BadFile,
    BadOption,
    BadUrl,
    HoldfastError,
    NotOpen,
    ServerFailed,
    ServerUnavailable,
)
from holdfast.ports.tracing import TraceHeaders
from holdfast.remote.problems import error_of

_log = logging.getLogger("holdfast.remote")

API: Final = "/api/v1"
_TIMEOUT: Final = 30.0
_ID_BYTES: Final = 12
_CONNECT_SECONDS: Final = 10.0
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 5.0
_AGAIN: Final = frozenset({429, 502, 503, 504})
_READS: Final = frozenset({"/run-ends", "/schedule-preview", "/workflow-validation"})
"""They have a body and change nothing, so the server need not remember its answers."""
_DONE_NOTHING: Final = frozenset({429, 503})
"""Of these the server says itself that it has not done what it was asked."""
_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

T = TypeVar("T")

Primitive: TypeAlias = str | int | float | bool | None
Query: TypeAlias = Mapping[str, str | int | float | bool | Sequence[str] | None]


class Address:
    """The address of a server, with everything that a request to it needs."""

    def __init__(self, url: str, *, key: str, namespace: str | None, ca_file: str) -> None:
        """Raises BadUrl, BadOption."""
        self.url = _checked_url(url)
        self.is_secure = self.url.startswith("https:")
        self.headers: list[tuple[bytes, bytes]] = [(b"User-Agent", b"holdfast")]
        if key:
            if not key.isascii() or any(each.isspace() for each in key):
                raise BadOption("key", "***", "the text that `holdfast keys create` has shown")
            self.headers.append((b"Authorization", b"Bearer " + key.encode()))
        if namespace is not None:
            self.headers.append((b"Holdfast-Namespace", namespace.encode()))
        self._ca_file = ca_file

    def tls(self) -> ssl.SSLContext | bool:
        """Raises BadFile."""
        if not self.is_secure:
            return False  # reading all certificates takes long
        try:
            return ssl.create_default_context(cafile=self._ca_file or None)
        except OSError as error:
            raise BadFile.unreadable("ca_file", self._ca_file, error) from None


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BadUrl(url, str(error)) from None
    if not host:
        raise BadUrl(url, "it names no host")
    if "@" in parts.netloc:
        raise BadUrl(f"{parts.scheme}://…@{host}", "it has a name or a password; give key= instead")
    if parts.query or parts.fragment:
        raise BadUrl(url, "it has a query; write https://host:port/path")
    # Pages and curl have the address of the API, so people copy that.
    return url.rstrip("/").removesuffix(API).rstrip("/")


def path_of(*parts: str | int) -> str:
    """A path of the API. Anything may be in a part of it, also `/` and `..`."""
    return "".join(f"/{quote(str(part), safe='').replace('.', '%2E')}" for part in parts)


def conditions(replaces: str | None) -> dict[str, str]:
    """The header for what is to be replaced: of that hash, or nothing if it is empty; None: anything."""
    if replaces is None:
        return {}
    return {"If-Match": f'"{replaces}"'} if replaces else {"If-None-Match": "*"}


class Tries:
    """What became of the tries before the last one."""

    may_have_acted = False
    """The server may have done what it was asked, and only its answer was lost."""


class Connection:
    """Belongs to one event loop."""

    def __init__(
        self,
        address: Address,
        retry_seconds: float,
        open_seconds: float,
        trace_headers: TraceHeaders | None = None,
    ) -> None:
        """Until the server has answered once, it is waited for `open_seconds` at most."""
        self.trace_headers = trace_headers
        self.url = address.url
        self._address = address
        self._retry_seconds = retry_seconds
        self._open_seconds = min(open_seconds, retry_seconds)
        self._has_answered = False
        self._http: httpx.AsyncClient | None = None

    def open(self) -> None:
        """Raises BadFile."""
        self._http = httpx.AsyncClient(
            headers=self._address.headers,
            verify=self._address.tls(),
            timeout=httpx.Timeout(_TIMEOUT, connect=_CONNECT_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=50, keepalive_expiry=4),
        )

    async def close(self) -> None:
        if self._http is not None:
            http, self._http = self._http, None
            await http.aclose()

    def patience(self) -> Patience:
        return Patience(self.url, self._retry_seconds if self._has_answered else self._open_seconds)

    @property
    def http(self) -> httpx.AsyncClient:
        """Raises NotOpen."""
        if self._http is None:
            raise NotOpen
        return self._http

    @overload
    async def ask(
        self,
        method: str,
        path: str,
        kind: type[T],
        *,
        query: Query | None = None,
        body: Any = None,
        by: str = "",
        headers: Mapping[str, str] | None = None,
        wait: float = 0,
        tries: Tries | None = None,
    ) -> T: ...
    @overload
    async def ask(
        self,
        method: str,
        path: str,
        kind: None = None,
        *,
        query: Query | None = None,
        body: Any = None,
        by: str = "",
        headers: Mapping[str, str] | None = None,
        wait: float = 0,
        tries: Tries | None = None,
    ) -> None: ...
    async def ask(
        self,
        method: str,
        path: str,
        kind: Any = None,
        *,
        query: Query | None = None,
        body: Any = None,
        by: str = "",
        headers: Mapping[str, str] | None = None,
        wait: float = 0,
        tries: Tries | None = None,
    ) -> Any:
        """The answer, read as this type. `wait` is for how many seconds the server may think.

        Raises what the local call raises, and ServerUnavailable, ServerFailed, KeyRefused, NotPermitted.
        """
        request = self.request(method, path, query=query, body=body, by=by, headers=headers, wait=wait)
        response = await self._send(request, tries or Tries())
        if response.status_code >= 300:
            raise error_of(self.url, response.status_code, response.content)
        if kind is None:
            return None
        return self.read(response.content, kind, response.status_code)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        by: str = "",
        headers: Mapping[str, str] | None = None,
        wait: float = 0,
    ) -> httpx.Request:
        sent = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        if self.trace_headers is not None:
            found = self.trace_headers.current().items()
            sent += [(name.encode(), value.encode()) for name, value in found]
        if by:
            sent.append((b"Holdfast-By", by.encode()))
        if method != "GET" and path not in _READS:
            sent.append((b"Idempotency-Key", token_hex(_ID_BYTES).encode()))
        if body is not None:
            sent.append((b"Content-Type", b"application/json"))
        timeout = httpx.Timeout(_TIMEOUT + wait, connect=_CONNECT_SECONDS, pool=None)
        return self.http.build_request(
            method,
            self.url + API + path,
            params=None if query is None else _params(query),
            content=None if body is None else msgspec.json.encode(body),
            headers=sent,
            timeout=timeout,
        )

    async def _send(self, request: httpx.Request, tries: Tries) -> httpx.Response:
        waiting = self.patience()
        while True:
            response: httpx.Response | None = None
            try:
                response = await self.http.send(request)
                if response.status_code not in _AGAIN:
                    self._has_answered = True
                    return response
                problem = error_of(self.url, response.status_code, response.content)
            except httpx.TransportError as error:
                tries.may_have_acted |= not isinstance(error, _NEVER_SENT)
                await waiting.pause(no_answer(self.url, error))
                continue
            tries.may_have_acted |= response.status_code not in _DONE_NOTHING
            await waiting.pause(problem, response.headers.get("retry-after"))

    def read(self, content: bytes, kind: type[T], status: int = 200) -> T:
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise ServerFailed(
                self.url, status, f"it cannot be read ({error}); is the server of another version?"
            ) from None


def no_answer(url: str, error: httpx.TransportError) -> ServerUnavailable:
    words = words_of(error) or type(error).__name__
    if "WRONG_VERSION_NUMBER" in words:
        words += "; does it speak http:// and not https://?"
    elif isinstance(error, httpx.RemoteProtocolError) and url.startswith("http:"):
        words += "; does it speak https:// and not http://?"
    return ServerUnavailable(url, words)


class Patience:
    """Pauses that grow, until it takes too long."""

    def __init__(self, url: str, seconds: float) -> None:
        self._url = url
        self._end = asyncio.get_running_loop().time() + seconds
        self._seconds = seconds
        self._next = _FIRST_PAUSE

    def reset(self) -> None:
        """The server has answered."""
        self._end = asyncio.get_running_loop().time() + self._seconds
        self._next = _FIRST_PAUSE

    async def pause(self, problem: HoldfastError, retry_after: str | None = None) -> None:
        """Raises the problem if there is no time left, or if another try is of no use."""
        seconds = self._next * random.uniform(0.75, 1)
        if retry_after is not None and retry_after.isascii() and retry_after.isdigit():
            seconds = max(seconds, float(retry_after[:6]))
        self._next = min(self._next * 2, _LONGEST_PAUSE)
        if "CERTIFICATE_VERIFY_FAILED" in str(problem):
            _refuse_certificate(self._url, problem)
        if asyncio.get_running_loop().time() + seconds > self._end:
            raise problem
        if self._next > 1:
            _log.warning("%s; trying again", problem)
        await asyncio.sleep(seconds)


def _refuse_certificate(url: str, problem: HoldfastError) -> NoReturn:
    raise ServerUnavailable(
        url, f"its certificate cannot be verified ({problem}); ca_file= names the authority that you trust"
    )


def _params(query: Query) -> list[tuple[str, Primitive]]:
    found: list[tuple[str, Primitive]] = []
    for name, value in query.items():
        if isinstance(value, bool):
            found.append((name, "true" if value else "false"))
        elif isinstance(value, (str, int, float)):
            found.append((name, str(value)))
        elif value is not None:
            found += [(name, str(each)) for each in value]
    return found
