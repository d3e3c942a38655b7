"""What has changed between two versions of a flow, and a flow as a document that it could have come from."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from tests.authoring.flow.wrong_cases import nested_flow
from tests.examples import examples
from tests.fuzz.flow_documents import WHOLE, good_flows

from holdfast.authoring.flow.comparison import FlowChange, compare_flows
from holdfast.authoring.flow.document import document_of
from holdfast.authoring.flow.loader import definition_hash, load_flow_text
from holdfast.authoring.flow.model import Flow

BEFORE = """
start: a
nodes:
  a: {kind: executor, service: s, params: {x: 1, list: [1, 2], gone: null}, max_retries: 1}
  c:
    kind: choice
    choice_cases: [{action: x, expr: {gt: [$shared.n, 1]}}, {action: y, expr: $params.y}]
    default_action: x
  s:
    kind: subflow
    subflow: {start: i, nodes: {i: {kind: timer, params: {delay_ms: 5}}}}
edges:
- {from: a, to: c}
- {from: c, action: x, to: s}
"""


def load(text: str) -> Flow:
    return load_flow_text(text)


def changes(what: str, instead: str) -> list[str]:
    assert what in BEFORE
    return [str(change) for change in compare_flows(load(BEFORE), load(BEFORE.replace(what, instead)))]


@pytest.mark.parametrize(
    ("what", "instead", "expected"),
    [
        ("start: a\n", "# the same\nstart: a\n", []),
        ("expr: $params.y", "expr: {eq: [$params.y, true]}", []),
        ("max_retries: 1", "max_retries: 3", ["$.nodes.a.max_retries changed: 1 -> 3"]),
        ("max_retries: 1", "wait_ms: 0", ["$.nodes.a.max_retries removed: 1"]),
        (
            "service: s,",
            "service: t, timeout_ms: 9,",
            [
                '$.nodes.a.service changed: "s" -> "t"',
                "$.nodes.a.timeout_ms added: 9",
            ],
        ),
        ("x: 1,", "x: 1.0,", ["$.nodes.a.params.x changed: 1 -> 1.0"]),
        ("x: 1,", "x: true,", ["$.nodes.a.params.x changed: 1 -> true"]),
        (
            "gone: null",
            "new: null",
            [
                "$.nodes.a.params.gone removed: null",
                "$.nodes.a.params.new added: null",
            ],
        ),
        (
            "list: [1, 2]",
            "list: [1, 3, 4]",
            [
                "$.nodes.a.params.list[1] changed: 2 -> 3",
                "$.nodes.a.params.list[2] added: 4",
            ],
        ),
        ("list: [1, 2]", "list: {}", ["$.nodes.a.params.list changed: [1, 2] -> {}"]),
        (
            "gt: [$shared.n, 1]",
            "lt: [$shared.n, 2]",
            ['$.nodes.c.choice_cases[0].expr changed: {"gt": ["$shared.n", 1]} -> {"lt": ["$shared.n", 2]}'],
        ),
        (
            "{action: y, expr: $params.y}",
            "{action: z, expr: $params.y}",
            ['$.nodes.c.choice_cases[1].action changed: "y" -> "z"'],
        ),
        (
            ", {action: y, expr: $params.y}]",
            "]",
            ['$.nodes.c.choice_cases[1] removed: {"action": "y", "expr": {"eq": ["$params.y", true]}}'],
        ),
        ("delay_ms: 5", "delay_ms: 6", ["$.nodes.s.subflow.nodes.i.params.delay_ms changed: 5 -> 6"]),
        (
            "    subflow: {start: i, nodes: {i: {kind: timer, params: {delay_ms: 5}}}}",
            "    workflow: w",
            [
                '$.nodes.s.subflow removed: {"start": "i", "nodes": {"i": '
                '{"kind": "timer", "params": {"delay_ms": 5}}}}',
                '$.nodes.s.workflow added: "w"',
            ],
        ),
        (
            "edges:\n",
            "  'n 1': {kind: timer}\nedges:\n- {from: s, to: 'n 1'}\n",
            [
                '$.edges.s.default added: "n 1"',
                '$.nodes["n 1"] added: {"kind": "timer"}',
            ],
        ),
        (
            "action: x, to: s",
            "action: y, to: s",
            [
                '$.edges.c.x removed: "s"',
                '$.edges.c.y added: "s"',
            ],
        ),
        ("start: a\n", "start: a\ndescription: new\n", ['$.description added: "new"']),
    ],
)
def test_a_change_has_a_path_and_both_values(what: str, instead: str, expected: list[str]):
    assert changes(what, instead) == expected


def test_places_in_a_list_are_in_their_order():
    def flow(*values: int) -> Flow:
        node = {"kind": "timer", "params": {"list": values}}
        return load(json.dumps({"start": "a", "nodes": {"a": node}}))

    found = compare_flows(flow(*range(12)), flow(*range(1, 13)))

    assert [change.path for change in found] == [f"$.nodes.a.params.list[{n}]" for n in range(12)]


def test_a_change_is_json():
    (change,) = compare_flows(load(BEFORE), load(BEFORE.replace("max_retries: 1", "max_retries: 2")))

    assert change == FlowChange("$.nodes.a.max_retries", "changed", 1, 2)
    assert msgspec.json.decode(msgspec.json.encode(change)) == {
        "path": "$.nodes.a.max_retries",
        "kind": "changed",
        "before": 1,
        "after": 2,
    }


def test_a_long_value_is_cut_where_people_read_it():
    after = BEFORE.replace("x: 1,", f"x: {'y' * 1000},")

    (change,) = compare_flows(load(BEFORE), load(after))

    assert len(str(change)) < 300
    assert change.after == "y" * 1000


def test_flows_within_flows_are_compared_as_deep_as_they_may_be():
    before = load(json.dumps(nested_flow(98)))
    after = load(json.dumps(nested_flow(98)).replace('"timer"', '"approval"'))

    (change,) = compare_flows(before, after)

    assert (change.before, change.after) == ("timer", "approval")


# --- documents


def test_a_flow_with_every_field_is_written_and_read_as_the_same():
    flow = load(json.dumps(WHOLE))

    assert load(json.dumps(document_of(flow))) == flow


@examples(50)
@given(good_flows, good_flows)
def test_flows_have_no_changes_if_and_only_if_they_have_one_hash(one: Any, other: Any):
    before, after = load(json.dumps(one)), load(json.dumps(other))

    changes = [it for it in compare_flows(before, after) if not it.path.endswith((".name", ".description"))]

    assert (not changes) == (definition_hash(before) == definition_hash(after))
    assert compare_flows(before, before) == []
