"""`holdfast stats` and `holdfast namespaces`: how much there is, and how much was done when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.arguments.plans import read_span
from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import moment_text, print_json, print_line
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.stats import NamespaceInfo, RunStats

_Last = Annotated[
    str, typer.Option("--last", metavar="SPAN", help="How far to look back: up to 8d, such as 1h or 7d.")
]
_Step = Annotated[
    str | None,
    typer.Option("--step", metavar="SPAN", help="How far the points are apart: 5m.", show_default=False),
]
_BARS = " ▁▂▃▄▅▆▇█"
_WIDTH = 60


def register(app: typer.Typer) -> None:
    app.command("stats")(stats)
    app.command("namespaces")(namespaces)


def stats(
    last: _Last = "1h",
    step: _Step = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Show how many runs are in each state, and how many were started and ended when."""
    age = read_span("--last", last)
    each = None if step is None else read_span("--step", step)

    async def read(client: Holdfast) -> RunStats:
        return await client.stats(age, each)

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
        return
    counts = [[it.name, f"{it.count:,}{'' if it.is_exact else '+'}"] for it in found.states]
    print_table(["STATUS", "RUNS"], counts, state=0)
    print_line(f"\nsince {moment_text(found.points[0].at)}:")
    for name in ("started", "succeeded", "failed", "cancelled"):
        values = [getattr(point, name) for point in found.points]
        print_line(f"{name:<9}  {sum(values):>9,}  {_chart(values)}")


def namespaces(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List the namespaces of the database that have runs."""

    async def read(client: Holdfast) -> list[NamespaceInfo]:
        return await client.namespaces()

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    else:
        rows = [[it.name, f"{it.open_runs:,}", f"{it.failed_runs:,}"] for it in found]
        print_table(["NAMESPACE", "OPEN RUNS", "FAILED RUNS"], rows)


def _chart(values: list[int]) -> str:
    """The values as bars, the last one at the right edge. Neighbours share a bar if there are too many."""
    each = -(-len(values) // _WIDTH)
    padded = [0] * (-len(values) % each) + values
    sums = [sum(padded[first : first + each]) for first in range(0, len(padded), each)]
    most = max(sums)
    # What is not zero has a bar, however small it is.
    return "".join(_BARS[-(-value * (len(_BARS) - 1) // most)] if most else " " for value in sums).rstrip()
