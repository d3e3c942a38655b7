"""What the supervisor and its child say to each other: one JSON object a line, over two pipes.

The child is started with the pipes as stdin and stdout, and moves them away: user code may read and print.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import msgspec

LONGEST_LINE: Final = 64 * 1024 * 1024


class ChildOrder(msgspec.Struct):
    """The first line that a child gets: what to load, and where to serve it. After it has told what it has
    loaded, it gets a line `go`. A line `stop`, or the end of the pipe, ends it in order."""

    paths: list[str]
    db: str | None = None
    namespace: str | None = None
    log_format: str = "text"
    socket: int | None = None
    """The file descriptor of the listening socket. None: there is no HTTP API."""
    needed: list[str] = []
    """Files that another child serves now. If one of them has a problem, this child is of no use."""


GO: Final = b"go"
"""An offset may follow: what happens to runs is told from there on."""
STOP: Final = b"stop"
HANG_UP: Final = b"hang up"
"""Stop: the terminal is gone, and nothing can be printed any more."""


class LoadedReport(msgspec.Struct, tag="loaded"):
    """The child can serve this, as soon as it is told to go."""

    workflows: list[str]
    tasks: list[str]
    files: list[str]
    watched: list[str]
    """Files to watch, also those outside the paths."""
    problems: list[str]
    notes: list[str]
    run_target: str | None
    """What `holdfast run` takes, for the first workflow."""


class RefusedReport(msgspec.Struct, tag="refused"):
    """The child cannot serve, and ends."""

    problems: list[str]
    is_store: bool = False
    """The database cannot be used: no change of a file helps."""


class ImportReport(msgspec.Struct, tag="importing"):
    file: str


class ServingReport(msgspec.Struct, tag="serving"):
    problem: str | None
    """Why there is no HTTP API."""


class DrainedReport(msgspec.Struct, tag="drained"):
    """Somebody has drained the node of the child. It ends."""


class ToldReport(msgspec.Struct, tag="told"):
    """What has happened to runs up to here was told. The next child goes on from here."""

    offset: str


class EventReport(msgspec.Struct, tag="event"):
    """Something to print."""

    event: str
    text: str
    at: dt.datetime
    facts: dict[str, Any]


ChildReport = (
    LoadedReport | RefusedReport | ImportReport | ServingReport | DrainedReport | ToldReport | EventReport
)
read_report = msgspec.json.Decoder(ChildReport).decode
