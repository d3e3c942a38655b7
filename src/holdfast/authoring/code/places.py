"""Places in workflow code, for messages: which line asked, and where a coroutine waits."""

from __future__ import annotations

import asyncio
import inspect
import sys
from pathlib import Path
from types import CodeType
from typing import Any, TypeAlias

from holdfast.authoring.code import loop

_OURS = str(Path(__file__).parents[2])
_ASYNCIO = str(Path(asyncio.__file__).parent)
_LOOP = loop.__file__


Place: TypeAlias = tuple[CodeType, int]
"""An instruction of a code object. It is cheap to take, and the line is looked up only for a message."""


def caller() -> Place:
    """Where the function that calls this was called."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    return frame.f_code, frame.f_lasti


def line_of(place: Place) -> str:
    code, instruction = place
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return f"{code.co_filename}:{line}"
    return code.co_filename


def calling_line() -> str | None:
    """The line of the workflow's code that is being executed, as `file:line`. None outside of it: below the
    workflow's event loop is whatever has started the engine."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back  # the request itself; that for a timer comes through the event loop
    while frame is not None and frame.f_code.co_filename != _LOOP:
        if _is_users(frame.f_code):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def raising_line(error: BaseException | None) -> str | None:
    """The innermost line of the user's code that an error was raised through."""
    found: str | None = None
    step = error.__traceback__ if error is not None else None
    while step is not None:
        if _is_users(step.tb_frame.f_code):
            found = f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}"
        step = step.tb_next
    return found


def waiting_line(coroutine: Any) -> str | None:
    """The innermost line of the user's code at which a coroutine waits."""
    found: str | None = None
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        if frame is not None and _is_users(frame.f_code):
            found = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        coroutine = getattr(coroutine, "cr_await", None)
    return found


def _is_users(code: CodeType) -> bool:
    return not code.co_filename.startswith((_OURS, _ASYNCIO, "<frozen"))
