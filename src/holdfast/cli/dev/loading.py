"""Loads everything that the files define. A file with a mistake is told, and does not stop the others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

import msgspec

from holdfast.authoring.catalog import DataWorkflow, WorkflowDefinition, default_catalog
from holdfast.authoring.workflow_files import SUFFIXES, looks_like_a_workflow, read_workflow_file
from holdfast.cli.arguments.targets import tasks_of, workflows_of
from holdfast.cli.dev.python_files import BadPython, RunsOnImport, defines_something, import_file, is_test
from holdfast.cli.dev.source_files import PYTHON, take_snapshot
from holdfast.errors import HoldfastError, Problem, UnknownWorkflow

_MOST_MODULES: Final = 1_000


class Loaded(msgspec.Struct):
    workflows: list[WorkflowDefinition] = []
    targets: dict[str, str] = {}
    """What `holdfast run` takes for each workflow, by its name."""
    files: list[str] = []
    """Those that define something and have no problem."""
    problems: list[Problem] = []
    broken: set[str] = set()
    """Files that could not be loaded. The mistake may be in another file, which they import."""
    notes: list[str] = []

    def note_problems(self, file: str, problems: Iterable[Problem]) -> None:
        self.problems += problems
        self.broken.add(file)

    def more_files(self) -> list[str]:
        """Files that were imported or read without being among the paths: a change in one counts as well."""
        folders = {Path(file).parent for file in self.files}
        found = [file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))]
        own = [each for each in found if Path(each).parent in folders]
        return [*self.files, *own[:_MOST_MODULES]]


def load_everything(paths: Sequence[Path], note_file: Callable[[str], None]) -> Loaded:
    """Adds to the catalog what the files define. `note_file` is called before a Python file is imported."""
    loaded = Loaded()
    named = {str(path) for path in paths}
    files = [Path(name) for name in take_snapshot(paths).files]
    for file in files:
        if file.suffix == PYTHON:
            _load_python(file, loaded, note_file, is_named=str(file) in named)
    documents: dict[str, DataWorkflow] = {}
    for file in files:
        if file.suffix in SUFFIXES and (str(file) in named or looks_like_a_workflow(file)):
            _read_document(file, documents, loaded)
    _add_documents(documents, loaded)
    return loaded


def _load_python(file: Path, loaded: Loaded, note_file: Callable[[str], None], *, is_named: bool) -> None:
    try:
        if not is_named and is_test(file):
            return
        if not defines_something(file) and not is_named:
            return
        note_file(str(file))
        module = import_file(file)
    except BadPython as bad:
        loaded.note_problems(str(file), [bad.problem])
        return
    except RunsOnImport as reason:
        loaded.notes.append(str(reason))
        return
    if not _defined_in(module):
        if is_named:
            loaded.notes.append(f"{file}: it has no workflow and no task")
        return
    loaded.files.append(str(file))
    workflows = [each for each in workflows_of(module) if each.origin.startswith(f"{module.__name__}:")]
    for workflow in workflows:
        loaded.workflows.append(workflow)
        loaded.targets[workflow.name] = f"{file}:{workflow.name}" if len(workflows) > 1 else str(file)


def _defined_in(module: ModuleType) -> bool:
    return bool(workflows_of(module) or tasks_of(module))


def _read_document(file: Path, documents: dict[str, DataWorkflow], loaded: Loaded) -> None:
    document = read_workflow_file(str(file))
    if document.workflow is None:
        loaded.note_problems(str(file), document.problems)
    else:
        documents[str(file)] = document.workflow


def _add_documents(documents: dict[str, DataWorkflow], loaded: Loaded) -> None:
    """Adds those whose functions and workflows are known. A workflow that calls a broken one is broken."""
    while True:
        names = {workflow.name for workflow in documents.values()}
        lacking = [(file, each) for file, each in documents.items() if _lack_of(each, names)]
        found = [beside for file, each in lacking if (beside := _file_beside(file, each, names))]
        fresh = [file for file in found if str(file) not in documents and str(file) not in loaded.broken]
        for file in fresh:
            _read_document(file, documents, loaded)
        if fresh:
            continue
        for file, workflow in lacking:
            loaded.note_problems(file, [Problem(file, 1, 1, _lack_of(workflow, names))])
            del documents[file]
        if not lacking:
            break
    for file, workflow in documents.items():
        try:
            default_catalog.add_workflow(workflow)
        except HoldfastError as error:  # another file has the name
            loaded.note_problems(file, [Problem(file, 1, 1, str(error))])
            continue
        loaded.workflows.append(workflow)
        loaded.targets[workflow.name] = file
        loaded.files.append(file)


def _lack_of(workflow: DataWorkflow, names: set[str]) -> str:
    """What the workflow calls and nobody defines; empty if there is nothing."""
    for name in workflow.functions():
        if default_catalog.find_task(name) is None:
            return f"it calls the task {name!r}, which no file defines"
    for caller, name in workflow.calls():
        if name not in names and not _is_known(name):
            return f"{caller!r} calls the workflow {name!r}, which no file defines"
    return ""


def _file_beside(file: str, workflow: DataWorkflow, names: set[str]) -> Path | None:
    """The file of a workflow that it calls, in the same folder and of that name."""
    for _, name in workflow.calls():
        if name not in names and not _is_known(name):
            beside = [Path(file).parent / f"{name}{suffix}" for suffix in SUFFIXES]
            return next((each for each in beside if each.is_file()), None)
    return None


def _is_known(name: str) -> bool:
    try:
        default_catalog.workflow(name)
    except UnknownWorkflow:
        return False
    return True
