"""`holdfast alerts`: rules that say whom to tell of runs that fail, are parked, are late or wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import moment_text, print_json, print_line, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.alerts import AlertInfo, DeliveryInfo

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the rule.")]

alerts = typer.Typer(help="Put, show, test and delete rules for alerts.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(alerts, name="alerts")


@alerts.command("list")
def list_alerts(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List the rules."""

    async def read(client: Holdfast) -> list[AlertInfo]:
        return await client.alerts.list()

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json([_facts(info) for info in found], is_pretty=True)
    elif not found:
        say("no alerts")
    else:
        header = ["ALERT", "STATE", "ON", "WORKFLOW", "URL", ""]
        print_table(header, [_rule_row(info) for info in found], state=1)


@alerts.command("show")
def show_alert(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Show a rule, and its last messages."""

    async def read(client: Holdfast) -> tuple[AlertInfo, list[DeliveryInfo]]:
        return await client.alerts.get(name), await client.alerts.deliveries(name)

    info, told = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(_facts(info) | {"deliveries": told}, is_pretty=True)
        return
    from holdfast.core.names import written_span

    lines = {
        "alert": info.name,
        "url": info.url,
        "on": ", ".join(info.on),
        "workflow": info.workflow or "",
        "tags": ", ".join(info.tags),
        "late": f"after {written_span(info.late_after)}" if info.late_after else "",
        "waiting": f"after {written_span(info.waiting_after)}" if info.waiting_after else "",
        "secret": info.secret or "",
        "at most": f"{info.at_most:,} of each kind in a minute",
        "state": _state(info),
        "problem": info.problem,
        "changed": moment_text(info.changed_at),
    }
    for label, text in lines.items():
        if text:
            print_line(f"{label:<9} {text}")
    if told:
        header = ["MESSAGE", "STATE", "ABOUT", "CREATED", "ATTEMPTS", ""]
        print_table(header, [_message_row(it) for it in told], state=1)


@alerts.command("put")
def put_alert(
    name: _Name,
    url: Annotated[str, typer.Argument(metavar="URL", help="Where messages are posted.")],
    on: Annotated[
        list[str],
        typer.Option("--on", metavar="KIND", help="failed, parked, late or waiting; may be repeated."),
    ],
    workflow: Annotated[
        str | None, typer.Option("--workflow", metavar="NAME", help="Only its runs.", show_default=False)
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only runs that have all of these.", show_default=False),
    ] = None,
    late_after: Annotated[
        str | None,
        typer.Option("--late-after", metavar="SPAN", help="For late, such as 1h30m.", show_default=False),
    ] = None,
    waiting_after: Annotated[
        str | None,
        typer.Option("--waiting-after", metavar="SPAN", help="For waiting, such as 2d.", show_default=False),
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            "--secret", metavar="NAME", help="The name of the secret to sign with.", show_default=False
        ),
    ] = None,
    at_most: Annotated[
        int, typer.Option("--at-most", metavar="N", help="Messages of each kind in a minute.")
    ] = 60,
    disabled: Annotated[bool, typer.Option("--disabled", help="Send nothing for now.")] = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Add a rule, or replace it."""
    from holdfast.cli.arguments.plans import read_span

    late = None if late_after is None else read_span("--late-after", late_after)
    waiting = None if waiting_after is None else read_span("--waiting-after", waiting_after)

    async def put(client: Holdfast) -> AlertInfo:
        info = await client.alerts.put(
            name,
            url,
            on,
            workflow=workflow,
            tags=tag or (),
            late_after=late,
            waiting_after=waiting,
            secret=secret,
            at_most=at_most,
            enabled=not disabled,
        )
        await _record(client, "alerts.put", info)
        return info

    database = find_database(db, namespace)
    info = use_client(database, put, makes_file=True)
    if as_json:
        print_json(_facts(info))
    else:
        say(f"alert {info.name}: {', '.join(info.on)} to {info.url}")
        say(f"to try it: {database.command('alerts', 'test', info.name)}")


@alerts.command("delete")
def delete_alert(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Delete a rule. Messages that have not been delivered yet are given up."""

    async def delete(client: Holdfast) -> AlertInfo:
        info = await client.alerts.delete(name)
        await _record(client, "alerts.delete", info)
        return info

    info = use_client(find_database(db, namespace), delete)
    if as_json:
        print_json({"alert": info.name, "deleted": True})
    else:
        say(f"alert {info.name} is deleted")


@alerts.command("test")
def send_test(name: _Name, as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Send a message now, and wait for its delivery for ten seconds. A node has to be there. The exit code is
    1 if it is not delivered by then."""
    sent = use_client(find_database(db, namespace), lambda client: client.alerts.test(name))
    if as_json:
        print_json(sent)
    elif sent.status == "success":
        say(f"delivered: {sent.id}")
    else:
        say(f"not delivered: {sent.problem or 'no node has sent it yet'} ({sent.id} is {sent.status.value})")
    if sent.status != "success":
        raise typer.Exit(1)


async def _record(client: Holdfast, action: str, info: AlertInfo) -> None:
    """A server does it itself."""
    from holdfast.cli.options import user_name
    from holdfast.client.audit import AuditEntry
    from holdfast.settings import is_server

    if not is_server(client.settings.url):
        facts = _facts(info) if action == "alerts.put" else None
        await client.audit.record(AuditEntry(action=action, target=info.name, by=user_name(""), after=facts))


def _facts(info: AlertInfo) -> dict[str, Any]:
    """As the HTTP API has it: spans in seconds."""
    from msgspec.structs import asdict

    from holdfast.client.alert_answers import alert_answer

    return asdict(alert_answer(info))


def _state(info: AlertInfo) -> str:
    return "disabled" if not info.enabled else "overdue" if info.problem else "on"


def _rule_row(info: AlertInfo) -> list[str]:
    return [info.name, _state(info), ", ".join(info.on), info.workflow or "", info.url, info.problem]


def _message_row(told: DeliveryInfo) -> list[str]:
    return [
        told.type.removeprefix("dev.holdfast."),
        told.status.value,
        told.subject,
        moment_text(told.created_at),
        str(told.attempts),
        told.problem,
    ]
