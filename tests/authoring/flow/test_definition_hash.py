"""The hash of a flow: the same for what does the same, another for what does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.authoring.flow.loader import definition_hash, load_flow_text

FLOW = """
name: shop
description: sells things
start: price
nodes:
  price: {kind: executor, service: price, params: {a: 1, b: [1, 2]}, max_retries: 2, wait_ms: 50}
  check:
    kind: choice
    choice_cases:
    - {action: big, expr: {gt: [$shared.total, 100]}}
    - {action: vip, expr: $params.vip}
    - {action: tagged, expr: {in: [new, $shared.tags]}}
    default_action: small
  ask: {kind: parallel, parallel_services: [a, b], parallel_mode: concurrent, max_parallel: 2}
  each: {kind: foreach, exec_type: local_func, func: one, prep: {input_key: list}, timeout_ms: 10}
  run: {kind: executor, exec_type: local_script, script: {code: exit, language: sh, args: [a]}}
  inner:
    kind: subflow
    subflow:
      start: wait
      nodes: {wait: {kind: wait_event, params: {timeout_ms: 5}}, done: {kind: timer}}
      edges: [{from: wait, to: done}]
edges:
- {from: price, to: check}
- {from: check, action: big, to: ask}
- {from: check, action: default, to: each}
- {from: ask, to: run}
- {from: each, to: inner}
- {from: run, to: price}
"""


def hash_of(text: str) -> str:
    return definition_hash(load_flow_text(text))


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("name: shop", "name: store"),
        ("name: shop\n", ""),
        ("description: sells things\n", "# a comment\n"),
        ("{a: 1, b: [1, 2]}", "{b: [1, 2], a: 1}"),
        ("service: price,", "exec_type: http, max_attempts: 0, weighted_by_load: false, service: price,"),
        ("max_retries: 2, wait_ms: 50", "wait_ms: 50.0, max_retries: 2.0"),
        ("expr: $params.vip", "expr: {eq: [$params.vip, true]}"),
        ("{in: [new, $shared.tags]}", "{contains: [$shared.tags, new]}"),
        ("input_key: list", "input_key: $shared.list"),
        ("func: one", "service: one"),
        ("func: one", "func: one, parallel_mode: sequential, failure_strategy: collect_errors"),
        ("timeout_ms: 10}", "timeout_ms: 10, wait_ms: 7}"),
        ("{code: exit, language: sh, args: [a]}", "{cmd: sh, args: [-c, exit, sh, a]}"),
        ("- {from: price, to: check}\n", "- {from: price, action: default, to: check}\n"),
        ("      start: wait\n", "      start: wait\n      description: waits\n      name: waiting\n"),
    ],
)
def test_it_is_the_same_for_another_way_to_say_it(what: str, instead: str):
    assert what in FLOW

    assert hash_of(FLOW.replace(what, instead)) == hash_of(FLOW)


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("start: price", "start: check"),
        ("{a: 1, b: [1, 2]}", "{a: 1, b: [2, 1]}"),
        ("{a: 1, b: [1, 2]}", "{a: 1.0, b: [1, 2]}"),
        ("{a: 1, b: [1, 2]}", "{a: true, b: [1, 2]}"),
        ("service: price", "service: prize"),
        ("service: price", "exec_type: queue, service: price"),
        ("max_retries: 2", "max_retries: 3"),
        ("wait_ms: 50", "wait_ms: 51"),
        ("gt: [$shared.total, 100]", "ge: [$shared.total, 100]"),
        ("gt: [$shared.total, 100]", "gt: [$shared.total, 101]"),
        ("gt: [$shared.total, 100]", "gt: [$params.total, 100]"),
        ("default_action: small", "default_action: big"),
        ("[a, b]", "[b, a]"),
        ("max_parallel: 2", "max_parallel: 3"),
        ("input_key: list", "input_key: $params.list"),
        ("timeout_ms: 10", "timeout_ms: 11"),
        ("args: [a]", "args: [b]"),
        ("timeout_ms: 5", "timeout_ms: 6"),
        ("{from: run, to: price}", "{from: run, to: check}"),
        ("action: default, to: each", "action: small, to: each"),
    ],
)
def test_it_is_another_for_what_does_something_else(what: str, instead: str):
    assert what in FLOW

    assert hash_of(FLOW.replace(what, instead, 1)) != hash_of(FLOW)


def turned_round(value: Any) -> Any:
    """The same maps, with their entries the other way round."""
    if isinstance(value, dict):
        return {key: turned_round(value[key]) for key in reversed(value)}
    return [turned_round(each) for each in value] if isinstance(value, list) else value


def test_the_order_of_nodes_and_edges_does_not_count():
    nodes = {key: {"kind": "timer", "params": {"x": 1, "y": 2}} for key in ("a", "b", "c")}
    edges = [{"from": "a", "to": "b"}, {"from": "a", "action": "x", "to": "c"}, {"from": "b", "to": "c"}]
    flow = {"start": "a", "nodes": nodes, "edges": edges}

    assert hash_of(json.dumps({**turned_round(flow), "edges": edges[::-1]})) == hash_of(json.dumps(flow))


def test_the_order_of_cases_counts():
    cases = [{"action": "x", "expr": "$params.x"}, {"action": "y", "expr": "$params.y"}]
    edges = [{"from": "c", "to": "c"}]

    def flow(*cases: Any) -> str:
        choice = {"kind": "choice", "choice_cases": cases}
        return json.dumps({"start": "c", "nodes": {"c": choice}, "edges": edges})

    assert hash_of(flow(*cases)) != hash_of(flow(*cases[::-1]))


def test_it_does_not_change_from_one_release_to_the_next():
    # Versions that were published are found by it. If this fails, a release would take each for a new one.
    assert hash_of(FLOW) == "deb6bcd11bd87d1f48f281fd7264580465709d79b68795ffe7ff3da188b37d93"


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (
            {
                "and": [
                    {"gt": ["$shared.total", 100]},
                    {"or": ["$params.vip", {"not": {"exists": "total"}}]},
                    {"le": ["$input.n", "7"]},
                ]
            },
            "79959f656b600ee30572fffcf17b56d06c29d0cd146a3e9b3d615d45971c05ad",
        ),
        (
            {"in": ["$shared.country", ["DE", None, 1.5, True, {"a": [1]}]]},
            "c4abdb876b0e4f45d7ca104767ea584b0b07a3e81c870d382de06f1b61284f44",
        ),
        (
            {"contains": ["$shared.order.tags", "new"]},
            "42fe0d74abce766e751ccac36eafdffc02d66a04ca6199e08ed7230ae4800855",
        ),
        (
            {"not": [{"ne": ["$params.limit", "$shared.grid[1][20].x"]}]},
            "d0fd4aad7b2386e99ab0767a5c119ebcce0770aac4b8cde9d6a59f1b76d5a471",
        ),
        (
            {"or": [{"eq": ["$5.00", ""]}, {"lt": [1, 2]}]},
            "930d26a9b31b69e05926edf6f32127ab5521c6d45fa024c4eb360c23b42951ad",
        ),
        (
            {"and": [{"and": ["$params.a", "$params.b"]}, {"ge": ["$input", []]}]},
            "cd530b18926d1fac8bea8f7c39fdbd503811e328324aa31dd316b340d225354d",
        ),
    ],
)
def test_a_condition_keeps_its_hash_from_one_release_to_the_next(expr: Any, expected: str):
    choice = {"kind": "choice", "choice_cases": [{"action": "x", "expr": expr}]}
    flow = {"start": "c", "nodes": {"c": choice}, "edges": [{"from": "c", "to": "c"}]}

    assert hash_of(json.dumps(flow)) == expected
