"""Connects to addresses that were checked, and to no other.

The name is resolved once, here, when a connection is made. If the transport resolved it again, a name server
could answer first with an allowed address and then with another. TLS still checks the name.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any, Final, cast

import httpcore
import httpx

from holdfast.core.codec import words_of
from holdfast.executors.http.outbound_gate import OutboundGate

_CONNECT_SECONDS: Final = 5.0
"""For each address of a name that has several."""


class PinnedTransport(httpx.AsyncHTTPTransport):
    """Follows no redirects, keeps no cookies and looks for no proxies. Has one connection."""

    def __init__(self, gate: OutboundGate, verify: ssl.SSLContext, keep_idle: float) -> None:
        # Not the constructor of the base class: it has no parameter for the backend.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=verify,
            max_connections=1,
            keepalive_expiry=keep_idle,
            network_backend=_CheckedBackend(gate),
        )


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    def __init__(self, gate: OutboundGate) -> None:
        self._gate = gate
        self._network = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._gate.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(words_of(error)) from error
        for address in addresses[:-1]:
            try:
                return await self._network.connect_tcp(
                    str(address), port, _CONNECT_SECONDS, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                pass  # the next address may answer
        return await self._network.connect_tcp(
            str(addresses[-1]), port, timeout, local_address, socket_options
        )

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("only addresses of the network are connected to")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)
