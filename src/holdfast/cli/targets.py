"""From what a user types to a workflow: `etl.yaml`, `shop.orders:fulfil`, `orders.py:fulfil`, `orders`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from holdfast.authoring.catalog import WorkflowDefinition, default_catalog
from holdfast.authoring.code.definitions import Task
from holdfast.cli.documents import SUFFIXES, is_flow
from holdfast.errors import BadFile, BadOption, UnknownWorkflow

if TYPE_CHECKING:
    from holdfast.authoring.flow.model import Flow

EXPECTED = "a YAML or JSON file, module:workflow or file.py:workflow"


class Target(NamedTuple):
    workflow: WorkflowDefinition
    dag: Any
    """The `Dag`, if it is one."""
    calls: Sequence[tuple[str, str]] = ()
    """What of it calls which workflow."""
    flow: Flow | None = None
    """If it is one."""


def load_target(text: str) -> Target:
    """Import or read it, and make it known. Raises BadDocument and BadOption; what user code raises, too."""
    what = "TARGET"
    if text.endswith(SUFFIXES):
        return _load_document(text, what)
    place, separator, name = text.rpartition(":")
    if not separator:
        place, name = text, ""
    if not place or "<locals>" in text:
        raise BadOption(what, text, EXPECTED)
    module = _load_file(place, what) if place.endswith(".py") else _import(place, what)
    return Target(_workflow_in(module, name, what, text), None)


def load_all(texts: Sequence[str], *, is_first_a_workflow: bool = True) -> list[Target]:
    """All of them, and the workflows that they call. Others than the first may be modules with tasks only.

    Raises BadOption also for functions of flows that are not known here.
    """
    first = 1 if is_first_a_workflow else 0
    others = [text for text in texts[first:] if not _has_only_tasks(text)]
    targets = [load_target(text) for text in [*texts[:first], *others]]
    for target in list(targets):
        targets += _load_called(target)
    for target in targets:
        check_functions(target.workflow)
    return targets


# --- YAML and JSON


def _load_document(text: str, what: str) -> Target:
    file = Path(text)
    _refuse_no_file(text, what, SUFFIXES)
    return _load_flow(file) if is_flow(file) else _load_dag(file)


def _load_dag(file: Path) -> Target:
    from holdfast.authoring.dag.model import CallTask
    from holdfast.authoring.dag.workflow import load_dag

    workflow = load_dag(file)
    tasks = workflow.dag.tasks.values()
    calls = [(f"task {it.name!r}", it.work.workflow) for it in tasks if isinstance(it.work, CallTask)]
    return Target(workflow, workflow.dag, calls)


def _load_flow(file: Path) -> Target:
    from holdfast.authoring.flow.workflow import load_flow

    workflow = load_flow(file)
    calls = [(f"node {path!r}", name) for path, name in workflow.calls()]
    return Target(workflow, None, calls, workflow.flow)


def _load_called(target: Target) -> list[Target]:
    """A file may call workflows that lie beside it, in a file of their name."""
    folder = Path(target.workflow.origin).parent
    found: list[Target] = []
    for caller, name in target.calls:
        if _is_known(name):
            continue
        file = next((each for it in SUFFIXES if (each := folder / f"{name}{it}").is_file()), None)
        if file is None:
            expected = (
                f"a workflow that is known here; name where it is with --also, or put it into {name}.yaml"
            )
            raise BadOption(f"what {caller} calls", name, expected)
        called = _load_document(str(file), "TARGET")
        found += [called, *_load_called(called)]
    return found


def check_functions(workflow: WorkflowDefinition) -> None:
    """Raises BadOption for one of a flow that is not known here."""
    functions: Sequence[str] = getattr(workflow, "functions", list)()
    for name in functions:
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


def _import(name: str, what: str) -> ModuleType:
    _first_on_path(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise  # something that the module itself imports is missing
        known = [each.name if each.suffix != ".py" else each.stem for each in _siblings(Path("x"))]
        expected = f"{EXPECTED}; there is no module {error.name!r}" + _did_you_mean(name, known)
        raise BadOption(what, name, expected) from None
    except (ValueError, TypeError):  # such as ".orders", or "..": no name of a module
        raise BadOption(what, name, EXPECTED) from None


def _has_only_tasks(text: str) -> bool:
    """Whether it is a module that is there for its tasks. Imports it."""
    if ":" in text or text.endswith(SUFFIXES):
        return False
    module = _load_file(text, "TARGET") if text.endswith(".py") else _import(text, "TARGET")
    has_task = any(isinstance(each, Task) for each in vars(module).values())
    return has_task and not _workflows_of(module)


def _load_file(text: str, what: str) -> ModuleType:
    file = Path(text).absolute()
    _refuse_no_file(text, what, (".py",))
    _first_on_path(file.parent)
    known = sys.modules.get(file.stem)
    if known is not None:
        if getattr(known, "__file__", None) == str(file):
            return known
        raise BadOption(
            what, text, f"a file of another name: {file.stem!r} is a module that Python has already"
        )
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise BadOption(what, text, "a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[file.stem]
        raise
    return module


def _first_on_path(folder: Path) -> None:
    if sys.path[:1] != [str(folder)]:
        sys.path.insert(0, str(folder))


def _workflow_in(module: ModuleType, name: str, what: str, text: str) -> WorkflowDefinition:
    workflows = _workflows_of(module)
    if not name:
        if len(workflows) == 1:
            return workflows[0]
        names = ", ".join(each.name for each in workflows)
        has = (
            f"one of its {len(workflows)} workflows: {names}"
            if workflows
            else "a module with a workflow in it"
        )
        raise BadOption(what, text, f"{has} (as in {text}:name)" if workflows else has)
    found = _attribute(module, name)
    if _is_workflow(found):
        return cast("WorkflowDefinition", found)
    named = [each for each in workflows if each.name == name]
    if named:
        return named[0]
    names = [each.name for each in workflows]
    has = f"its workflows are {', '.join(names)}" if names else "there are none in it"
    is_there = f"{name!r} is there, but is no workflow" if found is not None else f"it has no {name!r}"
    raise BadOption(
        what, text, f"a workflow of {module.__name__}: {is_there}; {has}{_did_you_mean(name, names)}"
    )


def _attribute(module: ModuleType, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def _workflows_of(module: ModuleType) -> list[WorkflowDefinition]:
    """Those that it defines; if it defines none, those that it has from elsewhere."""
    found = {id(each): each for each in vars(module).values() if _is_workflow(each)}
    own = [each for each in found.values() if str(each.origin).startswith(f"{module.__name__}:")]
    return own or list(found.values())


def _is_workflow(thing: Any) -> bool:
    return hasattr(thing, "signature") and hasattr(thing, "claim") and hasattr(thing, "origin")


# --- slips of the pen


def _refuse_no_file(text: str, what: str, suffixes: tuple[str, ...]) -> None:
    """Raises BadFile."""
    try:
        mode = Path(text).stat().st_mode
    except FileNotFoundError:
        known = [each.name for each in _siblings(Path(text)) if each.suffix in suffixes]
        raise BadFile(what, text, "no such file" + _did_you_mean(Path(text).name, known)) from None
    except OSError as error:
        raise BadFile.unreadable(what, text, error) from None
    if S_ISDIR(mode):
        raise BadFile(what, text, "this is a folder, not a file")
    if not S_ISREG(mode):
        raise BadFile(what, text, "not a regular file")


def _siblings(file: Path) -> Iterable[Path]:
    try:
        return sorted(file.absolute().parent.iterdir())
    except OSError:
        return []


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    """By the names alone: that two files end in .yaml does not make them alike."""
    by_stem = {Path(each).stem: each for each in known[:500]}
    near = get_close_matches(Path(word).stem, by_stem, n=1)
    return f"; did you mean {by_stem[near[0]]!r}?" if near else ""
