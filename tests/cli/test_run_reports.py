"""What `serve`, `worker` and `dev` print of runs."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from typing import Any

import pytest
from tests.server.v1.asking import new_catalog

from holdfast import Holdfast, RunCancelled, RunFailed
from holdfast.cli.run_reports import RunReports
from holdfast.client.run_news import MOST_NEWS


class Printed:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.facts: list[dict[str, Any]] = []

    def print(self, event: str, text: str, at: dt.datetime | None = None, **facts: Any) -> None:
        self.lines.append(text.partition(" after")[0])
        self.facts.append(facts)


@contextlib.asynccontextmanager
async def reporting(url: str, **options: Any):
    printed: Any = Printed()
    async with Holdfast(url, catalog=new_catalog(), **options) as hf:
        reports = RunReports(hf, printed)
        await reports.begin()
        yield hf, reports, printed


async def test_a_run_that_ends_and_is_deleted_between_two_looks_is_not_missed(store_url: str):
    async with reporting(store_url) as (hf, reports, printed):
        gone = await hf.start("waiting", id="gone")
        await reports.catch_up()
        await gone.terminate()
        with pytest.raises(RunCancelled):
            await gone.result()
        await hf.delete("gone")
        await hf.run("doubled", 1, id="short")
        await hf.delete("short")
        await hf.run("doubled", 1, id="next")

        await reports.catch_up()

    assert printed.lines == [
        "run gone of waiting starts",
        "run gone of waiting has ended and is deleted",
        "run short of doubled has ended and is deleted",
        "run next of doubled starts",
        "run next of doubled success",
    ]


async def test_the_deletion_of_runs_that_were_told_or_are_old_is_no_news(
    store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("holdfast.cli.run_reports._NEWEST", 1)
    async with Holdfast(store_url, catalog=new_catalog()) as hf:
        await hf.run("doubled", 1, id="oldest")
        await hf.run("doubled", 1, id="old")
    async with reporting(store_url) as (hf, reports, printed):
        await hf.run("doubled", 1, id="told")
        await reports.catch_up()
        for id in ("oldest", "old", "told"):
            await hf.delete(id)

        await reports.catch_up()

    assert printed.lines == ["run told of doubled starts", "run told of doubled success"]


async def test_a_failure_is_told_with_its_reason_and_a_retry_too(store_url: str):
    async with Holdfast(store_url, catalog=new_catalog()) as hf:
        with pytest.raises(RunFailed):
            await hf.run("failing", "no money", id="mine")
    async with reporting(store_url) as (hf, reports, printed):
        await hf.retry("mine")
        with pytest.raises(RunFailed):
            await hf.result("mine")

        await reports.catch_up()

    assert printed.lines[0] == "run mine of failing is running"
    assert [fact["status"] for fact in printed.facts] == ["running", "failed"]
    assert printed.facts[-1]["problem"] == "ValueError: no money"


async def test_of_very_many_runs_a_sample_is_told_and_that_there_are_more(store_url: str):
    async with reporting(store_url, engine=False) as (hf, reports, printed):
        await hf.start_many("doubled", list(range(10 * MOST_NEWS)))
        await reports.catch_up()
        *told, more = printed.lines
        printed.lines.clear()

        await hf.start("waiting", id="next")
        await reports.catch_up()

    assert len(told) == MOST_NEWS
    assert all(line.endswith(" of doubled starts") for line in told)
    assert more.startswith("more runs have begun and ended than are printed here")
    assert printed.lines == ["run next of waiting starts"]


async def test_while_nothing_happens_the_store_is_not_asked(sqlite_url: str):
    async with reporting(sqlite_url) as (hf, reports, printed):
        reads: list[Any] = []
        announcements: list[Any] = []
        store: Any = hf._store
        read, tell = store.read_changes, store.tell_watched
        store.read_changes = lambda *which: (reads.append(which), read(*which))[1]
        store.tell_watched = lambda: (announcements.append(1), tell())[1]
        going_on = asyncio.create_task(reports.go_on(0))
        await hf.run("doubled", 1, id="mine")
        await reports.catch_up()
        await asyncio.sleep(0.05)
        reads.clear()

        await asyncio.sleep(0.2)

        going_on.cancel()
    assert (reads, announcements, len(printed.lines)) == ([], [], 2)
