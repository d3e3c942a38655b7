"""Flows, their conditions and paths: whatever is given, it is understood or refused, and nothing else comes
of it."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.flow_documents import any_json, broken_flows, good_conditions, good_flows, words
from tests.fuzz.outcomes import refusing

from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.references import find
from holdfast.authoring.documents.yaml_text import compose
from holdfast.authoring.flow.comparison import compare_flows
from holdfast.authoring.flow.condition_reading import OPERATORS, ConditionReader
from holdfast.authoring.flow.conditions import holds
from holdfast.authoring.flow.document import document_of
from holdfast.authoring.flow.loader import definition_hash, load_flow_text
from holdfast.authoring.flow.model import Flow
from holdfast.authoring.flow.paths import BadPath, PathValues, parse_path, parse_steps
from holdfast.errors import BadFlow

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
texts = st.lists(_pieces | words | st.text(max_size=5), max_size=25).map("".join) | st.text(max_size=60)

_LONGEST: Final = 1.0
"""Seconds of the processor's time, since the tests share the machine."""


@given(texts, st.sampled_from([None, True, False]))
def any_text_is_a_flow_or_refused(text: str, is_json: bool | None) -> None:
    with refusing(BadFlow):
        _check_loaded(load_flow_text(text, is_json=is_json))


@given(any_json | broken_flows() | good_flows)
def any_document_is_a_flow_or_refused(document: Any) -> None:
    start = time.process_time()
    with refusing(BadFlow):
        _check_loaded(load_flow_text(json.dumps(document)))
    assert time.process_time() - start < _LONGEST


@given(good_flows, good_flows)
def flows_that_are_right_are_loaded_and_compared(one: Any, other: Any) -> None:
    before, after = load_flow_text(json.dumps(one)), load_flow_text(json.dumps(other))
    _check_loaded(before)
    changes = [it for it in compare_flows(before, after) if not it.path.endswith((".name", ".description"))]
    assert (not changes) == (definition_hash(before) == definition_hash(after))


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
_operands = _paths | any_json
_conditions = st.recursive(
    _paths
    | st.dictionaries(st.sampled_from(OPERATORS), st.lists(_operands, min_size=2, max_size=2), max_size=1),
    lambda inner: (
        st.fixed_dictionaries({"not": inner})
        | st.lists(inner, max_size=3).map(lambda parts: {"and": parts})
        | st.lists(inner, max_size=3).map(lambda parts: {"or": parts})
        | st.dictionaries(words, inner, max_size=2)
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


@given(_conditions | good_conditions, _maps, _maps, _values)
def any_flow_condition_is_true_or_false_or_refused(expr: Any, params: Any, shared: Any, input: Any) -> None:
    problems = Problems("x", BadFlow)
    with refusing(BadFlow):
        node = compose(json.dumps(expr), problems)
        condition = None if node is None else ConditionReader(problems).read(node)
        problems.raise_if_any()
        assert condition is not None
        assert isinstance(holds(condition, PathValues(params, shared, input)), bool)


@given(_paths, _values)
def any_path_of_a_flow_is_followed_or_refused(text: str, value: Any) -> None:
    with refusing(BadPath):
        path = parse_path(text)
        assert parse_path(str(path)) == path
        find(value, path.steps)
    with refusing(BadPath):
        find(value, parse_steps(text))
