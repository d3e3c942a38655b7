"""Empty databases for recordings, which bring their own tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest


@pytest.fixture
def new_databases(postgres_server: str, tmp_path: Path) -> Callable[[str], str]:
    """Each call returns the URL of a new empty database of a kind. Those on Postgres end with the server."""
    numbers = itertools.count(1)

    def empty(kind: str) -> str:
        number = next(numbers)
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/{number}.db"
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE recording_{number}".encode())
        return postgres_server.replace("/postgres?", f"/recording_{number}?")

    return empty
