"""`holdfast runs cancel`, `terminate`, `pause`, `try-now`: to one run, or to all that match conditions.

Many runs are counted first. Nothing is done to them without `--yes`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import DatabaseOptions, find_database, use_client
from holdfast.cli.options import RUN_HELP, AsJson, Db, Namespace
from holdfast.cli.views.output import print_json, say

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run import RunInfo
    from holdfast.client.selection import BulkReport, RunSelection

_OneRun = Annotated[str | None, typer.Argument(metavar="RUN", help=RUN_HELP, show_default=False)]
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
_Yes = Annotated[
    bool, typer.Option("--yes", help="Do it to all runs that match. Otherwise they are counted.")
]
_By = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who does it. Default: the user.", show_default=False)
]
_Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; stored with the run.", show_default=False)
]
_Note = Annotated[
    str, typer.Option("--note", metavar="TEXT", help="Why; shown while it is paused.", show_default=False)
]
_TaskName = Annotated[
    str | None,
    typer.Option("--task", metavar="NAME|NUMBER", help="Only this task of the run.", show_default=False),
]


class _Act:
    """One of the commands: what it does to one run and to many, and how it says so."""

    def __init__(
        self,
        verb: str,
        said: str,
        one: Callable[[Holdfast, str], Awaitable[Any]],
        many: Callable[[RunSelection], Awaitable[BulkReport]],
    ) -> None:
        self.verb, self.said, self.one, self.many = verb, said, one, many


def _perform(
    act: _Act,
    run: str | None,
    conditions: dict[str, str | None],
    *,
    yes: bool,
    as_json: bool,
    database: DatabaseOptions,
) -> None:
    given: Any = {name: value for name, value in conditions.items() if value is not None}
    if (run is None) is not bool(given):
        raise typer.BadParameter("name one run, or give conditions such as --workflow", param_hint="RUN")
    if run is not None:
        info = _change_one(database, run, act)
        if as_json:
            print_json(info)
        else:
            say(f"run {info.id} {act.said if not info.status.is_final else f'is {info.status}'}")
        return
    if not yes:
        count = use_client(database, lambda client: client.select(**given).count())
        if as_json:
            print_json({"matching": count})
        else:
            say(f"{count:,} run{'' if count == 1 else 's'} match; give --yes to {act.verb} them")
        return
    report = use_client(database, lambda client: act.many(client.select(**given)))
    if as_json:
        print_json(report)
        return
    refused = f", {report.refusals:,} refused" if report.refusals else ""
    say(f"{act.verb}: {report.done:,} done{refused}")
    for id, reason in report.refused[:20]:
        say(f"  {id}: {reason}")


def _change_one(database: DatabaseOptions, run: str, act: _Act) -> RunInfo:
    """Returns the run as it is after the change."""

    async def find_and_change(client: Holdfast) -> RunInfo:
        from holdfast.cli.arguments.runs import find_run

        info = await find_run(client, run)
        await act.one(client, info.id)
        return await client.describe(info.id)

    return use_client(database, find_and_change)


def user_name(given: str) -> str:
    """Who uses the command, if they do not say it."""
    from holdfast.settings import own_environment

    return given or own_environment().get("USER", "")


def cancel_runs(
    run: _OneRun = None,
    reason: _Reason = "",
    status: _Status = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    yes: _Yes = False,
    by: _By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Ask a run to end. A node ends it after the run has cleaned up; a parked run ends at once."""
    by = user_name(by)
    act = _Act(
        "cancel",
        "is asked to end",
        lambda client, id: client.cancel(id, reason, by=by),
        lambda runs: runs.cancel(reason, by=by),
    )
    conditions = {"status": status, "workflow": workflow, "tag": tag}
    _perform(act, run, conditions, yes=yes, as_json=as_json, database=find_database(db, namespace))


def terminate_runs(
    run: _OneRun = None,
    reason: _Reason = "",
    status: _Status = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    yes: _Yes = False,
    by: _By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """End a run without asking it. Its code cannot clean up."""
    by = user_name(by)
    act = _Act(
        "terminate",
        "is ended by its node",
        lambda client, id: client.terminate(id, reason, by=by),
        lambda runs: runs.terminate(reason, by=by),
    )
    conditions = {"status": status, "workflow": workflow, "tag": tag}
    _perform(act, run, conditions, yes=yes, as_json=as_json, database=find_database(db, namespace))


def pause_runs(
    run: _OneRun = None,
    note: _Note = "",
    status: _Status = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    yes: _Yes = False,
    by: _By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Begin no task of a run until it is resumed. Tasks that run may end."""
    by = user_name(by)
    act = _Act(
        "pause",
        "is paused, or will be when its running tasks have ended",
        lambda client, id: client.pause(id, note, by=by),
        lambda runs: runs.pause(note, by=by),
    )
    conditions = {"status": status, "workflow": workflow, "tag": tag}
    _perform(act, run, conditions, yes=yes, as_json=as_json, database=find_database(db, namespace))


def try_runs_now(
    run: _OneRun = None,
    task: _TaskName = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    yes: _Yes = False,
    by: _By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """End the backoffs of a run: what failed is tried again now."""
    by = user_name(by)
    act = _Act(
        "try",
        "tries again now",
        lambda client, id: client.try_now(id, task, by=by),
        lambda runs: runs.try_now(by=by),
    )
    conditions = {"workflow": workflow, "tag": tag}
    _perform(act, run, conditions, yes=yes, as_json=as_json, database=find_database(db, namespace))


def list_failures(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List the causes of failures, the most frequent first."""
    from holdfast.cli.views.output import moment_text
    from holdfast.cli.views.tables import print_table

    found = use_client(find_database(db, namespace), lambda client: client.failures())
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no failures")
    else:
        header = ["FINGERPRINT", "RUNS", "WORKFLOW", "LAST", "WHERE", ""]
        rows = [
            [it.fingerprint, f"{it.count:,}", it.workflow, moment_text(it.last_at), it.place, it.summary]
            for it in found
        ]
        print_table(header, rows, state=0)


def register(runs: typer.Typer) -> None:
    runs.command("cancel")(cancel_runs)
    runs.command("terminate")(terminate_runs)
    runs.command("pause")(pause_runs)
    runs.command("try-now")(try_runs_now)
    runs.command("failures")(list_failures)
