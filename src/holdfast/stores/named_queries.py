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
    number: int
    name: str
    text: str


def load_migrations(package: str) -> list[Migration]:
    """All migrations in `migrations/NNNN_name.sql` of the package, in order. Raises ValueError on gaps."""
    found: list[Migration] = []
    for file in resources.files(package).joinpath("migrations").iterdir():
        if match := _MIGRATION.fullmatch(file.name):
            found.append(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    found.sort()
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the migrations of {package} are not numbered from 1 without gaps")
    return found
