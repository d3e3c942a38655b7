"""Pages of runs with the other facts that a list shows. Each query reads for all runs of a page at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.core.values import Payload, RunKey, RunStatus
from holdfast.ports.runs import RunOverview, RunPage
from holdfast.stores import records
from holdfast.stores.database import Row, Transaction


def read_page(tx: Transaction, namespace: str, page: RunPage) -> list[RunKey]:
    query, statuses = _query_and_statuses("page_of_runs", page)
    which = (namespace, *_conditions(page))
    if statuses is None:
        return [key for (key,) in tx.rows(query, *which, page.limit, page.offset, _texts(page.statuses))]
    # The query returns the newest runs of each status. The newest of all of them make the page.
    found = tx.many_returning(query, statuses, *which, page.offset + page.limit)
    newest = sorted((key for (key,) in found), reverse=True)
    return newest[page.offset : page.offset + page.limit]


def count_matching_runs(tx: Transaction, namespace: str, page: RunPage, most: int) -> int:
    query, statuses = _query_and_statuses("count_runs", page)
    which = (namespace, *_conditions(page), most)
    if statuses is None:
        return tx.rows(query, *which, _texts(page.statuses))[0][0]
    counts = tx.many_returning(query, statuses, *which)
    return min(sum(count for (count,) in counts), most)


def read_overviews(tx: Transaction, namespace: str, runs: Sequence[RunKey]) -> list[RunOverview]:
    """The overviews of those runs that exist, in the given order."""
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


def _query_and_statuses(query: str, page: RunPage) -> tuple[str, list[Row] | None]:
    """The query to use, and the statuses to run it for. None: one scan of the table answers for all statuses.
    The index by status has no successful runs, because these are most of the table."""
    statuses = page.statuses
    if statuses is None or RunStatus.SUCCESS in statuses:
        return query, None
    return f"{query}_by_status", [(status.value,) for status in dict.fromkeys(statuses)]


def _conditions(page: RunPage) -> tuple[Any, ...]:
    flags = (page.is_queued, page.is_cancelling)
    return (page.workflow, page.version, *(None if flag is None else int(flag) for flag in flags))


def _texts(statuses: Sequence[RunStatus] | None) -> list[str] | None:
    return None if statuses is None else [status.value for status in statuses]
