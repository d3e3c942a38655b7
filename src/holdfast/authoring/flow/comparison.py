"""The changes between two versions of a flow, each with its path."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import Any, Final, TypeAlias, cast

import msgspec

from holdfast.authoring.documents.json_paths import path_text
from holdfast.authoring.flow.document import document_of
from holdfast.authoring.flow.model import Flow

ADDED: Final = "added"
REMOVED: Final = "removed"
CHANGED: Final = "changed"


class FlowChange(msgspec.Struct, frozen=True):
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


def compare_flows(before: Flow, after: Flow) -> list[FlowChange]:
    """All changes, in the order of their paths. Another way to write the same is no change."""
    comparison = _DocumentDiff()
    comparison.flows(document_of(before), document_of(after), ())
    return [comparison.found[steps] for steps in sorted(comparison.found, key=_order)]


def compare_documents(before: Any, after: Any) -> list[FlowChange]:
    """All changes between two values from JSON or YAML, in the order of their paths."""
    comparison = _DocumentDiff()
    comparison.values(before, after, ())
    return [comparison.found[steps] for steps in sorted(comparison.found, key=_order)]


_Keys: TypeAlias = tuple[str | int, ...]
_Map: TypeAlias = dict[str, Any]
_ABSENT: Final[Any] = object()
_LONGEST_SHOWN: Final = 200


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _order(steps: _Keys) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (-1, step) for step in steps]


def _edges(flow: _Map) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for edge in flow.get("edges", ()):
        found.setdefault(edge["from"], {})[edge["action"]] = edge["to"]
    return found


class _DocumentDiff:
    """Walks through two documents at once. Of a value that only one of them has, it notes the outermost."""

    def __init__(self) -> None:
        self.found: dict[_Keys, FlowChange] = {}

    def flows(self, before: _Map, after: _Map, at: _Keys) -> None:
        for field in ("name", "description", "start"):
            self.values(before.get(field, _ABSENT), after.get(field, _ABSENT), (*at, field))
        edges, others = _edges(before), _edges(after)
        for source in edges.keys() | others.keys():
            self._entries(edges.get(source, {}), others.get(source, {}), (*at, "edges", source))
        for key in before["nodes"].keys() | after["nodes"].keys():
            node, other = before["nodes"].get(key, _ABSENT), after["nodes"].get(key, _ABSENT)
            compare = self.values if node is _ABSENT or other is _ABSENT else self._nodes
            compare(node, other, (*at, "nodes", key))

    def _nodes(self, before: _Map, after: _Map, at: _Keys) -> None:
        for field in before.keys() | after.keys():
            value, other = before.get(field, _ABSENT), after.get(field, _ABSENT)
            compare = self.values
            if value is not _ABSENT and other is not _ABSENT:
                compare = {"subflow": self.flows, "choice_cases": self._cases}.get(field, compare)
            compare(value, other, (*at, field))

    def _cases(self, before: list[_Map], after: list[_Map], at: _Keys) -> None:
        for number, (case, other) in enumerate(zip_longest(before, after, fillvalue=_ABSENT)):
            if case is _ABSENT or other is _ABSENT:
                self.values(case, other, (*at, number))
            else:
                self.values(case["action"], other["action"], (*at, number, "action"))
                # A condition that has changed is shown as a whole.
                self._note(case["expr"], other["expr"], (*at, number, "expr"))

    def _entries(self, before: _Map, after: _Map, at: _Keys) -> None:
        for key in before.keys() | after.keys():
            self.values(before.get(key, _ABSENT), after.get(key, _ABSENT), (*at, key))

    def values(self, before: Any, after: Any, at: _Keys) -> None:
        if isinstance(before, dict) and isinstance(after, dict):
            self._entries(cast("_Map", before), cast("_Map", after), at)
        elif isinstance(before, list) and isinstance(after, list):
            items, others = cast("list[Any]", before), cast("list[Any]", after)
            for number, (item, other) in enumerate(zip_longest(items, others, fillvalue=_ABSENT)):
                self.values(item, other, (*at, number))
        else:
            self._note(before, after, at)

    def _note(self, before: Any, after: Any, at: _Keys) -> None:
        path = path_text(at)
        if before is _ABSENT and after is not _ABSENT:
            self.found[at] = FlowChange(path, ADDED, None, after)
        elif after is _ABSENT and before is not _ABSENT:
            self.found[at] = FlowChange(path, REMOVED, before, None)
        elif before is not after and _text(before) != _text(after):
            self.found[at] = FlowChange(path, CHANGED, before, after)


def _text(value: Any) -> str:
    """Tells 1 from 1.0 and from true, which Python does not."""
    return json.dumps(value, sort_keys=True)
