"""The OpenAPI documents are ones that other programs can read: each schema in them is valid JSON Schema."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema_rs
import pytest
import schemathesis
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from tests.server.conftest import Api
from tests.server.fuzzing import FACES

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@pytest.fixture(params=FACES)
async def document(small_api: Api, request: pytest.FixtureRequest) -> dict[str, Any]:
    return await small_api.get(FACES[request.param])


async def test_each_schema_is_valid(document: dict[str, Any]):
    schemas = list(_schemas(document))

    assert document["openapi"].startswith("3.1.")  # whose schemas are of that dialect
    assert len(schemas) > 10
    for schema in schemas:
        jsonschema_rs.meta.validate({"$schema": _DIALECT, **schema})


async def test_each_answer_has_a_schema_that_schemathesis_can_use(document: dict[str, Any]):
    """It writes a tuple that stands in an answer itself (`prefixItems`) as earlier drafts did, and then takes
    its own schema for invalid. Many other programs know no tuples at all."""
    operations = [
        found.ok()
        for found in schemathesis.openapi.from_dict(document).get_all_operations()
        if isinstance(found, Ok)
    ]

    assert len(operations) > 10
    for operation in operations:
        for code, answer in document["paths"][operation.path][operation.method]["responses"].items():
            for media_type in answer.get("content", {}) if code.startswith("2") else ():
                request = httpx.Request(operation.method, "http://here/")
                headers = {"Content-Type": media_type}
                response = httpx.Response(int(code), headers=headers, content=b"{}", request=request)
                response.elapsed = dt.timedelta(0)
                try:
                    operation.validate_response(response)
                except (Failure, FailureGroup):
                    pass  # `{}` is no such answer; that the schema is invalid is another exception


def _schemas(node: Any) -> Iterator[dict[str, Any]]:
    """What stands under `schema`, and the named ones. Those within them are looked at with them."""
    if isinstance(node, dict):
        for name, part in node.items():
            if name == "schema":
                yield part
            elif name == "schemas":
                yield from part.values()
            else:
                yield from _schemas(part)
    elif isinstance(node, list):
        for part in node:
            yield from _schemas(part)
