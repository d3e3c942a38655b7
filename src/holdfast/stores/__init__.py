"""Stores: the engine's durable state, in SQLite or Postgres."""

from __future__ import annotations

from holdfast.stores.open_store import store_for
from holdfast.stores.sql_store import SqlStore

__all__ = ["SqlStore", "store_for"]
