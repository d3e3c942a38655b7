"""Lists of runs over HTTP: by every condition, in pages, without payloads unless they are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.v1.asking import Asker

from holdfast.client import run_counts


async def ids(api: Asker, **query: Any) -> list[str]:
    return [each["id"] for each in (await api.get("/runs", **query))["items"]]


async def test_runs_are_chosen_by_several_conditions_at_once(api: Asker):
    good = await api.start("doubled", [1], id="good-1", tags=["x", "y"])
    other = await api.start("doubled", [2], id="Good-2", tags=["x"])
    bad = await api.start("failing", ["no price: 50%"], id="bad")
    for run in (good, other, bad):
        await api.get(f"/runs/{run}", wait=20)
    ended = (await api.get(f"/runs/{bad}"))["finished_at"]
    version = (await api.get(f"/runs/{good}"))["version"]

    assert await ids(api, status=["failed", "success"]) == [bad, other, good]
    assert await ids(api, status=["failed", "success"], workflow="doubled") == [other, good]
    assert await ids(api, tag=["x", "y"]) == [good]
    assert await ids(api, tag=["x"], status="failed") == []
    assert await ids(api, id_contains="GOOD-") == [other, good]
    assert await ids(api, error_contains="PRICE: 50%") == [bad]
    assert await ids(api, error_contains="traceback") == []
    assert await ids(api, error_type="ValueError") == [bad]
    assert await ids(api, error_type="KeyError") == []
    assert await ids(api, version=version, workflow="doubled") == [other, good]
    assert await ids(api, version="none") == []
    assert bad in await ids(api, ended_after=ended)
    assert bad not in await ids(api, ended_before=ended)
    assert await ids(api, schedule="nightly") == []


async def test_runs_are_chosen_by_how_long_they_took(api: Asker):
    quick = await api.start("doubled", [1])
    await api.get(f"/runs/{quick}", wait=20)
    await api.start("waiting", [])

    assert await ids(api, took_over=0) == await ids(api, took_under=3600.5) == [quick]
    assert await ids(api, took_over=3600.5) == await ids(api, took_under=0) == []
    assert (await api.get("/run-points", took_under=3600))["points"]["id"] == [quick]
    counts = (await api.get("/run-counts", took_over=0))["items"]
    assert {each["name"]: each["count"] for each in counts if each["count"]} == {"success": 1}
    dry = await api.post("/bulk", {"act": "delete", "took_under": 3600, "dry_run": True})
    assert dry["preview"]["sample"] == [quick]
    for bad in (-1, "nan", "inf", 1e10):
        assert (await api.get("/runs", code=400, took_over=bad))["field"] == "took_over"
    await api.get("/runs", code=400, took_under="long")


async def test_a_list_has_inputs_and_outputs_only_if_they_are_asked_for(api: Asker):
    run = await api.start("doubled", [21])
    await api.get(f"/runs/{run}", wait=20)

    [short] = (await api.get("/runs"))["items"]
    [whole] = (await api.get("/runs", payloads=True))["items"]

    assert (short["input"], short["output"]) == (None, None)
    assert (whole["input"], whole["output"]) == ({"number": 21, "times": 1}, 42)


async def test_bad_conditions_are_refused_by_name(api: Asker):
    refused = {
        "error_contains": "",
        "id_contains": "x" * 2000,
        "after": "not a key",
        "created_after": "2026-01-01T00:00:00",
        "ended_after": "2026-01-01T00:00:00",
    }
    for field, value in refused.items():
        problem = await api.get("/runs", code=400, **{field: value})
        assert problem["field"] == field, problem
    await api.get("/runs", code=400, status="unknown")
    assert (await api.get("/runs", code=404, parent="nobody"))["code"] == "run_not_found"


async def test_an_unknown_query_parameter_is_refused_and_what_was_meant_is_said(api: Asker):
    typo = await api.get("/runs", code=400, stauts="failed")
    assert (typo["field"], typo["code"]) == ("stauts", "bad_request")
    assert typo["detail"] == "this route has no query parameter 'stauts'; did you mean 'status'?"
    assert "there are after, kind, limit" in (await api.get("/workflows", code=400, zzz=1))["detail"]
    assert "has no query, and was given 'x'" in (await api.get("/me", code=400, x=1))["detail"]
    run = await api.start("doubled", [1])
    await api.ask("POST", f"/runs/{run}/cancel?reson=x", {}, code=400)


async def test_runs_are_counted_by_state_and_by_workflow(api: Asker):
    for run in [await api.start("doubled", [1]), await api.start("doubled", [2], tags=["x"])]:
        await api.get(f"/runs/{run}", wait=20)
    await api.get(f"/runs/{await api.start('failing', ['oh'])}", wait=20)

    async def counts(**query: Any) -> dict[str, int]:
        found = (await api.get("/run-counts", **query))["items"]
        assert all(each["is_exact"] for each in found)
        return {each["name"]: each["count"] for each in found if each["count"]}

    assert await counts() == {"success": 2, "failed": 1}
    assert await counts(workflow="failing") == {"failed": 1}
    assert await counts(by="workflow") == {"doubled": 2, "failing": 1}
    assert await counts(by="workflow", status="success") == {"doubled": 2}
    assert await counts(tag="x") == {"success": 1}
    assert await counts(error_contains="oh") == {"failed": 1}
    await api.get("/run-counts", code=400, by="color")


async def test_a_count_that_is_not_exact_says_so(api: Asker, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_counts, "_MOST", 2)
    monkeypatch.setattr(run_counts, "_MOST_LOOKED_AT", 2)
    monkeypatch.setattr(run_counts, "_AT_ONCE", 2)
    for number in range(3):
        await api.get(f"/runs/{await api.start('doubled', [number])}", wait=20)

    plain = (await api.get("/run-counts", status="success"))["items"]
    looked_for = (await api.get("/run-counts", status="success", id_contains="-"))["items"]
    by_workflow = (await api.get("/run-counts", by="workflow"))["items"]

    assert plain == looked_for == [{"name": "success", "count": 2, "is_exact": False}]
    assert by_workflow == [{"name": "doubled", "count": 2, "is_exact": False}]
