"""The parts that a condition is made of, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from holdfast.authoring.dag.references import Ref

# `at` is the place of a part in the text, for those who complain of it.


class Constant(msgspec.Struct, frozen=True, tag="literal"):
    value: bool | int | float | str | None
    at: int = 0


class Read(msgspec.Struct, frozen=True, tag="read"):
    """What a reference stands for."""

    ref: Ref
    at: int = 0
    offsets: tuple[int, ...] = ()
    """Of each step of the path."""
    is_short: bool = False


class Items(msgspec.Struct, frozen=True, tag="items"):
    of: tuple[Part, ...]
    at: int = 0


class Unary(msgspec.Struct, frozen=True, tag="unary"):
    operator: str
    """`not` or `-`."""
    of: Part
    at: int = 0


class Binary(msgspec.Struct, frozen=True, tag="binary"):
    operator: str
    left: Part
    right: Part
    at: int = 0
    """Of the operator."""


class Apply(msgspec.Struct, frozen=True, tag="apply"):
    function: str
    arguments: tuple[Part, ...]
    at: int = 0


Part: TypeAlias = Constant | Read | Items | Unary | Binary | Apply

Lookup: TypeAlias = Callable[[Ref], Any]
"""Gives the value that a reference stands for; raises LookupError or Refused if there is none."""


def walk(part: Part) -> Iterator[Part]:
    """The part and all inside it, from left to right."""
    yield part
    match part:
        case Items(of) | Apply(arguments=of):
            for each in of:
                yield from walk(each)
        case Unary(of=of):
            yield from walk(of)
        case Binary(left=left, right=right):
            yield from walk(left)
            yield from walk(right)
        case _:
            pass
