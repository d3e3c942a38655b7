"""The path of a value in a document, as in `$.nodes.check.choice_cases[0].expr`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from holdfast.authoring.documents.nodes import ListNode, MapNode, Node
from holdfast.authoring.documents.problems import Position

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST_KEY: Final = 100
_LONGEST_PATH: Final = 500


def path_text(steps: Sequence[str | int]) -> str:
    """The path from the whole document to a part. A path that is too long is cut in the middle."""
    path = "$" + "".join(map(_step, steps))
    half = _LONGEST_PATH // 2
    return path if len(path) <= _LONGEST_PATH else f"{path[:half]}…{path[-half:]}"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _SIMPLE.fullmatch(step) and len(step) <= _LONGEST_KEY:
        return f".{step}"
    return f"[{json.dumps(step[:_LONGEST_KEY], ensure_ascii=False)}]"


class JsonPaths(Mapping[Position, str]):
    """The path of the value at a position. A key has the path of its value.

    In YAML a map and its first key begin at the same position, so they are told apart by the identity of the
    `Position`. An equal `Position` that no node has gives the path of the map. Paths are made on demand:
    those of all values together can be far longer than the text.
    """

    def __init__(self, root: Node) -> None:
        self._positions: dict[int, Position] = {}
        """By identity. They are kept here, so that no other object gets the same identity."""
        self._parents: dict[int, tuple[Position, str | int]] = {}
        self._first: dict[Position, Position] = {}
        self._note(root.position)
        to_visit = [root]
        while to_visit:
            node = to_visit.pop()
            match node:
                case MapNode(entries):
                    for name, (key, value) in entries.items():
                        self._note(key.position, (node.position, name))
                        self._note(value.position, (node.position, name))
                        to_visit.append(value)
                case ListNode(items):
                    for number, item in enumerate(items):
                        self._note(item.position, (node.position, number))
                        to_visit.append(item)
                case _:
                    pass

    def _note(self, position: Position, parent: tuple[Position, str | int] | None = None) -> None:
        """A node that aliases stand for has the path of its first use."""
        if id(position) in self._positions:
            return
        self._positions[id(position)] = position
        self._first.setdefault(position, position)
        if parent is not None:
            self._parents[id(position)] = parent

    def __getitem__(self, position: Position) -> str:
        if id(position) not in self._positions:
            position = self._first[position]
        steps: list[str | int] = []
        parent = self._parents.get(id(position))
        while parent is not None:
            steps.append(parent[1])
            parent = self._parents.get(id(parent[0]))
        return path_text(steps[::-1])

    def __iter__(self) -> Iterator[Position]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)
