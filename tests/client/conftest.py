"""A crash at every commit is tried on every kind of store."""

from tests.testing.databases import new_database

__all__ = ["new_database"]
