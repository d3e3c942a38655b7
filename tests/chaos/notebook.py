"""What processes write down of what they did and saw: lines of JSON, one file for each process.

These files are the only witnesses of a chaos run. They are written past holdfast, each line by one
call to the kernel, so that what is written stays written when the process is killed. Times are those of the
monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="what"):
    at: float = msgspec.field(default_factory=time.monotonic)


class Invoked(Line, frozen=True, kw_only=True, tag="invoke"):
    """A client is about to ask for something."""

    client: str
    number: int
    action: str
    run: str
    value: Any = None


class Answered(Line, frozen=True, kw_only=True, tag="ok"):
    """It was done."""

    client: str
    number: int
    value: Any = None


class TurnedDown(Line, frozen=True, kw_only=True, tag="fail"):
    """It was not done, for certain."""

    client: str
    number: int
    error: str


class InDoubt(Line, frozen=True, kw_only=True, tag="unknown"):
    """It may have been done, or be done yet."""

    client: str
    number: int
    error: str


class Began(Line, frozen=True, kw_only=True, tag="began"):
    """A task really begins. Its input was made of the outcomes of those named in `after`."""

    process: int
    run: str
    task: str
    label: str
    after: list[str] = []
    attempt: int
    node: int = 0
    """The process that started this one, if the task has one of its own."""
    key: str = ""
    """Its idempotency key, as a task in a process of its own is told it."""


class Finished(Line, frozen=True, kw_only=True, tag="finished"):
    """A task in a process of its own has done its work, and goes on to say how that went."""

    process: int
    task: str


class Recorded(Line, frozen=True, kw_only=True, tag="recorded"):
    """These tasks stood in the database as done, at the latest at this time."""

    tasks: list[str]


class Over(Line, frozen=True, kw_only=True, tag="over"):
    """These runs stood in the database as ended, at the latest at this time."""

    runs: list[str]


class Stranded(Line, frozen=True, kw_only=True, tag="stranded"):
    """The doctor found a run that nothing would wake."""

    run: str
    problem: str


class Marked(Line, frozen=True, kw_only=True, tag="marked"):
    """Attempts that did not succeed, as the database has them in the end: task, number, and what each is."""

    attempts: list[tuple[str, int, str]]


class Ticked(Line, frozen=True, kw_only=True, tag="ticked"):
    """A schedule when all is over. Instants are seconds since 1970."""

    schedule: str
    every: int
    began_at: float
    next_at: float
    """All ticks before it are dealt with."""
    skipped: int


class Left(Line, frozen=True, kw_only=True, tag="left"):
    """A process that a node had started was there when it should have been gone."""

    words: str


class Hurt(Line, frozen=True, kw_only=True, tag="hurt"):
    """A fault: what was done to whom, from `at` to `until`."""

    fault: str
    whom: str
    process: int = 0
    until: float


class Died(Line, frozen=True, kw_only=True, tag="died"):
    """A process ended although nobody had ended it, or did not end although it was asked to."""

    whom: str
    words: str


class RunAtEnd(Line, frozen=True, kw_only=True, tag="run"):
    """A run as the database has it when all is over."""

    run: str
    key: str
    workflow: str
    status: str
    input: Any
    output: Any = None
    failure: str = ""
    """The class of the error that ended it."""
    message: str = ""


class Settled(Line, frozen=True, kw_only=True, tag="settled"):
    """The judge has seen everything. How long after the last fault it took until all runs had ended."""

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
    """Appends lines to a file; from several threads and processes, if need be."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, entry: Entry) -> None:
        # One call: lines of several writers never mix, and none is left behind in a buffer.
        os.write(self._file, _encode(entry) + b"\n")

    def close(self) -> None:
        os.close(self._file)


def read_notebooks(folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_bytes().split(b"\n")
        # What follows the last newline is a line that a kill has cut off in the middle.
        for line in lines[:-1]:
            yield _decode(line)


def shown(entry: Entry) -> str:
    return _encode(entry).decode()
