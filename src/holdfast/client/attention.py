"""Reads what needs a person, for `hf.attention`. The sentences are made by `core.attention`.

It reads little, whatever has piled up: counts up to a limit, and a few rows of each kind. `hf.doctor`, which
looks at every unfinished run, is no part of it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from typing import Final
from urllib.parse import quote_plus

from holdfast.client.explaining import Explainer
from holdfast.client.fleet import Fleet
from holdfast.client.questions import question_info
from holdfast.client.schedules import ScheduleInfo, Schedules
from holdfast.client.stats import Stats
from holdfast.core.attention import (
    Attention,
    AttentionCounts,
    DatabaseAnswer,
    DueClaim,
    FailedRuns,
    FullQueue,
    LateSchedule,
    NodeSign,
    OpenQuestions,
    ParkedRuns,
    Signs,
    WaitingService,
    attention,
)
from holdfast.core.explaining import describe_claim
from holdfast.core.ids import first_key_of
from holdfast.core.records import RunRecord
from holdfast.core.values import Instant, RunStatus, instant, key_text, later, moment
from holdfast.ports.clients import ClientStore
from holdfast.ports.runs import QuestionFilter, RunFilter
from holdfast.ports.stats import MINUTE

_LATELY: Final = dt.timedelta(hours=24)
_QUARTER: Final = dt.timedelta(minutes=15)
"""As the chart of the first page counts, so that both give the same number."""
_CAUSES: Final = 10
_PARKED: Final = 2_000
_PARKED_WORKFLOWS: Final = 20
_QUESTIONS: Final = 1_000
_COUNTED: Final = 10_000
_GRACE: Final = dt.timedelta(seconds=10)
"""A run that is due, and that no node can take, may be one whose node has just been started."""
_LONG: Final = dt.timedelta(minutes=5)
"""What has been due for so long is too late, although there are nodes or workers for it."""
_KEPT: Final = 1_000_000
"""Microseconds for which an answer is given again."""


class AttentionReader:
    def __init__(
        self,
        store: ClientStore,
        explainer: Explainer,
        fleet: Fleet,
        schedules: Schedules,
        stats: Stats,
        *,
        namespace: str,
        now: Callable[[], Instant],
        worker_ttl: dt.timedelta,
    ) -> None:
        self._store = store
        self._explainer = explainer
        self._fleet = fleet
        self._schedules = schedules
        self._stats = stats
        self._namespace = namespace
        self._now = now
        self._worker_ttl = worker_ttl
        self._reading = asyncio.Lock()
        self._kept: tuple[Instant, Attention] | None = None

    async def read(self) -> Attention:
        """As it is now, or was within the last second: many who ask cost no more than one."""
        async with self._reading:
            if self._kept is None or not 0 <= self._now() - self._kept[0] < _KEPT:
                now = self._now()
                self._kept = now, attention(await self._signs(now), now, quote_plus)
            return self._kept[1]

    async def _signs(self, now: Instant) -> Signs:
        # Whole minutes, so that the link to the failed runs stays the same for a while.
        since = Instant(later(now, -_LATELY) // MINUTE * MINUTE)
        begin = time.perf_counter()
        kind = await self._store.ask_database()
        database = DatabaseAnswer(kind, time.perf_counter() - begin)
        stats = await self._stats.read(_LATELY, _QUARTER)
        states = {each.name: each.count for each in stats.states}
        questions = await self._questions()
        nodes = await self._fleet.nodes()
        schedules = await self._schedules.list()
        total = stats.total
        counts = AttentionCounts(
            open=sum(states[each] for each in ("pending", "running", "paused", "parked")),
            pending=states["pending"],
            running=states["running"],
            paused=states["paused"],
            parked=states["parked"],
            waiting_for_person=0 if questions is None else questions.count,
            ended_lately=total.succeeded + total.failed + total.cancelled,
            failed_lately=total.failed,
            nodes=len(nodes),
            nodes_alive=sum(node.is_alive for node in nodes),
        )
        return Signs(
            counts,
            await self._failed(since),
            since,
            await self._parked() if states["parked"] else [],
            questions,
            [NodeSign(node.id, node.is_alive, instant(node.lease_until), node.runs) for node in nodes],
            *await self._waiting(now, has_nodes=bool(counts.nodes_alive)),
            [_late(each) for each in schedules if each.problem is not None],
            await self._full_queues(now),
            [each.name for each in schedules if each.is_paused],
            _next_tick(schedules, now),
            database,
        )

    async def _failed(self, since: Instant) -> list[FailedRuns]:
        groups = await self._store.group_failures(self._namespace, first_key_of(since), _CAUSES)
        ends = {key for group in groups for key in (group.first, group.last)}
        runs = {run.key: run for run in await self._store.find_runs(self._namespace, ends)} if ends else {}
        found: list[FailedRuns] = []
        for group in groups:
            first, last = runs.get(group.first), runs.get(group.last)
            if first is None or last is None:
                continue  # deleted since
            found.append(
                FailedRuns(
                    group.fingerprint,
                    group.runs,
                    last.workflow,
                    await self._failed_task(last),
                    _id(last),
                    "" if last.failure is None else last.failure.summary,
                    first.created_at,
                    last.created_at,
                )
            )
        return found

    async def _failed_task(self, run: RunRecord) -> str:
        """The name of the task that the failure came from; empty if it was none of this run."""
        task = None if run.failure is None else run.failure.task
        key, _, seq = (task or "").rpartition(":")
        if key != key_text(run.key) or not seq.isdecimal():
            return ""
        tasks = await self._store.list_task_summaries(self._namespace, run.key, int(seq), 1)
        return tasks[0].name if tasks and tasks[0].seq == int(seq) else ""

    async def _parked(self) -> list[ParkedRuns]:
        which = RunFilter(statuses=(RunStatus.PARKED,), limit=_PARKED)
        listed = await self._store.group_listed(self._namespace, which)
        found: list[ParkedRuns] = []
        for (_, workflow), count in list(listed.counts.items())[:_PARKED_WORKFLOWS]:
            newest = await self._store.page_runs(
                self._namespace, which._replace(workflow=workflow, limit=1), False
            )
            for run in newest.runs:
                why = "" if run.failure is None else run.failure.message
                is_exact = listed.next is None
                found.append(ParkedRuns(workflow, count, is_exact, _id(run), why, run.wake_at is not None))
        return found

    async def _full_queues(self, now: Instant) -> list[FullQueue]:
        """Queues of nodes in which a task has waited for long. A limit that holds up a task for a moment does
        what it is for."""
        since = moment(later(now, -_LONG))
        return [
            FullQueue(each.queue, each.running, each.limit, each.waiting, instant(oldest), each.node)
            for each in await self._fleet.node_queues()
            if each.first and (oldest := min(task.since for task in each.first)) <= since
        ]

    async def _questions(self) -> OpenQuestions | None:
        first = await self._store.list_questions(self._namespace, QuestionFilter(limit=1))
        if not first:
            return None
        counts = await self._store.count_questions(self._namespace, _QUESTIONS)
        # The first one may have been answered in between.
        count = max(sum(counts.values()), 1)
        workflows = tuple(counts) or (first[0].workflow,)
        oldest = question_info(first[0])
        return OpenQuestions(
            count, count < _QUESTIONS, oldest.title, oldest.run, first[0].asked_at, workflows
        )

    async def _waiting(self, now: Instant, *, has_nodes: bool) -> tuple[list[DueClaim], list[WaitingService]]:
        """Runs and tasks that are due and that nobody takes. If there is no node at all, that is said instead
        of what none of them has."""
        rows = await self._store.read_backlog(self._namespace, now, _COUNTED)
        late = [row for row in rows.runs if later(row.oldest, _GRACE) <= now] if has_nodes else []
        lacks = await self._explainer.lacks_of([row.claim for row in late]) if late else {}
        due = [
            DueClaim(
                row.workflow, row.number, row.oldest, lacks.get(row.claim, ""), describe_claim(row.claim)
            )
            for row in late
            if row.claim in lacks or later(row.oldest, _LONG) <= now
        ]
        since = later(now, -self._worker_ttl)
        workers = await self._store.list_workers(self._namespace, since) if rows.tasks else []
        served = {service for worker in workers for service in worker.services}
        services = [
            WaitingService(row.service, row.number, row.oldest, row.service in served)
            for row in rows.tasks
            if later(row.oldest, _LONG if row.service in served else _GRACE) <= now
        ]
        return due, services


def _late(info: ScheduleInfo) -> LateSchedule:
    since = info.created_at if info.next_at is None else info.next_at
    return LateSchedule(info.name, info.workflow, instant(since), info.problem or "")


def _next_tick(schedules: list[ScheduleInfo], now: Instant) -> Instant | None:
    coming = [instant(each.next_at) for each in schedules if each.next_at is not None]
    return min((each for each in coming if each > now), default=None)


def _id(run: RunRecord) -> str:
    return run.id or key_text(run.key)
