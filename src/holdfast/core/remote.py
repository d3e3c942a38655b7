"""What a worker reports about a task that it took from the queue: the payload of a TASK message."""

from __future__ import annotations

import msgspec

from holdfast.core.values import Failed, Failure, Instant, Outcome, Payload, Succeeded
from holdfast.errors import JournalCorrupt

LOST = "holdfast.errors:TaskLost"
"""The failure type that a store reports when too many workers have lost a task."""


class RemoteReport(msgspec.Struct, frozen=True, omit_defaults=True):
    attempt: int
    """Includes lost attempts, which the node does not know of."""
    worker: str
    started_at: Instant
    output: msgspec.Raw = msgspec.Raw(b"null")
    failure: Failure | None = None

    @property
    def outcome(self) -> Outcome:
        return Succeeded(Payload(bytes(self.output))) if self.failure is None else Failed(self.failure)


def write_report(attempt: int, worker: str, started_at: Instant, outcome: Outcome) -> Payload:
    """`outcome` is Succeeded or Failed."""
    report = RemoteReport(attempt, worker, started_at)
    if isinstance(outcome, Succeeded):
        report = msgspec.structs.replace(report, output=msgspec.Raw(outcome.payload))
    elif isinstance(outcome, Failed):
        report = msgspec.structs.replace(report, failure=outcome.failure)
    return Payload(msgspec.json.encode(report))


def read_report(payload: Payload) -> RemoteReport:
    """Raises JournalCorrupt."""
    try:
        return msgspec.json.decode(payload, type=RemoteReport)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise JournalCorrupt(None, f"a worker's report on a task ({error})") from None
