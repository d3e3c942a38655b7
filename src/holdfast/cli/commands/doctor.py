"""`holdfast doctor`: finds runs that nothing will ever wake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def _tell_progress(looked_at: int) -> None:
    if looked_at % 100_000 == 0:
        say(f"looked at {looked_at:,} unfinished runs")


def doctor(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Find runs that are not finished and that nothing will wake. Exit code 1 if there are any."""

    from holdfast.core.values import key_text

    async def examine(client: Holdfast) -> list[dict[str, str]]:
        return [
            {
                "run": stranded.id or key_text(stranded.run),
                "workflow": stranded.workflow,
                "status": stranded.status,
                "problem": stranded.problem,
            }
            for stranded in await client.doctor(_tell_progress)
        ]

    found = use_client(find_database(db, namespace), examine)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("every run that is not finished has a reason to wake", "green")
    else:
        print_table(
            ["RUN", "WORKFLOW", "STATUS", "PROBLEM"], [list(each.values()) for each in found], state=2
        )
    if found:
        raise typer.Exit(ExitCode.FAILED)
