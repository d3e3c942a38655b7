"""Refuses times in queries that are only numbers. Litestar would take them for seconds since 1970."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache
from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from holdfast.server.problems import BadRequest

_BEGIN: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")


async def check_times(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A guard. Raises BadRequest."""
    for name in _times_of(handler):
        for text in connection.query_params.getall(name, []):
            if text and not _BEGIN.match(text):
                raise BadRequest(f"{name}: {text!r} is not a time as in 2026-01-31T12:00:00Z", name)


@cache
def _times_of(handler: BaseRouteHandler) -> list[str]:
    """The parameters of the handler, and of what it depends on, that are times."""
    signatures = [handler.parsed_fn_signature]
    signatures += [each.parsed_fn_signature for each in handler.resolve_dependencies().values()]
    return [
        name
        for signature in signatures
        for name, field in signature.parameters.items()
        if any(each.annotation is dt.datetime for each in (field, *field.inner_types))
    ]
