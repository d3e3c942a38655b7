"""Whatever is sent to the server, its answer is one that its OpenAPI documents tell of, and never a 500."""

from __future__ import annotations

import pytest
from tests.server.fuzzing import FACES, MODES, LiveServer, fuzz

# Hypothesis takes it for its own doing when the server, on its thread, uses the `random` module.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")


# As an admin, who gets furthest. `python -m tests.server.fuzzing` asks as a viewer, too.
@pytest.mark.parametrize("face", FACES)
def test_many_requests_are_answered_as_the_documents_say(store_url: str, face: str):
    with LiveServer(store_url) as server:
        for mode in MODES:
            assert fuzz(server, face, mode, examples=12, number=2, seconds=120) > 50
