"""An `Idempotency-Key` is chosen by the caller, so others may guess it or choose the same."""

from __future__ import annotations

from tests.server.v1.test_access import keyed_server


async def test_a_login_is_not_answered_again_to_whoever_guesses_its_key(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, server.as_(None, **{"Idempotency-Key": "1"}) as asker:
        await asker.post("/session", {"key": server.keys["admin"]}, code=201)
        asker.http.cookies.clear()

        stolen = await asker.http.post("/session", json={"key": "hf_wrong"})

        assert stolen.status_code == 401
        assert not asker.http.cookies
