"""Notebooks: what processes write down about what they did and saw, as lines of JSON in one file each.

These files are the only evidence of a chaos run. They are written without holdfast. Each line is one system
call, so it survives the death of the process. Times are of the monotonic clock, which all processes of a
machine share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="what"):
    at: float = msgspec.field(default_factory=time.monotonic)


class Invoked(Line, frozen=True, kw_only=True, tag="invoke"):
    """A client is about to make a call."""

    client: str
    number: int
    action: str
    run: str
    value: Any = None


class Answered(Line, frozen=True, kw_only=True, tag="ok"):
    """The call was done."""

    client: str
    number: int
    value: Any = None


class TurnedDown(Line, frozen=True, kw_only=True, tag="fail"):
    """The call was certainly not done."""

    client: str
    number: int
    error: str


class InDoubt(Line, frozen=True, kw_only=True, tag="unknown"):
    """The call may have been done, or may still be done."""

    client: str
    number: int
    error: str


class Began(Line, frozen=True, kw_only=True, tag="began"):
    """A task really begins. Its input was made of the outcomes of the tasks in `after`."""

    process: int
    run: str
    task: str
    label: str
    after: list[str] = []
    attempt: int
    node: int = 0
    """The process of the node, if the task has one of its own."""
    shell: int = 0
    """The shell between the two, if there is one."""
    key: str = ""
    """The idempotency key that a task in a process of its own gets."""


class Finished(Line, frozen=True, kw_only=True, tag="finished"):
    """A task in a process of its own has done its work, and is about to report the result."""

    process: int
    task: str


class Recorded(Line, frozen=True, kw_only=True, tag="recorded"):
    """The database had these tasks as done at this time, or earlier."""

    tasks: list[str]


class Over(Line, frozen=True, kw_only=True, tag="over"):
    """The database had these runs as ended at this time, or earlier."""

    runs: list[str]


class Stranded(Line, frozen=True, kw_only=True, tag="stranded"):
    """The doctor found a run that nothing would wake, or a schedule that nothing would fire."""

    run: str
    problem: str


class MarkedAttempt(NamedTuple):
    task: str
    number: int
    status: str
    failure: str = ""
    """With the node that recorded it."""


class ShownAttempt(NamedTuple):
    task: str
    number: int
    node: int
    """The process of the node that has the run."""


class Shown(Line, frozen=True, kw_only=True, tag="shown"):
    """The database had these attempts as begun at this time."""

    attempts: list[ShownAttempt]


class Marked(Line, frozen=True, kw_only=True, tag="marked"):
    """Attempts that did not succeed, as the database has them at the end."""

    attempts: list[MarkedAttempt]


class Ticked(Line, frozen=True, kw_only=True, tag="ticked"):
    """A schedule at the end of the round. Instants are seconds since 1970."""

    schedule: str
    every: int
    began_at: float
    next_at: float
    """All ticks before this instant have been handled."""
    skipped: int


class Left(Line, frozen=True, kw_only=True, tag="left"):
    """A process that a node had started still existed when it should have been gone."""

    words: str


class Hurt(Line, frozen=True, kw_only=True, tag="hurt"):
    """A fault: what was done to whom, from `at` to `until`."""

    fault: str
    whom: str
    process: int = 0
    until: float


class Died(Line, frozen=True, kw_only=True, tag="died"):
    """A process ended by itself, or did not end when it was asked to."""

    whom: str
    words: str


class RunAtEnd(Line, frozen=True, kw_only=True, tag="run"):
    """A run as the database has it at the end of the round."""

    run: str
    key: str
    workflow: str
    status: str
    input: Any
    output: Any = None
    failure: str = ""
    """The class of the error that ended the run."""
    message: str = ""


class Settled(Line, frozen=True, kw_only=True, tag="settled"):
    """The judge has finished. Says how long all runs took to end after the last fault."""

    seconds: float


Entry: TypeAlias = (
    Invoked
    | Answered
    | TurnedDown
    | InDoubt
    | Began
    | Finished
    | Recorded
    | Over
    | Stranded
    | Shown
    | Marked
    | Ticked
    | Left
    | Hurt
    | Died
    | RunAtEnd
    | Settled
)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


class Notebook:
    """Appends lines to a file. Several threads and processes may write to it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, entry: Entry) -> None:
        # One system call, so lines of several writers never mix, and none stays in a buffer.
        os.write(self._file, _encode(entry) + b"\n")

    def close(self) -> None:
        os.close(self._file)


def read_notebooks(folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_bytes().split(b"\n")
        # The text after the last newline is a line that a kill has cut off.
        for line in lines[:-1]:
            yield _decode(line)


def shown(entry: Entry) -> str:
    return _encode(entry).decode()
