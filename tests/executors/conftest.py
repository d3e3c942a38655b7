from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.executors.processes.slow_disk import Disk
from tests.executors.recorder import Recorder

from holdfast.executors.inline import InlineExecutor
from holdfast.executors.threads import ThreadExecutor


@pytest.fixture
async def inline() -> AsyncIterator[Recorder]:
    recorder = Recorder(InlineExecutor)
    yield recorder
    await recorder.executor.stop()


@pytest.fixture
async def threads() -> AsyncIterator[Recorder]:
    recorder = Recorder(ThreadExecutor)
    yield recorder
    await recorder.executor.stop()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk(tmp_path / "slow", monkeypatch)
    yield disk
    disk.close()
