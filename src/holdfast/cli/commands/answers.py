"""`holdfast questions`, `approve`, `resolve` and `signal`: what runs wait for, and giving it to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.database import find_database, use_client, use_run
from holdfast.cli.options import AsJson, By, Db, Namespace, RunArgument, user_name
from holdfast.cli.views.output import json_text, print_json, say
from holdfast.cli.views.tables import print_table
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.questions import QuestionInfo
    from holdfast.client.run import RunInfo

_Task = Annotated[
    str, typer.Argument(metavar="TASK", help="The task that waits; in a flow, the path of the node.")
]
_Reject = Annotated[
    bool, typer.Option("--reject", help="Answer no: the task fails; a flow takes the action `rejected`.")
]
_Value = Annotated[
    str | None,
    typer.Option("--value", metavar="JSON", help="The answer, instead of true.", show_default=False),
]
_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The signal's name; in a flow, a key of the shared state.")
]
_Payload = Annotated[
    str | None,
    typer.Argument(metavar="JSON", help="The signal's value. A flow needs one.", show_default=False),
]
_MessageId = Annotated[
    str | None,
    typer.Option(
        "--message-id",
        metavar="ID",
        help="What you call this signal: the run gets it once, however often you send it.",
        show_default=False,
    ),
]
_OfRun = Annotated[str | None, typer.Option("--run", help="Only those of this run.", show_default=False)]
_MayAnswer = Annotated[
    str | None, typer.Option("--by", help="Only those that this person may answer.", show_default=False)
]
_Limit = Annotated[int, typer.Option("--limit", min=1, max=10_000, help="How many.")]
_Promise = Annotated[
    str, typer.Argument(metavar="NAME", help="The name of the question, or # and its number.")
]
_Answer = Annotated[str | None, typer.Argument(metavar="JSON", help="The answer.", show_default=False)]
_RejectWith = Annotated[
    str | None,
    typer.Option(
        "--reject", metavar="REASON", help="Raise this in the run instead of an answer.", show_default=False
    ),
]
_Ahead = Annotated[
    bool, typer.Option("--ahead", help="Keep the answer until the run asks, if it has not asked yet.")
]
_Comment = Annotated[str, typer.Option("--comment", help="What they say about it.", show_default=False)]


def register(app: typer.Typer) -> None:
    app.command("questions")(questions)
    app.command("approve")(approve)
    app.command("resolve")(resolve)
    app.command("signal")(signal)


def questions(
    run: _OfRun = None,
    by: _MayAnswer = None,
    limit: _Limit = 100,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """List what runs ask for and nobody has answered, the oldest first."""

    async def read(client: Holdfast) -> list[QuestionInfo]:
        from holdfast.cli.arguments.runs import find_run

        id = None if run is None else (await find_run(client, run)).id
        return await client.questions(run=id, by=by, limit=limit)

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found)
        return
    if not found:
        say("no open questions")
    else:
        header = ["RUN", "#", "NAME", "FOR", "ANSWER", "QUESTION", "FACTS"]
        print_table(header, [_question_row(it) for it in found], state=1)


def _question_row(question: QuestionInfo) -> list[str]:
    schema = question.schema
    answer = schema.get("type", "JSON") if isinstance(schema, dict) else "JSON"
    facts = "" if question.facts is None else json_text(question.facts)
    whom = ", ".join(question.by or ())
    return [question.run, f"#{question.number}", question.name, whom, str(answer), question.title, facts]


def resolve(
    run: RunArgument,
    name: _Promise,
    value: _Answer = None,
    reject: _RejectWith = None,
    ahead: _Ahead = False,
    by: By = "",
    comment: _Comment = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Answer a question of a run, or refuse to with --reject."""
    from holdfast.cli.arguments.inputs import read_json

    if reject is not None and value is not None:
        raise BadOption("JSON", value, "left out with --reject")
    answer: Any = None if value is None else read_json("JSON", value)
    target = int(name[1:]) if name[:1] == "#" and name[1:].isdecimal() and len(name) < 11 else name

    async def send(client: Holdfast, info: RunInfo) -> str:
        who = user_name(by)
        if reject is None:
            await client.resolve(info.id, target, answer, by=who, comment=comment, ahead=ahead)
        else:
            await client.reject(info.id, target, reject, by=who, comment=comment, ahead=ahead)
        return info.id

    id = use_run(find_database(db, namespace), run, send)
    if as_json:
        said = {"value": answer} if reject is None else {"rejected": reject}
        print_json({"run": id, "question": name, **said})
    else:
        say(f"{'answered' if reject is None else 'rejected'} {name!r} of run {id}")


def approve(
    run: RunArgument,
    task: _Task,
    reject: _Reject = False,
    value: _Value = None,
    by: By = "",
    comment: _Comment = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Answer a task that waits for approval: yes, or no with --reject."""
    from holdfast.cli.arguments.inputs import read_json

    if reject and value is not None:
        raise BadOption("--value", value, "left out with --reject, which answers false")
    answer = read_json("--value", value) if value is not None else not reject

    async def send(client: Holdfast, info: RunInfo) -> str:
        await client.approve(info.id, task, value=answer, by=user_name(by), comment=comment)
        return info.id

    id = use_run(find_database(db, namespace), run, send)
    if as_json:
        print_json({"run": id, "task": task, "value": answer})
    else:
        told = "an answer" if value is not None else "no" if reject else "yes"
        say(f"told run {id} {told} for {task!r}")


def signal(
    run: RunArgument,
    name: _Name,
    value: _Payload = None,
    message_id: _MessageId = None,
    by: By = "",
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Send a signal to a run."""
    from holdfast.cli.arguments.inputs import read_json

    payload: Any = None if value is None else read_json("JSON", value)

    async def send(client: Holdfast, info: RunInfo) -> str:
        from holdfast.authoring.kinds import read_definition

        workflow = read_definition(await client.definition(info.id)) if value is None else None
        if workflow is not None and workflow.outline(info.input).signals_need_value:
            raise BadOption("JSON", None, "given: to a flow, null means that nothing has come yet")
        await client.signal(info.id, name, payload, by=user_name(by), message_id=message_id)
        return info.id

    id = use_run(find_database(db, namespace), run, send)
    if as_json:
        print_json({"run": id, "signal": name, "value": payload})
    else:
        say(f"sent {name!r} to run {id}")
