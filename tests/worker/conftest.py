from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.worker.small_server import SmallServer


@pytest.fixture
async def server() -> AsyncIterator[SmallServer]:
    server = await SmallServer().open()
    yield server
    await server.close()
