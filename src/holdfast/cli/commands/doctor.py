"""`holdfast doctor`: finds runs that nothing will ever wake, and schedules that no node fires."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.alerts import AlertInfo
    from holdfast.client.namespace_reading import Stranded
    from holdfast.client.schedules import OverdueSchedule


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def _tell_progress(looked_at: int) -> None:
    if looked_at % 100_000 == 0:
        say(f"looked at {looked_at:,} unfinished runs")


def doctor(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """Find unfinished runs that nothing will wake, schedules that no node fires, and alerts that
    nobody looks for. Exit code 1 if there are any."""

    async def examine(client: Holdfast) -> list[dict[str, str]]:
        stranded = [_facts(each) for each in await client.doctor(_tell_progress)]
        alerts = [it for it in await client.alerts.list() if it.problem]
        return [*stranded, *(_alert_facts(it) for it in alerts)]

    found = use_client(find_database(db, namespace), examine)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("every run that is not finished has a reason to wake, and every due schedule is fired", "green")
    else:
        header = ["RUN, SCHEDULE OR ALERT", "WORKFLOW", "STATUS", "PROBLEM"]
        print_table(header, [list(each.values()) for each in found], state=2)
    if found:
        raise typer.Exit(ExitCode.FAILED)


def _alert_facts(info: AlertInfo) -> dict[str, str]:
    return {
        "alert": info.name,
        "workflow": info.workflow or "",
        "status": "overdue",
        "problem": info.problem,
    }


def _facts(found: Stranded | OverdueSchedule) -> dict[str, str]:
    from holdfast.client.schedules import OverdueSchedule
    from holdfast.core.values import key_text

    name, status = (
        ({"schedule": found.name}, "overdue")
        if isinstance(found, OverdueSchedule)
        else ({"run": found.id or key_text(found.run)}, found.status)
    )
    return {**name, "workflow": found.workflow, "status": status, "problem": found.problem}
