"""Transaction scripts for watchers: reading changes from a place on, and removing old ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from holdfast.core.changes import LAST_OF_ROW, Change, ChangeKind, Place, offset_text
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant, RunKey, key_text, moment
from holdfast.errors import JournalCorrupt
from holdfast.ports.changes import ChangeBounds, ChangeFilter, ChangePage, Horizon, Removal, WatchedState
from holdfast.ports.store_life import WATCHED
from holdfast.stores import records
from holdfast.stores.change_log import ACT, CREATED, DELETED, MESSAGE, STATUS, TASK
from holdfast.stores.database import Row, Transaction
from holdfast.stores.sql_role import SqlRole

_ROWS, _BYTES = 64, 256 * 1024
"""How many rows to read at once, and how many bytes of them after the first."""
_CHANGES = 5_000
"""How many changes a page has at most."""
_REMOVED_AT_ONCE = 500

_decode = msgspec.msgpack.Decoder(tuple[list[bytes], list[tuple[int, list[tuple[Any, ...]]]]]).decode


class SqlChangeStore(SqlRole):
    async def change_bounds(self, horizon: Horizon | None = None) -> ChangeBounds:
        return await self._driver.read(lambda tx: _bounds(tx, horizon))

    async def read_changes(
        self, namespace: str, after: Place, which: ChangeFilter, horizon: Horizon | None = None
    ) -> ChangePage:
        def script(tx: Transaction) -> ChangePage:
            state = None
            if which.run is not None:
                # Before the changes: the last of them are written together with the end of the run.
                for row in tx.many_returning("watched_runs", [(which.run,)], namespace):
                    state = WatchedState(records.run_status(row[3]), row[4])
            bounds = _bounds(tx, horizon)
            changes, place, first = _read(tx, namespace, after, bounds.last, which)
            return ChangePage(changes, place, bounds._replace(first=first or bounds.first), state)

        return await self._driver.read(script, snapshot=False, may_be_long=True)

    async def remove_changes(self, before: Instant, bytes: int, rows: int) -> Removal:
        last = await self._driver.read(lambda tx: _last_to_remove(tx, before, bytes, rows), may_be_long=True)
        if last is None:
            return Removal(0, is_over=True)
        removed = await self._driver.write(lambda tx: tx.rows("remove_changes", last))
        return Removal(len(removed), is_over=len(removed) < _REMOVED_AT_ONCE)

    async def tell_watched(self) -> None:
        await self._driver.write_and_tell(lambda tx: tx.announce(WATCHED))


def _bounds(tx: Transaction, horizon: Horizon | None) -> ChangeBounds:
    ((first, newest, next_transaction, oldest_open),) = tx.rows("change_bounds")
    if next_transaction <= oldest_open:
        return ChangeBounds(first, newest, newest)
    if horizon is not None and horizon.below > oldest_open:
        return ChangeBounds(first, 0, newest, horizon)
    last = 0 if horizon is None else horizon.row
    return ChangeBounds(first, last, newest, Horizon(newest, next_transaction) if newest > last else None)


class _Found(NamedTuple):
    """A change whose run and task are not looked up yet."""

    place: Place
    at: Instant
    code: int
    run: RunKey
    fields: tuple[Any, ...]


def _read(
    tx: Transaction, namespace: str, after: Place, last: int, which: ChangeFilter
) -> tuple[list[Change], Place, int]:
    """With the oldest row that there was; 0 if nothing was read."""
    since = after.row + 1 if after.number >= LAST_OF_ROW else after.row
    rows = tx.rows("read_changes", namespace, since, last, _ROWS, _BYTES) if last >= since else []
    first = rows[0][3] if rows else 0
    found: list[_Found] = []
    place, most = after, _CHANGES if which.most is None else which.most
    for id, at, body, _ in rows:
        for each in _changes_in(id, at, body, which) if body is not None else ():
            if len(found) == most:
                return _named(tx, namespace, found, which), place, first
            if each.place > after:
                place = each.place
                if _is_wanted(each, which):
                    found.append(each)
        place = Place(id, LAST_OF_ROW)
    return _named(tx, namespace, found, which), place, first


def _changes_in(id: int, at: Instant, body: bytes, which: ChangeFilter) -> Iterator[_Found]:
    try:
        runs, sections = _decode(body)
        if which.run is not None and which.run not in runs:
            return
        number = 0
        for code, rows in sections:
            if which.only_runs and code not in _OF_RUNS:
                number += len(rows)  # they are the most
                continue
            for row in rows:
                key = runs[int(row[0])]
                yield _Found(Place(id, number), at, code, RunKey(key), row[1:])
                number += 1
    except (msgspec.MsgspecError, IndexError, TypeError) as error:
        raise JournalCorrupt(None, f"row {id} of the changes ({error})") from None


def _is_wanted(found: _Found, which: ChangeFilter) -> bool:
    if which.run is not None and found.run != which.run:
        return False
    if which.since is not None and found.run < which.since:
        return False
    if which.before is not None and found.run >= which.before:
        return False
    if which.statuses is not None:
        return found.code in (CREATED, STATUS) and found.fields[0] in which.statuses
    # A newer release may tell of more.
    return found.code in _KINDS and (
        which.status is None or (found.code in (CREATED, STATUS) and found.fields[0] == which.status)
    )


_OF_RUNS = frozenset({CREATED, STATUS, DELETED})
_KINDS = {
    CREATED: ChangeKind.RUN_CREATED,
    STATUS: ChangeKind.RUN_STATUS,
    DELETED: ChangeKind.RUN_DELETED,
    TASK: ChangeKind.TASK,
    MESSAGE: ChangeKind.MESSAGE,
    ACT: ChangeKind.ACT,
}


class _RunFacts(NamedTuple):
    id: str
    workflow: str
    tags: Collection[str]


def _named(tx: Transaction, namespace: str, found: Sequence[_Found], which: ChangeFilter) -> list[Change]:
    """With what the rows of the runs and tasks say: of runs that are deleted, only the deletion is left."""
    keys: list[Row] = [(run,) for run in sorted({it.run for it in found if it.code != DELETED})]
    facts = {
        key: _RunFacts(id or key_text(key), workflow, read_run_options(options).tags if options else ())
        for key, id, workflow, _, _, options in tx.many_returning("watched_runs", keys, namespace)
    }
    kept: list[tuple[_Found, _RunFacts]] = []
    for each in found:
        if each.code == DELETED:
            id, workflow, tags = each.fields
            run = _RunFacts(id or key_text(each.run), workflow, tags)
        elif each.run in facts:
            run = facts[each.run]
        else:
            continue
        if which.workflow in (None, run.workflow) and (which.tag is None or which.tag in run.tags):
            kept.append((each, run))
    tasks = _tasks_of(tx, (it for it, _ in kept))
    return [
        _change(each, run, tasks)
        for each, run in kept
        if each.code != TASK or (each.run, each.fields[0]) in tasks
    ]


def _tasks_of(tx: Transaction, found: Iterable[_Found]) -> dict[tuple[RunKey, int], tuple[str, int | None]]:
    asked: list[Row] = sorted({(it.run, it.fields[0]) for it in found if it.code == TASK})
    rows = tx.many_returning("watched_tasks", asked)
    return {(run, seq): (name, records.place_of(name, end)) for run, seq, name, end in rows}


def _change(found: _Found, run: _RunFacts, tasks: dict[tuple[RunKey, int], tuple[str, int | None]]) -> Change:
    place, at, code, key, fields = found
    begin = (offset_text(place), moment(at), run.id, key_text(key), run.workflow, _KINDS[code])
    if code == TASK:
        seq, status, attempt = fields
        name, index = tasks[key, seq]
        return Change(*begin, status=status, seq=seq, task=name, index=index, attempt=attempt)
    if code in (CREATED, STATUS):
        return Change(*begin, status=fields[0], waiting=fields[1])
    if code == MESSAGE:
        return Change(*begin, what=fields[0], name=fields[1] or None, by=fields[2])
    if code == ACT:
        return Change(*begin, what=fields[0], by=fields[1])
    return Change(*begin)


def _last_to_remove(tx: Transaction, before: Instant, bytes: int, rows: int) -> int | None:
    """The last row of the next bite. Only a beginning of the rows is removed, however wrong the clocks of the
    nodes are: whoever has read as far as a row that is there misses nothing."""
    crowded = tx.rows("crowded_changes", bytes, rows)
    limit = crowded[0][0] if crowded else 0
    old: list[int] = []
    for id, at in tx.rows("oldest_changes", _REMOVED_AT_ONCE + 1):
        if id > limit and at >= before:
            break
        old.append(id)
    # The last of them stays. A watcher that has read as far as this row has read all that is removed.
    return old[-2] if len(old) > 1 else None
