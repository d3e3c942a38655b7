"""Tables for people. Columns are as wide as their cells, so that an id can be copied.

In a terminal that is too narrow, the cells that do not fit are printed below their row. The last column is
never cut away: it says what went wrong.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import accumulate

from holdfast.cli.views.output import COLOURS, is_terminal, stdout
from holdfast.cli.views.visible import one_line

_GAP = "  "
_INDENT = "    "
_LAST_WIDTH = 24
"""The width that the last column needs."""
_MOST_LINES = 3
"""Lines of a cell below its row."""
_NOTHING = ("", "-")


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, state: int | None = None) -> None:
    """`state` is the column that is coloured. Rows are cut at the edge of a terminal, but not in a pipe."""
    from rich.text import Text

    console = stdout()
    room = console.width if is_terminal(sys.stdout) else None
    rows = [[one_line(cell, None) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header) - 1)]
    longest = max((len(row[-1]) for row in rows), default=0)
    beside = _fitting(widths, longest, room)
    for number, row in enumerate([header, *rows]):
        text = Text(style="bold" if number == 0 else "")
        for column, width in enumerate(widths[:beside]):
            style = COLOURS.get(row[column], "") if column == state and number else ""
            text.append(f"{row[column]:<{width}}{_GAP}", style=style)
        if beside > len(widths):
            text.append(row[-1], style="" if number == 0 else "dim")
        text.rstrip()
        if room is not None:
            text.truncate(max(room, widths[0]), overflow="ellipsis")
        console.print(text, no_wrap=True)
        for line in _below(row[beside:], room) if number and room is not None else ():
            console.print(line, style="dim", no_wrap=True)


def _fitting(widths: Sequence[int], longest: int, room: int | None) -> int:
    """How many columns fit beside each other. `longest` is the width of the last column."""
    ends = list(accumulate(width + len(_GAP) for width in widths))
    if room is None or ends[-1] + min(longest, _LAST_WIDTH) <= room:
        return len(widths) + 1
    return max(1, sum(end - len(_GAP) <= room for end in ends))


def _below(cells: Sequence[str], room: int) -> Iterator[str]:
    if not cells:
        return
    for text in (_GAP.join(each for each in cells[:-1] if each not in _NOTHING), cells[-1]):
        width = max(room - len(_INDENT), 1)
        for line in textwrap.wrap(text, width, max_lines=_MOST_LINES, placeholder="…"):
            yield _INDENT + line
