"""An `Idempotency-Key` is chosen by the caller, so others may guess it or choose the same."""

from __future__ import annotations

import httpx
import pytest
from tests.server.v1.asking import Asker
from tests.server.v1.test_access import keyed_server

from holdfast.server import repeated_requests


async def start(asker: Asker, key: str, run: str | None = None) -> httpx.Response:
    """Without an id, each request that is done starts another run."""
    body = {"workflow": "doubled", "input": [1], "id": run}
    return await asker.http.post("/runs", json=body, headers={"Idempotency-Key": key})


async def test_a_login_is_not_answered_again_to_whoever_guesses_its_key(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, server.as_(None, **{"Idempotency-Key": "1"}) as asker:
        await asker.post("/session", {"key": server.keys["admin"]}, code=201)
        asker.http.cookies.clear()

        stolen = await asker.http.post("/session", json={"key": "hf_wrong"})

        assert stolen.status_code == 401
        assert not asker.http.cookies


async def test_another_body_under_the_same_key_is_refused(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, server.as_("operator") as asker:
        first = await start(asker, "a", "one")
        for wrong in ("two", "one-and-longer"):
            other = await start(asker, "a", wrong)
            assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
        again = await start(asker, "a", "one")

        assert (first.status_code, again.json()) == (201, first.json())
        assert [each["id"] for each in (await asker.get("/runs"))["items"]] == ["one"]


async def test_a_key_is_short(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, server.as_("operator") as asker:
        assert (await start(asker, "a" * 255, "one")).status_code == 201
        assert (await start(asker, "a" * 256, "two")).status_code == 400


async def test_many_requests_of_a_neighbour_do_not_push_out_the_answers_of_others(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(repeated_requests, "MOST_ANSWERS", 6)
    async with (
        keyed_server(sqlite_url) as server,
        server.as_("operator") as ours,
        server.as_("admin") as neighbour,
    ):
        first = await start(ours, "a")
        theirs = [await start(neighbour, f"{number}") for number in range(20)]
        second = await start(ours, "b")

        again = [await start(ours, "a"), await start(ours, "b"), await start(neighbour, "19")]

        assert [each.json() for each in again] == [first.json(), second.json(), theirs[-1].json()]
