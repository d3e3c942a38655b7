"""`holdfast graph`: draws a workflow for a terminal or for Markdown, or prints it as data."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.views.output import json_text, say, say_error, stdout
from holdfast.cli.views.visible import visible
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.authoring.catalog import DataWorkflow
    from holdfast.core.graphs import Graph

_BOX_CHARACTERS: Final = "●◉│─╭╮╰╯├┤┬┴┼→…"
_WIDEST: Final = 160
"""A drawing is no wider, even in a wider terminal: longer lines are hard to follow."""
_WIDTH_OF_A_PIPE: Final = 110


class Format(StrEnum):
    TEXT = "text"
    MERMAID = "mermaid"
    JSON = "json"


_BY_SUFFIX: Final = {
    ".mmd": Format.MERMAID,
    ".mermaid": Format.MERMAID,
    ".txt": Format.TEXT,
    ".json": Format.JSON,
}


def register(app: typer.Typer) -> None:
    app.command("graph")(graph)


def graph(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A YAML or JSON file, or - for standard input.")
    ],
    format: Annotated[
        Format | None,
        typer.Option(
            "--format", "-f", help="Default: by the suffix of --output, or else text.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of standard output.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Draw a workflow: which task of a DAG waits for which, or where the actions of a flow lead."""
    from holdfast.cli.arguments.documents import read_document

    if as_json and format not in (None, Format.JSON):
        raise BadOption("--format", str(format), "left out with --json, or json")
    chosen = Format.JSON if as_json else format or _format_of(output)
    workflow = read_document(file).loaded()
    width, is_ascii = _room(output)
    drawing = _draw(workflow, chosen, width, is_ascii=is_ascii)
    if output is not None:
        _write(output, drawing)
    else:
        _print(visible(drawing) if chosen is Format.TEXT else drawing)


def print_drawing(graph: Graph) -> None:
    """Prints it as text, for a terminal."""
    from holdfast.authoring.graphs.terminal import as_text

    width, is_ascii = _room(None)
    _print(visible(as_text(graph, width=width, is_ascii=is_ascii)))


def _room(output: Path | None) -> tuple[int, bool]:
    """The width of a drawing in text, and whether it may have only ASCII characters."""
    if output is not None:
        return _WIDTH_OF_A_PIPE, False
    console = stdout()
    width = min(console.width, _WIDEST) if console.is_terminal else _WIDTH_OF_A_PIPE
    return width, not _carries(sys.stdout.encoding, _BOX_CHARACTERS)


def _draw(workflow: DataWorkflow, format: Format, width: int, *, is_ascii: bool) -> str:
    from holdfast.authoring.graphs.mermaid import as_mermaid
    from holdfast.authoring.graphs.terminal import as_text

    match format:
        case Format.MERMAID:
            return as_mermaid(workflow.graph())
        case Format.JSON:
            return json_text(workflow.facts(), is_pretty=True) + "\n"
        case Format.TEXT:
            return as_text(workflow.graph(), width=width, is_ascii=is_ascii)


def _format_of(output: Path | None) -> Format:
    """Raises BadOption if no format has this suffix."""
    if output is None or not output.suffix:
        return Format.TEXT
    found = _BY_SUFFIX.get(output.suffix.lower())
    if found is None:
        expected = f"a file that ends in {', '.join(_BY_SUFFIX)}, or given with --format {', '.join(Format)}"
        raise BadOption("--output", str(output), expected)
    return found


def _carries(encoding: str | None, characters: str) -> bool:
    try:
        characters.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _print(drawing: str) -> None:
    # A drawing that the encoding of the output cannot carry is written as UTF-8: it goes to a file or a
    # program.
    if _carries(sys.stdout.encoding, drawing):
        sys.stdout.write(drawing)
        sys.stdout.flush()
    else:
        sys.stdout.buffer.write(drawing.encode())
        sys.stdout.buffer.flush()


def _write(output: Path, drawing: str) -> None:
    try:
        output.write_text(drawing, encoding="utf-8", newline="\n")
    except OSError as error:
        say_error(f"{str(output)!r} cannot be written: {error.strerror}")
        raise typer.Exit(ExitCode.REFUSED) from None
    say(f"wrote {output}")
