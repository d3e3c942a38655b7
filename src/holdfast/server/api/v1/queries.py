"""Refuses queries that would be taken for something else than was meant.

Litestar ignores names that it does not know: a typing error in a condition would give all runs. And it takes
times that are only numbers for seconds since 1970.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection
from functools import cache
from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition

from holdfast.errors import hint_at
from holdfast.server.problems import BadRequest

_BEGIN: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")


async def check_query(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A guard. Raises BadRequest."""
    if not connection.query_params:
        return
    known = _parameters_of(handler)
    for name, text in connection.query_params.multi_items():
        if name not in known:
            raise BadRequest(_unknown(name, known), name)
        if known[name] and text and not _BEGIN.match(text):
            raise BadRequest(f"{name}: {text!r} is not a time as in 2026-01-31T12:00:00Z", name)


@cache
def _parameters_of(handler: BaseRouteHandler) -> dict[str, bool]:
    """The query parameters of the handler and of what it depends on, and whether each is a time."""
    signatures = [handler.parsed_fn_signature]
    signatures += [each.parsed_fn_signature for each in handler.resolve_dependencies().values()]
    return {
        name: _is_time(field)
        for signature in signatures
        for name, field in signature.parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    }


def _is_time(field: FieldDefinition) -> bool:
    return any(each.annotation is dt.datetime for each in (field, *field.inner_types))


def _unknown(name: str, known: Collection[str]) -> str:
    if not known:
        return f"this route has no query, and was given {name!r}"
    return f"this route has no query parameter {name!r}; {hint_at(name, known)}"
