"""How deeply JSON is nested."""

from __future__ import annotations

import re


def is_deeper(payload: bytes, levels: int) -> bool:
    """Whether the JSON is nested deeper than `levels`. Readers of deep JSON may fail: Postgres, or this
    process when more is on the stack. msgspec's own limit depends on the recursion limit."""
    if payload.count(b"[") + payload.count(b"{") <= levels:
        return False
    left = _STRINGS.sub(b"", payload).translate(_ALL_SQUARE, _NOT_BRACKETS)
    for _ in range(levels):  # each turn removes the innermost level
        if not left:
            return False
        left = left.replace(b"[]", b"")
    return bool(left)


_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_ALL_SQUARE = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
