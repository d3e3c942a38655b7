"""Ends chapters of runs, and limits how long their histories may become."""

from __future__ import annotations

import logging
from typing import Protocol

from holdfast.core.commands import ContinueRun, EndRun, FailRun
from holdfast.core.failures import capture
from holdfast.core.values import Instant, RunStatus
from holdfast.engine.attempt_recorder import hold
from holdfast.engine.resident import Resident
from holdfast.errors import HistoryTooLong
from holdfast.ports.commits import Commit, NewChapter, ReleasedRun, ReturnedMessage

_log = logging.getLogger("holdfast.engine")

_LONG_HISTORY = (
    "run %s of %r has %s steps in its history, and fails at %s: the longer the history, the longer it takes "
    "to load the run. Let the workflow go on as a new chapter in time (context().continue_as), or raise the "
    "setting max_history"
)


class EndingTick(Protocol):
    """What this module needs of a tick."""

    commit: Commit
    now: Instant

    def cancel_open(self, resident: Resident, reason: str | None) -> None: ...
    def leave_memory(self, resident: Resident) -> None: ...
    def end(self, resident: Resident, command: EndRun) -> None: ...


def begin_chapter(tick: EndingTick, resident: Resident, command: ContinueRun) -> None:
    """End a chapter: cancel what is open of it, and release the run. Whoever claims the run next loads the
    new chapter. Ownership, leases and crashes need nothing else for that."""
    tick.cancel_open(resident, "its parent has gone on as a new chapter")
    run, commit = resident.key, tick.commit
    commit.returned += [ReturnedMessage(run, message) for message in command.unread]
    numbers = (resident.position, command.tasks, command.timers, command.children)
    begun = (command.input, command.state, tick.now, command.questions)
    commit.chapters.append(NewChapter(run, command.chapter, *numbers, *begun))
    commit.released.append(ReleasedRun(run, RunStatus.RUNNING, None, tick.now))
    tick.leave_memory(resident)


class HistoryLimit:
    def __init__(self, steps: int) -> None:
        self._most = steps
        self.warns_from = max(1, steps * 4 // 5)

    def is_reached(self, tick: EndingTick, resident: Resident, steps: int) -> bool:
        """Whether the run has so many steps that it must not take another. Then it has failed."""
        if steps < self._most:
            if steps == self.warns_from and resident.events:
                _log.warning(_LONG_HISTORY, resident.run_id, resident.record.workflow, steps, self._most)
            return False
        hold(tick.commit, resident)
        tick.end(resident, FailRun(capture(HistoryTooLong(self._most))))
        return True
