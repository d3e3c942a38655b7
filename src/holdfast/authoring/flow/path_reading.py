"""Reads paths from nodes of a document. A path that is wrong is reported at its position."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.authoring.documents.nodes import ListNode, MapNode, Node, ScalarNode, text_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.references import Path, Steps
from holdfast.authoring.flow.paths import ROOTS, BadPath, is_rooted, parse_path, parse_steps
from holdfast.errors import show

_ROOT = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")


def path_at(node: Node, title: str, problems: Problems) -> Path | None:
    """None if it is no path, or a path that never has a value. The problem has been reported."""
    text = text_of(node)
    try:
        path = parse_path(text)
    except BadPath as error:
        problems.add(node.position, f"{title} is {show(text)}, but {error}{_meant(text, problems)}")
        return None
    if path.root != "input" and path.steps and isinstance(path.steps[0], int):
        problems.add(node.position, f"{title} is {show(text)}, but ${path.root} is a map, not a list")
        return None
    return path


def source_at(node: Node, title: str, problems: Problems) -> Path | None:
    """A path in `prep`. It cannot lead to $input, which `prep` makes."""
    path = path_at(node, title, problems)
    if path is not None and path.root == "input":
        problems.add(node.position, f"{title}: there is no $input yet; prep says what it will be")
    return path


def _meant(text: str, problems: Problems) -> str:
    root = _ROOT.match(text)
    names = [f"${name}" for name in ROOTS]
    return "" if root is None or root[0] in names else problems.did_you_mean(root[0], names)


def steps_at(node: Node, title: str, problems: Problems) -> Steps | None:
    """None if it is no path inside of a value. The problem has been reported."""
    text = text_of(node)
    try:
        return parse_steps(text)
    except BadPath as error:
        problems.add(node.position, f"{title} is {show(text)}, but {error}")
        return None


def paths_inside(node: Node) -> Iterator[ScalarNode]:
    """The texts inside of a list or a map that would be paths outside of it."""
    to_visit = [node]
    while to_visit:
        inside = to_visit.pop()
        match inside:
            case ListNode(items):
                to_visit += items
            case MapNode(entries):
                to_visit += [entry.value for entry in entries.values()]
            case ScalarNode(str() as text):
                if is_rooted(text) and text[1:].startswith(ROOTS) and inside is not node:
                    yield inside
            case _:
                pass
