"""`holdfast validate`: everything that is wrong with a DAG, before anything runs.

What it finds is its answer, so it goes to stdout: `file:line:column: message`, which editors and CI can read.
In a terminal the line itself is shown below, with a mark under the place.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from holdfast.cli.opening import AsJson
from holdfast.cli.output import print_json, print_line, say_error, stdout
from holdfast.cli.visible import one_line, visible
from holdfast.errors import BadDag, Problem

if TYPE_CHECKING:
    from rich.console import Console

    from holdfast.authoring.dag.model import Dag

STDIN: Final = "-"
_STDIN_NAME: Final = "stdin"
"""What problems say, and the name of a DAG that has none of its own."""
_BAD_USAGE: Final = 2
_SUFFIXES: Final = (".yaml", ".yml")
# Other tools have YAML files too. Tasks at the top make one a DAG, even where the rest cannot be read.
_LOOKS_LIKE_A_DAG = re.compile(rb"""^(?:\{.*)?["']?tasks["']?\s*:""", re.MULTILINE)
_INDENT: Final = "  "
_ROOM_AFTER: Final = 24
"""Columns of a long line that are shown behind the place, at least."""


class Finding(NamedTuple):
    """What became of one file."""

    file: str
    dag: Dag | None
    problems: tuple[Problem, ...]
    text: str
    """Empty if it could not be read."""


def register(app: typer.Typer) -> None:
    app.command("validate")(validate)


def validate(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="YAML files; folders, for all DAGs in them; - for standard input.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print the JSON Schema of a DAG, for editors, and do nothing else."),
    ] = False,
) -> None:
    """Check YAML workflows without running anything: every problem, with its place.

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
    found = list(_files(files))
    findings = [_read(file) for file in found]
    if as_json:
        print_json([_plain(finding) for finding in findings])
    else:
        for finding in findings:
            _show(finding)
    if not all(finding.dag for finding in findings):
        raise typer.Exit(1)


# --- which files


def _files(given: Sequence[str]) -> Iterator[str]:
    """Each once. Of a folder: the DAGs in it, in order."""
    seen: set[str] = set()
    for name in given:
        for each in _dags_in(Path(name)) if name != STDIN and Path(name).is_dir() else [name]:
            if os.path.normpath(each) not in seen:
                seen.add(os.path.normpath(each))
                yield each


def _dags_in(folder: Path) -> list[str]:
    """Also those in folders below, but for hidden ones and for what Python has installed."""
    found: list[str] = []
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(
            each
            for each in folders
            if not each.startswith(".") and not Path(path, each, "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            if name.endswith(_SUFFIXES) and _looks_like_a_dag(Path(path, name)):
                found.append(str(Path(path, name)))
    if not found:
        say_error(
            f"no DAG in {str(folder)!r}: none of its {' or '.join(_SUFFIXES)} files has tasks at the top"
        )
        raise typer.Exit(_BAD_USAGE)
    return found


def _looks_like_a_dag(file: Path) -> bool:
    try:
        return _LOOKS_LIKE_A_DAG.search(file.read_bytes()) is not None
    except OSError:
        return True  # the loader says what is the matter


def _read(file: str) -> Finding:
    from holdfast.authoring.dag.loader import read_text

    name, text = file, ""
    try:
        if file == STDIN:
            name = _STDIN_NAME
            text = _standard_input()
        else:
            text = read_text(file)
        return Finding(name, load(file, text), (), text)
    except BadDag as bad:
        return Finding(name, None, tuple(bad.problems), text)


def load(file: str, text: str | None = None) -> Dag:
    """Read a DAG from a file, or from standard input for `-`. Raises BadDag."""
    from holdfast.authoring.dag.loader import load_file, load_text

    if file != STDIN:
        return load_file(file)
    # What it names is not looked for: where standard input comes from, nobody knows.
    return load_text(_standard_input() if text is None else text, file=_STDIN_NAME)


def _standard_input() -> str:
    data = sys.stdin.buffer.read()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadDag([Problem(_STDIN_NAME, line, 1, "it is not text in UTF-8")]) from None


# --- what is said


def _plain(finding: Finding) -> dict[str, object]:
    return {
        "file": finding.file,
        "ok": finding.dag is not None,
        "tasks": len(finding.dag.tasks) if finding.dag else None,
        "problems": [
            {"line": problem.line, "column": problem.column, "message": problem.message}
            for problem in finding.problems
        ],
    }


def _show(finding: Finding) -> None:
    console = stdout()
    if finding.dag is not None:
        count = len(finding.dag.tasks)
        line = f"{finding.file}: ok: {count} {'task' if count == 1 else 'tasks'}"
        console.print(one_line(line, None), style="green")
        return
    if not console.is_terminal:
        for problem in finding.problems:
            print_line(one_line(str(problem), 10_000))
        return
    lines = finding.text.splitlines()
    for problem in finding.problems:
        _show_problem(console, problem, lines)


def _show_problem(console: Console, problem: Problem, lines: list[str]) -> None:
    from rich.text import Text

    place = f"{one_line(problem.file)}:{problem.line}:{problem.column}: "
    console.print(Text.assemble((place, "bold"), (one_line(problem.message, 10_000), "red")))
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
