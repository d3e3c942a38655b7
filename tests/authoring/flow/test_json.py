"""JSON as nodes: the values of Python's own reader, each with its place, at a cost that the text bounds."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.authoring.documents.json_paths import JsonPaths, path_text
from holdfast.authoring.documents.json_text import compose_json
from holdfast.authoring.documents.nodes import ListNode, MapNode, Node, ScalarNode, value_of
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.documents.yaml_text import compose
from holdfast.errors import BadFlow


def read(text: str) -> Node:
    problems = Problems("x", BadFlow)
    node = compose_json(text, problems)
    problems.raise_if_any()
    assert node is not None
    return node


_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner)
    ),
    max_leaves=20,
)


@given(_values, st.booleans(), st.sampled_from([None, 1, 4]))
def test_what_python_writes_is_read_as_it_was(value: Any, is_ascii: bool, indent: int | None):
    found = value_of(read(json.dumps(value, ensure_ascii=is_ascii, indent=indent)))

    assert json.dumps(found) == json.dumps(value)  # which tells 1 from 1.0 and true


@given(st.text(max_size=40) | st.text(st.sampled_from('{}[]",:0 1-.eEtrufalsn\\"\n\t/bxNaIity'), max_size=40))
@example('{"0":0,"0":0}')
def test_a_text_is_json_for_both_or_for_none(text: str):
    try:
        json.loads(text.removeprefix("\ufeff"))
        is_json = True
    except ValueError:
        is_json = False
    problems = Problems("x", BadFlow)

    node = compose_json(text, problems)

    # NUL, half a character, NaN, great numbers and a key given twice are JSON for Python only.
    said = [str(it) for it in getattr(_raised(problems), "problems", [])]
    is_refused = any(
        word in it for it in said for word in ("cannot be stored", "can be stored", "is there twice")
    )
    assert (node is not None and not said) == is_json or (is_json and is_refused)


def _raised(problems: Problems) -> BadFlow | None:
    try:
        problems.raise_if_any()
    except BadFlow as error:
        return error
    return None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-0", 0),
        ("1.0", 1.0),
        ("1e3", 1000.0),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ('"\\u00e9\\ud83d\\ude00\\/\\n"', "é😀/\n"),
        (" [ ] ", []),
        ("\ufeff{ }", {}),
        ("null", None),
    ],
)
def test_a_value_is_what_json_says(text: str, value: Any):
    found = value_of(read(text))

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "1e400", "9" * 5000, "NaN"])
def test_a_number_that_cannot_be_stored_is_refused(text: str):
    with pytest.raises(BadFlow, match="is no number that can be stored"):
        read(f"[{text}]")


def test_every_node_has_its_place():
    root = read('{"a": [1,\r\n "é", "x\\ny"],\r"b": {}}')

    assert isinstance(root, MapNode)
    listed = root.entries["a"].value
    assert isinstance(listed, ListNode)
    assert root.position == Position(1, 1)
    assert root.entries["a"].key.position == Position(1, 2)
    assert [item.position for item in listed.items] == [Position(1, 8), Position(2, 2), Position(2, 7)]
    assert root.entries["b"].key.position == Position(3, 1)
    assert root.entries["b"].value.position == Position(3, 6)


def test_a_character_of_a_text_has_its_place_unless_there_are_escapes():
    root = read('["word", "w\\u006frd"]')

    assert isinstance(root, ListNode)
    plain, escaped = root.items
    assert isinstance(plain, ScalarNode)
    assert isinstance(escaped, ScalarNode)
    assert plain.at(2) == Position(1, 5)
    assert escaped.at(2) == escaped.position == Position(1, 10)


def test_a_number_keeps_how_it_was_written():
    root = read("[1.10]")

    assert isinstance(root, ListNode)
    (number,) = root.items
    assert isinstance(number, ScalarNode)
    assert (number.value, number.text) == (1.1, "1.10")


def test_three_hundred_levels_are_read_from_deep_within_a_program():
    text = "[" * 300 + "]" * 300

    def descend(levels: int) -> Any:
        return value_of(read(text)) if levels == 0 else descend(levels - 1)

    assert json.dumps(descend(sys.getrecursionlimit() - 200)) == text


@pytest.mark.parametrize(
    "text",
    [
        "[" * 900_000,
        '{"a":' * 190_000,
        "[" + "1," * 100_000,
        '["' + "a" * 900_000,
        "{" + ",".join(f'"k{n}":1' for n in range(20_000)) + "}",
        "{" + ",".join('"k":1' for _ in range(40_000)) + "}",
        " " * 900_000 + "x",
        "\n" * 900_000 + "[",
        "[" + "9" * 900_000 + "]",
        '["' + "\\u0041" * 150_000 + '"]',
        '["' + "\\" * 900_000 + '"]',
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_text_costs_little(text: str):
    start = time.process_time()

    compose_json(text, Problems("x"))

    assert time.process_time() - start < 8  # of the processor; some 1 s at most


# --- paths


def paths_of(root: Node) -> dict[str, str]:
    """By line and column."""
    return {f"{place.line}:{place.column}": path for place, path in JsonPaths(root).items()}


def test_a_path_leads_to_every_value_and_a_key_has_that_of_its_value():
    root = read('{"nodes": {"a b": [1, {"x": 2}]}}')

    assert paths_of(root) == {
        "1:1": "$",
        "1:2": "$.nodes",
        "1:11": "$.nodes",
        "1:12": '$.nodes["a b"]',
        "1:19": '$.nodes["a b"]',
        "1:20": '$.nodes["a b"][0]',
        "1:23": '$.nodes["a b"][1]',
        "1:24": '$.nodes["a b"][1].x',
        "1:29": '$.nodes["a b"][1].x',
    }


def test_in_yaml_a_map_and_its_first_key_are_told_apart():
    root = compose("a:\n  b: 1\n", Problems("x"))

    assert isinstance(root, MapNode)
    inner = root.entries["a"].value
    assert isinstance(inner, MapNode)
    paths = JsonPaths(root)
    assert inner.position == inner.entries["b"].key.position == Position(2, 3)
    assert paths[inner.position] == "$.a"
    assert paths[inner.entries["b"].key.position] == "$.a.b"
    assert paths[Position(2, 3)] == "$.a"
    assert Position(9, 9) not in paths


def test_what_an_alias_stands_for_has_the_path_where_it_was_met_first():
    root = compose("one: &x {k: 1}\ntwo: *x\n", Problems("x"))

    assert root is not None
    assert paths_of(root)["1:13"] == "$.one.k"
    assert len(JsonPaths(root)) == 5


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((), "$"),
        (("a", 0, "b-c_1"), "$.a[0].b-c_1"),
        (("1a", "", "é", 'x"y', "a.b"), '$["1a"][""]["é"]["x\\"y"]["a.b"]'),
        (("k" * 200,), f'$["{"k" * 100}"]'),
    ],
)
def test_a_path_is_written_as_people_write_it(steps: tuple[str | int, ...], text: str):
    assert path_text(steps) == text


def test_a_path_that_nobody_could_read_is_cut_in_the_middle():
    text = path_text(["nodes", *range(1000), "end"])

    assert len(text) == 501
    assert text.startswith("$.nodes[0][1]")
    assert text.endswith("[999].end")


def test_paths_below_a_long_key_cost_no_more_than_the_text():
    text = json.dumps({"k" * 400_000: dict.fromkeys((str(n) for n in range(50_000)), 1)})

    start = time.process_time()
    paths = JsonPaths(read(text))

    assert len(paths) > 100_000
    assert time.process_time() - start < 8
