"""Files with DAGs and flows, for callers that do not tell them apart: load one, find all in a folder.

Loaders are imported when they are needed: a process with only workflows in code does not pay for them.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from holdfast.authoring.documents.detect_kind import looks_like_a_dag, looks_like_a_flow

if TYPE_CHECKING:
    from holdfast.authoring.catalog import DataWorkflow

SUFFIXES: Final = (".yaml", ".yml", ".json")
"""Of files with workflows."""

_MOST_BYTES: Final = 10_000_000
"""How much of a file is read to tell its kind. The loader refuses larger files."""
_KEYS_OF_A_FLOW: Final = ("start", "nodes", "edges")
_ENOUGH_KEYS: Final = 2
"""One key is not enough: other tools have `nodes` too, and package.json has a `start`."""


def load_workflow_file(file: Path) -> DataWorkflow:
    """Reads a DAG or a flow and adds it to the catalog. Raises BadDocument with everything that is wrong."""
    if is_flow(file):
        from holdfast.authoring.flow.workflow import load_flow

        return load_flow(file)
    from holdfast.authoring.dag.workflow import load_dag

    return load_dag(file)


# --- which kind


def is_flow(file: Path) -> bool:
    """Whether the file is a flow rather than a DAG, judged by its beginning. The loader does the rest."""
    try:
        return is_text_of_a_flow(_beginning(file), file.name)
    except OSError:
        return file.suffix == ".json"


def _beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_MOST_BYTES)


def is_text_of_a_flow(data: bytes, file: str) -> bool:
    keys = _keys_of_json(data)
    if keys is not None:
        return "tasks" not in keys and (file.endswith(".json") or not keys.isdisjoint(_KEYS_OF_A_FLOW))
    return looks_like_a_flow(data) or (file.endswith(".json") and not looks_like_a_dag(data))


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
            if name.endswith(SUFFIXES) and _looks_like_a_workflow(Path(path, name)):
                found.append(str(Path(path, name)))
    return found


def _looks_like_a_workflow(file: Path) -> bool:
    """Whether it has `tasks` at the top, or two keys of a flow. Other tools have YAML and JSON files too."""
    try:
        data = _beginning(file)
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
