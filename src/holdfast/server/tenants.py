"""What the server has for each namespace: a client, and what runs beside it. Nothing of it is shared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias

from holdfast.client.client import Client
from holdfast.core.names import checked_name
from holdfast.errors import BadOption
from holdfast.server.live.hub import Hub
from holdfast.server.live.responses import OpenStreams
from holdfast.server.worker_expiry import WorkerExpiry

_MOST: Final = 1_000

Close: TypeAlias = Callable[[], Awaitable[None]]
NewClient: TypeAlias = Callable[[str], tuple[Client, Close]]
"""Makes a client of a namespace over the same store, and says how to close it."""


class Tenant(NamedTuple):
    client: Client
    worker_expiry: WorkerExpiry
    hub: Hub
    close_client: Close | None
    """None: the client belongs to somebody else."""

    async def close(self) -> None:
        await self.worker_expiry.stop()
        await self.hub.close()
        if self.close_client is not None:
            await self.close_client()


class Tenants:
    """Belongs to one event loop."""

    def __init__(self, own: Client, new_client: NewClient, worker_refresh_seconds: float) -> None:
        self._new_client = new_client
        self._refresh_seconds = worker_refresh_seconds
        self.streams = OpenStreams()
        self.own = self._make(own, None)
        self.own.worker_expiry.start()
        self._all = {own.namespace: self.own}

    def of(self, namespace: str) -> Tenant:
        """Raises BadOption."""
        found = self._all.get(namespace)
        if found is None:
            checked_name("namespace", namespace)
            if len(self._all) >= _MOST:
                raise BadOption("namespace", namespace, f"one of the {_MOST:,} that this server has in use")
            found = self._all[namespace] = self._make(*self._new_client(namespace))
        return found

    async def close(self) -> None:
        for tenant in self._all.values():
            await tenant.close()

    def _make(self, client: Client, close_client: Close | None) -> Tenant:
        worker_expiry = WorkerExpiry(client.workers, self._refresh_seconds)
        return Tenant(client, worker_expiry, Hub(client), close_client)
