"""A node with a server, asked over real HTTP: `api` on each of the databases, `small_api` on one of them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import httpx
import pytest
from tests.server.v1.asking import Asker, new_catalog

from holdfast import Holdfast


@contextlib.asynccontextmanager
async def serving(url: str, **settings: Any) -> AsyncGenerator[Asker]:
    settings = {"drain_seconds": 0.2, **settings}  # for tasks that take long
    async with Holdfast(url, catalog=new_catalog(), **settings) as hf:
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        base = f"http://127.0.0.1:{port}/api/v1"
        try:
            async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as http:
                yield Asker(hf, http, server)
        finally:
            await server.stop()


@pytest.fixture
async def api(store_url: str) -> AsyncIterator[Asker]:
    async with serving(store_url) as api:
        yield api


@pytest.fixture
async def small_api(sqlite_url: str) -> AsyncIterator[Asker]:
    """100,000 bytes are its largest payload."""
    async with serving(sqlite_url, max_payload_bytes=100_000) as api:
        yield api
