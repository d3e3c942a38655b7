"""Values go to JSON and come back the same by their type hint, or are refused where they were passed."""

from __future__ import annotations

import datetime as dt
import enum
import os
import subprocess
import sys
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.codec import Codec, decoder_for, digest_of
from holdfast.core.nesting import is_deeper
from holdfast.core.values import Payload
from holdfast.errors import CannotStore, PayloadTooLarge, WrongType

WHAT = "the result of task 'charge'"
codec = Codec()


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Money(pydantic.BaseModel):
    amount: Decimal
    currency: str = "EUR"


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid")

    day: dt.date
    tags: set[str] = pydantic.Field(alias="labels")
    blob: bytes = b""

    @pydantic.computed_field
    @property
    def weekday(self) -> int:
        return self.day.weekday()


class Anything(pydantic.BaseModel):
    it: Any


class Discreet(Anything):
    price: float

    @pydantic.field_serializer("price", when_used="json")
    def _hide(self, price: float) -> None:
        return None


class Scores(pydantic.RootModel[list[float]]):
    pass


class Point(NamedTuple):
    x: int
    y: float = 0.0


class Options(TypedDict, total=False):
    colour: Colour
    level: Level


class Line(msgspec.Struct):
    start: Point
    end: Point
    next: Line | None = None


@attrs.define
class Address:
    street: str
    since: dt.date | None = None


@dataclass
class Item:
    price: Any
    quantity: int = 1


@dataclass
class Order:
    id: uuid.UUID
    items: list[Item]
    paid: Money | None = None
    history: list[Money] = field(default_factory=list[Money])
    ship_to: Address | None = None


T = TypeVar("T")


@dataclass
class Page(Generic[T]):
    entries: list[T]


OrderId = NewType("OrderId", str)
NOON = dt.datetime(2024, 2, 29, 12, 0, 0, 5, tzinfo=dt.UTC)
ORDER_ID = uuid.UUID(int=7)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Any, {"a": [1, 2.5, "x", True, None]}),
        (object, ["anything"]),
        (dict[str, object], {"a": [1]}),
        (None, None),
        (bool, True),
        (float, -0.5),
        (str, "naïve 😀 \x00 \u2028"),
        (bytes, b"\x00\xff"),
        (OrderId, OrderId("x")),
        (Annotated[int, msgspec.Meta(ge=1)], 5),
        (Annotated[int, []], 5),
        (dt.datetime, NOON),
        (dt.datetime, NOON.astimezone(dt.timezone(dt.timedelta(hours=-5, minutes=-30)))),
        (dt.datetime, NOON.replace(tzinfo=None)),
        (dt.date, NOON.date()),
        (dt.time, NOON.time()),
        (dt.timedelta, dt.timedelta(days=-3, microseconds=7)),
        (uuid.UUID, ORDER_ID),
        (Decimal, Decimal("1.10")),
        (Decimal, Decimal("Infinity")),
        (Colour, Colour.BLUE),
        (Level, Level.HIGH),
        (set[int], {1, 2}),
        (frozenset[Colour], frozenset({Colour.RED})),
        (tuple[int, str], (1, "a")),
        (tuple[Point, ...], (Point(1, 2.0), Point(3))),
        (dict[int, list[tuple[int, ...]]], {5: [(1, 2)]}),
        (dict[Colour, Decimal], {Colour.RED: Decimal(1)}),
        (dict[uuid.UUID, dt.date], {ORDER_ID: NOON.date()}),
        (Mapping[str, Sequence[int]], {"a": [1]}),
        (Literal["a", 1, None], "a"),
        (Colour | None, None),
        (int | str | None, "x"),
        (list[int] | Colour, [1]),
        (Options, {"colour": Colour.RED}),
        (Point, Point(1, 2.0)),
        (Line, Line(Point(1), Point(2), Line(Point(3), Point(4)))),
        (Address, Address("here", NOON.date())),
        (Page[Point], Page([Point(1)])),
        (Money, Money(amount=Decimal("9.99"))),
        (Money | None, Money(amount=Decimal(1))),
        (list[Money], [Money(amount=Decimal(1)), Money(amount=Decimal(2), currency="USD")]),
        (Strict, Strict(day=NOON.date(), labels={"x"}, blob=b"b")),
        (Scores, Scores([1.5])),
        (
            Order,
            Order(
                ORDER_ID,
                [Item(5)],
                paid=Money(amount=Decimal(5)),
                history=[Money(amount=Decimal(4))],
                ship_to=Address("there"),
            ),
        ),
    ],
)
def test_a_value_comes_back_as_what_its_hint_says(hint: Any, value: object) -> None:
    payload = codec.encode(value, WHAT)
    again = codec.decode(payload, hint, WHAT)

    assert again == value
    assert type(again) is type(value)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(plain)
def test_whatever_json_knows_comes_back_without_a_hint(value: Any) -> None:
    assert codec.decode(codec.encode(value, WHAT), Any, WHAT) == value


@given(
    st.builds(
        Order,
        id=st.uuids(),
        items=st.lists(st.builds(Item, price=plain, quantity=st.integers()), max_size=3),
        paid=st.none() | st.builds(Money, amount=st.decimals(allow_nan=False, allow_infinity=False)),
        ship_to=st.none() | st.builds(Address, street=st.text("ab"), since=st.none() | st.dates()),
    )
)
def test_nested_models_of_every_kind_come_back(order: Order) -> None:
    assert codec.decode(codec.encode(order, WHAT), Order, WHAT) == order


@given(
    st.tuples(
        st.datetimes(timezones=st.none() | st.just(dt.UTC)),
        st.timedeltas(),
        st.times(),
        st.binary(),
        st.frozensets(st.decimals(allow_nan=False)),
    )
)
def test_times_bytes_and_sets_come_back(value: Any) -> None:
    hint = tuple[dt.datetime, dt.timedelta, dt.time, bytes, frozenset[Decimal]]

    assert codec.decode(codec.encode(value, WHAT), hint, WHAT) == value


def test_integers_of_any_size_are_kept_to_the_last_digit() -> None:
    value = {"big": 2**200, "none": None}

    assert codec.decode(codec.encode(value, WHAT), dict[str, int | None], WHAT) == value


def test_numbers_and_text_of_a_subclass_are_stored_as_what_they_are() -> None:
    class Celsius(float): ...

    class Name(str):
        __slots__ = ()

    class Count(int): ...

    assert codec.encode([Celsius(1.5), Name("x"), Count(3)], WHAT) == b'[1.5,"x",3]'


# --- refused on the way in


class Unreadable:
    pass


WRONG: Any = 1j


def cycle() -> list[object]:
    inside: list[object] = []
    inside.append({"again": inside})
    return inside


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        (1j, "it", "complex"),
        (Unreadable(), "it", "Unreadable"),
        ((n for n in ()), "it", "generator"),
        (deque([1]), "it", "deque"),
        (Path("x"), "it", "PosixPath"),
        ({"key": Unreadable()}, "['key']", "Unreadable"),
        ([1, [2, {3}, Unreadable()]], "[1][2]", "Unreadable"),
        (Order(ORDER_ID, [Item(1), Item(2), Item(3), Item(1j)]), "items[3].price", "complex"),
        (Line(Point(1), Point(2), Line(Point(WRONG), Point(2))), "next.start.x", "complex"),
        ([Address(WRONG)], "[0].street", "complex"),
        (float("nan"), "it", "nan"),
        ([None, float("inf")], "[1]", "inf"),
        ({"a": {"b": (None, -float("inf"))}}, "['a']['b'][1]", "-inf"),
        (Order(ORDER_ID, [Item(float("nan"))]), "items[0].price", "nan"),
        (Scores([1.0, float("nan")]), "[1]", "nan"),
        (Anything(it={"x": [None, float("inf")]}), "it", "inf at ['it']['x'][1]"),
        ([Anything(it=float("nan"))], "[0]", "nan at ['it']"),
        (Anything(it={1: float("nan")}), "it", "nan at ['it'][1]"),
        (Anything(it={float("nan")}), "it", "nan at ['it'][0]"),
        (Anything(it=deque([0.5, float("-inf")])), "it", "-inf at ['it'][1]"),
        ({"model": [Scores([float("inf")])]}, "['model'][0][0]", "inf"),
        ({"ok": 1, (1, 2): 2}, "it", "key (1, 2) of type tuple"),
        ([{True: 1}], "[0]", "key True of type bool"),
        ([{1: "a", "1": "b"}], "[0]", "keys 1 and '1', which are the same in JSON"),
        ({"a": {"-1.5": 1, -1.5: 2}}, "['a']", "keys '-1.5' and -1.5"),
        ({dt.date(2026, 1, 2): 1, "2026-01-02": 2}, "it", "which are the same in JSON"),
        (["\ud800"], "[0]", "surrogate"),
        ({"a": {"\udfff": 1}}, "['a']", "surrogate"),
        ([10**5000], "[0]", "digits"),
        (cycle(), "[0]['again']", "contains itself"),
        (nested(100_000), "it", "nested too deeply"),
    ],
)
def test_what_json_cannot_carry_is_refused_with_the_path_to_it(value: object, path: str, reason: str) -> None:
    with pytest.raises(CannotStore) as refused:
        codec.encode(value, WHAT)

    assert refused.value.what == WHAT
    assert refused.value.path == path
    assert reason in refused.value.reason


@pytest.mark.parametrize(
    "value",
    [
        {1: "a", 2: "b"},
        {"1": 10**30, "2": -0.0, "x": 1e16},
        {dt.date(2026, 1, 2): {"3": None}},
        [{"1": 1}, {"1": 2}],
        {"1": msgspec.Raw(b'{ "1" : 2 }')},
    ],
)
def test_keys_that_look_like_numbers_are_kept(value: object) -> None:
    assert codec.encode(value, WHAT) == msgspec.json.encode(value)


def test_a_shared_value_is_not_a_cycle() -> None:
    shared = {"x": 1}

    with pytest.raises(CannotStore) as refused:
        codec.encode([shared, shared, [shared], 1j], WHAT)

    assert refused.value.path == "[3]"


def test_none_is_not_taken_for_a_hidden_nan() -> None:
    # These bytes look like a NaN in MessagePack, so the quick check is in doubt and the slow one decides.
    assert codec.encode(["\u02ff\u00ff", b"\xcb\x7f\xf8", None], WHAT).endswith(b",null]")


def test_a_model_that_cannot_be_dumped_is_refused() -> None:
    with pytest.raises(CannotStore) as refused:
        codec.encode({"it": [Strict(day=NOON.date(), labels=set(), blob=b"\xff")]}, WHAT)

    assert refused.value.path == "['it'][0]"


def test_a_value_over_the_limit_is_refused_with_both_sizes() -> None:
    with pytest.raises(PayloadTooLarge) as refused:
        Codec(limit=10).encode("x" * 9, WHAT)

    assert (refused.value.size, refused.value.limit) == (11, 10)
    assert Codec(limit=11).encode("x" * 9, WHAT)


def test_a_hundred_megabytes_are_refused_in_seconds() -> None:
    value = {"rows": [{"text": "x" * 1000, "none": None}] * 100_000}
    begun = time.process_time()

    with pytest.raises(PayloadTooLarge):
        codec.encode(value, WHAT)

    assert time.process_time() - begun < 5


# --- refused on the way out


@dataclass
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("must not be negative")


@dataclass
class Broken:
    def __post_init__(self) -> None:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("json", "hint", "reason"),
    [
        (b'"x"', int, "expected int, got str"),
        (b'{"id":"x","items":[]}', Order, "id: Invalid UUID"),
        (b'{"items":[]}', Order, "object missing required field id"),
        (b'[1,"x"]', list[int], "[1]: expected int, got str"),
        (b'[{"price":1},{"price":1,"quantity":"x"}]', list[Item], "[1].quantity: expected int, got str"),
        (b'{"x":1}', dict[int, int], "a key of it: expected int, got str"),
        (b'"green"', Colour, "Invalid enum value 'green'"),
        (b"0", Annotated[int, msgspec.Meta(ge=1)], "expected int >= 1"),
        (b'[{"value":-1}]', list[Positive], "[0]: must not be negative"),
        (b"{}", Broken, "RuntimeError: no"),
        (b"[[1]]", set[Any], "TypeError: unhashable type: 'list'"),
        (b'[{"amount":1},{"amount":"x"}]', list[Money], "[1]: amount: Input should be a valid decimal"),
        (b"{", Any, "this is not JSON"),
        (b"1", complex, "complex cannot be read back from JSON"),
    ],
)
def test_what_does_not_fit_its_hint_is_refused_with_the_place(json: bytes, hint: Any, reason: str) -> None:
    with pytest.raises(WrongType) as refused:
        codec.decode(Payload(json), hint, WHAT)

    assert refused.value.what == WHAT
    assert refused.value.reason.lower().startswith(reason.lower())


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


@pytest.mark.parametrize(
    "hint",
    [
        complex,
        Path,
        list[Unreadable],
        Page[Unreadable],
        dict[str, Callable[[], None]],
        Iterator[int],
        Mixed,
        Order | Item,
        dt.datetime | str,
        bytes | str,
        Money | Item,
        Literal[1.5],
        "Undefined",
    ],
)
def test_a_hint_that_cannot_be_read_back_is_known_at_definition(hint: Any) -> None:
    with pytest.raises(TypeError):
        decoder_for(hint)


# --- models that misbehave


class Grumpy(pydantic.BaseModel):
    """Reads itself, and complains in words of its own."""

    n: int

    @classmethod
    def model_validate_json(cls, json_data: Any, **_: Any) -> Any:
        raise ValueError("not in the mood")


class Moody(pydantic.BaseModel):
    """Cannot be dumped at first, and can when it is asked again."""

    n: int

    def model_dump(self, **options: Any) -> dict[str, Any]:
        if not hasattr(self, "_was_asked"):
            object.__setattr__(self, "_was_asked", True)
            raise OSError("come back later")
        return {"n": self.n}


def test_a_model_that_refuses_in_its_own_words_is_quoted() -> None:
    with pytest.raises(WrongType, match="not in the mood"):
        codec.decode(Payload(b'{"n":1}'), Grumpy, WHAT)


def test_a_value_that_could_not_be_written_is_refused_also_if_nothing_wrong_is_found_in_it() -> None:
    with pytest.raises(CannotStore, match="cannot be written as JSON: come back later"):
        codec.encode(Moody(n=1), WHAT)


def test_a_number_that_a_model_does_not_want_to_show_is_not_taken_for_one_that_json_lacks() -> None:
    # The integer makes the quick check doubtful, so that the slow one decides.
    value = {"model": Discreet(it=1, price=1.5), "large": 2**70}

    assert Codec().encode(value, "it") == b'{"model":{"it":1,"price":null},"large":1180591620717411303424}'


@pytest.mark.parametrize(("levels", "is_deep"), [(999, False), (1000, False), (1001, True), (5000, True)])
def test_how_deep_a_payload_is_does_not_depend_on_brackets_in_its_texts(levels: int, is_deep: bool) -> None:
    payload = b'{"a":["]\\"[",' * (levels // 2) + b"[" * (levels % 2) + b'"{{{"'
    payload += b"]" * (levels % 2) + b"]}" * (levels // 2)

    assert is_deeper(payload, 1000) is is_deep


def test_what_is_nested_deeper_than_others_can_read_is_refused_though_this_process_could_write_it() -> None:
    value: Any = None
    for _ in range(1500):
        value = [value]
    limit = sys.getrecursionlimit()

    sys.setrecursionlimit(20_000)
    try:
        with pytest.raises(CannotStore, match="is nested too deeply"):
            Codec().encode(value, "it")
    finally:
        sys.setrecursionlimit(limit)


# --- digests


_DIGEST = """\
from holdfast.core.codec import digest_of
print(digest_of({"names": {"ada", "bob", "eve", "joe"}, "mixed": frozenset(["a", 1, None])}))
"""


def test_a_digest_is_the_same_in_every_process_whatever_the_order_of_sets() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", _DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(digests) == 1
    assert digests != {"None\n"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1, 2, 3}, [1, 2, 3]),
        ((1, 2), [1, 2]),
        ({3: "x", 1: "y"}, {1: "y", 3: "x"}),
    ],
)
def test_values_that_are_the_same_have_one_digest(one: Any, other: Any) -> None:
    assert digest_of(one) == digest_of(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [([1, 2], [2, 1]), ({"a": 1}, {"a": 2}), ("12", "21"), ({1: "x"}, {1: "y"}), (None, 0), ([], {})],
)
def test_values_that_differ_have_other_digests(one: Any, other: Any) -> None:
    assert digest_of(one) != digest_of(other)


def test_a_value_that_cannot_be_stored_has_no_digest() -> None:
    assert digest_of(object()) is None
