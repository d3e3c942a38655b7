"""`holdfast explain`: why a run does not go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.cli.database import find_database, use_run
from holdfast.cli.options import AsJson, Db, Namespace, RunArgument
from holdfast.cli.views.output import print_json

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run import RunInfo
    from holdfast.core.explanations import Explanation


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(run: RunArgument, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Say why a run does not go on: what it waits for, since when, what would move it, and what is wrong."""
    from holdfast.cli.views.explanations import print_explanation

    async def ask(client: Holdfast, info: RunInfo) -> Explanation:
        return await client.explain(info.id)

    database = find_database(db, namespace)
    found = use_run(database, run, ask)
    if as_json:
        print_json(found, is_pretty=True)
    else:
        print_explanation(found, database)
