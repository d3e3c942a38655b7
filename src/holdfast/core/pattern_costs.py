"""How long a regular expression may take, before it is tried.

Python's engine tries one way after the other, and holds the GIL. With `(a+)+$`, thirty characters that do not
fit keep a process busy for minutes. A JSON schema may come from a definition that somebody has published, and
the text from somebody else, so both are looked at first.

The estimate is an upper bound of the ways in which the parts of a pattern can share the text between them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

# Python has the parser of its patterns, but no public name for it.
words: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

MOST_STEPS: Final = 1e8
"""About a second."""
_BEGINNINGS: Final = ((words.AT, words.AT_BEGINNING), (words.AT, words.AT_BEGINNING_STRING))
_REPEATS: Final = (words.MAX_REPEAT, words.MIN_REPEAT, words.POSSESSIVE_REPEAT)


def may_take_long(pattern: str, size: int) -> bool:
    """Whether it could take longer than a second to search a text of so many characters. Raises re.error."""
    if size == 0:
        return False
    parts = _parsed(pattern)
    begins_once = bool(parts) and parts[0] in _BEGINNINGS
    try:
        return _ways(parts, size) * (1 if begins_once else size) > MOST_STEPS
    except OverflowError:
        return True


@lru_cache(maxsize=256)
def _parsed(pattern: str) -> Any:
    return parser.parse(pattern)


def _ways(parts: Any, size: int) -> float:
    return math.prod(_ways_of_part(kind, what, size) for kind, what in parts)


def _ways_of_part(kind: Any, what: Any, size: int) -> float:
    if kind in _REPEATS:
        least, most, repeated = what
        return _ways_to_repeat(least, most, repeated, size)
    if kind is words.BRANCH:
        return math.fsum(_ways(each, size) for each in what[1])
    if kind is words.SUBPATTERN:
        return _ways(what[-1], size)
    if kind in (words.ASSERT, words.ASSERT_NOT):
        return _ways(what[1], size)
    if kind is words.ATOMIC_GROUP:
        return _ways(what, size)
    if kind is words.GROUPREF_EXISTS:
        return math.fsum(_ways(each, size) for each in what[1:] if each is not None)
    return 1


def _ways_to_repeat(least: int, most: Any, parts: Any, size: int) -> float:
    times = min(int(most), size)
    inner = _ways(parts, size)
    if least == int(most):
        return inner ** min(least, size)
    lengths = max(1, times - least + 1)
    if inner <= 1:
        return lengths
    # Each character may begin the next repetition or not, and each repetition has its own ways.
    return min(lengths * inner**times, (2 * max(1.0, _ways(parts, 1))) ** size, math.inf)
