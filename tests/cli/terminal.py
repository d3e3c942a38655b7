"""A pseudo-terminal with a process in it, and what would be seen on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Self

from tests.cli.processes import COMMAND, SECONDS, environment

_SEQUENCE = re.compile(r"\x1b\[(?P<numbers>[?\d;]*)(?P<letter>[A-Za-z])|.", re.DOTALL)

# Ctrl-C goes to the process whose terminal it is.
_TAKE_THE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Screen:
    """As much of a terminal as a live view needs: lines, the cursor up, erasing. What scrolls off is kept."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.lines: list[list[str]] = [[]]
        self._row = self._column = 0
        self.longest = 0
        """The widest line that was ever written."""

    def feed(self, text: str) -> None:
        for found in _SEQUENCE.finditer(text):
            if found["letter"] is not None:
                self._control(found["numbers"], found["letter"])
            elif found[0] == "\r":
                self._column = 0
            elif found[0] == "\n":
                self._down()
            else:
                self._put(found[0])

    def _put(self, character: str) -> None:
        if self._column >= self.columns:
            self._column = 0
            self._down()
        line = self.lines[self._row]
        line += [" "] * (self._column + 1 - len(line))
        line[self._column] = character
        self._column += 1
        self.longest = max(self.longest, self._column)

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append([])

    def _control(self, numbers: str, letter: str) -> None:
        number = int(numbers) if numbers.isdecimal() else 1
        if letter == "A":
            top = max(0, len(self.lines) - self.rows)
            self._row = max(top, self._row - number)  # what has scrolled off cannot be reached
        elif letter == "K":
            self.lines[self._row] = [] if numbers == "2" else self.lines[self._row][: self._column]

    @property
    def text(self) -> str:
        return "\n".join("".join(line).rstrip() for line in self.lines)


class Terminal:
    def __init__(
        self, folder: Path, *words: str, columns: int = 100, rows: int = 24, **variables: str
    ) -> None:
        self.screen = Screen(columns, rows)
        self.raw = ""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_THE_TERMINAL, *COMMAND, *words],
            cwd=folder,
            env=environment(**variables),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        self._slave = slave
        self._descriptors: tuple[int, ...] = (self._master, slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close the window. May be called again."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = ()

    def typed_ahead(self) -> bytes:
        """What the next who reads from the terminal would get, such as the shell."""
        tty.setraw(self._slave, termios.TCSANOW)
        ready, _, _ = select.select([self._slave], [], [], 0)
        return os.read(self._slave, 4096) if ready else b""

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def see(self, *all_of: str | re.Pattern[str] | Callable[[str], bool], seconds: float = SECONDS) -> str:
        """Wait until all of this is on the screen at once, and return the screen.

        A frame may arrive in pieces, and the next frame may show more. So a test passes everything that it
        expects to see together, instead of looking for the rest in what this returns.
        """
        deadline = time.monotonic() + seconds
        while not all(_is_seen(what, self.screen.text) for what in all_of):
            assert time.monotonic() < deadline, f"not seen: {all_of}\n{self.screen.text}"
            self._read()
        return self.screen.text

    def end(self, *, seconds: float = SECONDS) -> int:
        """Wait for the process to end: its exit code."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"has not ended\n{self.screen.text}"
            self._read()
        while self._read():
            pass
        return self.process.returncode

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 0.05)
        if not ready:
            return False
        try:
            text = os.read(self._master, 65536).decode(errors="replace")
        except OSError:  # how Linux says that nobody has the other end any more
            return False
        self.raw += text
        self.screen.feed(text)
        return bool(text)


def _is_seen(what: str | re.Pattern[str] | Callable[[str], bool], text: str) -> bool:
    if isinstance(what, str):
        return what in text
    return what.search(text) is not None if isinstance(what, re.Pattern) else what(text)
