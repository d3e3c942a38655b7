"""A graph without cycles for a terminal: one line for each node, and rails on the left that lead down from
it.

    ● discover      python     etl.py:discover
    │
    ◉ process       shell      ./process.sh     for each discover.files, 4 at once
    ├─╮
    │ ● publish     python     etl.py:publish
    ├─╯
    ● tidy_up       shell      rm -r data       also after a failure

The rail of a node goes down to the last node that an edge leads to. The line above a node joins the rails of
the edges that lead to it: `├ ┼ ┴` are joined, a bare `│` only passes. The drawing is as wide as the number of
rails side by side, so thirty nodes stay readable where boxes would not fit. If the rails would take more than
half of the width, the drawing is a list in layers, which names for each node those before it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from holdfast.authoring.graphs.layers import layers_of
from holdfast.authoring.graphs.text_width import columns_of, padded, shorten
from holdfast.core.graphs import Graph, GraphNode

_LONGEST_TITLE: Final = 40
_LONGEST_WORK: Final = 36
_MOST_SPACED: Final = 12
"""A drawing of up to this many nodes has a line between any two of them. A larger one has only the lines that
it needs."""

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_JOINTS: Final = {
    _UP | _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _DOWN | _RIGHT: "╭",
    _DOWN | _LEFT: "╮",
    _UP | _RIGHT: "╰",
    _UP | _LEFT: "╯",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT: "┤",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _LEFT | _RIGHT: "┴",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}
_ONCE, _MANY = "●", "◉"
_ASCII: Final = str.maketrans(
    {
        **dict.fromkeys("╭╮┬", "."),  # nothing above
        **dict.fromkeys("╰╯┴", "'"),  # nothing below
        **dict.fromkeys("├┤┼", "+"),
        "│": "|",
        "─": "-",
        _ONCE: "*",
        _MANY: "#",
        "…": "~",
    }
)
_MOST_NAMED: Final = 5
"""How many of the nodes before it a node of the list names."""


class _RailRow(NamedTuple):
    rails: str
    node: GraphNode | None
    after: str = ""
    """The nodes before it, where no rails show them."""


def as_text(graph: Graph, *, width: int = 100, is_ascii: bool = False) -> str:
    """Lines of at most `width` columns. Ends with a line break."""
    nodes = {node.id: node for node in graph.nodes}
    layers = [[nodes[id] for id in layer] for layer in layers_of(graph)]
    before: dict[str, list[str]] = {id: [] for id in nodes}
    for edge in graph.edges:
        before[edge.target].append(edge.source)
    rows = _Rails(before).draw(layers, width // 2) or _listed(layers, before)
    lines = [graph.headline, "", *_beside(rows)]
    text = "\n".join(shorten(line, width).rstrip() for line in lines) + "\n"
    return text.translate(_ASCII).encode("ascii", "replace").decode() if is_ascii else text


def _listed(layers: list[list[GraphNode]], before: dict[str, list[str]]) -> list[_RailRow]:
    return [
        _RailRow(str(number), node, _after(before[node.id]))
        for number, layer in enumerate(layers, 1)
        for node in layer
    ]


def _after(before: list[str]) -> str:
    if not before:
        return ""
    more = len(before) - _MOST_NAMED
    return f"after {', '.join(before[:_MOST_NAMED])}" + (f" and {more} more" if more > 0 else "")


def _beside(rows: list[_RailRow]) -> list[str]:
    """The rails, and beside them the columns with the texts of each node."""
    columns = [_columns(row) for row in rows]
    margin = max(len(row.rails) for row in rows)
    widths = [max((columns_of(each[column]) for each in columns if each), default=0) for column in range(3)]
    return [
        row.rails.ljust(margin)
        + "".join("  " + padded(text, width) for text, width in zip(texts, [*widths, 0], strict=False))
        for row, texts in zip(rows, columns, strict=True)
    ]


def _columns(row: _RailRow) -> list[str]:
    node = row.node
    if node is None:
        return []
    notes = [note for note in (row.after, *node.notes) if note]
    return [
        shorten(node.title, _LONGEST_TITLE),
        node.kind,
        shorten(node.work, _LONGEST_WORK),
        "; ".join(notes),
    ]


class _Rails:
    def __init__(self, before: dict[str, list[str]]) -> None:
        self._before = before
        self._columns: list[str | None] = []
        """The node whose rail runs there."""
        self._to_come = dict.fromkeys(before, 0)
        """How many edges from a node lead to nodes that are not drawn yet."""
        for sources in before.values():
            for source in sources:
                self._to_come[source] += 1
        self._rows: list[_RailRow] = []
        self._is_spaced = len(before) <= _MOST_SPACED

    def draw(self, layers: list[list[GraphNode]], widest: int) -> list[_RailRow] | None:
        """None if the rails would be wider than that."""
        for layer in layers:
            for node in layer:
                self._add(node)
                if 2 * len(self._columns) > widest:
                    return None
        return self._rows

    def _add(self, node: GraphNode) -> None:
        joined = {self._columns.index(source): source for source in self._before[node.id]}
        for source in joined.values():
            self._to_come[source] -= 1
        ending = sorted(column for column, source in joined.items() if not self._to_come[source])
        column = ending[0] if ending else self._free_column(min(joined, default=0))
        if joined and list(joined) != [column]:
            self._rows.append(_RailRow(self._joints(set(joined), set(ending), column), None))
        elif self._rows and (self._is_spaced or (not joined and self._touches_above(column))):
            self._rows.append(_RailRow(self._line({}), None))
        for each in ending:
            self._columns[each] = None
        self._rows.append(_RailRow(self._line({column: _MANY if node.is_repeated else _ONCE}), node))
        self._columns[column] = node.id if self._to_come[node.id] else None

    def _free_column(self, least: int) -> int:
        """The first column from `least` on that no rail runs in."""
        for column in range(least, len(self._columns)):
            if self._columns[column] is None:
                return column
        self._columns.append(None)
        return len(self._columns) - 1

    def _touches_above(self, column: int) -> bool:
        """Whether a node in this column would stand right below a drawn line, and look joined to it."""
        above = self._rows[-1].rails
        return above[2 * column : 2 * column + 1].strip() != ""

    def _line(self, instead: dict[int, str]) -> str:
        cells = [instead.get(column, "│" if rail else " ") for column, rail in enumerate(self._columns)]
        return " ".join(cells).rstrip()

    def _joints(self, joined: set[int], ending: set[int], column: int) -> str:
        """The line above a node: it leads the rails of the nodes before it to its column."""
        first, last = min(joined | {column}), max(joined | {column})
        line = ""
        for at, rail in enumerate(self._columns):
            if at in joined or at == column:
                arms = _UP if at in joined else 0
                arms |= _DOWN if at == column or at not in ending else 0
                arms |= _LEFT if at > first else 0
                arms |= _RIGHT if at < last else 0
                line += _JOINTS[arms]
            elif rail:
                line += "│"
            else:
                line += "─" if first < at < last else " "
            line += "─" if first <= at < last else " "
        return line.rstrip()
