"""The face of a scheduler of DAGs: its eleven routes, in its own words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.server.conftest import Api, serving

ETL = """\
name: etl
input:
  files: [str]
  words: str = ok
tasks:
  extract:
    command: |
      echo extracting
      case "$HOLDFAST_INPUT" in *bad*) exit 3;; esac
      echo '{"n": 2}' > $HOLDFAST_OUTPUT_FILE
    inputs: {words: {ref: input.words}}
    output_type: {n: int}
  load:
    depends_on: [extract]
    foreach: input.files
    command: echo loading $HOLDFAST_PARALLEL_INDEX
  report:
    depends_on: [load]
    sleep: 0s
output: {found: extract}
"""
WAIT = "name: wait\ntasks:\n  ok: {approval: {message: Really?}}\n  after: {sleep: 0s, depends_on: [ok]}\n"


@pytest.fixture
async def dags(store_url: str) -> AsyncIterator[Api]:
    async with serving(store_url) as api:
        yield api


async def ended(api: Api, run: str) -> dict[str, Any]:
    end = time.monotonic() + PATIENCE
    while True:
        found = await api.get(f"/runs/{run}")
        if found["finished_at"] is not None:
            return found
        assert time.monotonic() < end, found
        await asyncio.sleep(0.02)


async def test_a_workflow_is_created_updated_listed_read_and_deleted(dags: Api):
    made = await dags.post("/workflows", {"yaml": ETL})
    updated = await dags.post("/workflows", {"YAML": ETL.replace("0s", "1s"), "unknown": 1})

    assert (made["name"], made["version"], made["yaml"]) == ("etl", "1", ETL)
    assert updated["version"] == "2"
    assert await dags.get("/workflows/etl") == updated
    names = [(each["name"], each["kind"]) for each in await dags.get("/workflows")]
    assert ("etl", "dag") in names
    assert ("doubled", "code") in names
    assert (await dags.get("/workflows/doubled"))["yaml"] == ""
    assert len(await dags.get("/workflows", limit=1, after="doubled")) == 1
    deleted = await dags.http.delete("/workflows/etl")
    assert deleted.json() == {"deleted": "etl"}
    assert "etl" in (await dags.get("/workflows/etl", code=404))["error"]


async def test_a_triggered_run_has_its_tasks_and_their_logs(dags: Api):
    await dags.post("/workflows", {"yaml": ETL})

    run = await dags.post("/workflows/etl/runs", {"input": {"files": ["a", "b"]}, "id": "x/1"}, code=201)
    again = await dags.post("/workflows/etl/runs", {"input": '{"files": ["a", "b"]}', "id": "x/1"}, code=201)
    done = await ended(dags, "x%2F1")

    assert (run["id"], run["workflow"], run["version"]) == ("x/1", "etl", "1")
    assert again["created_at"] == run["created_at"]
    assert (done["status"], done["output"], done["error"]) == ("success", {"found": {"n": 2}}, None)
    assert done["input"] == {"files": ["a", "b"], "words": "ok"}
    tasks = await dags.get("/runs/x%2F1/tasks")
    shown = [(each["name"], each["status"], each["parallel_index"], each["parallel_count"]) for each in tasks]
    assert shown == [
        ("extract", "success", None, None),
        ("load", "success", 0, 2),
        ("load", "success", 1, 2),
        ("report", "success", None, None),
    ]
    assert (tasks[0]["output"], tasks[0]["attempt"]) == ({"n": 2}, 1)
    assert await dags.get("/runs/x%2F1/tasks", since=tasks[3]["number"]) == tasks[3:]
    assert await dags.get("/runs/x%2F1/tasks", limit=1) == tasks[:1]
    logs = (await dags.get("/runs/x%2F1/tasks/load/logs"))["logs"]
    assert sorted(logs.splitlines()) == ["loading 0", "loading 1"]
    assert await dags.get("/runs/x%2F1/tasks/load/logs", parallel_index=1, attempt=1) == {
        "logs": "loading 1\n"
    }
    assert await dags.get("/runs/x%2F1/tasks/report/logs") == {"logs": ""}
    assert "'nope'" in (await dags.get("/runs/x%2F1/tasks/nope/logs", code=404))["error"]


async def test_a_failed_run_is_retried(dags: Api):
    await dags.post("/workflows", {"yaml": ETL})
    run = await dags.post("/workflows/etl/runs", {"input": {"files": ["a"], "words": "bad"}}, code=201)
    failed = await ended(dags, run["id"])
    tasks = await dags.get(f"/runs/{run['id']}/tasks")

    retried = await dags.post(f"/runs/{run['id']}/retry")
    again = await ended(dags, run["id"])

    assert failed["status"] == "failed"
    assert "extract" in failed["error"]
    assert {each["name"]: each["status"] for each in tasks}["extract"] == "failed"
    assert (retried["status"], retried["finished_at"]) in [("pending", None), ("running", None)]
    assert again["status"] == "failed"
    assert (await dags.get(f"/runs/{run['id']}/tasks"))[0]["attempt"] == 2


async def test_a_run_is_cancelled(dags: Api):
    await dags.post("/workflows", {"yaml": WAIT})
    run = await dags.post("/workflows/wait/runs", code=201)

    await dags.post(f"/runs/{run['id']}/retry", code=409)
    asked = await dags.post(f"/runs/{run['id']}/cancel", {"reason": "enough"})
    done = await ended(dags, run["id"])

    assert asked["status"] in ("pending", "running", "cancelled")
    assert done["status"] == "cancelled"
    assert "enough" in done["error"]
    tasks = await dags.get(f"/runs/{run['id']}/tasks")
    assert {each["status"] for each in tasks} <= {"failed", "skipped"}
    await dags.post(f"/runs/{run['id']}/cancel", code=409)


async def test_runs_are_listed_by_workflow_and_in_the_states_of_that_system(dags: Api):
    await dags.post("/workflows", {"yaml": WAIT})
    first = await dags.post("/workflows/wait/runs", {}, code=201)
    await dags.hf.pause(first["id"])
    end = time.monotonic() + PATIENCE
    while (await dags.hf.describe(first["id"])).status != "paused":
        assert time.monotonic() < end
        await asyncio.sleep(0.02)
    done = await dags.post("/workflows/doubled/runs", {"input": {"number": 2}}, code=201)
    await ended(dags, done["id"])

    assert [each["id"] for each in await dags.get("/runs")] == [done["id"], first["id"]]
    assert [each["id"] for each in await dags.get("/runs", limit=1, offset=1)] == [first["id"]]
    assert [each["id"] for each in await dags.get("/runs", status="running")] == [first["id"]]
    assert (await dags.get(f"/runs/{first['id']}"))["status"] == "running"
    assert [each["id"] for each in await dags.get("/runs", workflow="doubled")] == [done["id"]]
    assert await dags.get("/runs", status="success", workflow="wait") == []


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "said"),
    [
        ("POST", "/workflows", {"yaml": "name: x\ntasks: {a: {slep: 1s}}"}, 400, "2:"),
        ("POST", "/workflows", {"yaml": ""}, 400, "yaml"),
        ("POST", "/workflows", {}, 400, "yaml"),
        ("POST", "/workflows", {"yaml": WAIT.replace("wait", "doubled")}, 409, "doubled"),
        ("POST", "/workflows/nobody/runs", {}, 404, "nobody"),
        ("POST", "/workflows/doubled/runs", {"input": {"nmber": 1}}, 400, "number"),
        ("POST", "/workflows/doubled/runs", {"input": [1]}, 400, "input"),
        ("POST", "/workflows/doubled/runs", {"input": "[1]"}, 400, "input"),
        ("GET", "/runs/nobody", None, 404, "nobody"),
        ("GET", "/runs/nobody/tasks", None, 404, "nobody"),
        ("GET", "/runs?status=paused", None, 400, "paused"),
        ("GET", "/runs?limit=0", None, 400, "limit"),
        ("GET", "/runs/a/b/c/d", None, 404, "route"),
        ("DELETE", "/workflows/nobody", None, 404, "nobody"),
        ("PATCH", "/workflows/nobody", None, 405, "method"),
    ],
)
async def test_what_cannot_be_is_refused(
    small_api: Api, method: str, path: str, body: Any, code: int, said: str
):
    answer = await small_api.http.request(method, path, json=body)

    assert answer.status_code == code, answer.text
    assert list(answer.json()) == ["error"]
    assert said in answer.json()["error"]


async def test_it_has_a_document_of_its_own(small_api: Api):
    document = await small_api.get("/dags/openapi.json")

    routes = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    assert routes == {
        "GET /api/workflows",
        "POST /api/workflows",
        "GET /api/workflows/{name}",
        "DELETE /api/workflows/{name}",
        "POST /api/workflows/{name}/runs",
        "GET /api/runs",
        "GET /api/runs/{id}",
        "POST /api/runs/{id}/cancel",
        "POST /api/runs/{id}/retry",
        "GET /api/runs/{id}/tasks",
        "GET /api/runs/{id}/tasks/{name}/logs",
    }
