"""A connection that is opened again after it broke."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from holdfast.stores.database import Connection

T = TypeVar("T")

LinkJob: TypeAlias = Callable[[Connection], T]


class Link:
    """Connects for the first job, and again after the connection broke. Used by one thread at a time."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._sent_before = 0

    @property
    def statements(self) -> int:
        connection = self._connection
        return self._sent_before + (connection.statements if connection is not None else 0)

    def do(self, job: LinkJob[T]) -> T:
        if self._connection is not None and self._connection.is_broken:
            self.drop()  # a server that was restarted has closed it since the last job
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        try:
            return job(connection)
        finally:
            if connection.is_broken:
                self.drop()

    def drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._sent_before += connection.statements
            connection.close()
