"""Counts, rates and namespaces, over HTTP."""

from __future__ import annotations

from tests.server.v1.asking import Asker, new_catalog
from tests.server.v1.test_access import keyed_server

from holdfast import Holdfast


async def test_a_dashboard_sees_states_and_what_happened_when(api: Asker):
    good, bad = await api.start("doubled", [1]), await api.start("failing", ["x"])
    await api.start("waiting", [])
    for run in (good, bad):
        await api.get(f"/runs/{run}", wait=20)

    hour = await api.get("/stats")
    day = await api.get("/stats", last=86_400, step=3600)

    states = {it["name"]: it["count"] for it in hour["states"]}
    assert (states["success"], states["failed"], states["running"]) == (1, 1, 1)
    assert (hour["step_seconds"], len(hour["points"])) == (60.0, 60)
    assert (day["step_seconds"], len(day["points"])) == (3600.0, 24)
    for each in (hour, day):
        total = each["total"]
        assert [total[it] for it in ("started", "succeeded", "failed", "cancelled")] == [3, 1, 1, 0]
    assert sum(point["started"] for point in hour["points"]) == 3


async def test_what_needs_a_person_is_told_in_sentences(api: Asker):
    good, bad = await api.start("doubled", [1]), await api.start("failing", ["x"])
    for run in (good, bad):
        await api.get(f"/runs/{run}", wait=20)

    found = await api.get("/attention")

    (item,) = found["items"]
    assert (item["kind"], item["title"]) == ("failed", "failing failed in break_down")
    assert item["parts"][0] == {"text": "It failed with ", "kind": "", "ref": ""}
    assert found["sentence"][1] == {"text": "one thing needs a person.", "kind": "strong", "ref": ""}
    assert (found["is_fine"], found["counts"]["failed_lately"], found["counts"]["nodes_alive"]) == (
        False,
        1,
        1,
    )
    listed = await api.get(f"/runs?{item['filter']}")
    assert [run["id"] for run in listed["items"]] == [bad]


async def test_times_that_make_no_sense_are_refused(small_api: Asker):
    assert (await small_api.get("/stats", last=1, code=400))["field"] == "last"
    assert (await small_api.get("/stats", last=3600, step=90, code=400))["field"] == "step"
    assert (await small_api.get("/stats", last=3600, step=7200, code=400))["field"] == "step"


async def test_a_key_of_one_namespace_sees_that_one_only(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        async with Holdfast(sqlite_url, namespace="other", engine=False, catalog=new_catalog()) as other:
            theirs = await other.keys.create("their viewer", "viewer")
            await other.start("waiting")
        async with server.as_("admin") as asker:
            own = (await asker.get("/namespaces"))["items"]
        async with server.as_(theirs.text) as asker:
            others = (await asker.get("/namespaces"))["items"]
            assert (await asker.get("/stats"))["total"]["started"] == 1
        async with server.as_("everywhere") as asker:
            everywhere = (await asker.get("/namespaces"))["items"]
            assert (await asker.get("/stats"))["total"]["started"] == 0

    assert own == [{"name": "default", "open_runs": 0, "failed_runs": 0}]
    assert others == [{"name": "other", "open_runs": 1, "failed_runs": 0}]
    assert everywhere == [*own, *others]
