"""`holdfast serve`: a node that works until it is told to stop."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.database import find_database, run_async
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import Db, Namespace
from holdfast.cli.views.output import user_prints_to_stderr
from holdfast.errors import BadOption

_DEFAULT_HOST = "127.0.0.1"
_DEFAULT_PORT = 8070
_LAST_PORT = 65_535

_Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...",
        help="YAML or JSON files, modules or Python files, or one workflow of these: file.py:workflow.",
        show_default=False,
    ),
]
_Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="HOST",
        help=f"The address of the HTTP API. Default: {_DEFAULT_HOST}, for this machine only; "
        "0.0.0.0 is for every machine.",
        show_default=False,
    ),
]
_Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PORT",
        help=f"The port of the HTTP API. Default: {_DEFAULT_PORT}, if it is free; 0 is any free port.",
        show_default=False,
    ),
]
_NoHttp = Annotated[bool, typer.Option("--no-http", help="Serve no HTTP API.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines on stdout as things happen.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not report runs.")]


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    targets: _Targets = None,
    host: _Host = None,
    port: _Port = None,
    no_http: _NoHttp = False,
    quiet: _Quiet = False,
    as_json: _Json = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Run these workflows and published ones, start the runs of their schedules, and serve the HTTP API.

    SIGTERM or Ctrl-C stops the node. Tasks under way get a while to finish; other nodes, or the next start,
    do the rest.
    """
    from holdfast.cli.arguments.targets import load_all
    from holdfast.cli.serving import ApiAddress, EventPrinter, serve_until_interrupted

    if host is not None and not host.strip():
        raise BadOption("--host", host, "a name or an address of this machine")
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise BadOption("--port", port, f"a number from 0 to {_LAST_PORT}")
    if no_http and (host is not None or port is not None):
        raise BadOption("--no-http", True, "left out where --host or --port is given")
    with user_prints_to_stderr():
        loaded = load_all(targets or [], is_first_a_workflow=False)
    option = "--port" if port is not None else "--host" if host is not None else None
    address = ApiAddress(
        _DEFAULT_HOST if host is None else host, _DEFAULT_PORT if port is None else port, option
    )
    database, events = find_database(db, namespace), EventPrinter(as_json=as_json)
    try:
        run_async(
            serve_until_interrupted(database, loaded, events, None if no_http else address, quiet=quiet)
        )
    except BrokenPipeError:
        raise typer.Exit(ExitCode.BROKEN_PIPE) from None
