"""Fingerprints of failures: failures of one cause have the same, so that thirty-six of them are one line."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from holdfast.core.values import Failure

_NUMBER: Final = re.compile(
    r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\b|\d+(?:[.,:]\d+)*"
)
"""Addresses, UUIDs, and numbers with their separators."""
_FRAME: Final = re.compile(r'^  File "(?:[^"\n]*[/\\])?([^"/\\\n]+)", line \d+, in (.+)$', re.MULTILINE)
_RAISED_AGAIN: Final = "\n\nIt was raised again:"
_LOOKED_AT: Final = 2_000
"""Characters of a message. What comes later says little about the cause, and may be long."""


def fingerprint(failure: Failure) -> str:
    """Of the class, the place and the message without its numbers."""
    message = _NUMBER.sub("#", failure.message[:_LOOKED_AT])
    text = "\n".join((failure.type, place(failure), message))
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def place(failure: Failure) -> str:
    """Where it was raised: `file.py in function`. Without the line, which changes with every edit above it.
    Empty if it is not known."""
    first = failure.traceback.partition(_RAISED_AGAIN)[0]
    frames = _FRAME.findall(first)
    return "{} in {}".format(*frames[-1]) if frames else ""
