"""The text of a file with a document in it."""

from __future__ import annotations

from pathlib import Path

from holdfast.authoring.documents.yaml_text import LARGEST_TEXT
from holdfast.errors import BadDocument, Problem

_LARGEST_FILE = LARGEST_TEXT
"""In bytes."""


def read_text(path: str | Path, error: type[BadDocument]) -> str:
    """Raises `error` if there is no such file, or no text in it."""

    def unreadable(reason: str) -> BadDocument:
        return error([Problem(str(path), 0, 0, reason)])

    try:
        with Path(path).open("rb") as stream:
            data = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise unreadable("no such file") from None
    except IsADirectoryError:
        raise unreadable("this is a folder, not a file") from None
    except (OSError, ValueError) as cause:
        raise unreadable(f"it cannot be read: {cause}") from cause
    if len(data) > _LARGEST_FILE:
        raise unreadable(f"it has more than {_LARGEST_FILE:,} bytes, which is too large for a workflow")
    return decode_text(data, str(path), error)


def decode_text(data: bytes, file: str, error: type[BadDocument]) -> str:
    """Raises `error` if the data is not text. `file` is its name in the problem."""
    try:
        return data.decode()
    except UnicodeDecodeError as cause:
        before = data[: cause.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
        raise error([Problem(file, line, column, "it is not text in UTF-8")]) from None
