"""`holdfast schedules`: stores schedules, shows them, and previews when they fire."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import json_text, moment_text, print_json, print_line, say
from holdfast.cli.views.tables import print_table
from holdfast.cli.views.visible import one_line
from holdfast.errors import Refused

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.schedule_ticks import BackfillPreview
    from holdfast.client.schedules import CatchUpPreview, ScheduleInfo, UpcomingRun

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the schedule.")]
_Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="Where the workflow is: a YAML file, module:workflow or file.py:workflow. "
        "Not needed for a schedule from a YAML file.",
        show_default=False,
    ),
]
_Count = Annotated[int, typer.Option("--count", "-n", metavar="N", help="How many ticks to show.")]

schedules = typer.Typer(help="Put, show, pause, trigger and backfill schedules.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(schedules, name="schedules")


@schedules.command("list")
def list_schedules(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List the schedules."""

    async def read(client: Holdfast) -> list[ScheduleInfo]:
        return await client.schedules.list()

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json([_facts(info) for info in found], is_pretty=True)
    elif not found:
        say("no schedules")
    else:
        header = ["SCHEDULE", "WORKFLOW", "STATE", "WHEN", "NEXT", ""]
        print_table(header, [_row(info) for info in found], state=2)


def _row(info: ScheduleInfo) -> list[str]:
    notes = [f"{len(info.queued)} in the queue"] if info.queued else []
    notes += [f"{info.skipped:,} skipped"] if info.skipped else []
    return [
        info.name,
        info.workflow,
        _state(info),
        _when(info),
        moment_text(info.next_at),
        ", ".join(notes + ([info.problem] if info.problem else [])),
    ]


def _state(info: ScheduleInfo) -> str:
    if info.is_paused:
        return "paused"
    return "overdue" if info.problem else "running" if info.is_active else "waiting"


def _when(info: ScheduleInfo) -> str:
    from holdfast.core.names import written_span
    from holdfast.core.timetable import Cron

    timetable = info.plan.timetable
    if isinstance(timetable, Cron):
        return f"{timetable.expression} {timetable.timezone}"
    return f"every {written_span(timetable.interval)}"


def _facts(info: ScheduleInfo) -> dict[str, Any]:
    import msgspec

    facts: dict[str, Any] = msgspec.to_builtins(info, builtin_types=(dt.datetime, dt.timedelta))
    facts["words"] = info.words
    plan: dict[str, Any] = facts["plan"]
    plan["jitter"] = info.plan.jitter.total_seconds()
    if "interval" in plan["timetable"]:
        plan["timetable"]["interval"] = plan["timetable"]["interval"].total_seconds()
    return facts


@schedules.command("show")
def show_schedule(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Show a schedule: its input, its plan, its last run, how many ticks were skipped and why."""
    info = use_client(find_database(db, namespace), lambda client: client.schedules.get(name))
    if as_json:
        print_json(_facts(info), is_pretty=True)
        return
    from holdfast.core.names import written_span
    from holdfast.core.values import moment

    plan = info.plan
    catchup = f"{plan.catchup.mode}" + (
        f" (at most {plan.catchup.most})" if plan.catchup.mode == "all" else ""
    )
    lines = {
        "schedule": info.name,
        "workflow": info.workflow,
        "input": json_text(info.input) if info.input else "",
        "when": _when(info),
        "in words": info.words,
        "start": moment_text(moment(plan.start)) if plan.start is not None else "",
        "end": moment_text(moment(plan.end)) if plan.end is not None else "",
        "jitter": written_span(plan.jitter) if plan.jitter else "",
        "overlap": str(plan.overlap),
        "catch-up": catchup,
        "state": "paused" if info.is_paused else "overdue" if info.problem else "on",
        "problem": info.problem or "",
        "next": moment_text(info.next_at),
        "last run": (info.last_run or "") + (" (not ended)" if info.is_active else ""),
        "queue": ", ".join(map(moment_text, info.queued)),
        "skipped": f"{info.skipped:,}; {info.skip_note}" if info.skipped else "",
        "file": info.origin,
    }
    for label, text in lines.items():
        if text:
            print_line(f"{label:<9} {one_line(text, None)}")


@schedules.command("put")
def put_schedule(
    name: _Name,
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A YAML file, module:workflow or file.py:workflow.")
    ],
    cron: Annotated[
        str | None,
        typer.Option("--cron", metavar="EXPRESSION", help="Such as '0 2 * * *'.", show_default=False),
    ] = None,
    every: Annotated[
        str | None, typer.Option("--every", metavar="SPAN", help="Such as 90s or 1h30m.", show_default=False)
    ] = None,
    timezone: Annotated[str, typer.Option("--timezone", metavar="ZONE", help="The zone of --cron.")] = "UTC",
    input: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="JSON|@FILE|-",
            help="The inputs of the runs. {tick} and {date} in a text are replaced by the tick.",
            show_default=False,
        ),
    ] = None,
    jitter: Annotated[
        str | None,
        typer.Option(
            "--jitter", metavar="SPAN", help="Delay each run by a random time up to this.", show_default=False
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(
            "--version",
            metavar="VERSION",
            help="Start this version only. Otherwise the schedule follows the newest.",
            show_default=False,
        ),
    ] = None,
    overlap: Annotated[
        str,
        typer.Option("--overlap", help="If a run is still active: skip, allow, queue or cancel_previous."),
    ] = "skip",
    catchup: Annotated[
        str, typer.Option("--catchup", help="Ticks missed in an outage: none, last, all, or all:N.")
    ] = "last",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Add a schedule, or change the one with this name. A node that serves the workflow fires it."""
    from holdfast.cli.arguments.inputs import read_named
    from holdfast.cli.arguments.plans import PlanOptions, read_all, read_plan
    from holdfast.cli.arguments.targets import load_target

    plan, inputs, workflow = read_all(
        lambda: read_plan(PlanOptions(cron, every, timezone, jitter, overlap, catchup)),
        lambda: read_named(input),
        lambda: load_target(target),
    )
    info = use_client(
        find_database(db, namespace),
        lambda client: client.schedules.put_plan(name, workflow, plan, inputs, version=version),
        makes_file=True,
    )
    _print_state(info, as_json=as_json)


@schedules.command("pause")
def pause_schedule(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Start no more runs. Ticks during the pause are not caught up."""
    info = use_client(find_database(db, namespace), lambda client: client.schedules.pause(name))
    _print_state(info, as_json=as_json)


@schedules.command("resume")
def resume_schedule(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Start runs again after a pause."""
    info = use_client(find_database(db, namespace), lambda client: client.schedules.resume(name))
    _print_state(info, as_json=as_json)


def _print_state(info: ScheduleInfo, *, as_json: bool) -> None:
    """Prints the state of a schedule after a change."""
    if as_json:
        print_json(_facts(info))
    elif info.is_paused:
        say(f"schedule {info.name} is paused")
    elif info.next_at is None:
        say(f"schedule {info.name} fires no more: its end is past")
    else:
        say(f"schedule {info.name} fires next at {moment_text(info.next_at)}")


@schedules.command("delete")
def delete_schedule(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Remove a schedule. Runs that it started go on."""
    use_client(find_database(db, namespace), lambda client: client.schedules.delete(name))
    if as_json:
        print_json({"schedule": name, "deleted": True})
    else:
        say(f"schedule {name} is deleted")


@schedules.command("trigger")
def trigger_schedule(
    name: _Name, target: _Target = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Start a run now, independent of the plan. A node that serves the workflow takes it."""

    async def trigger(client: Holdfast) -> str:
        await _load(client, name, target)
        return (await client.schedules.trigger(name)).id

    database = find_database(db, namespace)
    id = use_client(database, trigger)
    if as_json:
        print_json({"schedule": name, "run": id})
        return
    print_line(one_line(id, None))
    here = "" if database.is_server else f", or\n  {database.command('run', '--resume', id)}"
    say(f"started; a node that serves it takes it{here}")


@schedules.command("backfill")
def backfill_schedule(
    name: _Name,
    begin: Annotated[
        str, typer.Option("--from", metavar="TIME", help="The beginning of the range, inclusive.")
    ],
    end: Annotated[str, typer.Option("--to", metavar="TIME", help="The end of the range, exclusive.")],
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="Refuse if the range has more ticks.")
    ] = 1000,
    target: _Target = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be started, and start nothing.")
    ] = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Start a run for every tick in a past range. Runs that exist already are not started again."""
    from holdfast.cli.arguments.plans import read_range

    first, last = read_range(begin, end)
    if dry_run:
        preview = use_client(
            find_database(db, namespace),
            lambda client: client.schedules.preview_backfill(name, first, last, limit=limit),
        )
        _print_backfill(preview, as_json=as_json)
        return

    async def backfill(client: Holdfast) -> list[str]:
        await _load(client, name, target)
        return [run.id for run in await client.schedules.backfill(name, first, last, limit=limit)]

    ids = use_client(find_database(db, namespace), backfill)
    for id in ids:
        if as_json:
            print_json({"schedule": name, "run": id})
        else:
            print_line(one_line(id, None))
    if not as_json:
        say(f"{len(ids):,} runs; nodes that serve the workflow take them")


def _print_backfill(preview: BackfillPreview, *, as_json: bool) -> None:
    if as_json:
        print_json(preview, is_pretty=True)
        return
    for tick in preview.first:
        print_line(one_line(tick.run, None) + (" (exists)" if tick.exists else ""))
    more = preview.ticks - len(preview.first)
    shown = f"{more:,} more; " if more else ""
    say(f"{shown}{preview.new:,} of {preview.ticks:,} runs would be started")


@schedules.command("preview")
def preview_schedule(
    name: _Name,
    count: _Count = 10,
    outage: Annotated[
        str | None,
        typer.Option(
            "--outage",
            metavar="SPAN",
            help="Show instead what would be caught up after no node ran for this long, such as 6h.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Show when a schedule fires next, or what is caught up after an outage."""
    database = find_database(db, namespace)
    if outage is not None:
        from holdfast.cli.arguments.plans import read_span

        span = read_span("--outage", outage)
        now = dt.datetime.now(dt.UTC)
        preview = use_client(database, lambda client: client.schedules.preview_outage(name, now, now + span))
        _print_catch_up(preview, as_json=as_json)
        return
    upcoming = use_client(database, lambda client: client.schedules.preview(name, count))
    if as_json:
        print_json(upcoming, is_pretty=True)
    else:
        for run in upcoming:
            print_line(_upcoming_text(run))


def _upcoming_text(run: UpcomingRun) -> str:
    later = "" if run.at == run.tick else f" (fires at {moment_text(run.at)})"
    return f"{moment_text(run.tick)}  {run.run_id}{later}"


def _print_catch_up(preview: CatchUpPreview, *, as_json: bool) -> None:
    if as_json:
        print_json(preview, is_pretty=True)
        return
    for id in preview.started:
        print_line(one_line(id, None))
    say(f"{len(preview.started):,} would be started, {preview.skipped:,} skipped")


async def _load(client: Holdfast, name: str, target: str | None) -> None:
    """Loads the workflow of the schedule, so that a run of it can be started here. A server has it."""
    from holdfast.cli.arguments.targets import load_target
    from holdfast.settings import is_server

    if is_server(client.settings.url):
        return
    info = await client.schedules.get(name)
    text = target or info.origin
    if not text:
        raise Refused(f"it is not known here in which file {info.workflow!r} is; give it as --target")
    load_target(text)
