"""Looks what has happened in a namespace, and starts a run for each message: the work of holdfast's own runs.

A message is started under an id that is made of what it tells of. So a look that is repeated after a crash
starts nothing twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from holdfast.client.run import Run
from holdfast.core.alerts import (
    ALERTS,
    BY_CHANGE,
    WEBHOOK,
    Alert,
    AlertKind,
    AlertRecord,
    AlertRule,
    Delivery,
    Look,
    WatchPlace,
    Window,
    close_windows,
    gap_delivery,
    has_tags,
    run_alert,
    run_delivery,
    share_out,
    summary_delivery,
    wants,
)
from holdfast.core.bulk import STATES, BulkAct
from holdfast.core.changes import LAST_OF_ROW, Change, Place, offset_text, read_offset
from holdfast.core.ids import first_key_of
from holdfast.core.questions import QuestionRecord
from holdfast.core.records import RunRecord
from holdfast.core.run_options import IdPolicy, StartOptions
from holdfast.core.sealed import check_open
from holdfast.core.values import Instant, Payload, RunKey, instant, key_from_text, key_text
from holdfast.core.webhooks import Sent
from holdfast.errors import DeliveryFailed, JournalCorrupt, OffsetGone
from holdfast.ports.alerts import AlertRow, AlertStore, Webhooks
from holdfast.ports.changes import ChangeFilter, ChangeStore, Horizon
from holdfast.ports.runs import QuestionFilter, RunFilter, RunStore
from holdfast.ports.workflows import Startable, Workflows

_log = logging.getLogger("holdfast.client")

_OPEN: Final = STATES[BulkAct.CANCEL]
_CHANGES: Final = ChangeFilter(statuses=frozenset(BY_CHANGE))
_MOST_ALERTS: Final = 5_000
"""How many are told of in one look, before the next begins."""
_MOST_PAGES: Final = 200
_PAGE: Final = 500
_RUNS_AT_ONCE: Final = 20
"""Each may have a large input."""
_HELD_SECONDS: Final = 0.05
_HELD_TIMES: Final = 40
_AGAIN: Final = "the message is sent again, for about a day"
_REMOVED: Final = (
    f"changes were removed before anybody looked: no node was there, or the run {ALERTS!r} was stopped, for "
    "longer than watch_kept_seconds; or more was written than watch_bytes keeps; or that run was imported "
    "from another database"
)
_FROM_ELSEWHERE: Final = (
    f"this database has not come so far: it was restored from an older backup, or the run {ALERTS!r} was "
    "imported from another database"
)
_LAST_KEY: Final = RunKey(b"\xff" * 16)

_encode = msgspec.json.Encoder().encode

Submit = Callable[
    [Startable, Sequence[tuple[Payload, str | None]], StartOptions], Awaitable["list[Run[Any]]"]
]


class AlertedStore(RunStore, ChangeStore, AlertStore, Protocol):
    """What looking needs of the store."""


class AlertWork:
    """Implements `AlertWorker`."""

    def __init__(
        self,
        store: AlertedStore,
        workflows: Workflows,
        submit: Submit,
        webhooks: Webhooks | None,
        delete: Callable[[Sequence[RunRecord]], Awaitable[object]],
        *,
        namespace: str,
        now: Callable[[], Instant],
    ) -> None:
        self._store = store
        self._workflows = workflows
        self._submit = submit
        self._webhooks = webhooks
        self._delete = delete
        self._namespace = namespace
        self._now = now

    # --- looking

    async def look(self, place: WatchPlace) -> Look:
        records = [it for it in await self._rules() if it.rule.enabled]
        if not records:
            return Look(WatchPlace(), 0)
        now = self._now()
        since = Instant(place.looked_at or min(it.changed_at for it in records))
        deliveries: list[Delivery] = []
        try:
            changes, offset, is_behind = await self._changes(place.offset)
        except OffsetGone as gone:
            _log.warning("alerts may have missed changes: %s", gone.reason)
            changes, offset, is_behind = [], await self.place_now(), False
            gap = (place.offset, gone.reason, since, now)
            deliveries += [gap_delivery(self._namespace, it.name, *gap) for it in records]
        windows = dict(place.windows)
        for record in records:
            found = await self._wanted(record, changes)
            found += await self._overdue(record, since, now)
            told, windows = share_out(windows, record.name, record.rule.at_most, found)
            deliveries += await self._told(record, told)
        over, windows = close_windows(windows, now)
        deliveries += self._summaries(over, records)
        await self._start(deliveries)
        return Look(WatchPlace(offset, now, windows), len(records), len(deliveries), is_behind)

    async def start(self, delivery: Delivery) -> Run[Any]:
        [run] = await self._start([delivery])
        return run

    async def place_now(self) -> str:
        """The offset behind all that is committed, or a little before."""
        bounds = await self._store.change_bounds()
        goal = bounds.newest
        for _ in range(_HELD_TIMES):
            if bounds.last >= goal:
                return offset_text(Place(bounds.last, LAST_OF_ROW))
            await asyncio.sleep(_HELD_SECONDS)
            bounds = await self._store.change_bounds(bounds.horizon)
        return offset_text(Place(bounds.first, 0))

    async def _rules(self) -> list[AlertRecord]:
        found: list[AlertRecord] = []
        for row in await self._store.list_alerts(self._namespace):
            try:
                found.append(read_alert(row))
            except JournalCorrupt as error:
                _log.warning("nothing is told by the alert %r: %s", row.name, error)
        return found

    async def _changes(self, offset: str) -> tuple[list[Change], str, bool]:
        """What happened behind the offset, how far was read, and whether there is more. Raises OffsetGone."""
        if not offset:
            return [], await self.place_now(), False
        place = read_offset(offset)
        found: list[Change] = []
        horizon: Horizon | None = None
        goal: Place | None = None
        held = pages = 0
        while pages < _MOST_PAGES and held < _HELD_TIMES and len(found) < _MOST_ALERTS:
            page = await self._store.read_changes(self._namespace, place, _CHANGES, horizon)
            if place.row > page.bounds.newest:
                raise OffsetGone(offset, _FROM_ELSEWHERE)
            if 0 < place.row < page.bounds.first:  # row 0 is where nothing had happened yet
                raise OffsetGone(offset, _REMOVED)
            goal = goal or Place(page.bounds.newest, LAST_OF_ROW)
            found += page.changes
            is_stuck, place, horizon = page.place == place, page.place, page.bounds.horizon
            if place >= goal or (is_stuck and horizon is None):
                return found, offset_text(place), False
            if is_stuck:  # a transaction is open that may add changes before some that are there
                held += 1
                await asyncio.sleep(_HELD_SECONDS)
            else:
                pages += 1
        return found, offset_text(place), held < _HELD_TIMES

    async def _wanted(self, record: AlertRecord, changes: Iterable[Change]) -> list[Alert]:
        alerts = [
            Alert(BY_CHANGE[it.status or ""], it.key, it.run, it.workflow, instant(it.at), it.offset)
            for it in changes
        ]
        wanted = [it for it in alerts if wants(record, it)]
        if not record.rule.tags:
            return wanted
        return [it for it in await self._with_records(wanted) if has_tags(record.rule, it.record)]

    async def _overdue(self, record: AlertRecord, since: Instant, now: Instant) -> list[Alert]:
        """Runs that became late since the last look, and questions that have been open for too long since
        then. Only rows of that age are read."""
        rule = record.rule
        found: list[Alert] = []
        for kind, after, read in (
            (AlertKind.LATE, rule.late_after, self._late),
            (AlertKind.WAITING, rule.waiting_after, self._waiting),
        ):
            if kind in rule.on and after is not None:
                ages = _ages(record, since, now, after)
                of_kind, place = await read(rule, ages, None)
                while place is not None:
                    more, place = await read(rule, ages, place)
                    of_kind += more
                found += sorted((it for it in of_kind if wants(record, it)), key=lambda it: (it.at, it.key))
        return found

    async def _late(self, rule: AlertRule, ages: _Ages, place: Any) -> tuple[list[Alert], Any]:
        """A page of runs, and where the next one begins."""
        before = first_key_of(ages.last) if place is None else place
        since = first_key_of(ages.first)
        which = RunFilter(_OPEN, rule.workflow, before, _PAGE, tags=rule.tags, since=since)
        page = await self._store.page_runs(self._namespace, which, False)
        mark = f"late {ages.span}"
        alerts = [run_alert(AlertKind.LATE, it, Instant(it.created_at + ages.span), mark) for it in page.runs]
        return alerts, page.next

    async def _waiting(self, rule: AlertRule, ages: _Ages, place: Any) -> tuple[list[Alert], Any]:
        """A page of questions, and where the next one begins."""
        after = (Instant(ages.first - 1), _LAST_KEY, 2**31 - 1) if place is None else place
        which = QuestionFilter(workflow=rule.workflow, after=after, limit=_PAGE)
        page = await self._store.list_questions(self._namespace, which)
        alerts = [_question_alert(it, ages.span) for it in page if it.asked_at < ages.last]
        if rule.tags:
            alerts = [it for it in await self._with_records(alerts) if has_tags(rule, it.record)]
        if len(page) < _PAGE or page[-1].asked_at >= ages.last:
            return alerts, None
        return alerts, (page[-1].asked_at, page[-1].run, page[-1].number)

    async def _with_records(self, alerts: Sequence[Alert]) -> list[Alert]:
        """Those whose runs are there, without inputs and results."""
        found: list[Alert] = []
        for first in range(0, len(alerts), _RUNS_AT_ONCE):
            some = alerts[first : first + _RUNS_AT_ONCE]
            keys = {key for it in some if (key := key_from_text(it.key)) is not None}
            runs = {
                key_text(run.key): msgspec.structs.replace(run, input=Payload(b"null"), output=None)
                for run in await self._store.find_runs(self._namespace, keys)
            }
            found += [it._replace(record=runs[it.key]) for it in some if it.key in runs]
        return found

    async def _told(self, record: AlertRecord, alerts: Sequence[Alert]) -> list[Delivery]:
        url = "" if self._webhooks is None else self._webhooks.public_url
        known = await self._with_records(alerts)
        return [run_delivery(self._namespace, record.name, it, url) for it in known]

    def _summaries(self, windows: dict[str, Window], records: Sequence[AlertRecord]) -> list[Delivery]:
        names = {it.name for it in records}
        found: list[Delivery] = []
        for key, window in windows.items():
            kind, _, name = key.split(" ", 2)
            if window.held and name in names:
                found.append(summary_delivery(self._namespace, name, kind, window))
        return found

    async def _start(self, deliveries: Sequence[Delivery]) -> list[Run[Any]]:
        startable = self._workflows.startable_own(WEBHOOK)
        started: list[Run[Any]] = []
        for rule in dict.fromkeys(it.rule for it in deliveries):
            runs: list[tuple[Payload, str | None]] = [
                (startable.pack((it,), {}), f"{WEBHOOK}:{it.id}") for it in deliveries if it.rule == rule
            ]
            started += await self._submit(startable, runs, StartOptions(tags=(tag_of(rule),)))
        return started

    async def hand_over(self, place: WatchPlace) -> None:
        startable = self._workflows.startable_own(ALERTS)
        now = await self._store.find_run(self._namespace, ALERTS)
        payload = startable.pack((place, None if now is None else key_text(now.key)), {})
        options = StartOptions(id=ALERTS, id_policy=IdPolicy.REPLACE)
        await self._submit(startable, [(payload, ALERTS)], options)

    async def forget(self, key: str) -> None:
        found = key_from_text(key)
        record = None if found is None else await self._store.find_run(self._namespace, found)
        if record is not None and record.workflow == ALERTS and record.status.is_final:
            await self._delete([record])

    # --- telling

    async def send(self, delivery: Delivery, *, is_last: bool) -> Sent:
        sent = await self._send(delivery)
        if sent.problem and (sent.is_final or is_last):
            raise DeliveryFailed(delivery.rule, sent.problem)
        if sent.problem:
            return msgspec.structs.replace(sent, problem=f"{sent.problem}; {_AGAIN}")
        return sent

    async def _send(self, delivery: Delivery) -> Sent:
        rows = await self._store.list_alerts(self._namespace, delivery.rule)
        if not rows:
            return Sent(note="the rule is deleted")
        if self._webhooks is None:
            return Sent(problem="this node cannot send webhooks")
        rule = read_alert(rows[0]).rule
        if not rule.enabled and not delivery.is_ping:
            return Sent(note="the rule is disabled")
        return await self._webhooks.sender.send(rule.url, delivery.id, _encode(delivery.event), rule.secret)


class _Ages(NamedTuple):
    """What began in this time, and has lasted for the span, is too old since the last look."""

    first: Instant
    last: Instant
    span: int
    """In microseconds."""


def _ages(record: AlertRecord, since: Instant, now: Instant, after: float) -> _Ages:
    span = round(after * 1_000_000)
    return _Ages(Instant(max(since, record.created_at) - span), Instant(now - span), span)


def _question_alert(question: QuestionRecord, span: int) -> Alert:
    key, at = key_text(question.run), Instant(question.asked_at + span)
    mark = f"waiting {span} {question.number}"
    return Alert(AlertKind.WAITING, key, question.run_id or key, question.workflow, at, mark, question.name)


def read_alert(row: AlertRow) -> AlertRecord:
    """Raises JournalCorrupt."""
    try:
        check_open(row.rule)
        rule = msgspec.json.decode(row.rule, type=AlertRule)
    except (ValueError, msgspec.MsgspecError) as error:
        raise JournalCorrupt(None, f"the rule of alert {row.name!r} ({error})") from None
    return AlertRecord(row.name, rule, row.created_at, row.changed_at)


def tag_of(rule: str) -> str:
    """Of the runs that deliver its messages."""
    return f"alert:{rule}"
