"""Schedules over HTTP."""

from __future__ import annotations

import pytest
from tests.server.v1.asking import Asker

NIGHTLY = {"workflow": "doubled", "cron": "0 2 * * *", "timezone": "Europe/Berlin", "input": {"number": 2}}


async def test_a_schedule_is_put_read_changed_and_deleted(api: Asker):
    put = await api.ask("PUT", "/schedules/nightly", NIGHTLY)
    changed = await api.ask(
        "PUT",
        "/schedules/nightly",
        {"workflow": "doubled", "every": 3600, "jitter": 5, "input": {"number": 2}},
    )

    assert put["plan"] == {
        "cron": "0 2 * * *",
        "every": None,
        "timezone": "Europe/Berlin",
        "jitter": 0,
        "start": None,
        "end": None,
        "overlap": "skip",
        "catchup": "last",
        "catchup_most": 100,
    }
    assert (changed["plan"]["every"], changed["plan"]["jitter"]) == (3600, 5)
    assert await api.get("/schedules/nightly") == changed
    assert (await api.get("/schedules"))["items"] == [changed]
    await api.ask("DELETE", "/schedules/nightly", code=204)
    assert (await api.get("/schedules/nightly", code=404))["code"] == "schedule_not_found"


async def test_nobody_overwrites_a_schedule_that_he_does_not_know(api: Asker):
    new, path = {"If-None-Match": "*"}, "/schedules/nightly"
    first = await api.ask("PUT", path, NIGHTLY, headers=new)
    other = {**NIGHTLY, "cron": "0 3 * * *"}

    taken = await api.ask("PUT", path, other, headers=new, code=412)
    second = await api.ask("PUT", path, other, headers={"If-Match": f'"{first["hash"]}"'})
    late = await api.ask("PUT", path, NIGHTLY, headers={"If-Match": f'"{first["hash"]}"'}, code=412)
    await api.post("/schedules/nightly/trigger", code=201)
    again = await api.ask("PUT", path, other, headers={"If-Match": f'"{first["hash"]}"'})
    await api.ask("DELETE", path, code=204)
    gone = await api.ask("PUT", path, other, headers={"If-Match": f'"{second["hash"]}"'}, code=412)

    assert "there is one of that name already" in taken["detail"]
    assert "somebody has changed it meanwhile" in late["detail"]
    assert again["hash"] == second["hash"] != first["hash"], "an answer that was lost can be asked for again"
    assert "it is not there any more" in gone["detail"]
    assert (await api.get("/schedules"))["items"] == []


@pytest.mark.parametrize("name", ["%2E", "%2E%2E"])
async def test_a_schedule_that_has_no_address_is_refused(api: Asker, name: str):
    said = await api.ask("PUT", f"/schedules/{name}", NIGHTLY, code=400)

    assert "in an address it means the folder" in said["detail"]
    gone = await api.ask("DELETE", f"/schedules/{name}", code=404)
    assert gone["code"] == "schedule_not_found", "one of an older version can be deleted"


async def test_a_schedule_is_paused_resumed_and_triggered(api: Asker):
    await api.ask("PUT", "/schedules/nightly", NIGHTLY)

    assert (await api.post("/schedules/nightly/pause"))["is_paused"]
    assert not (await api.post("/schedules/nightly/resume"))["is_paused"]
    started = await api.post("/schedules/nightly/trigger", code=201)
    span = {"begin": "2026-01-01T00:00:00Z", "end": "2026-01-04T00:00:00Z"}
    filled = await api.post("/schedules/nightly/backfill", span, code=201)

    assert (await api.get(f"/runs/{started['key']}", wait=20))["output"] == 4
    assert len(filled) == 3
    assert len((await api.get("/schedules/nightly/upcoming", limit=5))["items"]) == 5
    outage = await api.get("/schedules/nightly/outage", **span)
    assert (len(outage["started"]), outage["skipped"]) == (1, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cron": "61 * * * *"}, "61"),
        ({"cron": None}, "cron"),
        ({"timezone": "Mars/Base"}, "Mars/Base"),
        ({"input": {"nmber": 1}}, "number"),
        ({"overlap": "maybe"}, "maybe"),
        ({"catchup_most": 0}, "at least 1"),
    ],
)
async def test_a_bad_schedule_is_refused(small_api: Asker, change: dict[str, object], said: str):
    problem = await small_api.ask("PUT", "/schedules/nightly", NIGHTLY | change, code=400)

    assert said in problem["detail"]
    assert (await small_api.get("/schedules"))["items"] == []


async def test_ticks_are_told_and_a_backfill_can_be_tried(api: Asker):
    await api.ask("PUT", "/schedules/nightly", NIGHTLY)
    span = {"begin": "2026-01-01T00:00:00Z", "end": "2026-01-04T00:00:00Z"}

    before = await api.post("/schedules/nightly/backfill", {**span, "dry_run": True}, code=201)
    await api.post("/schedules/nightly/backfill", {**span, "end": "2026-01-03T00:00:00Z"}, code=201)
    after = await api.post("/schedules/nightly/backfill", {**span, "dry_run": True}, code=201)
    started = await api.post("/schedules/nightly/trigger", code=201)
    await api.get(f"/runs/{started['key']}", wait=20)
    ticks = await api.get("/schedule-ticks")

    assert (before["ticks"], before["new"], before["existing"]) == (3, 3, 0)
    assert (after["new"], after["existing"]) == (1, 2)
    assert after["first"][2] == {
        "tick": "2026-01-03T01:00:00Z",
        "run": "nightly@2026-01-03T01:00:00Z",
        "exists": False,
    }
    (found,) = ticks["schedules"]
    assert ticks["is_all"]
    assert found["words"] == "every day at 02:00, Berlin"
    assert [(tick["run"], tick["status"], tick["note"]) for tick in found["past"]] == [
        (started["id"], "success", "started by hand")
    ]
    assert len(found["coming"]) <= 1
    assert found["typical_took"] is not None
    assert await api.get("/schedule-ticks", name="nightly") != {}
    assert (await api.get("/schedule-ticks", name="daily", code=404))["code"] == "schedule_not_found"
    assert (await api.get("/schedules/nightly"))["words"] == "every day at 02:00, Berlin"


async def test_a_plan_is_previewed_before_there_is_a_schedule(api: Asker):
    berlin = {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "start": "2030-03-30T00:00:00Z", "count": 3}

    found = await api.post("/schedule-preview", berlin)
    delayed = await api.post("/schedule-preview", {"every": 3600, "jitter": 600, "name": "nightly"})
    other = await api.post("/schedule-preview", {"every": 3600, "jitter": 600, "name": "daily"})
    ended = await api.post("/schedule-preview", {**berlin, "end": "2030-03-30T00:00:01Z"})

    assert found["words"] == "every day at 02:30, Berlin"
    assert [each["tick"] for each in found["coming"]] == [
        "2030-03-30T01:30:00Z",
        "2030-03-31T01:00:00Z",  # the clocks go from 02:00 to 03:00
        "2030-04-01T00:30:00Z",
    ]
    assert found["clock_changes"][-1] == {"at": "2030-03-31T01:00:00Z", "before": 3600, "after": 7200}
    assert len(delayed["coming"]) == 10
    assert all(each["tick"] <= each["at"] for each in delayed["coming"])
    assert [each["at"] for each in delayed["coming"]] != [each["at"] for each in other["coming"]]
    assert ended["coming"] == []
    assert (await api.get("/schedules"))["items"] == []
    refused = await api.post("/schedule-preview", {"cron": "nonsense"}, code=400)
    assert "nonsense" in refused["detail"]
