"""A server inside the test, asked over real HTTP on loopback, with a node that works beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import httpx
import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Holdfast, task, workflow

# Reading all certificates takes 40 ms of CPU time, and each client would do it again.
_TLS = ssl.create_default_context()


def new_catalog() -> Catalog:
    """For each server: what it has learned of the flows of one database is not to be had for another."""
    catalog = Catalog()

    @task(catalog=catalog)
    async def double(number: int) -> int:
        return number * 2

    @task(catalog=catalog)
    async def break_down(why: str) -> None:
        raise ValueError(why)

    @workflow(catalog=catalog)
    async def doubled(number: int) -> int:
        return await double(number)

    @workflow(catalog=catalog)
    async def failing(why: str) -> None:
        await break_down(why)

    return catalog


class Api:
    """What the tests ask, and the node that answers."""

    def __init__(self, hf: Holdfast, http: httpx.AsyncClient) -> None:
        self.hf = hf
        self.http = http

    async def post(self, path: str, body: Any = None, *, code: int = 200) -> Any:
        """What is answered to it, with this status."""
        return self._answer(await self.http.post(path, json=body), code)

    async def get(self, path: str, *, code: int = 200, **query: Any) -> Any:
        return self._answer(await self.http.get(path, params=query), code)

    def _answer(self, response: httpx.Response, code: int) -> Any:
        assert response.status_code == code, response.text
        return response.json() if response.content else None

    async def publish(self, name: str, definition: dict[str, Any]) -> str:
        """The id of the flow, which has this version."""
        flow = (await self.post("/flows", {"Name": name}))["id"]
        await self.post("/flows/version", {"FlowID": flow, "DefinitionJSON": json.dumps(definition)})
        return flow

    async def start(self, flow: str, **params: Any) -> str:
        return (await self.post("/tasks", {"FlowID": flow, "ParamsJSON": json.dumps(params)}))["id"]

    async def wait_for(self, task: str, *statuses: str) -> dict[str, Any]:
        """The task, once it has one of these statuses."""
        end = time.monotonic() + PATIENCE
        while True:
            found = await self.get("/tasks/get", id=task)
            if found["status"] in statuses:
                return found
            assert time.monotonic() < end, f"still {found['status']}, not {statuses}"
            await asyncio.sleep(0.02)

    async def take(self, *services: str, worker: str = "w1") -> dict[str, Any]:
        """An item of the queue, once there is one."""
        end = time.monotonic() + PATIENCE
        while True:
            found = await self.http.post("/queue/poll", json={"worker_id": worker, "services": services})
            if found.status_code == 200:
                return found.json()
            assert found.status_code == 204, found.text
            assert time.monotonic() < end, "nothing was put into the queue"
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def serving(url: str, **settings: Any) -> AsyncGenerator[Api]:
    async with Holdfast(url, catalog=new_catalog(), **settings) as hf:
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        base = f"http://127.0.0.1:{port}/api"
        try:
            async with httpx.AsyncClient(base_url=base, verify=_TLS, trust_env=False, timeout=20) as http:
                yield Api(hf, http)
        finally:
            await server.stop()


@pytest.fixture
async def api(store_url: str) -> AsyncIterator[Api]:
    """On each of the databases."""
    async with serving(store_url) as api:
        yield api


@pytest.fixture
async def small_api(sqlite_url: str) -> AsyncIterator[Api]:
    """On one of them, for what no database makes a difference to; 100,000 bytes are its largest payload."""
    async with serving(sqlite_url, max_payload_bytes=100_000) as api:
        yield api
