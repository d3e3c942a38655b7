"""A small version of `killed_server`; run the module by hand for the large one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.chaos.killed_server import kill_server


@pytest.mark.parametrize("runs", [40, 200])
def test_what_was_answered_is_there_once_and_what_is_repeated_happens_once(
    store_url: str, tmp_path: Path, runs: int
):
    report = asyncio.run(kill_server(store_url, tmp_path, runs=runs, kills=2 + runs // 50, seed=3))

    assert report.problems == []
    assert report.kills >= 1
    assert report.repeated > 0
