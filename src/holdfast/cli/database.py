"""From `--db` or `--server`, and `--namespace`, to an open `Holdfast`.

Every command imports this module, even to print its help. So functions import what takes long to import.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import typer

from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.server_options import chosen_server, refuse_server
from holdfast.cli.views.visible import shell_word
from holdfast.errors import BadFile, BadOption, StoreUnavailable

if TYPE_CHECKING:
    import asyncio

    from holdfast.app import Holdfast
    from holdfast.client.run import RunInfo
    from holdfast.settings import Settings

T = TypeVar("T")

_PREFIX = "sqlite:///"
_OPEN_SECONDS = 5.0
"""Somebody waits for the command. A server that has answered once is waited for as the setting says."""


class DatabaseOptions(NamedTuple):
    """Which database or server, and which namespace a command uses."""

    settings: Settings
    options: tuple[str, ...]
    """`--db`, `--server` and the like as the user typed them, for the commands that we suggest."""

    def command(self, *words: str) -> str:
        """A `holdfast` command on the same database, quoted so that it can be pasted into a shell.

        For a server, a command that lets the nodes go on with a run instead of `run`, which would do it
        here."""
        if self.is_server and words[:1] == ("run",):
            words = ("runs", words[1].removeprefix("--"), words[2])
        return " ".join(["holdfast", *map(shell_word, words), *self.options])

    @property
    def is_server(self) -> bool:
        from holdfast.settings import is_server

        return is_server(self.settings.url)

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for another database."""
        from urllib.parse import unquote

        url = self.settings.url
        return Path(unquote(url.removeprefix(_PREFIX))) if url.startswith(_PREFIX) else None


def find_database(db: str | None, namespace: str | None) -> DatabaseOptions:
    """Raises BadOption for a setting that cannot be used, and NotOverHttp if the command cannot be done on a
    server."""
    from holdfast.settings import read_settings

    project = _project(Path.cwd())
    given: dict[str, Any] = {"namespace": namespace}
    options: list[str] = []
    server, key_file, _ = chosen_server()
    if server is not None:
        given["url"] = _checked_server(server, db)
        options += ["--server", shell_word(server)]
    if key_file is not None:
        given["key"] = _read_key(key_file)
        options += ["--key-file", shell_word(key_file)]
    if db is not None:
        given["url"] = db if "://" in db else _url_of(Path(db))
        # A password must not be shown, and a command with *** in its place would not connect.
        options += ["--db", '"$HOLDFAST_URL"' if _has_password(db) else shell_word(db)]
    if namespace is not None:
        options += ["--namespace", shell_word(namespace)]
    settings = read_settings(given, folder=project)
    found = DatabaseOptions(settings, tuple(options))
    if found.is_server:
        refuse_server()
        return found
    if db is None and settings.url == read_settings({}, {}, project).url:
        given["url"] = _inside(project, settings.url)
        settings = read_settings(given, folder=project)
    return DatabaseOptions(settings, tuple(options))


def _checked_server(server: str, db: str | None) -> str:
    from holdfast.settings import is_server

    if db is not None:
        raise BadOption("--server", server, "given without --db: one of the two")
    if not is_server(server):
        raise BadOption("--server", server, "the address of a server, such as https://holdfast.example")
    return server


def _read_key(file: str) -> str:
    try:
        key = Path(file).read_text("ascii").strip()
    except OSError as error:
        raise BadFile.unreadable("--key-file", file, error) from None
    except UnicodeDecodeError:
        raise BadFile("--key-file", file, "this is not a key") from None
    if not key:
        raise BadFile("--key-file", file, "the file is empty, and a key was expected")
    return key


def _project(folder: Path) -> Path:
    """The nearest folder upwards that has a `holdfast.toml` or a `.holdfast`; otherwise the folder itself."""
    for each in (folder, *folder.parents):
        if (each / "holdfast.toml").is_file() or (each / ".holdfast").is_dir():
            return each
    return folder


def _inside(project: Path, url: str) -> str:
    """A path in `holdfast.toml`, and the default path, are relative to the project's folder."""
    from urllib.parse import unquote

    if not url.startswith(_PREFIX):
        return url
    return _url_of(project / unquote(url.removeprefix(_PREFIX)))


def _url_of(path: Path) -> str:
    from urllib.parse import quote

    return _PREFIX + quote(str(path.absolute()))


def _has_password(db: str) -> bool:
    from urllib.parse import parse_qs, urlsplit

    if "://" not in db:
        return False
    try:
        url = urlsplit(db)
    except ValueError:  # not a URL, but a part of it may be a password
        return True
    login, at, _ = url.netloc.rpartition("@")
    return bool(at and ":" in login) or any("password" in each.lower() for each in parse_qs(url.query))


def new_holdfast(
    database: DatabaseOptions, *, engine: bool | Literal["own"], makes_file: bool = False
) -> Holdfast:
    """A `Holdfast` that is not open yet.

    Without an engine and without `makes_file`, raises StoreUnavailable if the SQLite file does not exist.
    """
    from holdfast.app import Holdfast, join_trace
    from holdfast.settings import Settings, own_environment

    settings = {name: getattr(database.settings, name) for name in Settings.__struct_fields__}
    if database.is_server:
        if "--namespace" not in database.options and settings["namespace"] == Settings().namespace:
            del settings["namespace"]  # the key says it
        settings["open_seconds"] = min(settings["open_seconds"], _OPEN_SECONDS)
    else:
        if not engine:
            settings["open_seconds"] = 0.0  # a command that only reads fails at once instead of waiting
        prepare_file(database, makes_file=bool(engine) or makes_file)
    holdfast = Holdfast(engine=engine, **settings)
    if engine is not True:  # a node works for many, and not only for whoever has started it
        join_trace(holdfast, own_environment())
    return holdfast


def prepare_file(database: DatabaseOptions, *, makes_file: bool) -> None:
    """Raises StoreUnavailable if the SQLite file does not exist and must."""
    if makes_file:
        _make_folder(database)
    elif database.file is not None and not database.file.exists():
        reason = "there is no such file; `holdfast run` makes one, and --db names another"
        raise StoreUnavailable(str(database.file), reason, may_pass=False)


def _make_folder(database: DatabaseOptions) -> None:
    """Makes `.holdfast` only. Another folder that does not exist is more likely a typing error."""
    file = database.file
    if file is None or file.parent.name != ".holdfast":
        return
    try:
        file.parent.mkdir(exist_ok=True)
    except OSError as error:
        reason = f"its folder cannot be made ({error.strerror}); --db names another place"
        raise StoreUnavailable(str(file), reason, may_pass=False) from None


def use_client(
    database: DatabaseOptions, use: Callable[[Holdfast], Awaitable[T]], *, makes_file: bool = False
) -> T:
    """Opens the database without an engine and returns what `use` returns."""

    async def open_and_use() -> T:
        async with new_holdfast(database, engine=False, makes_file=makes_file) as client:
            return await use(client)

    return run_async(open_and_use())


def use_run(database: DatabaseOptions, run: str, use: Callable[[Holdfast, RunInfo], Awaitable[T]]) -> T:
    """Finds the run that the user means, and returns what `use` returns."""

    async def find_and_use(client: Holdfast) -> T:
        from holdfast.cli.arguments.runs import find_run

        return await use(client, await find_run(client, run))

    return use_client(database, find_and_use)


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Runs it on uvloop if that is installed. Ctrl-C ends the command without a traceback."""
    import asyncio

    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main)
    except KeyboardInterrupt:
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on Windows, nor on other interpreters
        return None
    return uvloop.new_event_loop
