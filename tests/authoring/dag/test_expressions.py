"""Conditions: what they come to, what they refuse, and that what was checked before does not fail later."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.authoring.dag.typed_values import json_values, values_of
from tests.examples import examples

from holdfast.authoring.dag.expression_checks import check_condition
from holdfast.authoring.dag.expressions import BadExpression, CannotEvaluate, Expression
from holdfast.authoring.dag.types import BOOL, FLOAT, INT, STR, ListType, ObjectType, ScalarType, Type
from holdfast.authoring.documents.comparison import are_equal
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.references import Ref, follow
from holdfast.errors import HoldfastError, WrongType

VALUES: dict[str, Any] = {
    "n": 3,
    "f": 2.5,
    "s": "text",
    "t": True,
    "z": None,
    "l": [1, "a", [2]],
    "o": {"k": 1, "a b": 2},
    "day": "2026-01-31",
}


def lookup(ref: Ref) -> Any:
    if ref.is_status:
        return "failed"
    return follow(VALUES, ref.path[1:] if ref.path[0] == "input" else ref.path[3:])


def evaluate(text: str) -> bool:
    return Expression.parse(text).evaluate(lookup)


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "input.t",
        "d.n == 3",
        "3 == 3.0",
        "d.n != 4",
        "d.n < 4 and d.n <= 3 and d.n > 2.5 and d.n >= 3",
        "'a' < 'b'",
        "d.day >= '2026-01-01'",
        "d.s == 'text'",
        'd.s == "text"',
        "d.z == null",
        "d.n != null",
        "1 != true",
        "0 != false",
        "[1] != [true]",
        "'1' != 1",
        "1 in d.l",
        "true not in d.l",
        "[2] in d.l",
        "2 not in d.l",
        "'ex' in d.s",
        "'k' in d.o",
        "'x' not in d.o",
        "d.n in [1, 2, 3]",
        "d.n not in []",
        "not false",
        "not not true",
        "not 1 == 2",
        "false or true",
        "true or d.nothing.there == 1",
        "not (false and d.nothing.there == 1)",
        "true or false and false",
        "(true or false) and true",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 - 2 - 1 == 4",
        "8 / 2 / 2 == 2",
        "7 / 2 == 3.5",
        "7 % 3 == 1",
        "-7 % 3 == 2",
        "-d.n == -3",
        "- -3 == 3",
        "d.n -1 == 2",
        "d.n - 1 == 2",
        "len(d.l)-1 == 2",
        "1e3 == 1000",
        "'te' + 'xt' == d.s",
        "len(d.s) == 4 and len(d.l) == 3 and len(d.o) == 2 and len([]) == 0",
        "lower('ABC') == 'abc' and upper('abc') == 'ABC'",
        "starts_with(d.s, 'te') and ends_with(d.s, 'xt') and not starts_with(d.s, 'x')",
        "exists(d.n) and exists(input.s)",
        "not exists(d.nothing.there) and not exists(d.z) and not exists(d.l[9]) and not exists(d.n.x)",
        "exists(d.l[0])",
        "d.l[1] == 'a' and d.o[\"a b\"] == 2",
        "tasks.d.status == 'failed'",
        "tasks.d.output.n == 3",
        "'it\\'s' == \"it's\"",
        "'a\\nb\\t\\\\' == 'a\\nb\\t\\\\'",
        "  true\n  and\n  true  ",
    ],
)
def test_a_condition_that_is_true(text: str):
    assert evaluate(text) is True
    assert evaluate(f"not ({text})") is False


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1", "a condition must come to true or false, not to int"),
        ("null", "a condition must come to true or false, not to null"),
        ("d.l", "a condition must come to true or false, not to a list"),
        ("not 0", "'not' is for true and false, not for int"),
        ("1 and true", "'and' is for true and false, not for int"),
        ("true and 'x'", "'and' is for true and false, not for str"),
        ("null or true", "'or' is for true and false, not for null"),
        ("d.n < 'a'", "'<' compares numbers, or text with text, not int with str"),
        ("true < 2", "'<' compares numbers, or text with text, not bool with int"),
        ("d.z > 1", "'>' compares numbers, or text with text, not null with int"),
        ("d.l <= d.l", "'<=' compares numbers, or text with text, not a list with a list"),
        ("1 in d.s", None),
        ("'a' in 5", None),
        ("d.n + 'a' == 1", "'+' adds numbers, or text to text, not str to int"),
        ("d.s + 1 == 1", "'+' adds numbers, or text to text, not int to str"),
        ("d.l + d.l == 1", "'+' is for numbers, not for a list"),
        ("d.s * 3 == 1", "'*' is for numbers, not for str"),
        ("3 * d.s == 1", "'*' is for numbers, not for str"),
        ("true + 1 == 2", "'+' is for numbers, not for bool"),
        ("-d.s == 1", "'-' is for numbers, not for str"),
        ("1 / 0 == 1", "a division by zero"),
        ("1 % 0.0 == 1", "a division by zero"),
        ("1e300 * 1e300 > 1", "a number beyond what can be computed with"),
        ("len(d.n) == 1", "len() is for text, lists and objects, not for int"),
        ("lower(d.n) == 'x'", "lower() is for text, not for int"),
        ("starts_with(d.s, 1)", "starts_with() is for text, not for int"),
        ("d.nothing == 1", "tasks.d.output.nothing cannot be read: there is no nothing"),
        ("d.l[9] == 1", "tasks.d.output.l[9] cannot be read: there is no l[9]: the list has 3"),
    ],
)
def test_a_condition_that_comes_to_nothing_says_why(text: str, reason: str | None):
    with pytest.raises(CannotEvaluate) as caught:
        evaluate(text)

    assert reason is None or str(caught.value) == reason
    assert isinstance(caught.value, HoldfastError)


@pytest.mark.parametrize("error", [KeyError("x"), IndexError(3), WrongType("x", "is not there")])
def test_a_value_that_cannot_be_had_does_not_exist_and_cannot_be_read(error: Exception):
    def nothing(ref: Ref) -> Any:
        raise error

    assert Expression.parse("exists(a.b)").evaluate(nothing) is False
    with pytest.raises(CannotEvaluate):
        Expression.parse("a.b == 1").evaluate(nothing)


def test_what_is_compared_or_built_is_bounded():
    def deep(ref: Ref) -> Any:
        value: list[Any] = []
        for _ in range(100_000):
            value = [value]
        return value

    assert Expression.parse("a == b and a in [b]").evaluate(deep), "compared without recursion"
    with pytest.raises(CannotEvaluate, match="a text of more than 100,000 characters"):
        Expression.parse("a + a == b").evaluate(lambda ref: "x" * 60_000)
    with pytest.raises(CannotEvaluate, match="a text of more than 100,000 characters"):
        Expression.parse("lower(a) == b").evaluate(lambda ref: "x" * 100_001)
    with pytest.raises(CannotEvaluate, match="beyond"):
        Expression.parse("a * a * a > 1").evaluate(lambda ref: 10**29)


def test_references_are_listed_in_the_order_of_the_text():
    expression = Expression.parse("b.x > 1 and (exists(input.a) or len([tasks.c.status, b.x]) in [-a[0]])")

    assert [str(ref) for ref in expression.references()] == [
        "tasks.b.output.x",
        "input.a",
        "tasks.c.status",
        "tasks.b.output.x",
        "tasks.a.output[0]",
    ]


def test_a_condition_comes_back_from_json():
    expression = Expression.parse(
        "b.x > 1 and (exists(input.a) or -len([c, null, 1.5, 'x']) in [a[0], true])"
    )

    assert msgspec.json.decode(msgspec.json.encode(expression), type=Expression) == expression


@given(json_values, json_values)
def test_equality_is_that_of_json(left: Any, right: Any):
    assert are_equal(left, left)
    assert are_equal(left, right) == are_equal(right, left)
    if are_equal(left, right) and not isinstance(left, float) and not isinstance(right, float):
        # 1 and 1.0 are the same number; true, 1 and "1" are written differently, and so are different.
        assert _as_floats(left) == _as_floats(right)


def _as_floats(value: Any) -> Any:
    if isinstance(value, list):
        return ["list", *map(_as_floats, value)]
    if isinstance(value, dict):
        return {key: _as_floats(each) for key, each in value.items()}
    return (float(value), "number") if type(value) in (int, float) else (value, type(value).__name__)


# --- what passes the check before a run does not fail in it

_FIELDS: dict[str, Type] = {
    "i": INT,
    "f": FLOAT,
    "s": STR,
    "b": BOOL,
    "d": ScalarType("date"),
    "li": ListType(INT),
    "ls": ListType(STR),
    "o": ObjectType({"x": INT, "y": STR}),
}
_ATOMS = [
    *(f"t.{name}" for name in _FIELDS),
    "t.o.x",
    "1",
    "2.5",
    "'a'",
    "true",
    "null",
    "[1, 2]",
    "['a']",
    "[]",
]
_SIGNS = ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or", "+", "-", "*", "/", "%"]
_FUNCTIONS = [
    "len({})",
    "lower({})",
    "upper({})",
    "not {}",
    "-{}",
    "({})",
    "starts_with({}, 'a')",
    "exists(t.s)",
]

conditions = st.recursive(
    st.sampled_from(_ATOMS),
    lambda inner: (
        st.tuples(inner, st.sampled_from(_SIGNS), inner).map(lambda it: f"({it[0]} {it[1]} {it[2]})")
        | st.tuples(st.sampled_from(_FUNCTIONS), inner).map(lambda it: it[0].format(it[1]))
    ),
    max_leaves=6,
)


def _complaints(expression: Expression) -> list[str]:
    found: list[str] = []

    def type_of(part: Any) -> Type:
        type: Type = ObjectType(_FIELDS)
        for step in part.ref.path[3:]:
            type = type.fields[step] if isinstance(type, ObjectType) else ObjectType({})
        return type

    check_condition(expression.tree, type_of, lambda at, reason: found.append(reason), Problems("x"))
    return found


@examples(100)
@given(conditions, values_of(ObjectType(_FIELDS)))
def test_a_condition_that_passes_the_check_comes_to_true_or_false(text: str, value: Any):
    try:
        expression = Expression.parse(text)
    except BadExpression:
        return
    if _complaints(expression) or "null" in text or "[" in text:
        return  # null may be compared with everything, and a list may be of anything: seen in a run only

    try:
        expression.evaluate(lambda ref: follow(value, ref.path[3:]))
    except CannotEvaluate as error:
        said = str(error)
    else:
        said = ""

    assert said in ("", "a division by zero", "a number beyond what can be computed with")
