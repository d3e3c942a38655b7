"""`holdfast logs`: what the tasks of a run have said."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from holdfast.cli.database_options import AsJson, Db, Namespace, ask, find_place
from holdfast.cli.views.output import is_terminal, moment_text, print_json, print_line, stdout, task_label
from holdfast.cli.views.visible import log_line, one_line
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.logs import LogLine

_Run = Annotated[str, typer.Argument(metavar="RUN", help="Its id, or the beginning of it.")]
_Task = Annotated[
    str | None,
    typer.Argument(
        metavar="TASK", help="Only this task: extract, or one item of it: extract[3].", show_default=False
    ),
]
_Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Go on as more is said, until the run has ended.")
]


class _Wanted(NamedTuple):
    task: str | None
    item: int | None


def register(app: typer.Typer) -> None:
    app.command("logs")(logs)


def logs(
    run: _Run,
    task: _Task = None,
    follow: _Follow = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Print what the tasks of a run have said."""
    wanted = _wanted(task)

    async def read(client: Holdfast) -> None:
        from holdfast.cli.finding import find_run

        info = await find_run(client, run)
        if wanted.task is not None:
            await _check_task(client, info.id, wanted.task)
        async for line in _lines(client, info.id, wanted.task, follow=follow):
            if wanted.item is None or line.index == wanted.item:
                _print(line, as_json=as_json)

    ask(find_place(db, namespace), read)


async def _lines(client: Holdfast, run: str, task: str | None, *, follow: bool) -> AsyncIterator[LogLine]:
    if follow:
        async for line in client.follow(run, task):
            yield line
        return
    for line in await client.logs(run, task):
        yield line


def _wanted(task: str | None) -> _Wanted:
    if task is None:
        return _Wanted(None, None)
    item = re.fullmatch(r"(?P<name>.+)\[(?P<index>\d{1,9})\]", task)
    return _Wanted(task, None) if item is None else _Wanted(item["name"], int(item["index"]))


async def _check_task(client: Holdfast, run: str, task: str) -> None:
    """A slip of the pen must not look like a task that said nothing."""
    names = {each.name: None for each in await client.tasks(run)}
    if names and task not in names:
        known = ", ".join(list(names)[:10])
        raise BadOption("TASK", task, f"one that the run has asked for: {known}")


def _print(line: LogLine, *, as_json: bool) -> None:
    if as_json:
        print_json(line)
        return
    label = one_line(task_label(line.task, line.index)) + (f"#{line.attempt}" if line.attempt > 1 else "")
    text = log_line(line.text)
    if not is_terminal(sys.stdout):
        print_line(f"{moment_text(line.at)} {label} {line.stream} | {text}")
        return
    from rich.text import Text

    style = "red" if line.stream in ("stderr", "ERROR", "CRITICAL") else ""
    parts = [(moment_text(line.at), "dim"), " ", (label, "cyan"), " | ", (text, style)]
    stdout().print(Text.assemble(*parts))
