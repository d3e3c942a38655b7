"""Documents of flows for the tests: one with every field, others that are right, and others that are not."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from holdfast.authoring.flow.condition_reading import OPERATORS

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
                "secrets": ["API_KEY"],
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

words = st.sampled_from(
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
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | words,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4) | words, inner, max_size=4)
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
                    place[key] = draw(any_json)
                case "drop":
                    del place[key]
                case "rename" if isinstance(place, dict):
                    place[draw(words)] = place.pop(key)
                case _ if isinstance(place, dict):
                    place[draw(words)] = draw(any_json)
                case _:
                    place.append(draw(any_json))
            break
    return document


# --- flows that are right

_integers = st.integers(-(2**63), 2**63 - 1)
"""A document with a greater number is refused: it could not be stored."""
_names = st.sampled_from(["a", "b", "sum", "with space", "é", "x-1"])
good_paths = st.builds(
    lambda root, steps: "".join([root, *steps]),
    st.sampled_from(["$params", "$shared", "$input"]),
    st.lists(st.sampled_from([".a", ".b c", ".a[0]", ".b c[1][0]", ".0"]), max_size=3),
)
_sources = good_paths.filter(lambda path: not path.startswith("$input")) | st.sampled_from(["a", "b.c[0]"])
_literals = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.sampled_from(["", "a", "$5"])
)
_values = _literals | st.lists(_literals, max_size=3) | st.dictionaries(_names, _literals, max_size=2)
_operands = good_paths | _values
_pairs = st.tuples(_operands, _operands).map(list)

good_conditions: st.SearchStrategy[Any] = st.recursive(
    good_paths
    | st.dictionaries(
        st.sampled_from(["eq", "ne", "gt", "lt", "ge", "le", "in", "contains"]),
        _pairs,
        min_size=1,
        max_size=1,
    )
    | good_paths.map(lambda path: {"exists": path}),
    lambda inner: (
        inner.map(lambda part: {"not": part})
        | st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"and": parts})
        | st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"or": parts})
    ),
    max_leaves=6,
)

_spans = st.integers(1, 10**6) | st.floats(1, 1000)
_counts = st.integers(0, 5)
_post = st.fixed_dictionaries(
    {},
    optional={
        "output_key": _names,
        "output_map": st.dictionaries(_names, st.sampled_from(["a", "a.b[0]"]), max_size=2),
        "action_key": st.sampled_from(["a", "a.b[0]"]),
    },
)
_common: dict[str, st.SearchStrategy[Any]] = {
    "params": st.dictionaries(_names, _values, max_size=2),
    "prep": st.fixed_dictionaries({}, optional={"input_key": _sources})
    | st.fixed_dictionaries({"input_map": st.dictionaries(_names, _sources, max_size=2)}),
    "post": _post,
}
_retries: dict[str, st.SearchStrategy[Any]] = {"max_retries": _counts, "wait_ms": st.integers(0, 100)}
_fan: dict[str, st.SearchStrategy[Any]] = {
    "failure_strategy": st.sampled_from(["fail_fast", "collect_errors", "ignore_errors"])
}
_http: dict[str, st.SearchStrategy[Any]] = {
    "max_attempts": _counts,
    "attempt_delay_ms": st.integers(0, 100),
    "weighted_by_load": st.booleans(),
    "timeout_ms": _spans,
}
_script = st.fixed_dictionaries(
    {"code": st.just("true"), "language": st.sampled_from(["python", "node", "sh", "perl"])},
    optional={"args": st.lists(_names, max_size=2), "env": st.just({"A": 1}), "work_dir": _names},
) | st.fixed_dictionaries({"cmd": _names}, optional={"args": st.lists(_integers, max_size=2)})


def _kind(kind: str, required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(kind), **required}, optional=optional)


_listing = st.fixed_dictionaries({"input_key": _sources})
_queued, _called = {"exec_type": st.just("queue")}, {"exec_type": st.just("local_func")}
_cases = st.lists(st.fixed_dictionaries({"action": _names, "expr": good_conditions}), min_size=1, max_size=3)
_plain_nodes = st.one_of(
    _kind("executor", {"service": _names}, {**_common, **_retries, **_http}),
    _kind("executor", {"service": _names, **_queued}, {**_common, **_retries}),
    _kind("executor", {"func": _names, **_called}, {**_common, **_retries, "timeout_ms": _spans}),
    _kind("executor", {"exec_type": st.just("local_script"), "script": _script}, {**_common, **_retries}),
    _kind("choice", {"choice_cases": _cases}, {**_common, "default_action": _names}),
    _kind("parallel", {}, {**_common, **_retries, **_fan, "parallel_services": st.lists(_names, min_size=1)}),
    _kind("parallel", {"parallel_mode": st.just("concurrent")}, {**_common, "max_parallel": _counts}),
    _kind("foreach", {"service": _names, "prep": _listing}, {"post": _post, **_retries, **_fan, **_http}),
    _kind("subflow", {"workflow": _names}, _common),
    *(_kind(kind, {}, _common) for kind in ("timer", "wait_event", "approval")),
)


def _flows(nodes: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    keys = st.lists(_names, min_size=1, max_size=4, unique=True)
    return keys.flatmap(
        lambda them: st.fixed_dictionaries(
            {"start": st.just(them[0]), "nodes": st.fixed_dictionaries(dict.fromkeys(them, nodes))},
            optional={"name": _names, "description": _names},
        ).map(lambda flow: {**flow, "edges": _chain(them)})
    )


def _chain(keys: list[str]) -> list[dict[str, str]]:
    return [{"from": key, "to": after} for key, after in zip(keys, [*keys[1:], keys[0]], strict=True)]


good_flows: st.SearchStrategy[dict[str, Any]] = st.recursive(
    _flows(_plain_nodes),
    lambda inner: _flows(_plain_nodes | _kind("subflow", {"subflow": inner}, _common)),
    max_leaves=3,
)
