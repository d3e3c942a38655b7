"""The ends of runs, many in one request: for clients that wait for results."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec
from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from holdfast.client.client import Client
from holdfast.client.waiters import Ending
from holdfast.core.records import RunRecord
from holdfast.core.values import NULL, Failure, RunKey, key_from_text, key_text
from holdfast.errors import NodeStopped, NotOpen, RunNotFound, StoreError
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.run_parts import stored_json
from holdfast.server.api.v1.runs import LONGEST_WAIT
from holdfast.server.live.responses import OpenStreams
from holdfast.server.problems import BadRequest, may_answer

MOST_RUNS: Final = 1_000
_GATHER_SECONDS: Final = 0.02
"""If a client waits for many runs, those that end together are answered together."""
_MOST_BYTES: Final = 8 * 1024 * 1024


class WaitedRuns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    runs: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MOST_RUNS)]
    """Their keys."""
    wait: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_WAIT)] = 30.0
    """For how many seconds to wait for the first of them, at most."""


class RunEnd(msgspec.Struct, frozen=True):
    key: str
    status: str
    """`success`, `failed`, `cancelled`, or `missing`: there is no such run."""
    output: Any = None
    failure: Failure | None = None


@post(
    "/run-ends",
    name="runs.ends",
    dto=Body[WaitedRuns],
    return_dto=None,
    status_code=200,
    responses=may_answer(),
)
async def wait_for_ends(
    data: JSONBody[WaitedRuns], client: NamedDependency[Client], streams: NamedDependency[OpenStreams]
) -> list[RunEnd]:
    """Wait until one of these runs has ended, and answer with all of them that have. Empty: none, so far."""
    keys = {_key(text): None for text in data.runs}
    waiters = client.waiters
    endings = {key: waiters.wait(key, None, lambda _: None) for key in keys}
    try:
        await _wait_for_first(endings.values(), data.wait, streams)
        if len(keys) > 1:
            await asyncio.sleep(_GATHER_SECONDS)
        over = {key: ending.exception() for key, ending in endings.items() if ending.done()}
    finally:
        _leave(endings.values())
    for error in over.values():
        if isinstance(error, (NodeStopped, NotOpen, StoreError)):
            raise error
    missing = [key for key, error in over.items() if isinstance(error, RunNotFound)]
    found = await waiters.ended([*over]) if over else []
    return [*(RunEnd(key_text(key), "missing") for key in missing), *_bounded(found)]


ROUTES = [wait_for_ends]


def _key(text: str) -> RunKey:
    key = key_from_text(text)
    if key is None:
        raise BadRequest(f"runs: {text!r} is not the key of a run", "runs")
    return key


async def _wait_for_first(endings: Iterable[Ending], seconds: float, streams: OpenStreams) -> None:
    """Returns when the server stops, too. Not asyncio.wait: it takes these futures for coroutines."""
    first = asyncio.Event()
    for ending in endings:
        ending.add_done_callback(lambda _: first.set())
    with contextlib.suppress(TimeoutError), streams.waking(first):
        await asyncio.wait_for(first.wait(), seconds)


def _leave(endings: Iterable[Ending]) -> None:
    for ending in endings:
        if not ending.done():
            ending.cancel()


def _bounded(found: Sequence[RunRecord]) -> Iterator[RunEnd]:
    """What is left out is asked for again."""
    size = 0
    for run in found:
        if size > _MOST_BYTES:
            return
        output = run.output or NULL
        size += len(output)
        yield RunEnd(key_text(run.key), run.status, stored_json(output), run.failure)
