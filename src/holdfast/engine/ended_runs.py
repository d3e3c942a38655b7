"""How a run ends, as a row of a commit."""

from __future__ import annotations

from holdfast.core.commands import CancelRun, CompleteRun, EndRun, FailRun
from holdfast.core.fingerprints import fingerprint
from holdfast.core.history import cancellation
from holdfast.core.records import RunRecord
from holdfast.core.values import Instant, RunStatus
from holdfast.engine.attempt_recorder import encode_failure
from holdfast.ports.commits import EndedRun


def ended_run(run: RunRecord, command: EndRun, now: Instant, *, is_forced: bool) -> EndedRun:
    output = failure = cause = None
    match command:
        case CompleteRun():
            status, output = RunStatus.SUCCESS, command.output
        case FailRun():
            status, failure = RunStatus.FAILED, encode_failure(command.failure)
            cause = fingerprint(command.failure)
        case CancelRun():
            status, failure = RunStatus.CANCELLED, encode_failure(cancellation(command.reason))
    return EndedRun(run.key, status, output, failure, run.parent, run.parent_seq, now, cause, is_forced)
