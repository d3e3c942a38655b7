"""Whatever is sent to the server, its answer is one that its OpenAPI document tells of, and never a 500."""

from __future__ import annotations

import pytest
from tests.server.fuzzing import MODES, LiveServer, fuzz


# Hypothesis takes it for its own doing when the server, on its thread, uses the `random` module.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.parametrize("mode", MODES)
def test_every_request_is_answered_as_the_document_says(store_url: str, mode: str):
    with LiveServer(store_url) as server:
        asked = fuzz(server, mode, examples=15, number=1, seconds=60)

    assert asked > 200
