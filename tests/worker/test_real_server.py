"""Workers of both kinds with the real server, a node beside it, and flows whose nodes are services."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.patience import PATIENCE, until

from holdfast import Catalog, Holdfast
from holdfast.worker import Call, Worker

BEAT = dt.timedelta(seconds=0.2)


HANGING_WORKER = """
import sys, time
from holdfast.worker import Worker

worker = Worker(sys.argv[1], mode="pull")

@worker.service
def upper(word: str) -> str:
    print("taken", flush=True)
    time.sleep(60)
    return word

worker.run()
"""


class Api:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self.base = str(http.base_url)
        self._http = http

    async def post(self, path: str, **body: Any) -> Any:
        answer = await self._http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def get(self, path: str, **query: Any) -> Any:
        answer = await self._http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def start(self, definition: dict[str, Any], **params: Any) -> str:
        """A run of a new flow."""
        flow = (await self.post("flows", Name="words"))["id"]
        await self.post("flows/version", FlowID=flow, DefinitionJSON=json.dumps(definition))
        return (await self.post("tasks", FlowID=flow, ParamsJSON=json.dumps(params)))["id"]

    async def ended(self, run: str) -> dict[str, Any]:
        found: dict[str, Any] = {}

        async def has_ended() -> bool:
            found.update(await self.get("tasks/get", id=run))
            return found["status"] in ("completed", "failed", "canceled")

        await until(has_ended)
        return found


@pytest.fixture
async def api(store_url: str) -> AsyncIterator[Api]:
    async with Holdfast(
        store_url, catalog=Catalog(), worker_wait_seconds=PATIENCE, queue_lease_seconds=1
    ) as hf:
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api/", trust_env=False) as http:
            yield Api(http)
        await server.stop()


def flow_of(exec_type: str) -> dict[str, Any]:
    work = {"kind": "executor", "exec_type": exec_type}
    return {
        "start": "shout",
        "nodes": {
            "shout": {
                **work,
                "service": "upper",
                "prep": {"input_key": "$params.word"},
                "post": {"output_key": "loud", "action_static": "said"},
            },
            "count": {
                **work,
                "service": "count",
                "prep": {"input_key": "loud"},
                "post": {"output_key": "letters"},
            },
        },
        "edges": [{"from": "shout", "action": "said", "to": "count"}],
    }


def worker_of(api: Api, mode: str, calls: list[Call]) -> Worker:
    worker = Worker(api.base, mode=mode, url="http://127.0.0.1:0", heartbeat=BEAT)  # type: ignore[arg-type]

    @worker.service
    def upper(word: str, times: int = 1) -> str:
        calls.append(worker.call())
        if not word:
            raise ValueError("no word")
        return word.upper() * times

    @worker.service
    async def count(word: str) -> int:
        calls.append(worker.call())
        return len(word)

    return worker


@pytest.mark.parametrize(("mode", "exec_type"), [("push", "http"), ("pull", "queue")])
async def test_a_flow_of_services_runs_on_workers_of_either_kind(api: Api, mode: str, exec_type: str) -> None:
    calls: list[Call] = []

    async with worker_of(api, mode, calls) as worker:
        run = await api.start(flow_of(exec_type), word="ab", times=3)
        done = await api.ended(run)
        runs = await api.get("tasks/runs", task_id=run)
        known = await api.get("workers/list")

    assert done["status"] == "completed"
    assert json.loads(done["shared_json"]) == {"loud": "ABABAB", "letters": 6}
    assert [(call.service, call.run, call.task, call.attempt) for call in calls] == [
        ("upper", run, "shout", 1),
        ("count", run, "count", 1),
    ]
    assert [f"{call.idempotency_key}:1" for call in calls] == [each["id"] for each in runs]
    assert {each["worker_id"] for each in runs} == {worker.id}
    assert [(each["id"], each["url"], each["status"]) for each in known] == [
        (worker.id, worker.url, "online")
    ]


@pytest.mark.parametrize(("mode", "exec_type"), [("push", "http"), ("pull", "queue")])
async def test_what_a_service_raises_is_how_its_node_has_failed(api: Api, mode: str, exec_type: str) -> None:
    async with worker_of(api, mode, []):
        run = await api.start(flow_of(exec_type), word="")
        done = await api.ended(run)
        (only,) = await api.get("tasks/runs", task_id=run)

    assert done["status"] == "failed"
    assert only["status"] == "error"
    assert "ValueError: no word" in only["error_text"]


async def test_what_a_killed_worker_had_taken_is_done_by_another(api: Api, tmp_path: Path) -> None:
    calls: list[Call] = []
    script = tmp_path / "worker.py"
    script.write_text(HANGING_WORKER)
    process = subprocess.Popen([sys.executable, script, api.base], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    run = await api.start(flow_of("queue"), word="ab")
    assert await asyncio.to_thread(process.stdout.readline) == "taken\n"

    process.kill()
    async with worker_of(api, "pull", calls) as worker:
        done = await api.ended(run)
        lost, made, _ = await api.get("tasks/runs", task_id=run)
    await asyncio.to_thread(process.communicate)

    assert done["status"] == "completed"
    assert [call.attempt for call in calls] == [2, 1]
    assert (lost["attempt_no"], made["attempt_no"]) == (1, 2)
    assert made["worker_id"] == worker.id != lost["worker_id"]


async def test_a_run_waits_for_a_worker_that_comes_later(api: Api) -> None:
    run = await api.start(flow_of("http"), word="late")
    await asyncio.sleep(0.5)

    async with worker_of(api, "push", []):
        done = await api.ended(run)

    assert done["status"] == "completed"
