"""Which runs a caller means: checks conditions, and turns them into a filter of the store."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast

from holdfast.core.ids import first_key_of
from holdfast.core.names import check_keywords, checked_name, checked_version
from holdfast.core.run_options import StartTarget, checked_tag
from holdfast.core.values import Instant, RunKey, RunStatus, instant
from holdfast.errors import BadOption
from holdfast.ports.runs import RunFilter

if TYPE_CHECKING:
    from holdfast.client.run import Run

_MOST_TAGS: Final = 20
_MOST_SECONDS: Final = 1_000_000_000


class RunConditions(TypedDict, total=False):
    """All that are given must hold."""

    status: str | Sequence[str] | None
    """One state, or several: the run is in one of them."""
    workflow: StartTarget[..., Any] | type | str | None
    tag: str | Sequence[str] | None
    """One tag, or several: the run has all of them."""
    fingerprint: str | None
    """Of the failure, as in `RunInfo.fingerprint`."""
    created_after: dt.datetime | None
    created_before: dt.datetime | None
    version: str | int | None
    schedule: str | None
    """The name of the schedule that started it."""
    parent: Run[Any] | str | None
    """Only children of this run."""
    ended_after: dt.datetime | None
    ended_before: dt.datetime | None
    error_type: str | None
    """The class of the failure or of one of its causes: `ValueError`, or with its module
    `shop.errors:OutOfStock`."""
    id_contains: str | None
    """A part of the id. Small and capital letters of ASCII are the same here and below."""
    error_contains: str | None
    """A part of the message of the failure, or of one of its causes."""
    took_over: float | None
    """In seconds. The run has ended, and took so long or longer from its beginning to its end."""
    took_under: float | None
    """In seconds. The run has ended, and took less than that."""


def run_filter(
    conditions: RunConditions, before: RunKey | None, limit: int, parent: RunKey | None = None
) -> RunFilter:
    """`parent` is the key of the run that the conditions name. Raises BadOption."""
    check_keywords("condition", conditions, RunConditions)
    last = _key_at("created_before", conditions.get("created_before"))
    if before is not None:
        last = before if last is None else min(before, last)
    version = conditions.get("version")
    return RunFilter(
        _checked_statuses(conditions.get("status")),
        workflow_name(conditions.get("workflow")),
        last,
        limit,
        _checked_tags(conditions.get("tag")),
        _name_in(conditions, "fingerprint"),
        _key_at("created_after", conditions.get("created_after")),
        None if version is None else checked_version(version),
        _name_in(conditions, "schedule"),
        parent,
        instant_at("ended_after", conditions.get("ended_after")),
        instant_at("ended_before", conditions.get("ended_before")),
        _name_in(conditions, "error_type"),
        _name_in(conditions, "id_contains"),
        _name_in(conditions, "error_contains"),
        _span_in(conditions, "took_over"),
        _span_in(conditions, "took_under"),
    )


def workflow_name(workflow: StartTarget[..., Any] | type | str | None) -> str | None:
    given: Any = getattr(workflow, "name", workflow)
    return None if given is None else checked_name("workflow", given)


def _checked_statuses(given: Any) -> tuple[RunStatus, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        return (_checked_status(given),)
    several = cast("Sequence[Any]", given)
    if not several:
        raise BadOption("status", several, "left out, or at least one state")
    return tuple(dict.fromkeys(_checked_status(each) for each in several))


def _checked_tags(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence):
        return (checked_tag(given),)
    several = cast("Sequence[Any]", given)
    if len(several) > _MOST_TAGS:
        raise BadOption("tag", several, f"at most {_MOST_TAGS} tags")
    return tuple(dict.fromkeys(checked_tag(each) for each in several))


def _name_in(conditions: RunConditions, name: str) -> str | None:
    value = conditions.get(name)
    return None if value is None else checked_name(name, value)


def _span_in(conditions: RunConditions, name: str) -> dt.timedelta | None:
    seconds: Any = conditions.get(name)
    if seconds is None:
        return None
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 <= seconds <= _MOST_SECONDS:
        raise BadOption(name, seconds, f"a number of seconds from 0 to {_MOST_SECONDS:,}")
    return dt.timedelta(seconds=seconds)


def _checked_status(status: str) -> RunStatus:
    try:
        return RunStatus(status)
    except Exception:  # the lookup calls __hash__ and __repr__ of whatever was given
        raise BadOption("status", status, "one of " + ", ".join(RunStatus)) from None


def _key_at(what: str, moment: Any) -> RunKey | None:
    at = instant_at(what, moment)
    return None if at is None else first_key_of(at)


def instant_at(what: str, moment: Any) -> Instant | None:
    if moment is None:
        return None
    if not isinstance(moment, dt.datetime) or moment.utcoffset() is None:
        raise BadOption(what, moment, "a datetime with a time zone, such as datetime.now(UTC)")
    return instant(moment)


def check_number(option: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise BadOption(option, value, f"a whole number from {least:,} to {most:,}")
