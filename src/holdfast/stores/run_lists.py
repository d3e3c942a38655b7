"""Lists of runs, newest first. Each is merged from ranges of indexes, so it reads only rows that it needs.

A range has the runs of one workflow and status, in the order of their keys. The newest `n` of several ranges
are among the newest `n` of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from holdfast.core.values import RunKey, RunStatus
from holdfast.ports.runs import RunFilter, RunPage
from holdfast.stores.database import Row, Transaction

_ENDED = (RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED)
_LOOKED_AT = 1000
"""Among so many of the newest runs, successful ones are looked for first. They are usually most of them."""


class _Ranges(NamedTuple):
    """Ranges of one index: a query, and its last parameters for each range."""

    name: str
    rows: list[Row]


def list_keys(tx: Transaction, namespace: str, which: RunFilter) -> list[RunKey]:
    if which.tag is not None:
        conditions = (which.tag, which.status, which.workflow, which.fingerprint, which.limit)
        return [key for (key,) in tx.rows("page_of_tagged_runs", namespace, which.before, *conditions)]
    if which.fingerprint is not None:
        conditions = (which.fingerprint, which.status, which.workflow, which.limit)
        return [
            key for (key,) in tx.rows("page_of_runs_by_fingerprint", namespace, which.before, *conditions)
        ]
    statuses = None if which.status is None else [which.status]
    page = RunPage(statuses, which.workflow, limit=which.limit)
    return _merge(tx, namespace, page, which.before)


def read_page(tx: Transaction, namespace: str, page: RunPage) -> list[RunKey]:
    if page.workflow is None and page.statuses is None:
        which = (namespace, *_conditions(page), None, page.limit, page.offset)
        return [key for (key,) in tx.rows("page_of_runs", *which)]
    return _merge(tx, namespace, page, None)[page.offset :]


def count_matching_runs(tx: Transaction, namespace: str, page: RunPage, most: int) -> int:
    """Stops at `most`."""
    conditions = _conditions(page)
    is_plain = not any(condition is not None for condition in conditions)
    if page.workflow is None and page.statuses is None:
        if is_plain:
            return tx.rows("count_all_runs", namespace, most)[0][0]
        return tx.rows("count_runs", namespace, *conditions, None, most)[0][0]
    total = 0
    for name, rows in _ranges(tx, namespace, page):
        for row in rows:  # one after the other, so that no more are counted than needed
            if is_plain and name != "owned_runs":
                found = tx.many_returning(f"count_all_{name}", [row], namespace, most - total)
            else:
                found = tx.many_returning(f"count_{name}", [row], namespace, *conditions, None, most - total)
            total += found[0][0]
            if total >= most:
                return most
    return total


def _merge(tx: Transaction, namespace: str, page: RunPage, before: RunKey | None) -> list[RunKey]:
    newest = page.offset + page.limit
    if page.workflow is None and page.version is None and page.statuses == [RunStatus.SUCCESS]:
        keys = [key for (key,) in tx.rows("recent_successes", namespace, before, newest + _LOOKED_AT)]
        if len(keys) >= newest:
            return keys[:newest]
    which = (namespace, *_conditions(page), before, newest)
    found = [
        key
        for name, rows in _ranges(tx, namespace, page)
        for (key,) in tx.many_returning(f"page_of_{name}", rows, *which)
    ]
    return sorted(found, reverse=True)[:newest]


def _ranges(tx: Transaction, namespace: str, page: RunPage) -> Iterator[_Ranges]:
    """The ranges that hold the runs of the page. No run is in two of them."""
    statuses = tuple(RunStatus) if page.statuses is None else tuple(dict.fromkeys(page.statuses))
    ended = [status for status in statuses if status in _ENDED]
    others = [status for status in statuses if status not in _ENDED]
    if page.is_queued or page.is_cancelling:
        ended = []  # these have no items and read no messages
    if page.workflow is not None:
        yield _Ranges("ended_runs", [(page.workflow, status.value) for status in ended])
        yield _Ranges("cold_runs", [(page.workflow, status.value) for status in others])
        if RunStatus.RUNNING in others:  # a run that a node has is running
            yield _Ranges("owned_runs", [(page.workflow,)])
        return
    indexed = [status for status in statuses if status in (*others, *ended) and status != RunStatus.SUCCESS]
    yield _Ranges("runs_by_status", [(status.value,) for status in indexed])
    if RunStatus.SUCCESS in ended:
        names = tx.rows("ended_workflows", namespace)
        yield _Ranges("ended_runs", [(name, RunStatus.SUCCESS.value) for (name,) in names])


def _conditions(page: RunPage) -> tuple[Any, ...]:
    flags: Sequence[bool | None] = (page.is_queued, page.is_cancelling)
    return (page.version, *(None if flag is None else int(flag) for flag in flags))
