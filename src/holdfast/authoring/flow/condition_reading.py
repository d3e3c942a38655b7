"""From the node of an `expr` to the tree of a condition. Each mistake is reported at its position."""

from __future__ import annotations

from typing import Final

from holdfast.authoring.documents.expression_tree import Constant, Operation, Part, Reference
from holdfast.authoring.documents.nodes import ListNode, MapNode, Node, ScalarNode, describe_node, value_of
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.flow.conditions import COMPARISONS
from holdfast.authoring.flow.path_reading import path_at, paths_inside
from holdfast.authoring.flow.paths import is_rooted
from holdfast.errors import show

OPERATORS: Final = ("and", "or", "not", *COMPARISONS, "exists", "in", "contains")
_DEEPEST: Final = 50
_MOST_PARTS: Final = 1000


class ConditionReader:
    """Reads one `expr`."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._parts = 0

    def read(self, node: Node) -> Part | None:
        """None if something is wrong with it. The problem has been reported."""
        return self._condition(node, 1)

    def _condition(self, node: Node, depth: int) -> Part | None:
        self._parts += 1
        match node:
            case ScalarNode(str() as text) if is_rooted(text):
                path = path_at(node, "expr", self._problems)
                return None if path is None else Operation("eq", (Reference(path), Constant(True)))
            case MapNode(entries) if len(entries) == 1:
                ((name, (key, value)),) = entries.items()
                return self._operation(name, key.position, value, depth)
            case MapNode(entries):
                found = ", ".join(map(show, entries)) or "none"
                self._problems.add(
                    node.position, f"a condition has exactly one operator, and here is {found}"
                )
            case _:
                reason = (
                    "a condition is a map with one operator, such as {gt: [$shared.total, 100]}, or a path"
                )
                self._problems.add(node.position, f"{reason}, not {describe_node(node)}")
        return None

    def _operation(self, name: str, position: Position, given: Node, depth: int) -> Part | None:
        if depth > _DEEPEST or self._parts > _MOST_PARTS:
            reason = f"a condition has at most {_MOST_PARTS:,} parts, in at most {_DEEPEST} levels"
            self._problems.add_last(position, reason)
            return None
        match name:
            case "and" | "or":
                return self._together(name, given, depth)
            case "not":
                part = self._only(given, name)
                inner = None if part is None else self._condition(part, depth + 1)
                return None if inner is None else Operation("not", (inner,))
            case "exists":
                return self._exists(given)
            case _ if name in OPERATORS:
                return self._of_two(name, given)
            case _:
                hint = self._problems.did_you_mean(name, OPERATORS) or f"; there are {', '.join(OPERATORS)}"
                self._problems.add(position, f"no operator {show(name)}{hint}")
                return None

    def _together(self, name: str, given: Node, depth: int) -> Part | None:
        if not isinstance(given, ListNode) or not given.items:
            what = "an empty list" if isinstance(given, ListNode) else describe_node(given)
            self._problems.add(given.position, f"{name} takes a list of conditions, not {what}")
            return None
        parts: list[Part] = []
        for item in given.items:
            part = self._condition(item, depth + 1)
            if part is not None:
                parts.append(part)
            if self._parts > _MOST_PARTS:
                break
        if len(parts) < len(given.items):
            return None
        return Operation(name, tuple(parts))

    def _only(self, given: Node, name: str) -> Node | None:
        """The one operand, in a list or without."""
        if not isinstance(given, ListNode):
            return given
        if len(given.items) == 1:
            return given.items[0]
        self._problems.add(given.position, f"{name} takes one operand, not {len(given.items)}")
        return None

    def _exists(self, given: Node) -> Part | None:
        node = self._only(given, "exists")
        match node:
            case None:
                return None
            case ScalarNode(str()):
                path = path_at(node, "exists", self._problems)
                return None if path is None else Operation("exists", (Reference(path),))
            case _:
                self._problems.add(node.position, f"exists takes a path, not {describe_node(node)}")
                return None

    def _of_two(self, name: str, given: Node) -> Part | None:
        if not isinstance(given, ListNode) or len(given.items) != 2:
            what = f"a list of {len(given.items)}" if isinstance(given, ListNode) else describe_node(given)
            self._problems.add(given.position, f"{name} takes a list of two operands, not {what}")
            return None
        left, right = (self._operand(item, name) for item in given.items)
        if left is None or right is None:
            return None
        match name:
            case "in":
                return Operation("within", (left, right))
            case "contains":
                return Operation("within", (right, left))
            case _:
                return Operation(name, (left, right))

    def _operand(self, node: Node, name: str) -> Part | None:
        if isinstance(node, ScalarNode) and isinstance(node.value, str) and is_rooted(node.value):
            path = path_at(node, f"an operand of {name}", self._problems)
            return None if path is None else Reference(path)
        hidden = list(paths_inside(node))
        for scalar in hidden:
            reason = f"{show(scalar.value)} is not looked up inside of a list or a map; only an operand is"
            self._problems.add(scalar.position, reason)
        return None if hidden else Constant(value_of(node))
