"""Whether all is well, and what needs a person."""

from __future__ import annotations

from litestar import get
from litestar.di import NamedDependency

from holdfast.client.client import Client
from holdfast.core.attention import Attention
from holdfast.server.problems import may_answer


@get("/attention", name="attention.get", responses=may_answer())
async def read_attention(client: NamedDependency[Client]) -> Attention:
    """Whether all is well, and what needs a person, grouped by cause, in sentences. It is at most a second
    old."""
    return await client.attention()


ROUTES = [read_attention]
