"""Exceptions to data and back, without pickle.

`capture` turns whatever was raised into a Failure, and never fails itself: it stands between a user's
broken exception and a task that would hang for want of an outcome. `revive` makes of a Failure an
exception that is both ours and, where the class is at hand, the user's, so `except PaymentDeclined`
works around an awaited task as it would around a plain call.

Neither runs the user's code, but for `str(error)` at the time of capture: an `__init__` that takes
three arguments, or opens a connection, is not called again because a row was read from a database.
"""

from __future__ import annotations

import sys
import traceback
from types import MemberDescriptorType, ModuleType, TracebackType
from typing import Any, Final, TypeVar, cast

import msgspec

from holdfast.core.codec import is_deeper
from holdfast.core.values import Failure
from holdfast.errors import RunFailed, TaskError

_LONGEST_CHAIN: Final = 10
_LONGEST_MESSAGE: Final = 8 * 1024
_LONGEST_TRACEBACK: Final = 16 * 1024
_LARGEST_EXTRA: Final = 16 * 1024
_DEEPEST_EXTRA: Final = 50
"""What can just be written here might not be from a deeper place, such as a tick of the engine."""
_MOST_MEMBERS: Final = 10

_CAME_FROM: Final = "_holdfast_failure"
"""Where a revived exception keeps the Failure it was made of."""

_Plain = TypeVar("_Plain", list[Any], dict[str, Any])

# --- capture ----------------------------------------------------------------------------------


def capture(error: BaseException, *, task: str | None = None) -> Failure:
    """The exception as data. `task` is the id of the task it came from. Never raises."""
    try:
        failure = _capture(error, seen=set())
    except Exception as broken:  # an exception class can be broken in more ways than can be foreseen
        failure = Failure(_type_of(error), f"{_message(error)} (cannot be read further: {_message(broken)})")
    return failure if task is None else msgspec.structs.replace(failure, task=task)


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
        traceback=_traceback_text(error),
        cause=None if cause is None else _capture(cause, seen),
        arguments=_arguments(error, message),
        attributes=_attributes(error),
        task=_task_of(error) or _task_of(cause),
    )


def _capture_again(error: BaseException, failure: Failure, room: int) -> Failure:
    """A revived exception that a workflow let pass is still the failure it was; it only came further."""
    text = failure.traceback
    frames = _without_our_frames(error.__traceback__)
    if frames is not None:
        text = f"{text.rstrip()}\n\nIt was raised again:\n\n{''.join(traceback.format_tb(frames))}"
    return msgspec.structs.replace(_shorten_chain(failure, room), traceback=_trim_middle(text))


def _shorten_chain(failure: Failure, length: int) -> Failure:
    if failure.cause is None:
        return failure
    cause = _shorten_chain(failure.cause, length - 1) if length > 1 else None
    return failure if cause is failure.cause else msgspec.structs.replace(failure, cause=cause)


def _type_of(error: BaseException) -> str:
    kind = type(error)
    try:
        return _clean(f"{kind.__module__}:{kind.__qualname__}")
    except Exception:  # a metaclass can refuse even that
        return "builtins:Exception"


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException as broken:  # whatever a user's __str__ raises, even SystemExit, is no reason to stop
        text = f"<str() of it raised {type(broken).__qualname__}>"
    # By type(): isinstance asks the object for its __class__, and this must not fail whatever it answers.
    if issubclass(type(error), BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        text = f"{text}: {'; '.join(_members(group))}"
    text = _clean(text)
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def _members(group: BaseExceptionGroup[BaseException]) -> list[str]:
    """One line for each exception in the group, and in the groups inside it, up to a limit."""
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
    """Text that UTF-8 can carry; what it cannot is escaped. Also makes a plain str of a subclass."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _traceback_text(error: BaseException) -> str:
    frames = _without_our_frames(error.__traceback__)
    lines = traceback.format_exception(type(error), error, frames or error.__traceback__, chain=False)
    return _trim_middle(_clean("".join(lines)))


def _without_our_frames(frames: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame that is the user's; None if all of them are ours."""
    while frames is not None and _is_ours(frames):
        frames = frames.tb_next
    return frames


def _is_ours(frames: TracebackType) -> bool:
    return str(frames.tb_frame.f_globals.get("__name__")).partition(".")[0] == "holdfast"


def _trim_middle(text: str) -> str:
    """The beginning says how it got there and the end what went wrong; an endless recursion is in between."""
    if len(text) <= _LONGEST_TRACEBACK:
        return text
    half = _LONGEST_TRACEBACK // 2
    head, tail = text[:half].rpartition("\n")[0], text[-half:].partition("\n")[2]
    return f"{head}\n  … {len(text) - len(head) - len(tail):,} characters left out …\n{tail}"


def _task_of(error: BaseException | None) -> str | None:
    """The task behind a failure: a workflow that failed over it can be tried again from there."""
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
        return None  # what `revive` assumes, and true of most exceptions
    return _small_plain(list(error.args))


def _attributes(error: BaseException) -> dict[str, Any] | None:
    attributes = dict(vars(error))
    for name in _slots(type(error)):
        if hasattr(error, name):
            attributes[name] = getattr(error, name)
    if not attributes:
        return None
    whole = _small_plain(attributes)
    if whole is not None:
        return whole
    # One that cannot be stored, such as an open response, should not cost the others.
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
"""Py_TPFLAGS_HEAPTYPE: a class written in Python, as opposed to one that came with the interpreter."""


def _small_plain(value: _Plain) -> _Plain | None:
    """The value as JSON would bring it back; None if it is too large, or is nothing for JSON."""
    try:
        encoded = msgspec.json.encode(value)
        is_small = len(encoded) < _LARGEST_EXTRA and not is_deeper(encoded, _DEEPEST_EXTRA)
        return msgspec.json.decode(encoded) if is_small else None
    except Exception:  # not needed, only nice to have
        return None


# --- revive -----------------------------------------------------------------------------------

_Base = TypeVar("_Base", bound=TaskError | RunFailed)


class _Revived:
    """What a revived exception is besides the user's class and ours."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Stops here: the user's own hook, which may register error codes, is not told of copies."""

    def __str__(self) -> str:
        """What the original said. The user's own __str__ may need what could not be stored."""
        return vars(self)[_CAME_FROM].message

    def __reduce__(self) -> tuple[Any, ...]:
        """By what it was made of: its class can be found under no name."""
        return revive, (vars(self)[_CAME_FROM], RunFailed if isinstance(self, RunFailed) else TaskError)


def revive(failure: Failure, base: type[_Base]) -> _Base:
    """An exception of class `base` and, where it can be, of the class that was raised. Never raises.

    The class is looked for among the modules that are loaded. None is imported because a row says so.
    """
    first = last = _revive_alone(failure, base)
    cause = failure.cause
    while cause is not None:
        error = _revive_alone(cause, base)
        object.__setattr__(last, "__cause__", error)
        last, cause = error, cause.cause
    return first


def _revive_alone(failure: Failure, base: type[_Base]) -> _Base:
    original = _find_class(failure.type)
    if original is None:
        return _stand_in(failure, base)
    try:
        return _build(_class_of(original, base), failure)
    except Exception:  # a layout conflict, or a class that does not want to be made this way
        return _stand_in(failure, base)


def _stand_in(failure: Failure, base: type[_Base]) -> _Base:
    error = base(_titled(failure.type.rpartition(":")[2], failure.message))
    vars(error).update(_facts(failure))
    return error


def _find_class(name: str) -> type[Exception] | None:
    module, _, qualname = name.partition(":")
    found: object = sys.modules.get(module)
    for part in qualname.split("."):
        # Not getattr: a module's own __getattr__ may import what it names.
        found = vars(found).get(part) if isinstance(found, (ModuleType, type)) else None
    if not isinstance(found, type) or not issubclass(found, Exception) or issubclass(found, _NOT_REVIVED):
        return None
    return found


_NOT_REVIVED: Final = (
    # Raised out of a coroutine these two turn into RuntimeError, and end loops elsewhere.
    StopIteration,
    StopAsyncIteration,
    # A group is made of exceptions, which a Failure keeps as text only.
    BaseExceptionGroup,
)

_classes: dict[tuple[type[Exception], type[Exception]], type[Exception]] = {}


def _class_of(original: type[Exception], base: type[_Base]) -> type[_Base]:
    """The class that is both. Made once, so that `type(a) is type(b)` holds for two of the same kind."""
    if issubclass(original, base):
        return original
    if issubclass(base, original):
        return base
    known = _classes.get((original, base))
    if known is None:
        namespace = {"__module__": original.__module__, "__qualname__": original.__qualname__}
        made = type(original.__name__, (_Revived, original, base), namespace)
        known = _classes.setdefault((original, base), made)
    return cast("type[_Base]", known)


def _build(kind: type[_Base], failure: Failure) -> _Base:
    arguments = (failure.message,) if failure.arguments is None else tuple(failure.arguments)
    # The class underneath that is not written in Python lays out the memory. Asking it directly goes
    # past the user's own __new__ and __init__.
    native: Any = kind
    while native.__flags__ & _MADE_BY_A_CLASS_STATEMENT:
        native = native.__base__
    error: _Base = native.__new__(kind, *arguments)
    try:
        native.__init__(error, *arguments)
    except TypeError:
        pass  # UnicodeDecodeError wants bytes, which JSON turned into text; it only lacks its extras
    _restore_attributes(error, failure)
    # Whatever handles an exception asks for these, and a __getattr__ that counts on __init__ may fail at it.
    for name in ("__notes__", "type_name"):
        getattr(error, name, None)
    if str(error) != failure.message:
        raise ValueError("it would not say what the original said")
    return error


def _restore_attributes(error: Exception, failure: Failure) -> None:
    attributes = failure.attributes or {}
    facts = _facts(failure)
    if "message" in attributes:
        # The original has a `message` of its own, and that is what `except PaymentDeclined as e` means by it.
        del facts["message"]
    # Straight into the __dict__, past properties and the user's own __setattr__.
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
