"""Bodies that we read ourselves, and not Litestar."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from litestar.dto import AbstractDTO, DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition

T = TypeVar("T")


class RawBody(AbstractDTO[T]):
    """Each face says in `decode_bytes` how it reads them. The OpenAPI document shows the type unchanged."""

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
