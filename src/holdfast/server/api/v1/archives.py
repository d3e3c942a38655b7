"""Runs as lines that another server or database can import."""

from __future__ import annotations

import contextlib
import io
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Annotated, Final, cast

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter

from holdfast.client.archives import ImportReport
from holdfast.client.client import Client
from holdfast.client.run_filters import RunConditions
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.run_conditions import CONDITIONS, Conditions
from holdfast.server.live.responses import LINES, OpenStreams
from holdfast.server.problems import may_answer

_WRITTEN_AT_ONCE: Final = 64 * 1024
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a body with an archive. Other bodies are smaller."""


class Archive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    archive: str
    """The lines that were exported, all of them."""
    live: bool = False
    """Import runs that have not ended, too. They go on here."""
    skip_existing: bool = False
    """Leave out runs whose key or id is taken here."""
    dry_run: bool = False
    """Only check."""


@get("/archive", name="archive.export", media_type=LINES, dependencies=CONDITIONS, responses=may_answer(404))
async def export_runs(
    client: NamedDependency[Client],
    streams: NamedDependency[OpenStreams],
    conditions: Conditions,
    id: Annotated[
        Sequence[str], QueryParameter(description="These runs, and no conditions.", max_items=1_000)
    ] = (),
    children: FromQuery[bool] = True,
    ended: Annotated[
        bool, QueryParameter(description="Only runs that have ended, with all of their children.")
    ] = False,
) -> Response[str]:
    """Runs with everything that is stored about them, as lines of JSON. The last line says how many there
    are, so an answer that was cut short is noticed where it is imported."""
    streams.check_room()
    given = cast("RunConditions", {name: value for name, value in conditions.items() if value is not None})
    lines = client.export_runs(*id, children=children, ended=ended, **given)
    # What is wrong with the question is answered before the first line.
    return streams.respond_lines(_chunks(await anext(lines), lines))


async def _chunks(first: str, lines: AsyncIterator[str]) -> AsyncGenerator[bytes]:
    some, size = [first], len(first)
    async with contextlib.aclosing(cast("AsyncGenerator[str]", lines)):
        async for line in lines:
            some.append(line)
            size += len(line)
            if size >= _WRITTEN_AT_ONCE:
                yield "".join(some).encode()
                some, size = [], 0
    yield "".join(some).encode()


@post(
    "/archive",
    name="archive.import",
    status_code=200,
    dto=Body[Archive],
    return_dto=None,
    request_max_body_size=MOST_BYTES,
    responses=may_answer(409, 413),
)
async def import_runs(
    data: JSONBody[Archive], client: NamedDependency[Client], record: NamedDependency[Record]
) -> ImportReport:
    """Import runs that were exported here or elsewhere, all or none. An archive of more than 64 MB, as
    JSON, is imported where the database is: `holdfast runs import FILE --db URL`."""
    report = await client.import_runs(
        io.BytesIO(data.archive.encode()),
        live=data.live,
        skip_existing=data.skip_existing,
        dry_run=data.dry_run,
    )
    record.after = {"runs": report.runs, "live": report.live, "dry_run": data.dry_run}
    return report


ROUTES = [export_runs, import_runs]
