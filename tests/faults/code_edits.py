"""Edits of Python. `Code("engine.tick:park")` is a place, and each of its methods says what to do there:

    Code("engine.tick:park").replace("A is not None", "A is None")
    Code("engine.tick:park").remove("self._hand_back(...)")
    Code("engine.tick:park").insert_before("return A", "self._hand_back(A)")
    Code("engine.tick:park").insert_after("self.now = A", "self.now += 1")

A place is a module below `holdfast` and a function, a class or an assignment in that module. The name may be
as short as is clear: `park`, or `Tick.park` if another class of the module has a `park` as well. Without a
name, the place is the whole module. What to change is a pattern (see `patterns`), which must match exactly
once in the place.

`remove` takes away a statement, or an expression that can be left out: an operand of `and` or `or`, an
argument, an element. No edit touches the text of the rest of the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from tests.faults.patterns import Match, fill, find, parse
from tests.faults.source import Disarmed, Source, nearest

Operation: TypeAlias = Literal["replace", "remove", "insert_before", "insert_after"]
Position: TypeAlias = tuple[int, int]
"""Line and column, as in the syntax tree: lines count from 1, columns in bytes."""

_COMPOUND = (ast.Await, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.UnaryOp)
"""Expressions that need parentheses in some places."""
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_MAY_LACK_PARTS = (ast.BoolOp, ast.Call, ast.List, ast.Set, ast.Tuple)


class Code(NamedTuple):
    place: str

    def replace(self, old: str, new: str) -> CodeEdit:
        return CodeEdit(self.place, "replace", old, new)

    def remove(self, old: str) -> CodeEdit:
        return CodeEdit(self.place, "remove", old, "pass")

    def insert_before(self, statements: str, new: str) -> CodeEdit:
        return CodeEdit(self.place, "insert_before", statements, new)

    def insert_after(self, statements: str, new: str) -> CodeEdit:
        return CodeEdit(self.place, "insert_after", statements, new)


class CodeEdit(NamedTuple):
    place: str
    operation: Operation
    old: str
    new: str

    def apply(self, source: Source) -> None:
        module, _, name = self.place.partition(":")
        file = module.replace(".", "/") + ".py"
        if not source.find(file):
            raise Disarmed(f"there is no {file}{_elsewhere(name, source)}")
        text = source.read(file)
        definitions = list(_definitions(ast.parse(text), ""))
        scopes = [node for known, node in definitions if _is_called(known, name)]
        if len(scopes) != 1:
            hint = "" if scopes else _elsewhere(name, source) or nearest(name, dict(definitions))
            raise Disarmed(f"{name} is {len(scopes)} times in {file}, and not once{hint}")
        found = find(self.old, scopes[0])
        if len(found) != 1:
            hint = "" if found else nearest(self.old, _pieces(self.old, scopes[0]))
            raise Disarmed(f"`{self.old}` is {len(found)} times in {self.place}, and not once{hint}")
        source.changed[file] = _splice(text, *self._change(found[0]))

    def _change(self, match: Match) -> tuple[Position, Position, str]:
        """Where the replaced text begins and ends, and the new text."""
        new = fill(self.new, match.captured)
        first, last = match.nodes[0], match.nodes[-1]
        if isinstance(first, ast.expr) and not isinstance(match.parents[-1], ast.Expr):
            if self.operation == "replace" and isinstance(new, ast.expr):
                return _start(first), _end(first), _in_parentheses(new)
            if self.operation == "remove":
                whole = _without(first, match.parents)
                return _start(whole), _end(whole), _in_parentheses(whole)
            raise Disarmed(f"`{self.old}` in {self.place} is not a statement, so `{self.new}` cannot be one")
        line_break = "\n" + " " * first.col_offset
        statements = [new] if isinstance(new, ast.expr) else new
        text = "\n".join(map(ast.unparse, statements)).replace("\n", line_break)
        if self.operation == "insert_before":
            return _start(first), _start(first), text + line_break
        if self.operation == "insert_after":
            return _end(last), _end(last), line_break + text
        return _start(first), _end(last), text


# --- finding the place


def _definitions(scope: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    """Functions, classes, and assignments outside of functions, by qualified name. "" is the whole module."""
    if isinstance(scope, ast.Module):
        yield "", scope
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, _FUNCTION | ast.ClassDef):
            yield prefix + node.name, node
            yield from _definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            if not isinstance(scope, _FUNCTION):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    yield prefix + ast.unparse(target), node
        elif isinstance(node, ast.stmt):
            yield from _definitions(node, prefix)


def _is_called(known: str, name: str) -> bool:
    return known == name or (bool(name) and known.endswith(f".{name}"))


def _elsewhere(name: str, source: Source) -> str:
    last = re.escape(name.rpartition(".")[2])
    defined = re.compile(rf"^ *(async def|def|class) {last}\b|^{last}( =|:)", re.MULTILINE)
    files = [file for file in source.find("**/*.py") if name and defined.search(source.read(file))]
    return f"; {name} is in {', '.join(files)}" if files else ""


def _pieces(pattern: str, scope: ast.AST) -> Iterator[str]:
    """All expressions of the scope if the pattern is one; otherwise the first lines of all its statements."""
    kind = ast.expr if isinstance(parse(pattern), ast.expr) else ast.stmt
    for node in ast.walk(scope):
        if isinstance(node, kind):
            yield ast.unparse(node).partition("\n")[0]


# --- writing


def _without(part: ast.AST, parents: Sequence[ast.AST]) -> ast.expr:
    """The expression around a part, without this part."""
    *_, outer, whole = parents
    if isinstance(whole, ast.keyword):
        part, whole = whole, outer
    if isinstance(whole, _MAY_LACK_PARTS):
        for parts in (getattr(whole, field, []) for field in ("values", "args", "keywords", "elts")):
            if part in parts:
                parts.remove(part)
                return whole
    raise Disarmed(f"`{ast.unparse(part)}` cannot be left out of `{ast.unparse(whole)}`")


def _in_parentheses(new: ast.expr) -> str:
    return f"({ast.unparse(new)})" if isinstance(new, _COMPOUND) else ast.unparse(new)


def _start(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> Position:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _splice(text: str, start: Position, end: Position, new: str) -> str:
    lines = text.encode().splitlines(keepends=True)
    before = b"".join(lines[: start[0] - 1]) + lines[start[0] - 1][: start[1]]
    after = lines[end[0] - 1][end[1] :] + b"".join(lines[end[0] :])
    if lines[start[0] - 1].startswith(b"elif", start[1]):
        raise Disarmed("an `elif` cannot be changed as a statement; change its condition or what is in it")
    return (before + new.encode() + after).decode()
