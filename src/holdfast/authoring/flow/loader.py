"""From the text of a flow to a `Flow` that can run, or to everything that is wrong with it.

Four steps look for problems. Is it JSON or YAML (`json_text`, `yaml_text`)? Does it have the right shape
(`shapes`, `fields`)? Can its texts be read (`reading`)? Does it fit together (`checks`)? Each step leaves out
what an earlier one has refused. All problems are raised together.
"""

from __future__ import annotations

import hashlib
import json
from operator import itemgetter
from pathlib import Path, PurePath
from typing import Final

import msgspec

from holdfast.authoring.documents.file_text import read_text
from holdfast.authoring.documents.json_paths import JsonPaths
from holdfast.authoring.documents.json_text import compose_json
from holdfast.authoring.documents.nodes import Node, text_of
from holdfast.authoring.documents.problems import START, Problems
from holdfast.authoring.documents.yaml_text import LARGEST_TEXT, compose
from holdfast.authoring.flow.checks import check_flow, edges_of
from holdfast.authoring.flow.document import document_of
from holdfast.authoring.flow.drafts import FlowDraft, NodeDraft
from holdfast.authoring.flow.model import Flow, FlowNode, SubflowNode
from holdfast.authoring.flow.reading import FlowDocumentReader
from holdfast.core.names import is_name
from holdfast.errors import BadFlow, Problem

_SUFFIXES: Final = {".json": True, ".yaml": False, ".yml": False}
"""Suffixes of files, and whether they are JSON."""


def load_flow_text(text: str, *, file: str = "<text>", is_json: bool | None = None) -> Flow:
    """Raises BadFlow with all problems. Problems name `file`, and a flow without a name is called like it.

    If `is_json` is None, a text that begins with { and can be parsed as JSON is JSON. Any other is YAML.
    """
    root, problems = _compose(text, file, is_json)
    flows = [] if root is None else _read(root, problems)
    problems.raise_if_any()
    outermost = _build(flows)
    return outermost if outermost.name else msgspec.structs.replace(outermost, name=_name_of(file))


def load_flow_file(path: str | Path) -> Flow:
    """Of a file that ends in .json, .yaml or .yml. Raises BadFlow with all problems."""
    return read_flow_file(path)[0]


def read_flow_file(path: str | Path) -> tuple[Flow, str]:
    """The flow and its text. Raises BadFlow."""
    file = str(path)
    is_json = _SUFFIXES.get(PurePath(path).suffix.lower())
    if is_json is None:
        raise BadFlow([Problem(file, 1, 1, f"a flow is in a file that ends in {', '.join(_SUFFIXES)}")])
    text = read_text(path, BadFlow)
    return load_flow_text(text, file=file, is_json=is_json), text


def _name_of(file: str) -> str:
    stem = "" if file.startswith("<") else PurePath(file).stem
    return stem if is_name(stem) else ""


# --- the text


def _compose(text: str, file: str, is_json: bool | None) -> tuple[Node | None, Problems]:
    problems = Problems(file, BadFlow)
    if len(text) > LARGEST_TEXT:
        reason = f"the text has {len(text):,} characters; a flow has at most {LARGEST_TEXT:,}"
        problems.add(START, reason)
        return None, problems
    if is_json is None and text.lstrip("\ufeff \t\r\n").startswith("{"):
        root = compose_json(text, problems)
        others = Problems(file, BadFlow)
        as_yaml = compose(text, others) if root is None else None
        return (root, problems) if as_yaml is None else (as_yaml, others)
    return (compose_json if is_json else compose)(text, problems), problems


def _read(root: Node, problems: Problems) -> list[FlowDraft]:
    problems.paths = JsonPaths(root)
    flows = FlowDocumentReader(problems).read(root)
    for flow in flows:
        check_flow(flow, problems)
    return flows


# --- the model


def _build(flows: list[FlowDraft]) -> Flow:
    """The outermost flow. Those inside of it are built first, without recursion."""
    built: dict[int, Flow] = {}
    for draft in reversed(flows):
        nodes = {key: _node(node, built) for key, node in draft.nodes.items()}
        built[id(draft)] = Flow(
            start=text_of(draft.start),
            nodes=nodes,
            edges=edges_of(draft),
            name=draft.name,
            description=draft.description,
        )
    return built[id(flows[0])]


def _node(draft: NodeDraft, built: dict[int, Flow]) -> FlowNode:
    does = draft.does if draft.inner is None else SubflowNode(built[id(draft.inner)])
    assert does is not None
    return FlowNode(key=draft.key, does=does, params=draft.params, prep=draft.prep, post=draft.post)


# --- its identity


def definition_hash(flow: Flow) -> str:
    """The same for flows that do the same. Names, descriptions and the way of writing are left out. The order
    of nodes and edges does not count; the order of cases and services does.

    A field with its default is left out, too, so that a later release can add a field and find the same hash.
    """
    whole = document_of(flow)
    flows = [whole]
    while flows:
        each = flows.pop()
        each.pop("name", None)
        each.pop("description", None)
        each.get("edges", []).sort(key=itemgetter("from", "action"))
        flows += [node["subflow"] for node in each["nodes"].values() if "subflow" in node]
    return hashlib.sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
