"""A DAG for a terminal: one line for each task, and rails on the left that lead from it to those after it.

    ● discover      python     etl.py:discover
    │
    ◉ process       shell      ./process.sh     for each discover.files, 4 at once
    ├─╮
    │ ● publish     python     etl.py:publish
    ├─╯
    ● tidy_up       shell      rm -r data       also after a failure

A task's rail goes down to the last task that depends on it. On the line above a task, what it depends on is
joined to it: `├ ┼ ┴` are joined, a bare `│` is only passed. It is as wide as there are rails at once, so that
thirty tasks stay readable where boxes side by side would not fit. Where even the rails would take more than
half of the width, it is a list in layers, which names for each task those that it depends on.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from holdfast.authoring.dag.drawing.labels import (
    columns_of,
    conditions_of,
    kind_of,
    one_line,
    repetition_of,
    shorten,
    work_of,
)
from holdfast.authoring.dag.drawing.layers import lay_out
from holdfast.authoring.dag.model import Dag, DagTask

_LONGEST_NAME: Final = 40
_LONGEST_WORK: Final = 36
_MOST_SPACED: Final = 12
"""Tasks. Up to so many there is a line between any two; a larger drawing keeps to those that are needed."""

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
"""Of those that a task depends on, in a list."""


class _RailRow(NamedTuple):
    rails: str
    task: DagTask | None
    after: str | None = None
    """What it depends on, where no rails show it."""


def as_text(dag: Dag, *, width: int = 100, is_ascii: bool = False) -> str:
    """Lines of at most `width` columns. Ends with a line break."""
    layers = _layers(dag)
    rows = _Rails(dag).draw(layers, width // 2) or _listed(layers)
    lines = [_headline(dag), "", *_beside(rows)]
    text = "\n".join(shorten(line, width).rstrip() for line in lines) + "\n"
    return text.translate(_ASCII).encode("ascii", "replace").decode() if is_ascii else text


def _layers(dag: Dag) -> list[list[DagTask]]:
    layout = lay_out(dag)
    tasks = list(dag.tasks.values())
    return [[tasks[vertex] for vertex in layer if vertex < layout.tasks] for layer in layout.layers]


def _listed(layers: list[list[DagTask]]) -> list[_RailRow]:
    return [
        _RailRow(str(number), task, _after(task)) for number, layer in enumerate(layers, 1) for task in layer
    ]


def _after(task: DagTask) -> str | None:
    if not task.depends_on:
        return None
    named = ", ".join(task.depends_on[:_MOST_NAMED])
    more = len(task.depends_on) - _MOST_NAMED
    return f"after {named}" + (f" and {more} more" if more > 0 else "")


def _headline(dag: Dag) -> str:
    count = len(dag.tasks)
    about = f": {one_line(dag.description)}" if dag.description else ""
    return f"{dag.name} ({count} {'task' if count == 1 else 'tasks'}){about}"


def _beside(rows: list[_RailRow]) -> list[str]:
    """The rails, and beside them what there is to say of each task, in columns."""
    told = [(row, _columns(row)) for row in rows]
    margin = max(len(row.rails) for row in rows)
    widths = [max((columns_of(said[column]) for _, said in told if said), default=0) for column in range(3)]
    lines: list[str] = []
    for row, said in told:
        line = row.rails.ljust(margin)
        for text, room in zip(said, [*widths, 0], strict=False):
            line += "  " + text + " " * (room - columns_of(text))
        lines.append(line)
    return lines


def _columns(row: _RailRow) -> list[str]:
    task = row.task
    if task is None:
        return []
    notes = [note for note in (row.after, repetition_of(task), *conditions_of(task)) if note]
    return [
        shorten(task.name, _LONGEST_NAME),
        kind_of(task),
        shorten(work_of(task), _LONGEST_WORK),
        "; ".join(notes),
    ]


class _Rails:
    def __init__(self, dag: Dag) -> None:
        self._dag = dag
        self._columns: list[str | None] = []
        """The task whose rail runs there."""
        self._waiting = dict.fromkeys(dag.tasks, 0)
        """How many tasks that depend on it are still to come."""
        for task in dag.tasks.values():
            for before in task.depends_on:
                self._waiting[before] += 1
        self._rows: list[_RailRow] = []
        self._is_spaced = len(dag.tasks) <= _MOST_SPACED

    def draw(self, layers: list[list[DagTask]], widest: int) -> list[_RailRow] | None:
        """None if they would be wider."""
        for layer in layers:
            for task in layer:
                self._add(task)
                if 2 * len(self._columns) > widest:
                    return None
        return self._rows

    def _add(self, task: DagTask) -> None:
        joined = {self._columns.index(before): before for before in task.depends_on}
        for before in task.depends_on:
            self._waiting[before] -= 1
        ending = sorted(column for column, before in joined.items() if not self._waiting[before])
        column = ending[0] if ending else self._free_column(min(joined, default=0))
        if joined and list(joined) != [column]:
            self._rows.append(_RailRow(self._joints(set(joined), set(ending), column), None))
        elif self._rows and (self._is_spaced or (not joined and self._touches_above(column))):
            self._rows.append(_RailRow(self._line({}), None))
        for each in ending:
            self._columns[each] = None
        self._rows.append(_RailRow(self._line({column: _ONCE if task.fan_out is None else _MANY}), task))
        self._columns[column] = task.name if self._waiting[task.name] else None

    def _free_column(self, least: int) -> int:
        """The nearest on the right of `least` that no rail runs in."""
        for column in range(least, len(self._columns)):
            if self._columns[column] is None:
                return column
        self._columns.append(None)
        return len(self._columns) - 1

    def _touches_above(self, column: int) -> bool:
        """Whether a task put there would stand right below something, and look as if it followed from it."""
        above = self._rows[-1].rails
        return above[2 * column : 2 * column + 1].strip() != ""

    def _line(self, instead: dict[int, str]) -> str:
        cells = [instead.get(column, "│" if rail else " ") for column, rail in enumerate(self._columns)]
        return " ".join(cells).rstrip()

    def _joints(self, joined: set[int], ending: set[int], column: int) -> str:
        """The line above a task: rails of what it depends on are led to its column."""
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
