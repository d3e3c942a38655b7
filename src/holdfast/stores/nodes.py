"""Transaction scripts for nodes: commits, leases, and the next work."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Sequence

from holdfast.core.values import Instant, NodeId, RunKey
from holdfast.errors import CommitRefused, StoreUnavailable
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.nodes import NextWork, Stall, StallRecord
from holdfast.ports.store_life import DUE
from holdfast.stores.commit_script import CommitUnderWay, recover_commit, write_commit
from holdfast.stores.database import Row, Transaction
from holdfast.stores.lease_renewal import SqlLeaseRenewal, end_lease, renew_lease
from holdfast.stores.sql_role import SqlRole

_EPOCH = Instant(0)


class SqlNodeStore(SqlRole):
    async def commit(self, commit: Commit) -> Receipt:
        def script(tx: Transaction) -> Receipt:
            try:
                return write_commit(tx, commit)
            except (TypeError, ValueError, OverflowError, struct.error) as error:
                # A value that cannot be encoded for the database: half a character, a number too large.
                raise CommitRefused(self._driver.name, f"{type(error).__name__}: {error}") from error

        return await self._driver.write(script)

    async def recover_commit(self, commit: Commit) -> Receipt | None:
        try:
            return await self._driver.write(lambda tx: recover_commit(tx, commit))
        except CommitUnderWay:
            reason = "the last commit is still under way on a connection that broke"
            raise StoreUnavailable(self._driver.name, reason) from None

    def open_renewal(self, patience: dt.timedelta) -> SqlLeaseRenewal | None:
        return self._driver.open_renewal(patience.total_seconds())

    async def renew_lease(self, node: NodeId, since: Instant, until: Instant) -> bool:
        """As a `LeaseRenewal` does. For stores without threads, which open none."""
        return await self._driver.write(lambda tx: renew_lease(tx, node, since, until))

    async def end_lease(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        """As a `LeaseRenewal` does."""
        await self._driver.write_and_tell(lambda tx: end_lease(tx, namespace, node, stall, now))

    async def drop_old_items(self, now: Instant, rows: int) -> int:
        def script(tx: Transaction) -> int:
            # A row that is not the last one never becomes the last: nobody deletes that one.
            found = tx.rows("items_to_drop", now, rows)
            tx.many("drop_items", [row[:3] for row in found if not row[3]])
            tx.many("drop_empty_items", [row[:3] for row in found])
            tx.many("empty_items", [row[:3] for row in found if row[3]])
            return len(found)

        return await self._driver.write(script)

    async def find_stalls(self, runs: Sequence[RunKey]) -> list[StallRecord]:
        keys: list[Row] = [(run,) for run in runs]
        rows = await self._driver.read(lambda tx: tx.many_returning("stalls_of", keys))
        return [StallRecord(*row) for row in rows]

    async def next_work(
        self,
        namespace: str,
        node: NodeId,
        claims: Sequence[str],
        workflows: Sequence[str] = (),
        serves: str | None = None,
        now: Instant = _EPOCH,
    ) -> NextWork:
        rows = await self._driver.fetch(
            "next_work", namespace, node, list(claims), list(workflows), serves, now
        )
        wake_at, expires_at, has_mail, schedule_at, peers, has_lost_runs, drain_asked_by = rows[0]
        return NextWork(
            wake_at, expires_at, bool(has_mail), schedule_at, peers, bool(has_lost_runs), drain_asked_by
        )

    async def collect_lost_runs(self, node: NodeId) -> list[RunKey]:
        rows = await self._driver.write(lambda tx: tx.rows("collect_lost_runs", node))
        return [run for owner, run in rows if owner == node]

    async def next_due_time(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        keys: list[Row] = [(run,) for run in runs]
        rows = await self._driver.read(lambda tx: tx.many_returning("wake_times_of", keys, namespace))
        return min((wake_at for (wake_at,) in rows), default=None)

    async def tell_other_nodes(self) -> None:
        await self._driver.write(lambda tx: tx.announce(DUE))

    async def remove_node(self, namespace: str, node: NodeId) -> None:
        def script(tx: Transaction) -> None:
            (now,) = tx.rows("read_clock")[0]
            tx.run("delete_node", namespace, node)
            tx.many("free_runs", [(node,)], now, 0)
            tx.announce(DUE)

        await self._driver.write_and_tell(script)

    async def list_nodes(self, namespace: str) -> list[str]:
        return [id for (id,) in await self._driver.fetch("list_nodes", namespace)]

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        def script(tx: Transaction) -> None:
            (now,) = tx.rows("read_clock")[0]
            for node in nodes:
                tx.run("delete_node", namespace, node)
            tx.many("free_runs", [(node,) for node in nodes], now, 1)
            tx.announce(DUE)

        await self._driver.write_and_tell(script)
