"""What operators do to runs, on the tables of the model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from tests.differential.questions import close_all
from tests.differential.tables import AWAKE, Tables

from holdfast.core.events import MessageId
from holdfast.core.history import cancellation
from holdfast.core.journal import write_timers_moved
from holdfast.core.records import DONE_BY_STORE, MessageKind, MessageRecord, RunRecord
from holdfast.core.run_options import read_run_options, with_options_changed
from holdfast.core.values import NULL, Instant, Payload, RunKey, RunStatus, TaskStatus, key_text
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import Act, ActResult
from holdfast.stores.acts import terminated_words

_CENTURY = 36_525 * 86_400 * 1_000_000


def record(
    tables: Tables,
    run: RunKey,
    kind: MessageKind,
    by: str | None,
    now: Instant,
    name: str = "",
    payload: Payload = NULL,
) -> None:
    """Keep an act that needs no node."""
    tables.last_message += 1
    id = MessageId(tables.last_message)
    tables.messages[id] = MessageRecord(id, run, kind, name, payload, DONE_BY_STORE, None, by)
    tables.posted[id] = (by, now)


def act_on_runs(tables: Tables, namespace: str, acts: Sequence[Act], now: Instant) -> list[ActResult]:
    for act in acts:
        if act.kind is MessageKind.TERMINATE:
            tables.clear_queue(act.run)
        if act.kind is MessageKind.TRY_NOW:
            _hurry(tables, act, now)
    results = [_result(tables, namespace, act) for act in acts]
    done = [act for act, result in zip(acts, results, strict=True) if result is ActResult.DONE]
    asked = [act for act, result in zip(acts, results, strict=True) if result is ActResult.POSTED]
    news: list[NewMessage] = []
    for act in [act for act in done if act.kind is MessageKind.TERMINATE]:
        news += _terminate(tables, act, now)
    for act in [act for act in done if act.kind is MessageKind.PAUSE]:
        _pause(tables, act)
    for act in done:
        text = Payload(msgspec.json.encode(act.text))
        record(tables, act.run, act.kind, act.by or None, now, act.task, text)
    children = [message for message in news if message.kind is not MessageKind.CHILD]
    parents = [message for message in news if message.kind is MessageKind.CHILD]
    tables.deliver(namespace, [*map(_message, asked), *children, *parents], now)
    return results


def _result(tables: Tables, namespace: str, act: Act) -> ActResult:
    run = tables.run(namespace, act.run)
    if run is None:
        return ActResult.NO_SUCH_RUN
    if run.status.is_final or (act.kind is not MessageKind.TERMINATE and run.status not in AWAKE):
        return ActResult.REFUSED
    is_direct = run.owner is None and act.kind is not MessageKind.TRY_NOW
    return ActResult.DONE if is_direct else ActResult.POSTED


def _terminate(
    tables: Tables, act: Act, now: Instant, reason: str = "its parent was terminated"
) -> list[NewMessage]:
    run = tables.runs[act.run]
    failure = cancellation(terminated_words(act))
    changes: dict[str, Any] = {"wake_at": None, "waiting": None, "epoch": run.epoch + 1}
    tables.change(act.run, status=RunStatus.CANCELLED, failure=failure, finished_at=now, **changes)
    tables.cancel_tasks(act.run, now)
    close_all(tables, act.run, now)
    return [*news_for_children(tables, act.run, reason), *_news_for_parent(tables, act.run)]


def restart_runs(
    tables: Tables, namespace: str, runs: Sequence[RunRecord], replaces: bool, by: str, now: Instant
) -> dict[RunKey, RunKey]:
    """One after the other: an id that was taken is given up, or kept by a run that goes on."""
    kept: dict[RunKey, RunKey] = {}
    ended: list[tuple[RunRecord, RunRecord]] = []
    news: list[NewMessage] = []
    wanted = [run for run in runs if run.key not in tables.runs]
    pairs = [(run, tables.named(namespace, run.id)) for run in wanted]
    for run, known in pairs:
        if known is not None and not known.status.is_final and not replaces:
            kept[run.key] = known.key
        elif known is not None:
            ended.append((run, known))
    for run, known in sorted(ended, key=lambda pair: pair[1].key):
        if replaces:
            tables.clear_queue(known.key)
        if not known.status.is_final:
            act = Act(known.key, MessageKind.TERMINATE, f"replaced by run {key_text(run.key)}", by)
            if known.owner is not None:
                tables.lost_runs[known.owner, known.key] = None
            news += _terminate(tables, act, now, "its parent was replaced")
            tables.change(known.key, owner=None)
            record(tables, known.key, act.kind, by or None, now, "", Payload(msgspec.json.encode(act.text)))
    for run, known in pairs:
        if run.key not in kept:
            tables.add_runs(namespace, [run if known is None else _successor(tables, run, known)])
    children = [message for message in news if message.kind is not MessageKind.CHILD]
    parents = [message for message in news if message.kind is MessageKind.CHILD]
    children.sort(key=lambda message: message.run)
    tables.deliver(namespace, [*children, *parents], now)
    return kept


def _successor(tables: Tables, run: RunRecord, known: RunRecord) -> RunRecord:
    """Takes the id from the run that has it."""
    tables.change(known.key, id=None, options=with_options_changed(known.options, former_id=known.id))
    generation = read_run_options(known.options).generation + 1
    options = with_options_changed(run.options, previous=key_text(known.key), generation=generation)
    return msgspec.structs.replace(run, options=options)


def news_for_children(
    tables: Tables, run: RunKey, reason: str = "its parent was terminated"
) -> list[NewMessage]:
    cancelled, at_once = (Payload(msgspec.json.encode(each)) for each in (reason, f"terminated: {reason}"))
    return [
        NewMessage(child.key, MessageKind.TERMINATE, "", at_once, run)
        if read_run_options(child.options).on_parent_end == "terminate"
        else NewMessage(child.key, MessageKind.CANCEL, "", cancelled, run)
        for child in sorted(tables.runs.values(), key=lambda each: each.key)
        if child.parent == run and child.depth > 0 and not child.status.is_final
    ]


def _news_for_parent(tables: Tables, run: RunKey) -> list[NewMessage]:
    parent, seq = tables.runs[run].parent, tables.runs[run].parent_seq
    return [] if parent is None else [NewMessage(parent, MessageKind.CHILD, str(seq), NULL)]


def _pause(tables: Tables, act: Act) -> None:
    deadline = read_run_options(tables.runs[act.run].options).deadline
    tables.change(act.run, status=RunStatus.PAUSED, wake_at=deadline)
    tables.set_wait(act.run, describe_wait([WaitReason(WaitKind.OPERATOR, act.by, act.text)]))
    hold_queue(tables, act.run)


def hold_queue(tables: Tables, run: RunKey) -> None:
    for at, item in tables.queue.items():
        if item.run == run and item.worker is None:
            tables.queue[at] = item._replace(ready_at=Instant(item.ready_at + _CENTURY))


def let_queue_go(tables: Tables, runs: Collection[RunKey], now: Instant) -> None:
    for at, item in tables.queue.items():
        if item.run in runs and item.worker is None and item.ready_at > now + _CENTURY // 2:
            tables.queue[at] = item._replace(ready_at=Instant(item.ready_at - _CENTURY))


def move_timers(tables: Tables, run: RunKey, now: Instant) -> None:
    """What the run waits for in time comes later by as long as it was paused."""
    mail = tables.mail(run)
    resumed = max((it.id for it in mail if it.kind is MessageKind.RESUME), default=0)
    pauses = [tables.posted[it.id][1] for it in mail if it.kind is MessageKind.PAUSE and it.id > resumed]
    by = max(0, now - min(pauses, default=now))
    if not by:
        return
    for at, task in tables.tasks.items():
        if at[0] == run and task.status is TaskStatus.PENDING and task.due_at is not None:
            tables.tasks[at] = msgspec.structs.replace(task, due_at=Instant(task.due_at + by))
    for at, item in tables.queue.items():
        if item.run == run and item.worker is None:
            tables.queue[at] = item._replace(ready_at=Instant(item.ready_at + by))
    steps = [position for key, position in tables.journal if key == run]
    if steps:
        tables.journal[run, max(steps) + 1] = write_timers_moved(now, by)


def _hurry(tables: Tables, act: Act, now: Instant) -> None:
    for at, item in tables.queue.items():
        task = tables.tasks.get((item.run, item.seq))
        named = {"", str(item.seq), "" if task is None else task.name}
        if item.run == act.run and item.worker is None and item.ready_at > now and act.task in named:
            tables.queue[at] = item._replace(ready_at=now)


def _message(act: Act) -> NewMessage:
    text = terminated_words(act) if act.kind is MessageKind.TERMINATE else act.text
    return NewMessage(act.run, act.kind, act.task, Payload(msgspec.json.encode(text)), by=act.by or None)
