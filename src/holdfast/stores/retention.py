"""Transaction scripts for deleting runs.

What to delete is found by reads, outside of the transactions that delete. Nobody changes rows of a buried
run, so a plan that is made by a read stays right; another process may only have deleted some of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from holdfast.core.ids import first_key_of
from holdfast.core.names import BURIED
from holdfast.core.run_options import read_run_options
from holdfast.core.values import RunKey
from holdfast.ports.retention import Burial, Clearance, EndedRange, Family, PageOfFamilies, RootSeen
from holdfast.stores.change_log import DELETED, note
from holdfast.stores.database import Row, Transaction
from holdfast.stores.sql_role import SqlRole

_BURIED_BYTES: Final = 8 * 1024 * 1024
"""How many bytes of payloads the runs have that are buried in one transaction."""
_RUNS_AT_ONCE: Final = 250

# Any order would do, since nobody looks at a buried run.
_TABLES: Final = (
    "journal",
    "tasks",
    "attempts",
    "messages",
    "questions",
    "logs",
    "state",
    "shared_inputs",
    "stream_items",
    "chapters",
)


class SqlRetentionStore(SqlRole):
    async def ended_workflows(self, namespace: str) -> list[str]:
        return [name for (name,) in await self._driver.fetch("ended_workflows", namespace, may_be_long=True)]

    async def find_ended_families(
        self, namespace: str, ranges: Sequence[EndedRange], limit: int
    ) -> PageOfFamilies:
        wanted: list[Row] = [
            (each.workflow, each.status.value, each.after, first_key_of(each.before)) for each in ranges
        ]

        def script(tx: Transaction) -> tuple[list[Row], list[Family]]:
            rows = tx.many_returning("page_of_ended_keys", wanted, namespace, limit)
            before = {(each.workflow, each.status.value): each.before for each in ranges}
            old = [key for workflow, status, key, ended in rows if ended < before[workflow, status]]
            return rows, _families(tx, namespace, old)

        rows, families = await self._driver.read(script, may_be_long=True)
        seen = {(each.workflow, each.status.value): (0, each.after) for each in ranges}
        for workflow, status, key, _ in rows:
            count, last = seen[workflow, status]
            seen[workflow, status] = (count + 1, max(last, key))
        places = [each._replace(after=seen[each.workflow, each.status.value][1]) for each in ranges]
        rest = [each for each in places if seen[each.workflow, each.status.value][0] == limit]
        return PageOfFamilies([it for it in families if it.open is None], rest, places)

    async def find_families(self, namespace: str, roots: Sequence[RunKey]) -> list[Family]:
        return await self._driver.read(lambda tx: _families(tx, namespace, roots), may_be_long=True)

    async def bury_runs(self, namespace: str, roots: Sequence[RootSeen]) -> Burial:
        some, others = roots[:_RUNS_AT_ONCE], roots[_RUNS_AT_ONCE:]
        buried, left = await self._driver.write(lambda tx: _bury(tx, namespace, some))
        return Burial(buried, [*left, *others])

    async def clear_buried(self, rows: int, bytes: int) -> Clearance:
        plan = await self._driver.read(lambda tx: _plan(tx, rows, bytes), may_be_long=True)
        if plan is None:
            return Clearance(0, 0, is_over=True)
        return await self._driver.write(lambda tx: _clear(tx, plan, rows, bytes))


def _families(tx: Transaction, namespace: str, roots: Sequence[RunKey]) -> list[Family]:
    asked: list[Row] = [(root,) for root in sorted(set(roots))]
    return sorted(Family(*row) for row in tx.many_returning("families_of", asked, namespace))


def _bury(tx: Transaction, namespace: str, roots: Sequence[RootSeen]) -> Burial:
    seen = {root.run: root for root in roots}
    found = sorted(tx.many_returning("lock_to_bury", [(run,) for run in sorted(seen)], namespace))
    room, count = _BURIED_BYTES, 0
    while count < len(found) and (count == 0 or room > 0):
        room -= found[count][2]
        count += 1
    asked: list[Row] = [tuple(seen[row[0]]) for row in found[:count]]
    buried = [key for (key,) in tx.many_returning("bury_runs", asked, namespace, BURIED)]
    gone = set(buried)
    tags = {row[0]: read_run_options(row[1]).tags for row in found if row[0] in gone}
    tx.many("delete_tags", [(tag, key) for key, each in tags.items() for tag in each], namespace)
    if buried:
        (now,) = tx.rows("read_clock")[0]
        rows = [(row[0], row[3], row[4], tags[row[0]]) for row in found if row[0] in gone]
        note(tx, namespace, now, DELETED, rows)
    return Burial(buried, [seen[row[0]] for row in found[count:]])


class _Plan(NamedTuple):
    whole: dict[RunKey, int]
    """Runs that are deleted with all their rows, and how many these are."""
    large: RunKey | None = None
    """A run that has too many rows. Some of them are deleted."""
    children: Sequence[Row] = ()
    """Children to be buried first: the namespace of each, its key, and when it ended."""


def _plan(tx: Transaction, rows: int, bytes: int) -> _Plan | None:
    """None if nothing is buried."""
    keys: list[RunKey] = [key for (key,) in tx.rows("page_of_buried", BURIED, min(rows, _RUNS_AT_ONCE))]
    if not keys:
        return None
    asked: list[Row] = [(key,) for key in keys]
    children = tx.many_returning("children_to_bury", asked, rows)
    if children:
        return _Plan({}, children=children[:rows])
    sizes = {run: size for run, *size in tx.many_returning("buried_sizes", asked, rows)}
    whole: dict[RunKey, int] = {}
    for key in keys:
        count, size = sizes[key]
        rows, bytes = rows - count - 1, bytes - size
        if rows < 0 or bytes < 0:
            return _Plan(whole) if whole else _Plan({}, key)
        whole[key] = count + 1
    return _Plan(whole)


def _clear(tx: Transaction, plan: _Plan, rows: int, bytes: int) -> Clearance:
    for namespace in {each[0] for each in plan.children}:
        _bury(tx, namespace, [RootSeen(*each) for space, *each in plan.children if space == namespace])
    asked: list[Row] = [(key,) for key in plan.whole or (plan.large,) if key is not None]
    locked = tx.many_returning("lock_buried", asked, BURIED)
    if asked and not locked:
        return Clearance(0, 0, is_over=True)
    if plan.large is not None:
        return Clearance(0, _trim(tx, plan.large, rows, bytes), is_over=False)
    for table in (*_TABLES, "queue"):
        tx.many(f"clear_{table}", locked)
    tx.many("forget_stalls", locked)
    tx.many("delete_buried", locked, BURIED)
    return Clearance(len(locked), sum(plan.whole[key] for (key,) in locked), is_over=False)


def _trim(tx: Transaction, run: RunKey, rows: int, bytes: int) -> int:
    """Deletes rows of one table, the first that has any: they may fill the transaction."""
    for table in _TABLES:
        deleted = tx.rows(f"trim_{table}", run, rows, bytes)
        if deleted:
            return len(deleted)
    return 0
