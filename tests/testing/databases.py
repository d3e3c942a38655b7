"""Empty databases, as many as a test asks for: `assert_durable` wants a new one for every crash."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

_DROP = "DROP SCHEMA IF EXISTS holdfast CASCADE"


@pytest.fixture
def new_database(store_url: str, tmp_path: Path) -> Callable[[], str]:
    """Gives the URL of an empty database each time; whoever had the one before is done with it."""
    numbers = itertools.count(1)

    def empty() -> str:
        if store_url.startswith("sqlite"):
            return f"sqlite:///{tmp_path}/{next(numbers)}.db"
        with psycopg.connect(store_url, autocommit=True) as connection:
            connection.execute(_DROP)
        return store_url

    return empty
