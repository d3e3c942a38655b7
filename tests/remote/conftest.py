"""A node with a server, and a `Holdfast` that talks to it over real HTTP."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, NamedTuple

import pytest
from tests.server.v1.asking import new_catalog

from holdfast import Catalog, Holdfast
from holdfast.server.serving import ApiServer


class Pair(NamedTuple):
    local: Holdfast
    remote: Holdfast
    server: ApiServer
    url: str
    catalog: Catalog


@contextlib.asynccontextmanager
async def serving(url: str, **settings: Any) -> AsyncGenerator[Pair]:
    catalog = new_catalog()
    async with Holdfast(url, catalog=catalog, drain_seconds=0.2) as local:
        server = local.api_server()
        port = await server.start("127.0.0.1", 0)
        address = f"http://127.0.0.1:{port}"
        try:
            async with Holdfast(address, catalog=catalog, **settings) as remote:
                yield Pair(local, remote, server, address, catalog)
        finally:
            await server.stop()


@pytest.fixture
async def pair(sqlite_url: str) -> AsyncIterator[Pair]:
    async with serving(sqlite_url) as pair:
        yield pair
