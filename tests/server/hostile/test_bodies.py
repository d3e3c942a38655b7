"""Bodies that are small and would cost much, or that mean something else inside than outside."""

from __future__ import annotations

import gzip
import time
from typing import Any

import httpx
import pytest
from tests.patience import until
from tests.server.v1.asking import Asker
from tests.server.v1.conftest import serving

SEALED = b'\t{"sealed":"","zip":1,"never":1e999,"data":"eJwDAAAAAAE="}'
"""As a compressed payload looks in the database."""


def bomb(levels: int) -> str:
    """Nine times as many nodes on each level."""
    lines = [f"a0: &a0 [{', '.join(['x'] * 9)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join([*lines, "name: bomb", "tasks: {only: {command: echo}}"])


async def start(api: Asker, input: bytes, **headers: str) -> httpx.Response:
    body = b'{"workflow": "waiting", "input": ' + input + b"}"
    return await api.http.post("/runs", content=body, headers=headers)


@pytest.mark.parametrize(
    ("input", "says"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 100_000 + b"]", "out of range"),
        (b"[1e999]", "out of range"),
        (b"[NaN]", "not JSON"),
        (b'["\\ud800"]', "not JSON"),
        (b'["\xff"]', "not JSON"),
        (SEALED, "out of range"),
    ],
    ids=["lists", "maps", "number", "infinity", "nan", "surrogate", "bytes", "sealed"],
)
async def test_a_body_that_would_cost_much_or_cannot_be_kept_is_refused(
    sqlite_url: str, input: bytes, says: str
):
    async with serving(sqlite_url) as api:
        begin = time.monotonic()
        refused = await start(api, input)

        assert refused.status_code == 400
        assert says in refused.json()["detail"]
        assert time.monotonic() - begin < 5


async def test_bodies_are_not_decompressed(sqlite_url: str):
    async with serving(sqlite_url) as api:
        body = gzip.compress(b'{"workflow": "waiting", "input": []}' + b" " * 10_000_000)

        refused = await api.http.post("/runs", content=body, headers={"Content-Encoding": "gzip"})

        assert (refused.status_code, "not JSON" in refused.text) == (400, True)


async def test_aliases_of_yaml_count_each_time(sqlite_url: str):
    async with serving(sqlite_url) as api:
        begin = time.monotonic()
        refused = await api.ask("PUT", "/workflows/bomb", {"text": bomb(12), "kind": "dag"}, code=400)

        assert refused["code"] == "bad_dag"
        assert time.monotonic() - begin < 5


async def test_what_a_caller_sends_is_never_taken_for_a_sealed_payload(sqlite_url: str):
    like_one: dict[str, Any] = {"sealed": "", "zip": 1, "never": 1, "data": "eJwDAAAAAAE="}
    async with serving(sqlite_url, compress_bytes=1) as api:
        run = await api.start("waiting", {})
        value = b'{"name": "go", "value":\t{"sealed":"","zip":1,"never":1,"data":"eJwDAAAAAAE="}}'

        sent = await api.http.post(f"/runs/{run}/signals", content=value)

        assert sent.status_code == 204

        async def is_ended() -> bool:
            return (await api.get(f"/runs/{run}"))["status"] == "success"

        await until(is_ended)
        assert (await api.get(f"/runs/{run}"))["output"] == like_one
