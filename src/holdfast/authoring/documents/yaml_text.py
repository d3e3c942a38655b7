"""Parses YAML into nodes.

PyYAML scans and parses. The meaning of a scalar is decided here, by the core rules of YAML 1.2: `yes`, `on`
and `12:30` are text, dates stay text, 012 is twelve. Values are those of JSON, because they are stored as
JSON: no other tags, no keys but text, no infinity. Events of the parser are taken one by one and without
recursion, so neither depth nor aliases can make a small file cost much.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import yaml

from holdfast.authoring.documents.nodes import (
    ListNode,
    MapEntry,
    MapNode,
    Node,
    ScalarNode,
    ScalarValue,
    describe_node,
)
from holdfast.authoring.documents.problems import START, Position, Problems
from holdfast.errors import show

LARGEST_TEXT: Final = 1_000_000
"""In characters."""
_DEEPEST: Final = 60
_MOST_NODES: Final = 200_000
"""The nodes behind an alias count each time: ten lines can stand for a billion."""


def compose(text: str, problems: Problems, *, origin: Position = START) -> Node | None:
    """The one document of the text. None if it cannot be parsed; the problem has been reported.

    `origin` is the position of the text, if it is part of another one.
    """
    if len(text) > LARGEST_TEXT:
        problems.add(origin, f"the text has {len(text):,} characters; a DAG has at most {LARGEST_TEXT:,}")
        return None
    text = text.removeprefix("\ufeff")
    foreign = _FOREIGN.search(text)
    if foreign is not None:
        position = _position_in(text, foreign.start(), origin)
        problems.add(position, f"the character {foreign[0]!r} is not allowed in YAML")
        return None
    try:
        return _YamlComposer(text, problems, origin).compose()
    except _Unreadable as error:
        problems.add(error.position, str(error))
    except yaml.YAMLError as error:
        problems.add(*_explain(error, text, origin))
    return None


_FOREIGN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


def _position_in(text: str, index: int, origin: Position) -> Position:
    breaks = [found.end() for found in _BREAK.finditer(text, 0, index)]
    if not breaks:
        return Position(origin.line, origin.column + index)
    return Position(origin.line + len(breaks), index - breaks[-1] + 1)


class _Unreadable(Exception):
    def __init__(self, position: Position, reason: str) -> None:
        self.position = position
        super().__init__(reason)


# --- building nodes


class _Open(NamedTuple):
    """A list or a map that is not closed yet."""

    position: Position
    anchor: str | None
    is_map: bool
    nodes: list[Node]
    """Of a map: key, value, key, value …"""
    weights: list[int]


class _YamlComposer:
    def __init__(self, text: str, problems: Problems, origin: Position) -> None:
        self._text, self._problems, self._origin = text, problems, origin
        self._anchors: dict[str, tuple[Node, int] | None] = {}
        """Each node with the number of nodes in it; None while it is open."""
        self._documents = 0
        self._open: list[_Open] = []

    def compose(self) -> Node:
        root: Node | None = None
        for event in self._events():
            done = self._take(event)
            if done is not None:
                root = done
        if root is None or (isinstance(root, ScalarNode) and root.value is None and not root.text):
            raise _Unreadable(self._origin, "there is nothing in it")
        return root

    def _events(self) -> Iterator[yaml.Event]:
        # The parser in C is about twenty times as fast, but PyYAML may have been built without it.
        library: Any = yaml  # it has no types
        return library.parse(self._text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    def _take(self, event: yaml.Event) -> Node | None:
        """The whole document, once its last node is complete."""
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise _Unreadable(
                        self._position(event), "a second document begins here; a file has one workflow"
                    )
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._begin(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                done = self._open.pop()
                node = self._map_of(done) if done.is_map else ListNode(done.nodes, done.position)
                return self._add(node, 1 + sum(done.weights), done.anchor)
            case yaml.ScalarEvent():
                return self._add(self._scalar(event), 1, event.anchor)
            case yaml.AliasEvent():
                return self._add(*self._meant_by(event), None)
            case _:
                pass  # the ends of the stream and of the document
        return None

    def _begin(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        position = self._position(event)
        is_map = isinstance(event, yaml.MappingStartEvent)
        if len(self._open) >= _DEEPEST:
            raise _Unreadable(position, f"nested more than {_DEEPEST} levels deep")
        if event.tag not in (None, "!", _TAG + ("map" if is_map else "seq")):
            raise _Unreadable(position, _bad_tag(event.tag))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(position, event.anchor, is_map, [], []))

    def _add(self, node: Node, weight: int, anchor: str | None) -> Node | None:
        if weight > _MOST_NODES:
            raise _Unreadable(
                node.position, f"more than {_MOST_NODES:,} values, once the aliases are followed"
            )
        if anchor is not None:
            self._anchors[anchor] = (node, weight)
        if not self._open:
            return node
        self._open[-1].nodes.append(node)
        self._open[-1].weights.append(weight)
        return None

    def _meant_by(self, event: yaml.AliasEvent) -> tuple[Node, int]:
        position, name = self._position(event), event.anchor
        if name not in self._anchors:
            hint = self._problems.did_you_mean(name, self._anchors)
            raise _Unreadable(position, f"the alias *{name} has no anchor &{name} before it{hint}")
        meant = self._anchors[name]
        if meant is None:
            raise _Unreadable(
                position,
                f"the alias *{name} is inside the value that &{name} names; a value cannot contain itself",
            )
        return meant

    def _position(self, event: yaml.Event) -> Position:
        mark = event.start_mark
        if mark.line == 0:
            return Position(self._origin.line, self._origin.column + mark.column)
        return Position(self._origin.line + mark.line, mark.column + 1)

    # --- scalars

    def _scalar(self, event: yaml.ScalarEvent) -> ScalarNode:
        position, text = self._position(event), event.value
        if "\0" in text or _SURROGATE.search(text):
            raise _Unreadable(
                position, "the text has a NUL or half of a surrogate pair in it, which cannot be stored"
            )
        is_plain = not event.style
        tag = event.tag
        if tag is None and is_plain:
            value = self._meaning(text, position)
        elif tag in (None, "!", _TAG + "str"):
            value = text
        else:
            value = self._meaning(text, position)
            if tag not in {_TAG + name for name in _tags_of(value)}:
                raise _Unreadable(position, _bad_tag(tag))
        return ScalarNode(value, text, position, self._inner(event, is_plain))

    def _inner(self, event: yaml.ScalarEvent, is_plain: bool) -> Position | None:
        start, end = event.start_mark, event.end_mark
        if start.line != end.line:
            return None
        quotes = 0 if is_plain else 1
        length = len(event.value)
        written = self._text[end.index - quotes - length : end.index - quotes]
        if written != event.value:
            return None
        column = end.column - quotes - length
        origin = self._origin
        if start.line == 0:
            return Position(origin.line, origin.column + column)
        return Position(origin.line + start.line, column + 1)

    def _meaning(self, text: str, position: Position) -> ScalarValue:
        """The value of a scalar without quotes. A number that JSON cannot carry is reported, and becomes
        text."""
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            if len(text) <= 40:
                number = int(text, 0) if text[:2] in ("0x", "0o") else int(text)
                if -(2**63) <= number < 2**63:
                    return number
        elif _FLOAT.fullmatch(text):
            if len(text) <= 400 and math.isfinite(float(text)):
                return float(text)
        elif not _NO_NUMBER.fullmatch(text):
            return text
        self._problems.add_last(
            position, f"{text[:40]} is no number that JSON can carry; put it in quotes to mean text"
        )
        return text

    # --- maps

    def _map_of(self, done: _Open) -> MapNode:
        entries: dict[str, MapEntry] = {}
        merged: list[MapNode] = []
        for key, value in zip(done.nodes[::2], done.nodes[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                self._problems.add(key.position, f"a key must be text, not {describe_node(key)}")
            elif key.value == "<<" and key.inner == key.position:
                merged += self._to_merge(value)
            elif not isinstance(key.value, str):
                self._problems.add(key.position, f"a key must be text: put it in quotes, as '{key.text}'")
            elif key.value in entries:
                first = entries[key.value].key.position
                self._problems.add(
                    key.position,
                    f"the key {show(key.value)} is there twice: first in line {first.line}, "
                    f"column {first.column}",
                )
            else:
                entries[key.value] = MapEntry(key, value)
        for each in merged:
            for name, entry in each.entries.items():
                entries.setdefault(name, entry)
        return MapNode(entries, done.position)

    def _to_merge(self, value: Node) -> list[MapNode]:
        listed = value.items if isinstance(value, ListNode) else [value]
        maps = [node for node in listed if isinstance(node, MapNode)]
        if len(maps) < len(listed):
            self._problems.add(value.position, "after << comes a map, or a list of maps, to take the keys of")
        return maps


_TAG: Final = "tag:yaml.org,2002:"
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: Final[dict[str, ScalarValue]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def _tags_of(value: ScalarValue) -> tuple[str, ...]:
    match value:
        case None:
            return ("null",)
        case bool():
            return ("bool",)
        case int():
            return ("int", "float")
        case float():
            return ("float",)
        case str():
            return ()


def _bad_tag(tag: str | None) -> str:
    name = (tag or "").replace(_TAG, "!!")
    return (
        f"the tag {show(name)} does not fit here: values are text, numbers, true, false, null, lists and maps"
    )


# --- messages of the parser, in our words

_COMPLAINTS: Final[list[tuple[str, str]]] = [
    (
        "mapping values are not allowed",
        "no key can stand here; put text with a colon in quotes, or look at the line before",
    ),
    ("could not find expected ':'", "a key without ':' after it"),
    ("expected '-' indicator", "a line that is not an item of the list begun above; look at the indentation"),
    ("expected key", "this does not fit to the map begun above; look at the indentation and the quotes"),
    (
        "expected <document start>",
        "there is more here than one value; look at the indentation and the quotes",
    ),
    ("node content", "a value is missing here"),
    (
        "unknown escape character",
        "an unknown escape after \\ in double quotes; in single quotes \\ is only itself",
    ),
    ("undefined tag handle", "a tag with a prefix that nothing declares"),
    ("incompatible YAML document", "a %YAML directive for another version than 1"),
]
_PURE: Final[list[tuple[str, str]]] = [
    ("expected '<document start>'", "expected <document start>"),
    ("found '?'", "expected '-' indicator"),
    ("expected <block end>", "expected key"),
]
"""Messages of the parser in Python, and those of the parser in C for the same mistakes."""


_UNCLOSED: Final = {
    "expected ',' or ']'": "[ is not closed by ], or a comma is missing",
    "expected ',' or '}'": "{ is not closed by }, or a comma is missing",
    "unexpected end of stream": "these quotes are not closed",
    "unexpected document separator": "these quotes are not closed",
}
"""Reported where it began, since the other position may be the end of the file."""


def _explain(error: yaml.YAMLError, text: str, origin: Position) -> tuple[Position, str]:
    mark = getattr(error, "problem_mark", None)
    said = str(getattr(error, "problem", None) or error)
    if mark is None:
        return origin, f"this is not YAML: {said}"
    index = min(mark.index, len(text))
    position = _position_in(text, index, origin)
    if "cannot start any token" in said:
        character = text[index : index + 1]
        if character == "\t":
            return position, "a tab where only spaces may indent"
        return position, f"text cannot begin with {character!r}; put it in quotes"
    start = getattr(error, "context_mark", None)
    for part, words in _UNCLOSED.items():
        if part in said and start is not None:
            return _position_in(text, start.index, origin), f"{words} (found in line {position.line})"
    for pure, compiled in _PURE:
        if pure in said:
            said = compiled
    for part, words in _COMPLAINTS:
        if part in said:
            return position, words
    return position, f"this is not YAML: {said}"
