"""Lists of runs, newest first. Each is merged from ranges of indexes, so it reads only rows that it needs.

A range has the runs of one workflow and status, in the order of their keys. The newest `n` of several ranges
are among the newest `n` of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from holdfast.core.ids import first_key_of
from holdfast.core.values import Instant, RunKey, RunStatus
from holdfast.ports.runs import RunFilter, RunPage
from holdfast.stores.database import Row, Transaction
from holdfast.stores.run_conditions import HAVE_FAILURES, first_that_match, has_conditions

_ENDED = (RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED)
_LOOKED_AT = 1000
"""Among so many more of the newest runs than are wanted, or twice as many, successful ones are looked for
first. They are usually most of them."""


_EXAMINED = 10_000
"""At so many runs a page looks at most, if it has conditions that no index answers."""
_KEY_BYTES: Final = 16
_KEYS_OF: Final = {
    "runs_by_status": "keys_by_status",
    "ended_runs": "keys_of_ended_runs",
    "cold_runs": "keys_of_cold_runs",
    "owned_runs": "keys_of_owned_runs",
}
_DAY: Final = 24 * 60 * 60 * 1_000_000


class _Ranges(NamedTuple):
    """Ranges of one index: a query, and its last parameters for each range."""

    name: str
    rows: list[Row]


class ListedKeys(NamedTuple):
    keys: list[RunKey]
    next: RunKey | None
    """The last run that was looked at. None if there are no more."""


def list_keys(tx: Transaction, namespace: str, which: RunFilter) -> ListedKeys:
    """The newest runs that match, as many as the filter says. If conditions are left that no index answers,
    it looks at a limited number of runs, and may find fewer."""
    which = _narrowed(which)
    if not has_conditions(_left_over(which)):
        return _look(tx, namespace, which, which.limit + 1)
    # Often the first few are enough.
    few = _EXAMINED // 10
    found = _look(tx, namespace, which, few)
    if found.next is None or len(found.keys) == which.limit:
        return found
    rest = which._replace(before=found.next, limit=which.limit - len(found.keys))
    keys, end = _look(tx, namespace, rest, _EXAMINED - few)
    return ListedKeys(found.keys + keys, end)


def _look(tx: Transaction, namespace: str, which: RunFilter, newest: int) -> ListedKeys:
    """The runs that match among so many of the newest."""
    runs = _newest(tx, namespace, which, newest)
    has_more = len(runs) == newest
    left = _left_over(which)
    if has_conditions(left):
        keys, looked_at = first_that_match(tx, namespace, left, runs, which.limit)
    else:
        keys = runs[: which.limit]
        looked_at = len(keys)
    has_more = has_more or looked_at < len(runs)
    return ListedKeys(keys, runs[looked_at - 1] if has_more else None)


def _narrowed(which: RunFilter) -> RunFilter:
    """The same runs, by conditions that an index may answer."""
    if which.statuses is None and (which.error_type is not None or which.error_text is not None):
        which = which._replace(statuses=HAVE_FAILURES)
    if which.ended_before is not None:
        # A run ends after its creation; a day for clocks that differ.
        last = first_key_of(Instant(which.ended_before + _DAY))
        which = which._replace(before=last if which.before is None else min(last, which.before))
    return which


def _newest(tx: Transaction, namespace: str, which: RunFilter, newest: int) -> list[RunKey]:
    """The newest runs that meet the condition of the index that is used."""
    query, value = _single_range(which)
    span = (which.before, which.since, newest)
    if query is not None:
        return _keys(tx.rows(query, namespace, *span, value))
    if _left_over(which).statuses == which.statuses and which.workflow is None:
        return _keys(tx.rows("keys_of_runs", namespace, *span))
    if which.workflow is None and which.statuses == (RunStatus.SUCCESS,):
        keys = _recent_successes(tx, namespace, *span)
        if keys is not None:
            return keys
    found = [
        key
        for name, rows in _ranges(tx, namespace, RunPage(which.statuses, which.workflow))
        for key in _keys(tx.many_returning(_KEYS_OF[name], rows, namespace, *span))
    ]
    return sorted(found, reverse=True)[:newest]


def _recent_successes(
    tx: Transaction, namespace: str, before: RunKey | None, since: RunKey | None, newest: int
) -> list[RunKey] | None:
    """None if they are not among the newest runs: they must be looked for in the ranges of all workflows."""
    looked_at = newest + max(newest, _LOOKED_AT)
    keys = _keys(tx.rows("recent_successes", namespace, before, since, looked_at))
    return keys[:newest] if len(keys) >= newest else None


def _keys(rows: Sequence[Row]) -> list[RunKey]:
    """Each row has the keys of a range, one behind the other."""
    return [
        RunKey(keys[first : first + _KEY_BYTES])
        for (keys,) in rows
        if keys is not None
        for first in range(0, len(keys), _KEY_BYTES)
    ]


def _single_range(which: RunFilter) -> tuple[str | None, Any]:
    """A query for one range of an index, and what it looks for."""
    if which.parent is not None:
        return "keys_of_children", which.parent
    if which.schedule is not None:
        return "keys_of_scheduled_runs", which.schedule
    if which.tags:
        return "keys_of_tagged_runs", which.tags[0]
    if which.fingerprint is not None:
        return "keys_by_fingerprint", which.fingerprint
    return None, None


def _left_over(which: RunFilter) -> RunFilter:
    """The conditions that are to be checked on the runs of `_newest`."""
    if which.parent is not None:
        return which._replace(parent=None)
    if which.schedule is not None:
        return which._replace(schedule=None)
    if which.tags:
        return which._replace(tags=which.tags[1:])
    if which.fingerprint is not None:
        return which._replace(fingerprint=None)
    left = which._replace(statuses=None, workflow=None)
    is_success = which.statuses is not None and RunStatus.SUCCESS in which.statuses
    if which.workflow is None and is_success and has_conditions(left):
        # Successful runs are in one range for each workflow, and most runs are successful.
        return left._replace(statuses=which.statuses)
    return left


def read_page(tx: Transaction, namespace: str, page: RunPage) -> list[RunKey]:
    if page.workflow is None and page.statuses is None:
        which = (namespace, *_conditions(page), None, page.limit, page.offset)
        return [key for (key,) in tx.rows("page_of_runs", *which)]
    return _merge(tx, namespace, page)[page.offset :]


def count_matching_runs(tx: Transaction, namespace: str, page: RunPage, most: int) -> int:
    """Stops at `most`."""
    conditions = _conditions(page)
    if not any(condition is not None for condition in conditions):
        statuses = None if page.statuses is None else tuple(page.statuses)
        return count_of_ranges(tx, namespace, RunFilter(statuses, page.workflow), most)
    if page.workflow is None and page.statuses is None:
        return tx.rows("count_runs", namespace, *conditions, None, most)[0][0]
    total = 0
    for name, rows in _ranges(tx, namespace, page):
        for row in rows:  # one after the other, so that no more are counted than needed
            found = tx.many_returning(f"count_{name}", [row], namespace, *conditions, None, most - total)
            total += found[0][0]
            if total >= most:
                return most
    return total


def count_of_ranges(tx: Transaction, namespace: str, which: RunFilter, most: int) -> int:
    """Of a filter that `is_of_ranges`. Reads nothing but indexes, and stops at `most`."""
    span = which.before, which.since
    if which.workflow is None and which.statuses is None:
        return tx.rows("count_all_runs", namespace, *span, most)[0][0]
    total = 0
    for name, rows in _ranges(tx, namespace, RunPage(which.statuses, which.workflow)):
        for row in rows:  # one after the other, so that no more are counted than needed
            found = tx.many_returning(f"count_all_{name}", [row], namespace, *span, most - total)
            total += found[0][0]
            if total >= most:
                return most
    return total


def _merge(tx: Transaction, namespace: str, page: RunPage) -> list[RunKey]:
    newest = page.offset + page.limit
    if page.workflow is None and page.version is None and tuple(page.statuses or ()) == (RunStatus.SUCCESS,):
        keys = _recent_successes(tx, namespace, None, None, newest)
        if keys is not None:
            return keys
    which = (namespace, *_conditions(page), None, newest)
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
