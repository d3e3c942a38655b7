"""Parameters and responses that routes of several nouns share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from litestar.params import QueryParameter

PageNumber: TypeAlias = Annotated[int, QueryParameter(ge=1, le=1_000_000, description="From 1.")]
PageSize: TypeAlias = Annotated[int, QueryParameter(ge=1, le=1000)]


class Made(msgspec.Struct, frozen=True):
    id: str


class Acknowledged(msgspec.Struct, frozen=True):
    ok: str = "1"
