"""Parses JSON into nodes, within limits like those of `yaml_text`.

Open lists and maps are kept in a list and not on the stack, so that no nesting can exhaust the stack.
"""

from __future__ import annotations

import json
import json.decoder
import math
import re
from bisect import bisect_right
from typing import Any, Final, NamedTuple

from holdfast.authoring.documents.nodes import ListNode, MapEntry, MapNode, Node, ScalarNode, ScalarValue
from holdfast.authoring.documents.problems import START, Position, Problems
from holdfast.authoring.documents.yaml_text import LARGEST_TEXT
from holdfast.errors import show

_DEEPEST: Final = 300
"""More than in YAML: programs write JSON, and each flow inside of a flow takes three levels."""
_MOST_VALUES: Final = 200_000

_SPACES: Final = frozenset(" \t\n\r")
_BREAK = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[-+.\w]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_WORDS: Final[dict[str, ScalarValue]] = {"null": None, "true": True, "false": False}
_NO_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
"""Many programs write these into JSON."""


def compose_json(text: str, problems: Problems) -> Node | None:
    """The one value of the text. None if it cannot be parsed; the problem has been reported."""
    return _JsonComposer(text.removeprefix("\ufeff"), problems).compose()


class _NotJson(Exception):
    def __init__(self, position: Position, reason: str) -> None:
        self.position = position
        super().__init__(reason)


class _OpenList(NamedTuple):
    position: Position
    items: list[Node]


class _OpenMap:
    __slots__ = ("entries", "key", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.entries: dict[str, MapEntry] = {}
        self.key: ScalarNode | None = None
        """Of the value that comes next."""


class _JsonComposer:
    def __init__(self, text: str, problems: Problems) -> None:
        self._text = text
        self._say, self._say_last = problems.add, problems.add_last
        self._lines = [0, *(found.end() for found in _BREAK.finditer(text))]
        """The index at which each line begins."""
        self._at = 0
        self._open: list[_OpenList | _OpenMap] = []
        self._values = 0

    def compose(self) -> Node | None:
        try:
            return self._whole()
        except _NotJson as error:
            self._say(error.position, str(error))
            return None

    def _whole(self) -> Node:
        length = len(self._text)
        if length > LARGEST_TEXT:
            raise _NotJson(START, f"the text has {length:,} characters; at most {LARGEST_TEXT:,} will do")
        if not self._peek():
            raise _NotJson(START, "there is nothing in it")
        node = self._value()
        while node is None or self._open:
            if node is None:
                node = self._value()
            else:
                self._put(node)
                node = self._go_on()
        if self._peek():
            raise _NotJson(self._here(), "there is more here than one value")
        return node

    # --- positions

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        text, at = self._text, self._at
        while text[at : at + 1] in _SPACES:
            at += 1
        self._at = at
        return text[at : at + 1]

    def _here(self) -> Position:
        return self._position_of(self._at)

    def _position_of(self, index: int) -> Position:
        line = bisect_right(self._lines, index)
        return Position(line, index - self._lines[line - 1] + 1)

    # --- values

    def _value(self) -> Node | None:
        """The next value; None if it is a list or a map with something in it, which is open now."""
        character, position = self._peek(), self._here()
        self._values += 1
        if self._values > _MOST_VALUES:
            raise _NotJson(position, f"more than {_MOST_VALUES:,} values")
        match character:
            case "{" | "[":
                return self._begin(character, position)
            case '"':
                return self._quoted(position)
            case "":
                raise self._unclosed()
            case "}" | "]" | "," | ":":
                raise _NotJson(position, f"a value is missing before {character}")
            case _:
                return self._token(character, position)

    def _begin(self, character: str, position: Position) -> Node | None:
        if len(self._open) >= _DEEPEST:
            raise _NotJson(position, f"nested more than {_DEEPEST} levels deep")
        self._at += 1
        is_map = character == "{"
        opened = _OpenMap(position) if is_map else _OpenList(position, [])
        self._open.append(opened)
        if self._peek() == ("}" if is_map else "]"):
            return self._close()
        if isinstance(opened, _OpenMap):
            opened.key = self._key()
        return None

    def _close(self) -> Node:
        self._at += 1
        done = self._open.pop()
        if isinstance(done, _OpenMap):
            return MapNode(done.entries, done.position)
        return ListNode(done.items, done.position)

    def _quoted(self, position: Position) -> ScalarNode:
        start = self._at
        decoder: Any = json.decoder  # its types leave `scanstring` out
        try:
            value, self._at = decoder.scanstring(self._text, start + 1, True)
        except json.JSONDecodeError as error:
            raise self._bad_text(error, position) from None
        if _UNSTORABLE.search(value):
            raise _NotJson(
                position, "the text has a NUL or half of a surrogate pair in it, which cannot be stored"
            )
        is_as_written = self._at - start - 2 == len(value)  # an escape is longer than its character
        return ScalarNode(
            value, value, position, Position(position.line, position.column + 1) if is_as_written else None
        )

    def _bad_text(self, error: json.JSONDecodeError, position: Position) -> _NotJson:
        if error.msg.startswith("Unterminated"):
            return _NotJson(position, "these quotes are not closed")
        if error.msg.startswith("Invalid control"):
            reason = "a line break, a tab or the like inside of quotes; write \\n or \\t"
            return _NotJson(self._position_of(error.pos), reason)
        return _NotJson(self._position_of(error.pos), 'an unknown escape; \\ itself is written as "\\\\"')

    def _token(self, character: str, position: Position) -> ScalarNode:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise _NotJson(
                position, f"a value cannot begin with {show(character)}; text stands in double quotes"
            )
        token = found[0]
        self._at = found.end()
        if token in _WORDS:
            return ScalarNode(_WORDS[token], token, position)
        number = _NUMBER.fullmatch(token)
        if number is None and token not in _NO_NUMBERS:
            reason = "is no number, nor true, false or null; text stands in double quotes"
            raise _NotJson(position, f"{show(token[:40])} {reason}")
        return ScalarNode(self._number(token, number, position), token, position)

    def _number(self, token: str, number: re.Match[str] | None, position: Position) -> ScalarValue:
        """A number that cannot be stored is reported, and becomes text."""
        if number is not None and number[1] is None and number[2] is None:
            if len(token) <= 40 and -(2**63) <= int(token) < 2**63:
                return int(token)
        elif number is not None and len(token) <= 400 and math.isfinite(float(token)):
            return float(token)
        reason = f"{token[:40]} is no number that can be stored; put it in quotes to mean text"
        self._say_last(position, reason)
        return token

    # --- between values

    def _put(self, node: Node) -> None:
        inside = self._open[-1]
        if isinstance(inside, _OpenList):
            inside.items.append(node)
            return
        key = inside.key
        assert key is not None
        first = inside.entries.setdefault(key.text, MapEntry(key, node)).key
        if first is not key:
            where = f"first in line {first.position.line}, column {first.position.column}"
            self._say(key.position, f"the key {show(key.text)} is there twice: {where}")

    def _go_on(self) -> Node | None:
        """After a value: the list or map that it closes, or None if another value follows."""
        inside = self._open[-1]
        close = "}" if isinstance(inside, _OpenMap) else "]"
        character = self._peek()
        if character == close:
            return self._close()
        if character == "":
            raise self._unclosed()
        if character != ",":
            raise _NotJson(self._here(), f"a comma is missing here, or {close}")
        comma = self._at
        self._at += 1
        if self._peek() == close:
            raise _NotJson(self._position_of(comma), f"a comma with nothing between it and {close}")
        if isinstance(inside, _OpenMap):
            inside.key = self._key()
        return None

    def _key(self) -> ScalarNode:
        character = self._peek()
        if character == "":
            raise self._unclosed()
        if character != '"':
            raise _NotJson(self._here(), f"a key in double quotes must stand here, not {show(character)}")
        key = self._quoted(self._here())
        if self._peek() != ":":
            raise _NotJson(self._here(), f"a colon is missing after the key {show(key.text)}")
        self._at += 1
        return key

    def _unclosed(self) -> _NotJson:
        """Reported where the list or map begins: the other position is the end of the file."""
        opened = self._open[-1]
        pair = "{ is not closed by }" if isinstance(opened, _OpenMap) else "[ is not closed by ]"
        return _NotJson(opened.position, pair)
