"""Runs that callers want to start: a batch goes into each commit, and callers are answered once it stands."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from holdfast.core.records import new_run, unowned
from holdfast.core.run_options import RunTerms
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.engine.admission import Admission
from holdfast.engine.resident import Resident
from holdfast.engine.residents import Residents
from holdfast.engine.tick import Tick
from holdfast.engine.tick_budget import TickBudget
from holdfast.errors import CommitRefused, NodeStopped, NotOpen, Refused, StoreFull
from holdfast.ports.commits import Receipt
from holdfast.ports.programs import Pinned, Programs
from holdfast.ports.runs import StartedRuns, started_runs


class _Start(msgspec.Struct):
    """Runs of one workflow to start, and the future that gets their keys when all are recorded."""

    workflow: str
    pinned: Pinned
    runs: Sequence[tuple[Payload, str | None]]
    answer: asyncio.Future[StartedRuns]
    terms: RunTerms
    keys: list[RunKey] = []
    """The keys of the runs that are recorded or in the commit under way."""
    existing: frozenset[RunKey] = frozenset()
    """Those of `keys` that were there before."""
    recorded: int = 0


class StartQueue:
    def __init__(
        self,
        residents: Residents,
        admission: Admission,
        programs: Programs,
        new_key: Callable[[Instant], RunKey],
        batch: int,
    ) -> None:
        self._residents = residents
        self._admission = admission
        self._programs = programs
        self._new_key = new_key
        self._batch = batch
        self._waiting: deque[_Start] = deque()
        self._under_way: list[_Start] = []
        """Starts with runs in the commit under way."""

    @property
    def has_more(self) -> bool:
        return bool(self._waiting)

    def add(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms,
    ) -> asyncio.Future[StartedRuns]:
        answer: asyncio.Future[StartedRuns] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Start(workflow, pinned, runs, answer, terms))
        return answer

    def begin(self, tick: Tick, budget: TickBudget) -> None:
        """Begin no more than one batch: a commit of ten thousand starts would delay all other runs.

        Runs that find no room here are left for any node to claim.
        """
        left = self._batch
        while self._waiting and left > 0 and not budget.is_spent():
            start = self._waiting[0]
            done = len(start.keys)
            share = self._admission.share_of(len(start.runs))
            for input, id in start.runs[done : done + left]:
                start.keys.append(self._begin(tick, start, input, id, is_ours=len(start.keys) < share))
                tick.commit.size += len(input)
                if budget.is_spent():
                    break
            left -= len(start.keys) - done
            self._under_way.append(start)
            if len(start.keys) == len(start.runs):
                self._waiting.popleft()

    def _begin(self, tick: Tick, start: _Start, input: Payload, id: str | None, *, is_ours: bool) -> RunKey:
        pinned = start.pinned
        is_due = start.terms.start_at is None or start.terms.start_at <= tick.now
        has_room = is_due and is_ours and self._admission.admits(pinned.claim)
        tick.has_shared_work = tick.has_shared_work or not is_ours
        record = new_run(
            self._new_key(tick.now),
            tick.commit.namespace,
            id,
            start.workflow,
            pinned.version,
            pinned.claim,
            input,
            tick.now,
            owner=tick.commit.node if has_room else None,
            terms=start.terms,
        )
        if has_room:
            try:
                resident = Resident(record, self._programs.program(record))
            except Refused:  # the run needs something that this node lacks, and another node may have
                record = unowned(record)
                tick.has_new_work = True
            else:
                # This commit creates the run, so there is no owner to check.
                resident.held_in_tick = tick.commit.tick
                self._residents.add(resident)
                self._residents.set_deadline(resident)
                self._residents.mark_ready(resident)
        tick.commit.created.append(record)
        return record.key

    def answer(self, receipt: Receipt) -> None:
        """The commit stands: answer the callers whose runs are all recorded."""
        for start in self._under_way:
            if receipt.existing:
                start.keys, existing = started_runs(start.keys, receipt.existing)
                start.existing |= existing
            start.recorded = len(start.keys)
            if start.recorded == len(start.runs) and not start.answer.done():
                start.answer.set_result(StartedRuns(start.keys, start.existing))
        self._under_way.clear()

    def refuse_run(self, run: RunKey, error: CommitRefused) -> None:
        """Refuse the start of one run in the commit under way. Other runs of the same call are recorded."""
        for start in [start for start in self._under_way if run in start.keys]:
            self._under_way.remove(start)
            if start in self._waiting:
                self._waiting.remove(start)
            if not start.answer.done():
                start.answer.set_exception(error)

    def refuse(self, error: StoreFull | NotOpen | NodeStopped) -> set[RunKey]:
        """Refuse every start that is not recorded. Returns its runs in the commit under way."""
        refused: set[RunKey] = set()
        for start in self._under_way:
            refused.update(start.keys[start.recorded :])
        for start in (*self._under_way, *self._waiting):
            if not start.answer.done():
                start.answer.set_exception(error)
        self._under_way.clear()
        self._waiting.clear()
        return refused
