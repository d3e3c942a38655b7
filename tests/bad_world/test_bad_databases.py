"""Databases that cannot be used: each is refused with what it is, where it is, and what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.chaos.node import catalog

from holdfast import Holdfast
from holdfast.errors import BadUrl, SchemaTooNew, StoreUnavailable


def holdfast(url: str) -> Holdfast:
    return Holdfast(url, catalog=catalog, open_seconds=0)


async def test_a_schema_of_a_newer_holdfast_is_refused_and_left_as_it_is(store_url: str) -> None:
    async with holdfast(store_url):
        pass
    newer = "INSERT INTO {}schema_migrations (number, name) VALUES (999, 'from_the_future')"
    if store_url.startswith("sqlite:"):
        with closing(sqlite3.connect(store_url.removeprefix("sqlite:///"))) as file, file:
            file.execute(newer.format(""))
    else:
        with psycopg.connect(store_url) as connection:
            connection.execute(newer.format("holdfast.").encode())

    with pytest.raises(SchemaTooNew) as refusal:
        await holdfast(store_url).open()

    assert (refusal.value.found, refusal.value.known) == (999, 1)
    assert "has schema 999, made by a newer holdfast" in str(refusal.value)
    assert "upgrade holdfast" in str(refusal.value)


async def test_a_file_that_may_not_be_written_is_named(tmp_path: Path, as_nobody: None) -> None:
    file = tmp_path / "holdfast.db"
    async with holdfast(f"sqlite:///{file}"):
        pass
    file.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(StoreUnavailable, match="readonly|read-only|unable to open") as refusal:
            await holdfast(f"sqlite:///{file}").open()
    finally:
        tmp_path.chmod(0o755)

    assert str(file) in str(refusal.value)
