"""What tasks and workflows publish, through the whole engine: order, offsets, sections, limits."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import time
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.chaos.processes import Process
from tests.engine import publisher
from tests.patience import PATIENCE

from holdfast import (
    Catalog,
    Holdfast,
    PayloadTooLarge,
    Retry,
    RunNotFound,
    StreamGap,
    StreamInfo,
    StreamItem,
    StreamOverflow,
    WrongType,
    context,
    task,
    task_context,
    workflow,
)
from holdfast.errors import BadOption, OutsideContext
from holdfast.testing import assert_durable

QUICK = Retry(max_attempts=3, first_delay=dt.timedelta(milliseconds=1))


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
async def hf(store_url: str, catalog: Catalog) -> AsyncIterator[Holdfast]:
    async with Holdfast(store_url, catalog=catalog, stream_items=20_000) as opened:
        yield opened


async def read(items: AsyncIterator[StreamItem], at_most: int | None = None) -> list[StreamItem]:
    found: list[StreamItem] = []
    async with asyncio.timeout(PATIENCE):
        async for item in items:
            found.append(item)
            if len(found) == at_most:
                break
    return found


def values(items: Iterable[StreamItem]) -> list[Any]:
    return [item.value for item in items]


async def test_items_come_in_order_while_the_run_goes_on_and_end_with_it(
    hf: Holdfast, catalog: Catalog
) -> None:
    gate = asyncio.Event()

    @task(catalog=catalog)
    async def talk() -> None:
        for number in range(3):
            await task_context().publish("tokens", {"number": number})
        await gate.wait()
        await task_context().publish_many("tokens", ["last", "of all"])
        task_context().publish("other", 1)

    @workflow(catalog=catalog)
    async def chat() -> str:
        context().publish("progress", "begun")
        await talk()
        context().publish_many("progress", ["talked", "done"])
        return "bye"

    run = await hf.start(chat)
    begun = await read(run.stream("tokens"), 3)  # and the task has not ended
    gate.set()
    whole, progress = await asyncio.gather(read(run.stream("tokens")), read(hf.stream(run, "progress")))

    assert begun == whole[:3]
    assert [item.offset for item in whole] == list(range(5))
    assert values(whole[2:]) == [{"number": 2}, "last", "of all"]
    assert [item.is_first for item in whole] == [True, False, False, False, False]
    assert {(item.task, item.attempt, item.seq) for item in whole} == {("talk", 1, 0)}
    assert [(item.offset, item.value, item.task, item.attempt) for item in progress] == [
        (0, "begun", None, 0),
        (1, "talked", None, 0),
        (2, "done", None, 0),
    ]
    assert await hf.streams(run) == [
        StreamInfo("other", 0, 1),
        StreamInfo("progress", 0, 3),
        StreamInfo("tokens", 0, 5),
    ]
    assert abs(whole[0].at - dt.datetime.now(dt.UTC)) < dt.timedelta(seconds=PATIENCE)


async def test_a_plain_function_publishes_as_fast_as_it_can_and_nothing_is_lost(
    hf: Holdfast, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    def count(most: int) -> None:
        for number in range(most):
            task_context().publish("numbers", number)

    @workflow(catalog=catalog)
    async def counting() -> None:
        await count(15_000)

    run = await hf.start(counting)
    found = await read(run.stream("numbers"))

    assert values(found) == [item.offset for item in found] == list(range(15_000))
    assert len(await _rows(hf, run.id, "numbers")) < 1_500  # a row has many items


async def _rows(hf: Holdfast, run: str, name: str) -> list[Any]:
    store, key, rows, since = hf._store, await hf.key_of(run), [], 0
    while page := (await store.read_stream("default", key, name, since, 64, 1_000_000)).records:
        rows += page
        since = page[-1].first + len(msgspec.json.decode(page[-1].items))
    return rows


async def test_a_reader_goes_on_after_the_last_offset_that_it_saw(hf: Holdfast, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def talk() -> None:
        for number in range(200):
            await task_context().publish("tokens", number)
            if number % 50 == 0:
                await asyncio.sleep(0.01)

    @workflow(catalog=catalog)
    async def chat() -> None:
        await talk()

    run = await hf.start(chat)
    found: list[StreamItem] = []
    while len(found) < 200:
        found += await read(run.stream("tokens", after=found[-1].offset if found else None), 17)

    assert values(found) == list(range(200))
    await run.result()
    assert values(await read(run.stream("tokens", after=197))) == [198, 199]
    assert await read(run.stream("tokens", after=199)) == []
    assert await read(run.stream("nothing")) == []


async def test_an_attempt_that_is_made_again_begins_a_new_section(hf: Holdfast, catalog: Catalog) -> None:
    @task(catalog=catalog, retry=QUICK)
    async def flaky() -> None:
        for number in range(3):
            await task_context().publish("tokens", number)
        if task_context().attempt < 3:
            raise ValueError("again")

    @workflow(catalog=catalog)
    async def chat() -> None:
        await flaky()

    run = await hf.start(chat)
    found = await read(run.stream("tokens"))

    assert [item.offset for item in found] == list(range(9))
    assert [(it.attempt, it.value, it.is_first) for it in found] == [
        (attempt, number, number == 0) for attempt in (1, 2, 3) for number in range(3)
    ]


async def test_what_an_attempt_publishes_after_it_was_given_up_is_dropped(
    hf: Holdfast, catalog: Catalog
) -> None:
    late = asyncio.Event()

    @task(catalog=catalog, retry=QUICK, timeout=dt.timedelta(milliseconds=50))
    async def stubborn() -> None:
        await task_context().publish("tokens", f"of {task_context().attempt}")
        if task_context().attempt == 1:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            await task_context().publish("tokens", "late")
            late.set()

    @workflow(catalog=catalog)
    async def chat() -> None:
        await stubborn()
        await context().step("wait", late.wait)

    run = await hf.start(chat)

    assert values(await read(run.stream("tokens"))) == ["of 1", "of 2"]


async def test_a_slow_reader_gets_every_item_that_is_kept_and_is_told_of_a_gap(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def talk() -> None:
        for number in range(0, 400, 10):
            await task_context().publish_many("tokens", range(number, number + 10))
            await asyncio.sleep(0.002)

    @workflow(catalog=catalog)
    async def chat() -> None:
        await talk()

    async with Holdfast(store_url, catalog=catalog, stream_items=100) as hf:
        run = await hf.start(chat)

        async def read_slowly() -> None:
            async for item in run.stream("tokens"):
                if item.offset == 5:
                    await run.result()  # meanwhile, most of it is dropped

        with pytest.raises(StreamGap) as gap:
            await read_slowly()
        rest = await read(run.stream("tokens", after=gap.value.first - 1))
        kept = await read(run.stream("tokens"))

        assert gap.value.wanted < gap.value.first == rest[0].offset
        assert kept == rest
        assert values(rest) == list(range(gap.value.first, 400))
        assert 100 <= len(rest) < 200
        assert await hf.streams(run) == [StreamInfo("tokens", gap.value.first, 400)]
        with pytest.raises(StreamGap, match="go on with after="):
            await read(run.stream("tokens", after=0))


async def test_what_cannot_be_published_is_refused_by_name(hf: Holdfast, catalog: Catalog) -> None:
    refused: list[tuple[str, str]] = []

    def try_to(publish: Callable[[], object]) -> None:
        try:
            publish()
        except Exception as error:
            refused.append((type(error).__name__, str(error)))

    @workflow(catalog=catalog)
    async def chat() -> None:
        await context().step("talk", talk)
        try_to(lambda: context().publish("progress", object()))

    publishers: list[Any] = []

    async def talk() -> None:
        kept = task_context()
        publishers.append(kept)
        try_to(lambda: kept.publish("tokens", "x" * 5_000_000))
        try_to(lambda: kept.publish("tokens", object()))
        try_to(lambda: kept.publish("", 1))
        try_to(lambda: kept.publish_many("tokens", "word"))
        try_to(lambda: kept.publish_many("tokens", range(10_001)))
        try_to(lambda: [kept.publish("tokens", number) for number in range(10_001)])  # nobody awaits it

    run = await hf.start(chat)
    await run.result()
    try_to(lambda: publishers[0].publish("tokens", "too late"))

    assert [name for name, _ in refused] == [
        PayloadTooLarge.__name__,
        "CannotStore",
        BadOption.__name__,
        BadOption.__name__,
        StreamOverflow.__name__,
        StreamOverflow.__name__,
        "CannotStore",
        OutsideContext.__name__,
    ]
    assert "write `await` before publish()" in refused[5][1]
    assert values(await read(run.stream("tokens"))) == list(range(10_000))
    assert await read(run.stream("progress")) == []


async def test_items_are_read_as_a_type_and_bad_readings_are_refused(hf: Holdfast, catalog: Catalog) -> None:
    class Token(msgspec.Struct):
        text: str

    @workflow(catalog=catalog)
    async def chat() -> None:
        context().publish("tokens", Token("hello"))

    run = await hf.start(chat)

    assert values(await read(run.stream("tokens", type=Token))) == [Token("hello")]
    with pytest.raises(WrongType, match="an item of stream 'tokens'"):
        await read(run.stream("tokens", type=int))
    with pytest.raises(BadOption, match="after"):
        run.stream("tokens", after=-2)
    with pytest.raises(RunNotFound):
        await read(hf.stream("nobody", "tokens"))


async def test_a_reader_that_does_not_follow_gets_what_there_is(hf: Holdfast, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> None:
        context().publish("progress", 1)
        await context().signal("go")
        context().publish("progress", 2)

    run = await hf.start(waiting)
    await read(run.stream("progress"), 1)

    assert values(await read(run.stream("progress", follow=False))) == [1]
    await run.signal("go")
    assert values(await read(run.stream("progress"))) == [1, 2]


async def test_a_crash_at_every_commit_neither_loses_nor_repeats_what_a_workflow_publishes(
    catalog: Catalog, new_database: Callable[[], str]
) -> None:
    @task(catalog=catalog)
    async def double(number: int) -> int:
        await task_context().publish("doubled", number)
        return 2 * number

    @workflow(catalog=catalog)
    async def doubling() -> list[int]:
        found: list[int] = []
        for number in range(3):
            context().publish("progress", number)
            found.append(await double(number))
        context().publish("progress", "done")
        return found

    databases: list[str] = []

    def fresh() -> str:
        databases.append(new_database())
        return databases[-1]

    async def look(url: str) -> None:
        async with Holdfast(url, catalog=catalog, engine=False) as client:
            (run,) = await client.list()
            progress = await read(client.stream(run.id, "progress"))
            assert [(item.offset, item.value) for item in progress] == list(enumerate([0, 1, 2, "done"]))
            doubled = await read(client.stream(run.id, "doubled"))
            assert [item.offset for item in doubled] == list(range(len(doubled)))
            assert [item.value for item in doubled] == sorted(item.value for item in doubled)
            assert set(values(doubled)) == {0, 1, 2}

    assert await assert_durable(doubling, catalog=catalog, new_database=fresh) == [0, 2, 4]

    for url in databases if databases[0].startswith("sqlite") else databases[-1:]:
        await look(url)


# --- other processes


async def test_a_reader_in_another_process_goes_on_when_the_node_is_killed(
    store_url: str, tmp_path: Path
) -> None:
    """Nothing that was recorded is lost, offsets have no gaps, and the next attempt begins a section."""
    process = Process(["-m", "tests.engine.publisher", store_url], tmp_path / "publisher.log")
    async with Holdfast(store_url, catalog=publisher.catalog, engine=False) as client:
        async with asyncio.timeout(PATIENCE):
            while not await client.list():
                assert process.is_running, process.output
                await asyncio.sleep(0.02)
        reader = asyncio.create_task(read(client.stream("talk", "tokens")))
        seen = await read(client.stream("talk", "tokens"), 500)
        process.kill()

        async with Holdfast(store_url, catalog=publisher.catalog, lease_seconds=600):
            found = await reader
            progress = await read(client.stream("talk", "progress"))

    assert found[: len(seen)] == seen
    assert [item.offset for item in found] == list(range(len(found)))
    (second,) = [item.offset for item in found if item.is_first and item.attempt == 2]
    assert [item.is_first for item in found].count(True) == 2
    assert values(found[:second]) == list(range(second))
    assert values(found[second:]) == list(range(publisher.SECOND))
    assert {item.attempt for item in found[second:]} == {2}
    assert values(progress) == ["begun", "ended"]


async def test_a_reader_in_another_process_hears_of_an_item_at_once(store_url: str, tmp_path: Path) -> None:
    process = Process(["-m", "tests.engine.publisher", store_url], tmp_path / "publisher.log")
    try:
        async with Holdfast(store_url, catalog=publisher.catalog, engine=False) as client:
            async with asyncio.timeout(PATIENCE):
                while not await client.list():
                    assert process.is_running, process.output
                    await asyncio.sleep(0.02)
            delays: list[float] = []
            async with asyncio.timeout(PATIENCE):
                async for item in client.stream("talk", "tokens"):
                    delays.append(time.time() - item.at.timestamp())
                    if len(delays) == 1000:
                        break
    finally:
        process.kill()

    assert sorted(delays)[500] < 0.25  # a poll comes every second; the median is some milliseconds


# --- progress


async def test_the_details_of_a_heartbeat_are_seen_while_the_task_runs(
    hf: Holdfast, catalog: Catalog
) -> None:
    gate = asyncio.Event()

    @task(catalog=catalog)
    async def copy() -> None:
        for row in range(3):
            task_context().heartbeat({"row": row})
            await asyncio.sleep(0.1)
        await gate.wait()

    @workflow(catalog=catalog)
    async def copying() -> None:
        await copy()

    run = await hf.start(copying)
    async with asyncio.timeout(PATIENCE):
        while (await hf.tasks(run))[0].progress != {"row": 2}:  # noqa: ASYNC110  # no event tells of it
            await asyncio.sleep(0.01)
    gate.set()
    await run.result()

    (info,) = await hf.tasks(run)
    assert info.progress is None
