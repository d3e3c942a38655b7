"""The codec: a value of a type hint comes back as it was or is refused, and so is whatever bytes are read."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Generic, Literal, NamedTuple, NewType, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import hostile
from tests.fuzz.outcomes import refusing

from holdfast.core.codec import Codec, decoder_for
from holdfast.core.values import Payload
from holdfast.errors import CannotStore, PayloadTooLarge, WrongType

WHAT: Final = "the result of task 'fuzz'"
codec = Codec(limit=1_000_000)
T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = -1
    HIGH = 2**40


class Word(enum.StrEnum):
    EMPTY = ""
    YES = "yes"


@dataclass
class Box(Generic[T]):
    content: T
    label: str = ""


@dataclass(slots=True, frozen=True)
class Pair(Generic[T]):
    left: T
    right: T


@attrs.define
class Crate:
    weight: Decimal
    tags: set[str] = attrs.field(factory=set[str])


class Node(msgspec.Struct):
    value: int
    next: Node | None = None


class Circle(msgspec.Struct, tag=True):
    radius: float


class Square(msgspec.Struct, tag=True):
    side: float


class Point(NamedTuple):
    x: int
    y: float = 0.0


class Options(TypedDict, total=False):
    colour: Colour
    level: Level


class Money(pydantic.BaseModel):
    amount: Decimal
    currency: Literal["EUR", "USD"] = "EUR"
    notes: list[str] = pydantic.Field(default_factory=list[str])


@dataclass
class Checked:
    """With a check of the user's own that raises what cannot be printed."""

    number: int
    extra: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        if self.number < 0:
            raise hostile.Spite


Name = NewType("Name", str)

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_finite = st.floats(allow_nan=False, allow_infinity=False)
_plain_hints: dict[Any, st.SearchStrategy[Any]] = {
    type(None): st.none(),
    bool: st.booleans(),
    int: st.integers(),
    float: _finite,
    str: _text,
    bytes: st.binary(max_size=20),
    Decimal: st.decimals(allow_nan=False),
    uuid.UUID: st.uuids(),
    dt.datetime: st.datetimes(timezones=st.none() | st.just(dt.UTC)),
    dt.date: st.dates(),
    dt.time: st.times(timezones=st.none() | st.just(dt.UTC)),
    dt.timedelta: st.timedeltas(),
    Colour: st.sampled_from(Colour),
    Level: st.sampled_from(Level),
    Word: st.sampled_from(Word),
    Literal["a", "b"]: st.sampled_from(["a", "b"]),
    Name: _text,
    Crate: st.builds(Crate, weight=st.decimals(allow_nan=False), tags=st.sets(_text, max_size=3)),
    Node: st.recursive(
        st.builds(Node, st.integers()), lambda inner: st.builds(Node, st.integers(), inner), max_leaves=4
    ),
    Circle | Square: st.builds(Circle, _finite) | st.builds(Square, _finite),
    Point: st.builds(Point, st.integers(), _finite),
    Options: st.fixed_dictionaries({}, optional={"colour": st.sampled_from(Colour)}),
    Money: st.builds(
        Money, amount=st.decimals(allow_nan=False, allow_infinity=False), notes=st.lists(_text, max_size=2)
    ),
}
_keys = [str, int, Colour, Level, uuid.UUID, dt.date]

Typed = tuple[Any, st.SearchStrategy[Any]]


def _containers(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    """Hints made of hints, each with a strategy for its values."""
    return st.one_of(
        inner.map(lambda it: (list[it[0]], st.lists(it[1], max_size=3))),
        inner.map(lambda it: (Sequence[it[0]], st.lists(it[1], max_size=3))),
        inner.map(lambda it: (deque[it[0]], st.lists(it[1], max_size=3).map(deque))),
        inner.map(lambda it: (tuple[it[0], ...], st.lists(it[1], max_size=3).map(tuple))),
        st.tuples(inner, inner).map(
            lambda both: (tuple[both[0][0], both[1][0]], st.tuples(both[0][1], both[1][1]))
        ),
        inner.map(lambda it: (it[0] | None, st.none() | it[1])),
        inner.map(lambda it: (Box[it[0]], st.builds(Box, it[1], _text))),
        inner.map(lambda it: (Pair[it[0]], st.builds(Pair, it[1], it[1]))),
        st.tuples(st.sampled_from(_keys), inner).map(
            lambda both: (
                Mapping[both[0], both[1][0]],
                st.dictionaries(_plain_hints[both[0]], both[1][1], max_size=3),
            )
        ),
    )


_leaves: st.SearchStrategy[Typed] = st.sampled_from(list(_plain_hints.items()))
typed: st.SearchStrategy[Typed] = st.recursive(_leaves, _containers, max_leaves=4)


@given(st.data())
def values_come_back(data: st.DataObject) -> None:
    """A value that fits its hint is stored and comes back equal and of the same type."""
    hint, strategy = data.draw(typed)
    value = data.draw(strategy)
    try:
        decoder_for(hint)
    except TypeError:
        return  # nothing in JSON would tell the members of such a union apart
    payload = codec.encode(value, WHAT)
    again = codec.decode(payload, hint, WHAT)
    assert again == value
    assert type(again) is type(value)


@given(hostile.recipes)
def whatever_is_passed_is_stored_as_json_or_refused(recipe: hostile.Recipe) -> None:
    value = recipe.make()
    with refusing(CannotStore, PayloadTooLarge):
        payload = codec.encode(value, WHAT)
        assert not recipe.holds(hostile.NOT_NUMBERS)
        codec.decode(payload, Any, WHAT)
        json.loads(payload.decode(), parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


_HINTS: Final[list[Any]] = [
    Any,
    object,
    *_plain_hints,
    list[int],
    dict[str, Any],
    dict[int, list[Colour]],
    tuple[int, str, Any],
    set[dt.datetime],
    frozenset[int],
    int | str | None,
    list[Money],
    Box[list[Node | None]],
    Checked,
    list[Checked],
    hostile.Undumpable,
    hostile.Lazy,
]

_JSON_PARTS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b":",
    b",",
    b"null",
    b"true",
    b"NaN",
    b"Infinity",
    b"-",
    b"1e999",
    b"\\u",
]
_JSON_PARTS += [
    b"\\ud800",
    b"\xff",
    b"\x00",
    b" ",
    b"0",
    b"-0",
    b"9" * 400,
    b"9" * 5000,
    b'"2024-01-01"',
    b'"PT1S"',
]
_JSON_PARTS += [b'{"number":-1}', b'{"amount":"NaN"}', b'"type"', b'"Circle"', b"[" * 2000, b'{"a":' * 2000]
raw = st.binary(max_size=40) | st.lists(st.sampled_from(_JSON_PARTS), max_size=10).map(b"".join)


@given(st.sampled_from(_HINTS), raw)
def whatever_is_read_is_understood_or_refused(hint: Any, data: bytes) -> None:
    with refusing(WrongType):
        codec.decode(Payload(data), hint, WHAT)


_ODD_HINTS: Final[dict[str, Any]] = {
    "a number": 5,
    "a name": "str",
    "an unknown name": "Nowhere",
    "a list": [int],
    "an ambiguous union": int | bytes | str,
    "a list of an unknown name": list["Nowhere"],  # pyright: ignore[reportUndefinedVariable]  # noqa: F821
    "a type variable": T,
    "Shy": hostile.Shy,
    "a hostile class": hostile.OfHostileClass,
    "an object": hostile.Shy(),
    "an odd enum": hostile.Odd,
    "flags": hostile.Bits,
    "complex": complex,
    "type": type,
    "NamedTuple": NamedTuple,
    "unhashable keys": dict[list[int], int],
    "a Literal of a float": Literal[1.5],
    "an empty Literal": Literal[()],
    "a generic of anything": Box[Any],
    "a generic of nothing": Box,
    "an ellipsis": ...,
}


@given(st.sampled_from(sorted(_ODD_HINTS)), raw)
def hints_that_make_no_sense_are_refused(hint: str, data: bytes) -> None:
    with refusing(WrongType):
        codec.decode(Payload(data), _ODD_HINTS[hint], WHAT)
