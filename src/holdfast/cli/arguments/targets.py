"""From what a user types to a workflow or a task: `etl.yaml`, `shop.orders:fulfil`, `orders.py:fulfil`,
`orders`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import ModuleType
from typing import Any, cast

from holdfast.authoring.catalog import WorkflowDefinition, default_catalog
from holdfast.authoring.code.definitions import Task
from holdfast.authoring.kinds import as_data
from holdfast.authoring.workflow_files import SUFFIXES, load_workflow_file
from holdfast.errors import BadFile, BadOption, UnknownWorkflow

EXPECTED = "a YAML or JSON file, module:workflow or file.py:workflow"


def load_target(text: str) -> WorkflowDefinition:
    """Imports the module or reads the file, which adds its workflows to the catalog.

    Raises BadDocument and BadOption, and any error of the user's code.
    """
    if text.endswith(SUFFIXES):
        return _load_document(text)
    source, separator, name = text.rpartition(":")
    if not separator:
        source, name = text, ""
    if not source or "<locals>" in text:
        raise BadOption("TARGET", text, EXPECTED)
    if source.endswith(SUFFIXES) and Path(source).is_file():
        raise BadFile(
            "TARGET", source, f"a file of this kind has one workflow; leave out {separator + name!r}"
        )
    module = load_python_file(source) if source.endswith(".py") else _import(source)
    return _workflow_in(module, name, text)


def load_all(texts: Sequence[str], *, is_first_a_workflow: bool = True) -> list[WorkflowDefinition]:
    """Loads all of them, and the workflows that they call. All but the first may be modules, with any number
    of workflows, or with only tasks.

    Raises BadOption for functions of flows that are not known here.
    """
    first = 1 if is_first_a_workflow else 0
    workflows = [load_target(text) for text in texts[:first]]
    for text in texts[first:]:
        workflows += _load_whole(text)
    for workflow in list(workflows):
        workflows += _load_called(workflow)
    for workflow in workflows:
        check_functions(workflow)
    return workflows


# --- YAML and JSON


def _load_document(text: str) -> WorkflowDefinition:
    _refuse_no_file(text, SUFFIXES)
    return load_workflow_file(Path(text))


def _load_called(workflow: WorkflowDefinition) -> list[WorkflowDefinition]:
    """A workflow in a file may call workflows in the same folder, each in a file of its name."""
    data = as_data(workflow)
    folder = Path(workflow.origin).parent
    found: list[WorkflowDefinition] = []
    for caller, name in () if data is None else data.calls():
        if _is_known(name):
            continue
        file = next((each for suffix in SUFFIXES if (each := folder / f"{name}{suffix}").is_file()), None)
        if file is None:
            expected = (
                f"a workflow that is known here; name where it is with --also, or put it into {name}.yaml"
            )
            raise BadOption(f"the workflow that {caller!r} calls", name, expected)
        called = load_workflow_file(file)
        found += [called, *_load_called(called)]
    return found


def check_functions(workflow: WorkflowDefinition) -> None:
    """Raises BadOption for a function that the workflow calls and that is not known here."""
    data = as_data(workflow)
    for name in () if data is None else data.functions():
        if default_catalog.find_task(name) is None:
            expected = "a task that is known here; name the module or file that has it with --also"
            raise BadOption(f"a function of {workflow.name}", name, expected)


def _is_known(name: str) -> bool:
    try:
        default_catalog.workflow(name)
    except UnknownWorkflow:
        return False
    return True


# --- Python


def _import(name: str) -> ModuleType:
    first_on_path(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise  # an import inside the module failed
        known = [each.name if each.suffix != ".py" else each.stem for each in _siblings(Path("x"))]
        expected = f"{EXPECTED}; there is no module {error.name!r}" + _did_you_mean(name, known)
        raise BadOption("TARGET", name, expected) from None
    except (ValueError, TypeError):  # such as ".orders" or "..": not the name of a module
        raise BadOption("TARGET", name, EXPECTED) from None


def _load_whole(text: str) -> list[WorkflowDefinition]:
    """The workflow that is named, or all workflows of a module. A module with only tasks has none."""
    if not (":" in text or text.endswith(SUFFIXES)):
        module = load_python_file(text) if text.endswith(".py") else _import(text)
        workflows = workflows_of(module)
        if workflows or tasks_of(module):
            return workflows
    return [load_target(text)]


def load_python_file(text: str) -> ModuleType:
    """Imports the file as the module of its name. Raises BadFile and BadOption, and any error of its code."""
    file = Path(text).absolute()
    _refuse_no_file(text, (".py",))
    first_on_path(file.parent)
    known = sys.modules.get(file.stem)
    if known is not None:
        if getattr(known, "__file__", None) == str(file):
            return known
        raise BadOption(
            "TARGET", text, f"a file of another name: {file.stem!r} is a module that Python has already"
        )
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise BadOption("TARGET", text, "a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[file.stem]
        raise
    return module


def first_on_path(folder: Path) -> None:
    if sys.path[:1] != [str(folder)]:
        sys.path.insert(0, str(folder))


def _workflow_in(module: ModuleType, name: str, text: str) -> WorkflowDefinition:
    workflows = workflows_of(module)
    if not name:
        if len(workflows) == 1:
            return workflows[0]
        if workflows:
            names = ", ".join(f"{text}:{each.name}" for each in workflows)
            raise BadFile("TARGET", text, f"it has {len(workflows)} workflows; name one of them: {names}")
        if getattr(module, "__file__", None) is None and Path(text).is_dir():
            raise BadFile("TARGET", text, "this is a folder; name a file in it")
        tasks = "".join(f"; a task of it is {text}:{each.name}" for each in tasks_of(module)[:1])
        reason = "it has no workflow, which is a function or a class with @workflow"
        raise BadFile("TARGET", text, reason + tasks)
    found = _attribute(module, name)
    if isinstance(found, Task):
        return cast("Task[..., Any]", found).alone
    if _is_workflow(found):
        return cast("WorkflowDefinition", found)
    tasks = [each.alone for each in tasks_of(module)]
    named = [each for each in [*workflows, *tasks] if each.name == name]
    if named:
        return named[0]
    names = [each.name for each in workflows]
    reason = (
        f"{name!r} is no workflow or task" if found is not None else f"it has no workflow or task {name!r}"
    )
    others = f"; its workflows are {', '.join(names)}" if names else ""
    names += [each.name for each in tasks]
    raise BadFile("TARGET", text.rpartition(":")[0], reason + others + _did_you_mean(name, names))


def _attribute(module: ModuleType, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def workflows_of(module: ModuleType) -> list[WorkflowDefinition]:
    """The workflows that the module defines; if it defines none, those that it imports."""
    found = {id(each): each for each in vars(module).values() if _is_workflow(each)}
    own = [each for each in found.values() if str(each.origin).startswith(f"{module.__name__}:")]
    return own or list(found.values())


def tasks_of(module: ModuleType) -> list[Task[..., Any]]:
    return [each for each in vars(module).values() if isinstance(each, Task)]


def _is_workflow(value: Any) -> bool:
    return hasattr(value, "signature") and hasattr(value, "claim") and hasattr(value, "origin")


# --- suggestions


def _refuse_no_file(text: str, suffixes: tuple[str, ...]) -> None:
    """Raises BadFile if the text is not the path of a file."""
    try:
        mode = Path(text).stat().st_mode
    except FileNotFoundError:
        known = [each.name for each in _siblings(Path(text)) if each.suffix in suffixes]
        raise BadFile("TARGET", text, "no such file" + _did_you_mean(Path(text).name, known)) from None
    except OSError as error:
        raise BadFile.unreadable("TARGET", text, error) from None
    if S_ISDIR(mode):
        raise BadFile("TARGET", text, "this is a folder, not a file")
    if not S_ISREG(mode):
        raise BadFile("TARGET", text, "not a regular file")


def _siblings(file: Path) -> Iterable[Path]:
    try:
        return sorted(file.absolute().parent.iterdir())
    except OSError:
        return []


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    """Compares names without suffixes: two files are not alike because both end in .yaml."""
    by_stem = {Path(each).stem: each for each in known[:500]}
    near = get_close_matches(Path(word).stem, by_stem, n=1)
    return f"; did you mean {by_stem[near[0]]!r}?" if near else ""
