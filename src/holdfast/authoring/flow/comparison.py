"""What has changed between two versions of a flow, by the path of each change."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

from holdfast.authoring.documents.json_paths import path_text
from holdfast.authoring.flow.document import document_of
from holdfast.authoring.flow.model import Flow

ADDED: Final = "added"
REMOVED: Final = "removed"
CHANGED: Final = "changed"


class Change(msgspec.Struct, frozen=True):
    path: str
    """As `$.nodes.charge.max_retries`. Edges are found by node and action: `$.edges.check.approved`."""
    kind: str
    """`added`, `removed` or `changed`"""
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        match self.kind:
            case "added":
                return f"{self.path} added: {_shown(self.after)}"
            case "removed":
                return f"{self.path} removed: {_shown(self.before)}"
            case _:
                return f"{self.path} changed: {_shown(self.before)} -> {_shown(self.after)}"


def compare_flows(before: Flow, after: Flow) -> list[Change]:
    """All of it, in the order of the paths. What is only written otherwise is no change."""
    comparison = _Comparison()
    comparison.flows(document_of(before), document_of(after), ())
    return [comparison.found[steps] for steps in sorted(comparison.found, key=_order)]


_Steps: TypeAlias = tuple[str | int, ...]
_Map: TypeAlias = dict[str, Any]
_ABSENT: Final = object()
_LONGEST_SHOWN: Final = 200


class _Comparison:
    def __init__(self) -> None:
        self.found: dict[_Steps, Change] = {}

    def flows(self, before: _Map, after: _Map, at: _Steps) -> None:
        for name in ("name", "description", "start"):
            self._values(before.get(name, _ABSENT), after.get(name, _ABSENT), (*at, name))
        self._by_key(_edges(before), _edges(after), (*at, "edges"))
        nodes, others = before["nodes"], after["nodes"]
        for key in nodes.keys() & others.keys():
            self._nodes(nodes[key], others[key], (*at, "nodes", key))
        alone = [{key: it[key] for key in it.keys() - other.keys()} for it, other in _both(nodes, others)]
        self._by_key(alone[0], alone[1], (*at, "nodes"))

    def _nodes(self, before: _Map, after: _Map, at: _Steps) -> None:
        own = ("subflow", "choice_cases")
        rest = [{name: it[name] for name in it if name not in own} for it in (before, after)]
        self._by_key(rest[0], rest[1], at)
        inner = before.get("subflow", _ABSENT), after.get("subflow", _ABSENT)
        if _ABSENT in inner:
            self._values(*inner, (*at, "subflow"))
        else:
            self.flows(inner[0], inner[1], (*at, "subflow"))
