"""Managing schedules: `hf.schedules`.

Each change reads the schedule and writes it back if its revision is still the same; otherwise it tries again.
Nodes do the same when they fire a schedule.
"""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
import hashlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from holdfast.client.run import Run
from holdfast.client.schedule_ticks import (
    MOST_SCHEDULES,
    MOST_SHOWN,
    BackfillPreview,
    BackfillTick,
    PlanPreview,
    ScheduleTicks,
    TickReader,
    checked_outage,
    plan_preview,
    tick_window,
    ticks_to_fill,
)
from holdfast.core.names import checked_address_name
from holdfast.core.plan_words import plan_words
from holdfast.core.records import ANY_NODE, ScheduleRecord, is_task_claim, published_target
from holdfast.core.run_options import RunTerms
from holdfast.core.schedule_inputs import fill_in, has_placeholder
from holdfast.core.scheduling import (
    Decision,
    ScheduleState,
    after_outage,
    checked_schedule_name,
    decide,
    preview,
    run_id,
)
from holdfast.core.timetable import Catchup, Plan
from holdfast.core.values import Instant, Payload, key_text, later, moment
from holdfast.errors import BadOption, JournalCorrupt, ScheduleChanged, ScheduleNotFound, ScheduleTaken
from holdfast.ports.schedules import ScheduleStore
from holdfast.ports.workflows import Startable

_MOST_AT_ONCE = 10_000
_EMPTY = Payload(b"{}")
_OVERDUE: Final = dt.timedelta(minutes=2)
"""A node fires a schedule within a second, or within a minute of starting or of a failure to fire it."""

_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

_log = logging.getLogger("holdfast.client")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Plan).decode


class ScheduleInfo(msgspec.Struct, frozen=True):
    name: str
    workflow: str
    """`name@version` if the schedule was told a version. With `name` alone, it follows the newest version."""
    input: Any
    plan: Plan
    is_paused: bool
    next_at: dt.datetime | None
    """When it fires next; None if it is paused or has ended."""
    last_run: str | None
    """The key of the last run that it started."""
    is_active: bool
    """Whether the last run has not ended."""
    queued: list[dt.datetime]
    """Ticks that wait for the last run to end."""
    skipped: int
    skip_note: str | None
    origin: str
    created_at: dt.datetime
    problem: str | None
    """Why it starts no runs although it is due: no node can start them. None if it is not overdue."""
    hash: str
    """Of what it starts, with what, and when. It serves as an ETag."""

    @property
    def words(self) -> str:
        """The plan in English."""
        return plan_words(self.plan)


class OverdueSchedule(NamedTuple):
    """A schedule that has long been due and that no node has fired."""

    name: str
    workflow: str
    due_at: dt.datetime
    problem: str


class UpcomingRun(msgspec.Struct, frozen=True):
    tick: dt.datetime
    at: dt.datetime
    """When it fires: the tick plus jitter."""
    run_id: str


class CatchUpPreview(msgspec.Struct, frozen=True):
    """What a schedule would do after an outage of all nodes."""

    started: list[str]
    """The ids of the runs that it would start."""
    skipped: int


GetStartable: TypeAlias = Callable[[Any, "str | int | None"], Awaitable[Startable]]
Submit: TypeAlias = Callable[
    [Startable, "list[tuple[Payload, str | None]]", RunTerms], Awaitable["list[Run[Any]]"]
]


class Schedules:
    def __init__(
        self,
        store: ScheduleStore,
        startable: GetStartable,
        submit: Submit,
        *,
        namespace: str,
        now: Callable[[], Instant],
    ) -> None:
        self._store = store
        self._startable = startable
        self._submit = submit
        self._namespace = namespace
        self._now = now

    async def put(
        self,
        name: str,
        workflow: Any,
        *,
        cron: str | None = None,
        every: dt.timedelta | None = None,
        timezone: str = "UTC",
        input: Mapping[str, Any] | None = None,
        version: str | int | None = None,
        jitter: dt.timedelta | None = None,
        start: dt.datetime | None = None,
        end: dt.datetime | None = None,
        overlap: str = "skip",
        catchup: str | Mapping[str, int] | Catchup = "last",
    ) -> ScheduleInfo:
        """Add a schedule, or change the one with that name. It fires for ticks from now on.

        In strings of `input`, `{tick}` and `{date}` stand for the tick. Without `version`, it follows the
        newest version of the workflow. Raises BadOption, UnknownWorkflow, ScheduleTaken if the name belongs
        to a schedule of another workflow, and WrongType if the workflow does not accept that input.
        """
        plan = Plan.of(
            cron=cron,
            every=every,
            timezone=timezone,
            jitter=jitter,
            start=start,
            end=end,
            overlap=overlap,
            catchup=catchup,
        )
        return await self.put_plan(name, workflow, plan, input or {}, version=version)

    async def put_plan(
        self,
        name: str,
        workflow: Any,
        plan: Plan,
        input: Mapping[str, Any],
        *,
        version: str | int | None = None,
        origin: str = "",
        replaces: str | None = None,
    ) -> ScheduleInfo:
        """Like `put`. If the plan is unchanged, the schedule still catches up on missed ticks.

        `replaces` is the hash of the schedule that it is to replace; empty: there is to be none. Raises
        ScheduleChanged if there is another one, unless it is already as it is to be.
        """
        # Only a new one is refused: one that an older version has stored can be deleted.
        name = checked_address_name("schedule", checked_schedule_name(name))
        startable, target = await self._find_target(workflow, version)
        template = _template(startable, plan, input, self._now())
        kept = (target, template, _encode(plan), origin)

        def change(known: ScheduleRecord | None) -> ScheduleRecord | None:
            if known is not None and (known.workflow, known.input, known.plan, known.origin) == kept:
                return None
            _check_replaced(name, replaces, "" if known is None else _hash(known))
            if known is not None and known.workflow_and_version[0] != startable.definition.name:
                raise ScheduleTaken(name, known.workflow_and_version[0], startable.definition.name)
            now = self._now()
            next_at = _next_at(name, plan, now)
            if known is None:
                return _new_schedule(name, *kept, now=now, next_at=next_at)
            changed = msgspec.structs.replace(known, workflow=kept[0], input=template, origin=origin)
            if known.plan == kept[2]:
                return changed  # the same plan: keep the cursor, so that missed ticks are caught up on
            # Queued ticks stay queued. The overlap of the new plan decides what happens to them.
            return msgspec.structs.replace(
                changed, plan=kept[2], cursor=now, next_at=None if known.is_paused else next_at
            )

        return self._info(await self._change(name, change))

    async def _find_target(self, workflow: Any, version: str | int | None) -> tuple[Startable, str]:
        """What the schedule starts, and its name as `ScheduleRecord.workflow` has it. Raises BadOption."""
        given = isinstance(workflow, Startable)
        startable = workflow if given else await self._startable(workflow, version)
        name, pinned = startable.definition.name, startable.pinned
        if pinned.claim == ANY_NODE:
            if version is not None:
                expected = (
                    f"left out: the schedule of a published workflow starts the newest version of {name!r}"
                )
                raise BadOption("version", version, expected)
            return startable, published_target(name)
        if is_task_claim(pinned.claim):
            return startable, pinned.claim  # so that no workflow of the same name is started
        if version is None:
            # A workflow may have several versions here. The input is checked with the one that would fire.
            return await self._startable(name, None), name
        if pinned.claim == name:
            expected = f"left out: workflow {name!r} has no versions, so the schedule starts its newest code"
            raise BadOption("version", version, expected)
        return startable, pinned.claim

    async def get(self, name: str) -> ScheduleInfo:
        """Raises ScheduleNotFound."""
        return self._info(await self._find(name))

    async def list(self) -> list[ScheduleInfo]:
        """All schedules that this version can read. For another, `get` raises the reason."""
        found: list[ScheduleInfo] = []
        for record in await self._store.list_schedules(self._namespace):
            try:
                found.append(self._info(record))
            except JournalCorrupt as error:
                _log.warning("schedule %s is left out: %s", record.name, error)
        return found

    async def overdue(self) -> builtins.list[OverdueSchedule]:
        """The schedules that have long been due and that no node has fired. `Client.doctor` has them too."""
        return [
            OverdueSchedule(each.name, each.workflow, each.next_at, each.problem)
            for each in await self.list()
            if each.next_at is not None and each.problem is not None
        ]

    async def delete(self, name: str) -> None:
        """Runs that the schedule has started go on. Raises ScheduleNotFound."""
        if not await self._store.delete_schedule(self._namespace, name):
            raise ScheduleNotFound(name, self._namespace)

    async def pause(self, name: str) -> ScheduleInfo:
        """Start no runs until `resume`. There is no catching up on ticks in between."""

        def change(known: ScheduleRecord | None) -> ScheduleRecord | None:
            known = _existing(known, name, self._namespace)
            return None if known.is_paused else msgspec.structs.replace(known, is_paused=True, next_at=None)

        return self._info(await self._change(name, change))

    async def resume(self, name: str) -> ScheduleInfo:
        def change(known: ScheduleRecord | None) -> ScheduleRecord | None:
            known = _existing(known, name, self._namespace)
            if not known.is_paused:
                return None
            now = self._now()
            next_at = _next_at(name, _plan_of(known), now)
            return msgspec.structs.replace(known, is_paused=False, cursor=now, next_at=next_at)

        return self._info(await self._change(name, change))

    async def trigger(self, name: str) -> Run[Any]:
        """Start a run now. Plan and overlap are not applied to it and do not count it."""
        record = await self._find(name)
        now = self._now()
        id = f"{name}@now-{run_id(name, now).rpartition('@')[2]}-{secrets.token_hex(2)}"
        [run] = await self._start(record, [(now, id)])
        return run

    async def backfill(
        self, name: str, begin: dt.datetime, end: dt.datetime, *, limit: int = 1000
    ) -> list[Run[Any]]:
        """Start a run for every tick t with begin <= t < end. For a tick that already has a run, you get that
        run. Raises BadOption if there are more than `limit` ticks, or a hundred years."""
        record = await self._find(name)
        return await self._start(record, await _ticks_to_fill(record, begin, end, limit))

    async def preview_backfill(
        self, name: str, begin: dt.datetime, end: dt.datetime, *, limit: int = 1000
    ) -> BackfillPreview:
        """What `backfill` would do: how many runs it would start, and how many ticks have one already."""
        ticks = await _ticks_to_fill(await self._find(name), begin, end, limit)
        known = await self._store.find_keys(self._namespace, [id for _, id in ticks]) if ticks else {}
        first = [BackfillTick(moment(tick), id, id in known) for tick, id in ticks[:MOST_SHOWN]]
        return BackfillPreview(len(ticks), len(ticks) - len(known), len(known), first)

    async def ticks(
        self, begin: dt.datetime | None = None, end: dt.datetime | None = None, name: str | None = None
    ) -> ScheduleTicks:
        """What became of each tick between `begin` and `end`, and which come: of all schedules, up to 200, or
        of one. Without times: twelve hours before and after now.

        Of each schedule there are 200 past ticks at most, the newest, and the next 200. A tick without a run
        was skipped, or its run was deleted since. Ticks of an earlier plan that started no run are not known.
        """
        now = self._now()
        first, last = tick_window(begin, end, now)
        if name is None:
            found = await self._store.list_schedules(self._namespace)
        else:
            found = [await self._find(name)]
        readable: list[tuple[ScheduleRecord, Plan]] = []
        for record in found:
            try:
                readable.append((record, _plan_of(record)))
            except JournalCorrupt as error:
                _log.warning("schedule %s is left out: %s", record.name, error)
        reader = TickReader(self._store, self._namespace, now)
        ticks = await reader.read(readable[:MOST_SCHEDULES], first, last)
        return ScheduleTicks(moment(first), moment(last), ticks, len(readable) <= MOST_SCHEDULES)

    async def preview(self, name: str, count: int = 10) -> list[UpcomingRun]:
        """The next runs that it would start if it is not paused; fewer if there are fewer in 400 years."""
        if type(count) is not int or not 1 <= count <= _MOST_AT_ONCE:
            raise BadOption("count", count, f"a whole number from 1 to {_MOST_AT_ONCE:,}")
        record = await self._find(name)
        plan, now = _plan_of(record), self._now()

        def upcoming() -> builtins.list[UpcomingRun]:
            found = preview(name, plan, now, count, record.cursor)
            return [UpcomingRun(moment(it.tick), moment(it.at), run_id(name, it.tick)) for it in found]

        return await asyncio.to_thread(upcoming)

    async def preview_plan(self, plan: Plan, *, name: str = "", count: int = 10) -> PlanPreview:
        """When a schedule with this plan would fire next, in the next 400 years. Nothing is stored. Jitter
        depends on the name."""
        return await asyncio.to_thread(plan_preview, name, plan, self._now(), count)

    async def preview_outage(self, name: str, begin: dt.datetime, end: dt.datetime) -> CatchUpPreview:
        """What the schedule would do at `end` if no node was up since `begin`, ten years before at most."""
        record = await self._find(name)
        first, last = checked_outage(begin, end)
        decision = await asyncio.to_thread(after_outage, name, _plan_of(record), first, last)
        started = [run_id(name, tick) for tick in (*decision.start, *decision.state.queued)]
        return CatchUpPreview(started, _skipped(decision))

    # --- reading and writing

    async def _start(self, record: ScheduleRecord, ticks: list[tuple[Instant, str]]) -> list[Run[Any]]:
        startable = await self._startable(*record.workflow_and_version)
        plan = _plan_of(record)
        runs: list[tuple[Payload, str | None]] = [
            (fill_in(record.input, plan, tick), id) for tick, id in ticks
        ]
        return await self._submit(startable, runs, RunTerms(schedule=record.name))

    def _info(self, record: ScheduleRecord) -> ScheduleInfo:
        """Raises JournalCorrupt."""
        return _schedule_info(record, self._now())

    async def _find(self, name: str) -> ScheduleRecord:
        found = await self._store.list_schedules(self._namespace, checked_schedule_name(name))
        return _existing(found[0] if found else None, name, self._namespace)

    async def _change(
        self, name: str, change: Callable[[ScheduleRecord | None], ScheduleRecord | None]
    ) -> ScheduleRecord:
        """Write the record that `change` returns; None leaves the schedule as it is."""
        while True:
            found = await self._store.list_schedules(self._namespace, checked_schedule_name(name))
            known = found[0] if found else None
            changed = change(known)
            if changed is None:
                assert known is not None
                return known
            decided_on = None if known is None else known.revision
            changed = msgspec.structs.replace(changed, revision=(decided_on or 0) + 1, updated_at=self._now())
            if await self._store.write_schedule(self._namespace, changed, decided_on):
                return changed


def _new_schedule(
    name: str,
    workflow: str,
    input: Payload,
    plan: bytes,
    origin: str,
    *,
    now: Instant,
    next_at: Instant | None,
) -> ScheduleRecord:
    return ScheduleRecord(
        name=name,
        workflow=workflow,
        input=input,
        plan=plan,
        origin=origin,
        is_paused=False,
        revision=1,
        cursor=now,
        queued=(),
        active=None,
        next_at=next_at,
        skipped=0,
        skip_note=None,
        created_at=now,
        updated_at=now,
    )


def _existing(record: ScheduleRecord | None, name: str, namespace: str) -> ScheduleRecord:
    if record is None:
        raise ScheduleNotFound(name, namespace)
    return record


def _next_at(name: str, plan: Plan, now: Instant) -> Instant | None:
    return decide(name, plan, ScheduleState(now), now, is_active=False).next_at


def _template(startable: Startable, plan: Plan, input: Mapping[str, Any], now: Instant) -> Payload:
    """The input with all defaults. It is checked with the current instant filled in. Raises WrongType."""
    given = {**startable.tick_inputs, **input}
    raw = Payload(_encode(given)) if given else _EMPTY
    sample: dict[str, Any] = msgspec.json.decode(fill_in(raw, plan, now))
    packed: dict[str, Any] = msgspec.json.decode(startable.pack((), sample))
    variable = {name: value for name, value in given.items() if has_placeholder(value)}
    return Payload(_encode({**packed, **variable}))


async def _ticks_to_fill(
    record: ScheduleRecord, begin: dt.datetime, end: dt.datetime, limit: int
) -> list[tuple[Instant, str]]:
    if type(limit) is not int or not 1 <= limit <= _MOST_AT_ONCE:
        raise BadOption("limit", limit, f"a whole number from 1 to {_MOST_AT_ONCE:,}")
    return await asyncio.to_thread(ticks_to_fill, record, _plan_of(record), begin, end, limit)


def _skipped(decision: Decision) -> int:
    return sum(each.count for each in decision.skipped)


def _plan_of(record: ScheduleRecord) -> Plan:
    """Raises JournalCorrupt."""
    try:
        return _decode(record.plan)
    except _UNREADABLE as error:
        raise JournalCorrupt(None, f"the plan of schedule {record.name!r} ({error})") from None


def _input_of(record: ScheduleRecord) -> Any:
    """Raises JournalCorrupt."""
    try:
        return msgspec.json.decode(record.input)
    except _UNREADABLE as error:
        raise JournalCorrupt(None, f"the input of schedule {record.name!r} ({error})") from None


def _problem(record: ScheduleRecord, now: Instant) -> str | None:
    """A node fires every due schedule that it can start, so one that has long been due has no such node."""
    if record.is_paused or record.next_at is None or later(record.next_at, _OVERDUE) > now:
        return None
    name, version = record.workflow_and_version
    since = moment(record.next_at).isoformat(timespec="seconds")
    return (
        f"due since {since}, and no node has fired it; start a node that has workflow {name!r}"
        f"{'' if version is None else f' version {version!r}'}. If one is running, its log says what is wrong"
    )


def _schedule_info(record: ScheduleRecord, now: Instant) -> ScheduleInfo:
    """Raises JournalCorrupt."""
    return ScheduleInfo(
        name=record.name,
        workflow=record.workflow_and_version[0] if record.starts_published else record.workflow,
        input=_input_of(record),
        plan=_plan_of(record),
        is_paused=record.is_paused,
        next_at=None if record.next_at is None else moment(record.next_at),
        last_run=None if record.active is None else key_text(record.active),
        is_active=record.is_active,
        queued=[moment(tick) for tick in record.queued],
        skipped=record.skipped,
        skip_note=record.skip_note,
        origin=record.origin,
        created_at=moment(record.created_at),
        problem=_problem(record, now),
        hash=_hash(record),
    )


def _hash(record: ScheduleRecord) -> str:
    parts = (record.workflow.encode(), bytes(record.input), record.plan)
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()


def _check_replaced(name: str, replaces: str | None, found: str) -> None:
    """Raises ScheduleChanged."""
    if replaces is not None and replaces != found:
        raise ScheduleChanged(name, replaces, found)
