"""`holdfast serve`: a node that works until it is told to stop."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.opening import Db, Namespace, find_place, run_async
from holdfast.cli.output import user_prints_to_stderr

_Targets = Annotated[
    list[str], typer.Argument(metavar="TARGET", help="YAML files, module:workflow or file.py:workflow.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines on stdout as things happen.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing of runs.")]


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    targets: _Targets,
    quiet: _Quiet = False,
    as_json: _Json = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Work on the runs of these workflows, and start those of their schedules, until SIGTERM or Ctrl-C.

    Tasks under way get a while to finish; the rest is handed to other nodes, or to the next start.
    """
    from holdfast.cli.serving import Teller, work
    from holdfast.cli.targets import load_all

    with user_prints_to_stderr():
        loaded = load_all(targets)
    try:
        run_async(work(find_place(db, namespace), loaded, Teller(as_json=as_json), quiet=quiet))
    except BrokenPipeError:
        from holdfast.cli.ending import Exit

        raise typer.Exit(Exit.BROKEN_PIPE) from None
