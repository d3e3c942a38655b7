"""How long to look for a difference: DIFFERENTIAL_EXAMPLES=2000 for some ten minutes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from tests.differential.side_by_side import OpenPostgres


@pytest.fixture
def examples() -> int:
    """How many sequences of calls to try. The default takes a few seconds."""
    return int(os.environ.get("DIFFERENTIAL_EXAMPLES", "5" if settings.default.derandomize else "100"))


@pytest.fixture
def open_postgres(postgres_url: str) -> Iterator[OpenPostgres]:
    postgres = OpenPostgres(postgres_url)
    yield postgres
    postgres.close()
