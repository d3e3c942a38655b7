"""Renewing leases on a connection of their own, outside of the lanes. The keeper's thread waits for the
answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdfast.core.values import Instant, NodeId
from holdfast.ports.nodes import Stall
from holdfast.ports.store_life import DUE
from holdfast.stores.database import Connection, Transaction, TransactionScript

T = TypeVar("T")


def renew_lease(tx: Transaction, node: NodeId, since: Instant, until: Instant) -> bool:
    return bool(tx.rows("renew_lease", node, since, until))


def end_lease(tx: Transaction, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
    # The row of the node first, as every transaction does that locks it and runs.
    tx.run("delete_node", namespace, node)
    if stall is not None:
        tx.run("charge_stall", namespace, stall.run, node, now, stall.task, stall.stack)
        tx.run("add_setback", namespace, stall.run, node)
    tx.many("free_runs", [(node,)], now, 0)
    tx.announce(DUE)


class SqlLeaseRenewal:
    """Connects for the first renewal, and again after the connection broke."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._sent_before = 0

    @property
    def statements(self) -> int:
        connection = self._connection
        return self._sent_before + (0 if connection is None else connection.statements)

    def renew(self, node: NodeId, since: Instant, until: Instant) -> bool:
        return self._write(lambda tx: renew_lease(tx, node, since, until))

    def end(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        self._write(lambda tx: end_lease(tx, namespace, node, stall, now))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._sent_before += connection.statements
            connection.close()

    def _write(self, script: TransactionScript[T]) -> T:
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        try:
            return connection.write(script)
        finally:
            if connection.is_broken:
                self.close()
