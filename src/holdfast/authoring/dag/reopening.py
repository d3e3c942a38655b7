"""How a DAG is opened again: everything that did not succeed led to its end, and is tried again."""

from __future__ import annotations

from holdfast.core.history import read_steps, steps_that_count
from holdfast.core.journal import ChildAsked, ChildHeard, StepRecord, TaskAsked
from holdfast.core.records import History
from holdfast.core.reopening import ReopeningPlan, plan_for_data


def plan_reopening(history: History) -> ReopeningPlan:
    """Raises JournalCorrupt."""
    records = read_steps(history)
    asked = [each for _, step in steps_that_count(records) for each in step.asked]
    tasks = {each.seq for each in asked if isinstance(each, TaskAsked)}
    children = {each.seq for each in asked if isinstance(each, ChildAsked)}
    return plan_for_data(history, records, tasks, children - _succeeded_children(records))


def _succeeded_children(records: list[StepRecord]) -> set[int]:
    """The children that the run heard to have succeeded. A retry that broke off may have opened others."""
    heard = [each for record in records for each in record.heard if isinstance(each, ChildHeard)]
    return {each.seq for each in heard if not each.has_failed}
