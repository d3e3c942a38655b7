"""What drawings say of a task, in words: the same ones everywhere."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, TypeAlias, assert_never

from holdfast.authoring.dag.model import (
    ApprovalTask,
    CallTask,
    DagTask,
    Each,
    Ref,
    SignalTask,
    SleepTask,
    Times,
)
from holdfast.authoring.dag.references import path_text
from holdfast.core.names import written_span
from holdfast.ports.executor import PythonFunction, ShellCommand

KindName: TypeAlias = Literal["shell", "python", "workflow", "approval", "signal", "sleep"]

_ELLIPSIS: Final = "…"


def kind_of(task: DagTask) -> KindName:
    match task.work:
        case ShellCommand():
            return "shell"
        case PythonFunction():
            return "python"
        case CallTask():
            return "workflow"
        case ApprovalTask():
            return "approval"
        case SignalTask():
            return "signal"
        case SleepTask():
            return "sleep"
        case _:
            assert_never(task.work)


def work_of(task: DagTask) -> str:
    """What it does, on one line: the command, the function, the question, the while."""
    match task.work:
        case ShellCommand(command):
            return one_line(command if isinstance(command, str) else " ".join(command))
        case PythonFunction(function, file, module):
            return f"{file or module}:{function}"
        case CallTask(workflow):
            return one_line(workflow)
        case ApprovalTask(message):
            return one_line(message)
        case SignalTask(name):
            return one_line(name)
        case SleepTask(duration):
            return written_span(duration)
        case _:
            assert_never(task.work)


def repetition_of(task: DagTask) -> str | None:
    """How often it is done: `for each discover.files, 4 at once`. None if it is done once."""
    match task.fan_out:
        case None:
            return None
        case Times(count):
            often = f"{_short(count) if isinstance(count, Ref) else count} times"
        case Each(items):
            often = f"for each {_short(items)}"
        case _:
            assert_never(task.fan_out)
    return often if task.concurrency is None else f"{often}, {task.concurrency} at once"


def conditions_of(task: DagTask) -> list[str]:
    """What must hold for it to run, where that is not simply that all before it succeeded."""
    conditions: list[str] = []
    if task.runs_on_failure:
        conditions.append("also after a failure")
    if task.when is not None:
        conditions.append(f"when {one_line(task.when.text)}")
    return conditions


def one_line(text: str) -> str:
    """Without line breaks and control characters, which would change what is drawn around it."""
    return " ".join("".join(c if _is_shown(c) else " " for c in text).split())


def shorten(text: str, width: int) -> str:
    """At most `width` columns of a terminal wide."""
    if columns_of(text) <= width:
        return text
    kept = ""
    for character in text:
        if columns_of(kept + character) >= width:
            break
        kept += character
    return kept.rstrip() + _ELLIPSIS


def columns_of(text: str) -> int:
    """How wide it is in a terminal, where an East Asian character takes two columns and an accent none."""
    if text.isascii():
        return len(text)
    return sum(_columns_of_one(character) for character in text)


def _columns_of_one(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _is_shown(character: str) -> bool:
    # Control characters, the marks that reverse the direction of writing, halves of surrogate pairs, and what
    # is no character at all: they have no place in a drawing, and in XML some are not allowed.
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")


def _short(ref: Ref) -> str:
    """As most people write it: `discover.files` rather than `tasks.discover.output.files`."""
    if ref.path[0] == "tasks" and ref.path[2] == "output":
        return path_text((ref.path[1], *ref.path[3:]))
    return path_text(ref.path)
