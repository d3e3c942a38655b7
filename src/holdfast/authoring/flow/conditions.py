"""Conditions of a choice: `{"and": [{"gt": ["$shared.total", 100]}, {"exists": "$params.vip"}]}`.

They are loose, and never fail: two values that cannot be compared are not equal, and neither is greater.
"""

from __future__ import annotations

from typing import Final

from holdfast.authoring.documents.evaluation import evaluate
from holdfast.authoring.documents.expression_tree import Part
from holdfast.authoring.flow.paths import PathValues

COMPARISONS: Final = ("eq", "ne", "gt", "lt", "ge", "le")


def holds(condition: Part, values: PathValues) -> bool:
    return evaluate(condition, values.at)
