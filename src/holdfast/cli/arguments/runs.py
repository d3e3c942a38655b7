"""The run that a user means: by its id, its key, or the beginning of either."""

from __future__ import annotations

from holdfast.client.client import Client
from holdfast.client.run import RunInfo
from holdfast.errors import BadOption, RunNotFound

_SHORTEST = 6
_LOOK_AMONG = 1000
"""A beginning is looked for among this many of the newest runs, so that it costs one query."""


async def find_run(client: Client, text: str) -> RunInfo:
    """Raises RunNotFound, and BadOption if several runs begin with the text."""
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
