"""Serves an application over HTTP from inside an event loop that does other things as well."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Generator
from ipaddress import ip_address
from typing import Any, Final

import uvicorn

from holdfast.errors import BadOption
from holdfast.server.gateway import Gateway

_GRACE_SECONDS: Final = 5
_BACKLOG: Final = 1024


class ApiServer:
    """Started once and stopped once. It leaves signals alone: whoever starts it decides when it stops."""

    def __init__(self, app: Gateway) -> None:
        self._app = app
        self._server: _ApiUvicorn | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self, host: str, port: int) -> int:
        """Answer requests from now on; port 0 is any that is free. Answers the port.

        Raises BadOption if the address cannot be had.
        """
        listener = await _listen(host, port)
        self._app.is_local = ip_address(listener.getsockname()[0]).is_loopback
        config = uvicorn.Config(
            self._app_of_uvicorn(),
            log_config=None,
            access_log=False,
            lifespan="on",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        self._server = _ApiUvicorn(config)
        self._serving = asyncio.create_task(self._server.serve([listener]), name="serve HTTP")
        port = listener.getsockname()[1]
        is_up = asyncio.create_task(self._server.is_up.wait())
        await asyncio.wait([is_up, self._serving], return_when=asyncio.FIRST_COMPLETED)
        if not is_up.done():
            is_up.cancel()
            listener.close()
            await self._serving
        return port

    async def stop(self) -> None:
        """Answer what is being asked, for a few seconds at most, and nothing more. Again is harmless."""
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        await asyncio.shield(self._serving)

    async def wait_until_stopped(self) -> None:
        """Raises whatever has ended it, if it was not asked to."""
        if self._serving is not None:
            await asyncio.shield(self._serving)

    def _app_of_uvicorn(self) -> Any:
        """The same; litestar and uvicorn each have a name of their own for its type."""
        return self._app


class _ApiUvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit as error:  # which would end the process, and with it whatever else it does
            raise RuntimeError("the HTTP server could not begin; its log tells why") from error
        self.is_up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Not here: they belong to the process, which has more to stop than this."""
        yield


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
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise BadOption("port", port, f"one that is free on {host} ({reason.lower()})") from None
    return listener
