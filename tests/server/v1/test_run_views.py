"""What a picture of a run shows, over HTTP."""

from __future__ import annotations

import datetime as dt

from tests.server.v1.asking import Asker


async def test_the_tasks_of_a_run_are_grouped_by_name(api: Asker):
    run = await api.start("doubled", {"number": 1, "times": 7})
    ended = await api.get(f"/runs/{run}", wait=20)

    found = await api.get(f"/runs/{run}/groups")

    [group] = found["groups"]
    assert (found["total"], found["is_all"]) == (7, True)
    assert (group["name"], group["kind"], group["count"]) == ("double", "task", 7)
    assert (group["first_seq"], group["last_seq"]) == (0, 6)
    assert {state: count for state, count in group["states"].items() if count} == {"success": 7}
    assert 0 <= group["median_took"] <= group["slowest_took"]
    assert ended["created_at"] <= group["asked_at"] <= group["ended_at"] <= ended["finished_at"]


async def test_the_groups_of_a_run_are_had_as_they_were(api: Asker):
    run = await api.start("doubled", {"number": 1})
    ended = await api.get(f"/runs/{run}", wait=20)
    before = dt.datetime.fromisoformat(ended["created_at"]) - dt.timedelta(seconds=1)

    found = await api.get(f"/runs/{run}/groups", at=before.isoformat())

    assert (found["groups"], found["total"]) == ([], 0)
    assert dt.datetime.fromisoformat(found["at"]) == before
    assert (await api.get(f"/runs/{run}/groups", at="2026-01-01T00:00:00", code=400))["code"] == "bad_option"
    assert (await api.get("/runs/nobody/groups", code=404))["code"] == "run_not_found"


async def test_children_and_promises_have_groups(api: Asker):
    parent, asking = await api.start("parent", [2]), await api.start("asking", ["Send it?"])
    await api.get(f"/runs/{parent}", wait=20)
    await api.get(f"/runs/{asking}", wait=0.2)

    [children] = (await api.get(f"/runs/{parent}/groups"))["groups"]
    [promises] = (await api.get(f"/runs/{asking}/groups"))["groups"]

    assert (children["name"], children["kind"], children["states"]["success"]) == ("doubled", "child", 2)
    assert (promises["name"], promises["kind"], promises["states"]["pending"]) == ("verdict", "promise", 1)


async def test_how_many_tasks_ran_at_once_is_counted_in_bins(api: Asker):
    run = await api.start("doubled", {"number": 1, "times": 7})
    await api.get(f"/runs/{run}", wait=20)

    found = await api.get(f"/runs/{run}/busy", name="double", bins=10)
    others = await api.get(f"/runs/{run}/busy", name="another")

    assert (len(found["running"]), max(found["running"]), found["most"]) == (10, 1, 1)
    begin, end = (dt.datetime.fromisoformat(found[each]) for each in ("begin", "end"))
    assert abs((end - begin).total_seconds() - 10 * found["bin"]) < 0.001
    assert others == {"begin": None, "end": None, "bin": 0.0, "running": [], "most": 0}
    await api.get(f"/runs/{run}/busy", bins=801, code=400)
    assert (await api.get("/runs/nobody/busy", code=404))["code"] == "run_not_found"


async def test_each_task_of_a_name_is_had_in_brief(api: Asker):
    good, bad = await api.start("doubled", {"number": 1, "times": 7}), await api.start("failing", ["no"])
    await api.get(f"/runs/{good}", wait=20)
    await api.get(f"/runs/{bad}", wait=20)

    found = await api.get(f"/runs/{good}/grain", name="double")
    failed = await api.get(f"/runs/{bad}/grain", name="break_down")

    assert (found["name"], found["first_seq"], found["count"]) == ("double", 0, 7)
    assert (found["states"], found["retried"], found["tries"]) == ("sssssss", [], [])
    assert all(0 <= took < 20 for took in found["took"])
    assert failed["states"] == "f"
    empty = {"name": "x", "first_seq": None, "count": 0, "took": [], "states": "", "retried": [], "tries": []}
    assert await api.get(f"/runs/{good}/grain", name="x") == empty
    await api.get(f"/runs/{good}/grain", code=400)
    assert (await api.get("/runs/nobody/grain", name="x", code=404))["code"] == "run_not_found"


async def test_a_run_has_neighbours(api: Asker):
    first, other = await api.start("doubled", [1], id="first"), await api.start("waiting", [])
    second, third = await api.start("doubled", [2]), await api.start("doubled", [3], id="third")
    await api.get(f"/runs/{third}", wait=20)

    assert await api.get(f"/runs/{second}/neighbours") == {"previous": first, "next": third}
    assert await api.get("/runs/first/neighbours") == {"previous": None, "next": second}
    assert await api.get(f"/runs/{other}/neighbours") == {"previous": None, "next": None}
    assert (await api.get("/runs/nobody/neighbours", code=404))["code"] == "run_not_found"
