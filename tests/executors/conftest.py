from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
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
