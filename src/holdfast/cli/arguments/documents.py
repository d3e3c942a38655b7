"""A file, or standard input, read as the DAG or flow that it contains."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from holdfast.authoring.workflow_files import is_text_of_a_flow
from holdfast.errors import BadDag, BadDocument, Problem

if TYPE_CHECKING:
    from holdfast.authoring.dag.model import Dag
    from holdfast.authoring.flow.model import Flow

    Meaning: TypeAlias = Dag | Flow

STDIN: Final = "-"

_STDIN_NAME: Final = "stdin"
"""The name of the file in problems, and of a workflow that has none of its own."""


class LoadedDocument(NamedTuple):
    file: str
    is_flow: bool
    """A guess, if the document could not be read."""
    meaning: Meaning | None
    """None if there are problems."""
    problems: tuple[Problem, ...]
    text: str
    """Empty if the file could not be read."""

    @property
    def size(self) -> int:
        """How many tasks it has, or nodes with those of subflows."""
        from holdfast.authoring.dag.model import Dag
        from holdfast.authoring.flow.drawing import count_nodes

        if self.meaning is None:
            return 0
        return len(self.meaning.tasks) if isinstance(self.meaning, Dag) else count_nodes(self.meaning)


def read_document(file: str) -> LoadedDocument:
    """Reads a file, or standard input for `-`."""
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
        # A DAG from standard input has no folder, so the files that it names are not checked.
        return load_text(text, file=_STDIN_NAME)
    return load_text(text, file=file, folder=Path(file).parent)


def _standard_input() -> str:
    data = sys.stdin.buffer.read()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadDag([Problem(_STDIN_NAME, line, 1, "it is not text in UTF-8")]) from None
