"""`holdfast serve`: a node that works until it is told to stop."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.database_options import Db, Namespace, find_place, run_async
from holdfast.cli.views.output import user_prints_to_stderr
from holdfast.errors import BadOption

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8070
_LAST_PORT = 65_535

_Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...",
        help="YAML or JSON files, module:workflow or file.py:workflow, or modules with tasks.",
        show_default=False,
    ),
]
_Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="HOST",
        help=f"Where the HTTP API is served: {DEFAULT_HOST}, for this machine alone; 0.0.0.0 is for all.",
        show_default=False,
    ),
]
_Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PORT",
        help=f"And at which port: {DEFAULT_PORT}, if it is free; 0 is any that is free.",
        show_default=False,
    ),
]
_NoHttp = Annotated[bool, typer.Option("--no-http", help="Serve no HTTP API.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines on stdout as things happen.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing of runs.")]


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
    """Work on the runs of these workflows and of published flows, start those of their schedules, and serve
    the HTTP API, until SIGTERM or Ctrl-C.

    Tasks under way get a while to finish; the rest is handed to other nodes, or to the next start.
    """
    from holdfast.cli.serving import Address, Teller, work
    from holdfast.cli.targets import load_all

    if host is not None and not host.strip():
        raise BadOption("--host", host, "a name or an address of this machine")
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise BadOption("--port", port, f"a number from 0 to {_LAST_PORT}")
    if no_http and (host is not None or port is not None):
        raise BadOption("--no-http", True, "left out where --host or --port is given")
    with user_prints_to_stderr():
        loaded = load_all(targets or [], is_first_a_workflow=False)
    address = None if no_http else Address(host, port)
    try:
        run_async(work(find_place(db, namespace), loaded, Teller(as_json=as_json), address, quiet=quiet))
    except BrokenPipeError:
        from holdfast.cli.views.ending import Exit

        raise typer.Exit(Exit.BROKEN_PIPE) from None
