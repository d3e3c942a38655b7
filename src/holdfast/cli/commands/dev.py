"""`holdfast dev`: everything on one machine, loaded again when files change."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from holdfast.cli.database import find_database, run_async
from holdfast.cli.log_lines import use_log_format
from holdfast.cli.options import Db, LogFormat, Namespace
from holdfast.errors import BadFile, BadOption

_HOST: Final = "127.0.0.1"
_DEFAULT_PORT: Final = 8070
_LAST_PORT: Final = 65_535
_MOST_TRIED: Final = 100
_BACKLOG: Final = 1024

_Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATH]...",
        help="YAML, JSON or Python files, and folders to search. Default: the current folder.",
        show_default=False,
    ),
]
_Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PORT",
        help=f"Of the HTTP API; 0 is any free port. Default: {_DEFAULT_PORT}, or the next that is free.",
        show_default=False,
    ),
]
_Open = Annotated[
    bool | None,
    typer.Option(
        "--open/--no-open",
        help="Open the pages in a browser. Default: yes, if this is a terminal with a desktop.",
        show_default=False,
    ),
]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not report runs.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines on stdout as things happen.")]


def register(app: typer.Typer) -> None:
    app.command("dev")(dev)


def dev(
    paths: _Paths = None,
    port: _Port = None,
    open_pages: _Open = None,
    quiet: _Quiet = False,
    as_json: _Json = False,
    log_format: LogFormat = None,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Serve everything in this folder, and load it again when a file changes: for a person at a desk.

    Runs the workflows of all YAML, JSON and Python files that are found, fires their schedules, and serves
    the pages and the HTTP API to this machine. A file with a mistake is reported, and what was loaded before
    goes on. When files change, tasks under way get a second to finish; the others begin again on the new
    code. Ctrl-C stops in order.
    """
    from holdfast.cli.dev.event_log import EventLog
    from holdfast.cli.dev.supervisor import DevOptions, Supervisor
    from holdfast.settings import has_desktop

    if os.name != "posix":
        raise BadOption("dev", os.name, "used on Linux or macOS; on Windows use holdfast serve")
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise BadOption("--port", port, f"a number from 0 to {_LAST_PORT}")
    found = [_existing(path) for path in paths or ["."]]
    database = find_database(db, namespace)
    log_format = database.settings.log_format if log_format is None else log_format
    use_log_format(log_format)
    listener, note = _listen(port)
    is_desk = sys.stdin.isatty() and sys.stderr.isatty() and has_desktop()
    is_opened = is_desk if open_pages is None else open_pages
    options = DevOptions(found, database, db, namespace, listener, note, log_format, opens_pages=is_opened)
    with listener:
        raise typer.Exit(run_async(Supervisor(options, EventLog(as_json=as_json, quiet=quiet)).run()))


def _existing(path: str) -> Path:
    """Raises BadFile."""
    from holdfast.authoring.workflow_files import SUFFIXES

    found = Path(path).absolute()
    if not found.exists():
        raise BadFile("PATH", path, "no such file or folder")
    if found.is_file() and found.suffix not in (".py", *SUFFIXES):
        raise BadFile("PATH", path, "not a YAML, JSON or Python file")
    return Path(os.path.normpath(found))


def _listen(port: int | None) -> tuple[socket.socket, str | None]:
    """The socket, and a note if its port is not the usual one. Raises BadOption if the port is taken that was
    asked for."""
    first, problem = _DEFAULT_PORT if port is None else port, ""
    for tried in range(first, first + (_MOST_TRIED if port is None else 1)):
        try:
            listener = socket.create_server((_HOST, tried), backlog=_BACKLOG)
        except OSError as error:
            problem = (error.strerror or str(error)).lower()
            continue
        return listener, None if tried == first else f"port {first} is taken"
    expected = f"one that is free on {_HOST} ({problem})"
    raise BadOption("--port", first, expected)
