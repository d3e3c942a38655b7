"""A file, or standard input, read as a workflow."""

from __future__ import annotations

import sys
from typing import Final

from holdfast.authoring.workflow_files import WorkflowDocument, read_workflow_bytes, read_workflow_file

STDIN: Final = "-"

_STDIN_NAME: Final = "stdin"
"""The name of the file in problems, and of a workflow that has none of its own."""


def read_document(file: str) -> WorkflowDocument:
    """Reads a file, or standard input for `-`."""
    if file == STDIN:
        return read_workflow_bytes(sys.stdin.buffer.read(), _STDIN_NAME)
    return read_workflow_file(file)
