"""The JSON Schema and the loader accept the same shapes: both go by one table, and here each is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from tests.authoring.dag.json_schema import accepts
from tests.authoring.dag.wrong_cases import read_cases
from tests.examples import examples
from tests.fuzz.dag_target import WHOLE, broken_documents

from holdfast.authoring.dag.fields import DEFAULT_FIELDS, TASK_FIELDS, TOP
from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.schema import json_schema
from holdfast.authoring.documents.nodes import value_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.shapes import conform
from holdfast.authoring.documents.yaml_text import compose

SCHEMA = json_schema()


def has_shape(document: Any) -> bool:
    """What the loader says of the shape alone, before it looks at what the texts mean."""
    problems = Problems("x")
    node = compose(json.dumps(document), problems)
    if node is not None:
        conform(node, TOP, "the DAG", problems)
    return len(problems) == 0


def is_json(document: Any) -> bool:
    """Whether there is a document at all: NaN, numbers beyond 64 bits and NUL are refused before that."""
    problems = Problems("x")
    return compose(json.dumps(document), problems) is not None and len(problems) == 0


def test_a_dag_with_every_field_is_accepted_by_both():
    used = {field for task in WHOLE["tasks"].values() for field in task}
    assert WHOLE.keys() == TOP.fields.keys()
    assert used == TASK_FIELDS.keys()

    load_text(json.dumps(WHOLE))

    assert accepts(SCHEMA, WHOLE)


@examples(60)
@given(broken_documents())
def test_the_schema_and_the_loader_accept_the_same_shapes(document: Any):
    if is_json(document):
        assert accepts(SCHEMA, document) == has_shape(document)


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_the_schema_accepts_no_more_and_no_less_of_what_is_known_to_be_wrong(case: Any):
    problems = Problems("x")
    node = compose(case.text, problems)
    if node is None or len(problems):
        return
    document = value_of(node)

    assert accepts(SCHEMA, document) == has_shape(document)


def properties_of(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items() if "additionalProperties" in schema else ()
        for each in schema.values():
            yield from properties_of(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from properties_of(each)


def test_every_field_is_in_the_schema_with_a_description():
    fields = dict(properties_of(SCHEMA))

    assert fields.keys() >= {
        *TOP.fields,
        *TASK_FIELDS,
        *DEFAULT_FIELDS,
        "cron",
        "max_attempts",
        "const",
        "message",
    }
    assert [name for name, value in properties_of(SCHEMA) if len(value.get("description", "")) < 10] == []


def test_the_tasks_and_the_top_have_just_the_fields_that_the_loader_knows():
    tasks = SCHEMA["properties"]["tasks"]["additionalProperties"]

    assert SCHEMA["properties"].keys() == TOP.fields.keys()
    assert tasks["properties"].keys() == TASK_FIELDS.keys()
    assert SCHEMA["properties"]["defaults"]["properties"].keys() == DEFAULT_FIELDS.keys()


def test_the_schema_is_json():
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_field_has_a_row_in_the_reference():
    page = Path(__file__).parents[3] / "docs" / "reference" / "dag.md"
    rows = [row.split("|")[1] for row in page.read_text("utf-8").splitlines() if row.startswith("| ")]

    fields = {name for name, _ in properties_of(SCHEMA)} - {"const", "ref", "message", "all"}

    assert sorted(name for name in fields if not any(f"`{name}`" in row for row in rows)) == []
