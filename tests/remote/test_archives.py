"""Archives and the doctor over HTTP: the same lines, the same findings, the same errors."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

import msgspec
import pytest
from tests.remote.conftest import Pair, serving

from holdfast import (
    BadArchive,
    CannotImport,
    Catalog,
    Holdfast,
    RunNotFound,
    ServerUnavailable,
    workflow,
)
from holdfast.client.archives import ImportReport
from holdfast.client.findings import Finding, finding_of, read_finding
from holdfast.client.schedules import OverdueSchedule
from holdfast.errors import BadFile


async def lines_of(lines: AsyncIterator[str]) -> list[str]:
    return [line async for line in lines]


async def test_runs_are_exported_as_they_are_where_the_database_is(pair: Pair):
    await pair.local.run("doubled", 4, id="a\u2028b")
    await pair.local.run("doubled", 5, id="c")

    assert await lines_of(pair.remote.export_runs()) == await lines_of(pair.local.export_runs())
    named = await lines_of(pair.remote.export_runs("c", children=False))
    assert named == await lines_of(pair.local.export_runs("c", children=False))
    chosen = await lines_of(pair.remote.export_runs(status="failed", created_after=dt.datetime.now(dt.UTC)))
    assert len(chosen) < len(named)
    quick = await lines_of(pair.remote.export_runs(took_under=3600.5))
    assert len(quick) > len(await lines_of(pair.remote.export_runs(took_over=3600.5)))
    with pytest.raises(RunNotFound):
        await lines_of(pair.remote.export_runs("nobody"))


async def test_an_archive_may_be_larger_than_other_bodies_and_its_limit_is_told(
    pair: Pair, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
):
    for id in ("a", "b"):
        with pytest.raises(ValueError, match="xxx"):
            await pair.local.run("failing", "x" * 3_000_000, id=id)
    async with serving(f"sqlite:///{tmp_path}/other.db") as other:
        assert (await other.remote.import_runs(pair.remote.export_runs())).runs == 2
        monkeypatch.setattr("holdfast.remote.archives._MOST_BYTES", 1_000_000)
        with pytest.raises(BadFile, match="holdfast runs import FILE --db URL"):
            await other.remote.import_runs(pair.remote.export_runs())


async def test_runs_go_from_one_server_to_another(pair: Pair, tmp_path: Any):
    large = "x" * 300_000
    await pair.local.run("doubled", 4, id="a")
    with pytest.raises(ValueError, match="xxx"):
        await pair.local.run("failing", large, id="b")
    async with serving(f"sqlite:///{tmp_path}/other.db") as other:
        reported: list[ImportReport] = []
        lines = await lines_of(pair.remote.export_runs())

        checked = await other.remote.import_runs(lines, dry_run=True)
        assert (checked.runs, await other.local.list()) == (2, [])
        done = await other.remote.import_runs(pair.remote.export_runs(), progress=reported.append)

        assert (done.runs, reported) == (2, [done])
        assert await other.local.describe("a") == await pair.local.describe("a")
        assert (await other.local.describe("b")).input == {"why": large}
        assert (await other.remote.import_runs(lines)).existing == 2
        with pytest.raises(BadArchive, match="line 1: "):
            await other.remote.import_runs(["no archive"])
        audit = [each for each in await other.local.audit.list() if each.action == "archive.import"]
        assert len(audit) == 3


async def test_a_run_that_goes_on_is_imported_only_if_asked_for(pair: Pair, tmp_path: Any):
    await pair.local.start("counting", 1, id="a")
    async with serving(f"sqlite:///{tmp_path}/other.db") as other:
        with pytest.raises(CannotImport, match="it has not ended") as refused:
            await other.remote.import_runs(pair.remote.export_runs())
        assert refused.value.count == 1

        assert (await other.remote.import_runs(pair.remote.export_runs(), live=True)).live == 1


async def test_an_export_that_is_cut_short_is_no_archive(pair: Pair, tmp_path: Any):
    runs = await pair.local.start_many("failing", ["x" * 200_000] * 60)
    await asyncio.gather(*(run.result() for run in runs), return_exceptions=True)
    got: list[str] = []
    async with aclosing(cast("Any", pair.remote.export_runs())) as lines:
        got.append(await anext(lines))
        stopping = asyncio.create_task(pair.server.stop())
        with pytest.raises(ServerUnavailable):
            got += [line async for line in lines]
        await stopping

    async with serving(f"sqlite:///{tmp_path}/other.db") as other:
        with pytest.raises(BadArchive):
            await other.remote.import_runs(got)
        assert await other.local.list() == []


async def test_the_doctor_finds_the_same(pair: Pair):
    assert await pair.remote.doctor() == []
    elsewhere = Catalog()
    unknown = workflow(catalog=elsewhere, name="unknown")(nothing)
    async with Holdfast(pair.local.settings.url, catalog=elsewhere, engine=False) as stranger:
        await stranger.start(unknown, id="r")

    found = await pair.remote.doctor()

    assert [(each.workflow, each.problem[:17]) for each in found] == [("unknown", "it is due, and no")]
    assert found == await pair.local.doctor()


async def nothing() -> None:
    pass


def test_a_schedule_that_no_node_fires_is_written_and_read():
    at = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    overdue = OverdueSchedule("nightly", "order", at, "no node has it")
    sent = msgspec.json.decode(msgspec.json.encode(finding_of(overdue)), type=Finding)

    assert read_finding(sent) == overdue
    assert read_finding(Finding("order", "of a later version")) is None
