"""A file, or standard input, as the DAG or the flow that it is; and which files of a folder are either."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from holdfast.authoring.documents.detect_kind import looks_like_a_dag, looks_like_a_flow
from holdfast.errors import BadDag, BadDocument, Problem

if TYPE_CHECKING:
    from holdfast.authoring.dag.model import Dag
    from holdfast.authoring.flow.model import Flow

    Meaning: TypeAlias = Dag | Flow

STDIN: Final = "-"
SUFFIXES: Final = (".yaml", ".yml", ".json")
"""Of files with workflows."""

_STDIN_NAME: Final = "stdin"
"""What problems say, and the name of a workflow that has none of its own."""
_MOST_LOOKED_AT: Final = 10_000_000
"""Bytes. Any file may be named here, and what is larger is refused by whoever loads it."""
_KEYS_OF_A_FLOW: Final = ("start", "nodes", "edges")
_ENOUGH_KEYS: Final = 2
"""Other tools have `nodes` too, and package.json has a `start`."""


class LoadedDocument(NamedTuple):
    """What became of reading one."""

    file: str
    is_flow: bool
    """As far as can be seen, if it could not be read."""
    meaning: Meaning | None
    problems: tuple[Problem, ...]
    text: str
    """Empty if it could not be read."""

    @property
    def size(self) -> int:
        """How many tasks it has, or nodes, those of subflows included."""
        from holdfast.authoring.dag.model import Dag
        from holdfast.authoring.flow.drawing import count_nodes

        if self.meaning is None:
            return 0
        return len(self.meaning.tasks) if isinstance(self.meaning, Dag) else count_nodes(self.meaning)


def read_document(file: str) -> LoadedDocument:
    """From a file, or from standard input for `-`."""
    from holdfast.authoring.documents.file_text import read_text

    name = _STDIN_NAME if file == STDIN else file
    text, is_flow = "", file.endswith(".json")
    try:
        text = _standard_input() if file == STDIN else read_text(file, BadDag)
        is_flow = is_text_of_a_flow(text.encode(), file)
        return LoadedDocument(name, is_flow, _load(file, text, is_flow=is_flow), (), text)
    except BadDocument as bad:
        return LoadedDocument(name, is_flow, None, tuple(bad.problems), text)


def load_document(file: str) -> Meaning:
    """Raises BadDocument."""
    found = read_document(file)
    if found.meaning is None:
        from holdfast.errors import BadFlow

        raise (BadFlow if found.is_flow else BadDag)(found.problems)
    return found.meaning


def _load(file: str, text: str, *, is_flow: bool) -> Meaning:
    """Raises BadDocument."""
    from holdfast.authoring.dag.loader import load_text
    from holdfast.authoring.flow.loader import load_flow_text

    if is_flow:
        is_json = None if file == STDIN else file.endswith(".json")
        return load_flow_text(text, file=_STDIN_NAME if file == STDIN else file, is_json=is_json)
    if file == STDIN:
        # The files that the DAG names are not looked for: where standard input comes from, nobody knows.
        return load_text(text, file=_STDIN_NAME)
    return load_text(text, file=file, folder=Path(file).parent)


def _standard_input() -> str:
    data = sys.stdin.buffer.read()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadDag([Problem(_STDIN_NAME, line, 1, "it is not text in UTF-8")]) from None


# --- which kind


def is_flow(file: Path) -> bool:
    """Whether it is a flow rather than a DAG, as far as can be seen; whoever loads it says the rest."""
    try:
        return is_text_of_a_flow(_beginning(file), file.name)
    except OSError:
        return file.suffix == ".json"


def _beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_MOST_LOOKED_AT)


def is_text_of_a_flow(data: bytes, file: str) -> bool:
    keys = _keys_of_json(data)
    if keys is not None:
        return "tasks" not in keys and (file.endswith(".json") or not keys.isdisjoint(_KEYS_OF_A_FLOW))
    return looks_like_a_flow(data) or (file.endswith(".json") and not looks_like_a_dag(data))


def _keys_of_json(data: bytes) -> set[str] | None:
    """Those at the top; None if it is no map in JSON."""
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):  # whoever loads it says what is the matter
        return None
    return set(cast("dict[str, Any]", found)) if isinstance(found, dict) else None


# --- which files


def workflows_in(folder: Path) -> list[str]:
    """The DAGs and flows in it, in order, also in folders below, but for hidden ones and for what Python has
    installed."""
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
    """Other tools have such files too. Tasks at the top make one a DAG, and two keys of a flow make one a
    flow, even where the rest cannot be read."""
    try:
        data = _beginning(file)
    except OSError:
        return True  # the loader says what is the matter
    if file.suffix == ".json":
        keys = _keys_of_json(data)
        if keys is None:
            keys = {each for each in _KEYS_OF_A_FLOW if re.search(rb'"%s"\s*:' % each.encode(), data)}
        # In JSON, tasks are more often those of an editor or of another tool.
        return _has_enough(keys)
    if looks_like_a_dag(data):
        return True
    keys = {
        each for each in _KEYS_OF_A_FLOW if re.search(rb"""(?m)^["']?%s["']?\s*:""" % each.encode(), data)
    }
    return _has_enough(keys | (_keys_of_json(data) or set()))


def _has_enough(keys: set[str]) -> bool:
    return len(keys.intersection(_KEYS_OF_A_FLOW)) >= _ENOUGH_KEYS
