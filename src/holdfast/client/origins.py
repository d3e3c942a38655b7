"""Where the workflow of a run was found, so that whoever takes the run up again can find it too."""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.client.client import Client
from holdfast.client.run import Run
from holdfast.core.names import checked_name


class Origin(msgspec.Struct, frozen=True):
    """The definition that a run was started with."""

    workflow: str
    version: str
    kind: str
    """`code` or `dag`"""
    place: str
    """A file, or `module:name`; it may be empty, and may be of another machine."""
    definition: Any
    """As the store has it, for `edition` of a workflow that is data."""


async def origin_of(client: Client, run: Run[Any] | str) -> Origin | None:
    """None if the store does not know the version any more."""
    info = await client.describe(run)
    found = await client._store.definitions(client.namespace, [(info.workflow, info.version)])  # pyright: ignore[reportPrivateUsage]
    if not found:
        return None
    definition = found[0]
    return Origin(definition.name, definition.version, definition.kind, definition.origin, definition)


async def start_with(
    client: Client, workflow: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, id: str | None
) -> Run[Any]:
    """`Client.start` for arguments of any name: also those that are called `id` or `version`."""
    startable = await client._startable(workflow, None)  # pyright: ignore[reportPrivateUsage]
    checked = None if id is None else checked_name("id", id)
    [run] = await client._submit(startable, [(startable.pack(args, kwargs), checked)])  # pyright: ignore[reportPrivateUsage]
    return run
