"""What machines ask of a server: metrics, whether it is well, and how much there is to do."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.chaos.own_postgres import own_server
from tests.patience import PATIENCE
from tests.server.conftest import new_catalog

from holdfast import Catalog, Holdfast, workflow


@contextlib.asynccontextmanager
async def asking(
    url: str, *, needs_key: bool = False, engine: bool = True, catalog: Catalog | None = None, **settings: Any
) -> AsyncGenerator[tuple[Holdfast, httpx.AsyncClient]]:
    catalog = catalog or new_catalog()
    async with Holdfast(url, catalog=catalog, engine=engine, **settings) as hf:
        server = hf.api_server(needs_key=needs_key)
        port = await server.start("127.0.0.1", 0)
        base = f"http://127.0.0.1:{port}"
        try:
            async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=20) as http:
                yield hf, http
        finally:
            await server.stop()


async def scrape(http: httpx.AsyncClient, **headers: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels, in the order of their names."""
    answer = await http.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *[value for _, value in sorted(sample.labels.items())]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_metrics_count_what_the_node_has_done(store_url: str) -> None:
    async with asking(store_url, metrics=True) as (hf, http):
        for number in range(3):
            await (await hf.start("doubled", number)).result()
        with contextlib.suppress(Exception):
            await (await hf.start("failing", "why")).result()
        found = await scrape(http)

    assert found["holdfast_runs_ended_total", "success", "doubled"] == 3
    assert found["holdfast_runs_ended_total", "failed", "failing"] == 1
    assert found["holdfast_runs_begun_total", "doubled"] == 3
    assert found["holdfast_tasks_ended_total", "success", "doubled"] == 3
    assert found["holdfast_run_seconds_count", "doubled"] == 3
    assert found["holdfast_run_seconds_bucket", "+Inf", "doubled"] == 3
    assert found["holdfast_task_seconds_count", "doubled"] == 3
    assert found["holdfast_task_wait_seconds_count", "default"] >= 3
    assert found["holdfast_commit_seconds_count",] == found["holdfast_commit_bytes_count",] > 0
    assert found["holdfast_lease_losses_total",] == 0
    assert found["holdfast_store_up", "default"] == 1
    assert found["holdfast_open_runs", "default", "parked"] == 0


async def test_metrics_show_what_waits_in_the_store(store_url: str) -> None:
    async with asking(store_url, engine=False, metrics=True) as (hf, http):
        await hf.start_many("doubled", range(5))
        found = await scrape(http)
        other = await scrape(http, **{"Holdfast-Namespace": "elsewhere"})

    assert found["holdfast_due_runs", "default", "doubled"] == 5
    assert found["holdfast_oldest_due_seconds", "default"] > 0
    assert found["holdfast_open_runs", "default", "pending"] == 5
    assert other["holdfast_oldest_due_seconds", "elsewhere"] == 0
    assert "default" not in {label for sample in other for label in sample}, "another namespace is seen"
    assert ("holdfast_lease_losses_total",) in found
    assert ("holdfast_lease_losses_total",) not in other, "another namespace sees what the node counts"


async def test_names_beyond_two_hundred_are_one(sqlite_url: str) -> None:
    catalog = Catalog()

    async def nothing() -> None: ...

    for number in range(210):
        workflow(catalog=catalog, name=f"w{number:03}")(nothing)
    async with asking(sqlite_url, catalog=catalog, metrics=True) as (hf, http):
        for number in range(210):
            await (await hf.start(f"w{number:03}")).result()
        found = await scrape(http)

    ended = {sample[2]: value for sample, value in found.items() if sample[0] == "holdfast_runs_ended_total"}
    assert len(ended) == 201
    assert ended["other"] == 10


async def test_metrics_need_a_key_and_the_setting(sqlite_url: str) -> None:
    async with asking(sqlite_url, needs_key=True, metrics=True) as (hf, http):
        keys = {role: (await hf.keys.create(role, role)).text for role in ("viewer", "worker")}
        codes = [(await http.get("/metrics", headers=_with(key))).status_code for key in keys.values()]
        assert (await http.get("/metrics")).status_code == 401
        assert codes == [200, 403]
    async with asking(sqlite_url) as (_, http):
        answer = await http.get("/metrics")
        assert answer.status_code == 404
        assert "setting metrics" in answer.json()["detail"]


async def test_a_server_is_ready_until_something_is_overdue(store_url: str) -> None:
    async with asking(store_url, engine=False, overdue_seconds=1) as (hf, http):
        assert (await http.get("/readyz")).json() == {"is_ready": True}
        await hf.start("doubled", 1)
        answer = await _when(http, 503)

        assert "workflow 'doubled' has been due for" in answer.json()["reasons"][0]
        assert "no node is running" in answer.json()["reasons"][0]
        assert (await http.get("/healthz")).json() == {"status": "ok"}
        async with Holdfast(store_url, catalog=new_catalog()):
            await _when(http, 200)


async def test_a_server_is_not_ready_while_its_database_is_down() -> None:
    with own_server() as database:
        async with asking(database.url, metrics=True) as (hf, http):
            await (await hf.start("doubled", 1)).result()
            await _when(http, 200)
            await asyncio.to_thread(database.stop_at_once)
            try:
                answer = await _when(http, 503)
                alive = await http.get("/healthz")
                found = await scrape(http)
            finally:
                await asyncio.to_thread(database.start)
            await _when(http, 200)

    assert "the store does not answer" in answer.json()["reasons"][0]
    assert alive.status_code == 200
    assert found["holdfast_store_up", "default"] == 0
    assert found["holdfast_runs_ended_total", "success", "doubled"] == 1, "what the node counted is gone"


async def test_without_a_key_a_server_does_not_say_why_it_is_not_ready(sqlite_url: str) -> None:
    async with asking(sqlite_url, needs_key=True, engine=False, overdue_seconds=0.1) as (hf, http):
        key = (await hf.keys.create("probe", "viewer")).text
        worker = (await hf.keys.create("w", "worker")).text
        await hf.start("doubled", 1)
        answer = await _when(http, 503)

        assert answer.json() == {"is_ready": False}
        assert (await http.get("/readyz", headers=_with(worker))).json() == {"is_ready": False}
        shown = (await http.get("/readyz", headers=_with(key))).json()
        assert "doubled" in shown["reasons"][0]
        assert (await http.get("/readyz", headers=_with("hf_wrong_key"))).status_code == 401
        assert (await http.get("/healthz")).status_code == 200


async def test_a_hundred_probes_ask_the_store_once(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with asking(sqlite_url) as (hf, http):
        asked = 0
        read = hf._store.read_backlog

        async def count(*args: Any) -> Any:
            nonlocal asked
            asked += 1
            return await read(*args)

        monkeypatch.setattr(hf._store, "read_backlog", count)
        begin = time.monotonic()
        answers = await asyncio.gather(*[http.get("/readyz") for _ in range(100)])
        took = time.monotonic() - begin

    assert {answer.status_code for answer in answers} == {200}
    assert asked <= 1 + took


async def test_the_backlog_is_counted_by_workflow_and_service(store_url: str) -> None:
    async with asking(store_url, engine=False) as (hf, http):
        await hf.start_many("doubled", range(4))
        await hf.start("failing", "why")

        found = (await http.get("/api/v1/backlog")).json()
        assert found["due_runs"] == 5
        assert found["oldest_due_seconds"] > 0
        assert found["waiting_tasks"] == 0
        assert {it["workflow"]: it["due_runs"] for it in found["workflows"]} == {"doubled": 4, "failing": 1}
        one = (await http.get("/api/v1/backlog", params={"workflow": "failing"})).json()
        assert (one["due_runs"], len(one["workflows"])) == (1, 1)
        none = (await http.get("/api/v1/backlog", params={"workflow": "unknown"})).json()
        assert (none["due_runs"], none["oldest_due_seconds"]) == (0, 0)


def _with(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def _when(http: httpx.AsyncClient, status: int) -> httpx.Response:
    end = time.monotonic() + PATIENCE
    while True:
        answer = await http.get("/readyz")
        if answer.status_code == status:
            return answer
        assert time.monotonic() < end, answer.text
        await asyncio.sleep(0.1)
