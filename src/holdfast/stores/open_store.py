"""Makes a store from a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from holdfast.core.public_urls import without_password
from holdfast.errors import BadUrl
from holdfast.stores.driver import Driver
from holdfast.stores.seals import Seals
from holdfast.stores.sql_store import SqlStore

if TYPE_CHECKING:
    from holdfast.stores.postgres.driver import PostgresDatabase
    from holdfast.stores.sqlite.driver import SqliteDatabase

_EXPECTED = (
    "expected sqlite:///relative/path.db, sqlite:////absolute/path.db or postgresql://user@host/database"
)


def store_for(url: str, *, threads: bool = True, seals: Seals | None = None) -> SqlStore:
    """A store that is not open yet. With `seals`, payloads are encrypted or compressed. Raises BadUrl.

    Without threads, transactions run inside the calls themselves. Tests and simulations use that.
    """
    return SqlStore(Driver(database_for(url, threads=threads), threads=threads, seals=seals))


def database_for(url: str, *, threads: bool = True) -> SqliteDatabase | PostgresDatabase:
    """Raises BadUrl."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        raise BadUrl(without_password(url), _EXPECTED)
    if scheme == "sqlite":
        return _sqlite(url, rest, threads)
    if scheme in ("postgresql", "postgres"):
        return _postgres(url)
    raise BadUrl(without_password(url), _EXPECTED)


def _sqlite(url: str, rest: str, threads: bool) -> SqliteDatabase:
    from holdfast.stores.sqlite.driver import MEMORY, SqliteDatabase

    if rest == MEMORY:
        if threads:
            raise BadUrl(
                url,
                "a database in memory belongs to one connection, and every thread has its own; "
                "use a file, or open the store with threads=False",
            )
        return SqliteDatabase(MEMORY)
    if "?" in rest or "#" in rest:
        raise BadUrl(url, "a SQLite URL takes no options; write %3F for ? and %23 for # in a path")
    if rest == "/" + MEMORY:
        raise BadUrl(url, "a database in memory is lost when the process ends; use a file")
    if not rest.startswith("/") or rest == "/":
        raise BadUrl(url, "expected sqlite:///relative/path.db or sqlite:////absolute/path.db")
    return SqliteDatabase(unquote(rest[1:]))


def _postgres(url: str) -> PostgresDatabase:
    try:
        from holdfast.stores.postgres.driver import PostgresDatabase
    except ImportError as error:
        raise BadUrl(without_password(url), f"{error}; install holdfast[postgres]") from error
    return PostgresDatabase(url)
