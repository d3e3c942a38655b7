"""A function as a service: its parameters are bound to a request, and its result becomes a reply."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from holdfast.core.codec import Codec, explain_mismatch
from holdfast.core.signature import Signature
from holdfast.core.values import NULL, Payload
from holdfast.errors import WrongType

_MOST_NAMES_SHOWN = 20


class ServiceRequest(msgspec.Struct):
    """A call of a service, as it comes over the wire."""

    input: msgspec.Raw = msgspec.Raw(b"null")
    params: dict[str, msgspec.Raw] | None = None
    run_id: str = ""
    """The id of this attempt, if the call comes from the queue."""


class ServiceReply(NamedTuple):
    """The answer of a service: `result` counts unless there is an `error`."""

    result: Payload
    error: str = ""

    def as_message(self) -> dict[str, Any]:
        return {"result": msgspec.Raw(self.result), "error": self.error}


_decode_request = msgspec.json.Decoder(ServiceRequest).decode


def decode_request(body: bytes | str) -> ServiceRequest:
    """Raises WrongType."""
    try:
        return _decode_request(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise WrongType("the call", explain_mismatch(error)) from None


def error_reply(error: str) -> ServiceReply:
    return ServiceReply(NULL, error)


class Service:
    """The first parameter gets the input, the others get the params of the same names. A parameter `params`
    gets all of them."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        """Raises BadDefinition."""
        self.name = name
        self.function = function
        self.is_async = inspect.iscoroutinefunction(function)
        self._title = f"service {name!r}"
        self._signature = Signature.of(function, name=self._title)
        each = list(inspect.signature(function).parameters.values())
        self._first = each[0].name if each and each[0].kind in _POSITIONAL else None
        self._named = {it.name: it for it in each if it.name != self._first and it.kind not in _REST}
        self._options = next((it.name for it in each if it.kind is it.VAR_KEYWORD), None)

    def bind(self, request: ServiceRequest) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, converted to their type hints. Params that the function does not take are dropped.

        Raises WrongType.
        """
        params = request.params or {}
        fields = {name: params[name] for name in self._named if name in params}
        if "params" in self._named:
            fields["params"] = msgspec.Raw(msgspec.json.encode(params))
        missing = [it.name for it in self._named.values() if it.default is it.empty and it.name not in fields]
        if missing:
            raise WrongType(
                f"a call of {self._title}",
                f"its parameter {missing[0]!r} is not in the params, which have {_listed(params)}",
            )
        if self._first is not None:
            fields[self._first] = request.input
        if self._options is not None:
            others = {name: value for name, value in params.items() if name not in fields}
            fields[self._options] = msgspec.Raw(msgspec.json.encode(others))
        return self._signature.unpack(Payload(msgspec.json.encode(fields)))

    def store(self, result: Any, codec: Codec) -> Payload:
        """Raises WrongType, CannotStore, PayloadTooLarge."""
        return self._signature.pack_result(result, codec)


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _listed(params: dict[str, Any]) -> str:
    shown = [repr(name) for name in list(params)[:_MOST_NAMES_SHOWN]]
    more = len(params) - len(shown)
    return (", ".join(shown) or "nothing") + (f" and {more} more" if more else "")
