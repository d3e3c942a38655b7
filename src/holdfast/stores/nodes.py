"""Transaction scripts for nodes: commits, leases, and the next work."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.values import Instant, NodeId, RunKey
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.nodes import NextWork
from holdfast.stores.commit_script import recover_commit, write_commit
from holdfast.stores.database import Row, Transaction
from holdfast.stores.sql_role import SqlRole


class SqlNodeStore(SqlRole):
    async def commit(self, commit: Commit) -> Receipt:
        return await self._driver.write(lambda tx: write_commit(tx, commit))

    async def recover_commit(self, commit: Commit) -> Receipt | None:
        return await self._driver.write(lambda tx: recover_commit(tx, commit))

    async def next_work(
        self, namespace: str, node: NodeId, claims: Sequence[str], workflows: Sequence[str] = ()
    ) -> NextWork:
        rows = await self._driver.fetch("next_work", namespace, node, list(claims), list(workflows))
        wake_at, expires_at, has_mail, schedule_at = rows[0]
        return NextWork(wake_at, expires_at, bool(has_mail), schedule_at)

    async def next_due_time(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        keys: list[Row] = [(run,) for run in runs]
        rows = await self._driver.read(lambda tx: tx.many_returning("wake_times_of", keys, namespace))
        return min((wake_at for (wake_at,) in rows), default=None)

    async def remove_node(self, namespace: str, node: NodeId) -> None:
        def script(tx: Transaction) -> None:
            (now,) = tx.rows("read_clock")[0]
            tx.run("delete_node", namespace, node)
            tx.many("free_runs", [(node,)], now, 0)
            tx.announce()

        await self._driver.write_and_tell(script)

    async def list_nodes(self, namespace: str) -> list[str]:
        return [id for (id,) in await self._driver.fetch("list_nodes", namespace)]

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        def script(tx: Transaction) -> None:
            (now,) = tx.rows("read_clock")[0]
            for node in nodes:
                tx.run("delete_node", namespace, node)
            tx.many("free_runs", [(node,) for node in nodes], now, 1)
            tx.announce()

        await self._driver.write_and_tell(script)
