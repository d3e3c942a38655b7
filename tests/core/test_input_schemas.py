"""What definitions say of their input and their updates, and who reads it."""

from __future__ import annotations

import msgspec
import pytest

from holdfast.core.input_schemas import (
    InputSchema,
    UpdateSchema,
    read_schema,
    read_updates,
    written_schema,
)

INPUT = InputSchema(
    {"type": "object", "properties": {"cents": {"type": "integer"}}}, (("cents", "POSITIONAL_OR_KEYWORD"),)
)
UPDATES = {"add": UpdateSchema("Adds one.", INPUT), "pay": UpdateSchema()}


@pytest.mark.parametrize("schema", [INPUT, None])
@pytest.mark.parametrize("updates", [UPDATES, {}])
def test_what_is_written_is_read(schema: InputSchema | None, updates: dict[str, UpdateSchema]):
    text = written_schema(schema, updates)

    assert read_schema(text) == schema
    assert read_updates(text) == updates


def test_code_from_before_updates_were_described_reads_the_input():
    text = written_schema(INPUT, UPDATES)

    # It read the struct itself.
    assert msgspec.json.decode(text or "", type=InputSchema) == INPUT
    with pytest.raises(msgspec.ValidationError):  # which means to them that the input is not known
        msgspec.json.decode(written_schema(None, UPDATES) or "", type=InputSchema)


def test_without_updates_the_text_is_as_it_was_before():
    assert written_schema(INPUT) == msgspec.json.encode(INPUT).decode()
    assert written_schema(None) is None


@pytest.mark.parametrize("text", [None, "{}", '{"schema": 5}', '{"schema": {}, "updates": ["add"]}'])
def test_what_cannot_be_read_is_not_known(text: str | None):
    assert read_schema(text) is None
    assert read_updates(text) == {}
