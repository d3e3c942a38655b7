"""Rows of answers for people: as wide as they need be, so that an id can be copied from them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from holdfast.cli.output import COLOURS, is_terminal, stdout
from holdfast.cli.visible import one_line


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, state: int) -> None:
    """`state` is the column whose word is coloured. Rows are cut at the edge of a terminal only."""
    from rich.text import Text

    console = stdout()
    rows = [[one_line(cell, None) for cell in row] for row in rows]
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
