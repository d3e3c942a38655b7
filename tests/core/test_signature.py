"""A call is stored as one JSON object and made again from it; one that does not fit is refused at once."""

from __future__ import annotations

import datetime as dt
import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypedDict, TypeVar, Unpack

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.codec import Codec
from holdfast.core.signature import Signature
from holdfast.core.values import Payload
from holdfast.errors import BadDefinition, CannotStore, PayloadTooLarge, WrongType

if TYPE_CHECKING:
    from fractions import Fraction as OnlyForTheTypeChecker

P = ParamSpec("P")
R = TypeVar("R")
codec = Codec()


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Item:
    price: float


@dataclass
class Order:
    id: str
    items: list[Item] = field(default_factory=list[Item])


class Customer(pydantic.BaseModel):
    name: str
    since: dt.date


class Options(TypedDict, total=False):
    colour: Colour
    count: int


def charge(order: Order, cents: int = 5) -> int:
    return cents


def signature_of(function: Callable[..., Any], skip: int = 0) -> Signature:
    return Signature.of(function, name="task 'charge'", skip=skip)


def stored(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What stands in the database after a call, as plain JSON."""
    return json.loads(signature_of(function).pack(args, kwargs, codec))


def seen(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the function returns when it is called by way of the database."""
    signature = signature_of(function)
    positional, keyword = signature.unpack(signature.pack(args, kwargs, codec))
    return function(*positional, **keyword)


# --- what is stored


def test_a_call_is_stored_by_name_with_its_defaults() -> None:
    assert stored(charge, Order("x")) == {"order": {"id": "x", "items": []}, "cents": 5}
    assert stored(charge, cents=7, order=Order("x", [Item(1)])) == {
        "order": {"id": "x", "items": [{"price": 1.0}]},
        "cents": 7,
    }


def test_a_later_change_of_a_default_does_not_reach_a_call_that_is_stored() -> None:
    def before(n: int = 1) -> int:
        return n

    def after(n: int = 2) -> int:
        return n

    payload = signature_of(before).pack((), {}, codec)

    assert signature_of(after).unpack(payload) == ((1,), {})


def test_a_parameter_added_later_takes_its_default() -> None:
    assert signature_of(charge).unpack(Payload(b'{"order":{"id":"x"}}')) == ((Order("x"), 5), {})


# --- every kind of parameter


def nothing() -> Any:
    return ()


def unhinted(a, b=2):
    return a, b


def hinted(colour: Colour, when: dt.datetime | None = None) -> Any:
    return colour, when


def keyword_only(a: int, *, b: int, c: int = 3, d: int) -> Any:
    return a, b, c, d


def only_keywords(*, b: int = 2) -> Any:
    return b


def positional_only(a: int, b: int = 2, /, c: int = 3) -> Any:
    return a, b, c


def rest(first: int, *others: Colour) -> Any:
    return first, others


def options(first: int, **others: Colour) -> Any:
    return first, others


def typed_options(**others: Unpack[Options]) -> Any:
    return others


def everything(a: int, /, b: int, *args: int, c: int = 3, **kwargs: int) -> Any:
    return a, b, args, c, kwargs


def odd_names(__x: int, self: int, cls: int, _y: int, __dict__: int, type: int, args: int = 0) -> Any:
    return __x, self, cls, _y, __dict__, type, args


def mutable_defaults(a: list[int] = [1], b: dict[str, int] = {}, c: Order = Order("x")) -> Any:  # noqa: B006, B008
    return a, b, c


def none_by_default(a: int = None) -> Any:  # pyright: ignore[reportArgumentType]  # noqa: RUF013
    return a


def enum_by_default(a: Colour = Colour.RED, b: tuple[int, ...] = (1, 2)) -> Any:
    return a, b


def model(customer: Customer, others: list[Customer]) -> Any:
    return customer, others


ANN = Customer(name="Ann", since=dt.date(2020, 1, 1))


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (nothing, (), {}),
        (unhinted, ("x",), {}),
        (unhinted, ("x",), {"b": [1]}),
        (hinted, (Colour.RED,), {}),
        (hinted, (Colour.RED, dt.datetime(2020, 1, 1, tzinfo=dt.UTC)), {}),
        (keyword_only, (1,), {"d": 4, "b": 2}),
        (only_keywords, (), {}),
        (only_keywords, (), {"b": 5}),
        (positional_only, (1,), {}),
        (positional_only, (1, 5), {"c": 6}),
        (rest, (1,), {}),
        (rest, (1, Colour.RED, Colour.BLUE), {}),
        (options, (), {"first": 1}),
        (options, (1,), {"x": Colour.RED, "others": Colour.BLUE}),
        (typed_options, (), {"colour": Colour.RED}),
        (everything, (1, 2), {}),
        (everything, (1, 2, 3, 4), {"c": 5, "a": 6, "args": 7, "kwargs": 8}),
        (odd_names, (1, 2, 3, 4, 5, 6), {}),
        (odd_names, (), dict.fromkeys(["__x", "self", "cls", "_y", "__dict__", "type"], 1)),
        (odd_names, (1, 2), {"cls": 3, "_y": 4, "__dict__": 5, "type": 6, "args": 7}),
        (mutable_defaults, (), {}),
        (none_by_default, (), {}),
        (none_by_default, (3,), {}),
        (enum_by_default, (), {}),
        (model, (ANN, [ANN]), {}),
        (functools.partial(keyword_only, 1, b=2), (), {"d": 4}),
        (functools.partial(functools.partial(everything, 1), c=9), (2, 3), {"z": 4}),
    ],
)
def test_a_function_sees_the_same_call_as_without_us(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    assert seen(function, *args, **kwargs) == function(*args, **kwargs)


@given(
    st.integers(),
    st.integers(),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(["c", "a", "args", "kwargs", "x", "self", "__y"]), st.integers()),
)
def test_any_call_that_python_accepts_is_made_again_just_so(
    a: int, b: int, args: list[int], kwargs: dict[str, int]
) -> None:
    assert seen(everything, a, b, *args, **kwargs) == everything(a, b, *args, **kwargs)


def logged(function: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return wrapper


def unwrapped(function: Callable[P, R]) -> Callable[P, R]:
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return wrapper


def test_a_wrapper_has_the_parameters_of_what_it_wraps() -> None:
    assert stored(logged(charge), Order("x")) == stored(charge, Order("x"))
    assert stored(logged(functools.partial(charge, cents=6)), Order("x"))["cents"] == 6


def test_a_wrapper_without_wraps_takes_anything() -> None:
    assert seen(unwrapped(unhinted), 1, b=2) == (1, 2)


class Shop:
    def sell(self, order: Order, n: int = 1) -> tuple[Order, int]:
        return order, n

    def __call__(self, order: Order) -> Order:
        return order


def test_methods_and_callable_objects_are_functions_without_self() -> None:
    assert seen(Shop().sell, Order("x")) == (Order("x"), 1)
    assert seen(Shop(), Order("x")) == Order("x")
    assert signature_of(Shop.sell, skip=1).unpack(Payload(b'{"order":{"id":"x"}}')) == ((Order("x"), 1), {})


def test_a_type_from_the_enclosing_function_is_found_if_the_body_uses_it() -> None:
    @dataclass
    class Local:
        n: int

    def task(local: Local) -> Any:
        assert isinstance(local, Local)
        return local

    assert seen(task, Local(1)) == Local(1)


# --- refused where it is passed


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "reason"),
    [
        (charge, (), {}, "charge() missing a required argument: 'order'"),
        (charge, (1, 2, 3), {}, "charge() takes 2 positional arguments but 3 were given"),
        (charge, (Order("x"),), {"tip": 1}, "charge() got an unexpected keyword argument 'tip'"),
        (charge, (Order("x"),), {"order": 1}, "charge() got multiple values for argument 'order'"),
        (keyword_only, (1, 2), {}, "keyword_only() takes 1 positional argument but 2 were given"),
        (positional_only, (), {"a": 1}, "positional_only() "),
        (nothing, (1,), {}, "nothing() takes 0 positional arguments but 1 were given"),
        (charge, (Order("x"), "5"), {}, "cents: expected int, got str"),
        (
            charge,
            ({"id": "x", "items": [{"price": "x"}]},),
            {},
            "order.items[0].price: expected float, got str",
        ),
        (rest, (1, "red", "green"), {}, "others[1]: invalid enum value"),
        (hinted, ("green",), {}, "colour: invalid enum value"),
        (
            model,
            ({"name": 1, "since": "2020-01-01"}, []),
            {},
            "customer: name: Input should be a valid string",
        ),
    ],
)
def test_a_call_that_does_not_fit_is_refused_as_python_would(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], reason: str
) -> None:
    with pytest.raises(WrongType) as refused:
        signature_of(function).pack(args, kwargs, codec)

    assert refused.value.reason.lower().startswith(reason.lower())
    assert "task 'charge'" in refused.value.what


def test_what_cannot_be_stored_is_refused_with_the_path_from_the_parameter() -> None:
    with pytest.raises(CannotStore) as refused:
        signature_of(charge).pack((Order("x", [Item(1), Item(float("nan"))]),), {}, codec)

    assert refused.value.path == "order.items[1].price"
    assert refused.value.what == "the arguments of task 'charge'"


def test_a_call_over_the_limit_is_refused() -> None:
    with pytest.raises(PayloadTooLarge):
        signature_of(unhinted).pack(("x" * 100,), {}, Codec(limit=100))


@pytest.mark.parametrize(
    "payload", [b"{}", b"[]", b"null", b'{"order":1}', b'{"order":{"id":"x"},"unknown":1}', b"{"]
)
def test_stored_arguments_that_do_not_fit_the_function_are_refused(payload: bytes) -> None:
    with pytest.raises(WrongType, match="the arguments of task 'charge'"):
        signature_of(charge).unpack(Payload(payload))


# --- results


def gives_order() -> Order | None: ...


def gives_nothing() -> None: ...


def gives_anything(): ...


def never_gives() -> NoReturn:
    raise SystemExit


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (gives_order, Order("x", [Item(1.5)])),
        (gives_order, None),
        (gives_nothing, None),
        (gives_anything, {"a": [1]}),
        (never_gives, None),
    ],
)
def test_a_result_comes_back_by_the_return_hint(function: Callable[..., Any], result: object) -> None:
    signature = signature_of(function)

    assert signature.unpack_result(signature.pack_result(result, codec)) == result


@pytest.mark.parametrize(
    ("function", "result"), [(gives_order, 5), (gives_nothing, 1), (charge, None), (charge, "5")]
)
def test_a_result_of_the_wrong_type_is_refused_when_it_is_stored(
    function: Callable[..., Any], result: object
) -> None:
    with pytest.raises(WrongType, match="the result of task 'charge': expected"):
        signature_of(function).pack_result(result, codec)


def test_a_stored_result_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(WrongType, match="this is not JSON"):
        signature_of(gives_anything).unpack_result(Payload(b"{"))


# --- refused at definition


def takes_path(path: Path) -> None: ...


def takes_either(moment: dt.datetime | str) -> None: ...


def gives_path() -> Path: ...


def wrong_default(n: int = "x") -> None: ...  # pyright: ignore[reportArgumentType]


def unstorable_default(client: Any = object()) -> None: ...  # noqa: B008


def hidden_type(n: int, fraction: OnlyForTheTypeChecker) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (takes_path, ["'takes_path' cannot be registered", "parameter 'path'", "Path cannot be read back"]),
        (takes_either, ["parameter 'moment'", "union"]),
        (gives_path, ["the result", "Path cannot be read back"]),
        (wrong_default, ["the default of parameter 'n'", "expected int, got str"]),
        (unstorable_default, ["the default of parameter 'client'", "cannot be stored"]),
        (hidden_type, ["parameter 'fraction'", "OnlyForTheTypeChecker", "TYPE_CHECKING"]),
        (type, ["parameters cannot be read"]),
    ],
)
def test_a_function_that_cannot_work_is_refused_at_definition(
    function: Callable[..., Any], words: list[str]
) -> None:
    with pytest.raises(BadDefinition) as refused:
        signature_of(function)

    assert [word for word in words if word not in str(refused.value)] == []


def test_a_local_type_that_cannot_be_found_is_named_with_what_to_do() -> None:
    @dataclass
    class Local:
        n: int

    def task(local: Local) -> None: ...

    with pytest.raises(BadDefinition, match=r"'Local' of parameter 'local'.*top of the module"):
        signature_of(task)


class Point(msgspec.Struct):
    x: int
    y: list[int] = []


@given(st.tuples(st.integers(), st.text() | st.none() | st.floats(allow_nan=False, allow_infinity=False)))
def test_the_digest_of_a_packed_call_is_the_digest_of_the_call(args: tuple[Any, ...]) -> None:
    def plain(first: int, second: Any) -> None: ...
    def with_default(first: int, second: Any = None) -> None: ...

    for function in (plain, with_default):
        signature = Signature.of(function, name="it")
        for call in (args, (1, {"b": 1, "a": {3, 1, 2}}), (1, [Point(1), Point(2, [3])]), (1, Point(5))):
            packed = signature.pack(call, {}, Codec())
            assert signature.digest_of_packed(packed, call, {}) == signature.digest(call, {})
