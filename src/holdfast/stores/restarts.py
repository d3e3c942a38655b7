"""New runs that take the ids of others: of runs that have ended, or of runs that are ended for it.

The transaction does all of it. A node may have the run that is replaced: its commits change nothing any more,
because the epoch of the run has increased, and a row of `lost_runs` tells the node to forget the run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from holdfast.core.records import DONE_BY_STORE, MessageKind, RunRecord
from holdfast.core.run_options import read_run_options, with_options_changed
from holdfast.core.values import NULL, Instant, RunKey, RunStatus, key_text
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import Act
from holdfast.ports.store_life import DUE, of_node
from holdfast.stores.acts import act_row, terminate
from holdfast.stores.change_log import ACT, note
from holdfast.stores.commit_script import create_runs, news_for_children
from holdfast.stores.database import Row, Transaction
from holdfast.stores.delivery import LockedRun, deliver, lock_runs
from holdfast.stores.records import run_record
from holdfast.stores.sql_role import RowChanged


def restart_runs(
    tx: Transaction, namespace: str, runs: Sequence[RunRecord], *, replaces: bool, by: str, now: Instant
) -> dict[RunKey, RunKey]:
    """Returns the runs that were not added, each with the run that kept the id.

    Raises RowChanged if another transaction has given one of the ids away meanwhile. Then try again.
    """
    # In the order of the ids: two transactions that want the same ids must not wait for each other.
    runs = sorted(runs, key=lambda run: run.id or "")
    named: list[Row] = [(run.key, run.id) for run in runs]
    taken: dict[RunKey, RunKey] = dict(reversed(tx.many_returning("find_taken", named, namespace)))
    runs = [run for run in runs if taken.get(run.key) != run.key]  # else an earlier try has added it
    old = {known: new for new, known in taken.items() if new != known}
    if replaces:
        # Before the locks on runs, because a worker that ends an item locks the item first.
        tx.many("clear_queue", [(run,) for run in sorted(old)])
    found = {
        row[0]: run_record(row) for row in tx.many_returning("runs_of", [(run,) for run in old], namespace)
    }
    news = news_for_children(tx, list(old), "its parent was replaced") if replaces else []
    news.sort(key=lambda message: message.run)
    news += [
        NewMessage(run.parent, MessageKind.CHILD, str(run.parent_seq), NULL, run.key)
        for _, run in sorted(found.items())
        if run.parent is not None and replaces
    ]
    locked = lock_runs(tx, namespace, old.keys() | {message.run for message in news}, now)
    if dict(reversed(tx.many_returning("find_taken", named, namespace))) != taken:
        raise RowChanged
    alive = [run for run in sorted(old) if not RunStatus(locked[run].status).is_final]
    if replaces:
        acts = [Act(run, MessageKind.TERMINATE, f"replaced by run {key_text(old[run])}", by) for run in alive]
        _end(tx, namespace, acts, locked, now)
    else:
        old = {known: new for known, new in old.items() if known not in alive}
        runs = [run for run in runs if taken.get(run.key) not in alive]
    _take_ids(tx, namespace, runs, {new: found[known] for known, new in old.items()})
    # A run that has just ended receives no more messages.
    open_runs = {run: it for run, it in locked.items() if run not in old}
    deliver(tx, namespace, [message for message in news if message.sender in alive], open_runs, now)
    tx.announce(DUE)
    return {new: known for new, known in taken.items() if known in alive and not replaces}


def _end(
    tx: Transaction, namespace: str, acts: Sequence[Act], locked: dict[RunKey, LockedRun], now: Instant
) -> None:
    terminate(tx, namespace, acts, now)
    tx.many("record_acts", [act_row(act) for act in acts], now, DONE_BY_STORE)
    note(tx, namespace, now, ACT, [(act.run, act.kind, act.by or None) for act in acts])
    owners = [(owner, act.run) for act in acts if (owner := locked[act.run].owner) is not None]
    tx.many("note_lost_runs", owners)
    tx.announce(*{of_node(owner) for owner, _ in owners})


def _take_ids(
    tx: Transaction, namespace: str, runs: Sequence[RunRecord], before: dict[RunKey, RunRecord]
) -> None:
    """Add the runs. `before` has the runs that lose their ids to them, by the keys of the new ones."""
    given_up: list[Row] = [
        (run.key, with_options_changed(run.options, former_id=run.id)) for run in before.values()
    ]
    tx.many("give_up_ids", sorted(given_up), namespace)
    added = [
        run if (known := before.get(run.key)) is None else _after(run, known)
        for run in runs
        if run.id is not None
    ]
    if create_runs(tx, namespace, added):
        raise RowChanged


def _after(run: RunRecord, known: RunRecord) -> RunRecord:
    generation = read_run_options(known.options).generation + 1
    options = with_options_changed(run.options, previous=key_text(known.key), generation=generation)
    return msgspec.structs.replace(run, options=options)
