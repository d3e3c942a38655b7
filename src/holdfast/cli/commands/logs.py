"""`holdfast logs`: prints what a run wrote: the code of its workflow and its tasks."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from holdfast.cli.database import find_database, use_run
from holdfast.cli.options import AsJson, Db, Namespace, RunArgument
from holdfast.cli.views.output import is_terminal, log_label, moment_text, print_json, print_line, say, stdout
from holdfast.cli.views.visible import log_line, one_line
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.logs import LogLine
    from holdfast.client.run import RunInfo

_Task = Annotated[
    str | None,
    typer.Argument(
        metavar="TASK", help="Only this task: extract, or one item of it: extract[3].", show_default=False
    ),
]
_Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Keep printing new lines until the run has ended.")
]


class _LogFilter(NamedTuple):
    task: str | None
    item: int | None


def register(app: typer.Typer) -> None:
    app.command("logs")(logs)


def logs(
    run: RunArgument,
    task: _Task = None,
    follow: _Follow = False,
    as_json: AsJson = False,
    db: Db = None,
    namespace: Namespace = None,
) -> None:
    """Print what a run wrote: the code of its workflow and its tasks."""
    wanted = _read_filter(task)

    async def print_lines(client: Holdfast, info: RunInfo) -> None:
        if wanted.task is not None:
            await _check_task(client, info.id, wanted.task)
        is_silent = True
        async for line in _lines(client, info.id, wanted.task, follow=follow):
            if wanted.item is None or line.index == wanted.item:
                _print(line, as_json=as_json)
                is_silent = False
        if is_silent and not as_json:
            what = f"run {info.id}" if task is None else f"task {task} of run {info.id}"
            say(f"{what} has written nothing{'' if info.status.is_final or follow else ' so far'}")

    use_run(find_database(db, namespace), run, print_lines)


async def _lines(client: Holdfast, run: str, task: str | None, *, follow: bool) -> AsyncIterator[LogLine]:
    if follow:
        async for line in client.follow(run, task):
            yield line
        return
    for line in await client.logs(run, task):
        yield line


def _read_filter(task: str | None) -> _LogFilter:
    if task is None:
        return _LogFilter(None, None)
    item = re.fullmatch(r"(?P<name>.+)\[(?P<index>\d{1,9})\]", task)
    return _LogFilter(task, None) if item is None else _LogFilter(item["name"], int(item["index"]))


async def _check_task(client: Holdfast, run: str, task: str) -> None:
    """Refuses an unknown name: a typing error must not look like a task that wrote nothing."""
    names = {each.name: None for each in await client.tasks(run)}
    if names and task not in names:
        known = ", ".join(list(names)[:10])
        raise BadOption("TASK", task, f"one that the run has asked for: {known}")


def _print(line: LogLine, *, as_json: bool) -> None:
    if as_json:
        print_json(line)
        return
    label = one_line(log_label(line.task, line.index)) + (f"#{line.attempt}" if line.attempt > 1 else "")
    text = log_line(line.text)
    if not is_terminal(sys.stdout):
        print_line(f"{moment_text(line.at)} {label} {line.stream} | {text}")
        return
    from rich.text import Text

    style = "red" if line.stream in ("stderr", "ERROR", "CRITICAL") else ""
    parts = [(moment_text(line.at), "dim"), " ", (label, "cyan"), " | ", (text, style)]
    stdout().print(Text.assemble(*parts))
