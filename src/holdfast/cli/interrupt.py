"""Ctrl-C while a run is watched: asked about once in a terminal, taken at its word elsewhere."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import sys
from enum import Enum
from functools import cache
from types import FrameType, TracebackType
from typing import NoReturn, Protocol, Self

from holdfast.cli.views.output import is_terminal, say

QUESTION = "[c]ancel the run, [d]etach (it stops here and can be resumed), or Enter to go on: "


class InterruptChoice(Enum):
    CANCEL = "cancel"
    DETACH = "detach"
    GO_ON = "go on"


_ANSWERS = {
    "c": InterruptChoice.CANCEL,
    "cancel": InterruptChoice.CANCEL,
    "d": InterruptChoice.DETACH,
    "detach": InterruptChoice.DETACH,
}


class Interrupts:
    """SIGINT and SIGTERM, as things to wait for. Where there are no such handlers (Windows) Python's stay."""

    def __init__(self) -> None:
        self._came: asyncio.Queue[signal.Signals] = asyncio.Queue()
        self._handled: list[signal.Signals] = []
        self._code: int | None = None
        self._words = ""

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
            if self._code is not None:
                # Python has still to take its leave, and a signal must not change what was told already. At
                # its very end it gives up handlers of ours, but goes on to ignore what is ignored.
                signal.signal(each, self._exit_as_told)
                atexit.register(signal.signal, each, signal.SIG_IGN)

    def _exit_as_told(self, number: int, frame: FrameType | None) -> None:
        os._exit(128 + number if self._code is None else self._code)

    def settle(self, code: int, words: str = "") -> None:
        """What a process ends with, and says, that from now on is ended on the spot."""
        self._code, self._words = code, words

    def end_process(self, came: signal.Signals) -> NoReturn:
        """On the spot, which loses nothing that is recorded."""
        if self._words:
            say(self._words)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(128 + came if self._code is None else self._code)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing more to find out: the run has ended."""
        return self._code is not None and not self._words

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


async def ask(terminal: int, interrupts: Interrupts, over: asyncio.Task[None]) -> InterruptChoice:
    """What to do. Another signal meanwhile means to detach; the end of the input, or of the run, to go on."""
    try:
        return await _ask(terminal, interrupts, over)
    finally:
        _forget_typed(terminal)


async def _ask(terminal: int, interrupts: Interrupts, over: asyncio.Task[None]) -> InterruptChoice:
    while True:
        sys.stderr.write(QUESTION)
        sys.stderr.flush()
        line = asyncio.ensure_future(_read_line(terminal))
        again = asyncio.ensure_future(interrupts.next())
        try:
            await asyncio.wait({line, again, over}, return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                sys.stderr.write("\n")
                return InterruptChoice.DETACH if again.done() and not over.done() else InterruptChoice.GO_ON
            answer = line.result().strip().lower()
        finally:
            for each in (line, again):
                each.cancel()
            await asyncio.gather(line, again, return_exceptions=True)
        if not answer:
            return InterruptChoice.GO_ON
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


class Closing(Protocol):
    async def close(self) -> None: ...


async def close_in_order(client: Closing, interrupts: Interrupts, drain_seconds: float) -> None:
    """Let tasks finish and hand back the rest. Whoever insists ends the process on the spot instead."""
    closing = asyncio.ensure_future(client.close())
    came = asyncio.ensure_future(interrupts.next())
    await asyncio.wait({closing, came}, return_when=asyncio.FIRST_COMPLETED, timeout=1)
    if not closing.done() and not came.done():
        what = "" if interrupts.is_settled else f": tasks under way get {drain_seconds:g} s at most"
        say(f"stopping in order{what}; Ctrl-C stops at once", "dim")
        await asyncio.wait({closing, came}, return_when=asyncio.FIRST_COMPLETED)
    if not closing.done():
        interrupts.end_process(came.result())
    came.cancel()
    await closing
