"""Options and arguments that several commands have in common."""

from __future__ import annotations

from typing import Annotated

import typer

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL|FILE",
        help="The database: a URL, or the path of an SQLite file. "
        "Default: the setting `url`, or .holdfast/holdfast.db in the project.",
        show_default=False,
    ),
]
Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", help="The tenant.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
RUN_HELP = "The run's id, or the beginning of it."
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help=RUN_HELP)]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Show at most this many.")]
By = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who does it. Default: the user.", show_default=False)
]
Background = Annotated[
    bool, typer.Option("--background", help="Have nodes do it as a bulk job, and print the id of the job.")
]
LogFormat = Annotated[
    str | None,
    typer.Option(
        "--log-format",
        metavar="FORMAT",
        help="How log records are written to stderr: text, or json for one object a line. "
        "Default: the setting log_format.",
        show_default=False,
    ),
]


def user_name(given: str) -> str:
    """Who uses the command, if they do not say it. Who has a key is known by its name."""
    from holdfast.cli.server_options import chosen_server
    from holdfast.settings import is_server, own_environment, read_settings

    settings, server = read_settings({}), chosen_server()
    has_key = server.key_file is not None or settings.key
    if has_key and is_server(server.url or settings.url):
        return given
    return given or own_environment().get("USER", "")
