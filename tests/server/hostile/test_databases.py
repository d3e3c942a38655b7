"""What callers are told of the database: what it has for them, and neither where it is nor what it says."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.v1.conftest import serving
from tests.server.v1.test_access import keyed_server

from holdfast.errors import CommitRefused, StoreFull, StoreUnavailable

STORE = "Postgres database shop at db.internal"
REASON = 'connection to server at "10.1.2.3" failed: no password for user "holdfast"'


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreUnavailable(STORE, REASON), 503),
        (StoreFull(STORE, REASON), 503),
        (CommitRefused(STORE, "the value is too long"), 400),
    ],
    ids=["unavailable", "full", "refused"],
)
async def test_nobody_is_told_where_the_database_is(sqlite_url: str, error: Exception, status: int):
    async with keyed_server(sqlite_url) as server, server.as_("viewer") as asker:
        store: Any = server.hf._parts.store

        async def fail(*_: Any, **__: Any) -> Any:
            raise error

        store.find_key = fail
        asker.http.base_url = server.base
        wrong = f"hf_{'1' * 16}_{'2' * 64}"
        by_key = {"Authorization": f"Bearer {wrong}"}
        for answer in (
            await asker.http.post("/api/v1/session", json={"key": wrong}, headers={"Authorization": ""}),
            await asker.http.get("/api/v1/runs", headers=by_key),
            await asker.http.get("/api/flows", headers=by_key),
        ):
            assert answer.status_code == status, answer.text
            assert not any(part in answer.text for part in ("shop", "internal", "10.1.2.3", "user")), answer
            assert "the database" in answer.text


@pytest.mark.parametrize(
    ("path", "field"), [("/runs/a/logs?task=%00", "task"), ("/questions?by=a%00b", "by")]
)
async def test_text_that_postgres_cannot_carry_is_refused_by_name(store_url: str, path: str, field: str):
    async with serving(store_url) as api:
        await api.start("doubled", [1], id="a")

        assert (await api.get(path, code=400))["field"] == field
