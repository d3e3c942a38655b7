"""From `--db` and `--namespace` to an open `Holdfast`.

Every command imports this, also one that only prints its help: what takes long to import, functions import.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

import typer

from holdfast.cli.views.visible import shell_word
from holdfast.errors import StoreUnavailable

if TYPE_CHECKING:
    import asyncio

    from holdfast.app import Holdfast
    from holdfast.settings import Settings

T = TypeVar("T")

DETACHED_BY_INTERRUPT = 130
"""What a shell says of a process that Ctrl-C ended."""

_PREFIX = "sqlite:///"

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL|FILE",
        help="The database: a URL, or the path of an SQLite file. "
        "Otherwise the setting `url`; otherwise .holdfast/holdfast.db in the project.",
        show_default=False,
    ),
]
Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", help="The tenant.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


class DatabaseOptions(NamedTuple):
    """Where the runs are."""

    settings: Settings
    options: tuple[str, ...]
    """What of it was given on the command line, as it is typed, for the commands that we tell people."""

    def command(self, *words: str) -> str:
        """To be copied and pasted, whatever the words are."""
        return " ".join(["holdfast", *map(shell_word, words), *self.options])

    @property
    def file(self) -> Path | None:
        """The SQLite file, if it is one."""
        from urllib.parse import unquote

        url = self.settings.url
        return Path(unquote(url.removeprefix(_PREFIX))) if url.startswith(_PREFIX) else None


def find_place(db: str | None, namespace: str | None) -> DatabaseOptions:
    """Raises BadOption for a setting that cannot be used."""
    from holdfast.settings import read_settings

    project = _project(Path.cwd())
    given: dict[str, Any] = {"namespace": namespace}
    options: list[str] = []
    if db is not None:
        given["url"] = db if "://" in db else _url_of(Path(db))
        # A password is not shown, and with three stars in its place nobody gets in.
        options += ["--db", '"$HOLDFAST_URL"' if _has_password(db) else shell_word(db)]
    if namespace is not None:
        options += ["--namespace", shell_word(namespace)]
    settings = read_settings(given, folder=project)
    if db is None and settings.url == read_settings({}, {}, project).url:
        given["url"] = _inside(project, settings.url)
        settings = read_settings(given, folder=project)
    return DatabaseOptions(settings, tuple(options))


def _project(folder: Path) -> Path:
    """The nearest folder upwards with a `holdfast.toml` or a `.holdfast`; otherwise the folder itself."""
    for each in (folder, *folder.parents):
        if (each / "holdfast.toml").is_file() or (each / ".holdfast").is_dir():
            return each
    return folder


def _inside(project: Path, url: str) -> str:
    """What the project's own file, or the default, says of a path is meant from the project's folder."""
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
    except ValueError:  # it cannot be used either, but a part of it may be a secret
        return True
    login, at, _ = url.netloc.rpartition("@")
    return bool(at and ":" in login) or any("password" in each.lower() for each in parse_qs(url.query))


def new_holdfast(
    place: DatabaseOptions, *, engine: bool | Literal["own"], makes_file: bool = False
) -> Holdfast:
    """Not open yet. Raises StoreUnavailable where an SQLite file should be and is not, unless it `makes_file`
    as a node does."""
    from holdfast.app import Holdfast
    from holdfast.settings import Settings

    settings = {name: getattr(place.settings, name) for name in Settings.__struct_fields__}
    if not engine:
        settings["open_seconds"] = 0.0  # whoever only asks wants to know at once, and can ask again
    if engine or makes_file:
        _make_folder(place)
    elif place.file is not None and not place.file.exists():
        reason = "there is no such file; `holdfast run` makes one, and --db names another"
        raise StoreUnavailable(str(place.file), reason, may_pass=False)
    return Holdfast(engine=engine, **settings)


def _make_folder(place: DatabaseOptions) -> None:
    """Ours only: a folder that somebody else has named is more likely a slip of the pen."""
    file = place.file
    if file is None or file.parent.name != ".holdfast":
        return
    try:
        file.parent.mkdir(exist_ok=True)
    except OSError as error:
        reason = f"its folder cannot be made ({error.strerror}); --db names another place"
        raise StoreUnavailable(str(file), reason, may_pass=False) from None


def ask(place: DatabaseOptions, use: Callable[[Holdfast], Awaitable[T]], *, makes_file: bool = False) -> T:
    """Open it without an engine, and ask."""

    async def opened() -> T:
        async with new_holdfast(place, engine=False, makes_file=makes_file) as client:
            return await use(client)

    return run_async(opened())


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """On uvloop where there is one. Ctrl-C ends the command without a word."""
    import asyncio

    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main)
    except KeyboardInterrupt:
        raise typer.Exit(DETACHED_BY_INTERRUPT) from None


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on Windows, nor on other interpreters
        return None
    return uvloop.new_event_loop
