"""`holdfast watch`: prints what happens, as it is committed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import RUN_HELP, AsJson, Db, Namespace
from holdfast.cli.views.output import (
    is_terminal,
    moment_text,
    print_json,
    print_line,
    say,
    stdout,
    task_label,
)
from holdfast.cli.views.visible import one_line
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run_filters import RunConditions
    from holdfast.core.changes import Change

_Run = Annotated[str | None, typer.Argument(metavar="RUN", help=RUN_HELP, show_default=False)]
_Workflow = Annotated[
    str | None, typer.Option("--workflow", metavar="NAME", help="Only its runs.", show_default=False)
]
_Tag = Annotated[
    str | None, typer.Option("--tag", metavar="TAG", help="Only runs with this tag.", show_default=False)
]
_Status = Annotated[
    str | None,
    typer.Option(
        "--status", metavar="STATUS", help="Only runs that get this status, when they do.", show_default=False
    ),
]
_After = Annotated[
    str | None,
    typer.Option(
        "--after",
        metavar="OFFSET",
        help="Everything since this offset, which --json prints. Default: from now on.",
        show_default=False,
    ),
]

_STYLES = {"success": "green", "failed": "red", "cancelled": "yellow", "parked": "red", "paused": "yellow"}


def register(app: typer.Typer) -> None:
    app.command("watch")(watch)


def watch(
    run: _Run = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    status: _Status = None,
    after: _After = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Print what happens to a run until it has ended, or to all runs until Ctrl-C: a line for each change."""
    for option, value in (("--workflow", workflow), ("--tag", tag), ("--status", status)):
        if run is not None and value is not None:
            raise BadOption(option, value, "left out, since RUN is given")
    conditions: RunConditions = {}
    if run is None:
        conditions = {"workflow": workflow, "tag": tag, "status": status}

    async def print_changes(client: Holdfast) -> None:
        from holdfast.cli.arguments.runs import find_run

        found = None if run is None else await find_run(client, run)
        if found is not None and found.status.is_final and after is None and not as_json:
            say(f"run {found.id} has ended: {found.status}")
        async for change in client.watch(None if found is None else found.id, after=after, **conditions):
            _print(change, as_json=as_json)

    use_client(find_database(db, namespace), print_changes)


def _print(change: Change, *, as_json: bool) -> None:
    if as_json:
        print_json(change)
        return
    run, text = one_line(f"{change.workflow} {change.run}"), one_line(_words(change))
    if not is_terminal(sys.stdout):
        print_line(f"{moment_text(change.at)} {run} | {text}")
        return
    from rich.text import Text

    style = _STYLES.get(change.status or "", "")
    stdout().print(Text.assemble((moment_text(change.at), "dim"), " ", (run, "cyan"), " | ", (text, style)))


def _words(change: Change) -> str:
    by = f" by {change.by}" if change.by else ""
    match change.kind.value:
        case "task":
            again = f" (attempt {change.attempt})" if (change.attempt or 1) > 1 else ""
            return f"{task_label(change.task or '', change.index)} {change.status}{again}"
        case "message":
            return f"{change.what}{f' {change.name}' if change.name else ''}{by}"
        case "act":
            return f"{change.what}{by}"
        case "run_created":
            return f"created, {change.status}"
        case "run_deleted":
            return "deleted"
        case _:
            return f"{change.status}{f', waits for {change.waiting}' if change.waiting else ''}"
