"""Failed runs, grouped by the cause of their failures."""

from __future__ import annotations

import datetime as dt

import msgspec

from holdfast.core.fingerprints import place
from holdfast.core.records import RunRecord
from holdfast.core.values import key_text, moment
from holdfast.ports.runs import FailureGroup


class FailureInfo(msgspec.Struct, frozen=True):
    """Runs that failed for the same cause: the class of the error, its place, and its message without
    numbers."""

    fingerprint: str
    """Give it to `hf.list` or `hf.select` to get the runs."""
    count: int
    """100,000 stands for 100,000 or more."""
    workflow: str
    """Of the newest run, as are the summary and the place."""
    summary: str
    place: str
    """`file.py in function`, or empty."""
    first_at: dt.datetime
    last_at: dt.datetime
    """When the oldest and the newest of the runs were created."""
    last_run: str
    """The id of the newest run."""


def failure_info(group: FailureGroup, first: RunRecord, last: RunRecord) -> FailureInfo:
    failure = last.failure
    return FailureInfo(
        group.fingerprint,
        group.runs,
        last.workflow,
        "" if failure is None else failure.summary,
        "" if failure is None else place(failure),
        moment(first.created_at),
        moment(last.created_at),
        last.id or key_text(last.key),
    )
