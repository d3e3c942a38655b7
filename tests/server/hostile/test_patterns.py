"""A definition has a regular expression, and somebody else sends the text."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from tests.patience import until
from tests.server.v1.conftest import serving

from holdfast.core.json_schemas import find_mismatch
from holdfast.core.pattern_costs import may_take_long

NASTY = [
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(a?){40}a{40}$",
    "a?" * 40 + "a" * 40 + "$",
    "(.*)*b",
    "(\\w+\\s?)+$",
]
DECENT = [
    (r"^[A-Z]+-[0-9]+$", "ORDER-12345678901234567890"),
    (r"[a-z.]+@[a-z.]+\.[a-z]+", "somebody.with.a.long.name@a.rather.long.example.com"),
    (r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "01a1ee0e-74fd-7b70-8000-05813ea9f869"),
    (r"^\S+$", "x" * 1_000_000),
    (r"^(red|green|blue)$", "green"),
]


@pytest.mark.parametrize("pattern", NASTY)
def test_a_pattern_that_could_take_for_ever_is_not_tried(pattern: str):
    begin = time.monotonic()
    found = find_mismatch({"type": "string", "pattern": pattern}, "a" * 60 + "!")

    assert found is not None
    assert "too long to be compared with the pattern" in found
    assert time.monotonic() - begin < 1


@pytest.mark.parametrize(("pattern", "text"), DECENT)
def test_a_decent_pattern_is_tried(pattern: str, text: str):
    assert find_mismatch({"type": "string", "pattern": pattern}, text) is None
    assert "expected text like" in str(find_mismatch({"type": "string", "pattern": pattern}, " "))


def test_an_estimate_is_never_made_for_what_is_no_pattern():
    with pytest.raises(re.error):
        may_take_long("(", 10)
    assert "its JSON schema is not one" in str(find_mismatch({"pattern": "("}, "text"))


@pytest.mark.parametrize(
    "schema",
    [{"minLength": "x"}, {"required": 5}, {"anyOf": 7}, {"enum": 1}, {"allOf": [[]]}],
)
def test_a_schema_that_is_none_fits_nothing(schema: dict[str, Any]):
    value: Any = {} if "required" in schema else "text"

    assert "its JSON schema is not one" in str(find_mismatch(schema, value))


async def test_an_answer_cannot_stop_the_server_by_the_pattern_of_a_flow(sqlite_url: str):
    question = {"title": "Which?", "answer": {"type": "string", "pattern": "(a+)+$"}}
    flow = {"start": "ask", "nodes": {"ask": {"kind": "approval", "question": question}}, "edges": []}
    async with serving(sqlite_url) as api:
        await api.ask("PUT", "/workflows/nasty", {"text": json.dumps(flow), "kind": "flow"})
        run = await api.start("nasty", {})

        async def is_asked() -> bool:
            return bool((await api.get("/questions"))["items"])

        await until(is_asked)
        name = (await api.get("/questions"))["items"][0]["name"]

        begin = time.monotonic()
        refused = await api.post(
            f"/runs/{run}/answers", {"question": name, "value": "a" * 30 + "!"}, code=400
        )

        assert refused["code"] == "bad_answer"
        assert time.monotonic() - begin < 5
