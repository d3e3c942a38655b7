"""The queue over HTTP, as a worker that asks sees it."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from tests.server.conftest import Api, serving
from tests.server.definitions import asking

from holdfast.core.values import Instant, Payload, key_text
from holdfast.ports.workers import QueueItem


async def test_a_worker_takes_a_task_does_it_and_the_run_goes_on(api: Api):
    task = await api.start(await api.publish("demo", asking("resize")), n=[1, 2])

    item = await api.take("other", "resize")
    waiting = await api.get("/tasks/get", id=task)
    [under_way] = await api.get("/tasks/runs", task_id=task)
    nothing = await api.post("/queue/poll", {"worker_id": "w2", "services": ["resize"]}, code=204)
    renewed = await api.post("/queue/update_run", {"run_id": under_way["id"], "status": "running"})
    completed = await api.post("/queue/complete", {"queue_id": item["id"], "result": {"done": True}})

    done = await api.wait_for(task, "completed", "failed")
    [run] = await api.get("/tasks/runs", task_id=task)
    assert (item["task_id"], item["node_key"], item["service"]) == (task, "work", "resize")
    assert (item["status"], item["worker_id"]) == ("claimed", "w1")
    given = json.loads(item["input_json"])
    assert given == {"input": [1, 2], "params": {"size": "small", "n": [1, 2]}, "run_id": under_way["id"]}
    assert item["created_at"] <= item["started_at"] <= time.time() < item["timeout_at"]
    assert waiting["status"] == "waiting_queue"
    assert (under_way["status"], run["status"], run["id"]) == ("running", "ok", under_way["id"])
    assert nothing is None
    assert renewed == completed == {"ok": "1"}
    assert done["status"] == "completed"
    assert json.loads(done["shared_json"]) == {"result": {"done": True}}
    assert (run["worker_id"], run["worker_url"], run["exec_output_json"]) == ("w1", "", '{"done":true}')


async def test_what_a_worker_could_not_do_is_an_error_of_the_node(api: Api):
    task = await api.start(await api.publish("demo", asking("resize")), n=1)
    item = await api.take("resize")

    await api.post("/queue/complete", {"queue_id": item["id"], "error": "disk full", "result": None})

    failed = await api.wait_for(task, "failed")
    [run] = await api.get("/tasks/runs", task_id=task)
    assert json.loads(failed["shared_json"]) == {}
    assert (run["status"], run["error_text"], run["worker_id"]) == ("error", "disk full", "w1")


async def test_a_task_that_failed_is_given_out_again_with_its_next_attempt(api: Api):
    flow = await api.publish("demo", asking("resize", max_retries=1, wait_ms=1))
    task = await api.start(flow, n=1)
    first = await api.take("resize")
    await api.post("/queue/complete", {"queue_id": first["id"], "error": {"code": 5}})

    second = await api.take("resize", worker="w2")
    await api.post("/queue/complete", {"queue_id": second["id"], "result": 7})

    await api.wait_for(task, "completed")
    runs = await api.get("/tasks/runs", task_id=task)
    assert first["id"] != second["id"]
    assert [(run["attempt_no"], run["status"], run["worker_id"]) for run in runs] == [
        (1, "error", "w1"),
        (2, "ok", "w2"),
    ]
    assert runs[0]["error_text"] == '{"code":5}'


async def test_a_worker_that_comes_too_late_is_refused_and_changes_nothing(store_url: str):
    async with serving(store_url, queue_lease_seconds=0.3) as api:
        task = await api.start(await api.publish("demo", asking("resize")), n=1)
        lost = await api.take("resize", worker="slow")
        await asyncio.sleep(0.4)
        held = await api.take("resize", worker="quick")

        late = await api.post("/queue/complete", {"queue_id": lost["id"], "result": "late"}, code=409)
        also_late = await api.post("/queue/update_run", {"queue_id": lost["id"]}, code=409)
        await api.post("/queue/complete", {"queue_id": held["id"], "result": "in time"})

        done = await api.wait_for(task, "completed")
        again = await api.post("/queue/complete", {"queue_id": held["id"], "result": "again"}, code=409)
        runs = await api.get("/tasks/runs", task_id=task)
        assert "no longer yours" in late["error"]
        assert "no longer yours" in also_late["error"]
        assert "no longer yours" in again["error"]
        assert json.loads(done["shared_json"]) == {"result": "in time"}
        assert [(run["status"], run["worker_id"]) for run in runs] == [("error", "slow"), ("ok", "quick")]
        assert (runs[0]["error_text"], runs[1]["exec_output_json"]) == ("lost", '"in time"')


async def test_a_worker_keeps_what_it_has_taken_for_as_long_as_it_says_that_it_lives(store_url: str):
    async with serving(store_url, queue_lease_seconds=3) as api:
        await api.post("/workers/register", {"ID": "w1", "Services": ["resize"], "Type": "async"})
        task = await api.start(await api.publish("demo", asking("resize")), n=1)
        item = await api.take("resize")

        for _ in range(18):  # longer than the lease
            await asyncio.sleep(0.2)
            await api.post("/workers/heartbeat", {"ID": "w1"})
        await api.post("/queue/poll", {"worker_id": "w2", "services": ["resize"]}, code=204)
        await api.post("/queue/complete", {"queue_id": item["id"], "result": 1})

        done = await api.wait_for(task, "completed")
        runs = await api.get("/tasks/runs", task_id=task)
        assert json.loads(done["shared_json"]) == {"result": 1}
        assert [(run["status"], run["worker_id"]) for run in runs] == [("ok", "w1")]


async def test_many_workers_that_ask_at_once_get_each_task_once(api: Api):
    flow = await api.publish("demo", asking("resize"))
    tasks = [await api.start(flow, n=number) for number in range(6)]

    items = await asyncio.gather(*(api.take("resize", worker=f"w{number}") for number in range(6)))
    for item in items:
        await api.post("/queue/complete", {"queue_id": item["id"], "result": item["task_id"]})

    assert sorted(item["task_id"] for item in items) == sorted(tasks)
    for task in tasks:
        done = await api.wait_for(task, "completed")
        assert json.loads(done["shared_json"]) == {"result": task}


async def test_a_task_of_a_run_that_was_cancelled_is_nobodys_any_more(api: Api):
    task = await api.start(await api.publish("demo", asking("resize")), n=1)
    item = await api.take("resize")
    await api.post(f"/tasks/cancel?id={task}")
    await api.wait_for(task, "canceled")

    answer = await api.post("/queue/complete", {"queue_id": item["id"], "result": 1}, code=409)

    assert "no longer yours" in answer["error"]
    [run] = await api.get("/tasks/runs", task_id=task)
    assert run["status"] == "canceled"


async def test_a_task_that_is_not_of_a_flow_gives_all_that_it_was_given_as_input(
    small_api: Api, monkeypatch: pytest.MonkeyPatch
):
    run = await small_api.hf.start("doubled", 1)
    given = Payload(b'{"number":1}')
    item = QueueItem(run.key, run.id, 0, "double", "resize", given, 1, 1, "w1", *[Instant(0)] * 3)

    async def poll(*_: object) -> QueueItem:
        return item

    monkeypatch.setattr(small_api.hf.workers, "poll", poll)

    taken = await small_api.take("resize")

    assert taken["node_key"] == "double"
    assert json.loads(taken["input_json"]) == {
        "input": {"number": 1},
        "params": {},
        "run_id": f"{key_text(run.key)}:0:1",
    }


async def test_the_id_of_a_task_in_the_queue_names_its_run_task_and_lease(small_api: Api):
    task = await small_api.start(await small_api.publish("demo", asking("resize")), n=1)
    run = await small_api.hf.get(task)

    item = await small_api.take("resize")

    [key, _, lease] = item["id"].split(":")
    assert (key, lease) == (key_text(run.key), "1")


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("/queue/poll", {"services": ["s"]}, "worker_id"),
        ("/queue/poll", {"worker_id": "", "services": ["s"]}, "worker_id"),
        ("/queue/poll", {"worker_id": "w", "services": []}, "services"),
        ("/queue/poll", {"worker_id": "w", "services": ["a\0b"]}, "services"),
        ("/queue/poll", {"worker_id": "w"}, "services"),
        ("/queue/complete", {"result": 1}, "queue_id"),
        ("/queue/complete", {"queue_id": "x", "result": 1}, "queue_id"),
        ("/queue/complete", {"queue_id": "x:1:1", "result": 1}, "queue_id"),
        ("/queue/update_run", {}, "run_id"),
        ("/queue/update_run", {"run_id": ["x"]}, "run_id"),
    ],
)
async def test_what_cannot_be_understood_is_refused_with_where_and_why(
    small_api: Api, path: str, body: dict[str, object], where: str
):
    answer = await small_api.post(path, body, code=400)

    assert where in answer["error"]


async def test_an_item_of_a_run_that_has_ended_is_refused(small_api: Api):
    run = await small_api.hf.start("doubled", 1)
    await run.result()

    answer = await small_api.post(
        "/queue/complete", {"queue_id": f"{key_text(run.key)}:0:1", "result": 1}, code=409
    )

    assert "it is no longer in the queue" in answer["error"]
