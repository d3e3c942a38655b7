"""Reads bodies: JSON whatever the Content-Type is, and strict. An empty body is an empty object."""

from __future__ import annotations

from collections.abc import Generator
from functools import cache
from typing import Any, TypeVar

import msgspec
from litestar.dto import AbstractDTO, DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition

from holdfast.server.problems import BadRequest

T = TypeVar("T")


class Body(AbstractDTO[T]):
    """Makes Litestar read bodies with `read_body`. The OpenAPI document shows the type unchanged."""

    def decode_bytes(self, value: bytes) -> Any:
        return read_body(value, self.model_type)

    def decode_builtins(self, value: dict[str, Any]) -> Any:
        raise AssertionError("Litestar calls this only for forms, and no route has one")

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[DTOFieldDefinition]:
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        return False

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        """Nothing to prepare: msgspec reads the types."""

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Reference | Schema:
        return schema_creator.for_field_definition(field_definition)


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
