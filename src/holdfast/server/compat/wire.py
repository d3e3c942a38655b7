"""Reads requests: lenient about how they are written, strict about what they mean.

Some clients of this API were written for another server. So names are matched without case and `_`
(`FlowID`, `flow_id`, `flowid`), a body is read as JSON whatever its Content-Type is, unknown names are
ignored, and a value that is JSON may also be a string of JSON. A request that cannot be understood is refused
with the position and the reason.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeVar, cast

import msgspec

from holdfast.core.codec import explain_mismatch
from holdfast.core.values import Instant
from holdfast.errors import BadOption, WrongType, show
from holdfast.server.raw_bodies import RawBody

T = TypeVar("T")

_BODY = "the body"
_MICROSECONDS = 1_000_000


class LenientBody(RawBody[T]):
    """Is read with `read_body`."""

    def decode_bytes(self, value: bytes) -> Any:
        return read_body(value, cast("type[msgspec.Struct]", self.model_type))


S = TypeVar("S", bound=msgspec.Struct)


def read_body(body: bytes, kind: type[S]) -> S:
    """Raises WrongType."""
    value = read_json(body, _BODY)
    if not isinstance(value, dict):
        raise WrongType(_BODY, f"expected an object, got {show(value)}")
    names = _names_of(kind)
    given: dict[str, Any] = {}
    for name, each in cast("dict[str, Any]", value).items():
        known = names.get(folded(name))
        if known is None:
            continue
        if known in given:
            raise WrongType(_BODY, f"{known} is there twice, and once as {show(name)}")
        # Some clients send null for a value that they leave out.
        if each is not None:
            given[known] = each
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise WrongType(_BODY, explain_mismatch(error)) from None


@cache
def _names_of(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {folded(name): name for name in kind.__struct_fields__}


def folded(name: str) -> str:
    return name.replace("_", "").lower()


def read_json(text: bytes | str, what: str) -> Any:
    """Raises WrongType."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise WrongType(what, "it is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise WrongType(what, f"this is not JSON: {error}") from None


def read_object(given: Any, what: str) -> dict[str, Any]:
    """An object, or a string of JSON with one; null and "" are an empty object. Raises WrongType."""
    value = read_json(given, what) if isinstance(given, str) and given.strip() else given
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise WrongType(what, f"expected an object, got {show(value)}")
    return cast("dict[str, Any]", value)


def read_names(given: Any, what: str) -> list[str]:
    """A list of strings, or a string of JSON with one. Raises WrongType."""
    value = read_json(given, what) if isinstance(given, str) and given.strip() else given
    names: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
    if not all(isinstance(each, str) for each in names):
        raise WrongType(what, f"expected a list of names, got {show(cast('Any', value))}")
    return names


_LARGEST: Final = 2**31 - 1


def read_number(given: Any, what: str) -> int:
    """A whole number from 0, or a string with one. An empty string is 0. Raises BadOption."""
    text = given.strip() if isinstance(given, str) else given
    if text == "":
        return 0
    if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= 10:
        text = int(text)
    if not isinstance(text, int) or isinstance(text, bool) or not 0 <= text <= _LARGEST:
        raise BadOption(what, given, f"a whole number from 0 to {_LARGEST:,}")
    return text


def required(given: str, what: str) -> str:
    """Raises BadOption if the value is missing."""
    if not given:
        raise BadOption(what, given, "given")
    return given


def seconds(at: Instant | None) -> int:
    """Seconds since 1970; 0 for None."""
    return 0 if at is None else at // _MICROSECONDS


def value_of(payload: bytes | None) -> Any:
    """JSON as it is stored. If it is damaged, its text."""
    try:
        msgspec.json.decode(payload or b"null")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return text_of(payload)
    return None if payload is None else msgspec.Raw(payload)


def text_of(payload: bytes | None) -> str:
    """JSON as a string inside a response; empty for None."""
    return "" if payload is None else payload.decode(errors="replace")
