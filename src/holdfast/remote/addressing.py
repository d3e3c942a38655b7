"""How runs, conditions and times are written in requests, and which calls are refused."""

from __future__ import annotations

import datetime as dt
from typing import Any, Generic, TypeVar

import msgspec

from holdfast.client.run import Run
from holdfast.client.run_filters import RunConditions, run_filter, workflow_name
from holdfast.core.run_options import NewDeadline
from holdfast.core.values import key_text
from holdfast.errors import NotOverHttp
from holdfast.remote.connection import Connection, Query, path_of

T = TypeVar("T")

PAGE = 1_000
"""The largest page that the server gives."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    items: list[T]
    next: str | None = None


def name_of(run: Run[Any] | str) -> str:
    """A handle is named by its key: another run may have taken its id."""
    return run if isinstance(run, str) else key_text(run.key)


def run_path(run: Run[Any] | str, *parts: str | int) -> str:
    return path_of("runs", name_of(run), *parts)


def time_text(at: dt.datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def seconds_of(span: dt.timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def deadline_of(deadline: dt.timedelta | dt.datetime | None) -> float | str | None:
    return deadline.isoformat() if isinstance(deadline, dt.datetime) else seconds_of(deadline)


def retry_body(deadline: NewDeadline) -> dict[str, Any]:
    return {} if isinstance(deadline, str) else {"deadline": deadline_of(deadline)}


def conditions_query(conditions: RunConditions) -> dict[str, Any]:
    """Raises BadOption."""
    which = run_filter(conditions, None, 1)
    query: dict[str, Any] = {}
    for name, value in conditions.items():
        if isinstance(value, dt.datetime):
            query[name] = time_text(value)
        elif name == "workflow":
            query[name] = workflow_name(conditions.get("workflow"))
        elif name == "parent":
            parent = conditions.get("parent")
            query[name] = None if parent is None else name_of(parent)
        elif name not in ("status", "tag"):
            query[name] = value
    query["status"], query["tag"] = [*(which.statuses or ())], [*which.tags]
    return query


async def all_pages(
    connection: Connection, path: str, kind: type[T], query: Query | None = None, limit: int | None = None
) -> list[T]:
    """The items of all pages, `limit` of them at most."""
    found: list[T] = []
    after: str | None = None
    while limit is None or len(found) < limit:
        size = PAGE if limit is None else min(PAGE, limit - len(found))
        asked = {**(query or {}), "limit": size}
        if after is not None:
            asked["after"] = after
        page = await connection.ask("GET", path, Page[kind], query=asked)
        found += page.items
        after = page.next
        if after is None:
            break
    return found


def refused(call: str, advice: str) -> Any:
    """A method that raises NotOverHttp."""

    async def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotOverHttp(call, advice)

    refuse.is_refused = True  # pyright: ignore[reportFunctionMemberAccess]
    return refuse


def refused_now(call: str, advice: str) -> Any:
    """A method that is no coroutine, and raises NotOverHttp."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotOverHttp(call, advice)

    refuse.is_refused = True  # pyright: ignore[reportFunctionMemberAccess]
    return refuse
