"""The schema: brought up to date once, by whoever comes first, and never taken back."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from tests.stores.builders import SPACE, new_run

from holdfast.errors import SchemaTooNew
from holdfast.ports.runs import RunFilter
from holdfast.stores import store_for
from holdfast.stores.database import Transaction
from holdfast.stores.named_queries import load_migrations, load_queries, split_queries

OPEN_AND_CREATE = """
import asyncio, sys
from holdfast.stores import store_for
from tests.stores.builders import SPACE, new_run

async def main(url, number):
    store = store_for(url)
    await store.open()
    for offset in range(20):
        await store.create_runs(SPACE, [new_run(number * 100 + offset)])
    await store.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


@pytest.fixture
def postgres_template() -> str:
    """One without tables."""
    return "template1"


@pytest.fixture
def sqlite_template() -> None:
    """No file, for the same reason."""


async def test_a_database_is_opened_again_with_all_that_is_in_it(store_url: str) -> None:
    for number in range(2):
        store = store_for(store_url)
        await store.open()
        await store.create_runs(SPACE, [new_run(number)])
        await store.close()

    assert await count_of_runs(store_url) == 2


async def test_many_stores_may_open_a_new_database_at_once(store_url: str) -> None:
    stores = [store_for(store_url) for _ in range(5)]

    await asyncio.gather(*(store.open() for store in stores))

    await asyncio.gather(*(store.create_runs(SPACE, [new_run(n)]) for n, store in enumerate(stores)))
    for store in stores:
        await store.close()
    assert await count_of_runs(store_url) == 5


async def test_two_processes_may_open_a_new_database_and_write_to_it_at_once(store_url: str) -> None:
    command = [sys.executable, "-c", OPEN_AND_CREATE, store_url]

    processes = [subprocess.Popen([*command, str(number)]) for number in (1, 2)]

    assert [await asyncio.to_thread(process.wait, 30) for process in processes] == [0, 0]
    assert await count_of_runs(store_url) == 40


async def test_a_schema_that_is_newer_than_the_code_is_refused(store_url: str) -> None:
    store = store_for(store_url)
    await store.open()
    await store._driver.write(pretend_to_be_newer)
    await store.close()

    newer = store_for(store_url)
    with pytest.raises(SchemaTooNew, match=r"schema 99.*upgrade holdfast"):
        await newer.open()

    await newer.close()


def pretend_to_be_newer(tx: Transaction) -> None:
    tx.run("record_migration", 99, "from_the_future")


async def count_of_runs(url: str) -> int:
    store = store_for(url)
    await store.open()
    runs = await store.list_runs(SPACE, RunFilter())
    await store.close()
    return len(runs)


def test_both_databases_have_the_same_queries() -> None:
    assert load_queries("holdfast.stores.sqlite").keys() == load_queries("holdfast.stores.postgres").keys()


def test_both_databases_have_the_same_migrations() -> None:
    numbers = [
        [(migration.number, migration.name) for migration in load_migrations(f"holdfast.stores.{database}")]
        for database in ("sqlite", "postgres")
    ]

    assert numbers[0] == numbers[1] != []


def test_a_query_is_sent_without_its_comments() -> None:
    text = (
        "-- about the file\n\n-- name: one\n-- why\nSELECT 1\n    -- and why this\n    WHERE true;\n\n"
        "-- name: two\nSELECT 2;\n"
    )

    assert split_queries(text) == [("one", "SELECT 1\n    WHERE true;"), ("two", "SELECT 2;")]
