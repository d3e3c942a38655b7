"""A project in a folder of its own, and commands in it: in this process, or in one of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tests.cli.here import run_here

COMMAND = (sys.executable, "-m", "holdfast")
SECONDS = 120.0
"""How long a command may take on a busy machine."""


def environment(**more: str) -> dict[str, str]:
    """Without what colours and sizes the developer's own terminal has."""
    hidden = ("HOLDFAST_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, "TZ": "Europe/Berlin", "TERM": "xterm-256color", **more}


class Project:
    """A folder with workflows in it, in which commands are given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def run(
        self, *words: str, input: str | None = None, folder: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """In this process, for tests of what a command says."""
        given = (input or "").encode()
        return run_here(words, folder or self.folder, environment(**variables), given)

    def execute(
        self, *words: str, input: str | None = None, folder: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """In a process of its own, as users have it."""
        return subprocess.run(
            [*COMMAND, *words],
            cwd=folder or self.folder,
            env=environment(**variables),
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *words],
            cwd=self.folder,
            env=environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ask(self, *words: str) -> Any:
        """The answer of a command in JSON."""
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def last_run(self) -> dict[str, Any]:
        return self.ask("runs", "list", "--limit", "1")[0]

    def finish(self, process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
        """Send a signal and wait for the end: its exit code, and what it said."""
        process.send_signal(number)
        said, told = process.communicate(timeout=SECONDS)
        return process.returncode, said, told


def eventually(is_so: Callable[[], Any], *, seconds: float = SECONDS) -> Any:
    """The first answer that is true. Fails if there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = is_so()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.05)


def read_until(stream: IO[str] | None, words: str | re.Pattern[str]) -> list[str]:
    """The lines that a process says, up to and with the first that has these words in it."""
    lines: list[str] = []
    for line in stream or ():
        lines.append(line)
        if words in line if isinstance(words, str) else words.search(line):
            return lines
    raise AssertionError(f"it ended before: {lines}")


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
