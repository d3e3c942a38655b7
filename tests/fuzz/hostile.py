"""Things that no honest caller passes: objects that raise, lie, or never end when they are looked at."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import math
from collections import UserString
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final, NamedTuple, NoReturn

import attrs
import msgspec
import pydantic
from hypothesis import strategies as st


class Spite(Exception):
    """What hostile objects raise; and it does not even say why."""

    def __str__(self) -> NoReturn:
        raise RuntimeError("it has no words")

    def __repr__(self) -> NoReturn:
        raise RuntimeError("it has no words")


class Obstinate(Exception):
    """What objects raise that cannot even be asked what they are, or how they compare. At a door it may
    pass as it is: it is the caller's own, and nothing has been changed yet."""


def _raise(*_: Any, **__: Any) -> NoReturn:
    raise Spite


def _balk(*_: Any, **__: Any) -> NoReturn:
    raise Obstinate("leave me alone")


def _making(name: str, base: type = object, **methods: Any) -> type:
    return type(name, (base,), methods)


class Liar:
    """Says that it is a dict."""

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return dict


class Shy:
    """Raises at whatever it is asked for."""

    def __getattribute__(self, name: str) -> Any:
        raise Obstinate(name)


@dataclasses.dataclass
class Unfinished:
    """A field that was never set."""

    there: int
    missing: int = dataclasses.field(init=False)


class _Trap:
    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return 0
        raise Spite


@dataclasses.dataclass
class Trapped:
    """A field that cannot be read."""

    field: Any = 0


Trapped.field = _Trap()


@attrs.define
class UnfinishedAttrs:
    there: int
    missing: int = attrs.field(init=False)


class Undumpable(pydantic.BaseModel):
    inside: Any = None

    @pydantic.model_serializer
    def _refuse(self) -> dict[str, Any]:
        raise Spite


class Lazy(pydantic.BaseModel):
    inside: Any = None


class Odd(enum.Enum):
    LIST = [1, 2]  # noqa: RUF012
    NONE = None
    NAN = math.nan
    ITSELF = object()


class Bits(enum.Flag):
    A = 1
    B = 2


class Holder(msgspec.Struct):
    inside: Any


def _unset() -> Holder:
    holder = Holder(1)
    del holder.inside
    return holder


class Hostile(type):
    """The class itself cannot be looked at."""

    def __repr__(cls) -> str:
        raise Spite

    def __getattribute__(cls, name: str) -> Any:
        if name in ("__qualname__", "__name__", "__module__"):
            raise Spite
        return super().__getattribute__(name)


class OfHostileClass(metaclass=Hostile):
    pass


def _cycle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def _wide_cycle() -> dict[str, Any]:
    circle: dict[str, Any] = {}
    circle["a"] = [circle, {"b": (circle,)}]
    return circle


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value


class _EndlessItems(dict[Any, Any]):
    def items(self) -> Any:
        raise Spite

    def __iter__(self) -> Iterator[Any]:
        raise Spite


_TEXTS: Final[dict[str, Callable[[], Any]]] = {
    "no text": lambda: "",
    "NUL": lambda: "\x00",
    "half a surrogate pair": lambda: "\ud800",
    "half a pair in between": lambda: "a\udfffb",
    "long text": lambda: "é" * 501,
    "a megabyte": lambda: "x" * 1_000_000,
    "odd marks": lambda: "\u202e\u0085\ufeff",
    "SQL": lambda: "' OR 1=1; --",
    "a path": lambda: "../../etc/passwd",
    "a format": lambda: "%s%n{0}{a.b}",
    "UserString": lambda: UserString("text"),
    "text that cannot be shown": lambda: _making("Silent", str, __str__=_raise, __repr__=_raise)("text"),
    "text that cannot be compared": lambda: _making("Unequal", str, __eq__=_raise, __hash__=_raise)("text"),
    "text without a length": lambda: _making("Endless", str, __len__=_balk, encode=_balk)("text"),
}

_NUMBERS: Final[dict[str, Callable[[], Any]]] = {
    "0": lambda: 0,
    "-1": lambda: -1,
    "2**63": lambda: 2**63,
    "-2**64": lambda: -(2**64),
    "10**5000": lambda: 10**5000,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "1e308": lambda: 1e308,
    "-0.0": lambda: -0.0,
    "True": lambda: True,
    "Decimal NaN": lambda: Decimal("NaN"),
    "Decimal sNaN": lambda: Decimal("sNaN"),
    "Decimal 1e999999": lambda: Decimal("1e999999"),
    "a complex number": lambda: complex(1, 2),
    "an int that is none": lambda: _making("Uncertain", int, __int__=_balk, __index__=_balk, __repr__=_raise)(
        5
    ),
    "a float that is none": lambda: _making("Unsure", float, __float__=_balk, __repr__=_raise)(0.5),
    "an int without order": lambda: _making("Wild", int, __lt__=_balk, __le__=_balk, __ge__=_balk)(5),
}


class _Whole(int):
    pass


class _Real(float):
    pass


class _Words(str):
    __slots__ = ()


class _Span(dt.timedelta):
    pass


class _Number(enum.IntEnum):
    ONE = 1


class _Name(enum.StrEnum):
    ONE = "one"


SUBCLASSES: Final[dict[str, Callable[[], Any]]] = {
    "an int of a subclass": lambda: _Whole(1),
    "a float of a subclass": lambda: _Real(1.0),
    "text of a subclass": lambda: _Words("text"),
    "time of a subclass": lambda: _Span(seconds=1),
    "an IntEnum": lambda: _Number.ONE,
    "a StrEnum": lambda: _Name.ONE,
    "1": lambda: 1,
    "1.0": lambda: 1.0,
    "'yes'": lambda: "yes",
    "a second": lambda: dt.timedelta(seconds=1),
}
"""What honest callers pass as well: numpy.float64 is a float, pandas.Timedelta a timedelta."""

_SPANS: Final[dict[str, Callable[[], Any]]] = {
    "no time": lambda: dt.timedelta(0),
    "negative time": lambda: dt.timedelta(seconds=-1),
    "the longest time": lambda: dt.timedelta.max,
    "the most negative time": lambda: dt.timedelta.min,
    "time that cannot be compared": lambda: _making("Wild", dt.timedelta, __gt__=_balk, __le__=_balk)(1),
    "a date": lambda: dt.datetime(2024, 1, 1),  # noqa: DTZ001
}

_OBJECTS: Final[dict[str, Callable[[], Any]]] = {
    "an object": object,
    "bytes": lambda: b"bytes",
    "a bytearray": lambda: bytearray(b"bytes"),
    "a memoryview": lambda: memoryview(b"bytes"),
    "an ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "a function": lambda: print,
    "a class": lambda: int,
    "an iterator": lambda: iter([1]),
    "a generator": lambda: (number for number in range(3)),
    "a range": lambda: range(10**12),
    "Mute": _making("Mute", __repr__=_raise, __str__=_raise),
    "Unhashable": _making("Unhashable", __hash__=_raise, __eq__=_raise),
    "Undecided": _making("Undecided", __bool__=_balk, __len__=_balk),
    "Grabby": _making("Grabby", __getattr__=_balk),
    "Liar": Liar,
    "Shy": Shy,
    "Trapped": Trapped,
    "of a hostile class": OfHostileClass,
    "a hostile class": lambda: OfHostileClass,
    "Unfinished": lambda: Unfinished(1),
    "UnfinishedAttrs": lambda: UnfinishedAttrs(1),
    "Undumpable": Undumpable,
    "a model of an object": lambda: Lazy(inside=object()),
    "a model of nan": lambda: Lazy(inside=math.nan),
    "a Struct of Shy": lambda: Holder(Shy()),
    "a Struct without its field": _unset,
    "an enum of a list": lambda: Odd.LIST,
    "an enum of nan": lambda: Odd.NAN,
    "an enum of an object": lambda: Odd.ITSELF,
    "flags": lambda: Bits.A | Bits.B,
    "no flags": lambda: Bits(0),
    "Spite": Spite,
    "a dict without items": lambda: _EndlessItems({"a": math.nan}),
    "a key that is a class": lambda: {Shy: 1},
    "a key that is a tuple": lambda: {("a", 1): 1},
    "a key that is None": lambda: {1.5: 1, None: 2},
    "keys that are the same in JSON": lambda: {True: 1, 2.0: 2, "2.0": 3},
    "a key of half a pair": lambda: {"\ud800": 1},
    "a key that cannot be shown": lambda: {_making("MuteKey", str, __repr__=_raise)("k"): math.nan},
    "a list in itself": _cycle,
    "a dict in itself": _wide_cycle,
    "900 deep": lambda: nested(900),
    "20,000 deep": lambda: nested(20_000),
    "nans": lambda: [math.nan] * 3,
}

EVERYTHING: Final[dict[str, Callable[[], Any]]] = {
    "None": lambda: None,
    **_TEXTS,
    **_NUMBERS,
    **_SPANS,
    **SUBCLASSES,
    **_OBJECTS,
}
"""By name, because hypothesis shows what it drew, and many of these cannot be shown."""

anything = st.sampled_from(sorted(EVERYTHING))


def hostile(name: str) -> Any:
    return EVERYTHING[name]()


class Recipe(NamedTuple):
    """How to make a value that holds hostile ones; itself it can be shown."""

    container: str
    inside: tuple[Recipe | str | int, ...] = ()

    def make(self) -> Any:
        parts = [each.make() if isinstance(each, Recipe) else _leaf(each) for each in self.inside]
        return _CONTAINERS[self.container](parts)

    def holds(self, names: frozenset[str]) -> bool:
        """Whether one of these is somewhere in what is made. Not in models: pydantic itself drops some."""
        kept = {"first": self.inside[:1], "model": ()}.get(self.container, self.inside)
        return any(each.holds(names) if isinstance(each, Recipe) else each in names for each in kept)


NOT_NUMBERS: Final = frozenset({"nan", "inf", "-inf", "nans", "a key that cannot be shown"})
"""JSON has no such numbers, and null instead of them would be another value."""


def _leaf(name: str | int) -> Any:
    return hostile(name) if isinstance(name, str) else name


@dataclasses.dataclass
class Boxed:
    inside: Any


_CONTAINERS: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "list": list,
    "tuple": tuple,
    "dict": lambda parts: {str(number): part for number, part in enumerate(parts)},
    "dataclass": Boxed,
    "Struct": Holder,
    "model": lambda parts: Lazy(inside=parts),
    "first": lambda parts: parts[0] if parts else None,
}

_leaves: st.SearchStrategy[Any] = anything | st.integers()
recipes: st.SearchStrategy[Recipe] = st.recursive(
    _leaves,
    lambda inner: st.builds(
        Recipe, st.sampled_from(sorted(_CONTAINERS)), st.lists(inner, max_size=3).map(tuple)
    ),
    max_leaves=5,
).map(lambda made: made if isinstance(made, Recipe) else Recipe("first", (made,)))
