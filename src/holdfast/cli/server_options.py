"""`--server` and `--key-file`, for every command that has `--db`.

Commands get them here, all at once, and do not know of them: `find_database` asks what was chosen.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any, Final, NamedTuple

import typer

Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="A server instead of a database, such as https://holdfast.example.",
        show_default=False,
    ),
]
KeyFile = Annotated[
    str | None,
    typer.Option(
        "--key-file",
        metavar="FILE",
        help="Has the key for the server. Default: the setting `key`, or the variable HOLDFAST_KEY.",
        show_default=False,
    ),
]


class ChosenServer(NamedTuple):
    url: str | None = None
    key_file: str | None = None
    command: str = ""
    """As in `holdfast runs list`."""


_chosen: ContextVar[ChosenServer] = ContextVar("the server of this command")
_NONE: Final = ChosenServer()

_ON_THE_MACHINE: Final = "run it where the database is, with --db"
NEEDS_DATABASE: Final = {
    "holdfast run": "`holdfast start` starts a run on the server",
    "holdfast dev": "it is a server itself",
    "holdfast serve": "it is a server itself",
    "holdfast worker": "it works on a database, with --db",
    "holdfast flows": "`holdfast workflows put` publishes flows on the server",
    "holdfast db": _ON_THE_MACHINE,
}
"""The commands that are refused for a server, each with what to do instead."""


def chosen_server() -> ChosenServer:
    return _chosen.get(_NONE)


def refuse_server() -> None:
    """Raises NotOverHttp if the command that runs needs the database itself."""
    from holdfast.errors import NotOverHttp

    running = chosen_server().command
    for command, advice in NEEDS_DATABASE.items():
        if f"{running} ".startswith(f"{command} "):
            raise NotOverHttp(f"`{running}`", advice)


def add_server_options(app: typer.Typer, path: str = "holdfast") -> None:
    for command in app.registered_commands:
        if command.callback is not None and "db" in inspect.signature(command.callback).parameters:
            command.callback = _with_server(command.callback, f"{path} {command.name}")
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add_server_options(group.typer_instance, f"{path} {group.name or group.typer_instance.info.name}")


def _with_server(command: Callable[..., Any], path: str) -> Callable[..., Any]:
    @functools.wraps(command)
    def call(*args: Any, server: str | None = None, key_file: str | None = None, **options: Any) -> Any:
        _chosen.set(ChosenServer(server, key_file, path))
        return command(*args, **options)

    added = {"server": Server, "key_file": KeyFile}
    known = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in added.items()
    ]
    call.__signature__ = known.replace(parameters=[*known.parameters.values(), *more])  # pyright: ignore[reportAttributeAccessIssue]
    call.__annotations__ = {**command.__annotations__, **added}
    return call
