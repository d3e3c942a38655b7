"""One act on a page of runs: for `hf.select(...)` and for bulk jobs.

A run that changes meanwhile is refused by itself, and the others go on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from holdfast.client.families import Families
from holdfast.client.operators import Operators, Timers, checked_sender, timers_wait
from holdfast.client.posting import Letter, MessagePoster
from holdfast.client.retention import Retention
from holdfast.client.signals import refusal
from holdfast.core.bulk import BULK, CHANGED, STATES, BulkAct, Refusal
from holdfast.core.records import MessageKind, RunRecord
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline
from holdfast.core.values import Payload, RunStatus, key_text
from holdfast.errors import HoldfastError, JournalCorrupt, StoreError, code_of
from holdfast.ports.runs import ActResult, RunFilter, RunStore

_KINDS: Final = {
    BulkAct.TERMINATE: MessageKind.TERMINATE,
    BulkAct.PAUSE: MessageKind.PAUSE,
    BulkAct.TRY_NOW: MessageKind.TRY_NOW,
}
_AT_ONCE: Final = 500
_FEW_AT_ONCE: Final = 100
"""For acts that need several transactions for each run."""
_LONGEST_MESSAGE: Final = 500


SPARED: Final = "it is itself a bulk job"


class ActOptions(NamedTuple):
    text: str = ""
    """The reason, or the note of a pause."""
    by: str = ""
    timers: str = Timers.CATCH_UP
    deadline: NewDeadline = KEEP_DEADLINE
    uid: str | None = None
    """An id for the messages to the runs: under one id, a run gets only one."""


class PageResult(NamedTuple):
    done: int
    refused: list[Refusal]
    rows: int = 0
    """How many rows of the database were deleted."""


def chosen(which: RunFilter, act: BulkAct) -> RunFilter | None:
    """Those of the runs to which it can be done, a page at a time. None: there are none."""
    states = tuple(state for state in STATES[act] if which.statuses is None or state in which.statuses)
    limit = _FEW_AT_ONCE if act in (BulkAct.RETRY, BulkAct.DELETE) else _AT_ONCE
    return which._replace(statuses=states, limit=limit) if states else None


class BulkActs:
    def __init__(
        self,
        store: RunStore,
        poster: MessagePoster,
        operators: Operators,
        families: Families,
        retention: Retention,
        encode: Callable[[str, str], Payload],
        *,
        namespace: str,
    ) -> None:
        self._store = store
        self._poster = poster
        self._operators = operators
        self._families = families
        self._retention = retention
        self._encode = encode
        self._namespace = namespace

    async def do(
        self, act: BulkAct, runs: Sequence[RunRecord], options: ActOptions, *, spare_jobs: bool = True
    ) -> PageResult:
        """Raises BadOption. With `spare_jobs`, bulk jobs are left alone."""
        spared = [run for run in runs if spare_jobs and run.workflow == BULK]
        others = [run for run in runs if not (spare_jobs and run.workflow == BULK)]
        result = await self._do(act, others, options)
        result.refused.extend(_changed(run, SPARED) for run in spared)
        return result

    async def _do(self, act: BulkAct, runs: Sequence[RunRecord], options: ActOptions) -> PageResult:
        match act:
            case BulkAct.CANCEL:
                return await self._cancel(runs, options)
            case BulkAct.RESUME:
                return await self._resume(runs, options)
            case BulkAct.RETRY:
                # One after the other, because the retry of a parent reopens its children.
                by = checked_sender(options.by)
                return await _each(runs, lambda run: self._families.reopen(run.key, by, options.deadline))
            case BulkAct.DELETE | BulkAct.PRUNE:
                return await self._delete(runs)
            case BulkAct.TERMINATE | BulkAct.PAUSE | BulkAct.TRY_NOW:
                return await self._act(_KINDS[act], runs, options)

    async def _cancel(self, runs: Sequence[RunRecord], options: ActOptions) -> PageResult:
        payload, by = self._encode(options.text, "the reason"), checked_sender(options.by)
        others: list[RunRecord] = []
        for run in runs:
            # A parked run reads no messages.
            is_parked = run.status is RunStatus.PARKED
            if not is_parked or not await self._families.cancel_parked(run.key, options.text):
                others.append(run)
        letters = [Letter(run.key, MessageKind.CANCEL, "", payload, by, options.uid) for run in others]
        refused: list[Refusal] = []
        # Messages that are sent at once are written together.
        answers = await self._poster.post_many(letters)
        for run, letter, answer in zip(others, letters, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            error = refusal(answer, letter, _name(run), self._namespace)
            if error is not None:
                refused.append(_changed(run, str(error)))
        return PageResult(len(runs) - len(refused), refused)

    async def _act(self, kind: MessageKind, runs: Sequence[RunRecord], options: ActOptions) -> PageResult:
        results = await self._operators.act_on([run.key for run in runs], kind, options.text, options.by)
        done = (ActResult.DONE, ActResult.POSTED)
        refused = [
            _changed(run, "it has changed meanwhile")
            for run, result in zip(runs, results, strict=True)
            if result not in done
        ]
        return PageResult(len(runs) - len(refused), refused)

    async def _resume(self, runs: Sequence[RunRecord], options: ActOptions) -> PageResult:
        waits, by = timers_wait(options.timers), checked_sender(options.by)
        keys, now = [run.key for run in runs], self._operators.now()
        resumed = set(await self._store.unpark_runs(self._namespace, keys, now, by, waits))
        refused: list[Refusal] = []
        for run in runs:
            if run.key not in resumed and waits and run.status is RunStatus.PARKED:
                message = "it is parked, not paused: its timers cannot wait"
                refused.append(Refusal(_name(run), "bad_option", message))
            elif run.key not in resumed:
                refused.append(_changed(run, "it is neither paused nor parked any more"))
        return PageResult(len(resumed), refused)

    async def _delete(self, runs: Sequence[RunRecord]) -> PageResult:
        deleted = await self._retention.delete_many(runs)
        result = await _each([run for run in runs if run.key not in deleted.roots], self._retention.delete)
        return PageResult(len(deleted.roots) + result.done, result.refused, deleted.rows)


async def _each(runs: Sequence[RunRecord], change: Callable[[RunRecord], Awaitable[object]]) -> PageResult:
    refused: list[Refusal] = []
    for run in runs:
        try:
            await change(run)
        except HoldfastError as error:
            if isinstance(error, StoreError) and not isinstance(error, JournalCorrupt):
                raise
            refused.append(Refusal(_name(run), code_of(type(error)), str(error)[:_LONGEST_MESSAGE]))
    return PageResult(len(runs) - len(refused), refused)


def _changed(run: RunRecord, message: str) -> Refusal:
    return Refusal(_name(run), CHANGED, message[:_LONGEST_MESSAGE])


def _name(run: RunRecord) -> str:
    return run.id or key_text(run.key)
