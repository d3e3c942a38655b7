"""`holdfast update`: send a run a message, and print its answer."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import find_database, use_run
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import AsJson, By, Db, Namespace, RunArgument, user_name
from holdfast.cli.views.output import print_json, say, say_error
from holdfast.errors import UpdateFailed, UpdateTimedOut, UpdateUnanswered

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run import RunInfo

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The update's name; the run has a handler of it.")]
_Argument = Annotated[
    str | None, typer.Argument(metavar="JSON", help="The argument of the handler.", show_default=False)
]
_Timeout = Annotated[
    str | None,
    typer.Option(
        "--timeout",
        metavar="SPAN",
        help="How long to wait for the answer, as in 30s. Default: until it comes.",
        show_default=False,
    ),
]
_MessageId = Annotated[
    str | None,
    typer.Option(
        "--message-id",
        metavar="ID",
        help="The update with this id happens once, however often it is sent.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    app.command("update")(update)


def update(
    run: RunArgument,
    name: _Name,
    value: _Argument = None,
    timeout: _Timeout = None,
    message_id: _MessageId = None,
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Send an update to a run, and print the answer."""
    from holdfast.cli.arguments.inputs import read_json
    from holdfast.cli.arguments.plans import read_span

    args: list[Any] = [] if value is None else [read_json("JSON", value)]
    limit = None if timeout is None else read_span("--timeout", timeout)
    uid = secrets.token_hex(8) if message_id is None else message_id

    async def send(client: Holdfast, info: RunInfo) -> tuple[str, Any]:
        answer = await client.update(info.id, name, *args, timeout=limit, by=user_name(by), message_id=uid)
        return info.id, answer

    try:
        id, answer = use_run(find_database(db, namespace), run, send)
    except UpdateTimedOut as error:
        say_error(f"run {error.id!r} has not answered update {name!r} in time; it may still happen")
        say(f"to get the answer, send it again with --message-id {uid}")
        raise typer.Exit(ExitCode.FAILED) from None
    except (UpdateFailed, UpdateUnanswered) as error:
        named = error.type_name.rpartition(":")[2] + ": " if isinstance(error, UpdateFailed) else ""
        say_error(f"{named}{error}")
        raise typer.Exit(ExitCode.FAILED) from None
    if as_json:
        print_json({"run": id, "update": name, "message_id": uid, "answer": answer})
    else:
        print_json(answer)
