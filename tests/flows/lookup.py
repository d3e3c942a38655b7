"""Finds values and checks conditions for the interpreter of flows, in the simplest way."""

from __future__ import annotations

import re
from typing import Any

_NAMES_A_ROOT = re.compile(r"\$[A-Za-z_]")
_IS_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")


def at(path: str, seen: dict[str, Any]) -> Any:
    """`seen` has `params`, `shared` and `input`."""
    return inside(seen, path[1:] if path.startswith("$") else f"shared.{path}")


def inside(value: Any, path: str) -> Any:
    for step in re.findall(r"\[\d+\]|[^.\[\]]+", path):
        if step.startswith("["):
            place = int(step[1:-1])
            value = value[place] if isinstance(value, list) and place < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def holds(condition: Any, seen: dict[str, Any]) -> bool:
    if isinstance(condition, str):
        return at(condition, seen) is True
    [(operator, given)] = condition.items()
    if operator == "not":
        return not holds(given[0] if isinstance(given, list) else given, seen)
    if operator == "and":
        return all(holds(each, seen) for each in given)
    if operator == "or":
        return any(holds(each, seen) for each in given)
    if operator == "exists":
        return at(given[0] if isinstance(given, list) else given, seen) is not None
    left, right = (_operand(each, seen) for each in given)
    match operator:
        case "in":
            return _has(right, left)
        case "contains":
            return _has(left, right)
        case "eq":
            return _equal(left, right)
        case "ne":
            return not _equal(left, right)
        case _:
            return _in_order(operator, left, right)


def _operand(given: Any, seen: dict[str, Any]) -> Any:
    return at(given, seen) if isinstance(given, str) and _NAMES_A_ROOT.match(given) else given


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if _IS_NUMBER.fullmatch(value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    numbers = _number(left), _number(right)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return type(left) is type(right) and left == right


def _in_order(operator: str, left: Any, right: Any) -> bool:
    numbers = _number(left), _number(right)
    if None not in numbers:
        left, right = numbers
    elif not (isinstance(left, str) and isinstance(right, str)):
        return False
    return {"gt": left > right, "lt": left < right, "ge": left >= right, "le": left <= right}[operator]


def _has(collection: Any, item: Any) -> bool:
    if isinstance(collection, list):
        return any(_equal(each, item) for each in collection)
    return isinstance(collection, str) and isinstance(item, str) and item in collection
