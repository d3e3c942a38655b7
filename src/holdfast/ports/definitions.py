"""Definitions: the versions of workflows that the store has.

Nodes register the versions that they bring with them. A published version was written by a client. It never
changes, and any node can read it from the store and run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.records import Definition
from holdfast.core.values import Instant


class DefinitionStore(Protocol):
    """The methods that a node needs to run workflows of any version."""

    async def register_definitions(
        self, namespace: str, definitions: Sequence[Definition], now: Instant
    ) -> None:
        """Store these versions. A version that was deleted is there again. Raises VersionConflict if one is
        stored with another hash."""
        ...

    async def find_definitions(self, namespace: str, which: Sequence[tuple[str, str]]) -> list[Definition]:
        """The stored definitions among these names and versions, also of deleted versions: runs of them go
        on. Drafts are left out."""
        ...

    async def find_newest_definition(self, namespace: str, name: str) -> Definition | None:
        """The version of that name that a node or a client has registered last. Versions that were published
        are left out."""
        ...

    async def find_published_definition(
        self, namespace: str, name: str, number: int | None
    ) -> Definition | None:
        """The published version of that number, or for None the one with the highest number."""
        ...
