"""Which runs a caller means: checks conditions, and turns them into a filter of the store."""

from __future__ import annotations

import datetime as dt
from typing import Any, TypedDict

from holdfast.core.ids import first_key_of
from holdfast.core.names import check_keywords, checked_name
from holdfast.core.run_options import StartTarget, checked_tag
from holdfast.core.values import RunKey, RunStatus, instant
from holdfast.errors import BadOption
from holdfast.ports.runs import RunFilter


class RunConditions(TypedDict, total=False):
    """All that are given must hold."""

    status: str | None
    workflow: StartTarget[..., Any] | type | str | None
    tag: str | None
    fingerprint: str | None
    """Of the failure, as in `RunInfo.fingerprint`."""
    created_after: dt.datetime | None
    created_before: dt.datetime | None


def run_filter(conditions: RunConditions, before: RunKey | None, limit: int) -> RunFilter:
    """Raises BadOption."""
    check_keywords("condition", conditions, RunConditions)
    status, tag = conditions.get("status"), conditions.get("tag")
    fingerprint = conditions.get("fingerprint")
    last = _key_at("created_before", conditions.get("created_before"))
    if before is not None:
        last = before if last is None else min(before, last)
    return RunFilter(
        None if status is None else _checked_status(status),
        workflow_name(conditions.get("workflow")),
        last,
        limit,
        None if tag is None else checked_tag(tag),
        None if fingerprint is None else checked_name("fingerprint", fingerprint),
        _key_at("created_after", conditions.get("created_after")),
    )


def workflow_name(workflow: StartTarget[..., Any] | type | str | None) -> str | None:
    given: Any = getattr(workflow, "name", workflow)
    return None if given is None else checked_name("workflow", given)


def _checked_status(status: str) -> RunStatus:
    try:
        return RunStatus(status)
    except Exception:  # the lookup calls __hash__ and __repr__ of whatever was given
        raise BadOption("status", status, "one of " + ", ".join(RunStatus)) from None


def _key_at(what: str, moment: Any) -> RunKey | None:
    if moment is None:
        return None
    if not isinstance(moment, dt.datetime) or moment.utcoffset() is None:
        raise BadOption(what, moment, "a datetime with a time zone, such as datetime.now(UTC)")
    return first_key_of(instant(moment))


def check_number(option: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise BadOption(option, value, f"a whole number from {least:,} to {most:,}")
