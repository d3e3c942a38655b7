"""The hash of a DAG: the same for what does the same, another for what does not."""

from __future__ import annotations

import json

import pytest

from holdfast.authoring.dag.loader import definition_hash, load_text

DAG = """
name: etl
description: moves things
schedule: '@daily'
input: {day: date, limit: int = 100}
tasks:
  a: {command: x, description: first, retries: 2, env: {A: 1, B: 2}}
  b:
    file: b.py
    depends_on: a
    when: "a.count > 0 and not a.done"
    inputs: {x: {ref: a.y}, c: {const: {p: 1, q: 2}}}
  c: {sleep: 5, depends_on: [a, b]}
"""


def hash_of(text: str) -> str:
    return definition_hash(load_text(text))


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("description: moves things", "description: something else"),
        ("description: first, ", ""),
        ("schedule: '@daily'", "schedule: {every: 5m}"),
        ("schedule: '@daily'\n", ""),
        ("name: etl", "# a comment\nname:   'etl'"),
        ("{day: date, limit: int = 100}", "{limit: int=100, day: date}"),
        ("retries: 2, env: {A: 1, B: 2}", "env: {B: '2', A: '1'}, retries: {max_attempts: 3}"),
        ("a.count > 0 and not a.done", "(a.count>0)  and not tasks.a.output.done"),
        ("{ref: a.y}", "{ref: tasks.a.output.y}"),
        ("{p: 1, q: 2}", "{q: 2, p: 1}"),
        ("{sleep: 5, depends_on: [a, b]}", "\n    depends_on:\n    - a\n    - b\n    sleep: 5s"),
    ],
)
def test_it_is_the_same_for_another_way_to_say_it(what: str, instead: str):
    assert what in DAG

    assert hash_of(DAG.replace(what, instead)) == hash_of(DAG)


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("name: etl", "name: elt"),
        ("limit: int = 100", "limit: int = 101"),
        ("limit: int = 100", "limit: float = 100"),
        ("command: x", "command: [x]"),
        ("command: x", "command: y"),
        ("retries: 2", "retries: 3"),
        ("B: 2", "B: 3"),
        ("file: b.py", "module: b"),
        ("a.count > 0", "a.count > 1"),
        ("a.count > 0", "a.count >= 0"),
        ("{ref: a.y}", "{ref: a.z}"),
        ("{p: 1, q: 2}", "{p: 1, q: '2'}"),
        ("sleep: 5", "sleep: 6"),
        ("depends_on: [a, b]", "depends_on: b"),
        ("\n  c:", "\n  d:"),
        ("\ntasks:", "\nmax_parallel: 3\ntasks:"),
        ("\ntasks:", "\ntimeout: 3\ntasks:"),
        ("\ntasks:", "\noutput: {x: a}\ntasks:"),
    ],
)
def test_it_is_another_for_what_does_something_else(what: str, instead: str):
    assert what in DAG

    assert hash_of(DAG.replace(what, instead)) != hash_of(DAG)


def test_the_order_of_the_tasks_counts():
    first, second = "  a: {command: x}\n", "  b: {command: y}\n"

    assert hash_of(f"name: t\ntasks:\n{first}{second}") != hash_of(f"name: t\ntasks:\n{second}{first}")


def test_it_does_not_change_from_one_release_to_the_next():
    # Runs under way are found by it. If this fails, a release would take every DAG for a new version.
    assert hash_of("name: t\ntasks: {a: {command: x}}") == (
        "bd2526259d4297c95ac9bbe6348abefc52bf2503fc6303a5800fc2783aaf4ff7"
    )


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (
            "a.count > 0 and not a.done",
            "6ecc7a69cb8c91ba190a101df5cfea2198aa4c01350ecd0ad980e533ba580d4c",
        ),
        (
            "1 + 2 * -a.n / 4 % 5 - 6 <= 7.5 or a == null",
            "1cdd02b5d1e6fd29a7de8c56108ef91bbc3c06ed448a79b75be1231466ed101d",
        ),
        (
            "tasks.a.status in ['success', 'failed'] and input.n not in [1, -2]",
            "f9ed0d18eeb28079dd2e06c94d6ef09721506566d60d9a0c5345988a110beeb2",
        ),
        (
            "exists(a.note) and starts_with(lower(a.name), 'x') and len(input.tags) >= 1",
            "42ed29b4a0d1013fc3c25e1febb0509014992b20b66786bcb172e4fc13cc1bff",
        ),
        (
            "(true or false) and (a.x == true and a['a key'][0] != \"it's\")",
            "5e967bc2c6296fa0d61477a6f5b0bc967db7c47dfccf00c53c700786385b9bfe",
        ),
    ],
)
def test_a_condition_keeps_its_hash_from_one_release_to_the_next(condition: str, expected: str):
    tasks = {"a": {"command": "x"}, "b": {"command": "y", "depends_on": "a", "when": condition}}
    dag = {"name": "t", "input": {"n": "int", "tags": ["str"]}, "tasks": tasks}

    assert hash_of(json.dumps(dag)) == expected
