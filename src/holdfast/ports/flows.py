"""What is remembered of flows that were published: a flow has a name and numbered versions of its definition.

A published version is never changed: runs are pinned to it. A draft may be replaced until it is published.
Versions are rows of `workflows`, with the id of the flow as the name and the number as the version, so that
any node can learn them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from holdfast.core.records import Definition, RunRecord
from holdfast.core.values import Instant, Payload, RunKey, RunStatus

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


class RunPage(NamedTuple):
    """Which runs to list, newest first. What is None does not matter."""

    statuses: Sequence[RunStatus] | None = None
    workflow: str | None = None
    version: str | None = None
    is_queued: bool | None = None
    """A task of it waits for a worker to take it, or is with one."""
    is_cancelling: bool | None = None
    """It was asked to end and has not heard of it yet."""
    limit: int = 10
    offset: int = 0


class RunOverview(NamedTuple):
    """A run with what a list shows of it besides its row."""

    run: RunRecord
    state: dict[str, Payload]
    is_queued: bool
    is_cancelling: bool


class FlowStore(Protocol):
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

    async def find_version(self, namespace: str, flow: str, number: int | None) -> FlowVersion | None:
        """That one, or the highest that is published."""
        ...

    async def write_version(self, namespace: str, version: FlowVersion, replaces: str | None) -> bool:
        """Add a version (None), or put it in the place of the draft that has the hash `replaces`. False if
        there is one of that number already, or no such draft any more."""
        ...

    async def list_run_overviews(self, namespace: str, page: RunPage) -> list[RunOverview]: ...

    async def count_runs(self, namespace: str, page: RunPage, most: int) -> int:
        """How many there are in all, whatever limit and offset say; `most` if there are more."""
        ...

    async def find_run_overview(self, namespace: str, run: RunKey) -> RunOverview | None: ...
