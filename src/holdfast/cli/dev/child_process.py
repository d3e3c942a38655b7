"""One child, as its supervisor sees it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable

import msgspec

from holdfast.cli.dev.messages import (
    GO,
    HANG_UP,
    LONGEST_LINE,
    STOP,
    ChildOrder,
    ChildReport,
    DrainedReport,
    ImportReport,
    LoadedReport,
    RefusedReport,
    ServingReport,
    read_report,
)


class ChildProcess:
    def __init__(self, process: asyncio.subprocess.Process, hear: Callable[[ChildReport], None]) -> None:
        self._process = process
        self._hear = hear
        self._has_news = asyncio.Event()
        self.importing = ""
        """The file that it imports or has imported last."""
        self.loaded: LoadedReport | None = None
        self.refused: RefusedReport | None = None
        self.serving: ServingReport | None = None
        self.was_drained = False
        """It ends because somebody has drained its node."""
        self._listening = asyncio.ensure_future(self._listen())

    @classmethod
    async def start(cls, order: ChildOrder, hear: Callable[[ChildReport], None]) -> ChildProcess:
        """`hear` is told what it reports, in order.

        The child has a session of its own: Ctrl-C in the terminal is for the supervisor only.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # as `holdfast` itself: a file in this folder must not replace a module of Python
            "-m",
            "holdfast.cli.dev.child",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            pass_fds=() if order.socket is None else (order.socket,),
            start_new_session=True,
        )
        child = cls(process, hear)
        child._write(msgspec.json.encode(order))
        return child

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._receive(line)
        await self._process.wait()
        self._has_news.set()

    def _receive(self, line: bytes) -> None:
        report = read_report(line)
        match report:
            case ImportReport():
                self.importing = report.file
            case LoadedReport():
                self.loaded = report
            case RefusedReport():
                self.refused = report
            case ServingReport():
                self.serving = report
            case DrainedReport():
                self.was_drained = True
            case _:
                pass
        self._hear(report)
        self._has_news.set()

    @property
    def has_ended(self) -> bool:
        return self._listening.done()

    async def wait_until(self, is_so: Callable[[ChildProcess], bool]) -> bool:
        """Waits until this is so, or the child has ended. Returns whether it is so."""
        while not is_so(self) and not self.has_ended:
            self._has_news.clear()
            await asyncio.wait(
                [self._listening, news := asyncio.ensure_future(self._has_news.wait())],
                return_when=asyncio.FIRST_COMPLETED,
            )
            news.cancel()
        return is_so(self)

    async def wait_until_ended(self, seconds: float | None = None) -> bool:
        """Returns whether it has ended in that time."""
        await asyncio.wait([self._listening], timeout=seconds)
        return self.has_ended

    def go(self, after: str | None) -> None:
        """`after` is the offset up to which an earlier child has told what happened to runs."""
        self._write(GO if after is None else GO + b" " + after.encode())

    def stop(self, *, is_hung_up: bool = False) -> None:
        """In order: tasks under way get a moment to finish."""
        self._write(HANG_UP if is_hung_up else STOP)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):  # it has ended, which is noticed elsewhere
            self._process.stdin.write(data + b"\n")

    @property
    def how_it_ended(self) -> str:
        code = self._process.returncode
        if code is None:
            return "is not heard any more"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode
