"""`holdfast keys` and `holdfast audit`: who may use the server, and what they have done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, By, Db, Namespace, user_name
from holdfast.cli.views.output import json_text, moment_text, print_json, say, write_answer
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.audit import AuditInfo
    from holdfast.client.keys import KeyInfo, NewKey

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is, or what for.")]
_Id = Annotated[str, typer.Argument(metavar="ID", help="The id of the key, as in `keys list`.")]
_Role = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="What its owner may do: viewer, operator, admin or worker.",
        show_default=False,
    ),
]
_Expires = Annotated[
    str | None,
    typer.Option("--expires", metavar="SPAN", help="How long it is good, such as 90d.", show_default=False),
]
_EverySpace = Annotated[
    bool, typer.Option("--all-namespaces", help="It is good for all namespaces, not only for this one.")
]
_AlsoEverySpace = Annotated[
    bool, typer.Option("--all-namespaces", help="Also keys that are good for all namespaces.")
]
_Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1_000, help="How many.")]
_After = Annotated[
    int | None,
    typer.Option(
        "--after", metavar="NUMBER", help="Only rows that are older than this one.", show_default=False
    ),
]
_Target = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="ID", help="Only what was done to this, such as a run.", show_default=False
    ),
]
_Action = Annotated[
    str | None,
    typer.Option("--action", metavar="NAME", help="Only this, such as runs.cancel.", show_default=False),
]

keys = typer.Typer(help="Make, list and revoke keys of those who use the server.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(keys, name="keys")
    app.command("audit")(audit)


@keys.command("create")
def create_key(
    name: _Name,
    role: _Role,
    expires: _Expires = None,
    all_namespaces: _EverySpace = False,
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Make a key and print it. Nobody can get it again."""
    from holdfast.cli.arguments.plans import read_span

    span = None if expires is None else read_span("--expires", expires)
    who = user_name(by)

    async def create(client: Holdfast) -> NewKey:
        new = await client.keys.create(name, role, expires=span, all_namespaces=all_namespaces, by=who)
        await _record(client, "keys.create", new.info, who)
        return new

    database = find_database(db, namespace)
    new = use_client(database, create, makes_file=True)
    if as_json:
        print_json(new)
        return
    info = new.info
    until = "for ever" if info.expires_at is None else f"until {moment_text(info.expires_at)}"
    where = "all namespaces" if all_namespaces else f"namespace {info.namespace}"
    say(f"key {info.id} of {info.name}: {info.role} in {where}, good {until}")
    say("keep it now: it is not shown again, and only its hash is stored")
    told = ["--all-namespaces"] if all_namespaces else []
    say(f"to take it back: {database.command('keys', 'revoke', info.id, *told)}")
    write_answer(new.text)


@keys.command("list")
def list_keys(
    all_namespaces: _AlsoEverySpace = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """List the keys, newest first, also those that have expired or are revoked."""

    async def read(client: Holdfast) -> list[KeyInfo]:
        return await client.keys.list(all_namespaces=all_namespaces)

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no keys")
    else:
        header = ["KEY", "STATE", "ROLE", "NAMESPACE", "CREATED", "EXPIRES", "USED", "NAME"]
        print_table(header, [_key_row(info) for info in found], state=1)


@keys.command("revoke")
def revoke_key(
    id: _Id,
    all_namespaces: _AlsoEverySpace = False,
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Refuse a key from now on. Servers hear of it within five seconds."""
    who = user_name(by)

    async def revoke(client: Holdfast) -> KeyInfo:
        info = await client.keys.revoke(id, all_namespaces=all_namespaces, by=who)
        await _record(client, "keys.revoke", info, who)
        return info

    info = use_client(find_database(db, namespace), revoke)
    if as_json:
        print_json(info)
    else:
        say(f"key {info.id} of {info.name} is revoked since {moment_text(info.revoked_at)}")


def audit(
    limit: _Limit = 50,
    target: _Target = None,
    action: _Action = None,
    after: _After = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """List who has done what, newest first."""

    async def read(client: Holdfast) -> list[AuditInfo]:
        return await client.audit.list(limit=limit, after=after, target=target, action=action)

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("the audit log has no such rows")
    else:
        header = ["NUMBER", "WHEN", "WHO", "ACTION", "TARGET", "BEFORE AND AFTER"]
        print_table(header, [_audit_row(info) for info in found], state=3)
        if len(found) == limit:
            say(f"there may be more: --after {found[-1].number}")


async def _record(client: Holdfast, action: str, info: KeyInfo, by: str) -> None:
    """A server does it itself."""
    from holdfast.client.audit import AuditEntry
    from holdfast.settings import is_server

    if is_server(client.settings.url):
        return
    facts = {"name": info.name, "role": info.role, "namespace": info.namespace, "state": info.state}
    await client.audit.record(AuditEntry(action=action, target=info.id, by=by, after=facts))


def _key_row(info: KeyInfo) -> list[str]:
    return [
        info.id,
        info.state,
        info.role,
        info.namespace,
        moment_text(info.created_at),
        moment_text(info.expires_at),
        moment_text(info.used_at),
        info.name,
    ]


def _audit_row(info: AuditInfo) -> list[str]:
    return [
        str(info.number),
        moment_text(info.at),
        info.by or "-",
        info.action,
        info.target,
        " -> ".join(json_text(value) for value in (info.before, info.after) if value is not None),
    ]
