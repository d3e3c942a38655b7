"""A DAG as SVG: whole in itself, readable in light and in dark, and without colour.

Kinds of task differ in outline and are named in words; a fan-out is a stack; a condition is a note under its
task; an edge that also leads on after a failure is dashed. Nothing is fetched from anywhere, no script is
inside, and what people wrote is only ever text. Groups carry `data-task`, for pages that want to colour them.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from holdfast.authoring.dag.drawing.labels import (
    KindName,
    columns_of,
    conditions_of,
    kind_of,
    one_line,
    repetition_of,
    shorten,
    work_of,
)
from holdfast.authoring.dag.drawing.layers import Extent, Layout, lay_out, place
from holdfast.authoring.dag.model import Dag, DagTask

_LONGEST_NAME: Final = 30
_LONGEST_LINE: Final = 36
"""Columns of text in a box. What is cut off is in its tooltip."""
_TOLD_AT_MOST: Final = 50
"""Tasks in the description for those who do not see the picture."""

_MARGIN: Final = 24.0
_HEADING: Final = 56.0
_NAME_SIZE: Final = 14
_SMALL_SIZE: Final = 12
_NOTE_SIZE: Final = 11
# Without the fonts there is no measuring. In every common monospaced one a character is as wide as this.
_PER_COLUMN: Final = 0.602
_PADDING: Final = 16.0
_LINE: Final = 17.0
_STACK: Final = 5.0
_NOTE_LINE: Final = 16.0
_FOLD: Final = 8.0
_NARROWEST: Final = 96.0
_BETWEEN_LAYERS: Final = 52.0
_BETWEEN_VERTICES: Final = 12.0

_STYLE: Final = """
    .paper { fill: #ffffff; stroke: #e2e8f0 }
    .box { fill: #f8fafc; stroke: #64748b; stroke-width: 1.5 }
    .python .box { fill: #eff6ff; stroke: #3b82f6 }
    .workflow .box { fill: #f5f3ff; stroke: #8b5cf6 }
    .approval .box { fill: #fffbeb; stroke: #d97706 }
    .signal .box { fill: #fdf2f8; stroke: #db2777 }
    .sleep .box { fill: #f0fdfa; stroke: #0d9488 }
    .edge { fill: none; stroke: #94a3b8; stroke-width: 1.5 }
    .tip { fill: #94a3b8 }
    .after-failure { stroke-dasharray: 5 4 }
    .note { fill: #fefce8; stroke: #ca8a04 }
    text { fill: #0f172a; font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace }
    .name { font-weight: 600 }
    .small { fill: #475569 }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0f172a; stroke: #1e293b }
      .box { fill: #1e293b; stroke: #94a3b8 }
      .python .box { fill: #172554; stroke: #60a5fa }
      .workflow .box { fill: #2e1065; stroke: #a78bfa }
      .approval .box { fill: #451a03; stroke: #f59e0b }
      .signal .box { fill: #500724; stroke: #f472b6 }
      .sleep .box { fill: #042f2e; stroke: #2dd4bf }
      .edge { stroke: #64748b }
      .tip { fill: #64748b }
      .note { fill: #422006; stroke: #a16207 }
      text { fill: #f1f5f9 }
      .small { fill: #cbd5e1 }
    }
"""


def as_svg(dag: Dag) -> str:
    """Ends with a line break."""
    layout = lay_out(dag)
    boxes = [_Box.of(task) for task in dag.tasks.values()]
    plan = _SvgPlan.of(layout, boxes)
    title = one_line(dag.name)
    about = one_line(dag.description)
    heading_width = max(_width(title, 16), _width(shorten(about, 100), _SMALL_SIZE))
    width = max(plan.width, heading_width + 2 * _MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(plan.height)}" '
        f'width="{_n(width)}" height="{_n(plan.height)}" role="img" aria-labelledby="title desc">',
        f'  <title id="title">{_text(title)}</title>',
        f'  <desc id="desc">{_text(_description(dag))}</desc>',
        f"  <style>{_STYLE}  </style>",
        '  <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        _rectangle("paper", 0.5, 0.5, width - 1, plan.height - 1, 12),
        f'  <text class="name" x="{_n(_MARGIN)}" y="32" font-size="16">{_text(title)}</text>',
    ]
    if about:
        room = int((width - 2 * _MARGIN) / (_PER_COLUMN * _SMALL_SIZE))
        line = _text(shorten(about, room))
        parts.append(
            f'  <text class="small" x="{_n(_MARGIN)}" y="51" font-size="{_SMALL_SIZE}">{line}</text>'
        )
    names = list(dag.tasks)
    for (before, number), route in layout.routes.items():
        parts.append(_edge(plan, route, dag.tasks[names[before]], dag.tasks[names[number]]))
    parts += [_node(plan, number, box) for number, box in enumerate(boxes)]
    return "\n".join([*parts, "</svg>"]) + "\n"


# --- what is drawn, and where


class _Box(NamedTuple):
    """A task, measured. Heights are on both sides of the line that its edges lie on."""

    task: DagTask
    kind: KindName
    lines: list[str]
    """Below the name."""
    notes: list[str]
    width: float
    height: float

    @classmethod
    def of(cls, task: DagTask) -> _Box:
        kind, work, repetition = kind_of(task), work_of(task), repetition_of(task)
        lines = [shorten(f"{kind} {work}".rstrip(), _LONGEST_LINE)]
        if repetition:
            lines.append(shorten(repetition, _LONGEST_LINE))
        notes = [shorten(note, _LONGEST_LINE) for note in conditions_of(task)]
        text = max(
            _width(shorten(task.name, _LONGEST_NAME), _NAME_SIZE),
            *(_width(line, _SMALL_SIZE) for line in lines),
            *(_width(note, _NOTE_SIZE) + 2 * _FOLD for note in notes),
            _NARROWEST,
        )
        return cls(task, kind, lines, notes, text + 2 * _PADDING, 20.0 + _LINE * (1 + len(lines)))

    @property
    def room(self) -> Extent:
        stack = 2 * _STACK if self.task.fan_out is not None else 0.0
        return Extent(self.height / 2 + stack + 6, self.height / 2 + self._note_height + 6)

    @property
    def _note_height(self) -> float:
        return _NOTE_LINE * len(self.notes) + 10 if self.notes else 0.0


class _SvgPlan(NamedTuple):
    lefts: list[float]
    """Of each layer."""
    widths: list[float]
    layer_of: dict[int, int]
    levels: dict[int, float]
    """Of each vertex: how far down its edges lie."""
    width: float
    height: float

    @classmethod
    def of(cls, layout: Layout, boxes: list[_Box]) -> _SvgPlan:
        def room(vertex: int) -> Extent:
            return boxes[vertex].room if vertex < layout.tasks else Extent(0.0, 0.0)

        levels = place(layout, room, _BETWEEN_VERTICES)
        bottom = max(levels[vertex] + room(vertex).below for vertex in levels)
        layer_of = {vertex: number for number, layer in enumerate(layout.layers) for vertex in layer}
        widths = [
            max((boxes[vertex].width for vertex in layer if vertex < layout.tasks), default=0.0)
            for layer in layout.layers
        ]
        steepest = [0.0] * len(widths)
        for route in layout.routes.values():
            for left, right in pairwise(route):
                layer = layer_of[left]
                steepest[layer] = max(steepest[layer], abs(levels[left] - levels[right]))
        lefts: list[float] = []
        x = _MARGIN
        for layer, width in enumerate(widths):
            lefts.append(x)
            # Steep edges need a wider gap, or they look like a wall.
            x += width + _BETWEEN_LAYERS + min(90.0, steepest[layer] / 6)
        return cls(
            lefts,
            widths,
            layer_of,
            {vertex: level + _HEADING + 8 for vertex, level in levels.items()},
            lefts[-1] + widths[-1] + _MARGIN + 2 * _STACK,
            bottom + _HEADING + 8 + _MARGIN,
        )

    def left(self, vertex: int) -> float:
        return self.lefts[self.layer_of[vertex]]

    def right(self, vertex: int) -> float:
        return self.left(vertex) + self.widths[self.layer_of[vertex]]


def _edge(plan: _SvgPlan, route: list[int], before: DagTask, task: DagTask) -> str:
    x, y = plan.right(route[0]), plan.levels[route[0]]
    if before.fan_out is not None:
        path = f"M{_n(x + 2 * _STACK)} {_n(y)}"
        x += 2 * _STACK
    else:
        path = f"M{_n(x)} {_n(y)}"
    for vertex in route[1:]:
        to_x, to_y = plan.left(vertex), plan.levels[vertex]
        if to_y == y:
            path += f" H{_n(to_x)}"
        else:
            half = (x + to_x) / 2
            path += f" C{_n(half)} {_n(y)} {_n(half)} {_n(to_y)} {_n(to_x)} {_n(to_y)}"
        x, y = to_x, to_y
        if vertex != route[-1]:
            x = plan.right(vertex)
            path += f" H{_n(x)}"
    kind = "edge after-failure" if task.runs_on_failure else "edge"
    said = _text(f"{before.name} → {task.name}")
    return f'  <path class="{kind}" d="{path}" marker-end="url(#tip)"><title>{said}</title></path>'


def _node(plan: _SvgPlan, number: int, box: _Box) -> str:
    task = box.task
    left, width = plan.left(number), plan.widths[plan.layer_of[number]]
    top = plan.levels[number] - box.height / 2
    parts = [
        f'  <g class="{box.kind}" data-task="{_text(task.name)}">',
        f"    <title>{_text(_told(task))}</title>",
    ]
    if box.notes:
        parts += _note(box.notes, left + 10, top + box.height - 2, width - 20)
    if task.fan_out is not None:
        for step in (2, 1):
            parts.append(_outline(box.kind, left + step * _STACK, top - step * _STACK, width, box.height))
    parts.append(_outline(box.kind, left, top, width, box.height))
    middle, line = left + width / 2, top + 10 + _LINE * 0.72
    name = _text(shorten(task.name, _LONGEST_NAME))
    parts.append(_centred("name", middle, line, _NAME_SIZE, name))
    for said in box.lines:
        line += _LINE
        parts.append(_centred("small", middle, line, _SMALL_SIZE, _text(said)))
    return "\n".join([*parts, "  </g>"])


def _outline(kind: KindName, x: float, y: float, width: float, height: float) -> str:
    right, bottom, middle = x + width, y + height, y + height / 2
    match kind:
        case "shell":
            return _rectangle("box", x, y, width, height, 2)
        case "python":
            return _rectangle("box", x, y, width, height, 10)
        case "sleep":
            return _rectangle("box", x, y, width, height, height / 2)
        case "workflow":
            bars = f"M{_n(x + 6)} {_n(y)} V{_n(bottom)} M{_n(right - 6)} {_n(y)} V{_n(bottom)}"
            return _rectangle("box", x, y, width, height, 2) + f'\n    <path class="box" d="{bars}"/>'
        case "approval":
            corners = [(x, middle), (x + 12, y), (right - 12, y), (right, middle), (right - 12, bottom)]
            return _polygon([*corners, (x + 12, bottom)])
        case "signal":
            return _polygon([(x, y), (right - 12, y), (right, middle), (right - 12, bottom), (x, bottom)])


def _note(notes: list[str], x: float, y: float, width: float) -> list[str]:
    """A sheet with a folded corner, half under the box that it belongs to."""
    height = _NOTE_LINE * len(notes) + 8
    right, bottom = x + width, y + height
    sheet = (
        f"M{_n(x)} {_n(y)} V{_n(bottom)} H{_n(right - _FOLD)} L{_n(right)} {_n(bottom - _FOLD)} V{_n(y)} Z"
    )
    corner = f"M{_n(right - _FOLD)} {_n(bottom)} V{_n(bottom - _FOLD)} H{_n(right)}"
    parts = [f'    <path class="note" d="{sheet}"/>', f'    <path class="note" d="{corner}"/>']
    for number, note in enumerate(notes, 1):
        line = y + _NOTE_LINE * number
        parts.append(_centred("small", x + width / 2, line, _NOTE_SIZE, _text(note)))
    return parts


def _rectangle(style: str, x: float, y: float, width: float, height: float, radius: float) -> str:
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'    <rect class="{style}" {place} rx="{_n(radius)}"/>'


def _polygon(corners: list[tuple[float, float]]) -> str:
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in corners)
    return f'    <polygon class="box" points="{points}"/>'


def _centred(style: str, x: float, y: float, size: int, text: str) -> str:
    place = f'x="{_n(x)}" y="{_n(y)}" font-size="{size}" text-anchor="middle"'
    return f'    <text class="{style}" {place}>{text}</text>'


# --- words


def _description(dag: Dag) -> str:
    tasks = list(dag.tasks.values())
    said = [f"{len(tasks)} tasks." if len(tasks) != 1 else "1 task."]
    for task in tasks[:_TOLD_AT_MOST]:
        after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
        said.append(f"{task.name} ({kind_of(task)}){after}.")
    if len(tasks) > _TOLD_AT_MOST:
        said.append(f"And {len(tasks) - _TOLD_AT_MOST} more.")
    return " ".join(said)


def _told(task: DagTask) -> str:
    """All of what the box may have cut short."""
    said = [task.name, f"{kind_of(task)}: {work_of(task)}", repetition_of(task), *conditions_of(task)]
    return "\n".join(line for line in (*said, one_line(task.description)) if line)


def _width(text: str, size: float) -> float:
    return columns_of(text) * size * _PER_COLUMN


def _text(text: str) -> str:
    return escape(text, quote=True)


def _n(number: float) -> str:
    """Short: a tenth of a pixel is finer than anyone can see."""
    return f"{number:.1f}".removesuffix(".0")
