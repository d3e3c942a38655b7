"""Measures what a node does, if somebody wants to know: one call of the telemetry for each commit."""

from __future__ import annotations

from collections import Counter

from holdfast.core.records import RunRecord
from holdfast.core.values import Instant, RunKey, RunStatus
from holdfast.engine.alarms import Alarms
from holdfast.engine.run_loader import RunLoader
from holdfast.engine.tick import Tick
from holdfast.ports.commits import Receipt
from holdfast.ports.telemetry import CommitFacts, RunGroup, TaskGroup, TaskTimes, Telemetry


class Meter:
    def __init__(self, telemetry: Telemetry, alarms: Alarms, loader: RunLoader) -> None:
        self._telemetry = telemetry
        self._alarms = alarms
        self._loader = loader
        self._overdue: int | None = None
        loader.replays = []

    def begin(self, now: Instant) -> None:
        """A tick begins, and fires the alarms that are due."""
        due = self._alarms.next_due()
        self._overdue = now - due if due is not None and due <= now else None

    def committed(self, tick: Tick, receipt: Receipt, microseconds: int) -> None:
        """The commit of the tick stands, and its attempts have been handed to their executors."""
        for attempt in tick.recorder.to_dispatch:
            attempt.ready_at = tick.now
        void = receipt.lost | receipt.existing.keys()
        replays, self._loader.replays = self._loader.replays or (), []
        self._telemetry.committed(
            CommitFacts(
                tick.commit.size,
                microseconds / 1_000_000,
                Counter(each.record.workflow for each in tick.begun or () if each.key not in void),
                _parked_runs(tick, void),
                _ended_runs(tick, void),
                _ended_tasks(tick, void),
                Counter(each.workflow for each in tick.recorder.retried if each.run not in void),
                len(receipt.lost - tick.replaced),
                tick.is_answer_late,
                replays,
                self._overdue,
            )
        )


def _ended_tasks(tick: Tick, void: frozenset[RunKey]) -> dict[TaskGroup, TaskTimes]:
    """This is done for each task, so it makes nothing but numbers."""
    groups: dict[TaskGroup, TaskTimes] = {}
    last = options = status = None
    times = TaskTimes()
    for attempt, row in zip(tick.recorder.ended or (), tick.commit.settled, strict=True):
        if void and row.run in void:
            continue
        if attempt.workflow is not last or attempt.options is not options or row.status is not status:
            last, options, status = attempt.workflow, attempt.options, row.status
            group = TaskGroup(last, options.queue, status)
            times = groups.setdefault(group, TaskTimes())
        times.count += 1
        started_at = row.started_at
        if started_at is not None:
            times.ran.append(row.finished_at - started_at)
            if attempt.ready_at is not None:
                times.waited.append(started_at - attempt.ready_at)
    return groups


def _ended_runs(tick: Tick, void: frozenset[RunKey]) -> dict[RunGroup, list[int]]:
    groups: dict[RunGroup, list[int]] = {}
    if tick.commit.ended:
        records = _records_of(tick)
        last = status = None
        times: list[int] = []
        for row in tick.commit.ended:
            record = records.get(row.run)
            if record is None or (void and row.run in void):
                continue
            if record.workflow is not last or row.status is not status:
                last, status = record.workflow, row.status
                times = groups.setdefault(RunGroup(last, status), [])
            times.append(row.finished_at - record.created_at)
    return groups


def _parked_runs(tick: Tick, void: frozenset[RunKey]) -> Counter[str]:
    parked = [row.run for row in tick.commit.released if row.status is RunStatus.PARKED]
    records = _records_of(tick) if parked else {}
    return Counter(records[run].workflow for run in parked if run in records and run not in void)


def _records_of(tick: Tick) -> dict[RunKey, RunRecord]:
    """Of the runs that leave memory, and of children that were refused: they were never there."""
    records = {resident.key: resident.record for resident in tick.gone}
    if len(records) < len(tick.commit.ended):
        records |= {record.key: record for record in tick.commit.created}
    return records
