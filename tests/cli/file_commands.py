"""Calls validate, graph and init: in this process, or as users do, in a pipe or in a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import NamedTuple

from tests.cli.here import run_here
from tests.cli.processes import SECONDS

import holdfast

SOURCE = str(Path(holdfast.__file__).parent.parent)


class Done(NamedTuple):
    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    hidden = ("HOLDFAST_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, "PYTHONPATH": SOURCE, "PYTHONUTF8": "1", **more}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "holdfast.cli.main", *words]


def call(*words: str, cwd: Path, input: str | bytes = b"", **env: str) -> Done:
    """In this process."""
    given = input.encode() if isinstance(input, str) else input
    done = run_here(words, cwd, environment(**env), given)
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def execute(*words: str, cwd: Path, input: str | bytes = b"", seconds: float = 20, **env: str) -> Done:
    """In a pipe."""
    done = subprocess.run(
        command(*words),
        cwd=cwd,
        env=environment(**env),
        input=input.encode() if isinstance(input, str) else input,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def call_in_terminal(*words: str, cwd: Path, columns: int = 80) -> Done:
    """What is shown, without colours and the like, is `out`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        command(*words),
        cwd=cwd,
        env=environment(TERM="xterm-256color"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        pass  # Linux says so when the other end is closed
    os.close(ours)
    _, error = process.communicate(timeout=SECONDS)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r\n", "\n")
    return Done(process.returncode, text, error.decode())
