"""Flows, their conditions and paths: whatever is given, it is understood or refused, and nothing else comes
of it."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.outcomes import refusing

from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.yaml_text import compose
from holdfast.authoring.flow.comparison import compare_flows
from holdfast.authoring.flow.condition_reading import OPERATORS, ConditionReader
from holdfast.authoring.flow.conditions import holds
from holdfast.authoring.flow.document import document_of
from holdfast.authoring.flow.loader import definition_hash, load_flow_text
from holdfast.authoring.flow.model import Flow
from holdfast.authoring.flow.paths import BadPath, Sight, follow, parse_path, parse_steps
from holdfast.errors import BadFlow

WHOLE: Final[dict[str, Any]] = {
    "name": "shop",
    "description": "sells things",
    "start": "price",
    "nodes": {
        "price": {
            "kind": "executor",
            "exec_type": "http",
            "service": "price",
            "params": {"currency": "EUR", "list": [1, {"x": None}]},
            "prep": {"input_map": {"items": "$shared.cart.items[0]", "day": "$params.day", "all": "cart"}},
            "post": {"output_key": "total", "output_map": {"net": "sums.net[0]"}, "action_key": "next"},
            "max_retries": 3,
            "wait_ms": 50,
            "max_attempts": 2,
            "attempt_delay_ms": 0.5,
            "weighted_by_load": True,
            "timeout_ms": 1000,
        },
        "check": {
            "kind": "choice",
            "choice_cases": [
                {"action": "big", "expr": {"and": [{"gt": ["$shared.total", 100]}, "$params.vip"]}},
                {"action": "odd", "expr": {"or": [{"not": {"exists": "net"}}, {"in": ["x", ["x", "$5"]]}]}},
                {"action": "text", "expr": {"contains": ["$input.text", "word"]}},
            ],
            "default_action": "small",
        },
        "ask": {
            "kind": "parallel",
            "exec_type": "queue",
            "parallel_services": ["a", "b"],
            "parallel_mode": "concurrent",
            "max_parallel": 2,
            "failure_strategy": "fail_fast",
        },
        "each": {
            "kind": "foreach",
            "exec_type": "local_func",
            "func": "shop:one",
            "prep": {"input_key": "$shared.list"},
            "failure_strategy": "ignore_errors",
        },
        "run": {
            "kind": "executor",
            "exec_type": "local_script",
            "script": {
                "code": "cat",
                "language": "bash",
                "args": ["-x", 1],
                "env": {"A": 1},
                "work_dir": "jobs",
                "timeout_ms": 5,
            },
        },
        "command": {
            "kind": "executor",
            "exec_type": "local_script",
            "script": {"cmd": "./run.sh", "args": []},
            "timeout_ms": 7,
        },
        "inner": {
            "kind": "subflow",
            "subflow": {
                "start": "wait",
                "nodes": {
                    "wait": {"kind": "wait_event", "params": {"signal_key": "$shared.paid", "timeout_ms": 5}},
                    "done": {"kind": "timer", "params": {"delay_ms": 5}},
                },
                "edges": [{"from": "wait", "action": "", "to": "done"}],
            },
        },
        "child": {"kind": "subflow", "workflow": "billing", "post": {"action_static": "go"}},
        "boss": {"kind": "approval", "params": {"approval_key": "boss.says"}, "post": {"output_key": "said"}},
    },
    "edges": [
        {"from": "price", "to": "check"},
        {"from": "check", "action": "big", "to": "ask"},
        {"from": "check", "action": "default", "to": "each"},
        {"from": "ask", "action": "error", "to": "run"},
        {"from": "run", "to": "command"},
        {"from": "each", "to": "inner"},
        {"from": "inner", "to": "child"},
        {"from": "child", "action": "go", "to": "boss"},
        {"from": "boss", "action": "rejected", "to": "price"},
    ],
}

_words = st.sampled_from(
    [
        *WHOLE,
        *(field for node in WHOLE["nodes"].values() for field in node),
        *("from", "to", "action", "default", "error", "price", "check", "inner", "expr", "input_key", "post"),
        *("executor", "choice", "parallel", "foreach", "timer", "approval", "http", "queue", "local_func"),
        *("$params.x", "$shared.a[0].b", "$input", "$foo.x", "$5.00", "$", "a.b", "a[0]", "a[", "x", "/", ""),
        *("signal_key", "delay_ms", "services", "python", "sh", "HOLDFAST_X", "..", "\0", "\ud800", "é"),
        *OPERATORS,
    ]
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | _words,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4) | _words, inner, max_size=4)
    ),
    max_leaves=8,
)


@st.composite
def broken_flows(draw: st.DrawFn) -> Any:
    """A flow that was right, with a few things in it replaced, left out, renamed or added."""
    document = json.loads(json.dumps(WHOLE))
    for _ in range(draw(st.integers(0, 3))):
        place = document
        while isinstance(place, (dict, list)) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from(keys))
            if draw(st.integers(0, 3)) and isinstance(place[key], (dict, list)):
                place = place[key]
                continue
            match draw(st.sampled_from(["replace", "drop", "rename", "add"])):
                case "replace":
                    place[key] = draw(_json)
                case "drop":
                    del place[key]
                case "rename" if isinstance(place, dict):
                    place[draw(_words)] = place.pop(key)
                case _ if isinstance(place, dict):
                    place[draw(_words)] = draw(_json)
                case _:
                    place.append(draw(_json))
            break
    return document


_pieces = st.sampled_from(
    [
        *("{", "}", "[", "]", ":", ",", '"', "'", "\\", "\n", " ", "\t", "\ufeff", "\\u0000", "NaN", "1e999"),
        *(
            '"start": "a"',
            '"nodes": {',
            '"a": {"kind": "timer"}',
            '"edges": [',
            '"from": "a", "to": "a"',
            "-",
        ),
        *("start: a\n", "nodes:\n", "  a: {kind: timer}\n", "&x ", "*x", "<<: *x", "[" * 70, '{"a":' * 320),
    ]
)
texts = st.lists(_pieces | _words | st.text(max_size=5), max_size=25).map("".join) | st.text(max_size=60)

_LONGEST: Final = 1.0
"""Seconds of the processor's time, since the tests share the machine."""


@given(texts, st.sampled_from([None, True, False]))
def any_text_is_a_flow_or_refused(text: str, is_json: bool | None) -> None:
    with refusing(BadFlow):
        _check_loaded(load_flow_text(text, is_json=is_json))


@given(_json | broken_flows())
def any_document_is_a_flow_or_refused(document: Any) -> None:
    start = time.process_time()
    with refusing(BadFlow):
        _check_loaded(load_flow_text(json.dumps(document)))
    assert time.process_time() - start < _LONGEST


def _check_loaded(flow: Flow) -> None:
    """What was accepted can be written down, in two ways, and read again as the same."""
    assert msgspec.json.decode(msgspec.json.encode(flow), type=Flow) == flow
    again = load_flow_text(json.dumps(document_of(flow)))
    assert definition_hash(again) == definition_hash(flow)
    assert compare_flows(flow, again) == []


# --- conditions and paths

_paths = st.lists(
    st.sampled_from(
        ["$params", "$shared", "$input", "$", ".", "a", "b c", "[0]", "[1]", "[", "]", "$x", "0"]
    ),
    max_size=6,
).map("".join)
_operands = _paths | _json
_conditions = st.recursive(
    _paths
    | st.dictionaries(st.sampled_from(OPERATORS), st.lists(_operands, min_size=2, max_size=2), max_size=1),
    lambda inner: (
        st.fixed_dictionaries({"not": inner})
        | st.lists(inner, max_size=3).map(lambda parts: {"and": parts})
        | st.lists(inner, max_size=3).map(lambda parts: {"or": parts})
        | st.dictionaries(_words, inner, max_size=2)
    ),
    max_leaves=8,
)
_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["1", "0.5"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b c", "0", "1"]) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
_maps = st.dictionaries(st.sampled_from(["a", "b c", "0"]), _values, max_size=3)


@given(_conditions, _maps, _maps, _values)
def any_flow_condition_is_true_or_false_or_refused(expr: Any, params: Any, shared: Any, input: Any) -> None:
    problems = Problems("x", BadFlow)
    with refusing(BadFlow):
        node = compose(json.dumps(expr), problems)
        condition = None if node is None else ConditionReader(problems).read(node)
        problems.raise_if_any()
        assert condition is not None
        assert isinstance(holds(condition, Sight(params, shared, input)), bool)


@given(_paths, _values)
def any_path_of_a_flow_is_followed_or_refused(text: str, value: Any) -> None:
    with refusing(BadPath):
        path = parse_path(text)
        assert parse_path(str(path)) == path
        follow(value, path.steps)
    with refusing(BadPath):
        follow(value, parse_steps(text))
