"""Types of a DAG: how they are written, which fits which, and what a value of one is."""

from __future__ import annotations

import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.authoring.dag.typed_values import json_values, types, values_of

from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.types import (
    ANY,
    INT,
    STR,
    ListType,
    ObjectType,
    OptionalType,
    ScalarType,
    Type,
    check,
    describe,
    fits,
    may_be_missing,
)
from holdfast.errors import BadDag


def read(notation: str) -> Type:
    """A type as a task of a DAG would have it."""
    named = "types: {Point: {x: float, y: float}, Path: [types.Point]}"
    dag = load_text(f"name: t\n{named}\ntasks: {{a: {{command: x, output_type: {notation}}}}}\n")
    found = dag.tasks["a"].output_type
    assert found is not None
    return found


POINT = ObjectType({"x": ScalarType("float"), "y": ScalarType("float")}, "Point")


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        *((name, ScalarType(name)) for name in ("str", "int", "float", "bool", "date", "datetime", "any")),
        ("[str]", ListType(STR)),
        ("[[int]]", ListType(ListType(INT))),
        ("{files: [str], count: int}", ObjectType({"files": ListType(STR), "count": INT})),
        ("{}", ObjectType({})),
        ("str?", OptionalType(STR)),
        ("any?", ANY),
        ("'str ? ?'", OptionalType(STR)),
        (f"'str{'?' * 5000}'", OptionalType(STR)),
        ("{note: str?}", ObjectType({"note": OptionalType(STR)})),
        ("'[str]?'", OptionalType(ListType(STR))),
        ("['int?']", ListType(OptionalType(INT))),
        ("'{a: [int], b: str?}'", ObjectType({"a": ListType(INT), "b": OptionalType(STR)})),
        ("Point", POINT),
        ("types.Point", POINT),
        ("Path", ListType(POINT)),
        ("{'a key': Point}", ObjectType({"a key": POINT})),
    ],
)
def test_a_type_is_read_from_its_notation(notation: str, expected: Type):
    assert read(notation) == expected


def test_named_types_may_stand_in_any_order():
    dag = load_text("name: t\ntypes: {A: [B], B: {c: C}, C: int}\ntasks: {a: {command: x, output_type: A}}")

    assert dag.tasks["a"].output_type == ListType(ObjectType({"c": INT}, "B"))


@pytest.mark.parametrize(
    "notation", ["str", "[str]", "{files: [str], count: int}", "[int?]", "Point", "[Point]"]
)
def test_a_type_is_described_as_it_is_written(notation: str):
    assert describe(read(f"'{notation}'" if "?" in notation else notation)) == notation


def test_a_type_that_nobody_could_read_is_described_in_short():
    large = ObjectType({f"a_rather_long_name_{number}": STR for number in range(1000)})

    assert describe(large).startswith("{a_rather_long_name_0: str, a_rather_long_name_1: str")
    assert len(describe(large)) <= 121


@given(types)
def test_a_type_comes_back_from_json(type: Type):
    assert msgspec.json.decode(msgspec.json.encode(type), type=Type) == type


# --- type against type


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("int", "int"),
        ("int", "float"),
        ("any", "[int]"),
        ("[int]", "any"),
        ("[any]", "[str]"),
        ("str", "str?"),
        ("str?", "str?"),
        ("[int]", "[float]"),
        ("{a: int, b: str}", "{a: int}"),
        ("{a: int}", "{a: float, b: str?}"),
        ("{}", "{a: any}"),
        ("Point", "{x: float, y: float}"),
    ],
)
def test_a_value_of_one_type_may_be_given_for_another(source: str, target: str):
    assert fits(read(f"'{source}'"), read(f"'{target}'")) is None


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("float", "int", "float does not fit int"),
        ("bool", "int", "bool does not fit int"),
        ("date", "str", "date does not fit str"),
        ("str", "date", "str does not fit date"),
        ("date", "datetime", "date does not fit datetime"),
        ("str?", "str", "str? may be null, but str may not"),
        ("[str]", "[int]", "an item: str does not fit int"),
        ("[[str]]", "[[int]]", "an item[]: str does not fit int"),
        ("[str]", "str", "[str] does not fit str"),
        ("{a: [{b: str}]}", "{a: [{b: int}]}", "a[].b: str does not fit int"),
        ("{a: int}", "{b: int}", "b: missing"),
        ("{a: str?}", "{a: str}", "a: str? may be null, but str may not"),
        ("Point", "[Point]", "Point does not fit [Point]"),
    ],
)
def test_why_a_type_does_not_fit_another(source: str, target: str, reason: str):
    assert fits(read(f"'{source}'"), read(f"'{target}'")) == reason


def _has_no_any(type: Type) -> bool:
    return '"any"' not in msgspec.json.encode(type).decode()


@given(st.data())
def test_what_fits_a_type_is_of_it(data: st.DataObject):
    source, target = data.draw(types.filter(_has_no_any)), data.draw(types)
    value = data.draw(values_of(source))
    if fits(source, target) is not None:
        return

    assert check(value, target) is None


@pytest.mark.parametrize(
    ("notation", "steps", "expected"),
    [
        ("{a: int}", ("a",), False),
        ("{a: int?}", ("a",), True),
        ("{a: '{b: int}?'}", ("a", "b"), True),
        ("[{a: int?}]", (0, "a"), True),
        ("[{a: int?}]", (0,), False),
        ("any", ("a", 0), False),
        ("str?", (), True),
        ("{a: int}", ("b", "c"), False),
    ],
)
def test_what_a_type_allows_to_be_missing(notation: str, steps: tuple[str | int, ...], expected: bool):
    assert may_be_missing(read(notation), steps) is expected


# --- value against type


@given(st.data())
def test_a_value_made_by_the_rules_is_of_its_type(data: st.DataObject):
    type = data.draw(types)
    value = data.draw(values_of(type))

    assert check(value, type) is None
    assert check(json.loads(json.dumps(value)), type) is None


@given(json_values, types)
def test_a_value_is_of_a_type_or_it_is_said_why_not(value: Any, type: Type):
    reason = check(value, type)

    assert reason is None or ("expected" in reason and "got" in reason) or "missing" in reason


@pytest.mark.parametrize(
    ("notation", "value", "reason"),
    [
        ("str", 5, "expected str, got int"),
        ("int", True, "expected int, got bool"),
        ("int", 1.0, "expected int, got float"),
        ("float", True, "expected float, got bool"),
        ("bool", 1, "expected bool, got int"),
        ("str", None, "expected str, got null"),
        ("[str]", {"a": 1}, "expected [str], got an object"),
        ("{a: int}", [1], "expected {a: int}, got a list"),
        ("{files: [str]}", {"files": ["a", "b", "c", 4]}, "files[3]: expected str, got int"),
        ("{a: {b: int}}", {"a": {}}, "a.b: missing; expected int"),
        ("{a: {b: int}}", {"a": {"b": None}}, "a.b: expected int, got null"),
        ("{a: int?}", {"a": "x"}, "a: expected int, got str"),
        ("[Point]", [{"x": 1, "y": 2}, {"x": 1}], "[1].y: missing; expected float"),
        ("date", "2026-02-30", "expected date (as 2026-01-31), got '2026-02-30'"),
        ("date", "20260131", "expected date (as 2026-01-31), got '20260131'"),
        ("date", "2026-01-31T00:00:00Z", "expected date (as 2026-01-31), got '2026-01-31T00:00:00Z'"),
        ("date", 20260131, "expected date (as 2026-01-31), got int"),
        (
            "datetime",
            "2026-01-31T02:00:00",
            "expected datetime with a zone (as 2026-01-31T02:00:00Z), got '2026-01-31T02:00:00'",
        ),
        (
            "datetime",
            "2026-01-31T25:00:00Z",
            "expected datetime with a zone (as 2026-01-31T02:00:00Z), got '2026-01-31T25:00:00Z'",
        ),
    ],
)
def test_the_first_mismatch_is_named_with_its_path(notation: str, value: Any, reason: str):
    assert check(value, read(notation)) == reason


@pytest.mark.parametrize(
    ("notation", "value"),
    [
        ("float", 5),
        ("datetime", "2026-01-31T02:00:00Z"),
        ("datetime", "2026-01-31 02:00:00.123456+05:30"),
        ("{a: int}", {"a": 1, "more": "is fine"}),
        ("{a: int?}", {}),
        ("{a: int?}", {"a": None}),
        ("{a: any}", {}),
        ("[any]", [1, "a", None]),
        ("str?", None),
    ],
)
def test_a_value_that_is_of_a_type(notation: str, value: Any):
    assert check(value, read(notation)) is None


def test_a_list_of_a_hundred_thousand_is_checked_in_no_time():
    files = [{"path": f"{number}.csv", "size": number} for number in range(100_000)]
    type = read("[{path: str, size: int}]")

    start = time.process_time()
    assert check(files, type) is None
    assert check([*files, {"path": 5}], type) == "[100000].path: expected str, got int"

    assert time.process_time() - start < 20  # some 0.2 s; a check that is quadratic would take minutes


# --- the inputs of a run


@pytest.mark.parametrize(
    ("notation", "has_default", "default"),
    [
        ("date", False, None),
        ("int = 100", True, 100),
        ("date = 2026-01-31", True, "2026-01-31"),
        ("str = yes", True, "yes"),
        ("bool = true", True, True),
        ("float = 1", True, 1),
        ("'[str] = [a, b]'", True, ["a", "b"]),
        ("'[int]=[]'", True, []),
        ("'{a: int} = {a: 1}'", True, {"a": 1}),
        ("str?", True, None),
        ("str? = x", True, "x"),
        ("'str = \"a = b\"'", True, "a = b"),
        ("any", False, None),
        ("any = null", True, None),
        ("[str]", False, None),
    ],
)
def test_an_input_of_a_run_may_have_a_default(notation: str, has_default: bool, default: Any):
    dag = load_text(f"name: t\ninput:\n  x: {notation}\ntasks: {{a: {{command: x}}}}")

    parameter = dag.inputs["x"]
    assert (parameter.has_default, parameter.default) == (has_default, default)


def test_a_type_that_is_lost_to_an_error_is_not_said_to_be_unknown_too():
    text = "name: t\ntypes: {A: 5, B: [A]}\ntasks: {a: {command: x, output_type: {a: A, b: B}}}"

    with pytest.raises(BadDag) as caught:
        load_text(text)

    assert [problem.message for problem in caught.value.problems] == [
        "types.A must be a type, such as str, [int], {name: str} or the name of one, not 5"
    ]
