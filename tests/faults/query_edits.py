"""Edits of SQL. `Query("sqlite:find_lost")` is a named query of one of the databases.

    Query("sqlite:find_lost").replace("epoch = A", "A >= 0")
    Query("postgres:due_runs").remove("FOR UPDATE SKIP LOCKED")

A clause is compared word by word, so that layout and comments do not matter. It must be in the query exactly
once. A single capital letter stands for any one word, such as the parameter `?4` or `$4::int8`, and for the
same word in the replacement.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.faults.source import Disarmed, Source, nearest

_HEADING = re.compile(r"^-- name: (?P<name>\w+)\n(?P<body>(?:(?!-- name: ).*(?:\n|\Z))*)", re.MULTILINE)
_WORD = re.compile(r"(?P<comment>--[^\n]*)|(?P<word>\?\d+|\$\d+(?:::\w+)?|'[^']*'|\w+|[<>!=]+|[^\w\s])")


class Query(NamedTuple):
    place: str

    def replace(self, old: str, new: str) -> QueryEdit:
        return QueryEdit(self.place, old, new)

    def remove(self, old: str) -> QueryEdit:
        return QueryEdit(self.place, old, "")


class QueryEdit(NamedTuple):
    place: str
    old: str
    new: str

    def apply(self, source: Source) -> None:
        database, _, name = self.place.partition(":")
        queries = [
            (file, query)
            for file in source.find(f"stores/{database}/sql/*.sql")
            for query in _HEADING.finditer(source.read(file))
        ]
        found = [(file, query) for file, query in queries if query["name"] == name]
        if len(found) != 1:
            hint = "" if found else nearest(name, (query["name"] for _, query in queries))
            raise Disarmed(f"{database} has {len(found)} queries named {name}, and not one{hint}")
        file, query = found[0]
        text = source.read(file)
        clauses = _find(self.old, text, query.span("body"))
        if len(clauses) != 1:
            raise Disarmed(f"`{self.old}` is {len(clauses)} times in {self.place}, and not once")
        start, end, captured = clauses[0]
        new = "".join(captured.get(part, part) for part in re.split(r"\b", self.new))
        source.changed[file] = text[:start] + new + text[end:]


def words(text: str) -> list[str]:
    """The words of the text, without layout and comments."""
    return [word["word"] for word in _WORD.finditer(text) if word["word"]]


def _find(clause: str, text: str, span: tuple[int, int]) -> list[tuple[int, int, dict[str, str]]]:
    """All matches: where each begins and ends, and what its letters stand for."""
    wanted = words(clause)
    there = [word for word in _WORD.finditer(text, *span) if word["word"]]
    found: list[tuple[int, int, dict[str, str]]] = []
    for first in range(len(there) - len(wanted) + 1):
        run = there[first : first + len(wanted)]
        captured = {want: word["word"] for want, word in zip(wanted, run, strict=True) if _is_letter(want)}
        if all(captured.get(want, want) == word["word"] for want, word in zip(wanted, run, strict=True)):
            found.append((run[0].start(), run[-1].end(), captured))
    return found


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isupper()
