"""DAGs and flows in files, for callers that do not tell them apart: read one, load one, find all in a folder.

Loaders are imported when they are needed: a process with only workflows in code does not pay for them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast

from holdfast.authoring.documents.detect_kind import looks_like_a_dag, looks_like_a_flow
from holdfast.errors import BadDocument, Problem

if TYPE_CHECKING:
    from holdfast.authoring.catalog import DataWorkflow

SUFFIXES: Final = (".yaml", ".yml", ".json")
"""Of files with workflows."""

_MOST_BYTES: Final = 10_000_000
"""How much of a file is read to tell its kind. The loader refuses larger files."""
_KEYS_OF_A_FLOW: Final = ("start", "nodes", "edges")
_ENOUGH_KEYS: Final = 2
"""One key is not enough: other tools have `nodes` too, and package.json has a `start`."""

_Kind: TypeAlias = Literal["dag", "flow"]
_NOUNS: Final[dict[_Kind, str]] = {"dag": "task", "flow": "node"}


class WorkflowDocument(NamedTuple):
    """A text, read as the DAG or the flow that it contains."""

    file: str
    kind: _Kind
    """A guess, if the document could not be read."""
    text: str
    """Empty if the file could not be read."""
    workflow: DataWorkflow | None
    """None if there are problems."""
    problems: tuple[Problem, ...] = ()

    @property
    def noun(self) -> str:
        """What people call a part of it: a task, or a node."""
        return _NOUNS[self.kind]

    def loaded(self) -> DataWorkflow:
        """Raises BadDocument with all problems."""
        if self.workflow is None:
            raise BadDocument(self.problems)
        return self.workflow


def read_workflow_file(file: str) -> WorkflowDocument:
    from holdfast.authoring.documents.file_text import read_text

    return _read(file, lambda: read_text(file, BadDocument), folder=Path(file).parent)


def read_workflow_bytes(data: bytes, name: str) -> WorkflowDocument:
    """`name` is the file in problems, and the name of a workflow that has none of its own. The document has
    no folder, so the files that it names are not checked."""
    from holdfast.authoring.documents.file_text import decode_text

    return _read(name, lambda: decode_text(data, name, BadDocument), folder=None)


def load_workflow_file(file: Path) -> DataWorkflow:
    """Reads a DAG or a flow and adds it to the catalog. Raises BadDocument with everything that is wrong."""
    from holdfast.authoring.catalog import default_catalog

    workflow = read_workflow_file(str(file.absolute())).loaded()
    default_catalog.add_workflow(workflow)
    return workflow


def _read(file: str, read_text: Callable[[], str], *, folder: Path | None) -> WorkflowDocument:
    text, kind = "", kind_of(b"", file)
    try:
        text = read_text()
        kind = kind_of(text.encode(), file)
        return WorkflowDocument(file, kind, text, _parse(kind, text, file, folder))
    except BadDocument as bad:
        return WorkflowDocument(file, kind, text, None, tuple(bad.problems))


def _parse(kind: _Kind, text: str, file: str, folder: Path | None) -> DataWorkflow:
    """Raises BadDocument."""
    if kind == "dag":
        from holdfast.authoring.dag.workflow import parse_dag

        return parse_dag(text, file, folder=folder)
    from holdfast.authoring.flow.workflow import parse_flow

    return parse_flow(text, file, is_json=None if folder is None else file.endswith(".json"))


# --- which kind


def kind_of(data: bytes, file: str) -> _Kind:
    """Judged by the keys at the top. The loader does the rest."""
    keys = _keys_of_json(data)
    if keys is not None:
        is_flow = "tasks" not in keys and (file.endswith(".json") or not keys.isdisjoint(_KEYS_OF_A_FLOW))
    else:
        is_flow = looks_like_a_flow(data) or (file.endswith(".json") and not looks_like_a_dag(data))
    return "flow" if is_flow else "dag"


def _keys_of_json(data: bytes) -> set[str] | None:
    """The keys at the top; None if the text is not a JSON object."""
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):  # the loader reports it
        return None
    return set(cast("dict[str, Any]", found)) if isinstance(found, dict) else None


# --- which files


def workflows_in(folder: Path) -> list[str]:
    """The DAGs and flows in it and in the folders below, in order. Skips hidden folders and virtualenvs."""
    found: list[str] = []
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(
            each
            for each in folders
            if not each.startswith(".") and not Path(path, each, "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            if name.endswith(SUFFIXES) and looks_like_a_workflow(Path(path, name)):
                found.append(str(Path(path, name)))
    return found


def looks_like_a_workflow(file: Path) -> bool:
    """Whether it has `tasks` at the top, or two keys of a flow. Other tools have YAML and JSON files too."""
    try:
        with file.open("rb") as stream:
            data = stream.read(_MOST_BYTES)
    except OSError:
        return True  # the loader reports it
    if file.suffix == ".json":
        keys = _keys_of_json(data)
        if keys is None:
            keys = {each for each in _KEYS_OF_A_FLOW if re.search(rb'"%s"\s*:' % each.encode(), data)}
        # `tasks` does not count in JSON: editors and other tools have such files.
        return _has_enough(keys)
    if looks_like_a_dag(data):
        return True
    keys = {
        each for each in _KEYS_OF_A_FLOW if re.search(rb"""(?m)^["']?%s["']?\s*:""" % each.encode(), data)
    }
    return _has_enough(keys | (_keys_of_json(data) or set()))


def _has_enough(keys: set[str]) -> bool:
    return len(keys.intersection(_KEYS_OF_A_FLOW)) >= _ENOUGH_KEYS
