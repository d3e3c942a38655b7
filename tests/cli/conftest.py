from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.processes import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)
