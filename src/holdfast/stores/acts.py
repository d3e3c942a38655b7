"""What operators do to runs: terminate, pause, end backoffs.

If no node has the run, the transaction does it. If a node has it, the node gets a message: only the node may
change a run that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from holdfast.core.history import cancellation, termination_reason
from holdfast.core.journal import ChapterAsked, read_step, write_timers_moved
from holdfast.core.records import DONE_BY_STORE, MessageKind
from holdfast.core.values import NULL, Instant, Payload, RunKey, RunStatus
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait
from holdfast.errors import JournalCorrupt
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import Act, ActResult
from holdfast.ports.store_life import ENDED
from holdfast.stores.change_log import ACT, STATUS, note
from holdfast.stores.commit_script import cancel_open_tasks, free_expired, news_for_children
from holdfast.stores.database import Row, Transaction
from holdfast.stores.delivery import LockedRun, deliver, lock_runs, tell_of_lock
from holdfast.stores.records import run_record

_encode = msgspec.json.Encoder().encode
_AWAKE = frozenset({RunStatus.PENDING, RunStatus.RUNNING})
_FIFTY_YEARS = 50 * 365 * 86_400 * 1_000_000
"""In microseconds. Items of the queue that are held back are due a hundred years later."""


def act_on_runs(tx: Transaction, namespace: str, acts: Sequence[Act], now: Instant) -> list[ActResult]:
    free_expired(tx, namespace, None, now)  # else a run of a dead node would wait for the next claim
    # Before the locks on runs, because a worker that ends an item locks the item first.
    tx.many("clear_queue", [(act.run,) for act in acts if act.kind is MessageKind.TERMINATE])
    for act in acts:
        if act.kind is MessageKind.TRY_NOW:
            tx.run("end_backoffs_in_queue", now, act.run, act.task)
    targets = {act.run for act in acts}
    found = [run_record(row) for row in tx.many_returning("runs_of", [(run,) for run in targets], namespace)]
    parents: dict[RunKey, tuple[RunKey, int | None]] = {
        run.key: (run.parent, run.parent_seq) for run in found if run.parent is not None
    }
    ending = [act.run for act in acts if act.kind is MessageKind.TERMINATE]
    news = news_for_children(tx, ending, "its parent was terminated")
    others = {message.run for message in news} | {parent for parent, _ in parents.values()}
    locked = lock_runs(tx, namespace, targets | others, now)
    results = [_result(act, locked.get(act.run)) for act in acts]
    done = [act for act, result in zip(acts, results, strict=True) if result is ActResult.DONE]
    asked = [act for act, result in zip(acts, results, strict=True) if result is ActResult.POSTED]
    terminate(tx, namespace, [act for act in done if act.kind is MessageKind.TERMINATE], now)
    _pause(tx, namespace, [act for act in done if act.kind is MessageKind.PAUSE], now)
    tx.many("record_acts", [act_row(act) for act in done], now, DONE_BY_STORE)
    note(tx, namespace, now, ACT, [(act.run, act.kind, act.by or None) for act in done])
    ended = {act.run for act in done if act.kind is MessageKind.TERMINATE}
    messages = [_message(act) for act in asked]
    messages += [message for message in news if message.sender in ended]
    messages += [
        NewMessage(parent, MessageKind.CHILD, str(seq), NULL)
        for run, (parent, seq) in parents.items()
        if run in ended
    ]
    # A run that has just ended receives no more messages.
    still_open = {run: it for run, it in locked.items() if run not in ended}
    deliver(tx, namespace, messages, still_open, now)
    tell_of_lock(tx, still_open.values())
    return results


def _result(act: Act, run: LockedRun | None) -> ActResult:
    if run is None:
        return ActResult.NO_SUCH_RUN
    status = RunStatus(run.status)
    if status.is_final or (act.kind is not MessageKind.TERMINATE and status not in _AWAKE):
        return ActResult.REFUSED
    # The message ends a backoff on the node, or wakes the run.
    is_direct = run.owner is None and act.kind is not MessageKind.TRY_NOW
    return ActResult.DONE if is_direct else ActResult.POSTED


def terminate(tx: Transaction, namespace: str, acts: Sequence[Act], now: Instant) -> None:
    if acts:
        rows: list[Row] = [(act.run, _encode(cancellation(terminated_words(act)))) for act in acts]
        tx.many("terminate_runs", rows, namespace, now)
        cancel_open_tasks(tx, namespace, [(act.run, now) for act in acts], now)
        tx.many("close_questions_of", [(act.run, now) for act in acts])
        note(tx, namespace, now, STATUS, [(act.run, RunStatus.CANCELLED, None) for act in acts])
        tx.announce(ENDED)


def terminated_words(act: Act) -> str:
    """The reason that the row of a terminated run has."""
    return termination_reason(act.text, act.by)


def _pause(tx: Transaction, namespace: str, acts: Sequence[Act], now: Instant) -> None:
    rows = [(act.run, *describe_wait([WaitReason(WaitKind.OPERATOR, act.by, act.text)])) for act in acts]
    tx.many("pause_runs", rows, namespace)
    note(tx, namespace, now, STATUS, [(run, RunStatus.PAUSED, waiting) for run, waiting, *_ in rows])
    tx.many("hold_queue", [(act.run,) for act in acts])


def unpark_runs(
    tx: Transaction,
    namespace: str,
    runs: Iterable[RunKey],
    now: Instant,
    by: str,
    *,
    moves_timers: bool = False,
) -> list[RunKey]:
    keys: list[Row] = [(run,) for run in sorted(runs)]
    if moves_timers:
        # Before the locks on runs, because a worker that ends an item locks the item first.
        tx.many_returning("lock_queue", keys)
        locked = lock_runs(tx, namespace, [run for (run,) in keys], now)
        keys = [key for key in keys if key[0] in locked and locked[key[0]].status == RunStatus.PAUSED]
    tx.many("let_queue_go", [(*key, now + _FIFTY_YEARS) for key in keys])
    if moves_timers:
        _move_timers(tx, keys, now)
    resumed = tx.many_returning("unpark_runs", keys, namespace, now)
    tx.many("forget_stalls", [(run,) for run, _ in resumed])
    name = "timers wait" if moves_timers else ""
    acts = [(run, MessageKind.RESUME, name, NULL, by or None) for run, _ in resumed]
    tx.many("record_acts", acts, now, DONE_BY_STORE)
    note(tx, namespace, now, ACT, [(run, MessageKind.RESUME, by or None) for run, _ in resumed])
    note(tx, namespace, now, STATUS, [(run, status, None) for run, status in resumed])
    return [run for run, _ in resumed]


def _move_timers(tx: Transaction, keys: Sequence[Row], now: Instant) -> None:
    """Have everything wait for as much longer as the runs were paused. Their deadlines stay."""
    paused = {run: max(0, now - since) for run, since in tx.many_returning("pauses_of", keys)}
    moved: list[Row] = [(run, by) for run, by in sorted(paused.items()) if by]
    tx.many("move_backoffs", moved)
    tx.many("move_queue", moved)
    last = {run: tx.send("last_steps", run, 1) for run, _ in moved}
    steps = [
        (run, position + 1, write_timers_moved(at, by))
        for run, by in moved
        for position, step in last[run]()  # none if it has not begun
        if (at := _time_of_next(position, step, now)) is not None
    ]
    tx.many("insert_steps", steps)


def _time_of_next(position: int, step: bytes, now: Instant) -> Instant | None:
    """When a step after this one may be: the time of a run never goes back. None if a new chapter comes next,
    and has not begun."""
    try:
        last = read_step(position, bytes(step))
    except JournalCorrupt:
        return now  # the node that loads the run parks it
    return None if any(isinstance(asked, ChapterAsked) for asked in last.asked) else max(now, last.at)


def act_row(act: Act) -> Row:
    return (act.run, act.kind, act.task, Payload(_encode(act.text)), act.by or None)


def _message(act: Act) -> NewMessage:
    text = terminated_words(act) if act.kind is MessageKind.TERMINATE else act.text
    return NewMessage(act.run, act.kind, act.task, Payload(_encode(text)), by=act.by or None)
