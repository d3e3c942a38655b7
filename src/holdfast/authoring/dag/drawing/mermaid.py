"""A DAG as Mermaid, which Markdown pages on GitHub, GitLab and elsewhere show as a picture."""

from __future__ import annotations

from typing import Final

from holdfast.authoring.dag.drawing.labels import (
    KindName,
    conditions_of,
    kind_of,
    repetition_of,
    shorten,
    work_of,
)
from holdfast.authoring.dag.model import Dag, DagTask

_LONGEST: Final = 60
"""Columns of a line in a box."""
_SHAPES: Final[dict[KindName, tuple[str, str]]] = {
    "shell": ("[", "]"),
    "python": ("(", ")"),
    "workflow": ("[[", "]]"),
    "approval": ("{{", "}}"),
    "signal": (">", "]"),
    "sleep": ("([", "])"),
}
# Mermaid reads these itself inside a label: as the end of it, as HTML, as an entity, as Markdown.
_ESCAPED: Final = str.maketrans({character: f"#{ord(character)};" for character in '"#&<>`*_~\\|{}[]()'})


def as_mermaid(dag: Dag) -> str:
    """Ends with a line break."""
    # A name such as `end` or `graph` is a word of Mermaid's, so tasks have numbers there.
    ids = {name: f"t{number}" for number, name in enumerate(dag.tasks, 1)}
    lines = ["flowchart LR"]
    lines += [f"    {ids[task.name]}{_node(task)}" for task in dag.tasks.values()]
    for task in dag.tasks.values():
        arrow = "-.->" if task.runs_on_failure else "-->"
        lines += [f"    {ids[before]} {arrow} {ids[task.name]}" for before in task.depends_on]
    return "\n".join(lines) + "\n"


def _node(task: DagTask) -> str:
    kind = kind_of(task)
    before, after = _SHAPES[kind]
    work = shorten(work_of(task), _LONGEST)
    said = [f"<b>{_escaped(task.name)}</b>", _escaped(f"{kind}: {work}" if work else kind)]
    said += [
        f"<i>{_escaped(shorten(note, _LONGEST))}</i>"
        for note in (repetition_of(task), *conditions_of(task))
        if note
    ]
    return f'{before}"{"<br/>".join(said)}"{after}'


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)
