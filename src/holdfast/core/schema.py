"""What is known about the schema of a database: its migrations, and which releases may use it."""

from __future__ import annotations

import datetime as dt

import msgspec

FIRST_RELEASES = {1: "0.1.0", 2: "0.2.0", 3: "0.3.0", 4: "0.4.0", 5: "0.5.0"}
"""The first release that knows a migration, for the migrations that a database may need."""


class MigrationInfo(msgspec.Struct, frozen=True):
    number: int
    name: str
    applied_at: dt.datetime | None = None
    """None if it is pending."""


class SchemaStatus(msgspec.Struct, frozen=True):
    database: str
    """Its name, without a password."""
    applied: list[MigrationInfo]
    pending: list[MigrationInfo]
    """Applied when a node or a client of this release opens the database, or by `holdfast db migrate`."""
    newer: list[MigrationInfo]
    """Applied by a newer release. This one does not know them."""
    needs: int
    """The migration that a release must know to use this database."""
    known: int
    """The last migration that this release knows."""

    @property
    def is_usable(self) -> bool:
        """Whether this release may use the database."""
        return self.needs <= self.known

    @property
    def oldest_release(self) -> str | None:
        """The oldest release that may use the database. None if it is newer than this one, or the database
        is empty."""
        return FIRST_RELEASES.get(self.needs)


class BackupInfo(msgspec.Struct, frozen=True):
    database: str
    file: str
    bytes: int
    seconds: float
