"""Mutants: the source with one small thing changed, each of which some test should notice."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

N = TypeVar("N", bound=ast.AST)

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_REMOVABLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Raise, ast.Continue, ast.Break)


class Mutant(NamedTuple):
    file: str
    """Below the package, as in `core/journal.py`."""
    function: str
    """The outermost function that the change is in, as its `co_qualname`."""
    line: int
    last_line: int
    """Of the statement that the change is in."""
    change: str
    source: str
    """Of the whole module."""

    @property
    def id(self) -> str:
        """The same for as long as the module is: so results can be kept from one day to the next."""
        digest = hashlib.sha256(f"{self.change}\n{self.source}".encode()).hexdigest()[:16]
        return f"{self.file}:{self.line}:{digest}"


def mutants_of(package: Path, file: str) -> list[Mutant]:
    """All that can be done to the functions of one module, in the order of their lines."""
    text = (package / file).read_text(encoding="utf-8")
    found: list[Mutant] = []
    for name, function in _outermost_functions(ast.parse(text), ""):
        statements = _statements(function)
        for old, new in _changes(function):
            end = statements[old].end_lineno or old.lineno
            found.append(Mutant(file, name, old.lineno, end, _told(old, new), _spliced(text, old, new)))
    return sorted(found, key=lambda mutant: mutant.line)


def _outermost_functions(
    scope: ast.Module | ast.ClassDef, prefix: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            yield from _outermost_functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node


def _statements(function: ast.AST) -> dict[ast.AST, ast.stmt]:
    """The statement that each node is in, or the first line of it, for one that has a body."""
    owners: dict[ast.AST, ast.stmt] = {}
    for statement in ast.walk(function):  # from the outside to the inside, so that the innermost remains
        if isinstance(statement, ast.stmt):
            owners |= dict.fromkeys(ast.walk(statement), statement)
    return owners


def _told(old: ast.expr | ast.stmt, new: ast.expr | ast.stmt) -> str:
    before, after = ast.unparse(old), ast.unparse(new)
    return f"{before}  →  {'(removed)' if after == 'pass' else after}"


def _spliced(text: str, old: ast.expr | ast.stmt, new: ast.expr | ast.stmt) -> str:
    """The text with only this place changed. Lines keep their numbers, as far as they can."""
    lines = text.encode().splitlines(keepends=True)
    assert old.end_lineno is not None
    assert old.end_col_offset is not None
    before = b"".join(lines[: old.lineno - 1]) + lines[old.lineno - 1][: old.col_offset]
    after = lines[old.end_lineno - 1][old.end_col_offset :] + b"".join(lines[old.end_lineno :])
    written = ast.unparse(new)
    return (before + (f"({written})" if isinstance(new, ast.expr) else written).encode() + after).decode()


# --- what is changed


def _changes(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[ast.expr, ast.expr] | tuple[ast.stmt, ast.stmt]]:
    for node in _code_of(function):
        if isinstance(node, ast.expr):
            for changed in _other_expressions(node):
                yield node, changed
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield node, ast.Return(ast.Constant(None))
        elif isinstance(node, _REMOVABLE):
            yield node, ast.Pass()


def _code_of(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that does something: not annotations, docstrings, decorators, or what is logged."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.arguments):
            continue  # a default is not part of the code, and so not of what is put into place
        if isinstance(child, ast.Expr) and (
            isinstance(child.value, ast.Constant) or _is_logging(child.value)
        ):
            continue
        if isinstance(child, ast.AnnAssign):
            if child.value is not None:
                yield from _with_children(child.value)
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and child in (
            node.returns,
            *node.decorator_list,
        ):
            continue
        if isinstance(child, ast.JoinedStr):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("cast", "isinstance", "getattr"):
            continue
        yield from _with_children(child)


def _with_children(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    yield from _code_of(node)


def _is_logging(value: ast.expr) -> bool:
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return called.startswith("_log.") or called == "assert_never"


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _other_expressions(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            yield _with(node, ops=[_COMPARISONS[type(operator)]()])
        case ast.BoolOp(op=ast.And()):
            yield _with(node, op=ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield _with(node, op=ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC:
            yield _with(node, op=_ARITHMETIC[type(operator)]())
        case ast.IfExp():
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case _:
            pass


def _with(node: N, **fields: object) -> N:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
