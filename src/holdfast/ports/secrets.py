"""The interface between the engine and whoever knows the values of secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class SecretReader(Protocol):
    def read_at_once(self, names: Sequence[str]) -> dict[str, str] | None:
        """The values, if they are in memory; None if somebody has to be asked. Raises as `read` does."""
        ...

    def read(self, names: Sequence[str]) -> dict[str, str]:
        """May take seconds, so it is called on a thread. Raises SecretNotFound, BadSecret,
        SecretUnreadable."""
        ...
