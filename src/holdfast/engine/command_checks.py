"""Checks of a step before any of its commands is carried out.

Programs check what users give them, so a command that fails here is a mistake of a program. It must not fail
the commit, which has the rows of other runs as well, nor stop the node. So the run is parked by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from holdfast.core.commands import (
    AnswerUpdate,
    AskQuestion,
    CancelChild,
    CancelRun,
    CancelTask,
    CancelTimer,
    CloseQuestion,
    Command,
    CompleteRun,
    ContinueRun,
    ExpectMessage,
    FailRun,
    MarkPatch,
    MarkUndone,
    OpenTask,
    RecordTask,
    ResumeChild,
    ResumeTask,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
from holdfast.core.names import is_storable
from holdfast.core.values import Outcome, Succeeded, is_instant
from holdfast.engine.resident import Resident
from holdfast.errors import ImpossibleCommand, StepTooLarge

_MOST = 2**31
"""Numbers of tasks and children are stored in 32 bits."""

_MOST_NAMES = 1000
_known_names: set[str] = set()
"""Names of tasks that stores can keep. There are few of them, and each is checked once."""


def check_commands(resident: Resident, commands: Sequence[Command], most_bytes: int) -> int:
    """Returns the bytes of all payloads. Raises ImpossibleCommand, StepTooLarge."""
    size = 0
    tasks: set[int] = set()
    """The numbers of the tasks that this step adds or resumes."""
    attempts = resident.attempts
    for command in commands:
        if type(command) is ScheduleTask:  # the quick way: a step may ask for 100,000 of them
            seq = command.seq
            if seq in tasks or seq in attempts or not 0 <= seq < _MOST or command.name not in _known_names:
                _check_task(resident, command, tasks)
            tasks.add(seq)
            size += len(command.input)
            if command.shared is not None:
                size += _shared_size(command)
            continue
        match command:
            case ScheduleTask() | OpenTask():
                _check_task(resident, command, tasks)
                size += len(command.input)
            case RecordTask():
                if not command.is_open:
                    _check_task(resident, command, tasks)
                    size += len(command.input)
                size += _outcome_size(command.outcome)
            case AnswerUpdate():
                size += _outcome_size(command.outcome)
            case CompleteRun() | ContinueRun():
                size += _ending_size(command)
            case SetState():
                size += len(command.value or b"")
                if not is_storable(command.key):
                    raise ImpossibleCommand(command, "no store can keep this key")
            case StartTimer():
                if command.seq in resident.timers or not is_instant(command.due):
                    raise ImpossibleCommand(command, "there is such a timer, or no such time")
            case StartChild():
                size += len(command.input)
                _check_child(resident, command)
            case ResumeTask():
                if command.seq not in resident.held_back or command.seq in tasks:
                    raise ImpossibleCommand(command, "no such task is held back")
                tasks.add(command.seq)
            case AskQuestion():
                size += _question_size(command)
            case CancelTask() | CancelTimer() | CancelChild() | ResumeChild() | CloseQuestion():
                pass  # does nothing if there is none: what it names may have ended meanwhile
            case ExpectMessage() | MarkPatch() | MarkUndone() | FailRun() | CancelRun():
                pass
            case _:
                assert_never(command)
    check_step_size(size, most_bytes)
    return size


def check_step_size(size: int, most_bytes: int) -> None:
    """Raises StepTooLarge."""
    if size > most_bytes:
        raise StepTooLarge(size, most_bytes)


def _outcome_size(outcome: Outcome) -> int:
    return len(outcome.payload) if isinstance(outcome, Succeeded) else 0


def _ending_size(command: CompleteRun | ContinueRun) -> int:
    if isinstance(command, CompleteRun):
        return len(command.output)
    return len(command.input) + len(command.state or b"") + len(command.questions or b"")


def _shared_size(command: ScheduleTask) -> int:
    shared = command.shared
    return len(shared.fields) if shared is not None and shared.seq == command.seq else 0


def _check_task(resident: Resident, command: ScheduleTask | OpenTask | RecordTask, tasks: set[int]) -> None:
    seq = command.seq
    if seq in tasks or seq in resident.attempts:
        raise ImpossibleCommand(command, "there is a task of that number")
    if not 0 <= seq < _MOST:
        raise ImpossibleCommand(command, "no store can keep this number")
    if not is_storable(command.name):
        raise ImpossibleCommand(command, "no store can keep this name")
    if len(_known_names) < _MOST_NAMES:
        _known_names.add(command.name)
    tasks.add(seq)


def _question_size(command: AskQuestion) -> int:
    if not 0 <= command.seq < _MOST or not is_storable(command.name):
        raise ImpossibleCommand(command, "no store can keep this number or name")
    return len(command.details)


def _check_child(resident: Resident, command: StartChild) -> None:
    if command.seq in resident.children or not 0 <= command.seq < _MOST:
        raise ImpossibleCommand(command, "there is a child of that number, or no store can keep it")
    if not all(is_storable(text or "") for text in (command.id, command.workflow, command.version)):
        raise ImpossibleCommand(command, "no store can keep this name")
