"""Runs as lines, from the server and back."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Final

import httpx
import msgspec

from holdfast.client.archives import ArchiveSource, ImportOptions, ImportReport, opened
from holdfast.errors import BadFile
from holdfast.remote.connection import Connection, Query, no_answer
from holdfast.remote.problems import error_of

_PATH: Final = "/archive"
_AGAIN: Final = frozenset({429, 502, 503, 504})
_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of the body of a request."""
_IMPORT_SECONDS: Final = 600.0
_TOO_LARGE: Final = (
    "it has more than 64 MB, which is too much for a request; import it where the database is: "
    "holdfast runs import FILE --db URL"
)


async def export_lines(connection: Connection, query: Query) -> AsyncGenerator[str]:
    """Raises ServerUnavailable, also if the answer is cut short: then some lines have come."""
    waiting = connection.patience()
    while True:
        request = connection.request("GET", _PATH, query=query)
        try:
            response = await connection.http.send(request, stream=True)
        except httpx.TransportError as error:
            await waiting.pause(no_answer(connection.url, error))
            continue
        try:
            if response.status_code == 200:
                async with contextlib.aclosing(_lines(connection, response)) as lines:
                    async for line in lines:
                        yield line
                return
            problem = error_of(connection.url, response.status_code, await response.aread())
        finally:
            await response.aclose()
        if response.status_code not in _AGAIN:
            raise problem
        await waiting.pause(problem, response.headers.get("retry-after"))


async def _lines(connection: Connection, response: httpx.Response) -> AsyncGenerator[str]:
    """Only LF ends a line: JSON may have all others in strings."""
    begun: list[bytes] = []
    try:
        async for data in response.aiter_bytes():
            *whole, rest = data.split(b"\n")
            for line in whole:
                yield b"".join([*begun, line, b"\n"]).decode()
                begun.clear()
            begun.append(rest)
    except httpx.TransportError as error:
        raise no_answer(connection.url, error) from error


async def import_lines(connection: Connection, source: ArchiveSource, options: ImportOptions) -> ImportReport:
    """Raises what the local call raises."""
    progress = options.pop("progress", None)
    async with opened(source) as file:
        lines = file.read(_MOST_BYTES + 1)
    body = {"archive": lines.decode(errors="replace"), **options}
    if len(lines) > _MOST_BYTES or len(msgspec.json.encode(body)) > _MOST_BYTES:
        raise BadFile("source", str(source)[:100], _TOO_LARGE)
    report = await connection.ask("POST", _PATH, ImportReport, body=body, wait=_IMPORT_SECONDS)
    if progress is not None:
        progress(report)
    return report
