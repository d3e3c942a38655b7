"""A document as nodes: values of JSON that know their position in the text.

`yaml_text` and `json_text` make them, and everything that reads documents works on them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from holdfast.authoring.documents.problems import Position
from holdfast.errors import show

ScalarValue: TypeAlias = str | int | float | bool | None


class ScalarNode(NamedTuple):
    value: ScalarValue
    text: str
    """As it was written, so that 1.10 can become the text 1.10."""
    position: Position
    inner: Position | None = None
    """Where the text begins, if it is written on one line without folding and escapes."""

    def at(self, offset: int) -> Position:
        """The position of a character of the text, or of the node if that cannot be told."""
        return self.position if self.inner is None else Position(self.inner.line, self.inner.column + offset)


class ListNode(NamedTuple):
    items: list[Node]
    position: Position


class MapEntry(NamedTuple):
    key: ScalarNode
    value: Node


class MapNode(NamedTuple):
    entries: dict[str, MapEntry]
    position: Position
    broken: frozenset[str] = frozenset()
    """Keys whose entries were wrong and are left out. The problems have been reported."""

    def get(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.value

    def has(self, key: str) -> bool:
        """Whether the document has this key, with a good value or a broken one."""
        return key in self.entries or key in self.broken


Node: TypeAlias = ScalarNode | ListNode | MapNode


def text_of(node: Node | None) -> str:
    """The text of a node that is known to be text. Empty if there is no node."""
    value = node.value if isinstance(node, ScalarNode) else ""
    return value if isinstance(value, str) else ""


def entries_of(node: Node | None) -> dict[str, MapEntry]:
    return node.entries if isinstance(node, MapNode) else {}


def texts_of(node: Node | None) -> tuple[str, ...]:
    """Those of a list. Empty if there is none."""
    return tuple(map(text_of, items_of(node)))


def items_of(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, ListNode) else []


def value_of(node: Node) -> Any:
    """The value as JSON has it. Without recursion: JSON may be nested deeper than the stack allows."""
    whole: list[Any] = [None]
    to_fill: list[tuple[Node, Any, Any]] = [(node, whole, 0)]
    while to_fill:
        node, container, key = to_fill.pop()
        match node:
            case ScalarNode(value):
                container[key] = value
            case ListNode(items):
                made: Any = [None] * len(items)
                container[key] = made
                to_fill += [(item, made, number) for number, item in enumerate(items)]
            case MapNode(entries):
                made = dict.fromkeys(entries)
                container[key] = made
                to_fill += [(entry.value, made, name) for name, entry in entries.items()]
    return whole[0]


def is_broken(node: Node) -> bool:
    """Whether something inside of the node was wrong and is left out."""
    if isinstance(node, MapNode):
        return bool(node.broken) or any(is_broken(entry.value) for entry in node.entries.values())
    return isinstance(node, ListNode) and any(is_broken(item) for item in node.items)


def describe_node(node: Node) -> str:
    """Names the node at the end of a message: "must be text, not …"."""
    match node:
        case ListNode():
            return "a list"
        case MapNode():
            return "a map"
        case ScalarNode(None):
            return "empty" if node.text == "" else "null"
        case ScalarNode(bool()):
            return node.text
        case ScalarNode(value):
            return show(value)
