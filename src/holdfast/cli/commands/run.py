"""`holdfast run`: start a run here, or take one up again, and watch it to its end."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.database_options import Db, Namespace, find_place

_HELP = """
Run a workflow here, and watch it to its end.

TARGET is a YAML or JSON file, module:workflow or file.py:workflow. What the run gives is printed on stdout as
JSON, everything else on stderr. If this process dies, --resume goes on where it was.

Exit codes: 0 success, 1 failed, 2 refused, 3 cancelled, 4 parked or paused, 130 detached by Ctrl-C,
143 by SIGTERM, 141 because nobody reads the output any more.
"""

_Target = Annotated[str | None, typer.Argument(metavar="TARGET", help="The workflow.", show_default=False)]
_Input = Annotated[
    str | None,
    typer.Option(
        "--input",
        "-i",
        metavar="JSON|@FILE|-",
        help="The inputs by name, as a JSON object; @ reads a file, - stdin.",
        show_default=False,
    ),
]
_Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="Names the run. If there is one of that name already, it is watched.",
        show_default=False,
    ),
]
_Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="RUN", help="Go on with this run.", show_default=False),
]
_Retry = Annotated[
    str | None,
    typer.Option(
        "--retry",
        metavar="RUN",
        help="Open this failed or cancelled run again, and go on with it.",
        show_default=False,
    ),
]
_Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="TARGET",
        help="A workflow that this one calls, or a module with tasks of a flow. May be repeated.",
        show_default=False,
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines as things happen, the result last.")]
_Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines, also in a terminal.")]


def register(app: typer.Typer) -> None:
    app.command("run", help=_HELP)(run)


def run(
    target: _Target = None,
    input: _Input = None,
    id: _Id = None,
    resume: _Resume = None,
    retry: _Retry = None,
    also: _Also = None,
    db: Db = None,
    namespace: Namespace = None,
    as_json: _Json = False,
    plain: _Plain = False,
) -> None:
    old = resume or retry
    if resume and retry:
        raise typer.BadParameter("it goes on with the run as well: leave out --resume", param_hint="--retry")
    if old and (input is not None or id is not None):
        raise typer.BadParameter(f"run {old!r} has its own", param_hint="--input and --id")
    if not old and target is None:
        raise typer.BadParameter(
            "give a YAML or JSON file, module:workflow or file.py:workflow", param_hint="TARGET"
        )

    from holdfast.cli.session import RunRequest, carry_out
    from holdfast.cli.views.ending import Exit

    targets = [*([] if target is None else [target]), *(also or [])]
    place = find_place(db, namespace)
    order = RunRequest(targets, target is not None, input, id, old, retry is not None, place, as_json, plain)
    try:
        code = carry_out(order)
    except BrokenPipeError:
        code = Exit.BROKEN_PIPE
    raise typer.Exit(code)
