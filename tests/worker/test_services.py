"""What a service is called with, and what is made of its result."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from holdfast.core.codec import Codec
from holdfast.errors import BadDefinition, CannotStore, WrongType
from holdfast.worker.services import Service, decode_request


def call(function: Callable[..., Any], input: object = None, **params: object) -> Any:
    service = Service("it", function)
    args, kwargs = service.bind(decode_request(msgspec.json.encode({"input": input, "params": params})))
    return function(*args, **kwargs)


@dataclass
class Order:
    id: str
    day: dt.date


def test_the_first_parameter_gets_the_input_and_the_others_what_params_have_by_their_names():
    def transform(text: str, op: str, times: int = 1) -> list[object]:
        return [text, op, times]

    assert call(transform, "a", op="upper", other=True) == ["a", "upper", 1]
    assert call(transform, "a", op="upper", times=3, text="not this") == ["a", "upper", 3]


def test_hints_are_kept():
    def load(order: Order, since: dt.date | None = None) -> list[object]:
        return [order.day.year, since]

    result = call(load, {"id": "x", "day": "2026-01-31"}, since="2025-12-01")

    assert result == [2026, dt.date(2025, 12, 1)]


def test_one_that_is_called_params_gets_all_of_them():
    def show(input: object, params: dict[str, Any], op: str = "") -> object:
        return [input, params, op]

    assert call(show, 1, op="x", params="odd") == [1, {"op": "x", "params": "odd"}, "x"]


def test_two_stars_get_what_no_other_parameter_takes():
    def show(input: object, op: str, **others: int) -> object:
        return [input, op, others]

    assert call(show, 1, op="x", a=1, b=2) == [1, "x", {"a": 1, "b": 2}]


def test_positional_and_keyword_only_parameters_work():
    def show(input: object, /, *more: int, op: str) -> object:
        return [input, more, op]

    assert call(show, 1, op="x") == [1, (), "x"]


def test_a_function_may_take_nothing_or_only_params():
    def nothing() -> str:
        return "called"

    def only_named(*, op: str) -> str:
        return op

    assert call(nothing, "input", op="x") == "called"
    assert call(only_named, "input", op="x") == "x"


def test_an_input_that_is_null_is_none_whatever_the_default_is():
    def take(input: str | None = "default") -> object:
        return input

    assert call(take) is None


def test_a_parameter_that_is_missing_is_named():
    def transform(text: str, op: str) -> None: ...

    with pytest.raises(WrongType, match="its parameter 'op' is not in the params, which have 'a', 'b'"):
        call(transform, "x", a=1, b=2)


def test_a_value_that_does_not_fit_its_hint_is_refused_with_where():
    def add(numbers: list[int]) -> None: ...

    with pytest.raises(WrongType, match=r"service 'it': numbers\[1\]: expected int, got str"):
        call(add, [1, "2"])


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"params": []}', b"\xff", b'{"a":' * 100_000])
def test_a_call_that_cannot_be_read_is_refused(body: bytes):
    with pytest.raises(WrongType, match="the call: "):
        decode_request(body)


def test_a_call_may_leave_everything_out():
    asked = decode_request(b'{"params": null}')

    assert (bytes(asked.input), asked.params) == (b"null", None)


def test_a_result_that_is_no_json_cannot_be_stored():
    service = Service("it", lambda: None)

    with pytest.raises(CannotStore):
        service.store(object(), Codec())


def test_a_hint_that_json_cannot_bring_back_is_refused_where_the_service_is_defined():
    def odd(it: Codec) -> None: ...

    with pytest.raises(BadDefinition, match="parameter 'it'"):
        Service("odd", odd)
