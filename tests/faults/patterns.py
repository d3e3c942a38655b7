"""Patterns: Python that is compared with the syntax tree, so that layout, quotes and comments do not matter.

A pattern is an expression, or one statement or several in a row. These stand for something else:

`A`         Any one expression; so does every other single capital letter. The same letter stands for the same
            expression wherever it is used.
`...`       Any one expression. Among arguments, elements or statements: any number of them, even none. A call
            that ends with `...` may have more keyword arguments than the pattern has.
`"a ... b"` In a string, `...` is any text.

In a replacement, letters and `...` stand for what they have matched. The first `...` of a replacement is the
first one of the pattern.

Write out what a fault is about, and let letters and `...` stand for the rest: then a local variable can get
another name, and the fault still finds its place. Expressions inside f-strings are not searched.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias


class Captured(NamedTuple):
    """What letters and `...` have matched."""

    letters: Mapping[str, ast.expr]
    dots: tuple[Any, ...]
    """For each `...` in turn: a node, a list of nodes, or a text."""


class Match(NamedTuple):
    nodes: Sequence[ast.expr] | Sequence[ast.stmt]
    """An expression, or the statements."""
    parents: Sequence[ast.AST]
    """The parents of these nodes; the nearest is the last."""
    captured: Captured


Parsed: TypeAlias = "ast.expr | list[ast.stmt]"

_IGNORED = ("ctx", "kind", "type_comment")
_DOTS = "..."
_NOTHING = Captured({}, ())


def parse(text: str) -> Parsed:
    body = ast.parse(text).body
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else body


def find(text: str, scope: ast.AST) -> list[Match]:
    """All places in the scope that the pattern matches."""
    pattern = parse(text)
    found: list[Match] = []
    for node, parents in _walk(scope, ()):
        if isinstance(pattern, ast.expr):
            captured = _match(pattern, node, _NOTHING)
            if captured is not None:
                found.append(Match([node], parents, captured))  # pyright: ignore[reportArgumentType]
            continue
        for body in _bodies(node):
            for first in range(len(body) - len(pattern) + 1):
                statements = body[first : first + len(pattern)]
                captured = _match_all(pattern, statements, _NOTHING)
                if captured is not None:
                    found.append(Match(statements, (*parents, node), captured))
    return found


def _walk(node: ast.AST, parents: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    yield node, parents
    if not isinstance(node, ast.JoinedStr):  # Python 3.11 gives wrong positions inside one
        for child in ast.iter_child_nodes(node):
            yield from _walk(child, (*parents, node))


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    lists = [value for _, value in ast.iter_fields(node) if isinstance(value, list)]
    return [body for body in lists if body and isinstance(body[0], ast.stmt)]


# --- matching: each function gives what is captured, or None if something does not match


def _match(pattern: object, found: object, captured: Captured) -> Captured | None:
    match pattern:
        case ast.Name(id=letter) if len(letter) == 1 and letter.isupper():
            return _match_letter(letter, found, captured)
        case _ if _is_dots(pattern):
            return _with_dots(captured, found) if isinstance(found, ast.expr) else None
        case str() if _DOTS in pattern and isinstance(found, str):
            texts = re.fullmatch("(.*)".join(map(re.escape, pattern.split(_DOTS))), found, re.DOTALL)
            return _with_dots(captured, *texts.groups()) if texts else None
        case list():
            return _match_all(pattern, found, captured) if isinstance(found, list) else None
        case ast.Call() if isinstance(found, ast.Call) and pattern.args and _is_dots(pattern.args[-1]):
            return _match_open_call(pattern, found, captured)
        case ast.AST():
            return _match_fields(pattern, found, captured)
        case _:
            return captured if pattern == found and type(pattern) is type(found) else None


def _match_letter(letter: str, found: object, captured: Captured) -> Captured | None:
    if not isinstance(found, ast.expr):
        return None
    known = captured.letters.get(letter, found)
    if ast.unparse(known) != ast.unparse(found):
        return None
    return captured._replace(letters={**captured.letters, letter: found})


def _match_fields(pattern: ast.AST, found: object, captured: Captured) -> Captured | None:
    if type(pattern) is not type(found):
        return None
    matched: Captured | None = captured
    for field, value in ast.iter_fields(pattern):
        if matched is not None and field not in _IGNORED:
            matched = _match(value, getattr(found, field), matched)
    return matched


def _match_all(patterns: Sequence[object], found: Sequence[object], captured: Captured) -> Captured | None:
    if not patterns:
        return None if found else captured
    first, *rest = patterns
    if not _is_dots(first):
        matched = _match(first, found[0], captured) if found else None
        return None if matched is None else _match_all(rest, found[1:], matched)
    for count in range(len(found) + 1):
        matched = _match_all(rest, found[count:], _with_dots(captured, list(found[:count])))
        if matched is not None:
            return matched
    return None


def _match_open_call(pattern: ast.Call, found: ast.Call, captured: Captured) -> Captured | None:
    """Keyword arguments that the pattern does not have belong to the `...` at its end."""
    named = {keyword.arg for keyword in pattern.keywords}
    others = [keyword for keyword in found.keywords if keyword.arg not in named]
    whole = ast.Call(pattern.func, [*pattern.args, *pattern.keywords], [])  # pyright: ignore[reportArgumentType]
    kept = [keyword for keyword in found.keywords if keyword.arg in named]
    return _match_fields(whole, ast.Call(found.func, [*found.args, *others, *kept], []), captured)  # pyright: ignore[reportArgumentType]


def _is_dots(pattern: object) -> bool:
    if isinstance(pattern, ast.Expr):
        pattern = pattern.value
    return isinstance(pattern, ast.Constant) and pattern.value is ...


def _with_dots(captured: Captured, *matched: object) -> Captured:
    return captured._replace(dots=(*captured.dots, *matched))


# --- replacing


def fill(text: str, captured: Captured) -> Parsed:
    """The replacement, with the captured parts filled in."""
    parsed, filler = parse(text), _Filler(captured)
    return filler.visit(parsed) if isinstance(parsed, ast.expr) else [filler.visit(each) for each in parsed]


class _Filler(ast.NodeTransformer):
    def __init__(self, captured: Captured) -> None:
        self._letters = captured.letters
        self._dots = iter(captured.dots)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._letters.get(node.id, node))

    def visit_Expr(self, node: ast.Expr) -> Any:
        return next(self._dots) if _is_dots(node) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        node.keywords += [each for each in node.args if isinstance(each, ast.keyword)]
        node.args = [each for each in node.args if not isinstance(each, ast.keyword)]
        return node

    def visit_Constant(self, node: ast.Constant) -> Any:
        if _is_dots(node):
            return next(self._dots)
        if isinstance(node.value, str) and _DOTS in node.value:
            return ast.Constant(re.sub(re.escape(_DOTS), lambda _: next(self._dots), node.value))
        return node
