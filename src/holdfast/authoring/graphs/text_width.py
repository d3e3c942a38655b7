"""Text that is drawn: on one line, and measured in columns of a terminal."""

from __future__ import annotations

import unicodedata
from typing import Final

_ELLIPSIS: Final = "…"


def one_line(text: str) -> str:
    """Without line breaks and control characters, which would change what is drawn around the text."""
    return " ".join("".join(c if _is_shown(c) else " " for c in text).split())


def shorten(text: str, width: int) -> str:
    """Cuts the text to at most `width` columns."""
    if columns_of(text) <= width:
        return text
    kept = ""
    for character in text:
        if columns_of(kept + character) >= width:
            break
        kept += character
    return kept.rstrip() + _ELLIPSIS


def columns_of(text: str) -> int:
    """How wide the text is in a terminal. An East Asian character takes two columns, an accent takes none."""
    if text.isascii():
        return len(text)
    return sum(_columns_of_one(character) for character in text)


def padded(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))


def _columns_of_one(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _is_shown(character: str) -> bool:
    # Not control characters, marks that reverse the direction of writing, surrogates, unassigned code points.
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
