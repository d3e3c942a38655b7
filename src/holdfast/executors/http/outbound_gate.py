"""Resolves names, and lets through only addresses that users may have this process connect to.

The rules are in `core/outbound.py`. `pinned_transport.py` connects to what was let through.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Final

from holdfast.core.outbound import Address, Outbound, check_addresses, host_of

_CHECK_SECONDS: Final = 3.0
"""How long a check waits for the name server."""


class OutboundGate:
    def __init__(self, outbound: Outbound) -> None:
        self._outbound = outbound
        self.loopback_conditions: list[Callable[[], bool]] = []
        """This machine may be connected to, though it is not listed, while all of them hold: while everybody
        who can name an address can do whatever this process can."""

    async def resolve(self, host: str, port: int) -> list[Address]:
        """At least one address. Raises AddressRefused, and OSError if the name cannot be resolved."""
        addresses = await self._look_up(host, port)
        loopback = all(holds() for holds in self.loopback_conditions)
        return check_addresses(self._outbound, host, addresses, loopback=loopback)

    async def check(self, option: str, url: str) -> None:
        host = host_of(option, url)
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                await self.resolve(host, 80)
        except (OSError, UnicodeError):  # also TimeoutError
            pass

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
