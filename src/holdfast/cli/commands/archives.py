"""`holdfast runs export` and `holdfast runs import`: runs as a file of JSON lines, and back."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import RUN_HELP, AsJson, Db, Namespace
from holdfast.cli.views.output import answer_stream, print_json, say

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.archives import ImportReport

_Runs = Annotated[list[str] | None, typer.Argument(metavar="[RUN]...", help=RUN_HELP, show_default=False)]
_All = Annotated[bool, typer.Option("--all", help="All runs of the namespace.")]
_Ended = Annotated[
    bool, typer.Option("--ended", help="Only runs that have ended, with all of their children.")
]
_Status = Annotated[
    str | None, typer.Option("--status", metavar="STATUS", help="All runs in this state.", show_default=False)
]
_Workflow = Annotated[
    str | None,
    typer.Option("--workflow", metavar="NAME", help="All runs of this workflow.", show_default=False),
]
_Tag = Annotated[
    str | None, typer.Option("--tag", metavar="TAG", help="All runs with this tag.", show_default=False)
]
_OlderThan = Annotated[
    str | None,
    typer.Option(
        "--older-than", metavar="TIME", help="All runs created longer ago than this: 30d.", show_default=False
    ),
]
_Children = Annotated[
    bool, typer.Option("--children/--no-children", help="With the children of each run, and theirs.")
]
_Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write to this file instead of stdout.", show_default=False
    ),
]
_Source = Annotated[
    str, typer.Argument(metavar="FILE", help="A file that was exported; - for stdin.", show_default=False)
]
_Live = Annotated[
    bool, typer.Option("--live", help="Import runs that have not ended too. They go on in this database.")
]
_SkipExisting = Annotated[
    bool, typer.Option("--skip-existing", help="Leave out runs whose key or id is taken here.")
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check the file.")]


def export_runs(
    runs: _Runs = None,
    every: _All = False,
    ended: _Ended = False,
    status: _Status = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    older_than: _OlderThan = None,
    children: _Children = True,
    output: _Output = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Write runs as JSON lines, with everything that is stored about them. `runs import` reads them."""
    conditions: dict[str, Any] = {"status": status, "workflow": workflow, "tag": tag}
    conditions["created_before"] = _moment_before(older_than)
    given = {name: value for name, value in conditions.items() if value is not None}
    if bool(runs) + (every or ended or bool(given)) != 1:
        raise typer.BadParameter(
            "name runs, or give --all or conditions such as --workflow", param_hint="RUN"
        )

    async def write(client: Holdfast) -> int:
        from holdfast.cli.arguments.runs import find_run

        ids = [(await find_run(client, run)).id for run in runs or ()]
        lines = client.export_runs(*ids, children=children, ended=ended, **given)
        with _destination(output) as put:
            return await _write_lines(lines, put)

    count = use_client(find_database(db, namespace), write)
    if as_json and output is not None:  # without a file, the answer is the runs themselves, as JSON
        print_json({"runs": count, "file": str(output)})
    else:
        say(f"{_counted(count)} exported" + ("" if output is None else f" to {output}"))


async def _write_lines(lines: AsyncIterator[str], put: Callable[[str], object]) -> int:
    """Returns how many runs there were."""
    from holdfast.cli.views.pruning import Seldom

    count, seldom = 0, Seldom()
    async for line in lines:
        put(line)
        if line.startswith('{"kind":"end",'):
            count += 1
            if seldom.is_due():
                say(f"{_counted(count)} exported so far")
    return count


def _moment_before(older_than: str | None) -> dt.datetime | None:
    from holdfast.core.names import SPAN_EXAMPLES, read_span

    if older_than is None:
        return None
    age = read_span(older_than)
    if age is None:
        raise typer.BadParameter(f"{older_than!r} is not {SPAN_EXAMPLES}", param_hint="--older-than")
    return dt.datetime.now(dt.UTC) - age


@contextlib.contextmanager
def _destination(output: Path | None) -> Generator[Callable[[str], object]]:
    """Where lines go. A file appears under its name when it is whole and on the disk."""
    if output is None:
        stream = answer_stream()
        yield stream.write
        stream.flush()
        return
    try:
        file = tempfile.NamedTemporaryFile(  # noqa: SIM115
            "w", encoding="utf-8", dir=output.parent, prefix=f".{output.name}.", delete=False
        )
    except OSError as error:
        raise typer.BadParameter(f"{output}: {error.strerror}", param_hint="--output") from None
    try:
        with file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, output)
    except BaseException:
        os.unlink(file.name)
        raise


def import_runs(
    source: _Source,
    live: _Live = False,
    skip_existing: _SkipExisting = False,
    dry_run: _DryRun = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Read runs that were exported, from this database or another. The file is checked first, as a whole."""
    from holdfast.cli.views.pruning import Seldom

    seldom = Seldom()

    def show(report: ImportReport) -> None:
        if seldom.is_due():
            done = f"{report.runs:,} imported" if report.runs else "none imported yet"
            say(f"{_counted(report.checked)} checked, {done}")

    async def read(client: Holdfast) -> ImportReport:
        return await client.import_runs(
            sys.stdin.buffer if source == "-" else source,
            live=live,
            skip_existing=skip_existing,
            dry_run=dry_run,
            progress=None if as_json else show,
        )

    report = use_client(find_database(db, namespace), read, makes_file=True)
    if as_json:
        print_json({**{it: getattr(report, it) for it in report.__struct_fields__}, "dry_run": dry_run})
        return
    notes = [f"{report.live:,} not ended"] if report.live else []
    notes += [f"{report.existing:,} here already"] if report.existing else []
    notes += [f"{report.skipped:,} skipped"] if report.skipped else []
    would = "would be imported" if dry_run else "imported"
    say(f"{_counted(report.runs)} {would}" + (f" ({', '.join(notes)})" if notes else ""))


def _counted(runs: int) -> str:
    return f"{runs:,} run{'' if runs == 1 else 's'}"


def register(runs: typer.Typer) -> None:
    runs.command("export")(export_runs)
    runs.command("import")(import_runs)
