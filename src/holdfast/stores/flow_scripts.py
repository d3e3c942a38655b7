"""Transaction scripts for flows and their versions, and for lists of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.core.records import Definition
from holdfast.core.values import Instant, Payload, RunKey, RunStatus
from holdfast.ports.flows import PUBLISHED, FlowRecord, FlowVersion, definition_of
from holdfast.ports.runs import RunOverview, RunPage
from holdfast.stores import records
from holdfast.stores.database import Row, Transaction
from holdfast.stores.driver import Driver

_ALL = 2**62


class FlowScripts:
    _driver: Driver

    async def create_flow(self, namespace: str, name: str, description: str, now: Instant) -> FlowRecord:
        def script(tx: Transaction) -> FlowRecord:
            # No row comes back if another process has just taken the free id. Then the next one is tried.
            while not (added := tx.rows("insert_flow", namespace, name, description, now)):
                pass
            return FlowRecord(*added[0])

        return await self._driver.write(script)

    async def find_flow(self, namespace: str, id: str) -> FlowRecord | None:
        rows = await self._driver.fetch("find_flow", namespace, id)
        return FlowRecord(*rows[0]) if rows else None

    async def list_flows(self, namespace: str, limit: int, offset: int) -> tuple[list[FlowRecord], int]:
        def script(tx: Transaction) -> tuple[list[FlowRecord], int]:
            flows = [FlowRecord(*row) for row in tx.rows("list_flows", namespace, limit, offset)]
            ((total,),) = tx.rows("count_flows", namespace)
            return flows, total

        return await self._driver.read(script, snapshot=True)

    async def flow_versions(self, namespace: str, flow: str) -> list[FlowVersion]:
        rows = await self._driver.fetch("flow_versions", namespace, flow, None, 1, _ALL)
        return [FlowVersion(*row) for row in rows]

    async def find_version(self, namespace: str, flow: str, number: int | None) -> FlowVersion | None:
        which = (None, 0) if number is None else (number, 1)
        rows = await self._driver.fetch("flow_versions", namespace, flow, *which, 1)
        return FlowVersion(*rows[0]) if rows else None

    async def find_published(self, namespace: str, name: str, number: int | None) -> Definition | None:
        found = await self.find_version(namespace, name, number)
        return definition_of(found) if found is not None and found.status == PUBLISHED else None

    async def write_version(self, namespace: str, version: FlowVersion, replaces: str | None) -> bool:
        row = (namespace, *version)

        def script(tx: Transaction) -> bool:
            if replaces is None:
                return bool(tx.rows("insert_version", *row))
            return bool(tx.rows("replace_draft", *row, replaces))

        return await self._driver.write(script)

    # --- runs

    async def list_run_overviews(self, namespace: str, page: RunPage) -> list[RunOverview]:
        def script(tx: Transaction) -> list[RunOverview]:
            return _overviews(tx, namespace, _page(tx, namespace, page))

        return await self._driver.read(script, snapshot=True)

    async def count_runs(self, namespace: str, page: RunPage, most: int) -> int:
        query, statuses = _way("count_runs", page)

        def script(tx: Transaction) -> int:
            which = (namespace, *_conditions(page), most)
            if statuses is None:
                return tx.rows(query, *which, _texts(page.statuses))[0][0]
            counts = tx.many_returning(query, statuses, *which)
            return min(sum(count for (count,) in counts), most)

        return await self._driver.read(script)

    async def find_run_overview(self, namespace: str, run: RunKey) -> RunOverview | None:
        overviews = await self._driver.read(lambda tx: _overviews(tx, namespace, [run]), snapshot=True)
        return overviews[0] if overviews else None


def _way(query: str, page: RunPage) -> tuple[str, list[Row] | None]:
    """The query to use, and the statuses to run it for. None: one scan of the table answers for all statuses.
    The index by status has no successful runs, because these are most of the table."""
    statuses = page.statuses
    if statuses is None or RunStatus.SUCCESS in statuses:
        return query, None
    return f"{query}_by_status", [(status.value,) for status in dict.fromkeys(statuses)]


def _page(tx: Transaction, namespace: str, page: RunPage) -> list[RunKey]:
    query, statuses = _way("page_of_runs", page)
    which = (namespace, *_conditions(page))
    if statuses is None:
        return [key for (key,) in tx.rows(query, *which, page.limit, page.offset, _texts(page.statuses))]
    # The query returns the newest runs of each status. The newest of all of them make the page.
    found = tx.many_returning(query, statuses, *which, page.offset + page.limit)
    newest = sorted((key for (key,) in found), reverse=True)
    return newest[page.offset : page.offset + page.limit]


def _conditions(page: RunPage) -> tuple[Any, ...]:
    flags = (page.is_queued, page.is_cancelling)
    return (page.workflow, page.version, *(None if flag is None else int(flag) for flag in flags))


def _texts(statuses: Sequence[RunStatus] | None) -> list[str] | None:
    return None if statuses is None else [status.value for status in statuses]


def _overviews(tx: Transaction, namespace: str, runs: Sequence[RunKey]) -> list[RunOverview]:
    """The overviews of those runs that exist, in the given order. Each query reads for all runs at once."""
    rows = {row[0]: row for row in tx.many_returning("runs_of", [(run,) for run in runs], namespace)}
    found = records.readable("run", [rows[run] for run in runs if run in rows], records.run_record)
    keys: list[Row] = [(run.key,) for run in found]
    states: dict[RunKey, dict[str, Payload]] = {run.key: {} for run in found}
    for run, key, value in tx.many_returning("states_of", keys):
        states[run][key] = value
    open_runs: list[Row] = [(run.key,) for run in found if not run.status.is_final]
    queued = set(tx.many_returning("queued_of", open_runs))
    cancelling = set(tx.many_returning("cancelling_of", open_runs))
    return [
        RunOverview(run, states[run.key], (run.key,) in queued, (run.key,) in cancelling) for run in found
    ]
