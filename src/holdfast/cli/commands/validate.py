"""`holdfast validate`: reports everything that is wrong with a workflow, without running it.

The problems are the answer of the command, so they go to stdout, as `file:line:column: message`, which
editors and CI can read. For a flow the path inside the document stands before the message. In a terminal the
line of the file is shown below, with a mark under the column.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import AsJson
from holdfast.cli.views.output import print_json, print_line, say_error, stdout
from holdfast.cli.views.visible import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

    from holdfast.authoring.workflow_files import WorkflowDocument
    from holdfast.errors import Problem

_INDENT: Final = "  "
_ROOM_AFTER: Final = 24
"""How many columns of a long line are shown after the mark, at least."""


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
        typer.Option("--schema", help="Only print the JSON Schema of a DAG, for editors."),
    ] = False,
) -> None:
    """Check DAGs and flows without running them. Reports every problem with its line and column.

    Exit code 0 if there are no problems, 1 if there are.
    """
    if schema:
        from holdfast.authoring.dag.schema import json_schema

        print_json(json_schema(), is_pretty=True)
        return
    if not files:
        say_error(
            "which files? For example: holdfast validate etl.yaml, or a folder, or - for standard input"
        )
        raise typer.Exit(ExitCode.REFUSED)
    from holdfast.cli.arguments.documents import read_document

    found = [read_document(file) for file in list(_files(files))]
    if as_json:
        print_json([_facts(document) for document in found])
    else:
        for document in found:
            _print_document(document)
    if any(document.workflow is None for document in found):
        raise typer.Exit(ExitCode.FAILED)


def _files(given: Sequence[str]) -> Iterator[str]:
    """Each file once. A folder stands for the workflows in it, in order."""
    from holdfast.cli.arguments.documents import STDIN

    seen: set[str] = set()
    for name in given:
        for each in _inside(Path(name)) if name != STDIN and Path(name).is_dir() else [name]:
            if os.path.normpath(each) not in seen:
                seen.add(os.path.normpath(each))
                yield each


def _inside(folder: Path) -> list[str]:
    from holdfast.authoring.workflow_files import SUFFIXES, workflows_in

    found = workflows_in(folder)
    if not found:
        files = f"{', '.join(SUFFIXES[:-1])} and {SUFFIXES[-1]} files"
        say_error(
            f"no workflow in {str(folder)!r}: none of its {files} has tasks, or start and nodes, at the top"
        )
        raise typer.Exit(ExitCode.REFUSED)
    return found


# --- output


def _facts(document: WorkflowDocument) -> dict[str, object]:
    workflow = document.workflow
    return {
        "file": document.file,
        "ok": workflow is not None,
        "kind": document.kind,
        f"{document.noun}s": None if workflow is None else len(workflow.graph().nodes),
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


def _print_document(document: WorkflowDocument) -> None:
    console = stdout()
    if document.workflow is not None:
        size = len(document.workflow.graph().nodes)
        line = f"{document.file}: ok: {size} {document.noun}{'' if size == 1 else 's'}"
        console.print(one_line(line, None), style="green")
        return
    if not console.is_terminal:
        for problem in document.problems:
            print_line(one_line(str(problem), 10_000))
        return
    lines = document.text.splitlines()
    for problem in document.problems:
        _print_problem(console, problem, lines)


def _print_problem(console: Console, problem: Problem, lines: list[str]) -> None:
    from rich.text import Text

    position = f"{one_line(problem.file)}:{problem.line}:{problem.column}: "
    path = f"{one_line(problem.path)}: " if problem.path else ""
    console.print(Text.assemble((position, "bold"), path, (one_line(problem.message, 10_000), "red")))
    if problem.line <= len(lines):
        shown, mark = excerpt(lines[problem.line - 1], problem.column, console.width - len(_INDENT))
        console.print(Text(_INDENT + shown, style="dim"), no_wrap=True, overflow="crop", crop=True)
        console.print(Text(_INDENT + mark, style="red"), no_wrap=True, overflow="crop", crop=True)


def excerpt(line: str, column: int, width: int) -> tuple[str, str]:
    """The part of a line around the column (from 1), and a second line that marks the column.

    Both fit into `width` columns of a terminal.
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
    """With tabs as blanks and without control characters, so that the mark stands below its column."""
    return visible(text.expandtabs(4), keep="")
