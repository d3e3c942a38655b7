"""Checks the files that a DAG names: that they exist, and have the functions. Nothing is imported or run."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.authoring.dag.drafts import DagDraft, TaskDraft
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.errors import show
from holdfast.ports.executor import PythonFunction, ShellCommand

_LARGEST_SOURCE: Final = 5_000_000
_ADDED_BY_FAN_OUT: Final = ("parallel_index", "parallel_count")


def check_files(document: DagDraft, folder: Path, problems: Problems) -> None:
    modules: dict[str, ast.Module | str] = {}
    for draft in document.tasks.values():
        match draft.work:
            case PythonFunction(file=str() as file):
                if file not in modules:
                    modules[file] = _parse(folder / file)
                module = modules[file]
                if isinstance(module, str):
                    problems.add(draft.nodes["file"].position, f"{file} {module}")
                else:
                    _check_function(draft, draft.work, module, document, problems)
            case ShellCommand():
                _check_command(draft, draft.work, folder, problems)
            case _:
                pass


def refuse_files(document: DagDraft, problems: Problems) -> None:
    """Refuses what is relative to the folder of a DAG. A published DAG has none."""
    for draft in document.tasks.values():
        match draft.work:
            case PythonFunction(file=str() as file):
                problems.add(
                    draft.nodes["file"].position,
                    f"{show(file)} would be in the folder of the DAG, and a published DAG has none; name a "
                    "module with `module`, which the nodes can import",
                )
            case ShellCommand(command=command):
                program = command if isinstance(command, str) else command[0]
                if program.startswith(("./", "../")):
                    problems.add(
                        draft.nodes["command"].position,
                        f"{show(program)} would be in the folder of the DAG, and a published DAG has none; "
                        "name a program that is on the PATH of the nodes, or give its whole path",
                    )
            case _:
                pass
        if draft.workdir and not Path(draft.workdir).is_absolute():
            problems.add(
                draft.positions["workdir"],
                f"{show(draft.workdir)} would be in the folder of the DAG, and a published DAG has none; "
                "give the whole path, or leave it out",
            )


# --- commands


def _check_command(draft: TaskDraft, work: ShellCommand, folder: Path, problems: Problems) -> None:
    """Checks a program that is given by its path. How a shell finds others is not checked."""
    program = work.command if isinstance(work.command, str) else work.command[0]
    if not program.startswith(("./", "../")) or (isinstance(work.command, str) and _is_more(program)):
        return
    workdir = folder / (draft.workdir or "")
    if not workdir.is_dir():
        return  # a task before this one may create it
    path = workdir / program
    position = draft.nodes["command"].position
    if not path.exists():
        problems.add(position, f"there is no {program}")
    elif not path.is_file():
        problems.add(position, f"{program} is not a file")
    elif not os.access(path, os.X_OK):
        problems.add(position, f"{program} may not be executed; allow it with chmod +x {program}")


def _is_more(command: str) -> bool:
    """Whether a shell takes it for more than one plain word."""
    return any(character.isspace() or character in "\"'`$&|;<>()*?[]#~{}\\!" for character in command)


# --- functions


def _parse(path: Path) -> ast.Module | str:
    """The source, or what is wrong with it."""
    try:
        if path.stat().st_size > _LARGEST_SOURCE:
            return f"has more than {_LARGEST_SOURCE:,} bytes"
        source = path.read_bytes()
    except FileNotFoundError:
        return "is not there"
    except (OSError, ValueError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python shows the warnings of the user's code when it runs
            return ast.parse(source)
    except SyntaxError as error:
        line = "" if error.lineno is None else f"line {error.lineno}: "
        return f"cannot be parsed: {line}{error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"cannot be parsed: {str(error) or 'it is nested too deeply'}"


class _Parameters(NamedTuple):
    names: list[str]
    needed: list[str]
    """Those without a default."""
    takes_any: bool
    """It has **kwargs."""


def _check_function(
    draft: TaskDraft, work: PythonFunction, module: ast.Module, document: DagDraft, problems: Problems
) -> None:
    found = _find(module, work.function)
    if found is None:
        known = [each.name for each in _functions(module)]
        hint = problems.did_you_mean(work.function, known)
        position = (
            draft.nodes["function"].position if "function" in draft.nodes else draft.nodes["file"].position
        )
        problems.add(position, f"{work.file} has no function {show(work.function)} at its top level{hint}")
        return
    if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) and not found.decorator_list:
        _check_parameters(draft, work, _parameters(found.args), document, problems)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of the top level, also those inside of `if`, `try` and `with`."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.Try | ast.With):
                yield from _statements(getattr(statement, name, []))
        if isinstance(statement, ast.Try):
            for handler in statement.handlers:
                yield from _statements(handler.body)


def _functions(module: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        each for each in _statements(module.body) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _find(module: ast.Module, name: str) -> ast.stmt | None:
    """The last function of that name, else another statement that may define the name."""
    functions = [each for each in _functions(module) if each.name == name]
    if functions:
        return functions[-1]
    return next(
        (each for each in _statements(module.body) if name in _bound_by(each) or "*" in _bound_by(each)), None
    )


def _bound_by(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(alias.asname or alias.name).partition(".")[0] for alias in names}
        case ast.Assign(targets=targets):
            return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case _:
            return set()


def _parameters(arguments: ast.arguments) -> _Parameters:
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    needed = positional[: len(positional) - len(arguments.defaults)]
    named = [argument.arg for argument in arguments.kwonlyargs]
    needed += [name for name, default in zip(named, arguments.kw_defaults, strict=True) if default is None]
    return _Parameters([*positional, *named], needed, arguments.kwarg is not None)


def _check_parameters(
    draft: TaskDraft, work: PythonFunction, parameters: _Parameters, document: DagDraft, problems: Problems
) -> None:
    what = f"{work.function}() in {work.file}"
    for name, position in draft.input_positions.items():
        if name not in parameters.names and not parameters.takes_any:
            hint = problems.did_you_mean(name, parameters.names)
            problems.add(position, f"{what} has no parameter {show(name)}{hint}")
    given = _given(draft, document)
    if given is None:
        return
    position = _position_for_missing(draft)
    for name in parameters.needed:
        if name not in given:
            source = "`inputs`" if draft.inputs is not None else "the run and tasks before"
            problems.add(position, f"{what} needs {name!r}, which it does not get from {source}")


def _position_for_missing(draft: TaskDraft) -> Position:
    return draft.positions.get("inputs") or draft.positions.get("function") or draft.positions["file"]


def _given(draft: TaskDraft, document: DagDraft) -> set[str] | None:
    """The names that the function gets; None if that cannot be told, because something is wrong."""
    if not draft.broken.isdisjoint(("inputs", "depends_on", "foreach", "parallel")):
        return None
    given: set[str] = set()
    if draft.fans_out:
        given |= {*_ADDED_BY_FAN_OUT, *(["item"] if draft.foreach is not None else [])}
    if draft.inputs is not None:
        return given | draft.input_positions.keys()
    if not document.has_inputs or document.lost_inputs:
        return None
    given |= document.inputs.keys()
    return given if draft.fans_out else given | {name for name, _ in draft.depends_on}
