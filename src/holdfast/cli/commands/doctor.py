"""`holdfast doctor`: runs that nothing would ever wake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.cli.database_options import AsJson, Db, Namespace, ask, find_place
from holdfast.cli.views.output import print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Look for runs that are not finished and have no reason to wake. Exit code 1 if there are."""

    from holdfast.core.values import key_text

    async def examine(client: Holdfast) -> list[dict[str, str]]:
        return [
            {
                "run": stranded.id or key_text(stranded.run),
                "workflow": stranded.workflow,
                "status": stranded.status,
                "problem": stranded.problem,
            }
            for stranded in await client.doctor()
        ]

    found = ask(find_place(db, namespace), examine)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("every run that is not finished has a reason to wake", "green")
    else:
        print_table(
            ["RUN", "WORKFLOW", "STATUS", "PROBLEM"], [list(each.values()) for each in found], state=2
        )
    if found:
        raise typer.Exit(1)
