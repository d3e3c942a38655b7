"""Tells a DAG from a flow by the keys at the top of a text, before the text is parsed."""

from __future__ import annotations

import re
from typing import Final

# A key at the top: at the beginning of a line, or in the first map of a text that begins with a brace.
_TOP: Final = rb"""(?:^|^\s*\{[^{}\[\]]*?)["']?(%s)["']?\s*:"""
_IN_JSON: Final = rb"""["'](%s)["']\s*:"""


def looks_like_a_dag(data: bytes) -> bool:
    return _has(data, rb"tasks")


def looks_like_a_flow(data: bytes) -> bool:
    return not looks_like_a_dag(data) and _has(data, rb"nodes|edges|start")


def _has(data: bytes, keys: bytes) -> bool:
    if re.search(_TOP % keys, data, re.MULTILINE) is not None:
        return True
    # JSON is seldom written with its keys at the beginning of lines.
    return data.lstrip().startswith(b"{") and re.search(_IN_JSON % keys, data) is not None
