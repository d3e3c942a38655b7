"""A rule for alerts as it is written for others: spans are seconds."""

from __future__ import annotations

import datetime as dt

import msgspec

from holdfast.client.alerts import AlertInfo


class AlertAnswer(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    url: str
    on: tuple[str, ...]
    workflow: str | None
    tags: tuple[str, ...]
    late_after: float | None
    waiting_after: float | None
    secret: str | None
    at_most: int
    enabled: bool
    created_at: dt.datetime
    changed_at: dt.datetime
    problem: str
    """Why nothing is told at the moment; empty if it is."""


def alert_answer(info: AlertInfo) -> AlertAnswer:
    values = {name: getattr(info, name) for name in info.__struct_fields__}
    for name in ("late_after", "waiting_after"):
        values[name] = None if values[name] is None else values[name].total_seconds()
    return AlertAnswer(**values)


def read_alert_answer(answer: AlertAnswer) -> AlertInfo:
    values = {name: getattr(answer, name) for name in answer.__struct_fields__}
    for name in ("late_after", "waiting_after"):
        values[name] = None if values[name] is None else dt.timedelta(seconds=values[name])
    return AlertInfo(**values)
