"""The interface to whoever knows where this process may connect on behalf of users."""

from __future__ import annotations

from typing import Protocol


class AddressGate(Protocol):
    async def check(self, option: str, url: str) -> None:
        """Resolve the host of the URL. If it cannot be resolved now, nothing is said: whoever connects later
        asks again. Raises BadOption, and AddressRefused."""
        ...
