"""Collects the problems of a document, so that people see all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from holdfast.errors import BadDag, BadDocument, Problem

_MOST: Final = 1000
"""A text with so many problems is not a workflow, and nobody reads on."""
_MOST_SUGGESTIONS: Final = 50
_MOST_OPTIONS: Final = 500
"""To look for the nearest of 10,000 names 10,000 times would take minutes."""
_LONGEST_WORD: Final = 100
_LONGEST_MESSAGE: Final = 350


class Position(NamedTuple):
    """Line and column, both from 1 as editors count."""

    line: int
    column: int


START: Final = Position(1, 1)


class Problems:
    __slots__ = ("_error", "_file", "_found", "_spoilt", "_suggestions", "paths")

    def __init__(self, file: str, error: type[BadDocument] = BadDag) -> None:
        self._file = file
        self._error = error
        self.paths: Mapping[Position, str] = {}
        """The path of each position, which problems show as well; set when the text has been parsed."""
        self._found: dict[Problem, None] = {}
        self._spoilt: set[Position] = set()
        self._suggestions = 0

    def __len__(self) -> int:
        return len(self._found)

    def add_last(self, position: Position, message: str) -> None:
        """Report this, and nothing else at the position: further problems there follow from it."""
        self.add(position, message)
        self._spoilt.add(position)

    def add(self, position: Position, message: str) -> None:
        if len(self._found) < _MOST and position not in self._spoilt:
            message = message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
            path = self.paths.get(position, "")
            self._found[Problem(self._file, position.line, position.column, message, path)] = None

    def nearest(self, word: str, options: Iterable[str]) -> str | None:
        """The option that `word` was probably meant to be."""
        options = list(options)
        if (
            self._suggestions >= _MOST_SUGGESTIONS
            or len(options) > _MOST_OPTIONS
            or len(word) > _LONGEST_WORD
        ):
            return None
        self._suggestions += 1
        near = get_close_matches(word, options, n=1)
        return near[0] if near else None

    def did_you_mean(self, word: str, options: Iterable[str]) -> str:
        """Ends a sentence: `; did you mean 'discover'?`, or nothing."""
        near = self.nearest(word, options)
        return "" if near is None else f"; did you mean {near!r}?"

    def raise_if_any(self) -> None:
        if self._found:
            raise self._error(self._found)
