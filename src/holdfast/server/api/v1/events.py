"""What happens to runs, as it is committed."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter

from holdfast.client.client import Client
from holdfast.client.run_filters import RunConditions
from holdfast.client.watching import change_filter
from holdfast.core.values import RunStatus
from holdfast.errors import BadOption
from holdfast.ports.changes import ChangeFilter
from holdfast.server.api.v1.event_headers import LastEvent
from holdfast.server.live.hub import Hub
from holdfast.server.live.packing import accepts_packed
from holdfast.server.live.responses import MEDIA_TYPE, OpenStreams, StreamOperation
from holdfast.server.problems import may_answer


class OffsetAnswer(msgspec.Struct, frozen=True):
    offset: str
    """What is read after this shows everything up to it: take it, read, and ask for the events after it."""


@get(
    "/events",
    name="events.stream",
    media_type=MEDIA_TYPE,
    responses=may_answer(404, 410),
    operation_class=StreamOperation,
)
async def stream_events(
    client: NamedDependency[Client],
    hub: NamedDependency[Hub],
    streams: NamedDependency[OpenStreams],
    request: Request[Any, Any, Any],
    run: Annotated[str | None, QueryParameter(description="Only this run, until it has ended.")] = None,
    workflow: FromQuery[str | None] = None,
    status: Annotated[
        RunStatus | None, QueryParameter(description="Only when a run gets this status.")
    ] = None,
    tag: FromQuery[str | None] = None,
    created_after: FromQuery[dt.datetime | None] = None,
    created_before: FromQuery[dt.datetime | None] = None,
    after: Annotated[str | None, QueryParameter(description="Everything behind this offset.")] = None,
    last_event: LastEvent = None,
) -> Response[str]:
    """What happens to a run, or to all runs that meet the conditions, as it is committed: each change once,
    in order. The id of an event is its offset. Without an offset, what happens from now on."""
    streams.check_room()
    which = change_filter(
        RunConditions(
            workflow=workflow,
            status=status,
            tag=tag,
            created_after=created_after,
            created_before=created_before,
        )
    )
    if run is not None:
        if which != ChangeFilter():
            raise BadOption("run", run, "given without conditions, since it names the run")
        which = ChangeFilter(run=await client.key_of(run))
    feed = await hub.subscribe(which, last_event or after)
    is_packed = accepts_packed(request.headers.get("accept-encoding", ""))
    return streams.respond_chunks(feed.chunks(is_packed=is_packed), is_packed=is_packed)


@get(
    "/pulse",
    name="events.pulse",
    media_type=MEDIA_TYPE,
    responses=may_answer(404),
    operation_class=StreamOperation,
)
async def stream_pulses(
    client: NamedDependency[Client],
    hub: NamedDependency[Hub],
    streams: NamedDependency[OpenStreams],
    request: Request[Any, Any, Any],
    run: Annotated[str | None, QueryParameter(description="Also the changes of this run.")] = None,
    last_event: LastEvent = None,
) -> Response[str]:
    """What has changed, put together four times a second at most, for pages: how many runs were created and
    ended, and which. It says what to read again, and does not end."""
    streams.check_room()
    key = None if run is None else await client.key_of(run)
    is_packed = accepts_packed(request.headers.get("accept-encoding", ""))
    chunks = await hub.pulses(key, last_event, is_packed=is_packed)
    return streams.respond_chunks(chunks, is_packed=is_packed)


@get("/events/offset", name="events.offset", responses=may_answer())
async def read_offset(client: NamedDependency[Client]) -> OffsetAnswer:
    """The offset of now."""
    return OffsetAnswer(await client.watch_offset())


ROUTES = [stream_events, stream_pulses, read_offset]
