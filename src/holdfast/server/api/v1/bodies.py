"""Reads bodies: JSON whatever the Content-Type is, and strict. An empty body is an empty object."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import msgspec

from holdfast.server.problems import BadRequest
from holdfast.server.raw_bodies import RawBody

T = TypeVar("T")


class Body(RawBody[T]):
    """Is read with `read_body`."""

    def decode_bytes(self, value: bytes) -> Any:
        return read_body(value, self.model_type)


def read_body(body: bytes, kind: type[T]) -> T:
    """Raises BadRequest."""
    try:
        return _decoder(kind).decode(body or b"{}")
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `")
        field = path.removesuffix("`").removeprefix("$").removeprefix(".")
        where = f"the body, at {field}" if field else "the body"
        raise BadRequest(f"{where}: {reason}".replace("`", "'"), field or None) from None
    except RecursionError:
        raise BadRequest("the body is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from None


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)
