"""Puts messages into the inboxes of runs, and wakes the runs. The rows of the runs are locked meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, NodeId, RunKey, RunStatus
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostAnswer, PostResult
from holdfast.ports.store_life import COLD, DUE, of_node
from holdfast.stores.answers import is_answer, place_answers
from holdfast.stores.change_log import note_messages
from holdfast.stores.database import Row, Transaction
from holdfast.stores.message_ids import SentMessages, send_search

_FINAL = frozenset(status.value for status in RunStatus if status.is_final)
_ENDINGS = frozenset({MessageKind.CANCEL, MessageKind.TERMINATE})


def post_messages(
    tx: Transaction, namespace: str, messages: Sequence[NewMessage], now: Instant
) -> list[PostAnswer]:
    """Add the messages that were not sent before. Returns one result per message."""
    locking = _send_lock(tx, namespace, {message.run for message in messages}, now)
    searching = send_search(tx, messages)  # sent along, and carried out once the locks are there
    return deliver(tx, namespace, messages, locking(), now, sent=searching())


class LockedRun(NamedTuple):
    status: str
    owner: NodeId | None
    last_owner: NodeId | None
    """The node that released the run, if that node is still there."""


def lock_runs(
    tx: Transaction, namespace: str, runs: Iterable[RunKey], now: Instant
) -> dict[RunKey, LockedRun]:
    """Lock the runs until the transaction ends. Returns those that exist."""
    return _send_lock(tx, namespace, runs, now)()


def _send_lock(
    tx: Transaction, namespace: str, runs: Iterable[RunKey], now: Instant
) -> Callable[[], dict[RunKey, LockedRun]]:
    rows = tx.send_many("lock_runs", [(run,) for run in sorted(runs)], namespace, now)
    return lambda: {key: LockedRun(*row) for key, *row in rows()}


def deliver(
    tx: Transaction,
    namespace: str,
    messages: Sequence[NewMessage],
    locked: dict[RunKey, LockedRun],
    now: Instant,
    sender: NodeId | None = None,
    sent: SentMessages | None = None,
) -> list[PostAnswer]:
    """Add messages to locked runs that have not ended, and wake them. Returns one result per message.

    `sender` is the node that sends them, if a node does: it looks by itself. `sent` has those that were sent
    before; None: messages without ids, which are new."""
    results: list[PostAnswer] = []
    for part in _in_parts(messages, sent):
        results += _deliver(tx, namespace, part, locked, now, sender, sent)
    return results


def _in_parts(messages: Sequence[NewMessage], sent: SentMessages | None) -> Iterator[Sequence[NewMessage]]:
    """Nearly always one. An answer that has the id of a message before it begins another part: whether it was
    sent before is known when the part before it is written."""
    first = 0
    uids: set[tuple[RunKey, str]] = set()
    for index, message in enumerate(messages if sent is not None else ()):
        if message.uid is not None:
            if is_answer(message) and (message.run, message.uid) in uids:
                yield messages[first:index]
                first = index
                uids.clear()
            uids.add((message.run, message.uid))
    yield messages[first:]


def _deliver(
    tx: Transaction,
    namespace: str,
    messages: Sequence[NewMessage],
    locked: dict[RunKey, LockedRun],
    now: Instant,
    sender: NodeId | None,
    sent: SentMessages | None,
) -> list[PostAnswer]:
    answers = [it for it in messages if is_answer(it) and _refusal(it, locked, sent) is None]
    placed = iter(place_answers(tx, answers, now) if answers else ())
    results: list[PostAnswer] = []
    posted: list[NewMessage] = []
    for message in messages:
        refused = _refusal(message, locked, sent)
        if refused is not None:
            results.append(refused)
            continue
        added = next(placed) if is_answer(message) else message
        if not isinstance(added, NewMessage):
            results.append(added)
            continue
        results.append(PostResult.POSTED)
        posted.append(added)
        if sent is not None:
            sent.add(added)
    rows: list[Row] = [
        (it.run, it.kind, it.name, it.payload, it.by, it.uid, it.comment, it.question) for it in posted
    ]
    tx.many("insert_messages", rows, now)
    note_messages(tx, namespace, now, posted)
    runs = {message.run for message in posted}
    tx.many("wake_runs", [(run,) for run in sorted(runs)], namespace, now)
    wake_cancelled(tx, namespace, {it.run for it in posted if it.kind in _ENDINGS})
    # Also of messages that are not added: see tell_of_lock.
    tell_of_lock(tx, [locked[run] for run in {it.run for it in messages} if run in locked], sender)
    return results


def _refusal(
    message: NewMessage, locked: dict[RunKey, LockedRun], sent: SentMessages | None
) -> PostResult | None:
    """Why the message is not added. None: it may be."""
    run = locked.get(message.run)
    if run is None:
        return PostResult.NO_SUCH_RUN
    before = None if sent is None else sent.answer(message)
    if before is not None:
        return before
    return PostResult.ENDED if run.status in _FINAL else None


def tell_nodes(tx: Transaction, runs: Iterable[LockedRun], sender: NodeId | None) -> None:
    """Announce that these runs have something to read. One node is told of each, if there is one to choose:
    of ten nodes that look for a single run, nine would look in vain."""
    for run in runs:
        node = run.owner or run.last_owner
        if node is None or run.status == RunStatus.PARKED:  # any node may end a parked run that is cancelled
            tx.announce(DUE)
            continue
        if node != sender:
            tx.announce(of_node(node))
        if run.owner is None:
            tx.announce(COLD)


def tell_of_lock(tx: Transaction, runs: Iterable[LockedRun], sender: NodeId | None = None) -> None:
    """Tell the nodes of runs that this transaction has locked, also if it has sent them nothing. A node that
    looked for mail meanwhile has skipped these runs, and would look again only at its next poll."""
    tell_nodes(tx, [run for run in runs if run.status not in _FINAL], sender)


def wake_cancelled(tx: Transaction, namespace: str, runs: Iterable[RunKey]) -> None:
    """Wake runs that have a cancellation. Other messages do not wake runs that are parked or held back by
    their parent. A cancellation does, because any node that claims the run can end it."""
    tx.many("wake_cancelled_runs", [(run,) for run in sorted(runs)], namespace)
