"""Exceptions to data and back, without pickle.

`capture` turns any exception into a Failure. It never raises, even if the exception's class is broken:
otherwise the task would have no outcome and hang. `revive` turns a Failure back into an exception. It is an
instance of our class and, if that class is loaded, of the user's. So `except PaymentDeclined` works around
an awaited task as around a plain call.

`capture_value` and `revive_value` do the same for an exception that is a value: a part of an argument or a
result. It comes back as an instance of its own class alone, unless it was raised by a failed task or child.

All run no code of the user's, except for `str(error)`. An `__init__` that opens a connection,
say, is not called because a row was read from a database.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Set
from types import MemberDescriptorType, ModuleType, TracebackType
from typing import Any, Final, TypeVar, cast, overload

import msgspec

from holdfast.core.nesting import is_deeper
from holdfast.core.values import ExceptionValue, Failure, Instant, moment
from holdfast.errors import DeadlineExceeded, DoNotRetry, HoldfastError, RunFailed, TaskError, UpdateFailed

_LONGEST_CHAIN: Final = 10
_LONGEST_MESSAGE: Final = 8 * 1024
_LONGEST_TRACEBACK: Final = 16 * 1024
_LARGEST_EXTRA: Final = 16 * 1024
_DEEPEST_EXTRA: Final = 50
"""Deeper values might be encodable here and not elsewhere, with more on the stack."""
_MOST_MEMBERS: Final = 10

_CAME_FROM: Final = "_holdfast_failure"
"""Where a revived exception keeps the Failure it was made of."""

_Plain = TypeVar("_Plain", list[Any], dict[str, Any])

# --- capture ----------------------------------------------------------------------------------


def capture(error: BaseException, *, task: str | None = None) -> Failure:
    """The exception as data. `task` is the id of the task that raised it. Never raises."""
    try:
        failure = _capture(error, seen=set())
    except Exception as broken:  # a user's exception class can be broken in any way
        failure = Failure(_type_of(error), f"{_message(error)} (cannot be read further: {_message(broken)})")
    return failure if task is None else msgspec.structs.replace(failure, task=task)


def capture_value(error: BaseException) -> ExceptionValue:
    """The exception as a value that can be stored. Never raises, unless groups are nested too deeply."""
    failure = capture(error)
    if issubclass(type(error), (TaskError, RunFailed)):
        return ExceptionValue(failure, "task" if isinstance(error, TaskError) else "run")
    if issubclass(type(error), BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        members = tuple(capture_value(member) for member in group.exceptions)
        return ExceptionValue(failure, title=_clean(group.message), members=members)
    return ExceptionValue(failure)


def identity_of(error: BaseException) -> list[Any]:
    """What makes it equal to another in a digest. Not the traceback, which has lines of files that change."""
    came_from = vars(error).get(_CAME_FROM)
    if isinstance(came_from, Failure):
        kind, message = came_from.type, came_from.message
    else:
        kind, message = _type_of(error), _message(error)
    return [kind, _ADDRESS.sub("0x", message)]


_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]+")
"""Of an object, in its `repr`: another in every process."""


def failure_of(kind: type[Exception], message: str) -> Failure:
    """The failure of an error that nobody has raised."""
    return Failure(type=_name_of(kind), message=message, bases=_bases_of(kind))


def deadline_failure(deadline: Instant) -> Failure:
    """The failure of a run that has not ended by its deadline."""
    return capture(DeadlineExceeded(moment(deadline).isoformat()))


def _capture(error: BaseException, seen: set[int]) -> Failure:
    came_from = vars(error).get(_CAME_FROM)
    if isinstance(came_from, Failure):
        return _capture_again(error, came_from, room=_LONGEST_CHAIN - len(seen))
    seen.add(id(error))
    cause = error.__cause__
    if cause is None and not error.__suppress_context__:
        cause = error.__context__
    if cause is not None and (id(cause) in seen or len(seen) >= _LONGEST_CHAIN):
        cause = None
    message = _message(error)
    return Failure(
        type=_type_of(error),
        message=message,
        traceback=_details_of(error) or _traceback_text(error),
        cause=None if cause is None else _capture(cause, seen),
        arguments=_arguments(error, message),
        attributes=_attributes(error),
        task=_task_of(error) or _task_of(cause),
        bases=_bases_of(type(error)),
        is_final=_says_final(error),
    )


def _details_of(error: BaseException) -> str:
    return _trim_middle(_clean(error.details)) if isinstance(error, HoldfastError) else ""


def _capture_again(error: BaseException, failure: Failure, room: int) -> Failure:
    """A revived exception that a workflow did not catch stays the same failure, with a longer traceback."""
    text = failure.traceback
    frames = users_frames(error.__traceback__)
    if frames is not None:
        text = f"{text.rstrip()}\n\nIt was raised again:\n\n{''.join(traceback.format_tb(frames))}"
    return msgspec.structs.replace(
        _shorten_chain(failure, room),
        traceback=_trim_middle(text),
        attributes=_attributes_now(error, failure),
    )


def _attributes_now(error: BaseException, failure: Failure) -> dict[str, Any] | None:
    """With those that code has set since it was revived, such as notes."""
    stored = failure.attributes or {}
    ours = {
        name for name, it in _facts(failure).items() if name not in stored and vars(error).get(name) is it
    }
    return stored | (_attributes(error, without=ours) or {}) or None


def _shorten_chain(failure: Failure, length: int) -> Failure:
    if failure.cause is None:
        return failure
    cause = _shorten_chain(failure.cause, length - 1) if length > 1 else None
    return failure if cause is failure.cause else msgspec.structs.replace(failure, cause=cause)


def _type_of(error: BaseException) -> str:
    try:
        return _name_of(type(error))
    except Exception:  # a metaclass may raise
        return "builtins:Exception"


def _name_of(kind: type[object]) -> str:
    return _clean(f"{kind.__module__}:{kind.__qualname__}")


def _bases_of(kind: type[BaseException]) -> tuple[str, ...]:
    try:
        return tuple(_name_of(base) for base in kind.__mro__[1:] if base not in _USUAL_BASES)
    except Exception:  # as above
        return ()


_USUAL_BASES: Final = frozenset({Exception, BaseException, object})


def _says_final(error: BaseException) -> bool:
    """Whether it is a `DoNotRetry`, or was raised from one. What it was raised after does not count."""
    return issubclass(type(error), DoNotRetry) or isinstance(error.__cause__, DoNotRetry)


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException as broken:  # a user's __str__ may raise anything, even SystemExit
        text = f"<str() of it raised {type(broken).__qualname__}>"
    # Not isinstance: it reads `__class__` of the object, which may be a property that raises.
    if issubclass(type(error), BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        text = f"{text}: {'; '.join(_members(group))}"
    text = _clean(text)
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def _members(group: BaseExceptionGroup[BaseException]) -> list[str]:
    """A line for each exception in the group and in nested groups, up to a limit."""
    lines: list[str] = []
    todo: list[BaseException] = list(reversed(group.exceptions))
    while todo and len(lines) < _MOST_MEMBERS:
        member = todo.pop()
        if isinstance(member, BaseExceptionGroup):
            todo += reversed(cast("BaseExceptionGroup[BaseException]", member).exceptions)
        else:
            lines.append(_titled(type(member).__qualname__, _message(member)))
    return [*lines, "…"] if todo else lines


def _titled(name: str, message: str) -> str:
    return f"{name}: {message}" if message else name


def _clean(text: str) -> str:
    """The text as a plain str that UTF-8 can encode. Other characters are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _traceback_text(error: BaseException) -> str:
    frames = users_frames(error.__traceback__)
    lines = traceback.format_exception(type(error), error, frames or error.__traceback__, chain=False)
    return _trim_middle(_clean("".join(lines)))


def users_frames(frames: TracebackType | None) -> TracebackType | None:
    """The traceback from the user's first frame on; None if all frames are ours."""
    while frames is not None and _is_ours(frames):
        frames = frames.tb_next
    return frames


def _is_ours(frames: TracebackType) -> bool:
    return str(frames.tb_frame.f_globals.get("__name__")).partition(".")[0] == "holdfast"


def _trim_middle(text: str) -> str:
    """Keeps the beginning and the end: the middle of a long traceback is usually an endless recursion."""
    if len(text) <= _LONGEST_TRACEBACK:
        return text
    half = _LONGEST_TRACEBACK // 2
    head, tail = text[:half].rpartition("\n")[0], text[-half:].partition("\n")[2]
    return f"{head}\n  … {len(text) - len(head) - len(tail):,} characters left out …\n{tail}"


def _task_of(error: BaseException | None) -> str | None:
    """The id of the task that caused the error. A retry of the run starts there."""
    if error is None:
        return None
    came_from = vars(error).get(_CAME_FROM)
    if isinstance(came_from, Failure):
        return came_from.task
    if isinstance(error, BaseExceptionGroup):
        members = cast("BaseExceptionGroup[BaseException]", error).exceptions
        return next((task for task in map(_task_of, members) if task is not None), None)
    return None


def _arguments(error: BaseException, message: str) -> list[Any] | None:
    if error.args == (message,):
        return None  # the usual case, which `revive` assumes
    return _small_plain(list(error.args))


def _attributes(error: BaseException, without: Set[str] = frozenset()) -> dict[str, Any] | None:
    attributes = {name: value for name, value in vars(error).items() if name not in without}
    if isinstance(error, HoldfastError):
        attributes.pop("details", None)  # they stand for the traceback
    for name in _slots(type(error)):
        if hasattr(error, name):
            attributes[name] = getattr(error, name)
    if not attributes:
        return None
    whole = _small_plain(attributes)
    if whole is not None:
        return whole
    # An attribute that cannot be stored, such as an open response, must not lose the others.
    kept = {name: value for name, value in attributes.items() if _small_plain({name: value}) is not None}
    return _small_plain(kept) if kept else None


def _slots(kind: type) -> dict[str, MemberDescriptorType]:
    found: dict[str, MemberDescriptorType] = {}
    for base in kind.__mro__:
        if base.__flags__ & _MADE_BY_A_CLASS_STATEMENT:
            members = {name: it for name, it in vars(base).items() if isinstance(it, MemberDescriptorType)}
            found = members | found
    return found


_MADE_BY_A_CLASS_STATEMENT: Final = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: set for classes written in Python, not for the interpreter's own."""


def _small_plain(value: _Plain) -> _Plain | None:
    """The value after a round trip through JSON; None if it is too large or JSON cannot hold it."""
    try:
        encoded = msgspec.json.encode(value)
        is_small = len(encoded) < _LARGEST_EXTRA and not is_deeper(encoded, _DEEPEST_EXTRA)
        return msgspec.json.decode(encoded) if is_small else None
    except Exception:  # a Failure is complete without it
        return None


# --- revive -----------------------------------------------------------------------------------

_Base = TypeVar("_Base", bound=TaskError | RunFailed | UpdateFailed)
_Error = TypeVar("_Error", bound=BaseException)


class _Revived:
    """The first base of a revived exception, before the user's class and ours."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Does not call the user's hook, which may register error codes, say."""

    def __str__(self) -> str:
        """The original message. The user's `__str__` may need attributes that could not be stored."""
        return vars(self)[_CAME_FROM].message

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the Failure, because no module has the combined class under a name."""
        failure = vars(self)[_CAME_FROM]
        for base in (TaskError, RunFailed, UpdateFailed):
            if isinstance(self, base):
                return revive, (failure, base)
        return revive_value, (ExceptionValue(failure),)


def revive(failure: Failure, base: type[_Base]) -> _Base:
    """An exception of class `base` and, if possible, of the class that was raised. Never raises.

    The class is looked up among loaded modules only. A row in a database must not cause an import.
    """
    return _with_causes(failure, lambda it: _revive_alone(it, base))


def revive_value(value: ExceptionValue) -> BaseException:
    """The exception that was stored. If its class is not loaded here, an instance of the nearest class above
    it that is. Never raises."""
    match value.raised_by:
        case "task":
            return revive(value.failure, TaskError)
        case "run":
            return revive(value.failure, RunFailed)
        case None:
            return _with_causes(value.failure, lambda it: _revive_own(it, value))


def _with_causes(failure: Failure, revive_one: Callable[[Failure], _Error]) -> _Error:
    first = last = revive_one(failure)
    cause = failure.cause
    while cause is not None:
        error = revive_one(cause)
        object.__setattr__(last, "__cause__", error)
        last, cause = error, cause.cause
    return first


def _revive_own(failure: Failure, value: ExceptionValue) -> BaseException:
    """An instance of its own class. If that cannot say what the original said, of a class derived from it."""
    facts = {_CAME_FROM: failure}
    if value.members and failure is value.failure:
        group = _revive_group(value, facts)
        if group is not None:
            return group
    own = _find_class(failure.type, BaseException, BaseExceptionGroup)
    error = None
    if own is not None:
        error = _build_or_none(own, failure, facts) or _build_or_none(_class_of(own, None), failure, facts)
    message = _titled(failure.type.rpartition(":")[2], failure.message)
    for name in failure.bases if error is None else ():
        base = _find_class(name, BaseException, BaseExceptionGroup)
        error = error or (base and _build_or_none(base, Failure(name, message), facts))
    return error or _build(Exception, Failure("builtins:Exception", message), facts)


def _build_or_none(kind: type[_Error], failure: Failure, facts: dict[str, Any]) -> _Error | None:
    try:
        return _build(kind, failure, facts)
    except Exception:  # the class refuses to be built like this
        return None


def _revive_group(value: ExceptionValue, facts: dict[str, Any]) -> BaseException | None:
    kind = _find_class(value.failure.type, BaseExceptionGroup)
    members = [revive_value(member) for member in value.members]
    try:
        # The native __new__, so that the user's is not called.
        group = BaseExceptionGroup.__new__(cast("Any", kind), value.title, members)
        _restore_attributes(group, value.failure, facts)
    except Exception:  # it is not loaded, or is of Exceptions alone and a member came back as another class
        return None
    return group


def _revive_alone(failure: Failure, base: type[_Base]) -> _Base:
    original = _find_class(failure.type, Exception, *_NOT_REVIVED)
    if original is None:
        return _stand_in(failure, base)
    try:
        return _build(_class_of(original, base), failure, _facts(failure))
    except Exception:  # the bases have conflicting layouts, or the class refuses to be built like this
        return _stand_in(failure, base)


def _stand_in(failure: Failure, base: type[_Base]) -> _Base:
    error = base(_titled(failure.type.rpartition(":")[2], failure.message))
    vars(error).update(_facts(failure))
    return error


def _find_class(name: str, root: type[_Error], *but_not: type[BaseException]) -> type[_Error] | None:
    module, _, qualname = name.partition(":")
    found: object = sys.modules.get(module)
    for part in qualname.split("."):
        # Not getattr: a module's __getattr__ may import.
        found = vars(found).get(part) if isinstance(found, (ModuleType, type)) else None
    if not isinstance(found, type) or not issubclass(found, root) or issubclass(found, but_not):
        return None
    return found


_NOT_REVIVED: Final = (
    # A coroutine that raises one of these two raises RuntimeError instead. Elsewhere they end loops.
    StopIteration,
    StopAsyncIteration,
    # A group consists of exceptions, and a Failure has those only as text.
    BaseExceptionGroup,
)

_classes: dict[tuple[type[BaseException], type[Exception] | None], type[BaseException]] = {}


@overload
def _class_of(original: type[Exception], base: type[_Base]) -> type[_Base]: ...
@overload
def _class_of(original: type[_Error], base: None) -> type[_Error]: ...
def _class_of(original: type[BaseException], base: type[_Base] | None) -> type[BaseException]:
    """A subclass of both. It is cached, so that two failures of one type have the same class."""
    if base is not None and issubclass(original, base):
        return original
    if base is not None and issubclass(base, original):
        return base
    known = _classes.get((original, base))
    if known is None:
        namespace = {"__module__": original.__module__, "__qualname__": original.__qualname__}
        bases = (_Revived, original) if base is None else (_Revived, original, base)
        made = type(original.__name__, bases, namespace)
        known = _classes.setdefault((original, base), made)
    return known


def _build(kind: type[_Error], failure: Failure, facts: dict[str, Any]) -> _Error:
    arguments = (failure.message,) if failure.arguments is None else tuple(failure.arguments)
    # The nearest base class that is not written in Python defines the memory layout. Its __new__ and __init__
    # are called directly, so that the user's are not.
    native: Any = kind
    while native.__flags__ & _MADE_BY_A_CLASS_STATEMENT:
        native = native.__base__
    error: _Error = native.__new__(kind, *arguments)
    try:
        native.__init__(error, *arguments)
    except TypeError:
        pass  # UnicodeDecodeError needs bytes, and JSON made them text; the error just lacks its attributes
    _restore_attributes(error, failure, facts)
    # Every handler reads these. A user's __getattr__ that relies on __init__ may raise: find that out now.
    for name in ("__notes__", "type_name"):
        getattr(error, name, None)
    if _message(error) != failure.message:
        raise ValueError("it would not say what the original said")
    return error


def _restore_attributes(error: BaseException, failure: Failure, facts: dict[str, Any]) -> None:
    attributes = failure.attributes or {}
    if "message" in attributes:
        # The user's class has its own attribute `message`, and handlers of that class expect it.
        facts.pop("message", None)
    # Into __dict__ directly, so that no property and no __setattr__ of the user's runs.
    vars(error).update(attributes | facts)
    slots = _slots(type(error))
    for name in slots.keys() & attributes.keys():
        slots[name].__set__(error, vars(error).pop(name))


def _facts(failure: Failure) -> dict[str, Any]:
    return {
        "type_name": failure.type,
        "message": failure.message,
        "traceback_text": failure.traceback,
        "task_id": failure.task,
        _CAME_FROM: failure,
    }
