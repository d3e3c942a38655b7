"""A flow while it is checked: what was read of it, with the position of everything that may turn out
wrong."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from holdfast.authoring.documents.nodes import ScalarNode
from holdfast.authoring.documents.problems import Position
from holdfast.authoring.flow.model import NodeKind, Post, Prep


class EdgeDraft(NamedTuple):
    source: ScalarNode
    action: str
    target: ScalarNode


class NodeDraft(msgspec.Struct, kw_only=True):
    key: str
    position: Position
    kind: str = ""
    """Empty if it could not be read."""
    does: NodeKind | None = None
    """None if it is wrong, or if the node is a subflow: see `inner`."""
    params: dict[str, Any] = {}
    prep: Prep = Prep()
    post: Post = Post()
    inner: FlowDraft | None = None
    is_whole: bool = True
    """False if a field that decides where the flow goes next was wrong."""


class FlowDraft(msgspec.Struct, kw_only=True):
    name: str
    description: str
    start: ScalarNode | None
    nodes: dict[str, NodeDraft]
    edges: list[EdgeDraft]
    lost_nodes: frozenset[str]
    """Nodes of which only the keys are known."""
    has_nodes: bool
    """False if the nodes cannot be read at all, so no key can be called unknown."""
    has_edges: bool
    """False if an edge cannot be read, so no node can be called unreachable."""
