"""Every promise of the store is tested on every kind of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from holdfast.stores import SqlStore, store_for

KINDS = {
    "sqlite": ("sqlite_url", True),
    "sqlite-inline": ("sqlite_url", False),
    "postgres": ("postgres_url", True),
}


@pytest.fixture(params=list(KINDS))
async def store(request: pytest.FixtureRequest) -> AsyncIterator[SqlStore]:
    url, threads = KINDS[request.param]
    store = store_for(request.getfixturevalue(url), threads=threads)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def pair(store_url: str) -> AsyncIterator[tuple[SqlStore, SqlStore]]:
    """Two stores on one database, as two processes have them."""
    first, second = store_for(store_url), store_for(store_url)
    await first.open()
    await second.open()
    yield first, second
    await first.close()
    await second.close()
