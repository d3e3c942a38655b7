"""Conditions: the small language of `when`, read into a tree of values and never handed to Python.

    discover.count > 0 and input.day >= '2026-01-01'
    tasks.publish.status in ['failed', 'skipped'] or not exists(discover.note)

The text, the tree and everything that is computed are bounded: a condition costs microseconds, or is refused.
"""

from __future__ import annotations

import msgspec

from holdfast.authoring.dag.evaluation import evaluate
from holdfast.authoring.dag.expression_parser import BadExpression, parse_expression
from holdfast.authoring.dag.expression_tree import Lookup, Part, Read, walk
from holdfast.authoring.dag.references import Ref
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
        """In the order of the text, as often as they are there."""
        return [part.ref for part in walk(self.tree) if isinstance(part, Read)]

    def evaluate(self, lookup: Lookup) -> bool:
        """Raises CannotEvaluate, and nothing else of its own."""
        return evaluate(self.tree, lookup)
