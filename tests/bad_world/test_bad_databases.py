"""Databases that cannot be used: each is refused at once, with where it is and what is wrong with it."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.chaos.node import catalog

from holdfast import Holdfast
from holdfast.errors import BadUrl, SchemaTooNew, StoreUnavailable

_NOBODY = 65534


def holdfast(url: str | Path) -> Holdfast:
    # Patient on purpose: a mistake that waiting does not mend must not be waited for.
    return Holdfast(str(url), catalog=catalog, open_seconds=1000)


async def test_a_schema_of_a_newer_holdfast_is_refused(store_url: str) -> None:
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

    assert refusal.value.found == 999 > refusal.value.known
    assert f"has schema 999, made by a newer holdfast; this one knows up to {refusal.value.known}" in str(
        refusal.value
    )
    assert "upgrade holdfast" in str(refusal.value)


async def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        await holdfast(f"sqlite:///{tmp_path}").open()

    assert str(refusal.value) == f"SQLite file {tmp_path} cannot be used: it is a folder; name a file in it"


@pytest.mark.parametrize("table", ["users (name)", "schema_migrations (version)"])
async def test_a_database_of_another_program_is_named_and_left_alone(tmp_path: Path, table: str) -> None:
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as shop:
        shop.execute(f"CREATE TABLE {table}")
    before = file.read_bytes()

    with pytest.raises(StoreUnavailable) as refusal:
        await holdfast(f"sqlite:///{file}").open()

    name = table.split(maxsplit=1)[0]
    assert str(refusal.value) == (
        f"SQLite file {file} cannot be used: it belongs to another program, with the tables {name}; "
        "name another file"
    )
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["shop.db"]


async def test_a_file_that_is_not_a_database_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Sir or Madam, " * 500)

    with pytest.raises(StoreUnavailable) as refusal:
        await holdfast(f"sqlite:///{file}").open()

    assert str(refusal.value) == f"SQLite file {file} cannot be used: file is not a database"
    assert file.read_text() == "Dear Sir or Madam, " * 500


async def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=f"there is no folder {tmp_path}/missing"):
        await holdfast(f"sqlite:///{tmp_path}/missing/holdfast.db").open()


@pytest.fixture
def guarded_folder() -> Iterator[Path]:
    """A folder whose rights count for this process, which may be root's: then it is nobody's for a while."""
    with tempfile.TemporaryDirectory(prefix="guarded_") as name:
        if os.geteuid() != 0:
            yield Path(name)
            return
        os.chown(name, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


async def test_a_file_that_may_only_be_read_is_named(guarded_folder: Path) -> None:
    file = guarded_folder / "holdfast.db"
    async with holdfast(f"sqlite:///{file}"):
        pass
    file.chmod(0o444)

    with pytest.raises(StoreUnavailable) as refusal:
        await holdfast(f"sqlite:///{file}").open()

    assert str(refusal.value) == f"SQLite file {file} cannot be used: attempt to write a readonly database"


async def test_a_folder_that_may_not_be_written_is_named(guarded_folder: Path) -> None:
    guarded_folder.chmod(0o555)

    with pytest.raises(StoreUnavailable) as refusal:
        await holdfast(f"sqlite:///{guarded_folder}/holdfast.db").open()

    guarded_folder.chmod(0o755)
    assert f"SQLite file {guarded_folder}/holdfast.db cannot be used" in str(refusal.value)


@pytest.mark.parametrize("url", ["mysql://user@host/shop", "shop.db", "sqlite://shop.db", ""])
def test_a_url_of_nothing_known_is_refused_before_anything_is_touched(url: str) -> None:
    with pytest.raises(BadUrl, match="expected sqlite:///"):
        holdfast(url)
