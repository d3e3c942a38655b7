"""Rules for alerts: `hf.alerts`.

A rule names an address, and what it is to be told of. A run of holdfast's own (`holdfast.alerts`, one in a
namespace) looks what happens, and starts a run (`holdfast.webhook`) for each message. Any node of the
namespace does the work, and another one goes on with it if that node dies.
"""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from holdfast.client.alert_work import AlertedStore, AlertWork, Submit, read_alert, tag_of
from holdfast.client.run import RunInfo, RunsPage
from holdfast.client.run_filters import check_number, workflow_name
from holdfast.core.alerts import (
    ALERTS,
    LOOK,
    WEBHOOK,
    AlertKind,
    AlertRecord,
    AlertRule,
    WatchPlace,
    ping_delivery,
)
from holdfast.core.names import checked_address_name, checked_name, checked_span
from holdfast.core.records import RunRecord, task_claim
from holdfast.core.run_options import IdPolicy, StartOptions
from holdfast.core.secret_names import checked_secrets
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, moment
from holdfast.core.webhooks import Sent
from holdfast.errors import AlertNotFound, BadOption, HoldfastError, RunEnded, RunExists, RunNotFound
from holdfast.ports.alerts import Webhooks
from holdfast.ports.outbound import AddressGate
from holdfast.ports.workflows import Workflows

_LONGEST_NAME: Final = 80
_MOST_A_MINUTE: Final = 10_000
_SHORTEST: Final = dt.timedelta(seconds=1)
_LONGEST: Final = dt.timedelta(days=3650)
_TEST_SECONDS: Final = 10.0
_TRIES: Final = 5
_CLAIM: Final = task_claim(ALERTS)


class AlertInfo(msgspec.Struct, frozen=True):
    """A rule."""

    name: str
    url: str
    on: tuple[str, ...]
    workflow: str | None
    tags: tuple[str, ...]
    late_after: dt.timedelta | None
    waiting_after: dt.timedelta | None
    secret: str | None
    """The name of the secret that messages are signed with."""
    at_most: int
    enabled: bool
    created_at: dt.datetime
    changed_at: dt.datetime
    problem: str = ""
    """Why nothing is told at the moment: the run that looks was stopped, or no node is there to do it. Empty
    if it looks."""


class DeliveryInfo(msgspec.Struct, frozen=True):
    """A message: one run."""

    id: str
    """Of the run that delivers it."""
    rule: str
    type: str
    """Such as `dev.holdfast.run.failed`."""
    subject: str
    """The id of the run that it is about; empty if it is about none, or several."""
    status: RunStatus
    """`success`: it is delivered."""
    created_at: dt.datetime
    finished_at: dt.datetime | None
    attempts: int
    problem: str
    """Why the last attempt failed."""


class AlertClient(Protocol):
    """What alerts need of a client."""

    async def key_of(self, run: Any) -> RunKey: ...

    async def describe(self, run: Any) -> RunInfo: ...

    async def page(
        self, *, limit: int, after: str | None, payloads: bool, workflow: str, tag: str
    ) -> RunsPage: ...

    async def signal(self, run: Any, name: str, value: Any = None) -> None: ...


class AlertParts(NamedTuple):
    client: AlertClient
    store: AlertedStore
    workflows: Workflows
    work: AlertWork
    submit: Submit
    gate: AddressGate | None
    namespace: str
    now: Callable[[], Instant]
    check: Callable[[], None]
    """Raises WrongLoop."""
    lacks: Callable[[Sequence[str]], Awaitable[dict[str, str]]]
    """Why no node can take runs of these claims, for those of which that is sure."""


class Alerts:
    def __init__(self, parts: AlertParts) -> None:
        self._parts = parts

    async def put(
        self,
        name: str,
        url: str,
        on: str | Sequence[str],
        *,
        workflow: Any = None,
        tags: str | Sequence[str] = (),
        late_after: dt.timedelta | None = None,
        waiting_after: dt.timedelta | None = None,
        secret: str | None = None,
        at_most: int = 60,
        enabled: bool = True,
    ) -> AlertInfo:
        """Add a rule, or replace it: post a message to `url` when a run has `failed`, was `parked`, has not
        ended `late_after` its creation (`late`), or has a question that is open for `waiting_after`
        (`waiting`). What happened before is not told.

        `workflow` and `tags` say which runs. `secret` is the name of the secret that messages are signed
        with. Of each kind, `at_most` so many messages are sent in a minute; one more sums up the rest.

        Raises BadOption, and AddressRefused if nodes may not connect there.
        """
        parts = self._parts
        parts.check()
        name = checked_address_name("name", name, _LONGEST_NAME)
        rule = checked_rule(
            AlertRule(
                url=url,
                on=(on,) if isinstance(on, str) else tuple(on),
                workflow=workflow_name(workflow),
                tags=(tags,) if isinstance(tags, str) else tuple(tags),
                late_after=_seconds("late_after", late_after),
                waiting_after=_seconds("waiting_after", waiting_after),
                secret=secret,
                at_most=at_most,
                enabled=enabled,
            )
        )
        if parts.gate is not None:
            await parts.gate.check("url", rule.url)
        offset = await parts.work.place_now()
        row = await self._parts.store.put_alert(
            parts.namespace, name, Payload(msgspec.json.encode(rule)), parts.now()
        )
        await self._wake(offset)
        return alert_info(read_alert(row), await self._problem())

    async def get(self, name: str) -> AlertInfo:
        """Raises AlertNotFound."""
        [found] = await self._list(checked_name("name", name)) or [None]
        if found is None:
            raise AlertNotFound(name, self._parts.namespace)
        return found

    async def list(self) -> builtins.list[AlertInfo]:
        """All rules, by name."""
        return await self._list(None)

    async def delete(self, name: str) -> AlertInfo:
        """What it was. Messages that have not been delivered yet are given up. Raises AlertNotFound."""
        parts = self._parts
        parts.check()
        row = await self._parts.store.delete_alert(parts.namespace, checked_name("name", name))
        if row is None:
            raise AlertNotFound(name, parts.namespace)
        return alert_info(read_alert(row), "")

    async def test(self, name: str) -> DeliveryInfo:
        """Send a message of the type `dev.holdfast.alerts.ping` now, and wait some seconds for what becomes
        of it. Raises AlertNotFound."""
        await self.get(name)
        parts = self._parts
        now = parts.now()
        run = await parts.work.start(ping_delivery(parts.namespace, name, str(now), now))
        try:
            async with asyncio.timeout(_TEST_SECONDS):
                await run.result()
        except (TimeoutError, HoldfastError):
            pass  # the answer says it
        return await self._delivery(await self._parts.client.describe(run))

    async def deliveries(self, name: str, *, limit: int = 20) -> builtins.list[DeliveryInfo]:
        """The last messages of a rule, newest first. Raises AlertNotFound."""
        check_number("limit", limit, 1, 100)
        await self.get(name)
        page = await self._parts.client.page(
            limit=limit, after=None, payloads=True, workflow=WEBHOOK, tag=tag_of(name)
        )
        return [await self._delivery(info) for info in page.items]

    async def _list(self, name: str | None) -> builtins.list[AlertInfo]:
        parts = self._parts
        parts.check()
        rows = await self._parts.store.list_alerts(parts.namespace, name)
        if not rows:
            return []
        problem = await self._problem()
        return [alert_info(read_alert(row), problem) for row in rows]

    async def _problem(self) -> str:
        info = await self._watcher()
        if info is None:
            return f"there is no run {ALERTS!r}: put a rule again"
        if info.status in (RunStatus.PENDING, RunStatus.RUNNING):
            lack = (await self._parts.lacks([_CLAIM])).get(_CLAIM)
            start = f"start a node in namespace {self._parts.namespace!r}"
            return "" if lack is None else f"{lack}, so nobody looks: {start}"
        what = "resume it" if not info.status.is_final else "put a rule again"
        return f"the run {ALERTS!r} is {info.status.value}, so nobody looks: {what}"

    async def _watcher(self) -> RunInfo | None:
        try:
            info = await self._parts.client.describe(ALERTS)
        except RunNotFound:
            return None
        return info if info.workflow == ALERTS else None

    async def _wake(self, offset: str) -> None:
        """Tell the run that looks that rules have changed; start it if there is none."""
        startable = self._parts.workflows.startable_own(ALERTS)
        payload = startable.pack((WatchPlace(offset=offset),), {})
        for attempt in range(_TRIES):
            info = await self._watcher()
            try:
                if info is not None and not info.status.is_final:
                    await self._parts.client.signal(info.key, LOOK, offset)
                else:
                    options = StartOptions(id=ALERTS, id_policy=IdPolicy.RESTART_ENDED)
                    await self._parts.submit(startable, [(payload, ALERTS)], options)
                return
            except (RunEnded, RunNotFound, RunExists):  # somebody else was faster
                if attempt == _TRIES - 1:
                    raise

    async def _delivery(self, info: RunInfo) -> DeliveryInfo:
        parts = self._parts
        given: dict[str, Any] = info.input["delivery"]
        tasks = await self._parts.store.list_tasks(parts.namespace, await self._parts.client.key_of(info.key))
        last = next((it.output for it in reversed(tasks) if it.output is not None), None)
        sent = Sent() if last is None else parts.workflows.decode(last, Sent, "an attempt")
        return DeliveryInfo(
            info.id,
            given["rule"],
            given["event"]["type"],
            given["event"].get("subject", ""),
            info.status,
            info.created_at,
            info.finished_at,
            len(tasks),
            sent.problem or sent.note if info.failure is None else info.failure.message,
        )


def new_alerts(
    client: AlertClient,
    store: AlertedStore,
    workflows: Workflows,
    submit: Submit,
    gate: AddressGate | None,
    webhooks: Webhooks | None,
    delete: Callable[[Sequence[RunRecord]], Awaitable[object]],
    namespace: str,
    now: Callable[[], Instant],
    check: Callable[[], None],
    lacks: Callable[[Sequence[str]], Awaitable[dict[str, str]]],
) -> Alerts:
    """Nodes over these workflows do the work of alerts from now on."""
    work = AlertWork(store, workflows, submit, webhooks, delete, namespace=namespace, now=now)
    for name in (ALERTS, WEBHOOK):
        workflows.do_own_with(name, work)
    return Alerts(AlertParts(client, store, workflows, work, submit, gate, namespace, now, check, lacks))


def checked_rule(rule: AlertRule) -> AlertRule:
    """Raises BadOption."""
    known = ", ".join(AlertKind)
    if not rule.on or not all(isinstance(it, str) and it in set(AlertKind) for it in rule.on):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadOption("on", rule.on, f"one or more of {known}")
    for kind, option in ((AlertKind.LATE, "late_after"), (AlertKind.WAITING, "waiting_after")):
        if (kind in rule.on) != (getattr(rule, option) is not None):
            raise BadOption(option, getattr(rule, option), f"given if, and only if, `on` has {kind.value!r}")
    StartOptions(tags=rule.tags)
    if rule.secret is not None:
        checked_secrets("secret", [rule.secret])
    check_number("at_most", rule.at_most, 1, _MOST_A_MINUTE)
    return msgspec.structs.replace(
        rule, on=tuple(dict.fromkeys(map(str, rule.on))), enabled=bool(rule.enabled)
    )


def alert_info(record: AlertRecord, problem: str) -> AlertInfo:
    rule = record.rule
    return AlertInfo(
        record.name,
        rule.url,
        rule.on,
        rule.workflow,
        rule.tags,
        _span(rule.late_after),
        _span(rule.waiting_after),
        rule.secret,
        rule.at_most,
        rule.enabled,
        moment(record.created_at),
        moment(record.changed_at),
        problem if rule.enabled else "",
    )


def _seconds(option: str, span: dt.timedelta | None) -> float | None:
    if span is None:
        return None
    if not _SHORTEST <= checked_span(option, span) <= _LONGEST:
        raise BadOption(option, span, "a second or more, and at most ten years")
    return span.total_seconds()


def _span(seconds: float | None) -> dt.timedelta | None:
    return None if seconds is None else dt.timedelta(seconds=seconds)
