"""What `doctor` finds, as it is written for others."""

from __future__ import annotations

import datetime as dt

import msgspec

from holdfast.client.schedules import OverdueSchedule
from holdfast.core.values import RunStatus, key_from_text, key_text
from holdfast.ports.runs import Stranded


class Finding(msgspec.Struct, frozen=True):
    """A run that nothing will wake, or a schedule that no node fires."""

    workflow: str
    problem: str
    run: str | None = None
    """The key of the run."""
    id: str | None = None
    status: RunStatus | None = None
    schedule: str | None = None
    due_at: dt.datetime | None = None


def finding_of(found: Stranded | OverdueSchedule) -> Finding:
    if isinstance(found, OverdueSchedule):
        return Finding(found.workflow, found.problem, schedule=found.name, due_at=found.due_at)
    return Finding(found.workflow, found.problem, run=key_text(found.run), id=found.id, status=found.status)


def read_finding(finding: Finding) -> Stranded | OverdueSchedule | None:
    """None: it is of a kind that only a later version knows."""
    key = None if finding.run is None else key_from_text(finding.run)
    if key is not None and finding.status is not None:
        return Stranded(key, finding.id, finding.workflow, finding.status, finding.problem)
    if finding.schedule is not None and finding.due_at is not None:
        return OverdueSchedule(finding.schedule, finding.workflow, finding.due_at, finding.problem)
    return None
