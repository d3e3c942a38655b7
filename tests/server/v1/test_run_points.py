"""Runs as points, over HTTP."""

from __future__ import annotations

import datetime as dt

from tests.server.v1.asking import Asker


async def test_points_are_columns_and_more_runs_are_counted(api: Asker):
    runs = [await api.start("doubled", [number], id=f"run-{number}") for number in range(4)]
    runs.append(await api.start("failing", ["oh"], id="bad"))
    for run in runs:
        await api.get(f"/runs/{run}", wait=20)
    shown = [await api.get(f"/runs/{run}") for run in runs[::-1]]

    found = await api.get("/run-points")
    some = await api.get("/run-points", limit=2)
    failed = await api.get("/run-points", status="failed")

    points = found["points"]
    assert points["id"] == runs[::-1]
    assert points["key"] == [run["key"] for run in shown]
    assert points["state"] == ["failed", *["success"] * 4]
    assert points["workflow"] == ["failing", *["doubled"] * 4]
    created = [dt.datetime.fromisoformat(run["created_at"]).timestamp() for run in shown]
    assert [round(at, 3) for at in points["at"]] == [round(at, 3) for at in created]
    assert all(0 <= took < 60 for took in points["took"])
    assert (found["is_all"], found["looked_at"], found["bins"]) == (True, 5, None)
    assert (some["points"]["id"], some["is_all"], some["looked_at"]) == (runs[:2:-1], False, 5)
    bins = some["bins"]
    assert (bins["columns"], bins["rows"], bins["took_min"], bins["took_max"]) == (240, 40, 0.001, 2_592_000)
    assert sum(count for _, _, _, count in bins["counts"]) == 5
    assert {state for _, _, state, _ in bins["counts"]} == {"success", "failed"}
    assert failed["points"]["id"] == ["bad"]
    assert (await api.get("/run-points", limit=5001, code=400))["status"] == 400
    assert (await api.get("/run-points", status="well", code=400))["status"] == 400


async def test_a_run_that_has_not_ended_took_no_time_yet(api: Asker):
    await api.start("waiting", [])

    found = await api.get("/run-points")

    assert found["points"]["took"] == [None]
