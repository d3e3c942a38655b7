"""Shapes: what a document may have where, as data.

A table of fields (`fields.py`) has three readers: `conform` reports what is wrong with a node, `json_schema`
tells editors the same, and `field_values.read_fields` gives the values of plain fields. The meaning of a text
(a reference, a condition, a cron line, the name of a type) is not its shape; `reading.py` of each kind looks
into that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, assert_never

from holdfast.authoring.documents.nodes import ListNode, MapEntry, MapNode, Node, ScalarNode, describe_node
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.errors import show

MOST_ENTRIES: Final = 10_000
"""Of a list or a map."""


class Text(NamedTuple):
    expected: str = "text"
    pattern: str | None = None
    """In the syntax that Python and JavaScript share. The whole text must match."""
    longest: int = 10_000


class Number(NamedTuple):
    expected: str
    least: float
    most: float
    is_whole: bool = True
    without_least: bool = False


class TrueOnly(NamedTuple):
    """In a UnionShape: true, and nothing else."""

    expected: str = "true"


class Enumeration(NamedTuple):
    options: tuple[str, ...]

    @property
    def expected(self) -> str:
        return " or ".join(self.options) if len(self.options) < 3 else "one of " + ", ".join(self.options)


class Plain(NamedTuple):
    """Text, a number, true or false."""

    expected: str = "text or a number"


class ListShape(NamedTuple):
    item: Shape
    expected: str
    least: int = 0
    most: int = MOST_ENTRIES


class MapShape(NamedTuple):
    key: Text
    value: Shape
    expected: str
    least: int = 0


class UnionShape(NamedTuple):
    """One of several shapes. The kind of a node tells which: no two of them take the same kind."""

    shapes: tuple[OneOfThem, ...]
    expected: str


class Anything(NamedTuple):
    expected: str = "any value"


class TypeNotation(NamedTuple):
    """Text, a list of one type, or a map of types."""

    expected: str = "a type, such as str, [int], {name: str} or the name of one"


class OnlyFor(NamedTuple):
    """Which kinds of task or node have a field, and why no others do."""

    kinds: tuple[str, ...]
    because: str = ""


FieldReader: TypeAlias = Callable[[Node, str, Problems], Any]
"""Reads a node of the right shape; the text is its title. Reports a wrong value and returns None for it."""


class Field(NamedTuple):
    shape: Shape
    description: str
    read: FieldReader | None = None
    """None: the shape tells how to read it; see `field_values.read_fields`."""
    only_for: OnlyFor | None = None
    """None: all kinds have the field."""

    def is_for(self, kind: str) -> bool:
        return self.only_for is None or kind in self.only_for.kinds


def for_kinds(only_for: Mapping[str, OnlyFor], fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields, each with the kinds that have it."""
    return {name: field._replace(only_for=only_for.get(name)) for name, field in fields.items()}


class Excludes(NamedTuple):
    """`field` does not go with `other`."""

    field: str
    other: str
    because: str


class Needs(NamedTuple):
    """`field` needs one of the `others`; if `value` is given, only if the field has this value."""

    field: str
    others: tuple[str, ...]
    value: str | None = None


class Record(NamedTuple):
    fields: dict[str, Field]
    expected: str
    required: tuple[str, ...] = ()
    exactly_one: tuple[str, ...] = ()
    """The record has exactly one of these fields."""
    excludes: tuple[Excludes, ...] = ()
    needs: tuple[Needs, ...] = ()


OneOfThem: TypeAlias = Text | Number | TrueOnly | Enumeration | ListShape | Record
Shape: TypeAlias = OneOfThem | Plain | MapShape | UnionShape | Anything | TypeNotation


VARIABLES: Final = MapShape(
    Text("the name of a variable: letters, digits and _", r"[A-Za-z_][A-Za-z0-9_]*", 200),
    Plain(),
    "a map of variables",
)
"""The environment of a process."""

SECRETS: Final = ListShape(
    Text(
        "the name of a secret, such as STRIPE_KEY, which does not begin with HOLDFAST_",
        r"(?!HOLDFAST_)[A-Za-z_][A-Za-z0-9_]{0,99}",
    ),
    "a list of names of secrets",
    least=1,
    most=100,
)


def conform(
    node: Node, shape: Shape, title: str, problems: Problems, owner: Position | None = None
) -> Node | None:
    """Reports the entries that have the wrong shape. Returns the node without them; None if nothing is left.

    `title` names the node in messages. `owner` is the position of its key, where a missing entry is reported.
    """
    match shape, node:
        case UnionShape(shapes), _:
            for each in shapes:
                if takes(each, node):
                    return conform(node, each, title, problems, owner)
        case ((Anything() | TrueOnly()), _):
            return node
        case Text(), ScalarNode(str() as text):
            return _text(node, text, shape, title, problems)
        case Number(), ScalarNode(int() | float() as number) if takes(shape, node):
            return _number(node, number, shape, title, problems)
        case Enumeration(options), ScalarNode(str() as text):
            if text in options:
                return node
            return _refuse(node, shape, title, problems, problems.did_you_mean(text, options))
        case Plain(), ScalarNode(value) if value is not None:
            return node
        case TypeNotation(), _:
            return _type_notation(node, shape, title, problems)
        case ListShape(), ListNode():
            return _list(node, shape, title, problems)
        case MapShape(), MapNode():
            return _map(node, shape, title, problems, owner)
        case Record(), MapNode():
            return _record(node, shape, title, problems, owner)
        case _:
            pass
    return _refuse(node, shape, title, problems, _quoting(node, shape))


def takes(shape: OneOfThem, node: Node) -> bool:
    """Whether the shape is for nodes of this kind, whatever else may be wrong with the node."""
    match shape:
        case Text() | Enumeration():
            return isinstance(node, ScalarNode) and isinstance(node.value, str)
        case Number():
            return isinstance(node, ScalarNode) and type(node.value) in (int, float)
        case TrueOnly():
            return isinstance(node, ScalarNode) and node.value is True
        case ListShape():
            return isinstance(node, ListNode)
        case Record():
            return isinstance(node, MapNode)
        case _:
            assert_never(shape)


def _refuse(node: Node, shape: Shape, title: str, problems: Problems, hint: str = "") -> None:
    problems.add(node.position, f"{title} must be {shape.expected}, not {describe_node(node)}{hint}")


def _quoting(node: Node, shape: Shape) -> str:
    """A hint for text that YAML takes for something else, as in `command: true`."""
    if not isinstance(node, ScalarNode):
        return ""
    if isinstance(shape, Plain):
        return "; write '' for empty text"
    shapes = shape.shapes if isinstance(shape, UnionShape) else (shape,)
    can_be_text = any(isinstance(each, Text) and each.pattern is None for each in shapes)
    is_other = node.value is not None and not isinstance(node.value, str)
    return (
        f"; in quotes it is text: '{node.text}'"
        if can_be_text and is_other and TrueOnly() not in shapes
        else ""
    )


# --- single values


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _text(node: ScalarNode, text: str, shape: Text, title: str, problems: Problems) -> Node | None:
    if not text:
        problems.add(node.position, f"{title} must be {shape.expected}, not empty")
    elif len(text) > shape.longest:
        problems.add(
            node.position, f"{title} has {len(text):,} characters; at most {shape.longest:,} will do"
        )
    elif not is_text(text, shape):
        _refuse(node, shape, title, problems)
    else:
        return node
    return None


def is_text(text: str, shape: Text) -> bool:
    if not 1 <= len(text) <= shape.longest:
        return False
    return shape.pattern is None or _compiled(shape.pattern).fullmatch(text) is not None


def _number(node: ScalarNode, number: float, shape: Number, title: str, problems: Problems) -> Node | None:
    is_whole = isinstance(number, int) or number.is_integer()
    is_over = number > shape.least if shape.without_least else number >= shape.least
    if is_over and number <= shape.most and (is_whole or not shape.is_whole):
        return node
    return _refuse(node, shape, title, problems)


def _type_notation(node: Node, shape: TypeNotation, title: str, problems: Problems) -> Node | None:
    match node:
        case ScalarNode(str() as text) if text.strip():
            return node
        case ScalarNode():
            return _refuse(node, shape, title, problems)
        case ListNode([of]):
            return node if _type_notation(of, shape, title, problems) is not None else None
        case ListNode(items):
            problems.add(
                node.position, f"{title}: a list type has one type inside, as [str], not {len(items)}"
            )
            return None
        case MapNode(entries):
            parts = [
                _type_notation(entry.value, shape, f"{title}.{name}", problems)
                for name, entry in entries.items()
            ]
            return node if None not in parts else None


# --- values that have others inside


def _list(node: ListNode, shape: ListShape, title: str, problems: Problems) -> Node | None:
    if not shape.least <= len(node.items) <= shape.most:
        problems.add(node.position, f"{title} must be {shape.expected}, but has {len(node.items):,} items")
        return None
    items = [conform(item, shape.item, f"an item of {title}", problems) for item in node.items]
    return (
        ListNode([item for item in items if item is not None], node.position) if None not in items else None
    )


def _map(
    node: MapNode, shape: MapShape, title: str, problems: Problems, owner: Position | None
) -> Node | None:
    if not shape.least <= len(node.entries) <= MOST_ENTRIES:
        problems.add(
            owner or node.position, f"{title} must be {shape.expected}, but has {len(node.entries):,} entries"
        )
        return None
    good: dict[str, MapEntry] = {}
    for name, (key, value) in node.entries.items():
        is_named = _text(key, name, shape.key, f"a name in {title}", problems) is not None
        clean = conform(value, shape.value, f"{title}.{name[:100]}", problems, key.position)
        if is_named and clean is not None:
            good[name] = MapEntry(key, clean)
    return MapNode(good, node.position, frozenset(node.entries.keys() - good.keys()))


def _record(
    node: MapNode, shape: Record, title: str, problems: Problems, owner: Position | None
) -> Node | None:
    good: dict[str, MapEntry] = {}
    broken: set[str] = set()
    for name, (key, value) in node.entries.items():
        if name not in shape.fields:
            broken |= _report_unknown(key, shape, title, problems)
            continue
        clean = conform(value, shape.fields[name].shape, name, problems, key.position)
        if clean is None:
            broken.add(name)
        else:
            good[name] = MapEntry(key, clean)
    clean = MapNode(good, node.position, frozenset(broken))
    _check_rules(node, clean, shape, title, problems, owner or node.position)
    return clean


def _check_rules(
    node: MapNode, clean: MapNode, shape: Record, title: str, problems: Problems, owner: Position
) -> None:
    """Check the rules between fields. A field with a wrong value counts as given."""
    there = node.entries.keys() | clean.broken
    for name in shape.required:
        if name not in there:
            problems.add(owner, f"{name} is missing in {title}")
    one = [name for name in node.entries if name in shape.exactly_one]
    for name in one[1:]:
        problems.add(
            node.entries[name].key.position, f"{one[0]} and {name} together: {title} has only one of them"
        )
    is_told = False
    for need in shape.needs:
        entry = clean.entries.get(need.field)
        has_value = need.value is None or (
            entry is not None and getattr(entry.value, "value", None) == need.value
        )
        if need.field in node.entries and has_value and there.isdisjoint(need.others):
            is_told = True
            field = need.field if need.value is None else f"{need.field}: {need.value}"
            beside = f", but there is {one[0]}" if one and need.value is not None else ""
            problems.add(
                node.entries[need.field].key.position, f"{field} needs {' or '.join(need.others)}{beside}"
            )
    if shape.exactly_one and there.isdisjoint(shape.exactly_one) and not is_told:
        problems.add(owner, f"{title} needs one of {', '.join(shape.exactly_one)}")
    for rule in shape.excludes:
        if rule.field in node.entries and rule.other in node.entries:
            position = node.entries[rule.field].key.position
            problems.add(position, f"{rule.field} does not go with {rule.other}: {rule.because}")


def _report_unknown(key: ScalarNode, shape: Record, title: str, problems: Problems) -> set[str]:
    """Returns the field that was probably meant, so that it is not reported as missing, too."""
    name = str(key.value)
    near = problems.nearest(name, shape.fields)
    if near is None:
        known = ", ".join(shape.fields)
        problems.add(key.position, f"{title} has no field {show(name)}; there are {known}")
        return set()
    problems.add(key.position, f"{title} has no field {show(name)}; did you mean {near!r}?")
    return {near}
