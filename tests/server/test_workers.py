"""The registry of workers over HTTP."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest
from tests.patience import until
from tests.server.conftest import Api, serving

from holdfast import Catalog, Holdfast
from holdfast.core.values import Instant


async def register(api: Api, id: str, *services: str, type: str = "http", url: str | None = None) -> None:
    url = f"http://localhost:1/{id}" if url is None else url
    await api.post("/workers/register", {"ID": id, "URL": url, "Services": services, "Type": type})


@pytest.mark.parametrize("prefix", ["/workers", ""])
async def test_a_worker_registers_says_that_it_lives_and_is_listed(api: Api, prefix: str):
    worker = {"ID": "w1", "URL": "http://localhost:8080", "Services": ["transform", "sum"], "Type": "http"}

    registered = await api.post(f"{prefix}/register", worker)
    alive = await api.post(f"{prefix}/heartbeat", {"ID": "w1", "URL": "http://localhost:8080", "Load": 3})
    [listed] = await api.get(f"{prefix}/list")
    allocated = await api.get(f"{prefix}/allocate", service="sum")

    assert registered == alive == {"ok": "1"}
    assert abs(listed.pop("last_heartbeat") - time.time()) < 60
    assert listed == {
        "id": "w1",
        "url": "http://localhost:8080",
        "services": ["transform", "sum"],
        "load": 3,
        "status": "online",
        "type": "http",
    }
    assert allocated["id"] == "w1"


async def test_a_worker_that_registers_again_is_replaced(api: Api):
    await register(api, "w1", "transform")
    await register(api, "w1", "sum", url="http://localhost:9")

    [listed] = await api.get("/workers/list")

    assert (listed["services"], listed["url"]) == (["sum"], "http://localhost:9")


async def test_workers_are_listed_by_service(api: Api):
    await register(api, "b", "sum")
    await register(api, "a", "sum", "transform")

    of_sum = await api.get("/workers/list", service="sum")
    of_transform = await api.get("/workers/list", service="transform")
    of_none = await api.get("/workers/list", service="other")

    assert [each["id"] for each in of_sum] == ["a", "b"]
    assert [each["id"] for each in of_transform] == ["a"]
    assert of_none == []


async def test_the_worker_with_the_least_load_that_can_be_called_is_allocated(api: Api):
    for id in ("busy", "idle"):
        await register(api, id, "sum")
    await register(api, "asking", "sum", type="async", url="")
    await api.post("/workers/heartbeat", {"ID": "busy", "Load": 5})
    await api.post("/workers/heartbeat", {"ID": "idle", "Load": 2})

    assert (await api.get("/workers/allocate", service="sum"))["id"] == "idle"


async def test_without_a_worker_of_the_service_there_is_none_to_allocate(small_api: Api):
    await register(small_api, "asking", "sum", type="async", url="")

    assert await small_api.get("/workers/allocate", service="sum", code=500) == {"error": "no worker"}
    assert await small_api.get("/allocate", service="other", code=500) == {"error": "no worker"}


async def test_a_worker_is_found_by_its_url_if_its_id_is_not_known(api: Api):
    await register(api, "w1", "sum", url="http://localhost:8080")

    await api.post("/workers/heartbeat", {"URL": "http://localhost:8080", "Load": 7})

    assert (await api.get("/workers/list"))[0]["load"] == 7


async def test_a_worker_that_nobody_knows_is_told_to_register(api: Api):
    answer = await api.post("/workers/heartbeat", {"ID": "w1", "URL": "http://localhost:8080"}, code=404)

    assert "register it first" in answer["error"]


async def test_a_worker_that_falls_silent_is_offline_and_is_not_allocated(store_url: str):
    async with serving(store_url, worker_ttl_seconds=2, worker_refresh_seconds=0.1) as api:
        await register(api, "w1", "sum")
        assert (await api.get("/workers/allocate", service="sum"))["status"] == "online"

        async def is_offline() -> bool:
            return [known["status"] for known in await api.get("/workers/list", ttl=3600)] == ["offline"]

        await until(is_offline)

        assert await api.get("/workers/list") == []
        await api.get("/workers/allocate", service="sum", code=500)

        await api.post("/workers/heartbeat", {"ID": "w1"})
        assert (await api.get("/workers/list"))[0]["status"] == "online"


async def test_a_worker_that_comes_after_a_while_without_any_is_marked_when_it_falls_silent(store_url: str):
    async def is_marked() -> bool:
        """In the store, which other servers and nodes go by."""
        [worker] = await api.hf._store.list_workers("default", Instant(0))
        return not worker.is_online

    async with serving(store_url, worker_ttl_seconds=0.1, worker_refresh_seconds=0.1) as api:
        await asyncio.sleep(0.3)
        await register(api, "w1", "sum")
        await until(is_marked)
        await api.post("/workers/heartbeat", {"ID": "w1"})
        await until(is_marked)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"ID": ""}, "id"),
        ({"ID": "a\0b"}, "id"),
        ({"ID": 5}, "id"),
        ({"URL": "ftp://localhost"}, "url"),
        ({"URL": "http://local host"}, "url"),
        ({"URL": "http://" + "x" * 2000}, "url"),
        ({"Services": []}, "services"),
        ({"Services": [3]}, "services"),
        ({"Services": [""]}, "services"),
        ({"Services": ["s"] * 1001}, "services"),
        ({"Services": {"a": 1}}, "services"),
        ({"Services": "sum"}, "services"),
        ({"Type": "x" * 501}, "type"),
    ],
)
async def test_a_worker_that_cannot_be_understood_is_refused_with_where_and_why(
    small_api: Api, body: dict[str, object], where: str
):
    worker = {"ID": "w1", "URL": "http://localhost:1", "Services": ["sum"], "Type": "http", **body}

    answer = await small_api.post("/workers/register", worker, code=400)

    assert where in answer["error"]
    assert await small_api.get("/workers/list") == []


@pytest.mark.parametrize("load", [-1, 1.5, 2**31, "much", [1]])
async def test_a_load_that_is_no_number_is_refused(small_api: Api, load: object):
    await register(small_api, "w1", "sum")

    answer = await small_api.post("/workers/heartbeat", {"ID": "w1", "Load": load}, code=400)

    assert "load" in answer["error"]


@pytest.mark.parametrize("ttl", ["-1", "nan", "inf", "1e300", "x"])
async def test_a_length_of_time_that_is_none_is_refused(small_api: Api, ttl: str):
    answer = await small_api.get("/workers/list", code=400, ttl=ttl)

    assert "ttl" in answer["error"]


async def test_the_services_may_be_the_text_of_a_list(small_api: Api):
    await small_api.post("/register", {"id": "w1", "url": "http://localhost:1", "services": '["sum", "sum"]'})

    assert (await small_api.get("/list"))[0]["services"] == ["sum"]


async def test_without_keys_on_this_machine_its_workers_may_register_and_others_may_not(api: Api):
    worker = {"ID": "w1", "URL": "http://10.0.0.7:8080", "Services": ["sum"], "Type": "http"}

    refused = await api.post("/workers/register", worker, code=400)

    assert "'10.0.0.7' is a private address" in refused["error"]
    assert "allowed_addresses" in refused["error"]
    assert await api.get("/workers/list") == []


@pytest.mark.parametrize("allowed", [(), ("127.0.0.1",)])
async def test_a_server_that_asks_for_keys_takes_workers_of_this_machine_only_if_told_so(
    sqlite_url: str, allowed: tuple[str, ...]
):
    async with Holdfast(sqlite_url, catalog=Catalog(), allowed_addresses=allowed) as hf:
        key = await hf.keys.create("worker", role="worker")
        server = hf.api_server(needs_key=True)
        port = await server.start("127.0.0.1", 0)
        worker = {"ID": "w1", "URL": "http://127.0.0.1:8080", "Services": ["sum"], "Type": "http"}
        headers = {"Authorization": f"Bearer {key.text}"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api", headers=headers) as http:
            answer = await http.post("/workers/register", json=worker)
        await server.stop()

    assert answer.status_code == (200 if allowed else 400), answer.text


async def test_a_server_for_others_without_keys_takes_no_workers_of_this_machine(sqlite_url: str):
    async with Holdfast(sqlite_url, catalog=Catalog()) as hf:
        server = hf.api_server()
        port = await server.start("0.0.0.0", 0)  # as with --insecure
        worker = {"ID": "w1", "URL": "http://127.0.0.1:8080", "Services": ["sum"], "Type": "http"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api") as http:
            answer = await http.post("/workers/register", json=worker)
        await server.stop()

    assert answer.status_code == 400
    assert "allowed_addresses" in answer.json()["error"]
