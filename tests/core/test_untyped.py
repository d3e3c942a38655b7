"""A model where the type hint says nothing comes back as a dict. That is told once for each place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict

import msgspec
import pydantic
import pytest

from holdfast.core.codec import Codec
from holdfast.core.signature import Signature


class User(pydantic.BaseModel):
    name: str = "ann"


@dataclass
class Item:
    id: int = 1


class Entry(msgspec.Struct):
    id: int = 1


class Point(NamedTuple):
    x: int = 1


@dataclass
class Basket:
    items: list = field(default_factory=list)  # pyright: ignore[reportMissingTypeArgument]


class Options(TypedDict, total=False):
    extra: Any


def warnings_of(function: Callable[..., Any], *calls: Any) -> list[str]:
    """Of calls with one argument, and of its results."""
    warnings: list[str] = []
    codec = Codec(warn=warnings.append)
    signature = Signature.of(function, name="task 'load'")
    for each in calls:
        signature.pack((each,), {}, codec)
        signature.pack_result(each, codec)
    return warnings


def function_with(hint: Any) -> Callable[..., Any]:
    def function(given: Any) -> Any: ...

    function.__annotations__ = {"given": hint, "return": hint}
    return function


@pytest.mark.parametrize(
    ("hint", "value", "place", "what_to_write"),
    [
        (Any, User(), "", "write User in"),
        (list, [Item()], "[0]", "write list[Item] in"),
        (list[Any], [1, Entry()], "[1]", "write list[Entry] in"),
        (dict, {"a": User()}, "['a']", "write dict[str, User] in"),
        (dict[str, Any], {"a": [[], [Point()]]}, "['a'][1][0]", "write list[Point] in"),
        (list | None, [Item()], "[0]", "write list[Item] in"),
        (list[dict[str, Any] | Exception], [{"a": Item()}], "[0]['a']", "write dict[str, Item] in"),
        (Basket, Basket([Item()]), ".items[0]", "write list[Item] in"),
        (tuple[int, Any], (1, Item()), "[1]", "write list[Item] in"),
        (Options, {"extra": Item()}, "['extra']", "write Item in"),
    ],
)
def test_a_model_that_the_hint_does_not_name_is_told(
    hint: Any, value: Any, place: str, what_to_write: str
) -> None:
    call, result = warnings_of(function_with(hint), value)

    becomes = "a list" if "Point" in what_to_write else "a dict"
    assert call.startswith(f"the arguments of task 'load': given{place} is of class ")
    assert f"it will come back as {becomes}; {what_to_write}" in call
    assert result.startswith(f"the result of task 'load': {place.removeprefix('.') or 'it'} is of class ")


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (list[User], [User()]),
        (dict[str, Item | None], {"a": Item()}),
        (list[Item | Exception], [Item(), ValueError("x")]),
        (Basket, Basket([1, "x"])),
        (Any, [{"a": [1, None, "x", (1, 2), {3}]}]),
        (Any, [ValueError("x")]),
        (list, []),
    ],
)
def test_what_comes_back_as_it_is_is_not_told(hint: Any, value: Any) -> None:
    assert warnings_of(function_with(hint), value) == []


def test_each_place_is_told_once() -> None:
    calls = [[Item(1)], [Item(2), Item(3)], [1, Item(4)], [User()]]

    kinds = [
        text.partition(" is of class ")[2].partition(",")[0]
        for text in warnings_of(function_with(list), *calls)
    ]

    assert kinds == ["Item", "Item", "User", "User"]


def test_only_the_beginning_of_a_long_collection_is_looked_at() -> None:
    class Counting(list[Any]):
        looked_at = 0

        def __iter__(self) -> Any:
            for each in super().__iter__():
                Counting.looked_at += 1
                yield each

    def function(given: list[Any]) -> None: ...

    signature = Signature.of(function, name="task 'load'")
    long = Counting(range(10_000))
    signature.pack((long,), {}, Codec())
    encoded = Counting.looked_at
    signature.pack((long,), {}, Codec(warn=print))

    assert Counting.looked_at - 2 * encoded <= 20
