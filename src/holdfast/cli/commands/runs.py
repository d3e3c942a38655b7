"""`holdfast runs`: list them, look at one, and what an operator does to one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database_options import AsJson, DatabaseOptions, Db, Namespace, ask, find_place
from holdfast.cli.views.output import between, moment_text, print_json, say, span_text
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run import RunInfo

_Run = Annotated[str, typer.Argument(metavar="RUN", help="Its id, or the beginning of it.")]
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
    str | None, typer.Option("--workflow", metavar="NAME", help="Only of this workflow.", show_default=False)
]
_Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most so many.")]
_Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; kept with it.", show_default=False)
]
_Full = Annotated[
    bool,
    typer.Option("--full", help="All tasks and attempts, with outputs and tracebacks as long as they are."),
]

runs = typer.Typer(help="List runs, look at one, cancel, retry or resume it.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(runs, name="runs")


@runs.command("list")
def list_runs(
    status: _Status = None,
    workflow: _Workflow = None,
    limit: _Limit = 20,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """List runs, the newest first."""

    async def read(client: Holdfast) -> list[RunInfo]:
        return await client.list(status=status, workflow=workflow, limit=limit)

    found = ask(find_place(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no runs")
    else:
        print_table(
            ["RUN", "WORKFLOW", "STATUS", "CREATED", "TOOK", ""], [_row(info) for info in found], state=2
        )


def _row(info: RunInfo) -> list[str]:
    took = between(info.started_at, info.finished_at, dt.datetime.now(dt.UTC))
    from holdfast.cli.views.wording import waits_text

    more = waits_text(info.waiting) if info.waiting else ""
    more = info.failure.summary if info.failure is not None else more
    return [
        info.id,
        info.workflow,
        info.status,
        moment_text(info.created_at),
        "-" if took is None else span_text(took),
        more,
    ]


@runs.command("show")
def show_run(
    run: _Run, full: _Full = False, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Show a run: its tasks with what they gave, attempts that did not succeed, and what it waits for."""
    from holdfast.cli.views.run_details import print_portrait, read_portrait

    place = find_place(db, namespace)
    portrait = ask(place, lambda client: read_portrait(client, run, is_whole=full or as_json))
    if as_json:
        print_json(portrait.facts(), is_pretty=True)
    else:
        print_portrait(portrait, place, is_full=full)


@runs.command("cancel")
def cancel_run(
    run: _Run, reason: _Reason = "", as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Ask a run to end. A node does so, after the run has cleaned up; one that is parked ends at once."""
    place = find_place(db, namespace)
    info = _do(place, run, lambda client, id: client.cancel(id, reason))
    if as_json:
        print_json(info)
    else:
        say(f"run {info.id} " + ("is cancelled" if info.status.is_final else "is asked to end"))


@runs.command("retry")
def retry_run(run: _Run, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Open a failed or cancelled run again: what failed is tried again, what is recorded stays."""
    place = find_place(db, namespace)
    info = _do(place, run, lambda client, id: client.retry(id))
    _tell_of_open(info, "is open again", place, as_json=as_json)


@runs.command("resume")
def resume_run(run: _Run, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Let a parked or paused run go on, after what kept it was mended."""
    place = find_place(db, namespace)
    info = _do(place, run, lambda client, id: client.resume(id))
    _tell_of_open(info, "may go on", place, as_json=as_json)


def _tell_of_open(info: RunInfo, words: str, place: DatabaseOptions, *, as_json: bool) -> None:
    if as_json:
        print_json(info)
        return
    say(f"run {info.id} {words}; a node that serves {info.workflow} takes it, or")
    say(f"  {place.command('run', '--resume', info.id)}")


def _do(place: DatabaseOptions, run: str, act: Callable[[Holdfast, str], Awaitable[Any]]) -> RunInfo:
    async def find_and_act(client: Holdfast) -> RunInfo:
        from holdfast.cli.finding import find_run

        info = await find_run(client, run)
        await act(client, info.id)
        return await client.describe(info.id)

    return ask(place, find_and_act)
