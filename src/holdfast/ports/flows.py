"""Flows as clients publish them.

A flow has an id and numbered versions. A published version is never changed, because runs are pinned to it. A
draft may be replaced until it is published. Versions are rows of `workflows`, with the id of the flow as the
name and the number as the version. So any node can load them as workflows.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Protocol

from holdfast.core.records import Definition
from holdfast.core.values import Instant
from holdfast.ports.definitions import DefinitionStore

CURSOR: Final = "$cursor"
"""The state key of a flow's position: `node`, the last `action`, and the number of `steps` so far."""


class FlowRecord(NamedTuple):
    id: str
    """The name, with a number after it if that id was taken. This is also the name of its workflow."""
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
    kind: str = "flow"
    """DAGs are published in the same way, by `hf.workflows`."""
    input_schema: str | None = None


def definition_of(version: FlowVersion) -> Definition:
    """The version as the definition of a workflow."""
    return Definition(
        version.flow,
        str(version.number),
        version.kind,
        version.hash,
        version.source,
        is_published=True,
        input_schema=version.input_schema,
    )


class FlowStore(DefinitionStore, Protocol):
    """The methods that a client needs to publish flows."""

    async def create_flow(self, namespace: str, name: str, description: str, now: Instant) -> FlowRecord:
        """Add a flow. Its id is the name, or the name with -2, -3 … if a flow or a workflow has that name."""
        ...

    async def find_flow(self, namespace: str, id: str) -> FlowRecord | None: ...

    async def list_flows(self, namespace: str, limit: int, offset: int) -> tuple[list[FlowRecord], int]:
        """One page of flows, newest first, and the total number of flows."""
        ...

    async def list_flow_versions(self, namespace: str, flow: str) -> list[FlowVersion]:
        """All versions, drafts included, the highest number first."""
        ...

    async def find_flow_version(self, namespace: str, flow: str, number: int | None) -> FlowVersion | None:
        """The version of that number, or for None the highest published version."""
        ...

    async def write_flow_version(self, namespace: str, version: FlowVersion, replaces: str | None) -> bool:
        """Add a version (`replaces` None), or replace the draft of that number with the hash `replaces`.
        False if the number is taken, or if there is no such draft."""
        ...


class FlowReader(Protocol):
    """Checks and compares the definitions of flows."""

    def check(self, source: str, *, is_json: bool | None) -> str:
        """A hash of the definition's meaning. `is_json` None: the text tells the format. Raises BadFlow."""
        ...

    def compare(self, before: str, after: str) -> list[Any]:
        """Each change with `path`, `kind`, `before` and `after`. Raises BadFlow."""
        ...
