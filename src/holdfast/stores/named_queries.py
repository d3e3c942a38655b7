"""Named queries: the SQL of a database, by name.

A file holds blocks that begin with `-- name: xyz`. Lines that hold only a comment are not sent to the
database.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import NamedTuple

_HEADING = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*\n?", re.MULTILINE)
_MIGRATION = re.compile(r"(\d{4})_(\w+)\.sql")
_NEEDS = re.compile(r"^-- needs: (\d{4})$", re.MULTILINE)
_HOW = re.compile(r"^-- how: (concurrently|batches)$", re.MULTILINE)
_WITHOUT_HEAD = 4
"""Up to this number migrations were released before they had a head. Each of them needs itself."""


def load_queries(package: str) -> dict[str, str]:
    """All queries in `sql/*.sql` of the package, by name."""
    queries: dict[str, str] = {}
    for file in sorted(resources.files(package).joinpath("sql").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            for name, text in split_queries(file.read_text(encoding="utf-8")):
                if name in queries:
                    raise ValueError(f"{package} has two queries named {name!r}, the second in {file.name}")
                queries[name] = text
    return queries


def split_queries(text: str) -> list[tuple[str, str]]:
    _, *parts = _HEADING.split(text)
    blocks = zip(parts[::2], parts[1::2], strict=True)
    return [(name, _COMMENT.sub("", body).strip()) for name, body in blocks]


class Migration(NamedTuple):
    """A numbered file. Its head may have two lines that the code reads:

    `-- needs: 0004`  the newest migration that a release must know to go on with a database that has this
                      one. Its own number, if older releases cannot go on.
    `-- how: WAY`     `concurrently`: `CREATE INDEX CONCURRENTLY` statements, run outside a transaction.
                      `batches`: one statement, run in transactions of its own until it changes no row.
                      Without this line: all statements in one transaction.
    """

    number: int
    name: str
    text: str

    @property
    def needs(self) -> int:
        found = _NEEDS.search(self.text)
        return int(found[1]) if found else self.number

    @property
    def how(self) -> str | None:
        found = _HOW.search(self.text)
        return found[1] if found else None

    @property
    def statements(self) -> list[str]:
        """The statements one by one. Only for files that have no semicolon inside a statement."""
        parts = _COMMENT.sub("", self.text).split(";")
        return [part.strip() for part in parts if part.strip()]


def load_migrations(package: str) -> list[Migration]:
    """All migrations in `migrations/NNNN_name.sql` of the package, in order. Raises ValueError on gaps."""
    found: list[Migration] = []
    for file in resources.files(package).joinpath("migrations").iterdir():
        if match := _MIGRATION.fullmatch(file.name):
            found.append(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    found.sort()
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the migrations of {package} are not numbered from 1 without gaps")
    for migration in found[_WITHOUT_HEAD:]:
        if not _NEEDS.search(migration.text) or not migration.needs <= migration.number:
            raise ValueError(
                f"migration {migration.number:04} of {package} must say which migration a release must know "
                f"to go on with it: `-- needs: 0004`, or `-- needs: {migration.number:04}` if older releases "
                "cannot go on"
            )
    return found
