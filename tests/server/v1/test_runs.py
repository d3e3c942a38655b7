"""Runs over HTTP: starting, listing, reading, deleting."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from tests.server.v1.asking import Asker


async def test_a_run_is_started_and_awaited(api: Asker):
    answer = await api.post("/runs", {"workflow": "doubled", "input": {"number": 4}}, code=201, wait=20)

    assert answer["run"]["status"] == "success"
    assert answer["run"]["output"] == 8
    assert answer["id"] == answer["key"] == answer["run"]["id"]
    assert dt.datetime.fromisoformat(answer["run"]["created_at"]).utcoffset() is not None
    assert await api.get(f"/runs/{answer['id']}") == answer["run"]


async def test_a_run_that_fails_is_an_answer_and_not_an_error(api: Asker):
    answer = await api.post("/runs", {"workflow": "failing", "input": ["so"]}, code=201, wait=20)

    assert answer["run"]["status"] == "failed"
    assert answer["run"]["failure"]["message"] == "so"


async def test_whoever_waits_for_less_than_the_run_takes_gets_it_as_it_is(api: Asker):
    answer = await api.post("/runs", {"workflow": "waiting"}, code=201, wait=0.05)

    assert answer["run"]["status"] in ("pending", "running")
    assert (await api.get(f"/runs/{answer['id']}", wait=0.05))["finished_at"] is None


async def test_a_start_that_is_repeated_with_its_id_gets_the_same_run(api: Asker):
    body = {
        "workflow": "doubled",
        "input": [4],
        "id": "order/7 ü",
        "tags": ["a", "b"],
        "note": "hello",
        "priority": 3,
    }

    first = await api.post("/runs", body, code=201)
    second = await api.post("/runs", body, code=201)
    problem = await api.post("/runs", body | {"input": [5]}, code=409)

    assert first["key"] == second["key"]
    assert problem["code"] == "run_exists"
    run = await api.get("/runs/order%2F7%20%C3%BC", wait=20)
    assert (run["id"], run["tags"], run["note"], run["priority"]) == ("order/7 ü", ["a", "b"], "hello", 3)
    assert run["output"] == 8


async def test_a_run_may_begin_later_and_have_a_deadline(api: Asker):
    soon = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
    later = await api.start("doubled", [1], start_at=soon.isoformat(), deadline=60)
    delayed = await api.start(
        "doubled", [1], delay=3600.5, deadline=(soon + dt.timedelta(days=1)).isoformat()
    )
    late = await api.post("/runs", {"workflow": "waiting", "deadline": 0.05}, code=201, wait=20)

    deadline = dt.datetime.fromisoformat((await api.get(f"/runs/{later}"))["deadline"])
    assert deadline == soon + dt.timedelta(minutes=1)
    assert (await api.get(f"/runs/{delayed}"))["status"] == "pending"
    assert (await api.get(f"/runs/{delayed}/explanation"))["explanation"]["reasons"][0]["kind"] == "start"
    assert late["run"]["status"] == "failed"
    assert late["run"]["failure"]["type"].endswith("DeadlineExceeded")


async def test_many_runs_are_started_in_one_call(api: Asker):
    runs = [{"input": {"number": each}, "id": f"n{each}" if each % 2 else None} for each in range(100)]

    started = await api.post(
        "/run-batches", {"workflow": "doubled", "runs": runs, "tags": ["many"]}, code=201
    )

    assert [each["id"] for each in started][1::2] == [f"n{each}" for each in range(1, 100, 2)]
    outputs = await asyncio.gather(*(api.hf.result(each["key"]) for each in started))
    assert outputs == [each * 2 for each in range(100)]
    assert len((await api.get("/runs", tag="many", limit=1000))["items"]) == 100


async def test_a_batch_with_a_mistake_starts_nothing(api: Asker):
    runs: list[Any] = [{"input": [1]}, {"input": {"numbr": 2}}]

    problem = await api.post("/run-batches", {"workflow": "doubled", "runs": runs}, code=400)

    assert problem["code"] == "wrong_type"
    assert problem["detail"].startswith("call 1: ")
    assert (await api.get("/runs"))["items"] == []


async def test_pages_follow_each_other_and_have_each_run_once(api: Asker):
    runs = [{"input": [each]} for each in range(25)]
    started = await api.post("/run-batches", {"workflow": "doubled", "runs": runs}, code=201)

    found: list[str] = []
    after: dict[str, Any] = {}
    while True:
        page = await api.get("/runs", limit=10, workflow="doubled", **after)
        found += [each["key"] for each in page["items"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}

    assert found == [each["key"] for each in reversed(started)]


async def test_runs_are_chosen_by_what_they_are(api: Asker):
    good = await api.start("doubled", [1], tags=["x"])
    bad = await api.start("failing", ["oh 1"])
    await api.get(f"/runs/{good}", wait=20)
    failed = await api.get(f"/runs/{bad}", wait=20)

    async def ids(**query: Any) -> list[str]:
        return [each["id"] for each in (await api.get("/runs", **query))["items"]]

    assert await ids(status="failed") == [bad]
    assert await ids(workflow="doubled") == [good]
    assert await ids(tag="x", status="success") == [good]
    assert await ids(fingerprint=failed["fingerprint"]) == [bad]
    assert await ids(created_before="2020-01-01T00:00:00Z") == []
    [group] = (await api.get("/failures"))["items"]
    assert (group["count"], group["last_run"]) == (1, bad)


async def test_an_ended_run_is_deleted_and_an_open_one_is_not(api: Asker):
    ended, open_one = await api.start("doubled", [1]), await api.start("waiting", [])
    await api.get(f"/runs/{ended}", wait=20)

    report = await api.ask("DELETE", f"/runs/{ended}")
    problem = await api.ask("DELETE", f"/runs/{open_one}", code=409)

    assert report["runs"] == 1
    assert problem["code"] == "not_ended"
    assert (await api.get(f"/runs/{ended}", code=404))["code"] == "run_not_found"


@pytest.mark.parametrize(
    ("body", "code", "field", "said"),
    [
        ({"workflow": "doubled", "inputs": {}}, "bad_request", None, "unknown field 'inputs'"),
        ({}, "bad_request", None, "missing required field 'workflow'"),
        ({"workflow": "doubled", "input": 4}, "bad_request", "input", "Expected 'object | array', got 'int'"),
        ({"workflow": "doubled", "input": {"number": "x"}}, "wrong_type", None, "number"),
        ({"workflow": "doubled", "input": [1], "tags": ["a", 3]}, "bad_request", "tags[1]", "Expected 'str'"),
        ({"workflow": "doubled", "input": [1], "priority": 11}, "bad_option", "priority", "from 0 to 9"),
        ({"workflow": "doubled", "input": [1], "delay": 1e300}, "bad_request", "delay", "too long"),
        ({"workflow": "doubled", "input": [1], "deadline": -1}, "bad_option", "deadline", "more than zero"),
        (
            {"workflow": "doubled", "input": [1], "start_at": "2026-01-01T00:00:00"},
            "bad_option",
            "start_at",
            "zone",
        ),
        (
            {"workflow": "doubled", "input": [1], "id_policy": "x"},
            "bad_request",
            "id_policy",
            "Invalid enum value",
        ),
        ({"workflow": "doubled", "input": [1], "id": ""}, "bad_option", "id", "id is ''"),
    ],
)
async def test_a_bad_start_is_refused_by_field(small_api: Asker, body: Any, code: str, field: str, said: str):
    problem = await small_api.post("/runs", body, code=400)

    assert (problem["code"], problem.get("field")) == (code, field)
    assert said in problem["detail"]
    assert (await small_api.get("/runs"))["items"] == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"[]", "Expected 'object', got 'array'"),
        (b'{"workflow": "x", "input": ' + b"[" * 90_000, "nested too deeply"),
        (b'{"workflow": "\xff"}', "not JSON"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(small_api: Asker, body: bytes, said: str):
    response = await small_api.http.post("/runs", content=body)

    assert response.status_code == 400
    assert said in response.json()["detail"]


async def test_what_is_too_large_is_refused(small_api: Asker):
    value = await small_api.post("/runs", {"workflow": "failing", "input": ["x" * 100_001]}, code=413)
    response = await small_api.http.post("/runs", content=b" " * 2_000_000)

    assert value["code"] == "payload_too_large"
    assert response.status_code == 413
    assert response.json()["code"] == "payload_too_large"


async def test_an_unknown_workflow_is_refused_by_name(small_api: Asker):
    problem = await small_api.post("/runs", {"workflow": "dubled"}, code=404)

    assert problem["code"] == "unknown_workflow"
    assert "dubled" in problem["detail"]


@pytest.mark.parametrize("path", ["/runs", "/failures"])
@pytest.mark.parametrize("time", ["0", "-3995361", "0.83", "1e9", "monday"])
async def test_a_number_is_no_time(small_api: Asker, path: str, time: str):
    problem = await small_api.get(path, created_after=time, code=400)

    assert problem["field"] == "created_after"
    assert time in problem["detail"]
    await small_api.get(path, created_after="2026-01-01T00:00:00Z")
