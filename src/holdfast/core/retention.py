"""Retention: how long ended runs are kept, by how they ended and by their workflow."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from holdfast.core.names import SPAN_EXAMPLES, read_span
from holdfast.core.values import Instant, RunStatus, later
from holdfast.errors import BadOption

ENDED = (RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED)
_FOR_EVER = "forever"


class RetentionRule(NamedTuple):
    status: RunStatus
    age: dt.timedelta | None
    """For how long after their end they are kept; None: for ever."""
    workflow: str | None = None
    """None: of every workflow that has no rule of its own for this status."""


def read_retention(setting: Mapping[str, Any]) -> tuple[RetentionRule, ...]:
    """The rules in a setting such as {"success": "30d", "etl": {"success": "1d"}}. A text is for a status,
    and a table for the workflow of that name. Raises BadOption."""
    rules: list[RetentionRule] = []
    for name, value in setting.items():
        if not isinstance(value, dict):
            rules.append(_rule(f"retention[{name!r}]", name, value))
            continue
        for status, span in cast("dict[str, Any]", value).items():
            rule = _rule(f"retention[{name!r}][{status!r}]", status, span)
            rules.append(rule._replace(workflow=name))
    return tuple(rules)


def _rule(option: str, status: str, span: Any) -> RetentionRule:
    if status not in ENDED:
        expected = "the name of a way to end (success, failed or cancelled), or a table for a workflow"
        raise BadOption(option, span, f"under {expected}")
    age = read_span(span) if isinstance(span, str) else None
    if age is None and span != _FOR_EVER:
        raise BadOption(option, span, f'{SPAN_EXAMPLES}, or "{_FOR_EVER}"')
    return RetentionRule(RunStatus(status), age)


def cutoffs(
    rules: Sequence[RetentionRule], workflows: Iterable[str], now: Instant
) -> dict[tuple[str, RunStatus], Instant]:
    """For each workflow and status that has a rule: runs that ended before this instant are not kept."""
    ages = {(rule.workflow, rule.status): rule.age for rule in rules}
    found: dict[tuple[str, RunStatus], Instant] = {}
    for workflow in workflows:
        for status in ENDED:
            age = ages.get((workflow, status), ages.get((None, status)))
            if age is not None:
                found[workflow, status] = later(now, -age)
    return found
