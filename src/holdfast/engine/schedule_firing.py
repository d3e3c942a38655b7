"""Firing schedules: what `core.scheduling` decides is written to the store.

Any node that has the workflow of a schedule may fire it, even several nodes at once. If the workflow is
published, any node may. Each decides from what
it has read. The store accepts the first change, together with the runs that it starts, and refuses the
others. The id of a run is made of the schedule and the tick, so that a tick never starts two runs.

A schedule that was told no version starts the version that the firing node would start by itself; of a
published workflow, the newest version.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Sequence

import msgspec

from holdfast.core.records import RunRecord, ScheduleRecord, is_task_claim, new_run
from holdfast.core.run_options import RunTerms
from holdfast.core.schedule_inputs import fill_in
from holdfast.core.scheduling import Decision, ScheduleState, Skipped, decide, run_id
from holdfast.core.timetable import Plan
from holdfast.core.values import Instant, RunKey, later, moment
from holdfast.errors import HoldfastError, StoreError, UnknownWorkflow
from holdfast.ports.programs import Pinned, Programs
from holdfast.ports.schedules import DueScheduleStore, ScheduleFiring

_log = logging.getLogger("holdfast.engine")

_AT_ONCE = 20
"""How many schedules to fire before other work has its turn."""
_PUT_OFF = dt.timedelta(minutes=1)

_decode_plan = msgspec.json.Decoder(Plan).decode


class ScheduleFirer:
    def __init__(
        self,
        store: DueScheduleStore,
        programs: Programs,
        namespace: str,
        new_key: Callable[[Instant], RunKey],
    ) -> None:
        self._store = store
        self._programs = programs
        self._namespace = namespace
        self._new_key = new_key
        self._unable: dict[tuple[str, int], Instant] = {}
        """Schedules that this node cannot fire, by name and revision, and when to try again. Another node
        may be able to, for instance one with a newer time zone database."""

    def workflows(self) -> Sequence[str]:
        """The workflows whose schedules this node can fire: each by its claim, and by its name for schedules
        that were told no version."""
        claims = self._programs.claims()
        names = [claim.partition("@")[0] for claim in claims if not is_task_claim(claim)]
        return list(dict.fromkeys([*claims, *names]))

    async def fire(self, now: Instant) -> bool:
        """Fire some of the schedules that are due: a node with thousands of them has other work too. A
        schedule that cannot fire is logged, and tried again later. Returns whether a schedule has moved on.
        Raises StoreError."""
        has_moved = False
        limit = _AT_ONCE + len(self._unable)
        due = await self._store.due_schedules(self._namespace, self.workflows(), now, limit)
        self._unable = {each: until for each, until in self._unable.items() if until > now}
        for schedule in due:
            if (schedule.name, schedule.revision) in self._unable:
                continue
            try:
                has_moved = await self._fire(schedule, now) or has_moved
            except StoreError:
                raise
            except (HoldfastError, msgspec.MsgspecError, ValueError, RecursionError) as error:
                _log.error("schedule %s cannot fire: %s", schedule.name, error)
                self._unable[schedule.name, schedule.revision] = later(now, _PUT_OFF)
        return has_moved

    async def next_try(self, now: Instant) -> Instant | None:
        """When to fire the first of the schedules that are due: now, or later if this node was unable to.
        None if none is due. Raises StoreError."""
        limit = _AT_ONCE + len(self._unable)
        due = await self._store.due_schedules(self._namespace, self.workflows(), now, limit)
        return min((self._unable.get((each.name, each.revision), now) for each in due), default=None)

    async def _fire(self, schedule: ScheduleRecord, now: Instant) -> bool:
        plan = _decode_plan(schedule.plan)
        state = ScheduleState(schedule.cursor, schedule.queued)
        decision = decide(schedule.name, plan, state, now, is_active=schedule.is_active)
        pinned = await self._pin(schedule) if decision.start else None
        runs = [self._new_run(schedule, pinned, plan, tick, now) for tick in decision.start if pinned]
        moved = _moved(schedule, decision, runs, now)
        cancel = schedule.active if decision.cancel else None
        firing = ScheduleFiring(moved, schedule.revision, runs, cancel, now)
        has_moved = await self._store.fire_schedule(self._namespace, firing)
        if has_moved and decision.skipped:
            _log.warning("schedule %s: %s", schedule.name, _skips(decision))
        return has_moved

    async def _pin(self, schedule: ScheduleRecord) -> Pinned:
        """Raises UnknownWorkflow."""
        workflow, version = schedule.workflow_and_version
        if schedule.starts_published:
            newest = await self._store.find_published_definition(self._namespace, workflow, None)
            if newest is None:
                raise UnknownWorkflow(workflow, "(published)", [])
            self._programs.learn_published(newest)
            version = newest.version
        return self._programs.pin(workflow, version)

    def _new_run(
        self, schedule: ScheduleRecord, pinned: Pinned, plan: Plan, tick: Instant, now: Instant
    ) -> RunRecord:
        return new_run(
            self._new_key(now),
            self._namespace,
            run_id(schedule.name, tick),
            schedule.workflow_and_version[0],
            pinned.version,
            pinned.claim,
            fill_in(schedule.input, plan, tick),
            now,
            terms=RunTerms(schedule=schedule.name),
        )


def _moved(
    schedule: ScheduleRecord, decision: Decision, runs: list[RunRecord], now: Instant
) -> ScheduleRecord:
    skipped = sum(each.count for each in decision.skipped)
    return msgspec.structs.replace(
        schedule,
        revision=schedule.revision + 1,
        cursor=decision.state.cursor,
        queued=decision.state.queued,
        active=runs[-1].key if runs else schedule.active,
        next_at=decision.next_at,
        skipped=schedule.skipped + skipped,
        skip_note=_skips(decision) if skipped else schedule.skip_note,
        updated_at=now,
    )


def _skips(decision: Decision) -> str:
    *others, last = decision.skipped
    before = f"; before it {sum(each.count for each in others):,} others" if others else ""
    return _words(last) + before


def _words(skipped: Skipped) -> str:
    last = moment(skipped.last).isoformat(timespec="seconds")
    if skipped.count == 1:
        return f"the tick of {last} was skipped ({skipped.reason})"
    first = moment(skipped.first).isoformat(timespec="seconds")
    return f"{skipped.count:,} ticks from {first} to {last} were skipped ({skipped.reason})"
