"""All workflows that the store knows: what nodes and clients brought, and what was published."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from holdfast.core.records import Definition
from holdfast.core.values import Instant
from holdfast.ports.flows import FlowStore, FlowVersion

DELETED: Final = "deleted"
"""The status of a version that nobody can start any more. Its row stays, since runs of it may be read, go on
and be retried, and since its number must never mean another definition."""


class WorkflowSummary(NamedTuple):
    name: str
    kind: str
    version: str
    """The newest: the published version with the highest number, or else the one that was registered last."""
    is_published: bool
    versions: int
    seen_at: Instant
    """When a version was registered or published last, to the minute."""


class WorkflowVersionRow(NamedTuple):
    version: str
    kind: str
    status: str
    """`published` also for versions that nodes brought; `draft`; `deleted`."""
    hash: str
    origin: str
    number: int | None
    """None for a version that a node or a client has brought."""
    created_at: Instant
    seen_at: Instant


class StoredVersion(NamedTuple):
    definition: Definition
    created_at: Instant
    seen_at: Instant


class WorkflowStore(FlowStore, Protocol):
    """The methods that a client needs to manage workflows of all kinds."""

    async def list_workflows(
        self, namespace: str, kind: str | None, after: str, limit: int
    ) -> list[WorkflowSummary]:
        """In the order of their names, as bytes, those after `after`. Drafts and deleted versions do not
        count."""
        ...

    async def list_workflow_versions(self, namespace: str, name: str, limit: int) -> list[WorkflowVersionRow]:
        """All versions, drafts and deleted ones included, the newest first."""
        ...

    async def find_version(self, namespace: str, name: str, version: str | None) -> StoredVersion | None:
        """That version, or for None the newest. Drafts and deleted versions are not found."""
        ...

    async def publish_version(self, namespace: str, version: FlowVersion, description: str) -> bool:
        """Add a published version, and its flow if it is a version of one and the flow is not there. False,
        with nothing changed, if the number is taken."""
        ...

    async def delete_workflow(self, namespace: str, name: str) -> int:
        """Mark all versions as deleted, and delete the flow of that id. How many versions were marked."""
        ...
