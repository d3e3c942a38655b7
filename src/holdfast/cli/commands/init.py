"""`holdfast init`: writes a small example project.

The files are copied from `cli/template`, which is also the example of this repository.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import AsJson
from holdfast.cli.views.output import print_json, print_line, say_error, stdout
from holdfast.cli.views.visible import shell_word

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# Git would apply a file named .gitignore to this repository as well.
_NAMES: Final = {"gitignore": ".gitignore"}
_EXECUTABLE: Final = 0o755


def register(app: typer.Typer) -> None:
    app.command("init")(init)


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to write it. Made if it does not exist.")
    ] = Path("."),
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a small example project: a workflow in YAML, a Python function and a shell script."""
    template = _template()
    _refuse_conflicts(folder, list(template), force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in template.items():
            _write(folder / name, source)
    except OSError as error:
        say_error(f"{error.filename or str(folder)!r} cannot be written: {error.strerror}")
        raise typer.Exit(ExitCode.REFUSED) from None
    if as_json:
        for name in template:
            print_json({"wrote": str(folder / name)})
    else:
        _print_next_steps(folder, list(template))


def _template() -> dict[str, Traversable]:
    """The files of the project, by the names that they get."""
    from importlib.resources import files

    found = [each for each in files("holdfast.cli").joinpath("template").iterdir() if each.is_file()]
    named = {_NAMES.get(each.name, each.name): each for each in found}
    return {name: named[name] for name in sorted(named)}


def _refuse_conflicts(folder: Path, names: list[str], *, force: bool) -> None:
    """Refuses before anything is written. A file or folder that exists is a conflict."""
    if folder.exists() and not folder.is_dir():
        say_error(f"{str(folder)!r} is a file; name a folder, or one that is not there yet")
        raise typer.Exit(ExitCode.REFUSED)
    there = [name for name in names if (folder / name).exists() or (folder / name).is_symlink()]
    folders = [name for name in there if (folder / name).is_dir()]
    if folders:
        say_error(f"a folder is in the way: {', '.join(folders)}")
        raise typer.Exit(ExitCode.REFUSED)
    if there and not force:
        what = "it" if len(there) == 1 else "them"
        say_error(
            f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} there already; "
            f"overwrite {what} with --force, or name another folder"
        )
        raise typer.Exit(ExitCode.REFUSED)


def _write(path: Path, source: Traversable) -> None:
    path.unlink(missing_ok=True)  # replaces a symbolic link instead of writing to its target
    path.write_bytes(source.read_bytes())
    if path.suffix == ".sh":
        path.chmod(_EXECUTABLE)


def _print_next_steps(folder: Path, names: list[str]) -> None:
    for name in names:
        print_line(f"wrote {folder / name}")
    is_here = False
    with contextlib.suppress(OSError):
        is_here = folder.samefile(Path.cwd())
    console = stdout()
    console.print("\nNow run it:\n")
    if not is_here:
        console.print(f"    cd {shell_word(str(folder))}")
    console.print("    holdfast run etl.yaml", style="bold")
