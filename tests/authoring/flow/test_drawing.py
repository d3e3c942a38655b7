"""Drawings of flows say what the flow says: every node with its kind, and where each of its actions leads."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from holdfast.authoring.flow.drawing import as_facts, count_nodes, graph_of
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.model import Flow
from holdfast.authoring.graphs import listing, mermaid
from holdfast.authoring.graphs.text_width import columns_of

ORDER = """
name: order
description: Every order
start: size
nodes:
  remind: {kind: timer, params: {delay_ms: 5400000}}
  size:
    kind: choice
    choice_cases: [{action: big, expr: {gt: [$params.total, 100]}}]
    default_action: small
  ask: {kind: approval, params: {timeout_ms: 60000}}
  paid: {kind: wait_event, params: {signal_key: $shared.money}}
  pack:
    kind: subflow
    subflow:
      start: both
      nodes:
        both: {kind: parallel, parallel_services: [left, right], parallel_mode: concurrent, max_parallel: 2}
        each: {kind: foreach, exec_type: queue, service: wrap, prep: {input_key: items}}
      edges: [{from: both, action: wrap, to: each}]
  bill: {kind: subflow, workflow: billing}
  charge: {kind: executor, service: charge}
  fix: {kind: executor, exec_type: local_script, script: {cmd: ./fix.sh, args: [now]}}
edges:
  - {from: size, action: big, to: ask}
  - {from: size, action: small, to: pack}
  - {from: ask, action: approved, to: pack}
  - {from: ask, action: rejected, to: remind}
  - {from: remind, to: size}
  - {from: pack, action: error, to: fix}
  - {from: pack, to: paid}
  - {from: paid, to: bill}
  - {from: bill, to: charge}
"""


def as_text(flow: Flow, **how: Any) -> str:
    return listing.as_text(graph_of(flow), **how)


def as_mermaid(flow: Flow) -> str:
    return mermaid.as_mermaid(graph_of(flow))


@pytest.fixture
def order() -> Flow:
    return load_flow_text(ORDER)


def test_in_text_a_node_is_a_line_with_its_kind_and_where_its_actions_lead(order: Flow):
    assert as_text(order).splitlines() == [
        "order (10 nodes): Every order",
        "",
        "size    choice      big → ask, small → pack             1 case",
        "ask     approval    approved → pack, rejected → remind  for 1m at most",
        "pack    subflow     error → fix, → paid                 2 nodes",
        "  both  parallel    wrap → each                         service left, right, 2 at once",
        "  each  foreach     ends                                service wrap from the queue for each item",
        "fix     executor    ends                                script ./fix.sh now",
        "paid    wait_event  → bill                              signal $shared.money",
        "bill    subflow     → charge                            workflow billing",
        "charge  executor    ends                                service charge",
        "remind  timer       → size                              1h30m",
    ]


def test_no_edge_is_lost_where_there_is_little_room(order: Flow):
    lines = as_text(order, width=40).splitlines()

    assert max(columns_of(line) for line in lines) <= 40
    at = next(number for number, line in enumerate(lines) if line.startswith("ask "))
    assert lines[at].split() == ["ask", "approval", "approved", "→", "pack,"]
    assert lines[at + 1].split() == ["rejected", "→", "remind"]


def test_plain_characters_are_enough_for_a_terminal_that_has_no_others(order: Flow):
    text = as_text(order, is_ascii=True)

    assert text.isascii()
    assert "big -> ask, small -> pack" in text


def test_in_mermaid_subflows_are_subgraphs_and_edges_have_their_actions(order: Flow):
    lines = as_mermaid(order).splitlines()

    ids = {found[2]: found[1] for line in lines if (found := re.search(r"(n\d+)\W+<b>(\w+)</b>", line))}
    assert lines[0] == "flowchart TD"
    assert set(ids) == {"size", "ask", "pack", "both", "each", "fix", "paid", "bill", "charge", "remind"}
    assert f'    {ids["size"]}{{"<b>size</b><br/>choice: 1 case"}}' in lines
    begin = lines.index(f'    subgraph {ids["pack"]}["<b>pack</b><br/>subflow: 2 nodes"]')
    inside = lines[begin + 1 : lines.index("    end", begin)]
    assert f'        {ids["both"]} -->|"wrap"| {ids["each"]}' in inside
    assert f'    {ids["size"]} -->|"big"| {ids["ask"]}' in lines
    assert f'    {ids["pack"]} -.->|"error"| {ids["fix"]}' in lines
    assert f"    {ids['remind']} --> {ids['size']}" in lines
    assert f"    start --> {ids['size']}" in lines


def test_text_of_users_means_nothing_to_mermaid():
    flow = load_flow_text(
        "start: 'end\"] & <b>'\nnodes:\n  'end\"] & <b>': {kind: executor, service: \"x|y\"}\n"
        '  b: {kind: timer}\nedges:\n  - {from: \'end"] & <b>\', action: "a|b", to: b}\n'
    )

    _, _, node, _, edge, _ = as_mermaid(flow).splitlines()

    assert node == '    n1["<b>end#34;#93; #38; #60;b#62;</b><br/>executor: service x#124;y"]'
    assert edge == '    n1 -->|"a#124;b"| n2'


def test_a_key_that_would_break_the_line_does_not():
    flow = load_flow_text('start: "a\\u2028\\u202eb"\nnodes: {"a\\u2028\\u202eb": {kind: timer}}\n')

    assert as_text(flow).splitlines()[2] == "a b  timer  ends"


def test_programs_get_the_nodes_their_edges_and_subflows(order: Flow):
    facts = as_facts(order)

    nodes: dict[str, Any] = {each["key"]: each for each in facts["nodes"]}
    assert (facts["name"], facts["kind"], facts["start"]) == ("order", "flow", "size")
    assert nodes["size"]["edges"] == {"big": "ask", "small": "pack"}
    assert nodes["charge"] == {
        "key": "charge",
        "kind": "executor",
        "work": "service charge",
        "edges": {},
        "subflow": None,
    }
    assert [each["key"] for each in nodes["pack"]["subflow"]["nodes"]] == ["both", "each"]


def test_a_long_chain_and_a_deep_nest_can_be_drawn():
    count = 3000
    nodes = ", ".join(f"n{each}: {{kind: timer}}" for each in range(count))
    edges = ", ".join(f"{{from: n{each}, to: n{each + 1}}}" for each in range(count - 1))
    chain = load_flow_text(f"start: n0\nnodes: {{{nodes}}}\nedges: [{edges}]\n")
    nest: dict[str, Any] = {"kind": "timer"}
    for _ in range(50):
        nest = {"kind": "subflow", "subflow": {"start": "a", "nodes": {"a": nest}}}
    deep = load_flow_text(json.dumps({"start": "a", "nodes": {"a": nest}}))

    assert len(as_text(chain).splitlines()) == count + 2
    assert (count_nodes(deep), len(as_text(deep).splitlines())) == (51, 53)
    assert as_mermaid(deep).count("subgraph") == 50
