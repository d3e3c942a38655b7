"""`holdfast start`: begin a run that nodes do."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import DatabaseOptions, find_database, use_client
from holdfast.cli.exit_codes import exit_code_of_run
from holdfast.cli.options import AsJson, By, Db, Namespace, user_name
from holdfast.cli.views.output import print_json, say
from holdfast.errors import BadOption, HoldfastError, UnknownWorkflow, hint_at

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run import RunInfo

_Workflow = Annotated[
    str,
    typer.Argument(
        metavar="WORKFLOW", help="The name of a workflow or a task that a node or the store knows."
    ),
]
_Input = Annotated[
    str | None,
    typer.Option(
        "--input",
        "-i",
        metavar="JSON|@FILE|-",
        help="The inputs by name, as a JSON object, or in order, as a list.",
        show_default=False,
    ),
]
_Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="ID", help="Names the run: given twice, it is started once.", show_default=False
    ),
]
_Policy = Annotated[
    str | None,
    typer.Option(
        "--id-policy",
        metavar="POLICY",
        help="If the id is taken: return, refuse, restart_ended or replace.",
        show_default=False,
    ),
]
_Version = Annotated[
    str | None, typer.Option("--version", metavar="V", help="Default: the newest.", show_default=False)
]
_Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="May be repeated.", show_default=False),
]
_Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="For people.", show_default=False)]
_Priority = Annotated[
    int | None,
    typer.Option("--priority", metavar="0-9", help="Higher ones are taken first.", show_default=False),
]
_Delay = Annotated[
    str | None,
    typer.Option("--delay", metavar="SPAN", help="Begin after that: 90s, 1h30m.", show_default=False),
]
_Deadline = Annotated[
    str | None,
    typer.Option("--deadline", metavar="SPAN", help="Fail if it has not ended by then.", show_default=False),
]
_Wait = Annotated[
    str | None,
    typer.Option("--wait", metavar="SPAN", help="Wait for its end for so long at most.", show_default=False),
]

_MOST_KNOWN = 100


def register(app: typer.Typer) -> None:
    app.command("start")(start)


def start(
    workflow: _Workflow,
    input: _Input = None,
    id: _Id = None,
    id_policy: _Policy = None,
    version: _Version = None,
    tags: _Tags = None,
    note: _Note = "",
    priority: _Priority = None,
    delay: _Delay = None,
    deadline: _Deadline = None,
    wait: _Wait = None,
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Start a run of any workflow, by its name, and leave it to the nodes: `holdfast serve` is one.

    With --wait, its output is printed on stdout as JSON, and the exit code says how it ended, as with
    `holdfast run`; 0 if it has not ended yet.
    """
    import asyncio

    from holdfast.cli.arguments.inputs import read_arguments
    from holdfast.cli.arguments.plans import read_span
    from holdfast.core.run_options import StartKeywords, with_options

    args, kwargs = read_arguments(input)
    options = StartKeywords(id=id, version=version, tags=tags or [], note=note, by=user_name(by))
    if priority is not None:
        options["priority"] = priority
    if id_policy is not None:
        options["id_policy"] = id_policy
    if delay is not None:
        options["delay"] = read_span("--delay", delay)
    if deadline is not None:
        options["deadline"] = read_span("--deadline", deadline)
    patience = None if wait is None else read_span("--wait", wait)
    target = with_options(workflow, **options)
    database = find_database(db, namespace)

    async def begin(client: Holdfast) -> RunInfo:
        try:
            run = await client.start_with(target, args, kwargs)
        except UnknownWorkflow as error:
            raise await _unknown(workflow, error, client) from None
        if patience is not None:
            try:
                await _wait_for_end(run, patience)
            except (HoldfastError, asyncio.CancelledError):
                show = database.command("runs", "show", run.id)
                say(f"run {run.id} is started; `{show}` tells how it stands")
                raise
        info = await run.describe()
        if not info.status.is_final and not any(each.is_alive for each in await client.nodes()):
            say("no node is there to do it; `holdfast serve` and `holdfast worker` are nodes")
        return info

    info = use_client(database, begin)
    if as_json:
        print_json(info)
    else:
        _tell(info, database)
        if patience is not None and info.status == "success":
            print_json(info.output)
    if patience is not None:
        raise typer.Exit(exit_code_of_run(info.status))


async def _unknown(name: str, error: UnknownWorkflow, client: Holdfast) -> HoldfastError:
    """Says what there is, and not what this process has, which is nothing. `run` takes files and
    `module:workflow`, so people try that here, too."""
    known = [each.name for each in await client.workflows.list(limit=_MOST_KNOWN)]
    hint = hint_at(name, known) if known else "no node that has it was ever there, and none is published"
    if ":" not in name and not name.endswith((".yaml", ".yml", ".json", ".py")):
        what = (
            f"no workflow {name!r}"
            if error.version is None
            else f"no workflow {name!r} version {error.version}"
        )
        error.args = (f"{what}; {hint}",)
        return error
    return BadOption("WORKFLOW", name, f"the name of a workflow, not a file or module, as for `run`; {hint}")


async def _wait_for_end(run: Any, patience: dt.timedelta) -> None:
    from holdfast.errors import RunCancelled, RunFailed

    try:
        await run.result(patience)
    except (TimeoutError, RunFailed, RunCancelled):
        pass  # what is told is the run


def _tell(info: RunInfo, database: DatabaseOptions) -> None:
    show = database.command("runs", "show", info.id)
    if info.status.is_final:
        say(f"run {info.id} has ended: {info.status}; `{show}` tells more")
    else:
        say(f"started run {info.id}; `{show}` tells how it stands")
