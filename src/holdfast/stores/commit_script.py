"""The commit: all that one tick of one node changes, as one transaction.

The order is fixed. The lease comes first, because that locks the row of the node: another node that frees its
runs has to wait. The rows of the runs come next. Messages are collected and due runs claimed last, so that
both see what was just written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec

from holdfast.core.history import termination_reason
from holdfast.core.policies import SETBACKS_ALLOWED, claim_limit
from holdfast.core.records import NEW_RUN_COLUMNS, MessageKind, MessageRecord, RunRecord
from holdfast.core.run_options import OnParentEnd, read_run_options
from holdfast.core.values import NULL, Instant, NodeId, Payload, RunKey, RunStatus, TaskStatus
from holdfast.ports.commits import (
    ROWS_FOR_OTHERS,
    ROWS_OF_RUNS,
    Claimed,
    ClaimRequest,
    Commit,
    NewMessage,
    Receipt,
)
from holdfast.ports.store_life import ANSWERED, CHANGES, COLD, DUE, ENDED, STREAMS, of_stream
from holdfast.stores.bounded_reads import read_within
from holdfast.stores.change_log import CREATED, STATUS, TASK, note, note_tasks
from holdfast.stores.database import Row, Transaction
from holdfast.stores.delivery import deliver, lock_runs, tell_nodes, wake_cancelled
from holdfast.stores.mail import read_mail
from holdfast.stores.records import run_record

_OLDEST = 16
"""How many of the oldest rows of a stream to look at, when it has grown."""
_FEW_RUNS = 50
"""Of so many runs each is named when they have published something."""
_LONG_WAIT = 1.0
"""Seconds. A wait for the right to write that is longer than this may have cost other nodes their leases."""


class CommitUnderWay(Exception):
    """A commit whose answer was lost is not done yet: its connection is gone, and its transaction goes on."""


def write_commit(tx: Transaction, commit: Commit) -> Receipt:
    # This locks the row of the node. A reaper deletes that row before it frees the node's runs. So either the
    # commit ends before its runs are freed, or it waits here for the reaper and then finds them lost.
    held = tx.send(
        "hold_lease",
        commit.node,
        commit.namespace,
        commit.tick,
        commit.lease_until,
        commit.now,
        int(commit.renews),
        commit.serves,
    )
    asked, lost = commit, _find_lost(tx, commit)
    existing = _create(tx, commit, lost)
    if lost or existing:
        commit = _without(commit, lost, existing)
    _write_rows(tx, commit)
    _end_and_release(tx, commit)
    claimed, mail, left = _take_work(tx, commit)
    _announce(tx, commit)
    # Read last, because the answers to the other statements have brought this one along. It must be known
    # before the transaction is committed.
    ((since, transaction),) = held()
    if since == commit.now and commit.serves is not None:
        tx.announce(DUE)  # a node has joined, and those with a backlog leave some of it to others
    asked.transaction = transaction or asked.transaction
    return Receipt(lost, existing, claimed, mail, since, left)


def recover_commit(tx: Transaction, commit: Commit) -> Receipt | None:
    """The receipt of a commit whose answer was lost, read from the database; None if it was not written.
    Raises CommitUnderWay."""
    tx.run("await_commit", commit.node)
    found = tx.rows("find_commit", commit.node, commit.tick, commit.transaction)
    status, since, _ = found[0] if found else ("aborted", None, None)
    if status == "in progress":
        raise CommitUnderWay
    if status != "committed" or since is None:  # or the node has lost its lease, and with it all its runs
        return None
    lost, existing = _were_lost(tx, commit), _were_refused(tx, commit)
    if _is_missing(tx, commit, lost | existing.keys()):
        return None
    # Mail is read and not collected. This transaction too may lose its line, and end when the node has gone
    # on: then nobody would learn of mail that it collected. So the node may look once too often.
    owned = tx.rows("owned_runs", commit.node)
    # From the first one on: the node may have claimed a run again that it has in memory under an old epoch.
    mail, left = read_mail(tx, commit, [(row[0], 0) for row in owned])
    return Receipt(
        lost=lost,
        existing=existing,
        claimed=[Claimed(run_record(row[:-1]), bool(row[-1])) for row in owned],
        mail=mail,
        lease_since=since,
        left=left,
    )


def _is_missing(tx: Transaction, commit: Commit, unwritten: Collection[RunKey]) -> bool:
    """Whether a row is not there that the commit has written, if it stands. It left out the rows of the runs
    in `unwritten`, and their children.

    If the server has crashed or another one was promoted, it may have given the id of our lost transaction to
    another transaction, which was committed. One row is enough, because a commit is written whole.
    """
    for run in commit.created:
        if run.key not in unwritten and run.parent not in unwritten:
            return not tx.many_returning("runs_of", [(run.key,)], commit.namespace)
    # A run that it let go may have been lost before, which nothing shows any more. Then it has no rows.
    let_go = {run.run for run in (*commit.released, *commit.ended)}
    unsure = let_go.union(unwritten)
    for step in commit.steps:
        if step.run not in unsure:
            return [row[0] for row in tx.rows("page_of_steps", step.run, step.position, 1)] != [step.position]
    for task in commit.settled:
        if task.run not in unsure:
            return [row[0] for row in tx.rows("page_of_outcomes", task.run, task.seq, 1)] != [task.seq]
    held = [(each.run, each.epoch) for each in commit.held if each.run in let_go.difference(unwritten)]
    return bool(held) and not tx.many_returning("find_lost", held[:1], commit.namespace, commit.node)


def _were_lost(tx: Transaction, commit: Commit) -> frozenset[RunKey]:
    """Held runs that the node does not own, except those that this commit itself ended or released."""
    epochs = {held.run: held.epoch for held in commit.held}
    not_owned = tx.many_returning("find_lost", _rows(commit.held), commit.namespace, commit.node)
    found = {row[0]: run_record(row) for row in tx.many_returning("runs_of", not_owned, commit.namespace)}
    let_go = {run.run for run in commit.released}
    let_go |= {run.run for run in commit.ended if run.run in found and found[run.run].status.is_final}
    return frozenset(
        run
        for (run,) in not_owned
        if run not in let_go or run not in found or found[run].epoch != epochs[run]
    )


def _were_refused(tx: Transaction, commit: Commit) -> dict[RunKey, RunKey]:
    keys: list[Row] = [(run.key,) for run in commit.created]
    there = {row[0] for row in tx.many_returning("runs_of", keys, commit.namespace)}
    refused = [(run.key, run.id) for run in commit.created if run.key not in there]
    return dict(tx.many_returning("find_taken", refused, commit.namespace))


def _rows(structs: Iterable[msgspec.Struct]) -> list[Row]:
    return list(map(msgspec.structs.astuple, structs))


# --- fences


def _find_lost(tx: Transaction, commit: Commit) -> frozenset[RunKey]:
    lost = tx.many_returning("find_lost", _rows(commit.held), commit.namespace, commit.node)
    return frozenset(row[0] for row in lost)


def _create(tx: Transaction, commit: Commit, lost: frozenset[RunKey]) -> dict[RunKey, RunKey]:
    """Add the new runs, except children of a run that is lost or whose own id was taken."""
    children = [run for run in commit.created if run.parent is not None]
    if not children:
        return create_runs(tx, commit.namespace, commit.created, is_retry=commit.is_retry)
    others = [run for run in commit.created if run.parent is None]
    existing = create_runs(tx, commit.namespace, others, is_retry=commit.is_retry)
    children = [run for run in children if run.parent not in lost and run.parent not in existing]
    return existing | create_runs(tx, commit.namespace, children, is_retry=commit.is_retry)


def create_runs(
    tx: Transaction, namespace: str, runs: Sequence[RunRecord], *, is_retry: bool = False
) -> dict[RunKey, RunKey]:
    """Add the runs. Returns those whose id was taken, each with the run that has the id.

    Keys are unique. So a key that exists can only come from an earlier try at the same commit.
    """
    existing: dict[RunKey, RunKey] = {}
    if is_retry:
        keys: list[Row] = [(run.key,) for run in runs]
        existing = {row[0]: row[0] for row in tx.many_returning("runs_of", keys, namespace)}
        runs = [run for run in runs if run.key not in existing]
    if tx.many("insert_runs", [row[:NEW_RUN_COLUMNS] for row in _rows(runs)]) != len(runs):
        named = [(run.key, run.id) for run in runs if run.id is not None]
        taken: dict[RunKey, RunKey] = dict(reversed(tx.many_returning("find_taken", named, namespace)))
        existing |= {new: known for new, known in taken.items() if new != known}
    if any(run.options for run in runs):
        added = [run for run in runs if run.options and run.key not in existing]
        tags = [(tag, run.key) for run in added for tag in read_run_options(run.options).tags]
        tx.many("insert_tags", tags, namespace)
    if runs:
        created = [(run.key, run.status, run.waiting) for run in runs if run.key not in existing]
        note(tx, namespace, runs[0].created_at, CREATED, created)
    return existing


def _without(commit: Commit, lost: frozenset[RunKey], existing: dict[RunKey, RunKey]) -> Commit:
    """A copy of the commit without the rows of these runs."""
    gone = lost | existing.keys()

    def kept(rows: list[Any]) -> list[Any]:
        return [row for row in rows if row.run not in gone]

    rows: dict[str, list[Any]] = {name: kept(getattr(commit, name)) for name in ROWS_OF_RUNS}
    # A parent must learn that the id of its child is taken. If it leaves memory in this commit, it is woken.
    refused = {run.parent for run in commit.created if run.key in existing}
    rows["released"] = [
        msgspec.structs.replace(run, wake_at=commit.now) if run.run in refused else run
        for run in rows["released"]
    ]
    for name in ROWS_FOR_OTHERS:
        rows[name] = [row for row in getattr(commit, name) if row.sender not in gone]
    return msgspec.structs.replace(commit, **rows)


# --- what the runs did


def _write_rows(tx: Transaction, commit: Commit) -> None:
    _write_queue(tx, commit)
    tx.many("insert_steps", _rows(commit.steps))
    tx.many("insert_tasks", _rows(commit.tasks))
    tx.many("insert_branches", _rows(commit.branches))
    tx.many("insert_shared_inputs", _rows(commit.shared_inputs))
    # Moved before settled: a task may start to run and end in the same tick.
    # Only the last move of a task is written: a batch on Postgres could apply any of several.
    tx.many("move_tasks", _rows({(task.run, task.seq): task for task in commit.moved}.values()))
    tx.many("settle_tasks", _rows(commit.settled))
    tx.many("insert_attempts", _rows(commit.attempts))
    tx.many("insert_logs", _rows(commit.logs))
    if commit.published:
        _write_items(tx, commit)
    if commit.state:
        # A key may be set and deleted in one tick. Only the last change counts.
        last = {(change.run, change.key): change for change in commit.state}.values()
        tx.many("set_state", _rows(change for change in last if change.value is not None))
        tx.many("delete_state", [(change.run, change.key) for change in last if change.value is None])
    tx.many("take_messages", _rows(commit.taken))
    # After they were taken: the step that ends a chapter may have heard some of them.
    tx.many("give_back_messages", _rows(commit.returned))
    tx.many("insert_questions", _rows(commit.questions), commit.namespace)
    if commit.answered:
        tx.many("answer_updates", _rows(commit.answered))
        tx.announce(ANSWERED)
    note_tasks(tx, commit)


def _write_items(tx: Transaction, commit: Commit) -> None:
    tx.many("insert_items", _rows(commit.published), commit.drop_items_at)
    added = Counter((row.run, row.stream) for row in commit.published)
    oldest: list[Row] = [(run, name, _OLDEST + 2 * rows) for (run, name), rows in sorted(added.items())]
    tx.many("trim_streams", oldest, commit.stream_items, commit.stream_bytes)
    runs = {row.run for row in commit.published}
    tx.announce(*map(of_stream, runs) if len(runs) <= _FEW_RUNS else [STREAMS])


def _write_queue(tx: Transaction, commit: Commit) -> None:
    """Called before tasks and runs are written, because a worker's transaction locks the item first, too."""
    # A batch on Postgres cannot insert the same item twice.
    queued = {(task.run, task.seq): task for task in commit.queued}
    # An item that is queued again replaces its row and continues its lease numbers, so it is not deleted.
    gone = [(task.run, task.seq) for task in commit.unqueued if (task.run, task.seq) not in queued]
    tx.many("unqueue_tasks", gone)
    tx.many("queue_tasks", _rows(queued.values()), commit.namespace)
    # A run that was cancelled because it could not go on does not know its items in the queue.
    cancelled = [(run.run,) for run in commit.ended if run.status is RunStatus.CANCELLED]
    tx.many("clear_queue", cancelled)
    tx.many("hold_queue", [(run.run,) for run in commit.released if run.status is RunStatus.PAUSED])


def _end_and_release(tx: Transaction, commit: Commit) -> None:
    news = [
        NewMessage(run.parent, MessageKind.CHILD, str(run.parent_seq), NULL)
        for run in commit.ended
        if run.parent is not None
    ]
    forced = [run.run for run in commit.ended if run.is_forced]
    if forced:
        news += news_for_children(tx, forced, "its parent was terminated")
    messages = commit.messages + news if news else commit.messages
    closed = bool(commit.closed or commit.unasked)
    if messages or commit.proved or commit.waits or commit.woken or closed:
        # All rows of runs are locked at once, in order. Otherwise two nodes that send messages to each
        # other's runs could deadlock.
        ended = {run.run for run in commit.ended}
        targets = {message.run for message in messages}
        woken = {row.run for row in commit.woken}
        own = {row.run for row in (*commit.proved, *commit.waits, *commit.released)}
        own |= {row.run for row in (*commit.closed, *commit.unasked)}
        locked = lock_runs(tx, commit.namespace, targets | woken | ended | own, commit.now)
        open_runs = {run: locked[run] for run in targets if run in locked and run not in ended}
        deliver(tx, commit.namespace, messages, open_runs, commit.now, commit.node)
        tx.many("wake_held_runs", [(run,) for run in sorted(woken)], commit.namespace, commit.now)
        tell_nodes(tx, [locked[run] for run in woken if run in locked], commit.node)
    if closed:
        # Whoever answers a question has locked the run as well.
        tx.many("close_questions", _rows(commit.closed))
        tx.many("close_questions_of", _rows({row.run: row for row in commit.unasked}.values()))
    tx.many("prove_runs", _rows(commit.proved), commit.namespace)
    # Only the last row of a run is written: a batch on Postgres could apply any of several.
    tx.many("show_waits", _rows({row.run: row for row in commit.waits}.values()), commit.namespace)
    tx.many("end_runs", [row[:-1] for row in _rows(commit.ended)], commit.namespace)
    # A run that was cancelled because it could not go on has not settled its own tasks.
    cancelled = [run for run in commit.ended if run.status is RunStatus.CANCELLED]
    cancel_open_tasks(tx, commit.namespace, [(run.run, run.finished_at) for run in cancelled], commit.now)
    if commit.chapters:
        _begin_chapters(tx, commit)
    tx.many("release_runs", _rows(commit.released), commit.namespace)
    _note_statuses(tx, commit)
    parked: list[Row] = [(run.run,) for run in commit.released if run.status is RunStatus.PARKED]
    wake_cancelled(tx, commit.namespace, {run for (run,) in tx.many_returning("cancelling_of", parked)})


def _note_statuses(tx: Transaction, commit: Commit) -> None:
    rows: list[Row] = [(run.run, RunStatus.RUNNING, run.waiting) for run in commit.waits]
    rows += [(run.run, run.status, run.waiting) for run in commit.released]
    rows += [(run.run, run.status, None) for run in commit.ended]
    note(tx, commit.namespace, commit.now, STATUS, rows)


def cancel_open_tasks(
    tx: Transaction, namespace: str, ended: Sequence[tuple[RunKey, Instant]], now: Instant
) -> None:
    """Of runs that end without asking their tasks, each with the instant of its end."""
    cancelled = tx.many_returning("cancel_open_tasks", ended)
    tasks = [(run, seq, TaskStatus.CANCELLED, attempt) for run, seq, attempt in sorted(cancelled)]
    note(tx, namespace, now, TASK, tasks)


def _begin_chapters(tx: Transaction, commit: Commit) -> None:
    first: list[Row] = [(row.run,) for row in commit.chapters if row.number == 1]
    tx.many("keep_first_chapters", first, commit.namespace)  # before the input is replaced
    tx.many("insert_chapters", _rows(commit.chapters))
    begun: list[Row] = [(row.run, row.number, row.input) for row in commit.chapters]
    tx.many("begin_chapters", begun, commit.namespace)


def news_for_children(tx: Transaction, ended: Sequence[RunKey], reason: str) -> list[NewMessage]:
    """Messages for the open children that end with these runs. The sender of each is its parent."""
    rows = tx.many_returning("attached_children", [(run,) for run in sorted(ended)])
    cancelled = Payload(msgspec.json.encode(reason))
    ended_at_once = Payload(msgspec.json.encode(termination_reason(reason)))
    return [
        NewMessage(child, MessageKind.TERMINATE, "", ended_at_once, parent)
        if options is not None and read_run_options(options).on_parent_end == OnParentEnd.TERMINATE
        else NewMessage(child, MessageKind.CANCEL, "", cancelled, parent)
        for parent, child, options in rows
    ]


# --- mail and new work


def _take_work(
    tx: Transaction, commit: Commit
) -> tuple[list[Claimed], list[MessageRecord], frozenset[RunKey]]:
    if not commit.collect and commit.claim is None:
        return [], [], frozenset()
    collected = tx.send("collect_mail", commit.node)
    claimed = [] if commit.claim is None else _claim(tx, commit, commit.claim)
    readers: list[Row] = [(run, commit.read.get(run, 0)) for (run,) in collected()]
    readers += [(claim.run.key, 0) for claim in claimed]
    return claimed, *read_mail(tx, commit, readers)


def _reap_and_find_due(tx: Transaction, commit: Commit, wanted: ClaimRequest) -> list[Row]:
    # While one transaction kept everybody from writing, no node could renew its lease, however alive it is.
    # They get their turn first. A claim that comes after this one finds the dead.
    if tx.waited > _LONG_WAIT:
        return _send_due(tx, commit, wanted)()
    reaped = tx.send("delete_expired_nodes", commit.namespace, commit.node, commit.now)
    due = _send_due(tx, commit, wanted)  # sent along, because there is hardly ever a dead node
    expired = reaped()
    if expired:
        tx.many("free_runs", expired, commit.now, 1)
        tx.announce(DUE)  # more runs may be free than this node claims
        due = _send_due(tx, commit, wanted)
    return due()


def free_expired(tx: Transaction, namespace: str, node: NodeId | None, now: Instant) -> None:
    """Free the runs of nodes whose lease has expired, except those of `node`."""
    expired = tx.rows("delete_expired_nodes", namespace, node or "", now)
    if expired:
        tx.many("free_runs", expired, now, 1)
        tx.announce(DUE)


def _send_due(tx: Transaction, commit: Commit, wanted: ClaimRequest) -> Callable[[], list[Row]]:
    if wanted.runs is None:
        claims = [(claim,) for claim in sorted(wanted.claims)]
        urgent = tx.send_many("urgent_runs", claims, commit.namespace, commit.now, wanted.limit)
        limits = (wanted.limit, SETBACKS_ALLOWED)
        due = tx.send_many("due_runs", claims, commit.namespace, commit.now, *limits)
        return lambda: _urgent_first(urgent(), due(), wanted.limit)
    asked = [(run,) for run in sorted(wanted.runs)]
    found = tx.send_many("due_of", asked, commit.namespace, commit.now)
    return lambda: _oldest_first(found())


def _oldest_first(due: list[Row]) -> list[Row]:
    return sorted(due, key=lambda row: (row[2], row[0]))


def _urgent_first(urgent: list[Row], due: list[Row], limit: int) -> list[Row]:
    """`due` has the oldest runs of each claim. Here they are merged: the oldest of all come first, after
    those with a priority, which `due` may have, too. Of those, a claim gives all it has of one priority
    before the next claim does, and begins if its oldest run has waited longest."""
    due = _shared(_oldest_first(due), limit)
    if not urgent:
        return due
    urgent.sort(key=lambda row: (row[2], row[0]))
    oldest: dict[tuple[str, int], Instant] = {}
    for row in urgent:
        oldest.setdefault((row[4], row[6]), row[2])
    urgent.sort(key=lambda row: (-row[6], oldest[row[4], row[6]], row[4]))
    first = {row[0] for row in urgent}
    return [*(row[:6] for row in urgent), *(row for row in due if row[0] not in first)]


def _claim(tx: Transaction, commit: Commit, wanted: ClaimRequest) -> list[Claimed]:
    due = _reap_and_find_due(tx, commit, wanted)
    due = _in_safe_company(due[: wanted.limit], wanted.limit)
    runs: dict[RunKey, RunRecord] = {}

    def claim(start: int, end: int) -> int:
        keys = [row[:1] for row in due[start:end]]
        rows = tx.many_returning("claim_runs", keys, commit.namespace, commit.node, commit.now)
        claimed = list(map(run_record, rows))
        runs.update((run.key, run) for run in claimed)
        return sum(len(run.input) for run in claimed)

    taken = due[: read_within(wanted.bytes, [row[5] for row in due], claim)]
    note(tx, commit.namespace, commit.now, STATUS, [(row[0], RunStatus.RUNNING, None) for row in taken])
    # A pending run is new if this is its first claim. Then it has no journal.
    return [Claimed(runs[key], status == "pending" and runs[key].epoch == 1) for key, status, *_ in taken]


def _shared(due: list[Row], limit: int) -> list[Row]:
    """The same share for each claim. Postgres returns no more than that, since it locks what it returns."""
    by_claim: dict[str, list[Row]] = {}
    for row in due:
        by_claim.setdefault(row[4], []).append(row)
    if len(by_claim) < 2:
        return due
    most = claim_limit(limit, max(rows[0][3] for rows in by_claim.values()))
    share = max(1, most // len(by_claim))
    chosen = {row[0] for rows in by_claim.values() for row in rows[:share]}
    return [row for row in due if row[0] in chosen]


def _in_safe_company(due: list[Row], limit: int) -> list[Row]:
    """The runs that may be claimed together. A run with setbacks may be what kills its nodes: the more
    setbacks it has, the fewer runs are claimed with it, until it is claimed alone."""
    company: list[Row] = []
    most = limit
    for row in due:
        allowed = min(most, claim_limit(limit, row[3]))
        if len(company) < allowed:
            company.append(row)
            most = allowed
    return company


def _announce(tx: Transaction, commit: Commit) -> None:
    """Announce what other processes may be waiting for, except messages, which are announced as they are
    delivered."""
    if commit.ended:
        tx.announce(ENDED)
    if commit.is_watched and tx.noted:
        tx.announce(CHANGES)
    for wake_at in {run.wake_at for run in commit.released if run.wake_at is not None}:
        tx.announce(DUE if wake_at <= commit.now else COLD)
    if any(run.owner is None for run in commit.created):
        tx.announce(DUE)
