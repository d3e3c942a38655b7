"""`holdfast workflows`: shows, compares, publishes and deletes the workflows that the database knows."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from holdfast.cli.arguments.documents import STDIN
from holdfast.cli.commands.graph import print_drawing
from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Limit, Namespace
from holdfast.cli.views.output import json_text, moment_text, print_json, print_line, say
from holdfast.cli.views.tables import print_table
from holdfast.errors import BadDocument

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The workflow, as `workflows list` shows it.")]
_Version = Annotated[
    str | None,
    typer.Option("--version", metavar="VERSION", help="Default: the newest.", show_default=False),
]
_Kind = Annotated[
    str | None,
    typer.Option("--kind", metavar="KIND", help="code, dag, flow or task.", show_default=False),
]

workflows = typer.Typer(help="Show, publish and delete workflows of all kinds.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(workflows, name="workflows")


@workflows.command("list")
def list_workflows(
    kind: _Kind = None,
    limit: Limit = 100,
    after: Annotated[
        str,
        typer.Option("--after", metavar="NAME", help="The last name of the page before.", show_default=False),
    ] = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """List workflows in the order of their names."""
    found = use_client(
        find_database(db, namespace),
        lambda client: client.workflows.list(kind=kind, limit=limit, after=after),
    )
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no workflows; nodes register theirs, and `holdfast workflows put FILE` publishes one")
    else:
        rows = [
            [
                each.name,
                each.kind,
                each.version,
                "yes" if each.is_published else "no",
                str(each.versions),
                moment_text(each.seen_at),
            ]
            for each in found
        ]
        print_table(["WORKFLOW", "KIND", "NEWEST", "PUBLISHED", "VERSIONS", "SEEN"], rows, state=-1)
        if len(found) == limit:
            say(f"there may be more: --after {found[-1].name}")


@workflows.command("show")
def show(
    name: _Name, version: _Version = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Print the definition: the text of a DAG or a flow, or the source of code."""
    info = use_client(find_database(db, namespace), lambda client: client.workflows.get(name, version))
    if as_json:
        print_json(info, is_pretty=True)
        return
    where = f", from {info.origin}" if info.origin else ", published" if info.is_published else ""
    say(f"{info.name} version {info.version}, {info.kind}{where}")
    for each in info.updates:
        said = f": {each.description}" if each.description else ""
        say(f"update {each.name}({', '.join(each.parameters)}){said}")
    print_line(info.definition)


@workflows.command("put")
def put(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A YAML or JSON file, or - for standard input."),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Default: the name in the text or of the file.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Publish a DAG or a flow, or a new version of it. Any node can run it. It is checked first."""
    from holdfast.authoring.documents.file_text import decode_text, read_text

    if file == STDIN:
        text, place = decode_text(sys.stdin.buffer.read(), "stdin", BadDocument), "<stdin>"
    else:
        text, place = read_text(file, BadDocument), file
    info = use_client(
        find_database(db, namespace),
        lambda client: client.workflows.put(text, name=name, file=place),
        makes_file=True,
    )
    if as_json:
        print_json(info, is_pretty=True)
        return
    news = "published" if info.is_new else "nothing new: this is"
    say(f"{news} version {info.version} of {info.kind} {info.name}")
    if info.schedule is not None:
        say(f"schedule {info.schedule.name} fires next at {moment_text(info.schedule.next_at)}")


@workflows.command("versions")
def versions(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List the versions of a workflow, the newest first."""
    found = use_client(find_database(db, namespace), lambda client: client.workflows.versions(name))
    if as_json:
        print_json(found, is_pretty=True)
        return
    rows = [
        [each.version, each.kind, each.hash[:12], moment_text(each.created_at), each.origin or "published"]
        for each in found
    ]
    print_table(["VERSION", "KIND", "HASH", "CREATED", "FROM"], rows, state=-1)


@workflows.command("diff")
def diff(
    name: _Name,
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The old version.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The new version.")],
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Show how two versions of a workflow differ."""
    found = use_client(
        find_database(db, namespace), lambda client: client.workflows.diff(name, before, after)
    )
    if as_json:
        print_json(found, is_pretty=True)
    elif not found.text:
        say("they are the same")
    else:
        print_line(found.text.removesuffix("\n"))


@workflows.command("schema")
def schema(
    name: _Name, version: _Version = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Print the JSON Schema of its input."""
    found = use_client(
        find_database(db, namespace), lambda client: client.workflows.input_schema(name, version)
    )
    if found is None and not as_json:
        say("its input is not known: an older release has registered it, or a type cannot be described")
        return
    print_line(json_text(found, is_pretty=True))


@workflows.command("graph")
def graph(
    name: _Name, version: _Version = None, as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Draw a DAG or a flow. With --json, print its nodes and edges, and where they are in a drawing."""
    found: Any = use_client(
        find_database(db, namespace), lambda client: client.workflows.graph(name, version)
    )
    if as_json:
        print_json(found, is_pretty=True)
    else:
        print_drawing(found.graph)


@workflows.command("delete")
def delete(
    name: _Name,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Also if runs of it have not ended: they go on. Its schedules are deleted."
        ),
    ] = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Delete all versions of a workflow: nobody can start it by name any more.

    Refused while runs of it have not ended, or schedules start it. What a node still has comes back when the
    node starts the next time.
    """
    found = use_client(
        find_database(db, namespace), lambda client: client.workflows.delete(name, force=force)
    )
    if as_json:
        print_json(found, is_pretty=True)
        return
    say(f"deleted {found.versions} version{'' if found.versions == 1 else 's'} of {found.name}")
    if found.schedules:
        say(f"deleted schedules: {', '.join(found.schedules)}")
    if found.open_runs:
        say(f"{found.open_runs:,} of its runs have not ended, and go on")
    if found.may_come_back:
        say("a node that still has it registers it again when it starts")
