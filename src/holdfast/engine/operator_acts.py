"""What a tick does for operators: it terminates runs, pauses them and ends backoffs.

Only the node that has a run may change it. So operators send messages to such a run, which no program hears.
"""

from __future__ import annotations

from typing import Protocol

from holdfast.core.commands import CancelRun, EndRun
from holdfast.core.events import MessageId
from holdfast.core.history import read_text
from holdfast.core.records import MessageKind, MessageRecord
from holdfast.core.values import RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait
from holdfast.engine.attempt_recorder import AttemptRecorder
from holdfast.engine.resident import Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.ports.commits import Commit, ReleasedRun


class ActingTick(Protocol):
    """What this module needs of a tick."""

    commit: Commit
    recorder: AttemptRecorder
    residents: Residents

    def mark_read(self, resident: Resident, message: MessageId) -> None: ...

    def end(self, resident: Resident, command: EndRun, *, is_forced: bool = False) -> None: ...

    def leave_memory(self, resident: Resident) -> None: ...


def obey(tick: ActingTick, resident: Resident, message: MessageRecord) -> None:
    text = read_text(message.payload)
    if message.kind is MessageKind.PAUSE:
        # Read only when the run is paused: if this node dies before, the next owner is told as well.
        resident.pause_messages += (message.id,)
        _begin_pause(tick, resident, WaitReason(WaitKind.OPERATOR, message.by or "", text))
        return
    tick.mark_read(resident, message.id)
    if message.kind is MessageKind.TERMINATE:
        tick.end(resident, CancelRun(text), is_forced=True)
    else:
        _end_backoffs(tick, resident, message.name)


def _end_backoffs(tick: ActingTick, resident: Resident, task: str) -> None:
    for attempt in list(resident.attempts.values()):
        if attempt.stage is Stage.BACKING_OFF and task in ("", attempt.name, str(attempt.seq)):
            for alarm in attempt.alarms or ():
                alarm.cancel()
            tick.recorder.dispatch_due(attempt)


def _begin_pause(tick: ActingTick, resident: Resident, pause: WaitReason) -> None:
    """Take back the attempts that do not run yet. Those that run may end."""
    resident.pause = pause
    for attempt in list(resident.attempts.values()):
        if attempt.stage is Stage.SCHEDULED or attempt.stage is Stage.WAITING:
            tick.recorder.move(attempt, TaskStatus.PENDING, None)
            tick.recorder.retire(attempt)
            del resident.attempts[attempt.seq]
    tick.residents.pausing.add(resident)


def try_to_pause(tick: ActingTick, resident: Resident) -> None:
    """Release a run that is to be paused, if no attempt of it runs. What it has not heard yet is in the
    store."""
    running = [each for each in resident.attempts.values() if each.stage is Stage.RUNNING]
    if resident.is_gone or running or resident.pause is None:
        return
    for message in resident.pause_messages:
        tick.mark_read(resident, message)
    deadline = None if resident.deadline is None else resident.deadline.due
    wait = describe_wait([resident.pause])
    tick.commit.released.append(ReleasedRun(resident.key, RunStatus.PAUSED, None, deadline, *wait))
    tick.leave_memory(resident)
