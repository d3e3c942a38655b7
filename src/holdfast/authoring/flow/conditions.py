"""Conditions of a choice: `{"and": [{"gt": ["$shared.total", 100]}, {"exists": "$params.vip"}]}`.

They never fail. What cannot be compared is not equal, and neither greater nor less.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final, TypeAlias, assert_never, cast

import msgspec

from holdfast.authoring.flow.paths import Path, PathValues

COMPARISONS: Final = ("eq", "ne", "gt", "lt", "ge", "le")

_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_LONGEST_NUMBER: Final = 400


class LiteralOperand(msgspec.Struct, frozen=True, tag="literal"):
    value: Any


class Reference(msgspec.Struct, frozen=True, tag="path"):
    path: Path


Operand: TypeAlias = LiteralOperand | Reference


class AllOf(msgspec.Struct, frozen=True, tag="and"):
    parts: tuple[Condition, ...]


class AnyOf(msgspec.Struct, frozen=True, tag="or"):
    parts: tuple[Condition, ...]


class Not(msgspec.Struct, frozen=True, tag="not"):
    part: Condition


class Comparison(msgspec.Struct, frozen=True, tag="comparison"):
    operator: str
    """One of `COMPARISONS`."""
    left: Operand
    right: Operand


class Exists(msgspec.Struct, frozen=True, tag="exists"):
    path: Path


class Within(msgspec.Struct, frozen=True, tag="in"):
    """`in: [item, collection]`, and `contains: [collection, item]`: a list has it, or a text."""

    item: Operand
    collection: Operand


Condition: TypeAlias = AllOf | AnyOf | Not | Comparison | Exists | Within


def holds(condition: Condition, sight: PathValues) -> bool:
    match condition:
        case AllOf(parts):
            return all(holds(part, sight) for part in parts)
        case AnyOf(parts):
            return any(holds(part, sight) for part in parts)
        case Not(part):
            return not holds(part, sight)
        case Comparison(operator, left, right):
            return compare(operator, _value(left, sight), _value(right, sight))
        case Exists(path):
            return sight.at(path) is not None
        case Within(item, collection):
            return _has(_value(collection, sight), _value(item, sight))
        case _:
            assert_never(condition)


def _value(operand: Operand, sight: PathValues) -> Any:
    return operand.value if isinstance(operand, LiteralOperand) else sight.at(operand.path)


def compare(operator: str, left: Any, right: Any) -> bool:
    """Numbers are compared as numbers, also with one that is written as text: params often are."""
    if operator == "eq":
        return _are_equal(left, right)
    if operator == "ne":
        return not _are_equal(left, right)
    numbers = _number(left), _number(right)
    if numbers[0] is not None and numbers[1] is not None:
        left, right = numbers
    elif not (isinstance(left, str) and isinstance(right, str)):
        return False
    match operator:
        case "gt":
            return left > right
        case "lt":
            return left < right
        case "ge":
            return left >= right
        case _:
            return left <= right


def _are_equal(left: Any, right: Any) -> bool:
    """By the kinds of JSON: true is not 1. Lists and maps are compared part by part, by the same rule.

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
        elif not _are_same(one, other):
            return False
    return True


def _are_same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other  # also where both look like numbers: 0815 is not 815
    numbers = _number(one), _number(other)
    if numbers[0] is not None and numbers[1] is not None:
        return numbers[0] == numbers[1]
    return type(one) is type(other) and one == other


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER and _NUMBER.fullmatch(value):
        # Not every whole number has its float.
        number = int(value) if _WHOLE.fullmatch(value) else float(value)
        return number if math.isfinite(number) else None
    return None


def _has(collection: Any, item: Any) -> bool:
    if isinstance(collection, list):
        return any(_are_equal(each, item) for each in cast("list[Any]", collection))
    return isinstance(collection, str) and isinstance(item, str) and item in collection
