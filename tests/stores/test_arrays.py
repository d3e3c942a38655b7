"""Parameters in Postgres's own format: the server must read them as they were meant."""

from __future__ import annotations

import uuid
from typing import Any

import psycopg
import pytest
from tests.stores.builders import at, key

from holdfast.stores.postgres.arrays import encoders_of

COLUMNS = {
    "uuid": [key(1), None, key(2**128 - 1)],
    "text": ["", None, "grüße 🎉", "a", "a", "a", "a", "a"],
    "json": [b'{"a": "\\u0000"}', None, b"1"],
    "bytea": [b"", None, b"\x00\xff"],
    "int4": [0, -1, None, 2**31 - 1],
    "int8": [0, -1, None, 2**63 - 1],
    "timestamptz": [at(0), None, 0, at(0.000001)],
}
AS_TEXT = {
    "uuid": lambda value: str(uuid.UUID(bytes=value)),
    "text": str,
    "json": bytes.decode,
    "bytea": lambda value: "\\x" + value.hex(),
    "int4": str,
    "int8": str,
    "timestamptz": str,
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("has_nulls", [True, False])
def test_a_column_arrives_as_it_was(postgres_server: str, kind: str, has_nulls: bool) -> None:
    values = [value for value in COLUMNS[kind] if has_nulls or value is not None]
    shown = "trim_scale(extract(epoch FROM value) * 1000000)" if kind == "timestamptz" else "value"
    query = f"SELECT ({shown})::text FROM unnest($1::{kind}[]) AS value"

    assert rows(postgres_server, query, values) == [
        (None if value is None else AS_TEXT[kind](value),) for value in values
    ]


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_may_be_empty(postgres_server: str, kind: str) -> None:
    assert rows(postgres_server, f"SELECT * FROM unnest($1::{kind}[])", []) == []


def test_a_parameter_without_a_cast_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\$2 has no cast"):
        encoders_of("SELECT $1::text, $2")


def rows(url: str, query: str, values: list[Any]) -> list[tuple[str | None]]:
    (encode,) = encoders_of(query)
    with psycopg.connect(url) as connection:
        result = connection.pgconn.exec_params(query.encode(), [encode(values)], param_formats=[1])
        assert not result.error_message, result.error_message
        cells = [result.get_value(row, 0) for row in range(result.ntuples)]
        return [(None if cell is None else cell.decode(),) for cell in cells]
