"""Whatever is sent to the server, its answer is one that its OpenAPI documents tell of, and never a 500."""

from __future__ import annotations

import pytest
from tests.server.fuzzing import FACES, MODES, LiveServer, fuzz

# Hypothesis takes it for its own doing when the server, on its thread, uses the `random` module.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")


def test_every_request_is_answered_as_the_documents_say(store_url: str):
    with LiveServer(store_url) as server:
        for face in FACES:
            assert fuzz(server, face, "allowed", examples=1, number=1, seconds=60) > 5
        assert fuzz(server, "v1", "refused", examples=1, number=1, seconds=60) > 20


@pytest.mark.parametrize(
    ("face", "role"), [("v1", "admin"), ("v1", "viewer"), ("dags", "admin"), ("flows", "admin")]
)
def test_many_requests_are_answered_as_the_documents_say(store_url: str, face: str, role: str):
    with LiveServer(store_url) as server:
        for mode in MODES:
            assert fuzz(server, face, mode, role=role, examples=12, number=2, seconds=120) > 50
