"""SIGINT and SIGTERM in `holdfast run` and `holdfast serve`: wait for them, ask the user, stop in order."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import cache
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

from holdfast.cli.views.output import is_terminal, say

QUESTION = "[c]ancel the run, [d]etach (it stops here and can be resumed), or Enter to go on: "


_UNHEARD_SECONDS = 0.5
"""If the event loop has not heard a signal after this long, the next signal ends the process at once."""


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
    """Queues SIGINT and SIGTERM, so that they can be awaited. Outside the main thread Python's own handlers
    stay."""

    def __init__(self, on_signal: Callable[[int], None] = lambda _: None) -> None:
        """`on_signal` is called at once, also if the event loop stands still, with the exit code of a process
        that the signal ends."""
        self._on_signal = on_signal
        self._received: asyncio.Queue[signal.Signals] = asyncio.Queue()
        self._replaced: dict[signal.Signals, Any] = {}
        """The handlers that were there before."""
        self._unheard_since: float | None = None
        """When a signal came that the event loop has not heard yet."""
        self._code: int | None = None
        self._message = ""

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            try:
                # Not with the loop's own method: that waits for the loop, which may stand still.
                self._replaced[each] = signal.signal(each, self._receive)
            except ValueError:
                continue  # outside the main thread
        return self

    def _receive(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._unheard_since is not None and now - self._unheard_since > _UNHEARD_SECONDS:
            self.end_process(signal.Signals(number))
        if self._unheard_since is None:
            self._unheard_since = now
        self._loop.call_soon_threadsafe(self._hear, signal.Signals(number))
        self._on_signal(128 + number)

    def _hear(self, received: signal.Signals) -> None:
        self._unheard_since = None
        self._received.put_nowait(received)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each, before in self._replaced.items():
            signal.signal(each, before)
            if self._code is not None:
                # A signal during Python's shutdown must not change the exit code that is decided. At its
                # very end Python removes our handlers, but still ignores the signals that are ignored.
                signal.signal(each, self._exit_as_settled)
                atexit.register(signal.signal, each, signal.SIG_IGN)

    def _exit_as_settled(self, number: int, frame: FrameType | None) -> None:
        os._exit(128 + number if self._code is None else self._code)

    def settle(self, code: int, message: str = "") -> None:
        """From now on a signal ends the process at once, with this exit code and message."""
        self._code, self._message = code, message

    def end_process(self, received: signal.Signals) -> NoReturn:
        """Ends it without cleaning up. What is recorded is not lost."""
        if self._message:
            say(self._message)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(128 + received if self._code is None else self._code)

    @property
    def is_settled(self) -> bool:
        """The run has ended, so nothing more can change."""
        return self._code is not None and not self._message

    async def next(self) -> signal.Signals:
        return await self._received.get()


@cache
def find_terminal() -> int | None:
    """The file descriptor of the terminal where a person can answer; None without one."""
    if not is_terminal(sys.stderr):
        return None
    try:
        return sys.stdin.fileno() if sys.stdin.isatty() else os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except (OSError, ValueError):
        return None


async def ask_what_to_do(
    terminal: int, interrupts: Interrupts, watching: asyncio.Task[None]
) -> InterruptChoice:
    """Asks in the terminal. A second signal means detach. End of input, or of `watching`, means go on."""
    try:
        return await _ask(terminal, interrupts, watching)
    finally:
        _discard_typed(terminal)


async def _ask(terminal: int, interrupts: Interrupts, watching: asyncio.Task[None]) -> InterruptChoice:
    while True:
        sys.stderr.write(QUESTION)
        sys.stderr.flush()
        line = asyncio.ensure_future(_read_line(terminal))
        again = asyncio.ensure_future(interrupts.next())
        try:
            await asyncio.wait({line, again, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                sys.stderr.write("\n")
                is_detached = again.done() and not watching.done()
                return InterruptChoice.DETACH if is_detached else InterruptChoice.GO_ON
            answer = line.result().strip().lower()
        finally:
            for each in (line, again):
                each.cancel()
            await asyncio.gather(line, again, return_exceptions=True)
        if not answer:
            return InterruptChoice.GO_ON
        if answer in _ANSWERS:
            return _ANSWERS[answer]


def _discard_typed(terminal: int) -> None:
    """Half a line that was typed as an answer must not reach the shell afterwards."""
    try:
        import termios
    except ImportError:  # on Windows
        return
    with contextlib.suppress(termios.error):  # the terminal was closed
        termios.tcflush(terminal, termios.TCIFLUSH)


async def _read_line(terminal: int) -> str:
    """A terminal delivers whole lines, so one read is enough."""
    loop = asyncio.get_running_loop()
    is_readable: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        if not is_readable.done():
            is_readable.set_result(None)

    loop.add_reader(terminal, ready)
    try:
        await is_readable
        return os.read(terminal, 4096).decode(errors="replace")
    finally:
        loop.remove_reader(terminal)


async def close_in_order(
    close: Callable[[], Awaitable[None]], interrupts: Interrupts, drain_seconds: float
) -> None:
    """`close` lets tasks finish and hands back the rest. A signal meanwhile ends the process at once."""
    closing = asyncio.ensure_future(close())
    interrupted = asyncio.ensure_future(interrupts.next())
    await asyncio.wait({closing, interrupted}, return_when=asyncio.FIRST_COMPLETED, timeout=1)
    if not closing.done() and not interrupted.done():
        what = "" if interrupts.is_settled else f": tasks under way get {drain_seconds:g} s at most"
        say(f"stopping in order{what}; Ctrl-C stops at once", "dim")
        await asyncio.wait({closing, interrupted}, return_when=asyncio.FIRST_COMPLETED)
    if not closing.done():
        interrupts.end_process(interrupted.result())
    interrupted.cancel()
    await closing
