"""`holdfast approve` and `holdfast signal`: give a run what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database_options import AsJson, Db, Namespace, ask, find_place
from holdfast.cli.views.output import print_json, say
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.app import Holdfast

_Run = Annotated[str, typer.Argument(metavar="RUN", help="Its id, or the beginning of it.")]
_Task = Annotated[
    str, typer.Argument(metavar="TASK", help="The task that asks; of a flow the path of the node.")
]
_Reject = Annotated[
    bool, typer.Option("--reject", help="Say no: the task fails; a flow goes where `rejected` leads.")
]
_Value = Annotated[
    str | None,
    typer.Option("--value", metavar="JSON", help="What to answer instead of true.", show_default=False),
]
_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The name of the signal, or a key of the state of a flow.")
]
_Payload = Annotated[
    str | None,
    typer.Argument(metavar="JSON", help="What to send with it. A flow needs it.", show_default=False),
]


def register(app: typer.Typer) -> None:
    app.command("approve")(approve)
    app.command("signal")(signal)


def approve(
    run: _Run,
    task: _Task,
    reject: _Reject = False,
    value: _Value = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Answer a task that waits for approval: yes, or no with --reject."""
    from holdfast.cli.inputs import read_json

    if reject and value is not None:
        raise BadOption("--value", value, "left out with --reject, which answers false")
    answer = read_json("--value", value) if value is not None else not reject

    async def give(client: Holdfast) -> str:
        from holdfast.cli.finding import find_run

        info = await find_run(client, run)
        await client.approve(info.id, task, value=answer)
        return info.id

    id = ask(find_place(db, namespace), give)
    if as_json:
        print_json({"run": id, "task": task, "value": answer})
    else:
        say(f"told run {id} {'no' if reject else 'yes'} for {task!r}")


def signal(
    run: _Run,
    name: _Name,
    value: _Payload = None,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Send a signal to a run."""
    from holdfast.cli.inputs import read_json

    payload: Any = None if value is None else read_json("JSON", value)

    async def send(client: Holdfast) -> str:
        from holdfast.cli.finding import find_run

        info = await find_run(client, run)
        definition = await client.definition(info.id)
        if value is None and definition is not None and definition.kind == "flow":
            raise BadOption("JSON", None, "given: to a flow, null means that nothing has come yet")
        await client.signal(info.id, name, payload)
        return info.id

    id = ask(find_place(db, namespace), send)
    if as_json:
        print_json({"run": id, "signal": name, "value": payload})
    else:
        say(f"sent {name!r} to run {id}")
