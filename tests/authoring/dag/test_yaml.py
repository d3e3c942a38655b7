"""YAML by the rules of 1.2, as values of JSON, and never at a cost that grows faster than the text."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml
from tests.authoring.dag.wrong_cases import read_cases

from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.documents import nodes
from holdfast.authoring.documents.nodes import MapNode, ScalarNode
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.documents.yaml_text import compose
from holdfast.errors import BadDag


def value_of(text: str) -> Any:
    problems = Problems("x")
    node = compose(f"x: {text}\n", problems)
    problems.raise_if_any()
    assert isinstance(node, MapNode)
    return nodes.value_of(node)["x"]


@pytest.fixture(params=["in C", "in Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """PyYAML may have been built without its fast parser."""
    if request.param == "in Python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    return request.param


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in ("yes", "no", "on", "off", "y", "n", "Yes", "NO", "tRue")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("12:30:45", "12:30:45"),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T02:00:00Z", "2026-01-31T02:00:00Z"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("-1.5e-3", -0.0015),
        ("1.2.3", "1.2.3"),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ("!!int 12", 12),
        ("!!float 12", 12),
        ("!!float 1.5", 1.5),
        ("!!bool true", True),
        ("!!null ~", None),
        ("!!seq [1]", [1]),
        ("!!map {a: 1}", {"a": 1}),
        ("[a, [b], {c: d}]", ["a", ["b"], {"c": "d"}]),
        ('"a\\u00e9\\n"', "aé\n"),
        ("|\n  a\n  b\n", "a\nb\n"),
        (">\n  a\n  b\n", "a b\n"),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_a_value_is_what_yaml_1_2_says(text: str, value: Any):
    found = value_of(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.usefixtures("parser")
def test_aliases_and_merged_keys_stand_for_what_they_name():
    text = """
base: &base {a: 1, b: 2}
more: &more {b: 3, c: 4}
one: {<<: *base, b: 9}
two: {<<: [*more, *base], d: 5}
same: *base
again: &base [7]
new: *base
text: {'<<': 1}
"""
    problems = Problems("x")
    node = compose(text, problems)
    assert node is not None
    found = nodes.value_of(node)

    problems.raise_if_any()
    assert found["one"] == {"b": 9, "a": 1}
    assert found["two"] == {"d": 5, "b": 3, "c": 4, "a": 1}
    assert found["same"] == {"a": 1, "b": 2}
    assert found["new"] == [7]
    assert found["text"] == {"<<": 1}


def test_tasks_can_share_what_they_have_in_common():
    dag = load_text(
        """
name: t
tasks:
  a: &common {command: ./run.sh, retries: 3, env: {A: 1}}
  b: {<<: *common, command: ./other.sh, depends_on: a}
"""
    )

    assert dag.tasks["b"].options == dag.tasks["a"].options
    assert dag.tasks["b"].env == {"A": "1"}


SAID_BY_BOTH = [
    case
    for case in read_cases()
    # Their words and places differ in these, and ours follow them.
    if case.name.startswith("yaml: ") and case.name != "yaml: an unknown escape"
]


@pytest.mark.parametrize("case", SAID_BY_BOTH, ids=lambda case: case.name)
def test_the_parser_in_python_is_explained_in_the_same_words(case: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(yaml, "CSafeLoader")

    with pytest.raises(BadDag) as caught:
        load_text(case.text)

    assert [f"{it.line}:{it.column}: {it.message}" for it in caught.value.problems] == case.problems


# --- places


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: word", Position(1, 6)),
        ("a: 'word'", Position(1, 7)),
        ('a: "word"', Position(1, 7)),
        ("a: !!str word", Position(1, 12)),
        ("a: &here word", Position(1, 12)),
        ("é: [b, {c: word}]", Position(1, 14)),
        ("x: 1\r\na: word", Position(2, 6)),
        ("x: 1\u2028a: word", Position(2, 6)),
        ("\ufeffa: word", Position(1, 6)),
        ("a: 'it''s word'", Position(1, 4)),
        ("a: |\n  word\n", Position(1, 4)),
        ("a: word\n  and more\n", Position(1, 4)),
    ],
)
def test_a_character_of_a_text_has_its_place_or_that_of_the_text(text: str, place: Position):
    problems = Problems("x")
    node: Any = compose(text, problems)
    while not isinstance(node, ScalarNode):
        node = node.items[-1] if hasattr(node, "items") else list(node.entries.values())[-1].value

    assert node.at(2) == place


# --- cost


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        "{a: " * 200_000,
        "- " * 400_000,
        "a: &a [" + "*a, " * 100_000 + "]",
        "x: &x [1]\ny: [" + "*x, " * 100_000 + "]",
        "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}\n" for n in range(1, 2000)),
        "a: " + "'" * 900_000,
        "".join(f"k{n}: 1\n" for n in range(20_000)),
        "k: 1\n" * 30_000,
        "tasks: {" + ", ".join(f"t{n}: {{comand: x, depends_on: [u{n}]}}" for n in range(2000)) + "}",
        "name: t\ntasks: {"
        + ", ".join(f"t{n}: {{command: x, when: t{n}.a > t{n - 1}.b}}" for n in range(2000))
        + "}",
        "name: t\ntasks:\n"
        + "".join(f"  t{n}: {{command: x, depends_on: [t{n - 1}]}}\n" for n in range(2000)),
        "name: t\ntypes: {" + ", ".join(f"T{n}: {{a: T{n + 1}, b: T{n + 1}}}" for n in range(2000)) + "}\n",
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_text_is_refused_in_time(text: str):
    start = time.process_time()

    with pytest.raises(BadDag) as caught:
        load_text(text)

    assert time.process_time() - start < 8
    assert len(str(caught.value)) < 20_000


def test_a_long_chain_of_tasks_is_loaded():
    tasks = "".join(
        f"  t{n}: {{command: x, depends_on: [t{n - 1}], when: t0.x > 1}}\n" for n in range(1, 2000)
    )

    start = time.process_time()
    dag = load_text(f"name: t\ntasks:\n  t0: {{command: x}}\n{tasks}")

    assert len(dag.tasks) == 2000
    assert time.process_time() - start < 8  # some 0.7 s
