"""A small version of `kill_nine`; run the module by hand for the large one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.chaos.kill_nine import kill_nine


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize("kills", [4, 12])
def test_nodes_killed_at_random_moments_lose_nothing_and_repeat_nothing_recorded(
    store: str, kills: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue(f"{store}_url")

    report = kill_nine(store, url, tmp_path, kills=kills, runs=5 * kills, seed=2)

    assert report.kills == kills
    assert report.violations == []
    assert report.wrong == []
    assert report.stranded == []
