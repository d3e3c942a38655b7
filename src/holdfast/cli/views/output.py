"""How things look on a terminal and in a pipe: consoles, times, states, JSON.

What a command answers goes to stdout; everything that is said about it goes to stderr, so that answers can be
piped. No text is markup, and none moves a cursor: see `visible`. A state is always a word: its colour and its
glyph say the same again.
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

from holdfast.cli.views.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {
    "success": "green",
    "failed": "red",
    "lost": "red",
    "timed_out": "red",
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
"""In Unicode, and for terminals that cannot show that."""


@cache
def stderr() -> Console:
    """For what is said to people."""
    return _console(is_stderr=True)


@cache
def stdout() -> Console:
    """For answers that people read. Programs get theirs by `print_json` and `print_line`."""
    return _console(is_stderr=False)


def answer_console() -> Console:
    """Like `stdout`, also where users' prints are sent elsewhere."""
    return _console(is_stderr=False, file=answer_stream())


def _console(*, is_stderr: bool, file: TextIO | None = None) -> Console:
    from rich.console import Console

    class PipedConsole(Console):
        def on_broken_pipe(self) -> None:
            # rich would end the process on the spot, with runs under way.
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return PipedConsole(
        file=file, stderr=is_stderr, highlight=False, markup=False, emoji=False, soft_wrap=True
    )


def glyph(state: str, *, unicode: bool) -> str:
    return _GLYPHS.get(state, _NO_GLYPH)[0 if unicode else 1]


def is_terminal(stream: TextIO) -> bool:
    """Whether somebody looks at it. (rich says so too where only colours are asked for, by FORCE_COLOR.)"""
    return stream.isatty()


def can_show_unicode(console: Console) -> bool:
    return console.encoding.lower().replace("-", "").startswith("utf")


_answers: ContextVar[TextIO | None] = ContextVar("answers", default=None)


@contextlib.contextmanager
def user_prints_to_stderr() -> Generator[None]:
    """Workflows in Python run in this process. What they print must not mix with answers, which still go to
    stdout by `print_line`."""
    token = _answers.set(sys.stdout)
    try:
        with contextlib.redirect_stdout(cast("TextIO", sys.stderr)):
            yield
    finally:
        _answers.reset(token)


def answer_stream() -> TextIO:
    return _answers.get() or sys.stdout


def print_line(text: str) -> None:
    """One line of an answer for people, and for programs that read lines."""
    write_answer(visible(text))


def write_answer(text: str) -> None:
    """One line of an answer for programs, as it is."""
    stream = answer_stream()
    stream.write(text + "\n")
    stream.flush()


def print_json(value: Any, *, is_pretty: bool = False) -> None:
    write_answer(json_text(value, is_pretty=is_pretty))


def json_text(value: Any, *, is_pretty: bool = False) -> str:
    """`value` is plain data or made of Structs. Moments are written in the local time zone."""
    import msgspec

    encoded = msgspec.json.encode(_local(msgspec.to_builtins(value, builtin_types=(dt.datetime,))))
    return (msgspec.json.format(encoded, indent=2) if is_pretty else encoded).decode()


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
    """Tell people something, on stderr."""
    stderr().print(visible(text), style=style or None)


def say_error(text: str) -> None:
    say(f"error: {text}", "red")


def moment_text(at: dt.datetime | None) -> str:
    """In the local time zone, to the second, with its offset."""
    return "-" if at is None else at.astimezone().isoformat(timespec="seconds")


def span_text(span: dt.timedelta) -> str:
    """As long as people need it: 0.3 s, 12 s, 3 min 05 s, 2 h 03 min, 4 d 02 h."""
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
    """How long it took, or has taken so far; None if it has not begun."""
    return None if begin is None else (end or now) - begin


def task_label(name: str, index: int | None) -> str:
    return name if index is None else f"{name}[{index}]"
