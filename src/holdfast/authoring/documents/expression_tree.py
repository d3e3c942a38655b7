"""A condition as a tree of values. The text of a DAG and the JSON of a flow are read into the same tree.

The two languages differ in how they compare, and that is in the tree: they have different operators.

| strict, of a DAG | loose, of a flow | | | --- | --- | --- | | `==` `!=` | `eq` `ne` | loose: a number equals
a text that is written like it | | `<` `<=` `>` `>=` | `lt` `le` `gt` `ge` | strict: other than two numbers or
two texts is a mistake; loose: false | | `in` `not in` | `within` | strict: in a list, a text or the keys of
an object; loose: in a list or a text, or false |

`and`, `or`, `not` and `exists` are the same in both. A flow has no arithmetic and no functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from holdfast.authoring.documents.references import Path, Ref, Steps

# `at` is the offset of a part in the text of a DAG, for messages.


class Constant(msgspec.Struct, frozen=True, tag="constant"):
    value: Any
    at: int = 0


class Reference(msgspec.Struct, frozen=True, tag="reference"):
    ref: Ref | Path
    at: int = 0
    offsets: tuple[int, ...] = ()
    """Of each step of the path."""
    is_short: bool = False

    @property
    def path(self) -> Steps:
        return self.ref.path if isinstance(self.ref, Ref) else (self.ref.root, *self.ref.steps)


class ListOf(msgspec.Struct, frozen=True, tag="list"):
    parts: tuple[Part, ...]
    at: int = 0


class Operation(msgspec.Struct, frozen=True, tag="operation"):
    operator: str
    """An operator, or the name of a function. A sign before a value is `negate`."""
    operands: tuple[Part, ...]
    at: int = 0
    """Of the operator."""


Part: TypeAlias = Constant | Reference | ListOf | Operation

Lookup: TypeAlias = Callable[[Any], Any]
"""Gives the value that a reference stands for; raises LookupError or Refused if there is none."""


def walk(part: Part) -> Iterator[Part]:
    """The part and all inside of it, from left to right."""
    yield part
    inside = part.parts if isinstance(part, ListOf) else part.operands if isinstance(part, Operation) else ()
    for each in inside:
        yield from walk(each)
