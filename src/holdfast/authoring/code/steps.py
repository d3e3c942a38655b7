"""Steps: functions of workflow code that run as tasks of their run.

No catalog knows the function. The program keeps it, under the number of its task, while the task is open. The
function runs after the commit that records the request, as that of any task: an async function on the node's
event loop, a plain one on a thread. If a plain one returns an awaitable, that is awaited on the event loop.
The function gets no arguments: what it needs is in its closure. Only its result is stored.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, cast

from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.core.names import checked_name
from holdfast.core.signature import result_type
from holdfast.core.values import Failure, Payload
from holdfast.errors import BadDefinition, WrongType, show

LONGEST_STEP_NAME = 200


class StepBody:
    """A step as executors call it. Implements `TaskBody`."""

    __slots__ = ("_codec", "_function", "_type", "_what", "is_async")

    def __init__(self, name: str, function: Callable[[], Any], type: Any, codec: Codec) -> None:
        self.is_async = _is_async(function)
        self._function = function
        self._type = type
        self._codec = codec
        self._what = f"the result of step {name!r}"

    def call(self, input: Payload) -> Any:
        return self._function()

    def store(self, result: Any) -> Payload:
        payload = self._codec.encode(result, self._what)
        if self._type is not Any:
            self.unpack(payload)
        return payload

    def unpack(self, payload: Payload) -> Any:
        """Raises WrongType."""
        return self._codec.decode(payload, self._type, self._what)

    def explain(self, error: BaseException) -> Failure:
        return capture(error)


def step_body(name: str, function: Callable[[], Any], codec: Codec) -> StepBody:
    """The result is read as the type that the function's return annotation names. Raises WrongType."""
    refused = _why_not(function)
    if refused is not None:
        raise WrongType(f"step {name!r}", refused)
    try:
        type = result_type(function)
    except BadDefinition as error:
        raise WrongType(f"step {name!r}", error.reason) from error
    return StepBody(name, function, type, codec)


def effect_body(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec
) -> StepBody:
    """For `context().run`. Its result is always plain values, as it was before there were steps. Raises
    WrongType."""
    if not callable(function):
        raise WrongType("context().run()", f"expected a function, got {show(function)}")
    return StepBody(name, partial(function, *args, **kwargs), Any, codec)


def checked_step_name(name: Any) -> str:
    return checked_name("the name of a step", name, LONGEST_STEP_NAME)


def _why_not(function: Any) -> str | None:
    """Why a step cannot call this. Cheap for functions and lambdas, which nearly all steps are."""
    if not callable(function):
        hint = "pass the function itself, not what it returns" if inspect.isawaitable(function) else ""
        if inspect.iscoroutine(function):
            function.close()  # else Python warns about it later, far from the cause
        return f"expected a function without arguments, got {show(function)}" + (hint and f"; {hint}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "a step returns one value; a generator gives many"
    if type(function) is FunctionType:
        code, defaults = function.__code__, function.__defaults__ or ()
        needed = code.co_argcount - len(defaults)
        needed += code.co_kwonlyargcount - len(function.__kwdefaults__ or ())
        return _NEEDS_ARGUMENTS if needed else None
    try:
        inspect.signature(function).bind()
    except TypeError:
        return _NEEDS_ARGUMENTS
    except ValueError:
        return None  # some builtins do not tell their parameters
    return None


_NEEDS_ARGUMENTS = (
    "a step calls its function without arguments; use `lambda: function(argument)`, also if it is async"
)


def _is_async(function: Any) -> bool:
    if inspect.iscoroutinefunction(function):
        return True
    while isinstance(function, partial):
        function = cast("partial[Any]", function).func
    return not inspect.isroutine(function) and inspect.iscoroutinefunction(type(function).__call__)
