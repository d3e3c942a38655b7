"""Ctrl-C while a run is watched: asked about once in a terminal, taken at its word elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from enum import Enum
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Self

from holdfast.cli.output import is_terminal, say

if TYPE_CHECKING:
    from holdfast.app import Holdfast

QUESTION = "[c]ancel the run, [d]etach (it stops here and can be resumed), or Enter to go on: "


class Choice(Enum):
    CANCEL = "cancel"
    DETACH = "detach"
    GO_ON = "go on"


_ANSWERS = {"c": Choice.CANCEL, "cancel": Choice.CANCEL, "d": Choice.DETACH, "detach": Choice.DETACH}


class Interrupts:
    """SIGINT and SIGTERM, as things to wait for. Where there are no such handlers (Windows) Python's stay."""

    def __init__(self) -> None:
        self._came: asyncio.Queue[signal.Signals] = asyncio.Queue()
        self._handled: list[signal.Signals] = []

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(each, self._came.put_nowait, each)
            except (NotImplementedError, RuntimeError, ValueError):
                continue  # not on Windows, nor outside a process's main thread
            self._handled.append(each)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop = asyncio.get_running_loop()
        for each in self._handled:
            loop.remove_signal_handler(each)

    async def next(self) -> signal.Signals:
        return await self._came.get()


@cache
def find_terminal() -> int | None:
    """Where a person can be asked; None if there is nobody."""
    if not is_terminal(sys.stderr):
        return None
    try:
        return sys.stdin.fileno() if sys.stdin.isatty() else os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except (OSError, ValueError):
        return None


async def ask(terminal: int, interrupts: Interrupts, over: asyncio.Task[None]) -> Choice:
    """What to do. Another signal meanwhile means to detach; the end of the input, or of the run, to go on."""
    try:
        return await _ask(terminal, interrupts, over)
    finally:
        _forget_typed(terminal)


async def _ask(terminal: int, interrupts: Interrupts, over: asyncio.Task[None]) -> Choice:
    while True:
        sys.stderr.write(QUESTION)
        sys.stderr.flush()
        line = asyncio.ensure_future(_read_line(terminal))
        again = asyncio.ensure_future(interrupts.next())
        try:
            await asyncio.wait({line, again, over}, return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                sys.stderr.write("\n")
                return Choice.DETACH if again.done() else Choice.GO_ON
            answer = line.result().strip().lower()
        finally:
            for each in (line, again):
                each.cancel()
            await asyncio.gather(line, again, return_exceptions=True)
        if not answer:
            return Choice.GO_ON
        if answer in _ANSWERS:
            return _ANSWERS[answer]


def _forget_typed(terminal: int) -> None:
    """What was typed for the question, and not sent, is not for the shell that reads next."""
    try:
        import termios
    except ImportError:  # not on Windows
        return
    with contextlib.suppress(termios.error):  # a terminal that was closed has nothing to forget
        termios.tcflush(terminal, termios.TCIFLUSH)


async def _read_line(terminal: int) -> str:
    """The terminal hands over whole lines."""
    loop = asyncio.get_running_loop()
    is_there: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        if not is_there.done():
            is_there.set_result(None)

    loop.add_reader(terminal, ready)
    try:
        await is_there
        return os.read(terminal, 4096).decode(errors="replace")
    finally:
        loop.remove_reader(terminal)


async def close_in_order(client: Holdfast, interrupts: Interrupts, drain_seconds: float) -> None:
    """Let tasks finish and hand back the rest. Whoever insists ends the process on the spot instead,
    which loses nothing that is recorded."""
    closing = asyncio.ensure_future(client.close())
    came = asyncio.ensure_future(interrupts.next())
    await asyncio.wait({closing, came}, return_when=asyncio.FIRST_COMPLETED, timeout=1)
    if not closing.done() and not came.done():
        say(f"letting tasks finish, for {drain_seconds:g} s at most; Ctrl-C stops at once", "dim")
        await asyncio.wait({closing, came}, return_when=asyncio.FIRST_COMPLETED)
    if not closing.done():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_by(came.result()))
    came.cancel()
    await closing


def exit_by(came: signal.Signals) -> int:
    """What a shell says of a process that a signal ended."""
    return 128 + came
