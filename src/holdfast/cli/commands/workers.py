"""`holdfast workers`: lists the workers that do the work of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import moment_text, print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.workers import WorkerInfo

_Service = Annotated[
    str | None,
    typer.Option(
        "--service", metavar="NAME", help="Only workers that offer this service.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    app.command("workers")(workers)


def workers(
    service: _Service = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """List the workers that sent a heartbeat in the last day."""
    import datetime as dt

    async def read(client: Holdfast) -> list[WorkerInfo]:
        return await client.workers.list(service, dt.timedelta(days=1))

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no workers")
    else:
        header = ["WORKER", "STATUS", "TYPE", "LOAD", "HEARD", "URL", "SERVICES"]
        print_table(header, [_row(worker) for worker in found], state=1)


def _row(worker: WorkerInfo) -> list[str]:
    return [
        worker.id,
        "online" if worker.is_online else "offline",
        worker.type,
        str(worker.load),
        moment_text(worker.heartbeat_at),
        worker.url,
        ", ".join(worker.services),
    ]
