"""An exception survives as data and comes back as itself, however badly its class behaves."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.error
from email.message import Message
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.failures import capture, revive
from holdfast.core.values import Failure
from holdfast.errors import RunFailed, TaskError, TaskLost, TaskTimedOut, WrongType


class PaymentDeclined(Exception):
    """Its __init__ cannot be called with `args`, as those of many libraries cannot."""

    made = 0

    def __init__(self, code: int, *, card: str) -> None:
        type(self).made += 1
        super().__init__(f"{card} was declined with {code}")
        self.code = code
        self.card = card


def caught(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as again:
        return again


def through_json(failure: Failure) -> Failure:
    return msgspec.json.decode(msgspec.json.encode(failure), type=Failure)


def round_trip(error: BaseException, base: type[TaskError] | type[RunFailed] = TaskError) -> Any:
    return revive(through_json(capture(caught(error))), base)


# --- what is captured


def test_a_failure_tells_type_message_place_and_task() -> None:
    failure = capture(caught(PaymentDeclined(7, card="visa")), task="run:3")

    assert failure.type == f"{__name__}:PaymentDeclined"
    assert failure.message == "visa was declined with 7"
    assert "in caught" in failure.traceback
    assert failure.traceback.endswith("PaymentDeclined: visa was declined with 7\n")
    assert failure.task == "run:3"
    assert failure.attributes == {"code": 7, "card": "visa"}


def test_a_failure_survives_json() -> None:
    failure = capture(caught(PaymentDeclined(7, card="visa")), task="run:3")

    assert through_json(failure) == failure


def run_as(module: str, source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": module}
    exec(source, namespace)
    return namespace


def test_our_own_frames_above_the_users_are_left_out_and_those_below_are_kept() -> None:
    ours = run_as("holdfast.executors.inline", "def ours(function): function()")["ours"]
    below = run_as("holdfast.client", "def below(): raise ValueError('deep')")["below"]

    def users() -> None:
        below()

    with pytest.raises(ValueError, match="deep") as raised:
        ours(users)
    error = raised.value
    assert error.__traceback__ is not None
    text = capture(error.with_traceback(error.__traceback__.tb_next)).traceback

    assert "in ours" not in text
    assert "in users" in text
    assert "in below" in text


def test_a_traceback_with_only_our_frames_keeps_them() -> None:
    ours = run_as("holdfast.engine", "def ours(): raise WrongType('x', 'y')")
    ours["WrongType"] = WrongType

    with pytest.raises(WrongType) as raised:
        ours["ours"]()
    error = raised.value
    assert error.__traceback__ is not None

    assert "in ours" in capture(error.with_traceback(error.__traceback__.tb_next)).traceback


def test_causes_are_kept_explicit_before_implicit_unless_suppressed() -> None:
    def fail(*, explicit: bool, suppress: bool) -> None:
        try:
            raise KeyError("first")
        except KeyError:
            if suppress:
                raise ValueError("second") from None
            if explicit:
                raise ValueError("second") from OSError("other")
            raise ValueError("second")  # noqa: B904  (the implicit cause is the point)

    def cause_of(**options: bool) -> str | None:
        with pytest.raises(ValueError, match="second") as raised:
            fail(**options)
        failure = capture(raised.value)
        assert "KeyError" not in failure.traceback  # each has its own, so none is told twice
        return failure.cause and failure.cause.type

    assert cause_of(explicit=False, suppress=False) == "builtins:KeyError"
    assert cause_of(explicit=True, suppress=False) == "builtins:OSError"
    assert cause_of(explicit=False, suppress=True) is None


def test_a_chain_of_causes_ends_after_ten_and_never_goes_in_circles() -> None:
    first = last = ValueError(0)
    for number in range(1, 50):
        cause = ValueError(number)
        last.__cause__, last = cause, cause
    circle = KeyError("a")
    circle.__cause__ = LookupError("b")
    circle.__cause__.__cause__ = circle

    def length(failure: Failure | None) -> int:
        return 0 if failure is None else 1 + length(failure.cause)

    assert length(capture(first)) == 10
    assert length(capture(circle)) == 2


def test_an_exception_group_names_its_members() -> None:
    inner = ExceptionGroup("inner", [ValueError("one"), KeyError("two")])

    failure = capture(caught(ExceptionGroup("outer", [inner, OSError("three")])))

    assert failure.message == ("outer (2 sub-exceptions): ValueError: one; KeyError: 'two'; OSError: three")
    assert "ValueError: one" in failure.traceback
    assert "OSError: three" in failure.traceback


def test_of_a_large_group_the_first_ten_are_named() -> None:
    group = ExceptionGroup("many", [ValueError(str(number)) for number in range(30)])

    failure = capture(caught(group))

    assert failure.message.count("ValueError") == 10
    assert "ValueError: 9" in failure.message


def test_an_endless_recursion_leaves_a_short_traceback_with_both_ends() -> None:
    def even(n: int) -> None:
        odd(n + 1)

    def odd(n: int) -> None:
        even(n + 1)

    with pytest.raises(RecursionError) as raised:
        even(0)
    text = capture(raised.value).traceback

    assert len(text) < 20_000
    assert "characters left out" in text
    assert text.rstrip().splitlines()[-1].startswith("RecursionError")


def test_large_messages_and_attributes_do_not_fill_the_database() -> None:
    error = ValueError("x" * 1_000_000)
    vars(error).update(small=1, large="y" * 1_000_000)

    failure = capture(caught(error))

    assert len(msgspec.json.encode(failure)) < 64_000
    assert failure.arguments is None
    assert failure.attributes == {"small": 1}


class StrRaises(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class StrExits(Exception):
    def __str__(self) -> str:
        raise SystemExit(1)


NO_TEXT: Any = 5


class StrIsNoText(Exception):
    def __str__(self) -> str:
        return NO_TEXT


class EverythingRaises(Exception):
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class ArgsAreBroken(Exception):
    args: Any = None


@pytest.mark.parametrize(
    "error",
    [
        StrRaises(),
        StrExits(),
        StrIsNoText(),
        ArgsAreBroken("x"),
        ValueError("\ud800"),
        ValueError(object()),
        ValueError(float("nan")),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        SyntaxError("bad", ("file", 1, 2, "text")),
        KeyboardInterrupt(),
        asyncio.CancelledError(),
        BaseExceptionGroup("group", [StrRaises(), SystemExit(3)]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_exception_can_break_the_capture_or_the_revival(error: BaseException) -> None:
    failure = through_json(capture(error))
    revived = revive(failure, TaskError)

    assert failure.type.endswith(f":{type(error).__name__}")
    assert isinstance(revived, TaskError)
    assert isinstance(str(revived), str)


def test_not_even_an_object_that_answers_nothing_breaks_the_capture() -> None:
    failure = capture(EverythingRaises("x"))

    assert failure.type == f"{__name__}:EverythingRaises"
    assert type(revive(failure, TaskError)) is TaskError


# --- what comes back


@pytest.mark.parametrize("base", [TaskError, RunFailed])
def test_an_error_is_caught_as_its_own_class_and_as_ours(base: type[TaskError] | type[RunFailed]) -> None:
    error = round_trip(PaymentDeclined(7, card="visa"), base)

    assert isinstance(error, PaymentDeclined)
    assert isinstance(error, base)
    assert (type(error).__name__, type(error).__module__) == ("PaymentDeclined", __name__)
    assert str(error) == "visa was declined with 7"
    assert error.args == ("visa was declined with 7",)
    assert (error.code, error.card) == (7, "visa")
    assert error.type_name == f"{__name__}:PaymentDeclined"
    assert error.message == "visa was declined with 7"
    assert "in caught" in error.traceback_text


def test_the_users_init_is_not_called_again() -> None:
    failure = capture(PaymentDeclined(7, card="visa"))
    made = PaymentDeclined.made

    revive(failure, TaskError)

    assert PaymentDeclined.made == made


def test_two_failures_of_one_class_have_one_class() -> None:
    assert type(round_trip(KeyError("a"))) is type(round_trip(KeyError("b")))


class OwnMessage(Exception):
    def __init__(self, message: dict[str, int]) -> None:
        super().__init__("text")
        self.message = message


class OwnNew(Exception):
    def __new__(cls, secret: str) -> OwnNew:
        assert secret == "sesame"
        return super().__new__(cls, secret)


class OwnStr(Exception):
    def __init__(self, connection: object) -> None:
        self.connection = connection

    def __str__(self) -> str:
        return f"lost {type(self.connection).__name__}"


class OwnProperty(Exception):
    def __init__(self, code: int) -> None:
        super().__init__()
        self._code = code

    @property
    def code(self) -> int:
        return self._code


class OwnSlots(Exception):
    __slots__ = ("code",)

    def __init__(self, code: int) -> None:
        super().__init__("slotted")
        self.code = code


class OwnSetattr(Exception):
    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


class Registered(Exception):
    subclasses = 0

    def __init_subclass__(cls, *, code: int) -> None:
        Registered.subclasses += 1


class BothBases(ValueError, OSError):
    pass


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("boom"), {}),
        (Exception("boom", 1), {}),
        (KeyError("key"), {}),
        (FileNotFoundError(2, "No such file", "x"), {"errno": 2, "strerror": "No such file"}),
        (TimeoutError("late"), {}),
        (ImportError("x"), {"msg": "x"}),
        (json.JSONDecodeError("bad", "{", 1), {"pos": 1}),
        (subprocess.CalledProcessError(3, ["false"]), {"returncode": 3, "cmd": ["false"]}),
        (OwnMessage({"a": 1}), {"message": {"a": 1}}),
        (OwnNew("sesame"), {}),
        (OwnStr(object()), {}),
        (OwnProperty(5), {"code": 5}),
        (OwnSlots(6), {"code": 6}),
        (OwnSetattr("x"), {}),
        (Registered("x"), {}),
        (BothBases(2, "both"), {"errno": 2}),
        (WrongType("it", "reason"), {"what": "it", "reason": "reason"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_classes_of_every_make_come_back_whole(error: Exception, expected: dict[str, Any]) -> None:
    revived = round_trip(error)

    assert isinstance(revived, TaskError)
    assert isinstance(revived, type(error))
    assert str(revived) == str(error)
    assert {name: getattr(revived, name) for name in expected} == expected


def test_no_hook_of_the_users_class_is_told_of_our_subclass() -> None:
    round_trip(Registered("x"))

    assert Registered.subclasses == 0


def test_our_own_errors_are_used_as_they_are() -> None:
    late = revive(Failure("holdfast.errors:TaskTimedOut", "took too long"), TaskError)

    assert type(late) is TaskTimedOut
    assert str(late) == "took too long"
    assert isinstance(late, TimeoutError)
    assert type(round_trip(TaskLost("gone"))) is TaskLost
    assert isinstance(round_trip(TaskTimedOut("late"), RunFailed), TaskTimedOut)


def local_class() -> type[Exception]:
    class Local(Exception):
        pass

    return Local


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (Failure("no_such_module:PaymentDeclined", "card expired"), "PaymentDeclined: card expired"),
        (Failure("builtins:print", ""), "print"),
        (Failure("nonsense", "x"), "nonsense: x"),
        (Failure("", ""), ""),
        (capture(local_class()("x")), "local_class.<locals>.Local: x"),
        (capture(StopIteration(1)), "StopIteration: 1"),
        (capture(StopAsyncIteration()), "StopAsyncIteration"),
        (capture(SystemExit(1)), "SystemExit: 1"),
        (capture(asyncio.CancelledError()), "CancelledError"),
        (
            capture(ExceptionGroup("g", [ValueError("v")])),
            "ExceptionGroup: g (1 sub-exception): ValueError: v",
        ),
    ],
    ids=lambda value: value.type if isinstance(value, Failure) else "",
)
def test_what_cannot_be_itself_comes_back_as_ours_with_its_name(failure: Failure, text: str) -> None:
    error = revive(failure, TaskError)

    assert type(error) is TaskError
    assert str(error) == text
    assert (error.type_name, error.message) == (failure.type, failure.message)


def test_an_error_that_leans_on_what_was_not_stored_comes_back_as_ours() -> None:
    # urllib's HTTPError passes every attribute on to a file, which only its __init__ sets.
    error = round_trip(urllib.error.HTTPError("http://x", 404, "Not Found", Message(), None))

    assert isinstance(error, TaskError)
    assert "Not Found" in str(error)


def test_no_module_is_imported_because_a_failure_names_it() -> None:
    sys.modules.pop("this", None)

    revive(Failure("this:Error", "x"), TaskError)

    assert "this" not in sys.modules


def test_causes_come_back_with_their_classes() -> None:
    def fail() -> None:
        try:
            raise ConnectionError("reset")
        except ConnectionError as error:
            raise PaymentDeclined(1, card="visa") from error

    with pytest.raises(PaymentDeclined) as raised:
        fail()
    cause = revive(through_json(capture(raised.value)), TaskError).__cause__

    assert isinstance(cause, ConnectionError)
    assert str(cause) == "reset"


def test_a_very_long_chain_from_elsewhere_is_revived_without_recursion() -> None:
    failure = Failure("builtins:ValueError", "0")
    for number in range(5_000):
        failure = Failure("builtins:ValueError", str(number), cause=failure)

    assert str(revive(failure, TaskError)) == "4999"


def test_notes_come_back() -> None:
    error = ValueError("x")
    error.add_note("while charging")

    assert round_trip(error).__notes__ == ["while charging"]


# --- a failure on its way up, from a task through runs


def test_an_error_that_a_workflow_lets_pass_stays_the_same_failure() -> None:
    task = through_json(capture(caught(PaymentDeclined(7, card="visa")), task="run:3"))

    run = through_json(capture(caught(revive(task, TaskError))))

    assert msgspec.structs.replace(run, traceback="") == msgspec.structs.replace(task, traceback="")
    assert run.traceback.startswith(task.traceback.rstrip())
    assert "It was raised again" in run.traceback
    assert isinstance(revive(run, RunFailed), PaymentDeclined)


def test_an_error_of_an_unknown_class_keeps_its_name_on_the_way_up() -> None:
    task = Failure("worker:Unknown", "odd", task="run:1")

    run = capture(caught(revive(task, TaskError)))

    assert (run.type, run.message, run.task) == ("worker:Unknown", "odd", "run:1")


def test_an_error_raised_over_a_failed_task_remembers_the_task() -> None:
    task = revive(Failure("builtins:OSError", "x", task="run:1"), TaskError)
    over = ValueError("gave up")
    over.__cause__ = task

    assert capture(over).task == "run:1"
    assert capture(ExceptionGroup("g", [KeyError(), task])).task == "run:1"


@given(
    st.lists(st.sampled_from([ValueError, KeyError, PaymentDeclined, TaskTimedOut]), min_size=1, max_size=30)
)
def test_however_often_it_is_passed_on_a_failure_stays_small(kinds: list[type[Exception]]) -> None:
    failure = Failure("builtins:ValueError", "origin")
    for kind in kinds:
        error: Any = kind.__new__(kind)
        error.__cause__ = caught(revive(failure, RunFailed))
        failure = through_json(capture(caught(error)))

    chain = 0
    at: Failure | None = failure
    while at is not None:
        chain, at = chain + 1, at.cause
    assert chain <= 10


# --- classes that keep things to themselves


class Slotted(Exception):
    __slots__ = ("code", "never_set")

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


class Chatty(TaskError):
    """One of ours to begin with, and says something else once it has lost what JSON cannot carry."""

    def __init__(self, source: object) -> None:
        super().__init__("see the source")
        self.source = source

    def __str__(self) -> str:
        return f"it came from {type(vars(self).get('source')).__name__}"


def test_a_slot_that_was_never_set_is_left_out_and_the_others_are_kept() -> None:
    revived = round_trip(Slotted(7))

    assert isinstance(revived, Slotted)
    assert revived.code == 7
    assert not hasattr(revived, "never_set")


def test_an_exception_that_would_say_something_else_comes_back_as_one_that_says_what_it_said() -> None:
    revived = round_trip(Chatty(object()))

    assert type(revived) is TaskError
    assert "it came from object" in str(revived)
    assert revived.type_name == f"{__name__}:Chatty"
