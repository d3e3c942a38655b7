"""`holdfast workers`: who is there to do the work of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database_options import AsJson, Db, Namespace, ask, find_place
from holdfast.cli.views.output import moment_text, print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.workers import WorkerInfo

_Service = Annotated[
    str | None, typer.Option("--service", metavar="NAME", help="Only those that have it.", show_default=False)
]


def register(app: typer.Typer) -> None:
    app.command("workers")(workers)


def workers(
    service: _Service = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """List the workers that have been heard of in the last day."""
    import datetime as dt

    async def read(client: Holdfast) -> list[WorkerInfo]:
        return await client.workers.list(service, dt.timedelta(days=1))

    found = ask(find_place(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no workers")
    else:
        rows = [
            [
                it.id,
                "online" if it.is_online else "offline",
                it.type,
                str(it.load),
                moment_text(it.heartbeat_at),
                it.url,
                ", ".join(it.services),
            ]
            for it in found
        ]
        print_table(["WORKER", "STATUS", "TYPE", "LOAD", "HEARD", "URL", "SERVICES"], rows, state=1)
