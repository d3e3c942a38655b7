"""`holdfast runs`: lists runs, shows one or a stream of it, and deletes runs.

`run_acts` has what is done to one run or to many, `archives` export and import.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.commands import archives, run_acts
from holdfast.cli.commands.bulk import print_begun
from holdfast.cli.database import find_database, use_client, use_run
from holdfast.cli.options import RUN_HELP, AsJson, Background, Db, Limit, Namespace, RunArgument, user_name
from holdfast.cli.views.output import between, json_text, moment_text, print_json, print_line, say, span_text
from holdfast.cli.views.tables import print_table
from holdfast.cli.views.visible import log_line, one_line
from holdfast.core.names import SPAN_EXAMPLES, read_span

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.cli.views.run_details import RunDetails
    from holdfast.client.retention import PruneReport
    from holdfast.client.run import RunInfo

_Status = Annotated[
    str | None,
    typer.Option(
        "--status",
        metavar="STATUS",
        help="Only these: pending, running, success, failed, cancelled, paused or parked.",
        show_default=False,
    ),
]
_Workflow = Annotated[
    str | None,
    typer.Option("--workflow", metavar="NAME", help="Only runs of this workflow.", show_default=False),
]
_Statuses = Annotated[
    list[str] | None,
    typer.Option(
        "--status",
        metavar="STATUS",
        help="Only these: pending, running, success, failed, cancelled, paused or parked. May be repeated.",
        show_default=False,
    ),
]
_Tags = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", metavar="TAG", help="Only runs with this tag. If repeated, with all.", show_default=False
    ),
]
_Version = Annotated[
    str | None,
    typer.Option("--version", metavar="V", help="Only runs of this version.", show_default=False),
]
_Schedule = Annotated[
    str | None,
    typer.Option("--schedule", metavar="NAME", help="Only runs of this schedule.", show_default=False),
]
_Parent = Annotated[
    str | None, typer.Option("--parent", metavar="RUN", help="Only children of this run.", show_default=False)
]
_ErrorType = Annotated[
    str | None,
    typer.Option(
        "--error-type", metavar="CLASS", help="Only failures of this class: ValueError.", show_default=False
    ),
]
_ErrorText = Annotated[
    str | None,
    typer.Option(
        "--error", metavar="TEXT", help="Only failures with this in their message.", show_default=False
    ),
]
_IdText = Annotated[
    str | None,
    typer.Option("--id", metavar="TEXT", help="Only runs with this in their id.", show_default=False),
]
_TookOver = Annotated[
    str | None,
    typer.Option(
        "--took-over",
        metavar="TIME",
        help="Only runs that have ended and took this long or longer: 30s.",
        show_default=False,
    ),
]
_TookUnder = Annotated[
    str | None,
    typer.Option(
        "--took-under",
        metavar="TIME",
        help="Only runs that have ended and took less than this: 30s.",
        show_default=False,
    ),
]
_Fingerprint = Annotated[
    str | None,
    typer.Option(
        "--fingerprint", metavar="ID", help="Only runs that failed for this cause.", show_default=False
    ),
]
_Full = Annotated[
    bool,
    typer.Option("--full", help="All tasks and attempts, with outputs and tracebacks at full length."),
]

_Stream = Annotated[str, typer.Argument(metavar="NAME", help="The name of the stream.")]
_After = Annotated[
    int | None,
    typer.Option("--after", metavar="N", help="Only items behind this offset.", show_default=False),
]
_Follow = Annotated[
    bool, typer.Option("--follow/--no-follow", help="Keep printing new items until the run has ended.")
]

_SomeRuns = Annotated[list[str], typer.Argument(metavar="RUN...", help=RUN_HELP, show_default=False)]
_OlderThan = Annotated[
    str,
    typer.Option("--older-than", metavar="TIME", help="Only runs that ended longer ago than this: 30d, 12h."),
]
_EndedStatus = Annotated[
    str | None,
    typer.Option(
        "--status", metavar="STATUS", help="Only these: success, failed or cancelled.", show_default=False
    ),
]
_Most = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", help="Delete at most this many.", show_default=False),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count them.")]

runs = typer.Typer(
    help="List runs, look at one, cancel, retry, resume, delete or export it.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    run_acts.register(runs)
    archives.register(runs)
    app.add_typer(runs, name="runs")


@runs.command("list")
def list_runs(
    status: _Statuses = None,
    workflow: _Workflow = None,
    version: _Version = None,
    tag: _Tags = None,
    schedule: _Schedule = None,
    parent: _Parent = None,
    fingerprint: _Fingerprint = None,
    error_type: _ErrorType = None,
    error: _ErrorText = None,
    id: _IdText = None,
    took_over: _TookOver = None,
    took_under: _TookUnder = None,
    limit: Limit = 20,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """List runs, the newest first."""
    least = _seconds("--took-over", took_over)
    most = _seconds("--took-under", took_under)

    async def read(client: Holdfast) -> list[RunInfo]:
        return await client.list(
            status=status or None,
            workflow=workflow,
            version=version,
            tag=tag,
            schedule=schedule,
            parent=parent,
            fingerprint=fingerprint,
            error_type=error_type,
            error_contains=error,
            id_contains=id,
            took_over=least,
            took_under=most,
            limit=limit,
        )

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no runs")
    else:
        header = ["RUN", "WORKFLOW", "STATUS", "CREATED", "TOOK", ""]
        print_table(header, [_row(info) for info in found], state=2)


def _seconds(option: str, given: str | None) -> float | None:
    return None if given is None else _span(option, given).total_seconds()


def _span(option: str, given: str) -> dt.timedelta:
    span = read_span(given)
    if span is None:
        raise typer.BadParameter(f"{given!r} is not {SPAN_EXAMPLES}", param_hint=option)
    return span


def _row(info: RunInfo) -> list[str]:
    from holdfast.cli.views.wording import waits_text

    took = between(info.started_at, info.finished_at, dt.datetime.now(dt.UTC))
    note = waits_text(info.waiting) if info.waiting else ""
    return [
        info.id,
        info.workflow,
        info.status,
        moment_text(info.created_at),
        "-" if took is None else span_text(took),
        info.failure.summary if info.failure is not None else note,
    ]


@runs.command("show")
def show_run(
    run: RunArgument,
    full: _Full = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Show a run: its tasks with their outputs, attempts that failed, and what it waits for."""
    from holdfast.cli.views.run_details import print_run_details, read_run_details

    async def read(client: Holdfast, info: RunInfo) -> RunDetails:
        return await read_run_details(client, info, is_full=full or as_json)

    database = find_database(db, namespace)
    details = use_run(database, run, read)
    if as_json:
        print_json(details.facts(), is_pretty=True)
    else:
        print_run_details(details, database, is_full=full)


@runs.command("stream")
def read_stream(
    run: RunArgument,
    name: _Stream,
    after: _After = None,
    follow: _Follow = True,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Print what a run publishes to a stream, one item on a line, until the run has ended."""

    async def print_items(client: Holdfast, info: RunInfo) -> None:
        begun = set[int]()
        async for item in client.stream(info.id, name, after=after, follow=follow):
            if as_json:
                print_json(item)
                continue
            # An attempt that a stopping node hands back begins again, with its number.
            is_again = item.is_first and (item.attempt > 1 or item.seq in begun)
            begun.add(item.seq)
            if is_again:
                say(f"{one_line(item.task or '')}: attempt {item.attempt} begins again")
            print_line(log_line(json_text(item.value)))
        known = [each.name for each in await client.streams(info.id)]
        if name not in known:
            others = f"; it has {', '.join(map(one_line, known))}" if known else ""
            say(f"run {one_line(info.id)} has published nothing to stream {name!r}{others}")

    use_run(find_database(db, namespace), run, print_items)


@runs.command("delete")
def delete_runs(runs: _SomeRuns, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Delete ended runs, each with its children and everything that is stored about them."""

    async def delete(client: Holdfast) -> list[dict[str, Any]]:
        from holdfast.cli.arguments.runs import find_run

        deleted: list[dict[str, Any]] = []
        for info in [await find_run(client, run) for run in runs]:
            report = await client.delete(info.id)
            deleted.append({"id": info.id, "runs": report.runs, "rows": report.rows})
            if not as_json:
                say(f"run {info.id} is deleted" + _with_children(report.runs))
        return deleted

    deleted = use_client(find_database(db, namespace), delete)
    if as_json:
        print_json(deleted)


def _with_children(runs: int) -> str:
    return "" if runs < 2 else f", with {runs - 1:,} other run{'' if runs == 2 else 's'}"


@runs.command("prune")
def prune_runs(
    older_than: _OlderThan,
    status: _EndedStatus = None,
    workflow: _Workflow = None,
    limit: _Most = None,
    dry_run: _DryRun = False,
    background: Background = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Delete runs that ended long ago, each with its children and everything that is stored about them."""
    from holdfast.cli.views.pruning import PruneProgress
    from holdfast.client.retention import PruneReport
    from holdfast.errors import NotOverHttp

    age = _span("--older-than", older_than)
    database = find_database(db, namespace)
    if database.is_server and not (background or dry_run):
        raise NotOverHttp("`holdfast runs prune`", "with --background nodes do it, and --dry-run counts")
    if background and not dry_run:
        by = user_name("")
        job = use_client(
            database,
            lambda client: client.bulk.prune(age, status=status, workflow=workflow, limit=limit, by=by),
        )
        print_begun(job, database, as_json)
        return

    async def prune(client: Holdfast) -> PruneReport:
        if database.is_server:
            seen = await client.bulk.preview_prune(age, status=status, workflow=workflow, limit=limit)
            return PruneReport(seen.matched)
        counted = await client.prune(age, status=status, workflow=workflow, limit=limit, dry_run=True)
        if dry_run or not counted.runs:
            return counted
        progress = PruneProgress(counted.runs)
        return await client.prune(
            age, status=status, workflow=workflow, limit=limit, progress=None if as_json else progress.show
        )

    report = use_client(database, prune)
    if as_json:
        print_json({"runs": report.runs, "rows": report.rows, "dry_run": dry_run})
    elif dry_run:
        say(f"{report.runs:,} run{'' if report.runs == 1 else 's'} would be deleted")
    else:
        say(f"{report.runs:,} run{'' if report.runs == 1 else 's'} deleted, {report.rows:,} rows")
