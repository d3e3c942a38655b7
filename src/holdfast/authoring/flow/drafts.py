"""A flow while it is looked at: what was read of it, with the place of everything that may turn out wrong."""

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
    """Empty if nobody can tell."""
    does: NodeKind | None = None
    """None if there is something wrong with it, or if it is a flow: see `inner`."""
    params: dict[str, Any] = {}
    prep: Prep = Prep()
    post: Post = Post()
    inner: FlowDraft | None = None
    is_whole: bool = True
    """False if something was wrong with a part that decides where the flow goes next."""


class FlowDraft(msgspec.Struct, kw_only=True):
    name: str
    description: str
    start: ScalarNode | None
    nodes: dict[str, NodeDraft]
    edges: list[EdgeDraft]
    lost_nodes: frozenset[str]
    """Those of which nothing can be said but that they are there."""
    has_nodes: bool
    """False if the nodes cannot be read at all, so nobody can say which keys are unknown."""
    has_edges: bool
    """False if one of them cannot be read, so nobody can say what they do not lead to."""
