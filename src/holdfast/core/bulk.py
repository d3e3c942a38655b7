"""Bulk jobs: one act on all runs that match conditions, done in the background by a run of holdfast's own.

These values are the input, the state and the results of that run. They are stored, so fields may be added to
them, with defaults, but not renamed.
"""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from typing import Final

import msgspec

from holdfast.core.names import OWN_NAMES
from holdfast.core.records import task_claim
from holdfast.core.values import RunStatus

BULK: Final = f"{OWN_NAMES}bulk"
"""The name of the workflow. It is stored in rows and must never change."""
BULK_VERSION: Final = "1"
BULK_CLAIM: Final = task_claim(BULK)
"""Every node serves it, as it does tasks that are started by themselves. So it does not count as a workflow
that the node shares its room with."""
PROGRESS: Final = "progress"
"""The key in the state of the run."""


class BulkAct(StrEnum):
    CANCEL = "cancel"
    TERMINATE = "terminate"
    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    TRY_NOW = "try_now"
    DELETE = "delete"
    PRUNE = "prune"


_OPEN = (RunStatus.PENDING, RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.PARKED)
_AWAKE = (RunStatus.PENDING, RunStatus.RUNNING)
_ENDED = (RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED)

STATES: Final[dict[BulkAct, tuple[RunStatus, ...]]] = {
    BulkAct.CANCEL: _OPEN,
    BulkAct.TERMINATE: _OPEN,
    BulkAct.PAUSE: _AWAKE,
    BulkAct.RESUME: (RunStatus.PAUSED, RunStatus.PARKED),
    BulkAct.RETRY: (RunStatus.FAILED, RunStatus.CANCELLED),
    BulkAct.TRY_NOW: _AWAKE,
    BulkAct.DELETE: _ENDED,
    BulkAct.PRUNE: _ENDED,
}
"""In which a run must be."""


class BulkConditions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The conditions of `hf.list` as they are stored. All that are given must hold."""

    status: tuple[str, ...] | None = None
    workflow: str | None = None
    tag: tuple[str, ...] | None = None
    fingerprint: str | None = None
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None
    version: str | None = None
    schedule: str | None = None
    parent: str | None = None
    """The key of a run."""
    ended_after: dt.datetime | None = None
    ended_before: dt.datetime | None = None
    error_type: str | None = None
    id_contains: str | None = None
    error_contains: str | None = None
    took_over: float | None = None
    took_under: float | None = None


class BulkPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    act: str
    conditions: BulkConditions = BulkConditions()
    text: str = ""
    """The reason, or the note of a pause."""
    by: str = ""
    timers: str = "catch_up"
    """For `resume`."""
    changes_deadline: bool = False
    deadline: dt.datetime | None = None
    """For `retry`: a new one, or none any more, if `changes_deadline`."""
    older_than: float | None = None
    """For `prune`: how long ago a run must have ended, in seconds."""
    limit: int | None = None
    """For `prune`: how many runs may be deleted, not counting children."""


class EndedPlace(msgspec.Struct, frozen=True, array_like=True):
    """For `prune`: runs of one workflow that ended in one way, from where to go on."""

    workflow: str
    status: str
    before: int
    after: str


class BulkPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """From where a job goes on."""

    before: str = ""
    """The key of a run: only those that are older."""
    at: int = 0
    """When the job was started."""
    ended: tuple[EndedPlace, ...] = ()
    """For `prune`."""
    left: int | None = None
    """For `prune`: how many more runs may be deleted."""


class Refusal(msgspec.Struct, frozen=True):
    """A run to which it was not done, and why."""

    run: str
    """The id of the run, or its key."""
    code: str
    """The name of the error in small letters, such as `not_ended`; `run_changed` if the run was in another
    state when its turn came."""
    message: str


CHANGED: Final = "run_changed"


class BulkProgress(msgspec.Struct, frozen=True):
    """How far a job is."""

    matched: int = 0
    """How many runs there were to do it to when the job began. Of `prune`, with their children."""
    is_exact: bool = True
    """False: there were at least so many."""
    done: int = 0
    failed: int = 0
    """How many runs refused it."""
    skipped: int = 0
    """How many were in another state when their turn came."""
    rows: int = 0
    """How many rows of the database were deleted."""


class BulkPage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of some runs, one after the other."""

    next: BulkPlace | None = None
    """None: these were the last."""
    done: int = 0
    rows: int = 0
    refused: tuple[Refusal, ...] = ()


class BulkBeginning(msgspec.Struct, frozen=True):
    """Which runs there are when a job begins."""

    place: BulkPlace
    matched: int
    is_exact: bool


def add_page(progress: BulkProgress, page: BulkPage) -> BulkProgress:
    skipped = sum(refusal.code == CHANGED for refusal in page.refused)
    return msgspec.structs.replace(
        progress,
        done=progress.done + page.done,
        failed=progress.failed + len(page.refused) - skipped,
        skipped=progress.skipped + skipped,
        rows=progress.rows + page.rows,
    )
