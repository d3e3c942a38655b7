"""Empty databases, as many as a test asks for: `assert_durable` wants a new one for every crash."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

_EMPTY = """
DO $$ DECLARE tables text; BEGIN
    SELECT string_agg(format('holdfast.%I', tablename), ', ') INTO tables
    FROM pg_tables WHERE schemaname = 'holdfast' AND tablename NOT LIKE 'schema_%';
    EXECUTE 'TRUNCATE ' || tables || ' RESTART IDENTITY';
END $$
"""
"""Not by dropping the tables: to make them again takes longer than most runs."""


@pytest.fixture
def new_database(store_url: str, tmp_path: Path) -> Callable[[], str]:
    """Gives the URL of an empty database each time; whoever had the one before is done with it."""
    numbers = itertools.count(1)

    def empty() -> str:
        if store_url.startswith("sqlite"):
            return f"sqlite:///{tmp_path}/{next(numbers)}.db"
        empty_postgres(store_url)
        return store_url

    return empty


def empty_postgres(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_EMPTY)
