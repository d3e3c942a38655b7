"""Definitions: versions of workflows that nodes have brought, and of flows that were published.

A flow has an id and numbered versions. A published version is never changed, because runs are pinned to it. A
draft may be replaced until it is published. Versions are rows of `workflows`, with the id of the flow as the
name and the number as the version, so that any node can learn them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from holdfast.core.records import Definition
from holdfast.core.values import Instant

CURSOR: Final = "$cursor"
"""The key of the state that says where a flow is: `node`, the last `action`, and how many `steps` it took."""


class FlowRecord(NamedTuple):
    id: str
    """The name, with a number after it if another flow has that id already. The name of its workflow."""
    name: str
    description: str
    created_at: Instant


DRAFT = "draft"
PUBLISHED = "published"


class FlowVersion(NamedTuple):
    flow: str
    number: int
    status: str
    hash: str
    source: str
    """The definition as it was given, JSON or YAML."""
    created_at: Instant


def definition_of(version: FlowVersion) -> Definition:
    """As the workflow that it is."""
    return Definition(
        version.flow, str(version.number), "flow", version.hash, version.source, is_published=True
    )


class DefinitionStore(Protocol):
    """What a node needs to run workflows of any version."""

    async def register(self, namespace: str, definitions: Sequence[Definition], now: Instant) -> None:
        """Remember these versions. Raises VersionConflict if one is known with another hash."""
        ...

    async def definitions(self, namespace: str, which: Sequence[tuple[str, str]]) -> list[Definition]:
        """Those of these names and versions that are known."""
        ...

    async def find_version(self, namespace: str, flow: str, number: int | None) -> FlowVersion | None:
        """That one, or the highest that is published."""
        ...


class FlowStore(DefinitionStore, Protocol):
    """What a client needs to publish flows."""

    async def create_flow(self, namespace: str, name: str, description: str, now: Instant) -> FlowRecord:
        """Its id is the name, or the name with -2, -3 … if a flow or another workflow is called that."""
        ...

    async def find_flow(self, namespace: str, id: str) -> FlowRecord | None: ...

    async def list_flows(self, namespace: str, limit: int, offset: int) -> tuple[list[FlowRecord], int]:
        """Newest first, and how many there are in all."""
        ...

    async def flow_versions(self, namespace: str, flow: str) -> list[FlowVersion]:
        """The highest number first."""
        ...

    async def write_version(self, namespace: str, version: FlowVersion, replaces: str | None) -> bool:
        """Add a version (None), or put it in the place of the draft that has the hash `replaces`. False if
        there is one of that number already, or no such draft any more."""
        ...
