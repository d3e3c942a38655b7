"""`holdfast graph`: a DAG as a drawing, for a terminal, for a page in Markdown, or for a browser."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from holdfast.cli.output import say, say_error, stdout
from holdfast.cli.validate import load
from holdfast.cli.visible import visible
from holdfast.errors import BadOption

_BAD_USAGE: Final = 2
_BOX_CHARACTERS: Final = "●◉│─╭╮╰╯├┤┬┴┼…"
_WIDEST: Final = 160
"""In a terminal that is wider, the eye would lose the line."""
_WIDTH_OF_A_PIPE: Final = 110


class Format(StrEnum):
    TEXT = "text"
    MERMAID = "mermaid"
    SVG = "svg"


_BY_SUFFIX: Final = {
    ".svg": Format.SVG,
    ".mmd": Format.MERMAID,
    ".mermaid": Format.MERMAID,
    ".txt": Format.TEXT,
}


def register(app: typer.Typer) -> None:
    app.command("graph")(graph)


def graph(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or - for standard input.")],
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
) -> None:
    """Draw a YAML workflow: which task waits for which."""
    from holdfast.authoring.dag.drawing import as_mermaid, as_svg, as_text

    chosen = format or _format_of(output)
    dag = load(file)
    match chosen:
        case Format.SVG:
            drawing = as_svg(dag)
        case Format.MERMAID:
            drawing = as_mermaid(dag)
        case Format.TEXT if output is not None:
            drawing = as_text(dag, width=_WIDTH_OF_A_PIPE)
        case Format.TEXT:
            console = stdout()
            width = min(console.width, _WIDEST) if console.is_terminal else _WIDTH_OF_A_PIPE
            is_ascii = not _carries(sys.stdout.encoding, _BOX_CHARACTERS)
            drawing = visible(as_text(dag, width=width, is_ascii=is_ascii))
    if output is None:
        _print(drawing)
    else:
        _write(output, drawing)


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
