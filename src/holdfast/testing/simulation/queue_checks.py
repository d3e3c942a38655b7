"""Checks of the queue after every write: which worker was given which item, and was that allowed?

An item is handed out once for each attempt at its task. It is not handed out while another worker's lease
lasts, nor for an attempt whose outcome its run already has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from holdfast.core.records import History
from holdfast.core.values import RunKey, TaskStatus, key_text
from holdfast.ports.commits import Commit
from holdfast.ports.workers import Completion, CompletionResult, QueueItem
from holdfast.testing.simulation.database import StoreCall

_Key: TypeAlias = tuple[RunKey, int]

_ABOUT_THEMSELVES: Final = ("register_worker", "record_heartbeat", "renew_item", "mark_workers_offline")


class QueueChecks:
    def __init__(self) -> None:
        self._taken: dict[_Key, QueueItem] = {}
        """Each item as it was last handed out."""
        self._until: dict[_Key, int] = {}
        """When the lease on an item ends. An item that no worker has is missing."""
        self._told: dict[_Key, int] = {}
        """The last attempt whose outcome the run was told."""

    def check(
        self, operation: StoreCall, result: Any, known: Mapping[RunKey, History], *, clocks_agree: bool
    ) -> Iterator[str]:
        """What the write broke. Called after the write; `known` has the rows after it."""
        args = operation.args
        match operation.name:
            case "poll_queue" if result is not None:
                yield from self._check_taken(result, args[3], known.get(result.run), clocks_agree)
            case "complete_item" if result is CompletionResult.DONE:
                yield from self._check_completed(args[1])
            case "renew_item" if result:
                _, run, seq, _, until = args
                self._until[run, seq] = until
            case "record_heartbeat" if result:
                for key in self._until:
                    if self._taken[key].worker == args[1]:
                        self._until[key] = args[5]
            case "commit":
                self._let_go(args[0])
            case _:
                pass

    def _check_taken(
        self, item: QueueItem, now: int, history: History | None, clocks_agree: bool
    ) -> Iterator[str]:
        key, what = (item.run, item.seq), _told(item)
        tasks = {} if history is None else {task.seq: task for task in history.tasks}
        task = tasks.get(item.seq)
        if history is None or task is None:
            yield f"promise 1, journal before effect: {what} is handed out and is not recorded"
        elif task.status is not TaskStatus.RUNNING or history.run.status.is_final:
            yield f"promise 3, recorded tasks are never done again: {what} is handed out, it is {task.status}"
        elif (task.name, task.input, task.attempt) != (item.name, item.input, item.attempt):
            yield f"promise 1, journal before effect: {what} is handed out otherwise than it is recorded"
        if self._told.get(key, 0) >= item.attempt:
            yield f"promise 3, recorded tasks are never done again: {what} is handed out, its run was told"
        before = self._taken.get(key)
        if before is not None and (item.lease <= before.lease or item.attempt <= before.attempt):
            yield f"leases are counted: {what} is handed out, and {_told(before)} was before"
        if clocks_agree and self._until.get(key, 0) > now:
            yield f"one worker has an item: {what} is handed out, and the lease of {_told(before)} goes on"
        self._taken[key] = item
        self._until[key] = item.lease_until

    def _check_completed(self, completion: Completion) -> Iterator[str]:
        key = completion.run, completion.seq
        item = self._taken.get(key)
        if item is None or item.lease != completion.lease:
            yield f"a late completion counts for nothing: lease {completion.lease} completed {_told(item)}"
            return
        if self._told.get(key, 0) >= item.attempt:
            yield f"an item is completed once: {_told(item)}"
        self._told[key] = item.attempt
        self._until.pop(key, None)

    def _let_go(self, commit: Commit) -> None:
        """Ends the leases on items that the commit queues again or removes, and on those of ended runs."""
        for row in (*commit.queued, *commit.unqueued):
            self._until.pop((row.run, row.seq), None)
        for ended in commit.ended:
            for key in [key for key in self._until if key[0] == ended.run]:
                del self._until[key]


def broken_by_workers(
    operation: StoreCall, result: Any, before: History | None, after: History
) -> Iterator[str]:
    """What is wrong with how a worker's call changed a run."""
    if before is None:
        return
    match operation.name:
        case "complete_item" if result is not CompletionResult.DONE:
            yield "a late completion counts for nothing: it changed a run"
        case "complete_item" if _moved(before) != _moved(after) or before.tasks != after.tasks:
            yield "promise 2, one owner: a worker tells a run, and does not move it"
        case "poll_queue" if _moved(before) != _moved(after):
            yield "promise 2, one owner: whoever takes an item moves no run"
        case name if name in _ABOUT_THEMSELVES:
            yield "promise 2, one owner: what a worker says of itself moves no run"
        case _:
            pass


def _moved(history: History) -> Any:
    run = history.run
    return run.status, run.output, run.failure, run.epoch, run.owner, history.steps


def _told(item: QueueItem | None) -> str:
    if item is None:
        return "an item that nobody has taken"
    whose = f"{item.name} ({item.seq}, attempt {item.attempt}) of run {key_text(item.run)}"
    return f"{whose}, lease {item.lease} of {item.worker}"
