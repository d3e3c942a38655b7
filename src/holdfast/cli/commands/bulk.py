"""`holdfast bulk`: the jobs that nodes do in the background, begun with `--background`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import DatabaseOptions, find_database, use_client
from holdfast.cli.options import AsJson, By, Db, Limit, Namespace, user_name
from holdfast.cli.views.output import moment_text, print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.bulk_jobs import BulkJob, FailuresPage, JobsPage

bulk = typer.Typer(help="Jobs that do something to many runs, in the background.", no_args_is_help=True)

_Job = Annotated[str, typer.Argument(metavar="JOB", help="The id of the job.")]
_Follow = Annotated[bool, typer.Option("--follow", help="Print the progress until the job has ended.")]
_Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.", show_default=False)]
_LOOK_SECONDS = 1.0


def register(app: typer.Typer) -> None:
    app.add_typer(bulk, name="bulk")


def print_begun(job: BulkJob, database: DatabaseOptions, as_json: bool) -> None:
    if as_json:
        print_json(job)
    else:
        say(f"bulk job {job.id}: {job.act}; a node does it")
        say(f"  {database.command('bulk', 'show', job.id, '--follow')}")


@bulk.command("list")
def list_jobs(limit: Limit = 20, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List jobs, newest first."""

    async def read(client: Holdfast) -> JobsPage:
        return await client.bulk.list(limit=limit)

    jobs = use_client(find_database(db, namespace), read).items
    if as_json:
        print_json(jobs, is_pretty=True)
    elif not jobs:
        say("no bulk jobs")
    else:
        header = ["ID", "ACT", "STATUS", "CREATED", "BY", "PROGRESS"]
        rows = [
            [job.id, job.act, job.status.value, moment_text(job.created_at), job.by or "-", _progress(job)]
            for job in jobs
        ]
        print_table(header, rows, state=2)


@bulk.command("show")
def show_job(
    job: _Job, follow: _Follow = False, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Show how far a job is, and what refused it."""

    async def read(client: Holdfast) -> tuple[BulkJob, FailuresPage]:
        import asyncio

        found = await client.bulk.get(job)
        while follow and not found.status.is_final:
            if not as_json:
                say(_progress(found))
            await asyncio.sleep(_LOOK_SECONDS)
            found = await client.bulk.get(job)
        return found, await client.bulk.failures(job, limit=20)

    found, failures = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
        return
    problem = f"; {found.problem}" if found.problem else ""
    say(f"{found.act} is {found.status.value}: {_progress(found)}{problem}")
    for each in failures.items:
        say(f"  {each.run}: {each.message}")
    if failures.next is not None:
        say("  … and more: --limit of `holdfast bulk failures`")


@bulk.command("failures")
def list_failures(
    job: _Job, limit: Limit = 100, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """List the runs to which it was not done, and why."""

    async def read(client: Holdfast) -> FailuresPage:
        return await client.bulk.failures(job, limit=limit)

    found = use_client(find_database(db, namespace), read).items
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no failures")
    else:
        print_table(["RUN", "CODE", ""], [[each.run, each.code, each.message] for each in found])


@bulk.command("cancel")
def cancel_job(
    job: _Job,
    reason: _Reason = "",
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Stop a job after the page of runs that it is at. What is done stays done."""

    async def cancel(client: Holdfast) -> BulkJob:
        return await client.bulk.cancel(job, reason, by=user_name(by))

    found = use_client(find_database(db, namespace), cancel)
    if as_json:
        print_json(found)
    else:
        say(f"bulk job {found.id} is asked to stop: {_progress(found)}")


def _progress(job: BulkJob) -> str:
    if job.matched is None:
        return "not begun"
    handled = job.done + job.failed + job.skipped
    more = "" if job.is_exact else "+"
    text = f"{handled:,} of {job.matched:,}{more} runs"
    if job.failed or job.skipped:
        text += f", {job.failed:,} failed, {job.skipped:,} skipped"
    if job.rows:
        text += f", {job.rows:,} rows deleted"
    if job.per_second is not None:
        text += f", {job.per_second:,.0f}/s"
    return text if job.ends_at is None else f"{text}, until {moment_text(job.ends_at)}"
