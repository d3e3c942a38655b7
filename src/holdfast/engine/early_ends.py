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
    so, or it has left memory until its start. The events stay where they are, and with the next mail the run
    is ready again."""
    start_at = read_run_options(resident.record.options).start_at
    if start_at is None or start_at <= tick.now:
        return False
    asked = next((event for event in resident.events if isinstance(event, CancelRequested)), None)
    if asked is not None:
        tick.mark_read(resident, asked.message)
        tick.end(resident, CancelRun(asked.reason))
        return True
    # If the mail in memory leaves no room for more, none comes before the run has read it.
    mail = tick.residents.mail
    if resident.key in mail.left:
        return mail.has_room
    is_retried = resident.position > resident.first_position
    if not is_retried or (resident.deadline is not None and resident.deadline.due <= start_at):
        return False  # a retry with a deadline before the start asks for an earlier start
    hold(tick.commit, resident)
    waiting = wait_for_time(start_at)
    tick.commit.released.append(ReleasedRun(resident.key, RunStatus.PENDING, None, start_at, waiting))
    tick.leave_memory(resident)
    return True
