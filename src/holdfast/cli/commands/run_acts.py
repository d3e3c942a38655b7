"""`holdfast runs cancel`, `terminate`, `pause`, `resume`, `retry`, `try-now`: to one run, or to all that
match conditions.

Many runs are counted first. Nothing is done to them without `--yes`. Then this process does it, or with
`--background` a node.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, cast

import typer

from holdfast.cli.arguments.plans import read_span
from holdfast.cli.commands.bulk import print_begun
from holdfast.cli.database import DatabaseOptions, find_database, use_client, use_run
from holdfast.cli.options import RUN_HELP, AsJson, Background, By, Db, Namespace, user_name
from holdfast.cli.views.output import print_json, say

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.bulk_jobs import BulkJob, BulkOptions, BulkPreview
    from holdfast.client.run import RunInfo
    from holdfast.client.selection import BulkReport

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
_Fingerprint = Annotated[
    str | None,
    typer.Option(
        "--fingerprint", metavar="ID", help="All runs that failed for this cause.", show_default=False
    ),
]
_All = Annotated[
    bool, typer.Option("--all", help="Every parked run, or with --workflow every parked run of one workflow.")
]
_Timers = Annotated[
    str,
    typer.Option(
        "--timers",
        metavar="HOW",
        help="catch_up: timers that came due during a pause fire at once. wait: they come later by as much.",
    ),
]
_Yes = Annotated[
    bool, typer.Option("--yes", help="Do it to all runs that match. Otherwise they are counted.")
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count the runs that match, as without --yes.")]
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
_Deadline = Annotated[
    str | None,
    typer.Option(
        "--deadline", metavar="SPAN|none", help="A new deadline from now, such as 1h.", show_default=False
    ),
]


_Plan: TypeAlias = tuple[
    Callable[[Any, str], Awaitable[Any]], Callable[[Any], Awaitable[Any]], dict[str, Any]
]
"""What is done to one run, with the client and its id; to a selection of runs; and the options of a bulk job
that does the same."""


class _Act(NamedTuple):
    """One of the commands, and how it says what it does."""

    verb: str
    said: str
    """Of one run to which it was done."""
    name: str
    """Of the act in a bulk job."""
    opens: bool = False
    """A node may go on with the run then."""


class _Chosen(NamedTuple):
    """What the options that all of the commands have say."""

    run: str | None
    conditions: dict[str, str]
    yes: bool
    is_background: bool
    as_json: bool
    database: DatabaseOptions


def _choose(
    run: _OneRun = None,
    status: _Status = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    fingerprint: _Fingerprint = None,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    background: Background = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> _Chosen:
    if yes and dry_run:
        raise typer.BadParameter("give it or --yes, not both", param_hint="--dry-run")
    given = {"status": status, "workflow": workflow, "tag": tag, "fingerprint": fingerprint}
    conditions = {name: value for name, value in given.items() if value is not None}
    return _Chosen(run, conditions, yes, background, as_json, find_database(db, namespace))


def _command(act: _Act) -> Callable[[Callable[..., _Plan]], Callable[..., None]]:
    """Makes a command of a function that says what is done: with the options of `_choose` and its own."""

    def decorate(plan: Callable[..., _Plan]) -> Callable[..., None]:
        common = inspect.signature(_choose, eval_str=True).parameters
        run, *others = common.values()
        by, *own = inspect.signature(plan, eval_str=True).parameters.values()
        parameters = [run, *own, *others[:-3], by, *others[-3:]]

        def command(**given: Any) -> None:
            chosen = _choose(**{name: given.pop(name) for name in common})
            if chosen.run is None and given.get("task") is not None:
                raise typer.BadParameter("it is for one run, not for all that match", param_hint="--task")
            _perform(act, plan(user_name(given.pop("by")), **given), chosen)

        keyword = inspect.Parameter.KEYWORD_ONLY
        typed: Any = command
        typed.__signature__ = inspect.Signature([each.replace(kind=keyword) for each in parameters])
        typed.__annotations__ = {each.name: each.annotation for each in parameters}
        command.__name__, command.__doc__ = plan.__name__, plan.__doc__
        return command

    return decorate


def _perform(act: _Act, plan: _Plan, chosen: _Chosen) -> None:
    run, given, yes, is_background, as_json, database = chosen
    if (run is None) is not bool(given):
        raise typer.BadParameter("name one run, or give conditions such as --workflow", param_hint="RUN")
    if run is not None and is_background:
        raise typer.BadParameter("it is for all runs that match, not for one", param_hint="--background")
    if run is not None:
        info = use_run(database, run, lambda client, info: _change_one(client, info, plan[0]))
        _print_one(act, info, database, as_json=as_json)
        return
    if not yes:
        counted = use_client(database, lambda client: _preview(client, act, given))
        count = counted.matched
        if as_json:
            print_json({"matching": count})
        else:
            found = "1 run matches" if count == 1 else f"{count:,} runs match"
            say(f"{found}; give --yes to {act.verb} {'it' if count == 1 else 'them'}")
        return
    if is_background:
        print_begun(use_client(database, lambda client: _begin(client, act, plan, given)), database, as_json)
        return
    report = use_client(database, lambda client: _change_many(client, act, plan, given, is_quiet=as_json))
    if as_json:
        print_json(report)
        return
    refused = f", {report.refusals:,} refused" if report.refusals else ""
    say(f"{act.verb}: {report.done:,} done{refused}")
    for id, reason in report.refused[:20]:
        say(f"  {id}: {reason}")


async def _preview(client: Holdfast, act: _Act, given: Any) -> BulkPreview:
    return await client.bulk.preview(act.name, **given)


async def _begin(client: Holdfast, act: _Act, plan: _Plan, given: Any) -> BulkJob:
    return await client.bulk.start(act.name, cast("BulkOptions", plan[2]), **given)


async def _change_many(client: Holdfast, act: _Act, plan: _Plan, given: Any, *, is_quiet: bool) -> BulkReport:
    from holdfast.cli.views.pruning import BulkCount

    chosen = client.select(**given)
    if is_quiet:
        return await plan[1](chosen)
    counted = await _preview(client, act, given)
    return await plan[1](chosen.reporting(BulkCount(counted.matched, act.verb).show))


def _print_one(act: _Act, info: RunInfo, database: DatabaseOptions, *, as_json: bool) -> None:
    if as_json:
        print_json(info)
    elif act.opens:
        here = "" if database.is_server else f", or\n  {database.command('run', '--resume', info.id)}"
        say(f"run {info.id} {act.said}; a node that serves {info.workflow} takes it{here}")
    else:
        say(f"run {info.id} {act.said if not info.status.is_final else f'is {info.status}'}")


async def _change_one(
    client: Holdfast, run: RunInfo, change: Callable[[Any, str], Awaitable[Any]]
) -> RunInfo:
    """Returns the run as it is after the change."""
    await change(client, run.id)
    return await client.describe(run.id)


@_command(_Act("cancel", "is asked to end", "cancel"))
def cancel_runs(by: By = "", reason: _Reason = "") -> _Plan:
    """Ask a run to end. A node ends it after the run has cleaned up; a parked run ends at once."""
    return (
        lambda client, id: client.cancel(id, reason, by=by),
        lambda runs: runs.cancel(reason, by=by),
        {"reason": reason, "by": by},
    )


@_command(_Act("terminate", "is ended by its node", "terminate"))
def terminate_runs(by: By = "", reason: _Reason = "") -> _Plan:
    """End a run without asking it. Its code cannot clean up."""
    return (
        lambda client, id: client.terminate(id, reason, by=by),
        lambda runs: runs.terminate(reason, by=by),
        {"reason": reason, "by": by},
    )


@_command(_Act("pause", "is paused, or will be when its running tasks have ended", "pause"))
def pause_runs(by: By = "", note: _Note = "") -> _Plan:
    """Begin no task of a run until it is resumed. Tasks that run may end."""
    return (
        lambda client, id: client.pause(id, note, by=by),
        lambda runs: runs.pause(note, by=by),
        {"reason": note, "by": by},
    )


@_command(_Act("try", "tries again now", "try_now"))
def try_runs_now(by: By = "", task: _TaskName = None) -> _Plan:
    """End the backoffs of a run: what failed is tried again now."""
    return (lambda client, id: client.try_now(id, task, by=by), lambda runs: runs.try_now(by=by), {"by": by})


@_command(_Act("retry", "is open again", "retry", opens=True))
def retry_runs(by: By = "", deadline: _Deadline = None) -> _Plan:
    """Open a failed or cancelled run again. What failed is tried again; recorded results stay."""
    given: dict[str, Any] = {"by": by}
    if deadline is not None:
        given["deadline"] = None if deadline == "none" else read_span("--deadline", deadline)
    return (lambda client, id: client.retry(id, **given), lambda runs: runs.retry(**given), given)


_RESUME = _Act("resume", "may go on", "resume", opens=True)


def resume_runs(
    run: _OneRun = None,
    every: _All = False,
    timers: _Timers = "catch_up",
    status: _Status = None,
    workflow: _Workflow = None,
    tag: _Tag = None,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    background: Background = False,
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Let a parked or paused run go on, after its problem is repaired; with --all, every parked run."""
    by = user_name(by)
    chosen = _choose(run, status, workflow, tag, None, yes, dry_run, background, as_json, db, namespace)
    if not every:
        plan: _Plan = (
            lambda client, id: client.resume(id, timers=timers, by=by),
            lambda runs: runs.resume(timers=timers, by=by),
            {"timers": timers, "by": by},
        )
        _perform(_RESUME, plan, chosen)
        return
    if run is not None or chosen.conditions.keys() - {"workflow"}:
        raise typer.BadParameter("it goes with --workflow, and with nothing else", param_hint="--all")
    if timers != "catch_up":
        raise typer.BadParameter("it is for paused runs, and --all means parked runs", param_hint="--timers")
    resumed = use_client(chosen.database, lambda client: client.resume_all(workflow))
    if as_json:
        print_json({"resumed": resumed})
    else:
        say(f"{resumed:,} parked run{'' if resumed == 1 else 's'} may go on")


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
    runs.command("retry")(retry_runs)
    runs.command("resume")(resume_runs)
    runs.command("failures")(list_failures)
