"""The page on the API has every route and every field, so that nothing is added without being described."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.docs.pages import ROOT
from tests.server.conftest import Api

PAGE = (ROOT / "docs" / "reference" / "compat-flows.md").read_text("utf-8")
WORDS = re.sub(r"^```.*?^```", "", PAGE, flags=re.DOTALL | re.MULTILINE)
NAMED = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", WORDS))))
SHAPES_OF_THEIR_OWN = {"Refusal", "Done", "Made"}
LEFT_OUT = {"log_path"}
"""Taken, because workers send it, and not used."""


@pytest.fixture
async def document(small_api: Api) -> dict[str, Any]:
    return await small_api.get("/openapi.json")


async def test_every_route_is_in_the_page(document: dict[str, Any]):
    routes = [
        (method.upper(), path, item[method].get("parameters", []))
        for path, item in document["paths"].items()
        for method in item
    ]

    shown = re.findall(r"`(GET|POST) (/api[\w/.]+)(\?[^`]*)?`", PAGE)

    also = {path.replace("/api/workers/", "/api/") for _, path, _ in shown if "/workers/" in path}
    assert {(method, path) for method, path, _ in routes if path not in also} == {
        (method, path) for method, path, _ in shown if not path.endswith(".json")
    }
    queries = {(method, path): query for method, path, query in shown}
    for method, path, parameters in routes:
        for each in parameters if path not in also else []:
            assert f"{each['name']}=" in queries[method, path], f"{path} takes {each['name']}"


async def test_every_field_is_in_the_page(document: dict[str, Any]):
    fields = {
        field
        for name, schema in document["components"]["schemas"].items()
        if name not in SHAPES_OF_THEIR_OWN
        for field in schema["properties"]
    }

    assert len(fields) > 40
    assert fields - NAMED - LEFT_OUT == set()
