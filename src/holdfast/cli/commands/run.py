"""`holdfast run`: starts a run in this process, or continues one, and watches it to its end."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.database import find_database
from holdfast.cli.options import Db, Namespace

_HELP = """
Run a workflow here, and watch it to its end.

TARGET is a YAML or JSON file, module:workflow or file.py:workflow, or a task in place of the workflow. The
output of the run is printed on stdout as JSON; everything else is printed on stderr. If this process dies,
--resume continues the run.

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
        help="The inputs by name, as a JSON object, or a list of them; @ reads a file, - stdin.",
        show_default=False,
    ),
]
_Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="The id of the run. If a run has this id already, it is watched.",
        show_default=False,
    ),
]
_Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="RUN", help="Continue this run.", show_default=False),
]
_Retry = Annotated[
    str | None,
    typer.Option(
        "--retry",
        metavar="RUN",
        help="Open this failed or cancelled run again, and continue it.",
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
_Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines, even in a terminal.")]


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
    existing = resume or retry
    if resume and retry:
        raise typer.BadParameter("it continues the run as well: leave out --resume", param_hint="--retry")
    if existing and (input is not None or id is not None):
        raise typer.BadParameter(f"run {existing!r} has its own", param_hint="--input and --id")
    if not existing and target is None:
        raise typer.BadParameter(
            "give a YAML or JSON file, module:workflow or file.py:workflow", param_hint="TARGET"
        )

    from holdfast.cli.watching.session import RunRequest, carry_out

    request = RunRequest(
        targets=[*([] if target is None else [target]), *(also or [])],
        has_target=target is not None,
        input=input,
        id=id,
        existing=existing,
        is_retry=retry is not None,
        database=find_database(db, namespace),
        as_json=as_json,
        is_plain=plain,
    )
    raise typer.Exit(carry_out(request))
