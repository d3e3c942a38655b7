"""The run that a user means, by its id, its key, or the beginning of either; and the DAG that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.client.client import Client
from holdfast.client.run import RunInfo
from holdfast.core.records import Definition
from holdfast.errors import BadOption, Refused, RunNotFound

if TYPE_CHECKING:
    from holdfast.authoring.dag.model import Dag

_SHORTEST = 6
_LOOK_AMONG = 1000
"""The newest so many, so that a beginning costs one query."""


async def find_run(client: Client, text: str) -> RunInfo:
    """Raises RunNotFound, and BadOption if the text begins several."""
    try:
        return await client.describe(text)
    except RunNotFound:
        if len(text) < _SHORTEST:
            raise
    found = [
        info
        for info in await client.list(limit=_LOOK_AMONG)
        if info.id.startswith(text) or info.key.startswith(text)
    ]
    if not found:
        raise RunNotFound(text, client.namespace)
    if len(found) > 1:
        some = ", ".join(info.id for info in found[:3]) + (" …" if len(found) > 3 else "")
        raise BadOption("RUN", text, f"the beginning of one run; {len(found)} begin with it: {some}")
    return found[0]


def dag_of(definition: Definition | None) -> Dag | None:
    """As the file was when the run was started."""
    if definition is None or definition.kind != "dag":
        return None
    from holdfast.authoring.dag.loader import load_text

    try:
        return load_text(definition.source, file=definition.origin)
    except Refused:
        return None  # written by a version that understands more: then its tasks are shown without it
