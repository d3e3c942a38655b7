"""Which lines of the loader of flows say that something is wrong, and which of them have been heard."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from holdfast.authoring.documents import json_text, problems
from holdfast.authoring.flow import (
    checks,
    condition_reading,
    loader,
    path_reading,
    paths,
    reading,
    work_reading,
)

SOURCES = [
    Path(module.__file__ or "")
    for module in (
        json_text,
        checks,
        condition_reading,
        loader,
        path_reading,
        paths,
        reading,
        work_reading,
    )
]
_SAY = {"add", "add_last", "_say", "_say_last", "conform"}
_RAISE = {"BadPath", "_NotJson"}


class Site(NamedTuple):
    file: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.file}:{self.first}"


def all_sites() -> list[Site]:
    return [
        Site(path.name, node.lineno, node.end_lineno or node.lineno)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and _says(node)
    ]


def _says(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id="problems") | ast.Attribute(attr="_problems"), attr=name):
            return name in _SAY
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name in _SAY
        case ast.Name(id=name):
            return name in _RAISE or name in _SAY
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
            if path in SOURCES:
                heard.add((path.name, frame.f_lineno))
            frame = frame.f_back

    def listen(kind: Any, method: str) -> None:
        original = getattr(kind, method)

        def heard_first(*args: Any, **kwargs: Any) -> Any:
            note()
            return original(*args, **kwargs)

        monkeypatch.setattr(kind, method, heard_first)

    listen(problems.Problems, "add")
    listen(paths.BadPath, "__init__")
    listen(vars(json_text)["_NotJson"], "__init__")
    yield heard
