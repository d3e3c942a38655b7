"""Pulses over real HTTP: what a page is told, put together, so that it knows what to read again."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx
import pytest
from tests.patience import PATIENCE
from tests.server.v1.asking import Asker
from tests.server.v1.event_reading import Event, Reader, reading
from tests.server.v1.test_events import hub_of, run_all

from holdfast import StoreUnavailable
from holdfast.ports.changes import ChangeFilter
from holdfast.server.live import pulses
from holdfast.server.live.subscriptions import LAGGED


async def pulses_until(reader: Reader, is_enough: Any) -> list[Event]:
    found: list[Event] = []
    async with asyncio.timeout(PATIENCE):
        async for event in reader.events():
            found.append(event)
            if is_enough(found):
                return found
    return found


def total(events: list[Event], name: str) -> int:
    return sum(event.data[name] for event in events)


async def test_a_page_is_told_how_many_runs_were_created_and_ended_and_which(api: Asker):
    async with reading(api, "/pulse") as reader:
        [first] = await pulses_until(reader, lambda found: found)
        await run_all(api, 3, 2)
        events = await pulses_until(reader, lambda found: total(found, "succeeded") == 3)

    assert (first.kind, first.data["is_cut"], first.data["runs"]) == ("pulse", True, [])
    assert total(events, "created") == 3
    assert total(events, "tasks") > 0
    assert total(events, "failed") == total(events, "cancelled") == 0
    last = {run["key"]: run["status"] for event in events for run in event.data["runs"]}
    assert [*last.values()] == ["success"] * 3
    assert not any(event.data["is_cut"] or event.data["changes"] for event in events)


async def test_pulses_come_four_times_a_second_at_most(api: Asker):
    async with reading(api, "/pulse") as reader:
        await pulses_until(reader, lambda found: found)
        begun = time.monotonic()
        for _ in range(10):
            await run_all(api, 5, 2)
        events = await pulses_until(reader, lambda found: total(found, "succeeded") == 50)
        took = time.monotonic() - begun

    assert len(events) <= 2 + took / pulses._EVERY_SECONDS


async def test_the_more_pages_are_open_the_less_often_each_is_told(
    api: Asker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pulses, "_PAGES_PER_SECOND", 2)
    async with reading(api, "/pulse") as reader, reading(api, "/pulse") as other:
        await pulses_until(reader, lambda found: found)
        await pulses_until(other, lambda found: found)
        begun = time.monotonic()
        for _ in range(20):
            await run_all(api, 1, 2)
            await asyncio.sleep(0.1)
        events = await pulses_until(reader, lambda found: total(found, "succeeded") == 20)
        took = time.monotonic() - begun

    assert len(events) <= 2 + took, "both of them are told twice a second together"


async def test_who_looks_at_a_run_hears_of_its_tasks_and_others_do_not(api: Asker):
    run = await api.hf.start("waiting", id="looked-at")
    await api.hf.start("waiting", id="another")
    async with reading(api, "/pulse", run="looked-at") as reader, reading(api, "/pulse") as other:
        await pulses_until(reader, lambda found: found)
        await pulses_until(other, lambda found: found)
        await api.hf.signal("another", "go", 1)
        await run.signal("go", 1)
        events = await pulses_until(reader, lambda found: total(found, "succeeded") == 2)
        told = await pulses_until(other, lambda found: total(found, "succeeded") == 2)

    changes = [change for event in events for change in event.data["changes"]]
    assert {change["run"] for change in changes} == {"looked-at"}
    assert {"message", "run_status"} <= {change["kind"] for change in changes}
    assert [change for event in told for change in event.data["changes"]] == []


async def test_who_comes_back_is_told_what_was_missed(api: Asker):
    async with reading(api, "/pulse") as reader:
        await pulses_until(reader, lambda found: found)
        await run_all(api, 1, 1)
        events = await pulses_until(reader, lambda found: total(found, "succeeded") == 1)
    await run_all(api, 2, 1)

    async with reading(api, "/pulse", events[-1].id) as reader:
        found = await pulses_until(reader, lambda found: total(found, "succeeded") >= 2)

    assert total(found, "succeeded") == 2
    assert found[0].data["is_cut"] is False


async def test_after_a_gap_that_is_too_long_a_page_is_told_to_read_everything_again(api: Asker):
    async with reading(api, "/pulse", "b0-b0") as reader:
        [first] = await pulses_until(reader, lambda found: found)

    assert first.data["is_cut"] is True


async def test_more_runs_than_are_listed_are_counted_and_said_to_be_cut(api: Asker):
    async with reading(api, "/pulse") as reader:
        await pulses_until(reader, lambda found: found)
        await api.hf.start_many("doubled", [1] * (pulses._MOST_RUNS + 50))
        events = await pulses_until(reader, lambda found: total(found, "created") == pulses._MOST_RUNS + 50)

    assert any(event.data["is_cut"] for event in events)
    assert all(len(event.data["runs"]) <= pulses._MOST_RUNS for event in events)


async def test_pages_are_told_that_the_database_is_away_and_that_it_is_back(api: Asker):
    store: Any = api.hf._parts.store
    read_changes = store.read_changes

    async def fail(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("the database", "it is away")

    async with reading(api, "/pulse") as reader:
        [first] = await pulses_until(reader, lambda found: found)
        store.read_changes = fail
        away = await pulses_until(reader, lambda found: found[-1].data["is_away"])
        async with reading(api, "/pulse") as meanwhile:
            [joined] = await pulses_until(meanwhile, lambda found: found)
        store.read_changes = read_changes
        back = await pulses_until(reader, lambda found: not found[-1].data["is_away"])

    assert first.data["is_away"] is False
    assert [event.data["is_away"] for event in away] == [True]
    assert joined.data["is_away"] is True
    assert [event.data["is_away"] for event in back] == [False]


async def test_a_page_whose_tail_has_failed_before_the_first_read_is_let_go(api: Asker):
    hub = hub_of(api)
    failed, whole = await hub.pulses(None, None, is_packed=False), hub._tail_of(ChangeFilter())
    whole._reading.cancel()
    await asyncio.wait([whole._reading])

    async with asyncio.timeout(PATIENCE):
        told = [chunk.data async for chunks in failed for chunk in chunks]
        joined = await anext(await hub.pulses(None, None, is_packed=False))

    assert told == [LAGGED]
    assert joined[0].data.startswith(b"id: ")


async def test_nothing_is_left_when_the_pages_are_closed(api: Asker):
    async with reading(api, "/pulse") as reader:
        await pulses_until(reader, lambda found: found)
    shared = hub_of(api)._pulses
    async with asyncio.timeout(PATIENCE):
        while shared._members or shared._tail is not None:
            await asyncio.sleep(0.05)
            await run_all(api, 1, 1)


async def test_a_run_that_is_not_there_is_refused(api: Asker):
    answer: httpx.Response = await api.http.get("/pulse?run=nobody")

    assert (answer.status_code, answer.json()["code"]) == (404, "run_not_found")
