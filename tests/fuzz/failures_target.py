"""Failures: whatever is raised can be captured, written, read and raised again."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, Final, NoReturn

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import hostile
from tests.fuzz.outcomes import in_time

from holdfast.core.failures import capture, revive
from holdfast.core.values import Failure
from holdfast.errors import RunFailed, TaskError

LARGEST_FAILURE: Final = 1_000_000
"""In bytes of JSON: a failure stands in a row and travels with every listing."""


def _raise(*_: Any, **__: Any) -> NoReturn:
    raise hostile.Spite


def _quit(*_: Any, **__: Any) -> NoReturn:
    raise SystemExit("let me out")


def _class(name: str, base: type = Exception, **methods: Any) -> type[Any]:
    made = type(name, (base,), {"__module__": __name__, **methods})
    globals().setdefault(name, made)
    return made


class _HostileMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ("__qualname__", "__name__", "__module__"):
            raise hostile.Spite
        return super().__getattribute__(name)


class Nameless(Exception, metaclass=_HostileMeta):
    pass


class ManyArguments(Exception):
    def __init__(self, first: Any, second: Any, *, third: Any) -> None:
        super().__init__(f"{first!r:.20}")
        self.first, self.second, self.third = first, second, third


class Slotted(Exception):
    __slots__ = ("detail",)

    def __init__(self, detail: Any) -> None:
        self.detail = detail


class Recursive(Exception):
    def __str__(self) -> str:
        return str(self)


Mute = _class("Mute", __str__=_raise)
MuteAndQuitting = _class("MuteAndQuitting", __str__=_quit)
Unrepresentable = _class("Unrepresentable", __repr__=_raise)
Secretive = _class("Secretive", __dict__=property(_raise))
Grabby = _class("Grabby", __getattr__=_raise)
Guarded = _class("Guarded", __setattr__=_raise)
Unhashable = _class("Unhashable", __hash__=_raise, __eq__=_raise)
Notorious = _class("Notorious", __notes__=property(_raise))
Uncaused = _class("Uncaused", __cause__=property(_raise))
Interrupting = _class("Interrupting", KeyboardInterrupt)
Grouped = _class("Grouped", ExceptionGroup)
LongName = _class("L" * 100_000)

_KINDS: Final[dict[str, Callable[[Any], BaseException]]] = {
    "Exception": Exception,
    "ValueError": ValueError,
    "OSError": lambda it: OSError(2, it, "file"),
    "KeyError": KeyError,
    "SyntaxError": lambda it: SyntaxError("bad", ("file", it, it, it)),
    "UnicodeDecodeError": lambda it: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    "ImportError": lambda it: ImportError("no", name="x", path="y"),
    "StopIteration": StopIteration,
    "SystemExit": SystemExit,
    "KeyboardInterrupt": KeyboardInterrupt,
    "RecursionError": RecursionError,
    "ExceptionGroup": lambda it: ExceptionGroup(
        "several", [ValueError(it), ExceptionGroup("more", [Mute(it)])]
    ),
    "Grouped": lambda it: Grouped("several", [ValueError(it)]),
    "TaskError": TaskError,
    "ManyArguments": lambda it: ManyArguments(1, it, third=it),
    "Slotted": Slotted,
    "Recursive": Recursive,
    "Nameless": lambda it: Nameless(),
    **{
        kind.__name__[:20]: kind
        for kind in (
            Mute,
            MuteAndQuitting,
            Unrepresentable,
            Secretive,
            Grabby,
            Guarded,
            Unhashable,
            Notorious,
            Uncaused,
            Interrupting,
            LongName,
        )
    },
}


class Raised(msgspec.Struct):
    """How to make an exception. Drawn instead of the exception, which may not be printable."""

    kind: str
    argument: str
    attribute: str | None = None
    note: str | None = None
    cause: Raised | None = None
    is_context: bool = False
    is_thrown: bool = False

    def make(self) -> BaseException:
        error = _KINDS[self.kind](hostile.hostile(self.argument))
        if self.attribute is not None:
            BaseException.__setattr__(error, "attribute", hostile.hostile(self.attribute))
        if self.note is not None:
            BaseException.__setattr__(error, "__notes__", [hostile.hostile(self.note)])
        if self.cause is not None:
            name = "__context__" if self.is_context else "__cause__"
            BaseException.__setattr__(error, name, self.cause.make())
        return error


_no_cause = st.builds(
    Raised,
    st.sampled_from(sorted(_KINDS)),
    hostile.anything,
    st.none() | hostile.anything,
    st.none() | hostile.anything,
)
raised = st.recursive(
    _no_cause,
    lambda inner: st.builds(
        Raised, st.sampled_from(sorted(_KINDS)), hostile.anything, cause=inner, is_context=st.booleans()
    ),
    max_leaves=4,
)


@given(raised)
def whatever_is_raised_becomes_a_failure_and_an_error_again(recipe: Raised) -> None:
    try:
        error = recipe.make()
    except (hostile.Spite, AttributeError, RuntimeError, TypeError, ValueError):
        return  # the class itself refuses such an argument
    with in_time():
        failure = capture(error, task="run:1")
        written = msgspec.json.encode(failure)
        assert len(written) <= LARGEST_FAILURE
        _raise_again(msgspec.json.decode(written, type=Failure))


def _raise_again(failure: Failure) -> None:
    for base in (TaskError, RunFailed):
        error = revive(failure, base)
        assert isinstance(error, base)
        assert str(error) or not failure.message
        again = capture(error)
        assert again.type == failure.type
        assert again.message == failure.message
        msgspec.json.encode(again)


_TYPES: Final = [
    "builtins:ValueError",
    "builtins:KeyError",
    "builtins:OSError",
    "builtins:UnicodeDecodeError",
    "builtins:SyntaxError",
    "builtins:StopIteration",
    "builtins:KeyboardInterrupt",
    "builtins:ExceptionGroup",
    "builtins:print",
    "builtins:int",
    "builtins:__dict__",
    "sys:modules",
    "os:path.join",
    "holdfast.errors:TaskError",
    "holdfast.errors:BadOption",
    "holdfast.errors:TaskTimedOut",
    "asyncio.exceptions:CancelledError",
    f"{__name__}:ManyArguments",
    f"{__name__}:Slotted",
    f"{__name__}:Guarded",
    f"{__name__}:Grabby",
    f"{__name__}:Secretive",
    f"{__name__}:Mute",
    f"{__name__}:MuteAndQuitting",
    f"{__name__}:Recursive",
    f"{__name__}:Nameless",
    f"{__name__}:Notorious",
    "nowhere:Nothing",
    "",
    ":",
    "a:b:c",
    "x" * 10_000,
    "builtins:" + "a." * 5_000,
]
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_attribute_names = st.sampled_from(
    ["message", "args", "detail", "__class__", "__dict__", "__cause__", "__traceback__", "__notes__", "errno"]
) | st.text(max_size=5)
failures: st.SearchStrategy[Failure] = st.recursive(
    st.builds(
        Failure,
        type=st.sampled_from(_TYPES),
        message=st.text(max_size=10),
        arguments=st.none() | st.lists(_json, max_size=6),
        attributes=st.none() | st.dictionaries(_attribute_names, _json, max_size=4),
        task=st.none() | st.text(max_size=5),
    ),
    lambda inner: st.builds(Failure, type=st.sampled_from(_TYPES), message=st.just("m"), cause=inner),
    max_leaves=4,
)


@given(failures)
def whatever_stands_in_a_row_becomes_an_error(failure: Failure) -> None:
    before = set(sys.modules)
    with in_time():
        for base in (TaskError, RunFailed):
            error = revive(failure, base)
            assert isinstance(error, base)
            str(error)
            repr(error)
            capture(error)
    assert set(sys.modules) == before, "a row made us import something"
    assert isinstance(sys.modules["sys"], types.ModuleType)
