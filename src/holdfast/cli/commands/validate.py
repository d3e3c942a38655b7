"""`holdfast validate`: everything that is wrong with a workflow, before anything runs.

What it finds is its answer, so it goes to stdout: `file:line:column: message`, which editors and CI can read,
with the path inside the document before the message, if it is a flow. In a terminal the line itself is shown
below, with a mark under the place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from holdfast.cli.database_options import AsJson
from holdfast.cli.views.output import print_json, print_line, say_error, stdout
from holdfast.cli.views.visible import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

    from holdfast.cli.documents import LoadedDocument
    from holdfast.errors import Problem

_BAD_USAGE: Final = 2
_INDENT: Final = "  "
_ROOM_AFTER: Final = 24
"""Columns of a long line that are shown behind the place, at least."""


def register(app: typer.Typer) -> None:
    app.command("validate")(validate)


def validate(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="YAML or JSON files; folders, for all DAGs and flows in them; - for standard input.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print the JSON Schema of a DAG, for editors, and do nothing else."),
    ] = False,
) -> None:
    """Check DAGs and flows without running anything: every problem, with its place.

    Ends with 0 if all is well and with 1 if there are problems.
    """
    if schema:
        from holdfast.authoring.dag.schema import json_schema

        print_json(json_schema(), is_pretty=True)
        return
    if not files:
        say_error(
            "which files? For example: holdfast validate etl.yaml, or a folder, or - for standard input"
        )
        raise typer.Exit(_BAD_USAGE)
    from holdfast.cli.documents import read_document

    found = [read_document(file) for file in list(_files(files))]
    if as_json:
        print_json([_plain(document) for document in found])
    else:
        for document in found:
            _show(document)
    if not all(document.meaning for document in found):
        raise typer.Exit(1)


def _files(given: Sequence[str]) -> Iterator[str]:
    """Each once. Of a folder: the workflows in it, in order."""
    from holdfast.cli.documents import STDIN

    seen: set[str] = set()
    for name in given:
        for each in _inside(Path(name)) if name != STDIN and Path(name).is_dir() else [name]:
            if os.path.normpath(each) not in seen:
                seen.add(os.path.normpath(each))
                yield each


def _inside(folder: Path) -> list[str]:
    from holdfast.cli.documents import SUFFIXES, workflows_in

    found = workflows_in(folder)
    if not found:
        files = f"{', '.join(SUFFIXES[:-1])} and {SUFFIXES[-1]} files"
        say_error(
            f"no workflow in {str(folder)!r}: none of its {files} has tasks, or start and nodes, at the top"
        )
        raise typer.Exit(_BAD_USAGE)
    return found


# --- what is said


def _plain(document: LoadedDocument) -> dict[str, object]:
    counted = "nodes" if document.is_flow else "tasks"
    return {
        "file": document.file,
        "ok": document.meaning is not None,
        "kind": "flow" if document.is_flow else "dag",
        counted: None if document.meaning is None else document.size,
        "problems": [
            {
                "line": problem.line,
                "column": problem.column,
                "path": problem.path or None,
                "message": problem.message,
            }
            for problem in document.problems
        ],
    }


def _show(document: LoadedDocument) -> None:
    console = stdout()
    if document.meaning is not None:
        noun = "node" if document.is_flow else "task"
        line = f"{document.file}: ok: {document.size} {noun}{'' if document.size == 1 else 's'}"
        console.print(one_line(line, None), style="green")
        return
    if not console.is_terminal:
        for problem in document.problems:
            print_line(one_line(str(problem), 10_000))
        return
    lines = document.text.splitlines()
    for problem in document.problems:
        _show_problem(console, problem, lines)


def _show_problem(console: Console, problem: Problem, lines: list[str]) -> None:
    from rich.text import Text

    place = f"{one_line(problem.file)}:{problem.line}:{problem.column}: "
    path = f"{one_line(problem.path)}: " if problem.path else ""
    console.print(Text.assemble((place, "bold"), path, (one_line(problem.message, 10_000), "red")))
    if problem.line <= len(lines):
        shown, mark = excerpt(lines[problem.line - 1], problem.column, console.width - len(_INDENT))
        console.print(Text(_INDENT + shown, style="dim"), no_wrap=True, overflow="crop", crop=True)
        console.print(Text(_INDENT + mark, style="red"), no_wrap=True, overflow="crop", crop=True)


def excerpt(line: str, column: int, width: int) -> tuple[str, str]:
    """The part of a line around the column (from 1), and a line with a mark below the place.

    Both are at most `width` columns of a terminal wide.
    """
    from rich.cells import cell_len, set_cell_size

    before = _shown(line[: column - 1])
    rest = _shown(line[column - 1 :])
    cut = cell_len(before) + min(_ROOM_AFTER, cell_len(rest)) - width
    if cut > 0:
        while before and cell_len(before) > 0 and cut >= 0:
            cut -= cell_len(before[0])
            before = before[1:]
        before = "…" + before
    shown = before + rest
    if cell_len(shown) > width:
        shown = set_cell_size(shown, width - 1) + "…"
    return shown, " " * cell_len(before) + "^"


def _shown(text: str) -> str:
    """As wide as the eye takes it: tabs as blanks, and nothing that moves a cursor."""
    return visible(text.expandtabs(4), keep="")
