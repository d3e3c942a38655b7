"""How output looks in a terminal and in a pipe: consoles, times, states, JSON.

The answer of a command goes to stdout, and messages go to stderr, so that answers can be piped. No text is
read as markup, and none moves the cursor: see `visible`. A state is always a word; its colour and its glyph
only repeat it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import os
import sys
from collections.abc import Generator
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO, cast

from holdfast.cli.views.visible import json_escapes, message, visible

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {
    "success": "green",
    "failed": "red",
    "lost": "red",
    "timed_out": "red",
    "overdue": "red",
    "revoked": "red",
    "expired": "yellow",
    "active": "green",
    "running": "cyan",
    "retrying": "yellow",
    "asking": "magenta",
    "parked": "yellow",
    "paused": "yellow",
    "cancelled": "yellow",
    "skipped": "dim",
    "queued": "dim",
    "waiting": "dim",
    "pending": "dim",
    "dispatched": "dim",
}

_GLYPHS = {
    "success": ("✓", "+"),
    "failed": ("✗", "x"),
    "running": ("●", "*"),
    "retrying": ("↻", "~"),
    "asking": ("?", "?"),
    "cancelled": ("⊘", "/"),
    "skipped": ("–", "-"),
    "parked": ("!", "!"),
    "paused": ("!", "!"),
}
_NO_GLYPH = ("·", ".")
"""Each glyph in Unicode, and in ASCII for terminals without it."""


PRINTED = ("stdout", "stderr")
"""The streams of log lines that were printed."""


@cache
def stderr() -> Console:
    """The console for messages."""
    return _console(is_stderr=True)


@cache
def stdout() -> Console:
    """The console for answers that people read. `print_json` and `print_line` are for programs."""
    return _console(is_stderr=False)


def terminal_console() -> Console:
    """Like `stderr`, and stays with the stream that is `sys.stderr` now."""
    return _console(is_stderr=True, file=sys.stderr)


def answer_console() -> Console:
    """Like `stdout`, even inside `user_prints_to_stderr`."""
    return _console(is_stderr=False, file=answer_stream())


def _console(*, is_stderr: bool, file: TextIO | None = None) -> Console:
    from rich.console import Console

    class PipedConsole(Console):
        def on_broken_pipe(self) -> None:
            # rich would end the process at once, with runs under way.
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return PipedConsole(
        file=file, stderr=is_stderr, highlight=False, markup=False, emoji=False, soft_wrap=True
    )


def glyph(state: str, *, unicode: bool) -> str:
    return _GLYPHS.get(state, _NO_GLYPH)[0 if unicode else 1]


def is_terminal(stream: TextIO) -> bool:
    """Do not ask rich: FORCE_COLOR makes it take a pipe for a terminal."""
    return stream.isatty()


def can_show_unicode(console: Console) -> bool:
    return console.encoding.lower().replace("-", "").startswith("utf")


_answers: ContextVar[TextIO | None] = ContextVar("answers", default=None)


@contextlib.contextmanager
def user_prints_to_stderr() -> Generator[None]:
    """Redirects `print` of workflows, which run in this process, so that it does not mix with answers.

    `print_line` and `write_answer` still write to stdout.
    """
    token = _answers.set(sys.stdout)
    try:
        with contextlib.redirect_stdout(cast("TextIO", sys.stderr)):
            yield
    finally:
        _answers.reset(token)


def answer_stream() -> TextIO:
    return _answers.get() or sys.stdout


def print_line(text: str) -> None:
    """Writes one line of an answer, with control characters escaped."""
    write_answer(visible(text))


def write_answer(text: str) -> None:
    """Writes one line of an answer unchanged, for programs."""
    stream = answer_stream()
    stream.write(text + "\n")
    stream.flush()


def say_json(value: Any) -> None:
    """One line for programs that read the log."""
    sys.stderr.write(json_text(value) + "\n")
    sys.stderr.flush()


def print_json(value: Any, *, is_pretty: bool = False) -> None:
    write_answer(json_text(value, is_pretty=is_pretty))


def json_text(value: Any, *, is_pretty: bool = False) -> str:
    """`value` is plain data or made of Structs. Times are written in the local time zone."""
    import msgspec

    encoded = msgspec.json.encode(_local(msgspec.to_builtins(value, builtin_types=(dt.datetime,))))
    return json_escapes((msgspec.json.format(encoded, indent=2) if is_pretty else encoded).decode())


def _local(value: Any) -> Any:
    match value:
        case dt.datetime():
            return value.astimezone().isoformat()
        case dict():
            return {key: _local(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case list():
            return [_local(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def say(text: str, style: str = "") -> None:
    """Writes a message to stderr. A pipe gets it without rich, whose import takes 30 ms."""
    from holdfast.settings import own_environment

    if is_terminal(sys.stderr) or own_environment().get("FORCE_COLOR"):
        stderr().print(message(text), style=style or None)
    else:
        sys.stderr.write(message(text) + "\n")
        sys.stderr.flush()


def say_error(text: str) -> None:
    say(f"error: {text}", "red")


def moment_text(at: dt.datetime | None) -> str:
    """In the local time zone, to the second, with the offset."""
    return "-" if at is None else at.astimezone().isoformat(timespec="seconds")


def span_text(span: dt.timedelta) -> str:
    """With the precision that people need: 0.3 s, 12 s, 3 min 05 s, 2 h 03 min, 4 d 02 h."""
    seconds = max(0.0, span.total_seconds())
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600:02} h"


def between(begin: dt.datetime | None, end: dt.datetime | None, now: dt.datetime) -> dt.timedelta | None:
    """How long it took, or has taken until `now`; None if it has not begun."""
    return None if begin is None else (end or now) - begin


def task_label(name: str, index: int | None) -> str:
    return name if index is None else f"{name}[{index}]"


def log_label(task: str | None, index: int | None) -> str:
    """Who wrote a log line. A task could be called `workflow`, but not `(workflow)` by most people."""
    return "(workflow)" if task is None else task_label(task, index)
