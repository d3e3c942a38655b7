"""Nodes, workers and queues over HTTP."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import socket
from typing import Any
from urllib.parse import quote

from tests.server.v1.asking import Asker
from tests.server.v1.conftest import serving
from tests.server.v1.test_access import keyed_server


async def eventually(read: Any) -> Any:
    for _ in range(200):
        if found := await read():
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen in ten seconds")


async def test_a_node_says_where_it_is_what_it_serves_and_how_many_runs_it_has(api: Asker):
    for _ in range(2):
        await api.start("slow", [])

    async def busy() -> Any:
        return [each for each in (await api.get("/nodes"))["items"] if each["runs"] == 2]

    [node] = await eventually(busy)

    assert (node["host"], node["process"], node["is_alive"]) == (socket.gethostname(), os.getpid(), True)
    assert "doubled" in [each.partition("@")[0] for each in node["serves"]]
    assert dt.datetime.fromisoformat(node["lease_until"]) > dt.datetime.fromisoformat(node["started_at"])


async def test_slots_say_which_task_of_which_run_is_in_them(api: Asker):
    run = await api.start("slow", [], id="slow-1")

    async def busy() -> Any:
        return (await api.get("/queues"))["slots"]

    [slot] = await eventually(busy)

    assert (slot["run"], slot["task"], slot["seq"], slot["queue"]) == (run, "dawdle", 0, "default")
    assert slot["node"] in [each["id"] for each in (await api.get("/nodes"))["items"]]


async def test_workers_are_listed_with_what_they_have_taken(api: Asker):
    await api.hf.workers.register("w1", "", ["mail"])

    [found] = (await api.get("/workers"))["items"]

    assert (found["worker"]["id"], found["worker"]["is_online"], found["holds"]) == ("w1", True, [])
    assert (await api.get("/workers", service="other"))["items"] == []


async def test_another_namespace_has_nodes_and_workers_of_its_own(api: Asker, store_url: str):
    await api.hf.workers.register("w1", "", ["mail"])
    await api.start("slow", [])

    async def known() -> Any:
        return (await api.get("/queues"))["slots"]

    await eventually(known)

    async with serving(store_url, namespace="elsewhere") as other:
        assert (await other.get("/queues")) == {"services": [], "slots": [], "queues": []}
        assert (await other.get("/workers"))["items"] == []
        mine = [each["id"] for each in (await api.get("/nodes"))["items"]]
        assert not {each["id"] for each in (await other.get("/nodes"))["items"]} & set(mine)


async def test_an_admin_drains_a_node_and_the_audit_log_has_it(store_url: str):
    async with keyed_server(store_url) as server, server.as_("admin") as admin:

        async def nodes() -> Any:
            return (await admin.get("/nodes"))["items"]

        [node] = await eventually(nodes)
        path = f"/nodes/{quote(node['id'], safe='')}/drain"
        async with server.as_("operator") as operator:
            denied = await operator.post(path, {}, code=403)
        gone = await admin.post("/nodes/web-1%3A4711%3A1%3Aabc/drain", {}, code=404)
        assert (await admin.get("/nodes"))["items"][0]["drain_asked_by"] is None

        asked = await admin.post(path, {}, code=202)

        assert asked == {"node": node["id"], "by": "the admin", "runs": 0, "others": 0}
        await server.hf.serve()
        assert server.hf.drained_by == "the admin"
        assert await nodes() == []
        await admin.post(f"/nodes/{node['id']}/drain", {}, code=404)  # it has ended
        assert "nodes.drain" in denied["detail"]
        assert gone["code"] == "node_not_found"
        [row] = (await admin.get("/audit", action="nodes.drain"))["items"]
        assert (row["by"], row["target"], row["after"]) == ("the admin", node["id"], asked)
