"""The ends of many runs in one request."""

from __future__ import annotations

import asyncio
import time
import uuid

import pytest
from tests.patience import PATIENCE
from tests.server.v1.asking import Asker


async def keys_of(api: Asker, *runs: str) -> list[str]:
    return [(await api.get(f"/runs/{run}"))["key"] for run in runs]


async def test_it_answers_with_all_that_have_ended_and_how(api: Asker):
    good = await api.start("doubled", [4])
    bad = await api.start("failing", ["oh"])
    open_ = await api.start("waiting", {})
    for run in (good, bad):
        await api.get(f"/runs/{run}", wait=PATIENCE)
    keys = await keys_of(api, good, bad, open_)

    ends = {end["key"]: end for end in await api.post("/run-ends", {"runs": keys})}

    assert set(ends) == {*keys[:2]}
    assert (ends[keys[0]]["status"], ends[keys[0]]["output"]) == ("success", 8)
    assert (ends[keys[1]]["status"], ends[keys[1]]["failure"]["message"]) == ("failed", "oh")


async def test_it_waits_for_the_first(api: Asker):
    runs = [await api.start("waiting", {}) for _ in range(3)]
    keys = await keys_of(api, *runs)

    waiting = asyncio.create_task(api.post("/run-ends", {"runs": keys, "wait": 60}))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await api.post(f"/runs/{runs[1]}/signals", {"name": "go", "value": "now"}, code=204)

    assert [(end["key"], end["output"]) for end in await waiting] == [(keys[1], "now")]


async def test_if_none_ends_in_time_it_says_so(small_api: Asker):
    [key] = await keys_of(small_api, await small_api.start("waiting", {}))

    began = time.monotonic()
    assert await small_api.post("/run-ends", {"runs": [key], "wait": 0.05}) == []
    assert time.monotonic() - began < PATIENCE


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are not there are noticed when nothing has happened for a while."""
    monkeypatch.setattr("holdfast.client.waiters._POLL_SECONDS", 0.05)


@pytest.mark.usefixtures("looks_often")
async def test_a_run_that_there_is_not_is_missing_and_a_wrong_key_refused(small_api: Asker):
    key = str(uuid.uuid4())

    assert await small_api.post("/run-ends", {"runs": [key], "wait": 30}) == [
        {"key": key, "status": "missing", "output": None, "failure": None}
    ]
    problem = await small_api.post("/run-ends", {"runs": ["order-5"]}, code=400)
    assert problem["field"] == "runs"


@pytest.mark.usefixtures("looks_often")
async def test_runs_of_another_namespace_are_missing(small_api: Asker):
    run = await small_api.start("doubled", [1])
    [key] = await keys_of(small_api, run)
    await small_api.get(f"/runs/{run}", wait=PATIENCE)

    headers = {"Holdfast-Namespace": "shop"}
    answer = await small_api.http.post("/run-ends", json={"runs": [key], "wait": 30}, headers=headers)

    assert [end["status"] for end in answer.json()] == ["missing"]


async def test_a_server_that_stops_does_not_wait_for_runs(small_api: Asker):
    [key] = await keys_of(small_api, await small_api.start("waiting", {}))
    waiting = asyncio.create_task(small_api.post("/run-ends", {"runs": [key], "wait": 60}))
    await asyncio.sleep(0.05)

    began = time.monotonic()
    await small_api.server.stop()

    assert await waiting == []
    assert time.monotonic() - began < 4, "as long as other requests may take"
