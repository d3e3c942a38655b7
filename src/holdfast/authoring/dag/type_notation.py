"""Reads types as they are written in YAML: `str`, `[str]`, `{files: [str], note: str?}`, `types.Extract`.

A type is text, a list of one type, or a map of fields. Text may have the other two in it, which is necessary
in YAML if more follows: `"[str]?"`, `"[str] = []"`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from holdfast.authoring.dag import types
from holdfast.authoring.dag.types import ANY, SCALARS, ListType, ObjectType, Type, check, maybe
from holdfast.authoring.documents.nodes import ListNode, MapNode, Node, ScalarNode, value_of
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.documents.shapes import TypeNotation, conform
from holdfast.authoring.documents.yaml_text import compose
from holdfast.errors import show

_DEEPEST: Final = 30
_LARGEST: Final = 2000
"""How many types a type may have inside. A named type counts each time it is used."""


class Declared(NamedTuple):
    """The type of an input of a run, and its default."""

    type: Type
    has_default: bool
    default: Any


class Notation:
    """Reads types. Named types are read at their first use, so their order does not matter."""

    def __init__(self, named: MapNode, problems: Problems, *, is_complete: bool = True) -> None:
        """`is_complete` is False if there may be more named types, which could not be read."""
        self._problems = problems
        self._nodes = named.entries
        self._lost = named.broken
        self._is_complete = is_complete
        self._known: dict[str, Type] = {}
        self._under_way: list[str] = []
        self._is_too_large = False

    def read_all(self) -> None:
        """Read every named type, so that unused ones are checked as well."""
        for name, entry in self._nodes.items():
            if name in SCALARS or name == "types":
                self._problems.add(
                    entry.key.position, f"{name} means something already; give the type another name"
                )
            self._named(name)

    def read(self, node: Node) -> Type:
        """The type. `any` if it is wrong; the problem has been reported."""
        read = self._type(node)
        if self._is_too_large or _size(read) > _LARGEST or _depth(read) > _DEEPEST:
            self._report_size(node.position)
            return ANY
        return read

    def _report_size(self, position: Position) -> None:
        if not self._is_too_large:  # once, since every type around it is too large as well
            self._problems.add(
                position, f"a type of more than {_DEEPEST} levels or {_LARGEST:,} parts; use any inside of it"
            )
        self._is_too_large = True

    def declared(self, name: str, node: Node) -> Declared:
        """A run's input: a type, after which a default may follow (`int = 100`)."""
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            return _optional(self.read(node))
        split = _find_default(node.value)
        if split is None:
            return _optional(self.read(node))
        its_type = self.read(_part(node, 0, split))
        literal = _part(node, split + 1, len(node.value))
        value = compose(literal.text, self._problems, origin=literal.at(0))
        if value is None:
            return Declared(its_type, True, None)
        default = value_of(value)
        wrong = check(default, its_type)
        if wrong is not None:
            self._problems.add(literal.at(0), f"the default of {name} does not fit its type: {wrong}")
        return Declared(its_type, True, default)

    # --- one type

    def _type(self, node: Node) -> Type:
        match node:
            case ListNode([of]):
                return ListType(self._type(of))
            case MapNode(entries):
                return ObjectType({name: self._type(entry.value) for name, entry in entries.items()})
            case ScalarNode(str() as text):
                return self._from_text(node, text)
            case _:
                return ANY  # its shape has been reported

    def _from_text(self, node: ScalarNode, text: str) -> Type:
        bare = text.strip()
        start = len(text) - len(text.lstrip())
        if bare.endswith("?"):
            without = bare.rstrip("? ")
            return maybe(self._type(_part(node, start, start + len(without))))
        if bare[:1] in ("[", "{"):
            inner = compose(bare, self._problems, origin=node.at(start))
            if inner is not None:  # its shape has not been checked yet
                inner = conform(inner, TypeNotation(), "a type", self._problems)
            return ANY if inner is None else self._type(inner)
        if "=" in bare:
            self._problems.add(node.at(text.index("=")), "only a run's input can have a default")
            return ANY
        return self._by_name(bare, node.at(start))

    # --- names

    def _by_name(self, name: str, position: Position) -> Type:
        wanted = name.removeprefix("types.")
        if wanted == name and name in SCALARS:
            return types.ScalarType(name)
        if wanted in self._lost or (wanted not in self._nodes and not self._is_complete):
            return ANY
        if wanted not in self._nodes:
            known = [*SCALARS, *self._nodes]
            hint = self._problems.did_you_mean(wanted, known)
            self._problems.add(position, f"no type {show(name)}{hint or '; there are ' + _some(known)}")
            return ANY
        if wanted in self._under_way:
            circle = " -> ".join([*self._under_way[self._under_way.index(wanted) :], wanted])
            self._problems.add(position, f"a type cannot contain itself: {circle}")
            return ANY
        return self._named(wanted)

    def _named(self, name: str) -> Type:
        if name not in self._known:
            self._under_way.append(name)
            if len(self._under_way) > _DEEPEST:
                self._known[name] = ANY
                self._report_size(self._nodes[name].key.position)
            else:
                read = self.read(self._nodes[name].value)
                self._known[name] = ObjectType(read.fields, name) if isinstance(read, ObjectType) else read
            self._under_way.pop()
        return self._known[name]


def _optional(type: Type) -> Declared:
    """`str?` may be left out, and is null then."""
    return Declared(type, has_default=maybe(type) is type and type != ANY, default=None)


def _part(node: ScalarNode, start: int, end: int) -> ScalarNode:
    """A part of a text, with its own position."""
    text = str(node.value)[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    inner = None if node.inner is None else node.at(start)
    return ScalarNode(text, text, inner or node.position, inner)


def _find_default(text: str) -> int | None:
    """The index of the `=` that is not inside of brackets."""
    depth = 0
    for index, character in enumerate(text):
        if character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "=" and depth == 0:
            return index
    return None


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def _inside(type: Type) -> list[Type]:
    match type:
        case types.ScalarType():
            return []
        case ObjectType(fields):
            return list(fields.values())
        case _:
            return [type.of]


def _depth(type: Type) -> int:
    return 1 + max((_depth(each) for each in _inside(type)), default=0)


def _size(type: Type) -> int:
    """Stops counting when it is too large: nested names can stand for a billion types."""
    size, todo = 0, [type]
    while todo and size <= _LARGEST:
        size += 1
        todo += _inside(todo.pop())
    return size
