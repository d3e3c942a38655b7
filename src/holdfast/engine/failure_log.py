"""What has failed, for the log of the program, and for whoever collects errors from there.

What ends a task, fails a run or parks it is one record, once its commit stands: with the exception itself, if
this process has it, so that collectors group by it. The text of a record is a constant; what differs is in
its arguments and in `extra`. Attempts that are made again are warnings.

The records of one commit are bounded: a fan-out of 100,000 tasks may fail at once.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from holdfast.core.failures import revive_value, users_frames
from holdfast.core.values import ExceptionValue, Failure, RunKey, task_id
from holdfast.engine.resident import LiveAttempt, Resident

_log = logging.getLogger("holdfast.failures")

MOST: Final = 20
"""How many failures of a kind a commit logs. The others are counted."""

_OTHERS_SAID: Final = frozenset({"holdfast.errors:TaskError", "holdfast.errors:RunFailed"})
"""What a workflow gets for a task or a child that has failed, which has a record of its own."""

_ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None]
_T = TypeVar("_T")


class FailedAttempt(NamedTuple):
    attempt: LiveAttempt
    failure: Failure
    error: BaseException | None
    """The exception itself, if it was raised in this process and no secret can be in it."""


class ParkedRun(NamedTuple):
    resident: Resident
    failure: Failure
    """The exception as data. Its own methods may raise anything."""
    error: BaseException
    is_news: bool
    """It was not parked before, or will not be tried again."""


def log_failed_tasks(failed: Iterable[FailedAttempt], void: Collection[RunKey]) -> None:
    found = [it for it in failed if it.attempt.run not in void]
    for attempt, failure, error in _first(found, "tasks have failed", logging.ERROR):
        _log.error(
            "task %s has failed: %s",
            attempt.name,
            failure.summary,
            exc_info=_exc_info(failure, error),
            extra=_extra_of(attempt, failure, error),
        )


def log_retries(failed: Iterable[FailedAttempt], void: Collection[RunKey]) -> None:
    found = [it for it in failed if it.attempt.run not in void]
    for attempt, failure, _ in _first(found, "attempts have failed and are made again", logging.WARNING):
        _log.warning("task %s is tried again: %s", attempt.name, failure.summary, extra=_extra_of(attempt))


def log_failed_runs(failed: Iterable[tuple[Resident, Failure]], void: Collection[RunKey]) -> None:
    """Without those that failed because a task or a child has."""
    found = [it for it in failed if it[0].key not in void and not _was_said(it[1])]
    for resident, failure in _first(found, "runs have failed", logging.ERROR):
        extra = _extra(resident) | {"traceback": failure.whole_traceback}
        _log.error(
            "run of %s has failed: %s",
            resident.record.workflow,
            failure.summary,
            exc_info=_exc_info(failure, None),
            extra=extra,
        )


def log_parked_runs(parked: Iterable[ParkedRun], void: Collection[RunKey]) -> None:
    found = [it for it in parked if it.resident.key not in void]
    for resident, failure, error, is_news in _first(found, "runs cannot go on and are parked", logging.ERROR):
        _log.log(
            logging.ERROR if is_news else logging.WARNING,
            "run %s cannot go on and is parked: %s",
            resident.run_id,
            failure.summary,
            exc_info=(type(error), error, users_frames(error.__traceback__)) if is_news else None,
            extra=_extra(resident),
        )


def _first(found: list[_T], what: str, level: int) -> list[_T]:
    if len(found) > MOST:
        _log.log(level, "%d %s; here are %d of them", len(found), what, MOST)
    return found[:MOST]


def _was_said(failure: Failure | None) -> bool:
    while failure is not None:
        if failure.task is not None or not _OTHERS_SAID.isdisjoint((failure.type, *failure.bases)):
            return True
        failure = failure.cause
    return False


def _exc_info(failure: Failure, error: BaseException | None) -> _ExcInfo:
    """From the first frame of the user's code on: our own frames have the payloads of the run in their
    variables. An exception of another process has no frames here."""
    if error is None:
        error = revive_value(ExceptionValue(failure))
        return type(error), error, None
    return type(error), error, users_frames(error.__traceback__)


def _extra_of(
    attempt: LiveAttempt, failure: Failure | None = None, error: BaseException | None = None
) -> dict[str, Any]:
    origin: dict[str, Any] = {
        "run": attempt.run_id,
        "task": attempt.name,
        "task_id": task_id(attempt.run, attempt.seq),
        "attempt": attempt.number,
    }
    if attempt.span is not None:
        origin |= attempt.span.ids
    extra = {
        "holdfast_origin": origin,
        "run_id": attempt.run_id,
        "workflow": attempt.workflow,
        "namespace": attempt.namespace,
        "task": attempt.name,
        "attempt": attempt.number,
    }
    if failure is not None and error is None and failure.traceback:
        extra["traceback"] = failure.whole_traceback
    return extra


def _extra(resident: Resident) -> dict[str, Any]:
    record = resident.record
    return {
        "holdfast_origin": {"run": resident.run_id},
        "run_id": resident.run_id,
        "workflow": record.workflow,
        "namespace": record.namespace,
    }
