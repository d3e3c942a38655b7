"""The base of all roles of the store: each runs its transaction scripts through the same driver."""

from __future__ import annotations

from holdfast.stores.driver import Driver


class SqlRole:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver


class RowChanged(Exception):
    """Rolls back a transaction: a row has changed since the caller read it."""
