"""Conditions of a choice: what they mean in a flow, from the text to true or false."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.authoring.flow.wrong_cases import flow_of, nested_condition

from holdfast.authoring.documents.comparison import compare
from holdfast.authoring.documents.expression_tree import Part
from holdfast.authoring.flow.conditions import holds
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.model import ChoiceNode
from holdfast.authoring.flow.paths import PathValues

VALUES = PathValues(
    {"vip": True, "limit": "100", "code": "0815", "big": "9007199254740993", "none": None, "empty": ""},
    {"total": 150, "half": 0.5, "name": "Ada", "tags": ["new", 7, [1]], "order": {"paid": True, "lines": 1}},
    {"n": 3, "text": "a fine day"},
)


def condition_of(expr: Any) -> Part:
    flow = load_flow_text(flow_of(kind="choice", choice_cases=[{"action": "default", "expr": expr}]))
    does = flow.nodes["a"].does
    assert isinstance(does, ChoiceNode)
    return does.cases[0].condition


def is_true(expr: Any) -> bool:
    return holds(condition_of(expr), VALUES)


@pytest.mark.parametrize(
    "expr",
    [
        {"eq": ["$shared.total", 150]},
        {"eq": ["$shared.total", 150.0]},
        {"eq": ["$shared.total", "150"]},
        {"eq": ["$shared.total", "1.5e2"]},
        {"eq": ["$params.none", None]},
        {"eq": ["$params.missing", None]},
        {"eq": ["$params.empty", ""]},
        {"eq": ["$params.vip", True]},
        {"eq": ["$shared.name", "Ada"]},
        {"eq": ["$shared.tags", ["new", 7.0, [1]]]},
        {"eq": ["$shared.order", {"lines": 1, "paid": True}]},
        {"eq": ["$params.big", 9007199254740993]},
        {"eq": ["$5.00", "$5.00"]},
        {"ne": ["$params.big", 9007199254740992]},
        {"ne": ["$params.code", "815"]},
        {"ne": ["$shared.name", "ada"]},
        {"ne": ["$params.vip", 1]},
        {"ne": ["$params.vip", "true"]},
        {"ne": ["$params.missing", False]},
        {"ne": ["$params.missing", ""]},
        {"ne": ["$shared.tags", ["new", 7, [True]]]},
        {"ne": ["$shared.tags", ["new", 7]]},
        {"ne": ["$shared.order", {"paid": True, "line": 1}]},
        {"gt": ["$shared.total", "$params.limit"]},
        {"gt": ["b", "a"]},
        {"gt": ["$params.limit", "20"]},
        {"lt": ["$shared.half", 1]},
        {"lt": ["-1", 0]},
        {"ge": ["$input.n", 3]},
        {"le": ["$input.n", 3.0]},
        {"exists": "$shared.total"},
        {"exists": "total"},
        {"exists": ["$params.empty"]},
        {"exists": "$input"},
        {"in": ["new", "$shared.tags"]},
        {"in": ["7", "$shared.tags"]},
        {"in": [[1], "$shared.tags"]},
        {"in": ["fine", "$input.text"]},
        {"in": ["$shared.name", ["Ada", "Bob"]]},
        {"contains": ["$shared.tags", 7]},
        {"contains": ["$input.text", "day"]},
        {"and": [{"exists": "total"}, "$params.vip"]},
        {"or": [{"exists": "nothing"}, "$shared.order.paid"]},
        {"not": {"exists": "$params.none"}},
        {"not": [{"exists": "$shared.tags[9]"}]},
        "$params.vip",
        {"not": {"not": "$params.vip"}},
    ],
    ids=json.dumps,
)
def test_it_is_true(expr: Any):
    assert is_true(expr)


@pytest.mark.parametrize(
    "expr",
    [
        {"eq": ["$params.vip", 1]},
        {"eq": ["$params.code", "815"]},
        {"eq": ["$params.missing", 0]},
        {"eq": ["$shared.tags", "$shared.order"]},
        {"gt": ["$params.missing", 0]},
        {"lt": ["$params.missing", 0]},
        {"gt": ["$params.vip", 0]},
        {"ge": [None, None]},
        {"le": ["$shared.tags", "$shared.tags"]},
        {"gt": ["word", 1]},
        {"lt": ["1_0", 20]},
        {"gt": ["inf", 1]},
        {"exists": "$params.none"},
        {"exists": "$params.missing"},
        {"exists": "$shared.tags[3]"},
        {"in": ["new", "$shared.order"]},
        {"in": ["$params.missing", "$shared.tags"]},
        {"in": [True, "$shared.tags[2]"]},
        {"in": [7, "$input.text"]},
        {"contains": ["$shared.name", "ada"]},
        {"contains": ["new", "$shared.tags"]},
        {"and": ["$params.vip", {"eq": [1, 2]}]},
        {"or": [{"eq": [1, 2]}]},
        {"not": "$params.vip"},
        "$shared.total",
        "$params.missing",
    ],
    ids=json.dumps,
)
def test_it_is_not_true(expr: Any):
    assert not is_true(expr)


def test_a_path_alone_means_that_it_is_true():
    assert condition_of("$params.vip") == condition_of({"eq": ["$params.vip", True]})


def test_contains_is_in_the_other_way_round():
    assert condition_of({"contains": ["$shared.tags", "new"]}) == condition_of(
        {"in": ["new", "$shared.tags"]}
    )


def test_fifty_levels_are_evaluated():
    assert is_true(nested_condition(49))
    assert not is_true(nested_condition(50))


def test_values_nested_as_deep_as_json_can_be_are_compared():
    def nested(depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = [value]
        return value

    assert compare("eq", nested(50_000), nested(50_000))
    assert not compare("eq", nested(50_000), nested(50_001))
    assert compare("ne", nested(50_000), 1)
