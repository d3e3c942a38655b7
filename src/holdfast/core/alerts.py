"""Alerts: rules that say whom to tell of runs that fail, are parked, are late or wait for an answer.

A run of holdfast's own looks at what happens in its namespace and starts a run for each message to be sent.
These values are the inputs and results of these runs. They are stored, so fields may be added to them, with
defaults, but not renamed.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.core.names import OWN_NAMES
from holdfast.core.records import RunRecord, task_claim
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant, RunStatus, key_text, moment

ALERTS: Final = f"{OWN_NAMES}alerts"
"""The name of the workflow that looks, and the id of its run. It is stored in rows and must never change."""
WEBHOOK: Final = f"{OWN_NAMES}webhook"
"""The name of the workflow that delivers one message."""
VERSION: Final = "1"
ALERTS_CLAIM: Final = task_claim(ALERTS)
WEBHOOK_CLAIM: Final = task_claim(WEBHOOK)
LOOK: Final = "look"
"""The signal that rules have changed. Its value is the offset from which to look, if nobody has looked."""
LOOK_EVERY: Final = dt.timedelta(seconds=15)
_TYPES: Final = "dev.holdfast"
_LONGEST_MESSAGE: Final = 500
_MOST_FIRST: Final = 10
_MINUTE: Final = 60_000_000
_SETTLED: Final = 10_000_000
"""How long after a minute its summary is made, in microseconds: nodes may be late with their commits."""


class AlertKind(StrEnum):
    FAILED = "failed"
    PARKED = "parked"
    LATE = "late"
    WAITING = "waiting"


GAP: Final = "gap"
PING: Final = "ping"
BY_CHANGE: Final = {RunStatus.FAILED.value: AlertKind.FAILED, RunStatus.PARKED.value: AlertKind.PARKED}


class AlertRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Stored as JSON."""

    url: str
    on: tuple[str, ...]
    workflow: str | None = None
    tags: tuple[str, ...] = ()
    late_after: float | None = None
    """Seconds. So is `waiting_after`."""
    waiting_after: float | None = None
    secret: str | None = None
    """The name of the secret with which messages are signed."""
    at_most: int = 60
    """How many messages of each kind in a minute. The others are told of in one summary."""
    enabled: bool = True


class AlertRecord(NamedTuple):
    name: str
    rule: AlertRule
    created_at: Instant
    changed_at: Instant


class Alert(NamedTuple):
    """Something to be told, if a rule wants it."""

    kind: str
    key: str
    """Of the run."""
    run: str
    """The id of the run."""
    workflow: str
    at: Instant
    mark: str
    """Where it was found: the same alert is found again under the same mark, after a crash."""
    question: str = ""
    record: RunRecord | None = None


class Window(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a rule has been told of one kind in one minute."""

    minute: int
    told: int = 0
    held: int = 0
    """How many are left for the summary."""
    first: tuple[str, ...] = ()
    """The first runs of these."""
    mark: str = ""
    """Of the first one."""


class WatchPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far somebody has looked."""

    offset: str = ""
    """Of the changes. Empty: nobody has looked yet."""
    looked_at: int = 0
    windows: dict[str, Window] = {}
    """By rule, kind and minute."""


class Look(msgspec.Struct, frozen=True, omit_defaults=True):
    place: WatchPlace
    rules: int
    """How many rules there are. 0: there is nothing to look for."""
    told: int = 0
    is_behind: bool = False
    """There is more to be read at once."""


class Delivery(msgspec.Struct, frozen=True):
    """One message. Its address and its secret are those that the rule has when it is sent."""

    rule: str
    id: str
    event: dict[str, Any]

    @property
    def is_ping(self) -> bool:
        return self.event["type"] == f"{_TYPES}.alerts.{PING}"


def wants(record: AlertRecord, alert: Alert) -> bool:
    """Apart from tags, and from what is asked of the store for each rule."""
    rule = record.rule
    return (
        alert.kind in rule.on
        and alert.at >= record.created_at
        and rule.workflow in (None, alert.workflow)
        and alert.workflow not in (ALERTS, WEBHOOK)  # else a receiver that is away would cause more messages
    )


def has_tags(rule: AlertRule, run: RunRecord | None) -> bool:
    return not rule.tags or (run is not None and set(rule.tags) <= set(_tags(run)))


def share_out(
    windows: Mapping[str, Window], name: str, at_most: int, alerts: Sequence[Alert]
) -> tuple[list[Alert], dict[str, Window]]:
    """Which alerts of a rule have a message of their own, and the windows after them. Minutes are those in
    which things happened, so the same is decided again after a crash."""
    told: list[Alert] = []
    after = dict(windows)
    for alert in alerts:
        minute = alert.at // _MINUTE
        key = window_key(name, alert.kind, minute)
        window = after.get(key) or Window(minute)
        if window.told < at_most:
            told.append(alert)
            after[key] = msgspec.structs.replace(window, told=window.told + 1)
        else:
            after[key] = msgspec.structs.replace(
                window,
                held=window.held + 1,
                first=(*window.first, alert.run)[:_MOST_FIRST],
                mark=window.mark or alert.mark,
            )
    return told, after


def window_key(rule: str, kind: str, minute: int) -> str:
    return f"{kind} {minute} {rule}"


def close_windows(windows: Mapping[str, Window], now: Instant) -> tuple[dict[str, Window], dict[str, Window]]:
    """Those whose minute is over, and those that stay open."""
    over = {key: it for key, it in windows.items() if (it.minute + 1) * _MINUTE + _SETTLED <= now}
    return over, {key: it for key, it in windows.items() if key not in over}


def message_id(*parts: str) -> str:
    """The same parts give the same id, so a message is sent by one run."""
    return "msg_" + hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]


def _event(
    namespace: str, id: str, type: str, at: Instant, subject: str | None, data: dict[str, Any]
) -> dict[str, Any]:
    """As in CloudEvents 1.0, in structured JSON."""
    event: dict[str, Any] = {
        "specversion": "1.0",
        "id": id,
        "source": f"/namespaces/{_quoted(namespace)}",
        "type": f"{_TYPES}.{type}",
        "time": moment(at).isoformat().replace("+00:00", "Z"),
        "datacontenttype": "application/json",
        "data": data,
    }
    return event if subject is None else event | {"subject": subject}


def run_delivery(namespace: str, rule: str, alert: Alert, public_url: str) -> Delivery:
    id = message_id(namespace, rule, alert.kind, alert.key, alert.mark)
    data: dict[str, Any] = {"rule": rule, "run": alert.run, "key": alert.key, "workflow": alert.workflow}
    run = alert.record
    if run is not None:
        data |= {"version": run.version, "status": run.status.value, "tags": list(_tags(run))}
        data["created_at"] = moment(run.created_at).isoformat().replace("+00:00", "Z")
        if run.failure is not None:
            data["error"] = {"type": run.failure.type, "message": run.failure.message[:_LONGEST_MESSAGE]}
    if alert.question:
        data["question"] = alert.question
    if public_url:
        data["link"] = f"{public_url}/api/v1/runs/{alert.key}"
    return Delivery(rule, id, _event(namespace, id, f"run.{alert.kind}", alert.at, alert.run, data))


def summary_delivery(namespace: str, rule: str, kind: str, window: Window) -> Delivery:
    id = message_id(namespace, rule, kind, "summary", window.mark)
    data = {"rule": rule, "count": window.held, "first": list(window.first), "told": window.told}
    at = Instant((window.minute + 1) * _MINUTE)
    return Delivery(rule, id, _event(namespace, id, f"runs.{kind}", at, None, data))


def gap_delivery(
    namespace: str, rule: str, offset: str, reason: str, since: Instant, now: Instant
) -> Delivery:
    id = message_id(namespace, rule, GAP, offset)
    data = {"rule": rule, "since": moment(since).isoformat().replace("+00:00", "Z"), "reason": reason}
    return Delivery(rule, id, _event(namespace, id, f"alerts.{GAP}", now, None, data))


def ping_delivery(namespace: str, rule: str, unique: str, now: Instant) -> Delivery:
    id = message_id(namespace, rule, PING, unique)
    return Delivery(rule, id, _event(namespace, id, f"alerts.{PING}", now, None, {"rule": rule}))


def run_alert(kind: str, run: RunRecord, at: Instant, mark: str, question: str = "") -> Alert:
    key = key_text(run.key)
    return Alert(kind, key, run.id or key, run.workflow, at, mark, question, run)


def _quoted(text: str) -> str:
    """As a part of a path in a URI."""
    return "".join(
        chr(byte) if (chr(byte).isalnum() and byte < 128) or chr(byte) in "-._~" else f"%{byte:02X}"
        for byte in text.encode()
    )


def _tags(run: RunRecord) -> Sequence[str]:
    return read_run_options(run.options).tags if run.options else ()
