"""An exception can be a value, or a part of one. It is stored, and comes back as one of its class."""

from __future__ import annotations

import asyncio
import copy
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, NewType, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.codec import Codec, decode_any, decoder_for, digest_of
from holdfast.core.failures import capture, revive
from holdfast.core.signature import Signature
from holdfast.core.values import EXCEPTION_KEY, Payload
from holdfast.errors import CannotStore, PayloadTooLarge, RunFailed, TaskError, TaskTimedOut, WrongType

WHAT = "the result of task 'charge'"
codec = Codec()
T = TypeVar("T")


class CardDeclined(Exception):
    def __init__(self, card: str, *, code: int) -> None:
        super().__init__(f"{card} was declined")
        self.card, self.code = card, code


class Talkative(Exception):
    """Its text needs what JSON cannot hold."""

    def __init__(self) -> None:
        self.connection = object()

    def __str__(self) -> str:
        return f"broken, {self.connection is not None}"


@dataclass
class WithFields(Exception):
    code: int


class Sums(ExceptionGroup[Exception]):
    pass


@dataclass
class Order:
    id: str


@dataclass
class Report:
    value: int | Exception
    cause: Exception | None = None
    errors: list[ValueError] | None = None


@dataclass(frozen=True)
class Frozen:
    inside: Any


class Entry(msgspec.Struct, frozen=True):
    value: int | str | KeyError
    inside: Any = None


class Row(NamedTuple):
    value: int | Exception


class Keys(TypedDict, total=False):
    value: int | Exception


@attrs.define
class Attrs:
    value: int | Exception


@dataclass
class Base:
    error: str | Exception


@dataclass
class Derived(Base):
    count: int = 0


@dataclass
class Tree:
    children: list[Tree | Exception]


@dataclass
class Box(Generic[T]):
    value: T


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)

    value: int | Exception
    inside: Any = None


Result = NewType("Result", int)


def trip(value: Any, hint: Any = Any) -> Any:
    return codec.decode(codec.encode(value, WHAT), hint, WHAT)


def show(value: Any) -> Any:
    """What makes two values with exceptions equal, since exceptions have no equality."""
    if isinstance(value, BaseExceptionGroup):
        return type(value), value.message, [show(each) for each in value.exceptions]
    if isinstance(value, BaseException):
        attributes = {name: it for name, it in vars(value).items() if not name.startswith("_holdfast")}
        return type(value), value.args, str(value), attributes, show(value.__cause__)
    if isinstance(value, dict):
        return {name: show(each) for name, each in value.items()}
    return [show(each) for each in value] if isinstance(value, (list, tuple)) else value


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:
        return caught


def of_task(error: BaseException) -> TaskError:
    return revive(capture(raised(error)), TaskError)


# --- hints


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (ValueError, ValueError("x")),
        (Exception | None, KeyError("x")),
        (Exception | None, None),
        (int | Exception, 3),
        (list[int | BaseException], [1, asyncio.CancelledError(), SystemExit(3)]),
        (list[Exception], [CardDeclined("visa", code=3), OSError(2, "gone")]),
        (dict[str, ValueError | TypeError], {"a": TypeError("x"), "b": ValueError()}),
        (tuple[int | Exception, ...], (1, ValueError("x"))),
        (Annotated[list[int | Exception], "text"], [ValueError("x")]),
        (list[Result | Exception], [1, ValueError("x")]),
        (list[dict[str, int] | Exception], [{"a": 1}, ValueError("x")]),
        (list[list[int | Exception] | Exception], [[1, ValueError("y")], ValueError("x")]),
        (Exception, StopIteration(3)),
        (ExceptionGroup, ExceptionGroup("two", [ValueError("a"), Sums("b", [KeyError("c")])])),
    ],
)
def test_an_exception_comes_back_by_its_hint(hint: Any, value: Any) -> None:
    came_back = trip(value, hint)

    assert show(came_back) == show(value)
    assert type(came_back) is type(value)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Order | Exception, Order("a")),
        (list[Order | ValueError | None], [Order("a"), None, ValueError("x")]),
        (Model | Exception, Model(value=1)),
        (list[WithFields | ValueError], [WithFields(3), ValueError("x")]),
        (Box[int | Exception], Box(ValueError("x"))),
        (Report, Report(ValueError("x"), KeyError("y"), [ValueError("z")])),
        (list[Report], [Report(3)]),
        (Entry | ValueError, Entry(KeyError("x"))),
        (Row, Row(ValueError("x"))),
        (Keys, Keys(value=ValueError("x"))),
        (Attrs, Attrs(ValueError("x"))),
        (Derived, Derived(ValueError("x"), 3)),
        (Tree, Tree([Tree([]), ValueError("x")])),
        (Model, Model(value=ValueError("x"), inside=[KeyError("y")])),
        (Frozen, Frozen({"a": [ValueError("x")]})),
        (Entry, Entry(1, (ValueError("x"),))),
    ],
)
def test_exceptions_and_models_can_stand_in_one_hint(hint: Any, value: Any) -> None:
    # repr, because exceptions have no equality; a tuple under Any comes back as a list
    assert repr(trip(value, hint)).replace("[", "(") == repr(value).replace("[", "(").replace(",)", "]")


def test_the_annotations_of_a_class_are_left_as_they_were() -> None:
    decoder_for(list[Report])

    assert Report.__annotations__["value"] == "int | Exception"


@pytest.mark.parametrize(
    ("hint", "value", "reason"),
    [
        (ValueError, KeyError("x"), "expected ValueError, got builtins.KeyError"),
        (list[int | ValueError], [KeyError("x")], "[0]: expected ValueError, got builtins.KeyError"),
        (list[int | ValueError], [1, "x"], "[1]: expected int, got str, and it is no ValueError"),
        (list[Order | ValueError], [{"id": 3}], "[0]: id: expected str, got int, and it is no ValueError"),
        (Exception, {"a": 1}, "expected Exception, got an object that is no exception"),
        (Exception, asyncio.CancelledError(), "expected Exception, got asyncio.exceptions.CancelledError"),
    ],
)
def test_what_does_not_fit_is_refused(hint: Any, value: Any, reason: str) -> None:
    with pytest.raises(WrongType) as refused:
        trip(value, hint)

    assert refused.value.reason == reason


@pytest.mark.parametrize("hint", [object | ValueError | complex, list[Order | Model | Exception]])
def test_the_rest_of_a_union_is_checked_at_definition(hint: Any) -> None:
    with pytest.raises(TypeError):
        decoder_for(hint)
    with pytest.raises(TypeError):
        decoder_for(hint)


# --- what comes back


def test_an_exception_comes_back_without_a_hint() -> None:
    value = {"a": [1, CardDeclined("visa", code=3)], "b": {"c": ValueError("x")}}

    assert show(trip(value)) == show(value)
    assert show(trip(value, dict)) == show(value)


def test_a_deep_value_is_searched_for_exceptions() -> None:
    value: Any = ValueError("x")
    for _ in range(900):
        value = [value]

    came_back = trip(value)
    while isinstance(came_back, list):
        came_back = came_back[0]

    assert show(came_back) == show(ValueError("x"))


def test_the_error_of_a_failed_task_is_still_of_both_classes() -> None:
    error, timeout = of_task(CardDeclined("visa", code=3)), of_task(TaskTimedOut("too long"))
    of_run = revive(capture(raised(KeyError("x"))), RunFailed)

    declined, late, failed = trip(trip([error, timeout, of_run], list[int | Exception]))

    assert isinstance(declined, CardDeclined)
    assert isinstance(declined, TaskError)
    assert (declined.code, declined.type_name) == (3, f"{__name__}:CardDeclined")
    assert "in raised" in declined.traceback_text
    assert type(late) is TaskTimedOut
    assert isinstance(failed, KeyError)
    assert isinstance(failed, RunFailed)


def test_causes_and_notes_and_attributes_come_back() -> None:
    error = CardDeclined("visa", code=3)
    error.__cause__ = KeyError("k")
    once = trip(error)
    once.add_note("seen")
    once.code = 4

    twice = trip(once)

    assert show(twice.__cause__) == show(KeyError("k"))
    assert (twice.__notes__, twice.code) == (["seen"], 4)


@pytest.mark.parametrize(
    "error", [Talkative(), OSError(2, "gone", "/nowhere"), UnicodeDecodeError("utf-8", b"x", 0, 1, "no")]
)
def test_an_exception_that_cannot_be_built_again_says_the_same(error: Exception) -> None:
    came_back = trip(error, type(error))

    assert str(came_back) == str(copy.copy(came_back)) == str(error)


def test_a_class_that_is_not_loaded_comes_back_as_the_nearest_above_it() -> None:
    class Local(CardDeclined):
        pass

    came_back = trip(trip([Local("visa", code=3)]))

    assert type(came_back[0]) is CardDeclined
    assert str(came_back[0]).endswith("Local: visa was declined")
    with pytest.raises(WrongType, match="is not found under that name here and came back as CardDeclined"):
        trip(Local("visa", code=3), Local)


def test_a_users_dict_with_that_key_stays_a_dict() -> None:
    value = {EXCEPTION_KEY: {"type": 3}}

    assert trip(value) == trip([value])[0] == value


def test_what_is_stored_can_be_read_by_people() -> None:
    stored = msgspec.json.decode(codec.encode([of_task(KeyError("x"))], WHAT))

    assert stored[0].pop("by") == "task"
    assert stored[0][EXCEPTION_KEY]["type"] == "builtins:KeyError"
    assert stored[0][EXCEPTION_KEY]["message"] == "'x'"


def test_tracebacks_and_their_repetitions_are_bounded() -> None:
    def fall(depth: int) -> None:
        if depth:
            fall(depth - 1)
        raise ValueError("deep" * 10_000)

    error: BaseException = ValueError()
    try:
        fall(500)
    except ValueError as caught:
        error = caught
    for _ in range(30):
        error = raised(trip(error))

    assert len(codec.encode(error, WHAT)) < 60_000


def test_what_cannot_be_stored_is_refused() -> None:
    with pytest.raises(CannotStore, match=r"it has the key ValueError\('x'\) of type ValueError"):
        codec.encode({ValueError("x"): 1}, WHAT)
    with pytest.raises(CannotStore, match=r"\[1\] is of type object"):
        codec.encode([ValueError("x"), object()], WHAT)
    with pytest.raises(PayloadTooLarge):
        Codec(1000).encode([ValueError("x" * 2000)], WHAT)


# --- digests


def test_a_digest_does_not_depend_on_where_an_exception_was_raised() -> None:
    one, other = ValueError("x"), raised(ValueError("x"))

    assert digest_of(one) == digest_of([other][0]) == digest_of(trip(other)) is not None
    assert digest_of({1: one}) == digest_of({1: other}) is not None
    assert digest_of(of_task(other)) == digest_of(decode_any(codec.encode(of_task(other), WHAT)))
    assert digest_of(ValueError(f"<object at {id(one):#x}>")) == digest_of(
        ValueError(f"<object at {id(other):#x}>")
    )
    assert digest_of(one) != digest_of(ValueError("y"))
    assert digest_of(one) != digest_of(KeyError("x"))


def test_a_call_with_an_exception_has_the_digest_that_it_has_on_replay() -> None:
    def function(values: list[int | Exception], note: str = "") -> None: ...

    signature = Signature.of(function, name="task 'function'")
    payload = signature.pack(([1, raised(ValueError("x"))],), {}, codec)

    packed = signature.digest_of_packed(payload, ([1, ValueError("x")],), {})
    assert packed == signature.digest(([1, raised(ValueError("x"))],), {}) is not None
    assert show(signature.unpack(payload)[0]) == show(([1, ValueError("x")], ""))


# --- any value

_text = st.text(max_size=10).filter(lambda text: text.isprintable())
_json = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | _text
_kinds = st.sampled_from(
    [ValueError, KeyError, RuntimeError, ZeroDivisionError, asyncio.CancelledError, StopIteration]
)
_errors = st.builds(lambda kind, args: kind(*args), _kinds, st.lists(_json, max_size=2))


@st.composite
def _caused(draw: st.DrawFn) -> BaseException:
    error = draw(_errors)
    error.__cause__ = draw(st.none() | _errors)
    return error


_values = st.recursive(
    _json | _caused() | st.builds(CardDeclined, _text, code=st.integers(0, 9)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_text, inner, max_size=4),
    max_leaves=12,
)


@given(_values)
def test_values_with_exceptions_inside_come_back(value: Any) -> None:
    once = trip(value)
    twice = trip(once, list[Any] if isinstance(value, list) else Any)

    assert show(once) == show(twice) == show(value)
    assert digest_of(once) == digest_of(value) is not None


@given(st.lists(_json | _caused()))
def test_lists_with_exceptions_inside_come_back_by_their_hint(value: list[Any]) -> None:
    hint = list[bool | int | str | BaseException | None]

    assert show(trip(value, hint)) == show(value)


def test_a_digest_with_an_exception_is_the_same_in_every_process() -> None:
    code = (
        "from holdfast.core.codec import digest_of\n"
        "print(digest_of({'a': [ValueError('x')], 'b': {'c', 'd'}}))"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(digests) == 1
    assert digests != {"None\n"}


def test_a_payload_from_elsewhere_is_read_with_spaces() -> None:
    stored = Payload(b'[ { "holdfast.exception" : {"type": "builtins:ValueError", "message": "x"} } ]')

    assert show(codec.decode(stored, Any, WHAT)) == show([ValueError("x")])
