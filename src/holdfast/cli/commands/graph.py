"""`holdfast graph`: a workflow as a drawing, for a terminal, for a page in Markdown, or for a browser."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from holdfast.cli.views.output import json_text, say, say_error, stdout
from holdfast.cli.views.visible import visible
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.authoring.dag.model import Dag
    from holdfast.authoring.flow.model import Flow

_BAD_USAGE: Final = 2
_BOX_CHARACTERS: Final = "●◉│─╭╮╰╯├┤┬┴┼→…"
_WIDEST: Final = 160
"""In a terminal that is wider, the eye would lose the line."""
_WIDTH_OF_A_PIPE: Final = 110


class Format(StrEnum):
    TEXT = "text"
    MERMAID = "mermaid"
    SVG = "svg"
    JSON = "json"


_BY_SUFFIX: Final = {
    ".svg": Format.SVG,
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
            "--format", "-f", help="By the name of the output if not given, else text.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write it there and not to standard output.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Draw a workflow: which task of a DAG waits for which, or where the actions of a flow lead."""
    from holdfast.authoring.dag.model import Dag
    from holdfast.cli.documents import load_document

    if as_json and format not in (None, Format.JSON):
        raise BadOption("--format", str(format), "left out with --json, or json")
    chosen = Format.JSON if as_json else format or _format_of(output)
    found = load_document(file)
    width, is_ascii = _room(output)
    if isinstance(found, Dag):
        drawing = _draw_dag(found, chosen, width, is_ascii=is_ascii)
    else:
        drawing = _draw_flow(found, chosen, width, is_ascii=is_ascii)
    if output is not None:
        _write(output, drawing)
    else:
        _print(visible(drawing) if chosen is Format.TEXT else drawing)


def _room(output: Path | None) -> tuple[int, bool]:
    """The width of a drawing in text, and whether it must do with plain characters."""
    if output is not None:
        return _WIDTH_OF_A_PIPE, False
    console = stdout()
    width = min(console.width, _WIDEST) if console.is_terminal else _WIDTH_OF_A_PIPE
    return width, not _carries(sys.stdout.encoding, _BOX_CHARACTERS)


def _draw_dag(dag: Dag, format: Format, width: int, *, is_ascii: bool) -> str:
    from holdfast.authoring.dag.drawing import as_mermaid, as_svg, as_text

    match format:
        case Format.SVG:
            return as_svg(dag)
        case Format.MERMAID:
            return as_mermaid(dag)
        case Format.JSON:
            return json_text(_facts(dag), is_pretty=True) + "\n"
        case Format.TEXT:
            return as_text(dag, width=width, is_ascii=is_ascii)


def _draw_flow(flow: Flow, format: Format, width: int, *, is_ascii: bool) -> str:
    """Raises BadOption."""
    from holdfast.authoring.flow.drawing import as_facts, as_mermaid, as_text

    match format:
        case Format.SVG:
            raise BadOption("--format", "svg", "mermaid, text or json for a flow; svg is drawn of DAGs only")
        case Format.MERMAID:
            return as_mermaid(flow)
        case Format.JSON:
            return json_text(as_facts(flow), is_pretty=True) + "\n"
        case Format.TEXT:
            return as_text(flow, width=width, is_ascii=is_ascii)


def _facts(dag: Dag) -> dict[str, object]:
    """What a drawing shows, as data."""
    from holdfast.authoring.dag.drawing.labels import kind_of, repetition_of, work_of

    return {
        "name": dag.name,
        "kind": "dag",
        "tasks": [
            {
                "name": task.name,
                "kind": kind_of(task),
                "work": work_of(task),
                "repetition": repetition_of(task),
                "depends_on": list(task.depends_on),
                "runs_on_failure": task.runs_on_failure,
                "when": None if task.when is None else task.when.text,
            }
            for task in dag.tasks.values()
        ],
    }


def _format_of(output: Path | None) -> Format:
    """Raises BadOption for a file of a kind that we do not draw."""
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
    # A drawing for a file or another program is UTF-8, whatever a terminal would make of it.
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
        raise typer.Exit(_BAD_USAGE) from None
    say(f"wrote {output}")
