"""Ends delayed runs that are cancelled before their start, without their code.

Only a cancellation wakes such a run. Its node may read older mail first, and must not begin the run then.
"""

from __future__ import annotations

from typing import Protocol

from holdfast.core.commands import CancelRun, EndRun
from holdfast.core.events import CancelRequested, MessageId
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant
from holdfast.engine.resident import Resident
from holdfast.engine.residents import Residents


class EarlyTick(Protocol):
    """What this module needs of a tick."""

    now: Instant
    residents: Residents

    def mark_read(self, resident: Resident, message: MessageId) -> None: ...

    def end(self, resident: Resident, command: EndRun, *, is_forced: bool = False) -> None: ...


def ends_before_start(tick: EarlyTick, resident: Resident) -> bool:
    """Whether the run, which has not begun, must not be advanced now: it is over, or waits for mail that says
    so. The events stay where they are, and with the next mail the run is ready again."""
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
    return resident.key in mail.left and mail.has_room
