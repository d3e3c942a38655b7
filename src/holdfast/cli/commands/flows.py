"""`holdfast flows`: publishes flows, shows their versions, and starts runs that any node may take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Limit, Namespace
from holdfast.cli.views.output import moment_text, print_json, print_line, say
from holdfast.cli.views.tables import print_table
from holdfast.errors import FlowNotFound

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.flows import FlowInfo, FlowVersionInfo

_Flow = Annotated[
    str, typer.Argument(metavar="FLOW", help="The flow's id, as `holdfast flows list` shows it.")
]
_File = Annotated[str, typer.Argument(metavar="FILE", help="A JSON or YAML file with a flow.")]
_Into = Annotated[
    str | None,
    typer.Option(
        "--flow",
        metavar="FLOW",
        help="The id of the flow to add a version to. Default: the name in the file.",
        show_default=False,
    ),
]
_Number = Annotated[
    int | None, typer.Option("--version", metavar="N", help="The number of the version.", show_default=False)
]
_Draft = Annotated[bool, typer.Option("--draft", help="Store it, but do not let it run yet.")]
_Input = Annotated[
    str | None,
    typer.Option(
        "--input",
        "-i",
        metavar="JSON|@FILE|-",
        help="The params by name, as a JSON object; @ reads a file, - stdin.",
        show_default=False,
    ),
]
_Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="The id of the run. If a run has this id already, no second one is started.",
        show_default=False,
    ),
]

flows = typer.Typer(help="Publish flows, show their versions, start runs.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(flows, name="flows")


@flows.command("list")
def list_flows(
    limit: Limit = 20, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """List flows, the newest first."""
    found, total = use_client(find_database(db, namespace), lambda client: client.flows.list(1, limit))
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no flows; `holdfast flows publish FILE` makes one")
    else:
        rows = [[flow.id, flow.name, moment_text(flow.created_at), flow.description] for flow in found]
        print_table(["FLOW", "NAME", "CREATED", ""], rows, state=-1)
        if total > len(found):
            say(f"and {total - len(found)} more")


@flows.command("publish")
def publish(
    file: _File,
    flow: _Into = None,
    version: _Number = None,
    draft: _Draft = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Publish a flow, or a new version of one. It is checked first, and never changes afterwards."""
    from holdfast.authoring.flow.loader import read_flow_file

    read, source = read_flow_file(Path(file))

    async def save(client: Holdfast) -> FlowVersionInfo:
        id = flow or await _find_or_create(client, read.name, read.description)
        save_version = client.flows.save_draft if draft else client.flows.publish
        return await save_version(id, source, version)

    info = use_client(find_database(db, namespace), save, makes_file=True)
    if as_json:
        print_json(info, is_pretty=True)
    else:
        say(f"{info.status} version {info.number} of flow {info.flow}")


async def _find_or_create(client: Holdfast, name: str, description: str) -> str:
    try:
        return (await client.flows.describe(name)).id
    except FlowNotFound:
        return (await client.flows.create(name, description)).id


@flows.command("show")
def show(
    flow: _Flow, version: _Number = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Show the versions of a flow, or the definition of one of them."""
    database = find_database(db, namespace)
    if version is not None:
        info = use_client(database, lambda client: client.flows.get(flow, version))
        if as_json:
            print_json(info, is_pretty=True)
        else:
            print_line(info.definition)
        return

    async def read(client: Holdfast) -> tuple[FlowInfo, list[FlowVersionInfo]]:
        return await client.flows.describe(flow), await client.flows.versions(flow)

    described, versions = use_client(database, read)
    if as_json:
        print_json({"flow": described, "versions": versions}, is_pretty=True)
        return
    rows = [
        [str(each.number), each.status, moment_text(each.created_at), each.hash[:12]] for each in versions
    ]
    say(f"{described.id}: {described.name}" + (f", {described.description}" if described.description else ""))
    print_table(["VERSION", "STATUS", "CREATED", "HASH"], rows, state=1)


@flows.command("compare")
def compare(
    flow: _Flow,
    before: Annotated[int, typer.Argument(metavar="BEFORE", help="The number of the old version.")],
    after: Annotated[int, typer.Argument(metavar="AFTER", help="The number of the new version.")],
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Show how two versions of a flow differ."""
    changes = use_client(
        find_database(db, namespace), lambda client: client.flows.compare(flow, before, after)
    )
    if as_json:
        print_json(changes, is_pretty=True)
    elif not changes:
        say("they do the same")
    else:
        for change in changes:
            print_line(str(change))


@flows.command("start")
def start(
    flow: _Flow,
    params: _Input = None,
    version: _Number = None,
    id: _Id = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Start a run of a published flow. Any node may take it: `holdfast serve` is one."""
    from holdfast.cli.arguments.inputs import read_named

    given: dict[str, Any] = read_named(params)

    async def begin(client: Holdfast) -> str:
        await client.flows.get(flow, version)
        return (await client.start_with(flow, (), given, id=id, version=version)).id

    run = use_client(find_database(db, namespace), begin)
    if as_json:
        print_json({"run": run, "flow": flow})
    else:
        say(f"started run {run}; `holdfast runs show {run}` tells how it stands")
