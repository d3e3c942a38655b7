"""Updates of workflow code: its handlers, and the conditions that the code waits for.

A validator and a condition only look at the run. What they asked for would not be recorded, so they see an
`Onlooker` in the place of the program.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast, overload

from holdfast.core.codec import Codec, decode_any
from holdfast.core.input_schemas import UpdateSchema
from holdfast.core.names import checked_name
from holdfast.core.signature import Signature
from holdfast.core.values import Payload
from holdfast.errors import BadDefinition, MayOnlyLook, WrongType, show

F = TypeVar("F", bound=Callable[..., Any])


class UpdateHandler(NamedTuple):
    call: Callable[..., Any]
    validator: Callable[..., Any] | None
    signature: Signature

    def unpack(self, payload: Payload, codec: Codec) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of an update, as the hints of the handler say. Raises WrongType."""
        values: Any = decode_any(payload)
        if not isinstance(values, list):
            raise WrongType("an update", "its arguments are not a list")
        args = tuple(cast("list[Any]", values))
        return self.signature.unpack(self.signature.pack(args, {}, codec))


def make_handler(name: str, call: Any, validator: Any) -> UpdateHandler:
    """Raises BadDefinition."""
    if not callable(call):
        raise BadDefinition(name, f"the handler of an update is a function, and this is {show(call)}")
    check_validator(name, validator)
    return UpdateHandler(call, validator, _signature_of(call, name))


def check_validator(name: str, validator: Any) -> None:
    """Raises BadDefinition."""
    if validator is not None and (not callable(validator) or inspect.iscoroutinefunction(validator)):
        raise BadDefinition(name, "the validator of an update is a plain function: it may not wait")


_MOST_SIGNATURES = 1000
_signatures: dict[Any, Signature] = {}
"""By what they depend on. A handler is usually a function inside of the workflow, so each run has another
one, and to read its hints takes long."""


def _signature_of(function: Any, name: str) -> Signature:
    plain = getattr(function, "__func__", function)
    cells = getattr(plain, "__closure__", None) or ()
    try:
        key = (
            name,
            plain.__code__,
            plain.__defaults__,
            tuple(plain.__annotations__.items()),
            tuple(cell.cell_contents for cell in cells if isinstance(cell.cell_contents, type)),
            plain is function,
        )
        known = _signatures.get(key)
    except (AttributeError, TypeError, ValueError):  # no plain function, a default without a hash, …
        return Signature.of(function, name=f"update {name!r}")
    if known is None:
        if len(_signatures) >= _MOST_SIGNATURES:
            _signatures.clear()
        known = _signatures[key] = Signature.of(function, name=f"update {name!r}")
    return known


# --- handlers of class workflows


class UpdateMark(NamedTuple):
    name: str | None
    validator: Callable[..., Any] | None


_MARK = "__holdfast_update__"


@overload
def update(method: F, /) -> F: ...
@overload
def update(*, name: str | None = None, validator: Callable[..., Any] | None = None) -> Callable[[F], F]: ...
def update(
    method: Any = None, /, *, name: str | None = None, validator: Callable[..., Any] | None = None
) -> Any:
    """Marks a method of a class workflow as the handler of an update; see `Context.on_update`.

    `validator` is another method of the class, defined above this one."""

    def mark(method: Any) -> Any:
        if not inspect.isfunction(method):
            raise BadDefinition("update", f"@update goes on a method, and this is {show(method)}")
        given = method.__name__ if name is None else checked_name("the name of an update", name)
        check_validator(given, validator)
        setattr(method, _MARK, UpdateMark(given, validator))
        return method

    return mark if method is None else mark(method)


class MarkedMethod(NamedTuple):
    name: str
    method: Callable[..., Any]
    validator: Callable[..., Any] | None
    signature: Signature

    def handler_of(self, owner: Any) -> UpdateHandler:
        validator = None if self.validator is None else self.validator.__get__(owner)
        return UpdateHandler(self.method.__get__(owner), validator, self.signature)

    def describe(self) -> UpdateSchema:
        first, _, _ = (inspect.getdoc(self.method) or "").partition("\n")
        return UpdateSchema(first.strip(), self.signature.describe(by_position=True))


def marked_methods(definition: type) -> list[MarkedMethod]:
    """Raises BadDefinition."""
    found: dict[str, MarkedMethod] = {}
    for attribute in dir(definition):
        method = inspect.getattr_static(definition, attribute, None)
        mark = getattr(method, _MARK, None) if inspect.isfunction(method) else None
        if method is not None and isinstance(mark, UpdateMark) and mark.name is not None:
            if mark.name in found:
                raise BadDefinition(definition.__name__, f"two methods handle update {mark.name!r}")
            signature = Signature.of(method, name=f"update {mark.name!r}", skip=1)
            found[mark.name] = MarkedMethod(mark.name, method, mark.validator, signature)
    return list(found.values())


# --- conditions


class Condition(NamedTuple):
    holds: Callable[[], Any]
    met: asyncio.Future[None]


class Onlooker:
    """Stands for a program while code runs that may only look."""

    def __init__(self, program: Any, who: str) -> None:
        self.owner, self._who = program, who

    def __getattr__(self, name: str) -> Any:
        if name in _VISIBLE:
            return getattr(self.owner, name)
        raise MayOnlyLook(self._who, _ASKED.get(name, name))


_VISIBLE = frozenset(
    {
        "add_lines",
        "at",
        "cancel_requested",
        "codec",
        "inbox",
        "is_live",
        "is_replaying",
        "now",
        "print",
        "report_unhandled",
        "run",
        "run_id",
        "state",
    }
)
_ASKED = {
    "schedule": "a task",
    "schedule_recorded": "a task",
    "resolver": "a task or a child",
    "step": "a step",
    "start_timer": "a timer",
    "start_child": "a child",
    "is_recorded_child": "a child",
    "set_state": "a change of state",
    "expect_message": "a message",
    "publish": "an item of a stream",
    "random": "a random number",
    "uuid4": "a random number",
    "patched": "a mark of changed code",
    "add_handler": "a handler",
    "wait_until": "a condition",
    "spawn": "a coroutine",
}
