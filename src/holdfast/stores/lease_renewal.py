"""Renewing leases on a connection of their own, outside of the lanes. The keeper's thread waits for the
answers."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.core.values import Instant, NodeId
from holdfast.ports.nodes import Stall
from holdfast.ports.store_life import DUE
from holdfast.stores.database import Connection, Transaction
from holdfast.stores.link import Link


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
    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._link = Link(connect)

    @property
    def statements(self) -> int:
        return self._link.statements

    def renew(self, node: NodeId, since: Instant, until: Instant) -> bool:
        return self._link.do(lambda it: it.write(lambda tx: renew_lease(tx, node, since, until)))

    def end(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        self._link.do(lambda it: it.write(lambda tx: end_lease(tx, namespace, node, stall, now)))

    def close(self) -> None:
        self._link.drop()
