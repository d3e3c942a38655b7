"""Rows of answers for people: as wide as they need be, so that an id can be copied from them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from holdfast.cli.output import COLOURS, is_terminal, stdout


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, state: int) -> None:
    """`state` is the column whose word is coloured. The last column is cut at the edge of the terminal."""
    from rich.text import Text

    console = stdout()
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header) - 1)]
    for number, row in enumerate([header, *rows]):
        text = Text(style="bold" if number == 0 else "")
        for column, width in enumerate(widths):
            style = COLOURS.get(row[column], "") if column == state and number else ""
            text.append(f"{row[column]:<{width}}  ", style=style)
        text.append(row[-1], style="" if number == 0 else "dim")
        text.rstrip()
        if is_terminal(sys.stdout):
            text.truncate(max(console.width, widths[0]), overflow="ellipsis")
        console.print(text, no_wrap=True)
