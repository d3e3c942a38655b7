"""`holdfast status`: whether all is well, in the sentences that the pages show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import print_json, print_line
from holdfast.cli.views.visible import one_line

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.core.attention import Attention


def register(app: typer.Typer) -> None:
    app.command("status")(status)


def status(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Say whether all is well, and what needs a person."""
    from holdfast.core.attention import plain_text

    async def read(client: Holdfast) -> Attention:
        return await client.attention()

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
        return
    print_line(one_line(plain_text(found.sentence), None))
    print_line(one_line(plain_text(found.more), None))
    for item in found.items:
        print_line(f"\n{one_line(item.title, None)}")
        print_line(f"  {one_line(plain_text(item.parts), None)}")
