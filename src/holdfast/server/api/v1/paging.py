"""Pages: `{"items": […], "next": "…"}`. The next page is asked for with `after`."""

from __future__ import annotations

from typing import Annotated, Generic, TypeAlias, TypeVar

import msgspec
from litestar.params import QueryParameter

T = TypeVar("T")

MOST_ITEMS = 1_000

Limit: TypeAlias = Annotated[
    int, QueryParameter(ge=1, le=MOST_ITEMS, description="How many items a page has at most.")
]


class Page(msgspec.Struct, Generic[T], frozen=True):
    items: list[T]
    next: str | None = None
    """Pass it as `after` for the next page. None: this is the last one."""
