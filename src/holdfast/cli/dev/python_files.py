"""Python files that `holdfast dev` finds: which of them define something, and how they are imported.

A folder has other Python files too, and to import one means to run it. So a file in a folder is imported
only if its text defines tasks or workflows, and does not start anything by itself.
"""

from __future__ import annotations

import ast
import importlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

from holdfast.authoring.catalog import default_catalog
from holdfast.cli.arguments.targets import first_on_path, load_python_file
from holdfast.errors import HoldfastError, Problem

_DEFINING: Final = frozenset({"task", "workflow", "load_dag", "load_flow"})
_RUNNERS: Final = frozenset({"asyncio", "uvloop", "anyio", "trio"})


class BadPython(Exception):
    """A file that cannot be imported."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class RunsOnImport(Exception):
    """A file that starts something when it is imported."""

    def __init__(self, file: str, line: int) -> None:
        super().__init__(
            f"{file}:{line}: passed over, since this would run when the file is imported; put it under "
            f'if __name__ == "__main__":'
        )


def is_test(file: Path) -> bool:
    return file.name == "conftest.py" or file.stem.startswith("test_") or file.stem.endswith("_test")


def defines_something(file: Path) -> bool:
    """Whether the text uses our decorators. Raises RunsOnImport, and BadPython if it is no Python."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadPython(Problem(str(file), 1, 1, f"cannot be read: {error.strerror}")) from None
    if b"holdfast" not in data:
        return False
    try:
        tree = ast.parse(data, str(file))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise BadPython(problem_of(error, file)) from None
    names = _DEFINING | set(_aliases(tree))
    if not any(_name_of(node) in names for node in ast.walk(tree)):
        return False
    for line in _starts(tree.body):
        raise RunsOnImport(str(file), line)
    return True


def _aliases(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "holdfast":
            for each in node.names:
                if each.name in _DEFINING and each.asname is not None:
                    yield each.asname


def _name_of(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def _starts(body: list[ast.stmt]) -> Iterator[int]:
    """The lines at the top of the module that run an event loop or open a Holdfast."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If):
            continue  # `if __name__ == ...` among them
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "run"
            ):
                owner = node.func.value
                if isinstance(owner, ast.Name) and owner.id in _RUNNERS:
                    yield node.lineno
            opened = node.context_expr if isinstance(node, ast.withitem) else None
            if isinstance(opened, ast.Call) and _name_of(opened.func) == "Holdfast":
                yield opened.lineno


def import_file(file: Path) -> ModuleType:
    """Imports a file of a package by its full name, and any other as the module of its name.

    Raises BadPython. Tasks and workflows that a file has defined before its error are taken back.
    """
    names, folder = [file.stem], file.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    if names[-1] == "__init__":
        names.pop()
    module = ".".join(names)
    try:
        if len(names) == 1 and file.stem != "__init__":
            _refuse_a_taken_name(file)
            return load_python_file(str(file))
        first_on_path(folder)
        return importlib.import_module(module)
    except (KeyboardInterrupt, BadPython):
        raise
    except BaseException as error:  # also SystemExit: a script that was not meant to be imported
        sys.modules.pop(module, None)
        default_catalog.forget_module(module)
        raise BadPython(problem_of(error, file)) from None


def _refuse_a_taken_name(file: Path) -> None:
    """Raises BadPython. Files in several folders may have the same name, but modules may not."""
    known = sys.modules.get(file.stem)
    if known is not None and getattr(known, "__file__", None) != str(file):
        where = getattr(known, "__file__", None) or "Python itself"
        message = (
            f"Python has a module {file.stem!r} already, from {where}; give the file another name, or put an "
            "__init__.py beside it"
        )
        raise BadPython(Problem(str(file), 1, 1, message))


def problem_of(error: BaseException, file: Path) -> Problem:
    """Where in this file it happened. What is inside other files is named in the message."""
    if isinstance(error, HoldfastError):
        message = str(error)
    else:
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError):
        where, line, column = error.filename or str(file), error.lineno or 1, error.offset or 1
        return Problem(where, line, max(column, 1), f"SyntaxError: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == str(file)]
    if not own:
        return Problem(str(file), 1, 1, message)
    last = frames[-1]
    if last is not own[-1] and not last.filename.startswith("<"):
        message += f" (in {last.filename}:{last.lineno})"
    return Problem(str(file), own[-1].lineno or 1, (own[-1].colno or 0) + 1, message)
