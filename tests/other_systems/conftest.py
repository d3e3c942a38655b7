from __future__ import annotations

import pytest
from tests.testing.databases import new_database

from holdfast import Catalog

__all__ = ["new_database"]


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()
