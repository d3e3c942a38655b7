"""A shop that many tests look at, and change nothing of that others look for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pages.browser import Server, serving


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("shop")) as server:
        yield server


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    return tmp_path
