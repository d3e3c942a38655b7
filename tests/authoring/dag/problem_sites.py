"""Which lines of the loader say that something is wrong, and which of them have been heard."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from holdfast.authoring.dag import expression_parser, loader, references
from holdfast.authoring.documents import problems, yaml_text

SOURCES = (Path(loader.__file__).parent, Path(problems.__file__).parent)
_SAY = {"add", "add_last", "_report", "report", "_refuse"}
_RAISE = {"BadReference", "BadExpression", "_Unreadable"}
NOT_OF_THE_LOADER = {"program.py", "progress.py", "values.py", "waits.py", "workflow.py", "project_files.py"}
"""The last has tests of its own, with files."""


class Site(NamedTuple):
    file: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.file}:{self.first}"


def all_sites() -> list[Site]:
    found: list[Site] = []
    for path in sorted(each for folder in SOURCES for each in folder.glob("*.py")):
        if path.name in NOT_OF_THE_LOADER:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _says(node):
                found.append(Site(path.name, node.lineno, node.end_lineno or node.lineno))
    return found


def _says(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id="problems") | ast.Attribute(attr="_problems"), attr=name):
            return name in _SAY
        case ast.Attribute(value=ast.Name(id="self"), attr="_report") | ast.Name(id="report" | "_refuse"):
            return True
        case ast.Name(id=name):
            return name in _RAISE
        case _:
            return False


@contextmanager
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[tuple[str, int]]]:
    """The lines from which something was said meanwhile, however many calls lie between."""
    heard: set[tuple[str, int]] = set()

    def note() -> None:
        frame = sys._getframe(2)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.parent in SOURCES:
                heard.add((path.name, frame.f_lineno))
            frame = frame.f_back

    def listen(kind: Any, method: str) -> None:
        original = getattr(kind, method)

        def heard_first(*args: Any, **kwargs: Any) -> Any:
            note()
            return original(*args, **kwargs)

        monkeypatch.setattr(kind, method, heard_first)

    listen(problems.Problems, "add")
    listen(references.BadReference, "__init__")
    listen(expression_parser.BadExpression, "__init__")
    listen(vars(yaml_text)["_Unreadable"], "__init__")
    yield heard
