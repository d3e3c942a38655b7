"""Safety: what must hold after every write, and whenever a task is about to start.

These are the promises of the design, as checks of the rows. After each write the rows are read back through
the port and compared with the rows before it, so a forbidden change is found and blamed on the process that
wrote it, whatever the engine believes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.records import History, RunRecord, TaskRecord
from holdfast.core.run_options import with_options_changed
from holdfast.core.values import Failure, Instant, NodeId, RunKey, RunStatus, key_text
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.executor import Attempt
from holdfast.ports.runs import RunFilter, RunStore
from holdfast.testing.simulation.database import StoreCall, run_inline
from holdfast.testing.simulation.queue_checks import QueueChecks, broken_by_workers

_NO_MATTER_HOW_LONG = Instant(0)
"""Since when a run is due proves nothing here: all nodes may be down for a while."""
_NO_REASON = Failure(type="", message="nobody says why")
_DELETES = ("bury_runs", "clear_buried")
_EVERYTHING_EVERY = 16
"""Ended runs, which nothing should change, are checked at every 16th write only."""


class Safety:
    def __init__(
        self, store: RunStore, namespace: str, fail: Callable[[str], None], deadly: Collection[str]
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._fail = fail
        self._deadly = deadly
        """Workflows whose runs end their process. These runs may be parked for that reason only."""
        self._known: dict[RunKey, History] = {}
        self._ended: set[RunKey] = set()
        """The runs that have ended at least once. A run may have been opened again since."""
        self.deleted: dict[RunKey, History] = {}
        """The runs that clients have deleted, as they were before."""
        self._replaced: dict[RunKey, str] = {}
        """The runs that have lost their ids to newer runs before they had ended, and who had them."""
        self.on_change: list[Callable[[History | None, History], None]] = []
        """Called after a write, for each run that it has changed, with the rows before and after it."""
        self.on_start: list[Callable[[Attempt, History], None]] = []
        """Called when an attempt starts, with the rows of its run."""
        self._leases: dict[NodeId, int] = {}
        self._items = QueueChecks()
        self.writes = self.starts = self.answers = 0
        """How many checks of each kind were made."""
        self.clocks_agree = True
        """False once a clock was wrong: then two nodes may both believe that they hold a lease."""

    # --- the promises about rows

    def check_write(self, operation: StoreCall, result: Any) -> None:
        self.writes += 1
        if operation.name == "renew_lease":
            node, _, until = operation.args
            if result:
                self._leases[node] = until
            return
        if operation.name == "commit" and _only_renews(operation.args[0]):
            self._note_lease(operation.args[0], result)
            return
        is_thorough = self.writes % _EVERYTHING_EVERY == 0
        self._note_deleted(operation)
        for before, after in self._changes(is_thorough):
            self._check_parked(before, after)
            if operation.name == "restart_runs" and before is not None and before.run.owner is not None:
                self._replaced[after.run.key] = before.run.owner
            for watch in self.on_change:
                watch(before, after)
            for broken in (
                *_broken_by(operation, before, after, self._leases),
                *broken_by_workers(operation, result, before, after),
            ):
                self._fail(f"{broken}: run {key_text(after.run.key)}, by {operation} of {operation.process}")
        if operation.name == "commit":
            self._note_lease(operation.args[0], result)
        for broken in self._items.check(operation, result, self._known, clocks_agree=self.clocks_agree):
            self._fail(f"{broken}, by {operation} of {operation.process}")
        for stranded in run_inline(self._store.stranded_runs(self._namespace, _NO_MATTER_HOW_LONG)):
            self._fail(f"promise 7, nothing is stranded: {stranded}, after {operation}")

    def _note_lease(self, commit: Commit, receipt: Receipt) -> None:
        if receipt.lease_since == commit.now:  # it has begun a new lease
            self._leases[commit.node] = commit.lease_until
        elif commit.renews:
            self._leases[commit.node] = max(self._leases.get(commit.node, 0), commit.lease_until)

    def _check_parked(self, before: History | None, after: History) -> None:
        """Fails at the first parking, even if the run goes on by itself later: code that is not deterministic
        may ask for the recorded task again by chance."""
        run = after.run
        if run.status is not RunStatus.PARKED or (before is not None and before.run.status is run.status):
            return
        failure = run.failure or _NO_REASON
        if run.workflow not in self._deadly or failure.type != "holdfast.errors:TooManySetbacks":
            name = run.id or key_text(run.key)
            self._fail(f"promise 5, same journal, same commands: run {name} is parked: {failure.message}")

    def _note_deleted(self, operation: StoreCall) -> None:
        there = {record.key for record in self._records()}
        for key in [key for key in self._known if key not in there]:
            history = self.deleted[key] = self._known.pop(key)
            if operation.name not in _DELETES:
                self._fail(f"a run is gone: {key_text(key)}, by {operation} of {operation.process}")
            elif not history.run.status.is_final:
                self._fail(f"a run was deleted before it had ended: {key_text(key)}, by {operation.process}")

    def _records(self) -> list[RunRecord]:
        return run_inline(self._store.list_runs(self._namespace, RunFilter(limit=10_000)))

    def _changes(self, is_thorough: bool) -> Iterator[tuple[History | None, History]]:
        records = self._records()
        open_runs = [record.key for record in records if is_thorough or self._may_change(record)]
        if not open_runs:
            return
        for history in run_inline(self._store.load_histories(self._namespace, open_runs)):
            if history.damage is not None:
                self._fail(f"the history of run {key_text(history.run.key)} cannot be read: {history.damage}")
            before = self._known.get(history.run.key)
            if before != history:
                self._known[history.run.key] = history
                if history.run.status.is_final:
                    self._ended.add(history.run.key)
                yield before, history

    def _may_change(self, record: RunRecord) -> bool:
        known = self._known.get(record.key)
        return known is None or known.run != record or not record.status.is_final

    # --- the promises about tasks

    def check_start(self, node: NodeId, attempt: Attempt) -> None:
        """Called when an engine hands an attempt to its executor."""
        self.starts += 1
        what = f"{attempt.name} ({attempt.seq}, attempt {attempt.number}) of run {key_text(attempt.run)}"
        history = self._known.get(attempt.run)
        task = next((task for task in history.tasks if task.seq == attempt.seq), None) if history else None
        if attempt.run in self.deleted and not self.clocks_agree:
            return
        if history is None or task is None:
            self._fail(f"promise 1, journal before effect: {what} starts and is not recorded")
            return
        if attempt.options.service is not None:
            self._fail(f"workers take it from the queue: {what} starts on {node}")
        if task.input != attempt.input or task.name != attempt.name:
            self._fail(f"promise 1, journal before effect: {what} starts with another input than recorded")
        if not self.clocks_agree:
            return
        if self._replaced.get(attempt.run) == node:
            return  # it has not heard yet that a newer run has the id, which ends a run without its owner
        if history.run.owner != node:
            self._fail(f"promise 2, one owner: {what} starts on {node}, but {history.run.owner} owns the run")
        elif task.status.is_final:
            self._fail(f"promise 3, recorded tasks are never done again: {what} starts, it is {task.status}")
        elif task.attempt != attempt.number:
            self._fail(f"attempts are counted: {what} starts, the store has it at attempt {task.attempt}")
        for watch in self.on_start:
            watch(attempt, history)

    # --- the promises about answers

    def check_known(self, run: RunKey) -> None:
        """Called when a caller was told that this run exists."""
        self.answers += 1
        if run not in self._known and run not in self.deleted:
            self._fail(f"promise 1, no caller is answered before the commit: run {key_text(run)} is unknown")

    def check_ended(self, run: RunKey) -> None:
        """Called when a caller was told how this run ended. It may have been opened again since."""
        self.answers += 1
        if run not in self._ended:
            self._fail(f"promise 1, no caller is answered before the commit: run {key_text(run)} goes on")

    def unfinished(self) -> list[RunRecord]:
        return [history.run for history in self._known.values() if not history.run.status.is_final]

    def history(self, run: RunKey) -> History | None:
        return self._known.get(run)

    def histories(self) -> list[History]:
        return list(self._known.values())


def _broken_by(
    operation: StoreCall, before: History | None, after: History, leases: dict[NodeId, int]
) -> Iterator[str]:
    if before is None:
        if operation.name not in (
            "commit",
            "create_runs",
            "restart_runs",
            "signal_or_start",
            "fire_schedule",
        ):
            yield "a run came from nowhere"
        return
    if operation.name == "restart_runs":
        before = _without_id(before, after)
    old, new = before.run, after.run
    if operation.name != "reopen_runs":
        yield from _finality(before, after, _unloaded_by(operation, after) if after.run.chapter else ())
    is_same_chapter = old.chapter == new.chapter
    if new.chapter not in (old.chapter, old.chapter + 1):
        yield "chapters follow each other"
    if is_same_chapter and after.steps[: len(before.steps)] != before.steps:
        yield "the journal is append-only"
    if after.chapter.first_position > before.next_position + 1:
        yield "the positions of steps have no gaps"
    if new.epoch < old.epoch:
        yield "promise 2, one owner: the epoch went back"
    if is_same_chapter and new.input != old.input:
        yield "what a chapter began with stays"
    if new.key != old.key or new.id != old.id or new.parent != old.parent:
        yield "what a run began with stays"
    if operation.name == "commit":
        yield from _ownership(operation.args[0], before, after, leases)
    elif operation.name in (
        "post_messages",
        "signal_or_start",
        "create_runs",
        "remove_node",
        "register_definitions",
        "recover_commit",
    ) and _owner_facts(before) != _owner_facts(after):
        yield "promise 2, one owner: only its owner moves a run"


def _finality(before: History, after: History, unloaded: Collection[MessageId]) -> Iterator[str]:
    """`unloaded` are messages that are in the database and not in the history any more."""
    if before.run.status.is_final and _own_rows(before) != _own_rows(after):
        yield "promise 6, terminal is final: an ended run was changed"
    tasks = {task.seq: task for task in after.tasks}
    for task in before.tasks:
        if task.status.is_final and tasks.get(task.seq, _if_earlier(task, after)) != task:
            yield f"promise 6, terminal is final: task {task.seq} was {task.status} and was changed"
    if before.run.chapter != after.run.chapter:
        return  # messages that were read are gone with their chapter, or are unread again
    messages = {message.id: message for message in after.messages}
    for message in before.messages:
        now = messages.get(message.id)
        if now is None and message.id in unloaded:
            continue
        if now is None:
            yield f"message {message.id} is gone"
        elif message.taken is not None and now != message:
            yield f"message {message.id} was read twice"
        elif msgspec.structs.replace(now, taken=None) != msgspec.structs.replace(message, taken=None):
            yield f"message {message.id} was changed"


def _unloaded_by(operation: StoreCall, after: History) -> Collection[MessageId]:
    """The updates that the commit refuses, and what ends a chapter before its first step. No step reads them,
    so the history of a later chapter has none of them."""
    commit = operation.args[0] if operation.name == "commit" else None
    taken = [it for it in commit.taken if it.run == after.run.key] if isinstance(commit, Commit) else []
    return [it.message for it in taken if it.position < after.chapter.first_position]


def _if_earlier(task: TaskRecord, after: History) -> TaskRecord | None:
    """The task itself if it belongs to an earlier chapter, which is not loaded."""
    return task if task.seq < after.chapter.first_task else None


def _own_rows(history: History) -> History:
    """The history without the children, which have rows of their own."""
    return msgspec.structs.replace(history, children=[])


def _without_id(before: History, after: History) -> History:
    """The history as it is after another run has taken the id, and nothing else has happened."""
    run = before.run
    if run.id is None or after.run.id is not None:
        return before
    options = with_options_changed(run.options, former_id=run.id)
    return msgspec.structs.replace(before, run=msgspec.structs.replace(run, id=None, options=options))


def _owner_facts(history: History) -> Any:
    """What only the owner of a run may change."""
    run = history.run
    return run.status, run.output, run.failure, run.epoch, history.steps, history.tasks


def _ownership(commit: Commit, before: History, after: History, leases: dict[NodeId, int]) -> Iterator[str]:
    old, new = before.run, after.run
    was_freed = new.owner != old.owner and old.owner is not None and old.owner != commit.node
    if was_freed and leases.get(NodeId(str(old.owner)), 0) >= commit.now:
        yield f"promise 2, one owner: {commit.node} freed a run of {old.owner}, whose lease has not run out"
    if new.owner == commit.node and old.owner != commit.node and new.epoch != old.epoch + 1:
        yield "promise 2, one owner: a run was taken without a new epoch"
    if new.owner not in (old.owner, commit.node, None):
        yield f"promise 2, one owner: {commit.node} gave the run to {new.owner}"
    moved = before.steps != after.steps or before.tasks != after.tasks or old.output != new.output
    if moved and not (old.owner == commit.node and _held_epoch(commit, old.key) == old.epoch):
        yield f"promise 2, fenced: {commit.node} wrote for a run that {old.owner} owns"


def _only_renews(commit: Commit) -> bool:
    return not (commit.created or commit.held or commit.messages or commit.claim or commit.collect)


def _held_epoch(commit: Commit, run: RunKey) -> int | None:
    return next((held.epoch for held in commit.held if held.run == run), None)
