"""Bulk jobs and pruning, over HTTP."""

from __future__ import annotations

from typing import Any

from tests.patience import until
from tests.server.v1.asking import Asker
from tests.server.v1.test_access import keyed_server


async def finished(api: Asker, id: str) -> Any:
    await api.get(f"/runs/{id}", wait=20)
    return await api.get(f"/bulk/{id}")


async def test_a_dry_run_counts_and_a_job_does_it_in_the_background(api: Asker):
    runs = [await api.start("waiting", []) for _ in range(3)]
    other = await api.start("counting", [1])
    body = {"act": "cancel", "workflow": "waiting", "status": ["pending", "running"]}

    dry = await api.post("/bulk", body | {"dry_run": True})
    refused = await api.post("/bulk", body | {"at_most": 2}, code=409)
    begun = await api.post("/bulk", body | {"at_most": 3, "id": "b1", "reason": "enough"}, code=202)
    again = await api.post("/bulk", body | {"id": "b1", "reason": "enough"}, code=202)
    job = await finished(api, "b1")

    assert (dry["preview"]["matched"], set(dry["preview"]["sample"]), dry["job"]) == (3, set(runs), None)
    assert refused["code"] == "too_many_runs"
    assert begun["job"]["id"] == again["job"]["id"] == "b1"
    assert (job["status"], job["matched"], job["done"], job["failed"]) == ("success", 3, 3, 0)
    assert job["conditions"] == {"workflow": "waiting", "status": ["pending", "running"]}
    for run in runs:
        assert (await api.get(f"/runs/{run}", wait=20))["status"] == "cancelled"
    assert (await api.get(f"/runs/{other}"))["status"] == "running"
    assert [each["id"] for each in (await api.get("/bulk"))["items"]] == ["b1"]
    assert await api.get("/bulk/b1/failures") == {"items": [], "next": None}
    assert (await api.post("/bulk/b1/cancel", code=409))["code"] == "run_ended"
    assert (await api.post("/runs/b1/retry", code=400))["code"] == "bad_option"


async def test_a_job_that_is_too_wide_or_misspelt_is_refused(small_api: Asker):
    ask = small_api.post
    assert (await ask("/bulk", {"act": "cancel"}, code=400))["field"] == "all"
    assert (await ask("/bulk", {"act": "explode", "all": True}, code=400))["field"] == "act"
    unknown = await ask("/bulk", {"act": "cancel", "workflw": "x"}, code=400)
    assert "workflw" in unknown["detail"]
    assert (await ask("/prune", {}, code=400))["code"] == "bad_request"
    assert (await ask("/prune", {"older_than": -1}, code=400))["field"] == "older_than"
    assert (await ask("/prune", {"older_than": 1, "status": ["running"]}, code=400))["code"] == "bad_request"
    assert (await small_api.get("/bulk/nobody", code=404))["code"] == "job_not_found"
    assert (await small_api.get("/bulk/nobody/failures", code=404))["code"] == "job_not_found"
    assert (await small_api.get("/bulk"))["items"] == []


async def test_old_runs_are_pruned(api: Asker):
    runs = [await api.start("doubled", [1]) for _ in range(3)]
    for run in runs:
        await api.get(f"/runs/{run}", wait=20)

    dry = await api.post("/prune", {"older_than": 0, "workflow": "doubled", "dry_run": True})
    begun = await api.post("/prune", {"older_than": 0, "workflow": "doubled"}, code=202)
    job = await finished(api, begun["job"]["id"])

    assert dry["preview"]["matched"] == 3
    assert (job["act"], job["done"], job["rows"] >= 3) == ("prune", 3, True)
    assert (await api.get("/runs", workflow="doubled"))["items"] == []


async def test_a_job_may_do_what_its_caller_may_do_to_one_run(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        async with server.as_("operator") as operator:
            run = await operator.start("waiting", [])
            denied = await operator.post("/bulk", {"act": "delete", "all": True}, code=403)
            begun = await operator.post("/bulk", {"act": "terminate", "all": True}, code=202)
            job = await finished(operator, begun["job"]["id"])
            start = {"workflow": "holdfast.bulk", "input": [{"act": "delete"}]}
            assert (await operator.post("/runs", start, code=404))["code"] == "unknown_workflow"
        async with server.as_("admin") as admin:
            await admin.post("/bulk", {"act": "delete", "workflow": "waiting"}, code=202)

            async def is_deleted() -> bool:
                return (await admin.get("/runs", workflow="waiting"))["items"] == []

            await until(is_deleted)
            audit = (await admin.get("/audit", action="runs.bulk"))["items"]

    assert "runs.delete" in denied["detail"]
    assert (job["done"], job["by"]) == (1, "the operator")
    assert [row["by"] for row in audit] == ["the admin", "the operator"]
    assert audit[0]["after"] == {"act": "delete", "conditions": {"workflow": "waiting"}}
    assert audit[1]["target"] == job["id"] != run
