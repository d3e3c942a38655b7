"""How values of JSON are compared, strictly and loosely, and what messages call them."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import Any, Final, cast

_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_LONGEST_NUMBER: Final = 400

ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LOOSE_ORDERS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def name_of_value(value: Any) -> str:
    """The type of a value from JSON, in the words of a document."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return type(value).__name__


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number_in(value: Any) -> float | int | None:
    """A number, or the number that a text is written like. None if it is neither."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER and _NUMBER.fullmatch(value):
        # Not every whole number has its float.
        number = int(value) if _WHOLE.fullmatch(value) else float(value)
        return number if math.isfinite(number) else None
    return None


def are_equal(left: Any, right: Any, *, is_loose: bool = False) -> bool:
    """Whether two values from JSON are equal. 1 and 1.0 are; 1 and true are not, at any depth. Loosely, 1 and
    "1" are equal, too.

    Without recursion: a run may hold values that are nested as deep as the interpreter can go.
    """
    pairs: list[tuple[Any, Any]] = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, list) and isinstance(other, list):
            items, others = cast("list[Any]", one), cast("list[Any]", other)
            if len(items) != len(others):
                return False
            pairs += zip(items, others, strict=True)
        elif isinstance(one, dict) and isinstance(other, dict):
            entries, others = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
            if entries.keys() != others.keys():
                return False
            pairs += [(value, others[key]) for key, value in entries.items()]
        elif not _are_same(one, other, is_loose=is_loose):
            return False
    return True


def _are_same(one: Any, other: Any, *, is_loose: bool) -> bool:
    """Of values that are not both lists or both objects."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    # Two texts are compared letter by letter, also if both look like numbers: 0815 is not 815.
    if is_loose and isinstance(one, str) != isinstance(other, str):
        first, second = number_in(one), number_in(other)
        return first is not None and first == second
    return one == other


def compare(name: str, left: Any, right: Any) -> bool:
    """A loose comparison: `eq`, `ne`, `lt`, `le`, `gt` or `ge`. It never fails.

    Numbers are compared as numbers, also with texts that are written like numbers: parameters often are.
    """
    if name in ("eq", "ne"):
        return are_equal(left, right, is_loose=True) is (name == "eq")
    numbers = number_in(left), number_in(right)
    if numbers[0] is not None and numbers[1] is not None:
        left, right = numbers
    elif not (isinstance(left, str) and isinstance(right, str)):
        return False
    return ORDERS[LOOSE_ORDERS[name]](left, right)


def is_within(item: Any, collection: Any) -> bool:
    """Whether a list has an item that is loosely equal, or a text has another text in it. It never fails."""
    if isinstance(collection, list):
        return any(are_equal(each, item, is_loose=True) for each in cast("list[Any]", collection))
    return isinstance(collection, str) and isinstance(item, str) and item in collection
