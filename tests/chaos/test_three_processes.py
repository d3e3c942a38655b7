"""A short version of `three_processes`; run the module by hand for five minutes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.chaos.three_processes import work_together


def test_a_server_a_worker_and_commands_share_a_file(tmp_path: Path):
    report = asyncio.run(work_together(tmp_path, 8))

    assert report.problems == []
    assert report.runs > 50
    assert report.commands >= 2
