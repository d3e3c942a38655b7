"""`holdfast serve` and `holdfast worker`: a node that works until it is told to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import find_database, run_async
from holdfast.cli.log_lines import use_log_format
from holdfast.cli.options import Db, LogFormat, Namespace
from holdfast.cli.views.output import user_prints_to_stderr
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.cli.serving import ApiAddress

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
_Modules = Annotated[
    list[str],
    typer.Argument(
        metavar="MODULE...",
        help="Modules, Python files, YAML or JSON files, or one workflow of these: file.py:workflow.",
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
_Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure",
        help="Ask for no keys, whatever the address: everybody who reaches the server may do everything.",
    ),
]
_TlsCert = Annotated[
    str | None,
    typer.Option(
        "--tls-cert", metavar="FILE", help="Serve HTTPS with this certificate (PEM).", show_default=False
    ),
]
_TlsKey = Annotated[
    str | None,
    typer.Option(
        "--tls-key", metavar="FILE", help="The private key of the certificate (PEM).", show_default=False
    ),
]
_NoHttp = Annotated[bool, typer.Option("--no-http", help="Serve no HTTP API.")]
_UntilIdle = Annotated[
    bool,
    typer.Option("--until-idle", help="Do what is due, and end: do not wait for what is due later."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines on stdout as things happen.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not report runs.")]


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.command("worker")(worker)


def serve(
    targets: _Targets = None,
    host: _Host = None,
    port: _Port = None,
    tls_cert: _TlsCert = None,
    tls_key: _TlsKey = None,
    insecure: _Insecure = False,
    no_http: _NoHttp = False,
    until_idle: _UntilIdle = False,
    quiet: _Quiet = False,
    as_json: _Json = False,
    log_format: LogFormat = None,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Run these workflows and published ones, start the runs of their schedules, and serve the HTTP API.

    No code but that of the targets is loaded. SIGTERM or Ctrl-C stops the node. Tasks under way get a while
    to finish; other nodes, or the next start, do the rest.

    With --until-idle the node ends by itself, with exit code 0, when no task runs and nothing is due: no run
    that it can take, no timer, no schedule, no message. A run that waits for a time, a message, a worker or a
    person does not keep it. It says when the next thing is due.

    If there is a key (`holdfast keys create`), the API asks for keys. Without one, it is served on addresses
    of this machine alone, unless --insecure is given.
    """
    from holdfast.cli.serving import ApiAddress

    if host is not None and not host.strip():
        raise BadOption("--host", host, "a name or an address of this machine")
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise BadOption("--port", port, f"a number from 0 to {_LAST_PORT}")
    if no_http and (host is not None or port is not None):
        raise BadOption("--no-http", True, "left out where --host or --port is given")
    if (tls_cert is None) != (tls_key is None):
        raise BadOption("--tls-cert", tls_cert, "given together with --tls-key")
    option = "--port" if port is not None else "--host" if host is not None else None
    address = ApiAddress(
        _DEFAULT_HOST if host is None else host,
        _DEFAULT_PORT if port is None else port,
        option or (None if tls_cert is None else "--tls-cert"),
        insecure,
        tls_cert,
        tls_key,
    )
    _serve(
        targets or [],
        None if no_http else address,
        until_idle=until_idle,
        quiet=quiet,
        as_json=as_json,
        log_format=log_format,
        db=db,
        namespace=namespace,
    )


def worker(
    modules: _Modules,
    until_idle: _UntilIdle = False,
    quiet: _Quiet = False,
    as_json: _Json = False,
    log_format: LogFormat = None,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Run the workflows and tasks of these modules, without the HTTP API.

    As `holdfast serve --no-http`: it also runs published flows and fires schedules.
    """
    _serve(
        modules,
        None,
        until_idle=until_idle,
        quiet=quiet,
        as_json=as_json,
        log_format=log_format,
        db=db,
        namespace=namespace,
    )


def _serve(
    targets: list[str],
    address: ApiAddress | None,
    *,
    until_idle: bool,
    quiet: bool,
    as_json: bool,
    log_format: str | None,
    db: str | None,
    namespace: str | None,
) -> None:
    from holdfast.cli.arguments.targets import load_all
    from holdfast.cli.serving import EventPrinter, serve_until_interrupted

    database = find_database(db, namespace)
    log_format = database.settings.log_format if log_format is None else log_format
    use_log_format(log_format)
    events = EventPrinter(as_json=as_json, log_format=log_format)
    with user_prints_to_stderr():
        loaded = load_all(targets, is_first_a_workflow=False)
    run_async(serve_until_interrupted(database, loaded, events, address, quiet=quiet, until_idle=until_idle))
