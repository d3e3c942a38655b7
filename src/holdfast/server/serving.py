"""Serves the application over HTTP on an event loop that others use too."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Generator
from ipaddress import ip_address
from typing import Any, Final, Protocol

import msgspec
import uvicorn

from holdfast.errors import BadOption
from holdfast.server.connections import MOST_CONNECTIONS, PatientProtocol

_GRACE_SECONDS: Final = 5
_BACKLOG: Final = 1024
_TICKS_A_SECOND: Final = 10
"""As uvicorn counts them: it writes the header Date anew every ten ticks."""
_LOCAL_ONLY: Final = (
    "an address of this machine alone, such as 127.0.0.1, since everybody who reaches the server could do "
    "everything: make a key first (holdfast keys create ADMIN --role admin), or pass --insecure"
)


class Application(Protocol):
    """What is served."""

    is_local: bool
    """The server listens on the loopback address only."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...

    def end_streams(self) -> None:
        """Called when the server begins to stop: end the responses that would go on."""
        ...

    async def close(self) -> None:
        """Called when the last request has been answered."""
        ...


class ServingOptions(msgspec.Struct, frozen=True):
    tls_cert: str | None = None
    tls_key: str | None = None
    """Files in PEM. With both, the server speaks HTTPS only."""
    trusted_proxies: str = ""
    """Addresses or networks of proxies, separated by commas, whose X-Forwarded-For and X-Forwarded-Proto are
    believed."""


class ApiServer:
    """Started once and stopped once. It installs no signal handlers: its caller decides when it stops."""

    def __init__(self, app: Application, options: ServingOptions | None = None) -> None:
        self._app = app
        self._options = options or ServingOptions()
        self._server: _ApiUvicorn | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self, host: str, port: int, *, only_local: bool = False) -> int:
        """Answers requests from now on. Port 0 is any free port. Returns the port.

        Raises BadOption if the address is not available, or is not a loopback address although it must be.
        """
        listener = await _listen(host, port)
        if only_local and not ip_address(listener.getsockname()[0]).is_loopback:
            listener.close()
            raise BadOption("host", host, _LOCAL_ONLY)
        await self.start_on(listener)
        return listener.getsockname()[1]

    async def start_on(self, listener: socket.socket) -> None:
        """Answers the requests of a socket that listens already, and closes it in the end. Other processes
        may have the socket too, and any of them may accept a request."""
        listener.setblocking(False)
        self._app.is_local = ip_address(listener.getsockname()[0]).is_loopback
        config = uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            http=PatientProtocol,
            limit_concurrency=MOST_CONNECTIONS,
            proxy_headers=bool(self._options.trusted_proxies),
            forwarded_allow_ips=self._options.trusted_proxies,
            ssl_certfile=self._options.tls_cert,
            ssl_keyfile=self._options.tls_key,
        )
        try:
            _check_tls(config)
        except BadOption:
            listener.close()
            raise
        self._server = _ApiUvicorn(config, self._app.end_streams)
        self._serving = asyncio.create_task(self._serve(self._server, listener), name="serve HTTP")
        is_up = asyncio.create_task(self._server.is_up.wait())
        await asyncio.wait([is_up, self._serving], return_when=asyncio.FIRST_COMPLETED)
        if not is_up.done():
            is_up.cancel()
            listener.close()
            await self._serving

    async def _serve(self, server: _ApiUvicorn, listener: socket.socket) -> None:
        try:
            await server.serve([listener])
        finally:
            await self._app.close()

    async def stop(self) -> None:
        """Accepts no more requests, and gives those under way a few seconds. May be called again."""
        if self._server is None or self._serving is None:
            return
        self._server.ask_to_stop()
        await asyncio.shield(self._serving)

    async def wait_until_stopped(self) -> None:
        """Raises the error that ended the server, if `stop` did not."""
        if self._serving is not None:
            await asyncio.shield(self._serving)


class _ApiUvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()
        self._is_to_stop = asyncio.Event()
        self._end_streams = end_streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end_streams()
        await super().shutdown(sockets)

    def ask_to_stop(self) -> None:
        self.should_exit = True
        self._is_to_stop.set()

    async def main_loop(self) -> None:
        """Instead of uvicorn's, which looks ten times a second whether it is to stop."""
        second = 0
        while not await self.on_tick(second * _TICKS_A_SECOND):
            second += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_to_stop.wait(), 1.0)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Does nothing: the process handles signals, since it has more to stop than this server."""
        yield


def _check_tls(config: uvicorn.Config) -> None:
    """Raises BadOption."""
    if (config.ssl_certfile is None) != (config.ssl_keyfile is None):
        raise BadOption(
            "tls_cert", config.ssl_certfile, "given together with tls_key, and without it neither"
        )
    try:
        config.load()
    except (OSError, ValueError) as error:  # also SSLError
        reason = f"the certificate of that key, both in PEM ({error})"
        raise BadOption("tls_cert", config.ssl_certfile, reason) from None


async def _listen(host: str, port: int) -> socket.socket:
    """Raises BadOption."""
    if type(port) is not int or not 0 <= port <= 65_535:
        raise BadOption("port", port, "a whole number from 0 to 65,535")
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError) as error:
        raise BadOption("host", host, f"an address of this machine ({error})") from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise BadOption("port", port, f"one that is free on {host} ({reason.lower()})") from None
    return listener
