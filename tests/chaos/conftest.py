from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.chaos.own_postgres import OwnServer, own_server


@pytest.fixture
def server() -> Iterator[OwnServer]:
    """A Postgres server that a test may kill."""
    with own_server() as server:
        yield server
