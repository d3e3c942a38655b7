"""Keeps delayed runs from beginning before their start.

Only a cancellation or a retry wakes such a run. A run that is cancelled ends without its code. Its node may
read older mail first, and must not begin the run then. A run that is retried waits for its start again.
"""

from __future__ import annotations

from typing import Protocol

from holdfast.core.commands import CancelRun, EndRun
from holdfast.core.events import CancelRequested, MessageId
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant, RunStatus
from holdfast.core.waiting import wait_for_time
from holdfast.engine.attempt_recorder import hold
from holdfast.engine.resident import Resident
from holdfast.engine.residents import Residents
from holdfast.ports.commits import Commit, ReleasedRun


class EarlyTick(Protocol):
    """What this module needs of a tick."""

    commit: Commit
    now: Instant
    residents: Residents

    def mark_read(self, resident: Resident, message: MessageId) -> None: ...

    def leave_memory(self, resident: Resident) -> None: ...

    def end(self, resident: Resident, command: EndRun, *, is_forced: bool = False) -> None: ...


def ends_before_start(tick: EarlyTick, resident: Resident) -> bool:
    """Whether the run, which has not begun, must not be advanced now: it is over, it waits for mail that says
    so, or it has left memory until its start."""
    start_at = read_run_options(resident.record.options).start_at
    if start_at is None or start_at <= tick.now:
        return False
    asked = next((event for event in resident.events if isinstance(event, CancelRequested)), None)
    if asked is not None:
        tick.mark_read(resident, asked.message)
        tick.end(resident, CancelRun(asked.reason))
        return True
    if resident.deadline is not None and resident.deadline.due <= start_at:
        return False  # it was retried: with a deadline before the start, that asks for an earlier start
    if resident.key in tick.residents.mail.left:
        _forget_mail(tick.residents, resident)
        return True
    hold(tick.commit, resident)
    waiting = wait_for_time(start_at)
    tick.commit.released.append(ReleasedRun(resident.key, RunStatus.PENDING, None, start_at, waiting))
    tick.leave_memory(resident)
    return True


def _forget_mail(residents: Residents, resident: Resident) -> None:
    """Make room for what follows. The run needs none of this before its start, and reads it again then. With
    the next mail it is ready again."""
    for event in resident.events:
        message = getattr(event, "message", None)
        if message is not None:
            residents.mail.remove(resident.key, message)
    resident.events = []
