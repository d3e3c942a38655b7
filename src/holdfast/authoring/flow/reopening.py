"""How a flow is opened again: from what it ended with. The flow has handled every failure before that."""

from __future__ import annotations

from holdfast.core.history import read_steps, steps_that_count
from holdfast.core.journal import UndoneMarked
from holdfast.core.records import History
from holdfast.core.reopening import ReopeningPlan, open_after, plan_for_data


def plan_reopening(history: History) -> ReopeningPlan:
    """Raises JournalCorrupt."""
    records = read_steps(history)
    steps = [step for _, step in steps_that_count(records)]
    tasks, children = open_after(steps)
    for asked in steps[-1].asked if steps else ():
        if isinstance(asked, UndoneMarked):
            tasks, children = tasks.union(asked.tasks), children.union(asked.children)
    return plan_for_data(history, records, tasks, children)
