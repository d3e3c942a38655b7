"""Conditions of a DAG: the small language of `when`, read into a tree of values and never handed to Python.

    discover.count > 0 and input.day >= '2026-01-01'
    tasks.publish.status in ['failed', 'skipped'] or not exists(discover.note)

The text, the tree and everything that is computed are bounded: a condition costs microseconds, or is refused.
"""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from holdfast.authoring.dag.expression_parser import FUNCTIONS, BadExpression, parse_expression
from holdfast.authoring.documents.evaluation import evaluate
from holdfast.authoring.documents.expression_tree import (
    Constant,
    ListOf,
    Lookup,
    Operation,
    Part,
    Reference,
    walk,
)
from holdfast.authoring.documents.references import Ref
from holdfast.errors import CannotEvaluate

__all__ = ["BadExpression", "CannotEvaluate", "Expression", "Lookup"]


class Expression(msgspec.Struct, frozen=True):
    text: str
    tree: Part

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Raises BadExpression."""
        return cls(text, parse_expression(text))

    def references(self) -> list[Ref]:
        """In the order of the text, with repetitions."""
        parts = [part.ref for part in walk(self.tree) if isinstance(part, Reference)]
        return [ref for ref in parts if isinstance(ref, Ref)]

    def evaluate(self, lookup: Lookup) -> bool:
        """Raises CannotEvaluate, and nothing else of its own."""
        return evaluate(self.tree, lookup)


def hashed_form(part: Part, *, is_inside: bool = False) -> dict[str, Any]:
    """The tree as it goes into the hash of a DAG. It must never change: the hash is the version of stored
    DAGs.

    Parts inside of lists and functions have their offset in the text, which was a mistake. It has to stay,
    because without it the hashes would change.
    """
    at = {"at": part.at} if is_inside else {}
    match part:
        case Constant(value):
            return {"type": "literal", "value": value, **at}
        case Reference():
            written = {"offsets": part.offsets, "is_short": part.is_short} if is_inside else {}
            return {"type": "read", "ref": {"type": "ref", "path": part.path}, **written, **at}
        case ListOf(parts):
            return {"type": "items", "of": [hashed_form(each, is_inside=True) for each in parts], **at}
        case Operation(name, operands) if name in FUNCTIONS:
            arguments = [hashed_form(each, is_inside=True) for each in operands]
            return {"type": "apply", "function": name, "arguments": arguments, **at}
        case Operation("not" | "negate" as name, (of,)):
            sign = "-" if name == "negate" else name
            return {"type": "unary", "operator": sign, "of": hashed_form(of, is_inside=is_inside), **at}
        case Operation(name, operands):
            left, right = (hashed_form(each, is_inside=is_inside) for each in operands)
            return {"type": "binary", "operator": name, "left": left, "right": right, **at}
        case _:
            assert_never(part)
