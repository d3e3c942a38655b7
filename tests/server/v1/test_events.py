"""Events over real HTTP: all of them, once and in order, whoever is cut off, slow, or one of many."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.patience import PATIENCE, until
from tests.server.v1.asking import Asker
from tests.server.v1.conftest import serving
from tests.server.v1.event_reading import Event, Reader, reading

from holdfast import StoreUnavailable
from holdfast.server.live import hub as hubs
from holdfast.server.live import responses, subscriptions, tails
from holdfast.server.live.hub import Hub
from holdfast.server.live.tails import Tail, Wanted


def hub_of(api: Asker) -> Hub:
    app: Any = api.server._app
    return app._tenants.own.hub


def tail_of(api: Asker) -> Tail:
    [tail] = hub_of(api)._tails.values()
    return tail


def streams_of(api: Asker) -> int:
    app: Any = api.server._app
    return len(app._tenants.streams)


async def offset_of(api: Asker) -> str:
    return (await api.get("/events/offset"))["offset"]


async def run_all(api: Asker, runs: int, times: int) -> None:
    """So many runs side by side, each with so many tasks, to their ends."""
    started = await asyncio.gather(*[api.hf.start("doubled", 1, times) for _ in range(runs)])
    await asyncio.gather(*[run.result() for run in started])


async def told(api: Asker, after: str, run: str | None = None, **conditions: Any) -> list[str]:
    """The offsets of what the client tells of what has happened so far."""
    end = await api.hf.watch_offset()
    found: list[str] = []
    async with asyncio.timeout(PATIENCE):
        await api.hf.run("doubled", 1)  # so that there is a change behind the end
        async for change in api.hf.watch(after=after):
            if change.offset > end:
                return found
            if _meets(change, **conditions) and run in (None, change.run):
                found.append(change.offset)
    raise AssertionError


def _meets(change: Any, workflow: str | None = None, status: str | None = None) -> bool:
    is_status = change.kind in ("run_created", "run_status") and change.status == status
    return workflow in (None, change.workflow) and (status is None or is_status)


def ids(events: Sequence[Event]) -> list[str]:
    return [event.id for event in events]


@contextlib.contextmanager
def counting(api: Asker, name: str):
    """How often a method of the store is called."""
    store: Any = api.hf._parts.store
    method: Callable[..., Any] = getattr(store, name)
    calls: list[tuple[Any, ...]] = []

    async def counted(*args: Any, **more: Any) -> Any:
        calls.append(args)
        return await method(*args, **more)

    setattr(store, name, counted)
    try:
        yield calls
    finally:
        setattr(store, name, method)


# --- all, once, in order


async def test_everything_is_told_once_and_in_order_while_many_runs_go_on(api: Asker):
    begin = await offset_of(api)
    async with reading(api, after=begin) as late, reading(api) as live:
        await run_all(api, 40, 5)
        expected = await told(api, begin)

        assert ids(await live.read(until=expected[-1])) == expected
        found = await late.read(until=expected[-1])

    assert ids(found) == expected
    assert late.status == 200
    assert late.headers["content-type"].startswith("text/event-stream")
    assert (late.headers["cache-control"], late.headers["x-accel-buffering"]) == ("no-cache", "no")
    assert all((event.data["offset"], event.data["kind"]) == (event.id, event.kind) for event in found)
    assert {event.kind for event in found} >= {"run_created", "run_status", "task"}


@pytest.mark.parametrize("recent", [tails._RECENT, 3])
async def test_who_is_cut_off_and_comes_back_misses_nothing_and_hears_nothing_twice(
    api: Asker, recent: int, monkeypatch: pytest.MonkeyPatch
):
    """With few recent changes in memory, it has to read the store before it can join."""
    monkeypatch.setattr(tails, "_RECENT", recent)
    dice = random.Random(7)
    last = begin = await offset_of(api)
    found: list[str] = []
    async with reading(api):  # so that the tail goes on
        working = asyncio.create_task(run_all(api, 30, 20))
        while not working.done() or len(found) < 1_000:
            async with reading(api, last_id=last) as reader:
                found += ids(await reader.read(dice.randint(1, 60)))
                last = reader.last_id
        await working
        expected = await told(api, begin)
        async with reading(api, last_id=last) as reader:
            found += ids(await reader.read(until=expected[-1])) if last < expected[-1] else []

    assert found == expected


async def test_a_subscriber_joins_at_every_place_without_gap_or_repetition(
    api: Asker, monkeypatch: pytest.MonkeyPatch
):
    """Of some offsets, the changes behind them are in memory. From others, it has to read the store."""
    monkeypatch.setattr(tails, "_RECENT", 12)  # some of the changes below, and some behind them
    begin = await offset_of(api)
    async with reading(api):
        await run_all(api, 2, 4)
        expected = [begin, *await told(api, begin)]
        await until(lambda: tail_of(api).offset >= expected[-1])
        for number, offset in enumerate(expected[:-1]):
            async with reading(api, after=offset) as reader:
                assert ids(await reader.read(until=expected[-1])) == expected[number + 1 :]


async def test_a_subscriber_that_reads_further_than_the_tail_hears_nothing_twice(
    api: Asker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tails, "_RECENT", 3)
    begin = await offset_of(api)
    gate = asyncio.Event()
    tell_page = Tail._tell_page

    async def wait_and_tell(self: Tail, page: Any) -> None:
        await gate.wait()
        await tell_page(self, page)

    async with reading(api) as other:
        await run_all(api, 1, 3)
        reached = await offset_of(api)
        await until(lambda: tail_of(api).offset >= reached)
        monkeypatch.setattr(Tail, "_tell_page", wait_and_tell)
        await run_all(api, 1, 3)
        expected = await told(api, begin)
        middle = expected[-3]
        assert begin < tail_of(api)._recent_after <= tail_of(api).offset == reached < middle
        async with reading(api, after=begin) as behind, reading(api, after=middle) as ahead:
            await asyncio.sleep(0.3)
            gate.set()
            await run_all(api, 1, 1)
            expected = await told(api, begin)  # with some behind those that the subscriber has read itself

            assert ids(await behind.read(until=expected[-1])) == expected
            assert ids(await ahead.read(until=expected[-1])) == expected[expected.index(middle) + 1 :]
        assert ids(await other.read(until=expected[-1])) == expected


# --- one run, and filters


async def test_one_run_is_told_to_its_end_also_if_it_had_ended_before(api: Asker):
    begin = await offset_of(api)
    run = await api.start("waiting", [], id="run-1")
    async with reading(api, run=run) as live:
        await api.start("doubled", [1])
        await api.hf.signal(run, "go", None)
        found = await live.read()

    assert (found[-1].kind, found[-1].data["status"]) == ("end", "success")
    assert found[-2].data["status"] == "success"
    assert {event.data["run"] for event in found[:-1]} == {"run-1"}
    async with reading(api, run=run) as late:
        assert [event.kind for event in await late.read()] == ["end"]
    async with reading(api, run=run, after=begin) as whole:
        everything = await whole.read()
    assert ids(everything[:-1]) == await told(api, begin, run)
    assert everything[-1].kind == "end"
    async with reading(api, run=run, last_id=everything[2].id, after=begin) as rest:
        assert await rest.read() == everything[3:]


async def test_a_run_that_is_opened_again_is_told_to_its_second_end(api: Asker):
    begin = await offset_of(api)
    run = await api.start("waiting", [], id="run-1")
    await api.hf.cancel(run)
    await until_ended(api, run)
    await api.hf.retry(run)

    async with reading(api, run=run, after=begin) as reader:
        first = await reader.read(3)
        await api.hf.signal(run, "go", None)
        found = first + await reader.read()

    statuses = [event.data.get("status") for event in found]
    assert "cancelled" in statuses
    assert statuses[-2:] == ["success", "success"]
    assert [event.kind for event in found].count("end") == 1


async def test_a_deleted_run_ends_its_stream(api: Asker):
    begin = await offset_of(api)
    run = await api.start("doubled", [1], id="run-1")
    await until_ended(api, run)
    gate = asyncio.Event()
    find_end = Tail._find_end

    async def wait_and_find(self: Tail, topic: Any) -> None:
        await gate.wait()
        await find_end(self, topic)

    Tail._find_end = wait_and_find
    try:
        async with reading(api, run=run, after=begin) as reader:
            await api.hf.delete(run)
            found = await reader.read()
    finally:
        gate.set()
        Tail._find_end = find_end

    assert [event.kind for event in found[-2:]] == ["run_deleted", "end"]
    assert found[-1].data["status"] == "deleted"
    async with reading(api, run=run) as reader:
        assert (reader.status, (await reader.body())["code"]) == (404, "run_not_found")


async def until_ended(api: Asker, run: str) -> None:
    await api.get(f"/runs/{run}", wait=30)


async def test_conditions_are_kept_apart(api: Asker):
    begin = await offset_of(api)
    conditions: list[dict[str, str]] = [
        {"workflow": "doubled"},
        {"status": "failed"},
        {"workflow": "doubled", "status": "success"},
        {"workflow": "failing", "status": "success"},
    ]
    async with contextlib.AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(reading(api, **each)) for each in conditions]
        tagged = await stack.enter_async_context(reading(api, tag="vip", status="success"))
        assert hub_of(api).readers == 2, "one for all conditions without a tag, one for the tag"
        for number in range(3):
            await until_ended(api, await api.start("doubled", [number], tags=["vip"], id=f"vip-{number}"))
            await until_ended(api, await api.start("failing", ["why"]))
            await until_ended(api, await api.start("doubled", [number]))

        for reader, wanted in zip(readers, conditions, strict=True):
            expected = await told(api, begin, **wanted)
            assert bool(expected) == (wanted != conditions[-1])
            assert ids(await reader.read(len(expected) or None) if expected else []) == expected
        assert [event.data["run"] for event in await tagged.read(3)] == ["vip-0", "vip-1", "vip-2"]


async def test_what_cannot_be_told_is_refused_before_the_stream_begins(
    api: Asker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hubs, "MOST_READERS", 2)

    async def problem(**query: Any) -> tuple[int, str, str]:
        async with reading(api, **query) as reader:
            body = await reader.body()
            return reader.status, body["code"], body["detail"]

    assert (await problem(after="yesterday"))[:2] == (400, "bad_option")
    assert (await problem(after="b0-b0"))[:2] == (410, "offset_gone")
    assert (await problem(after="h1000000-b0"))[:2] == (410, "offset_gone")
    assert (await problem(run="nobody"))[:2] == (404, "run_not_found")
    assert (await problem(run="nobody", workflow="doubled"))[:2] == (400, "bad_option")
    assert (await problem(status="happy"))[0] == 400
    async with reading(api, tag="a"), reading(api, tag="b"), reading(api, tag="b", workflow=""):
        pass
    async with reading(api, tag="a"), reading(api, tag="b"), reading(api, tag="b") as again:
        status, code, detail = await problem(tag="c")
        assert again.status == 200
        assert (status, code) == (503, "busy")
        assert "watch without the tag" in detail
    async with reading(api, tag="c") as reader:
        assert reader.status == 200, "readers that nobody needs make room"


# --- many, slow and dead subscribers


async def test_a_subscriber_that_does_not_read_is_let_go_and_the_others_hear_everything(
    small_api: Asker, monkeypatch: pytest.MonkeyPatch
):
    api = small_api
    monkeypatch.setattr(subscriptions, "MOST_BYTES", 1024 * 1024)
    begin = await offset_of(api)
    server: Any = api.server._server
    most = 0

    async def measure() -> None:
        nonlocal most
        while True:
            for topic in [*tail_of(api)._topics.values()]:
                most = max([most, *(each._bytes for each in topic.members)])
            for each in server.server_state.connections:
                assert each.transport.get_write_buffer_size() < 500_000
            await asyncio.sleep(0.001)

    async with reading(api, buffer=4096) as stuck, reading(api) as good:
        measuring = asyncio.create_task(measure())
        hearing = asyncio.create_task(good.read(20_000))
        while not hearing.done():
            await run_all(api, 50, 20)
        measuring.cancel()
        expected = await told(api, begin)

        assert ids(await hearing) == expected[:20_000]
        assert 0 < most <= subscriptions.MOST_BYTES
        [topic] = tail_of(api)._topics.values()
        assert len(topic.members) == 1, "it is let go"
        heard = await stuck.read()
        assert heard[-1].kind == "lagged"
        assert ids(heard[:-1]) == expected[: len(heard) - 1]
    async with reading(api, last_id=stuck.last_id) as back:
        assert ids(await back.read(until=expected[-1])) == expected[len(heard) - 1 :]


async def test_the_store_is_read_once_for_300_subscribers(api: Asker):
    run = await api.start("waiting", [])
    with counting(api, "read_changes") as reads, counting(api, "change_bounds") as bounds:
        async with contextlib.AsyncExitStack() as stack:
            readers = [await stack.enter_async_context(reading(api, run=run)) for _ in range(300)]
            await until(lambda: len(tail_of(api)._topics[Wanted(run=key_of(api))].members) == 300)
            reads.clear()
            bounds.clear()
            begun = time.monotonic()
            await api.hf.signal(run, "go", None)
            found = await asyncio.gather(*[reader.read() for reader in readers])
            seconds = time.monotonic() - begun

    assert all(events == found[0] for events in found)
    assert found[0][-1].kind == "end"
    assert len(reads) + len(bounds) < 40 + 10 * seconds


def key_of(api: Asker) -> Any:
    [wanted] = tail_of(api)._topics
    return wanted.run


async def test_a_client_that_reads_nothing_is_given_up(small_api: Asker, monkeypatch: pytest.MonkeyPatch):
    api = small_api
    monkeypatch.setattr(responses, "GIVE_UP_SECONDS", 0.5)
    run = await api.start("talking", [["x"] * 100, 20, 1_000])
    async with reading(api, buffer=4096) as stuck:
        while streams_of(api):
            await run_all(api, 20, 20)

        assert stuck.status == 200
        await until(lambda: not tail_of(api)._topics)
    # The log has two megabytes, and nobody reads them.
    async with reading(api, f"/runs/{run}/logs", buffer=4096):
        await until(lambda: streams_of(api) == 1)
        await until(lambda: streams_of(api) == 0)


async def test_a_client_that_goes_is_forgotten_and_the_reader_stops_after_the_last(
    small_api: Asker, monkeypatch: pytest.MonkeyPatch
):
    api = small_api
    monkeypatch.setattr(hubs, "_LINGER_SECONDS", 0.2)
    async with reading(api), reading(api, tag="vip"):
        await until(lambda: streams_of(api) == 2)
        assert hub_of(api).readers == 2

    await until(lambda: streams_of(api) == 0)
    await until(lambda: hub_of(api).readers == 0)
    with counting(api, "read_changes") as reads:
        await run_all(api, 1, 1)
    assert reads == []


async def test_quiet_streams_say_so_and_how_far_they_are(small_api: Asker, monkeypatch: pytest.MonkeyPatch):
    api = small_api
    monkeypatch.setattr(subscriptions, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(responses, "QUIET_SECONDS", 0.2)
    begin = await offset_of(api)
    run = await api.start("waiting", [])
    async with (
        reading(api, workflow="nothing", after=begin) as quiet,
        reading(api, f"/runs/{run}/logs") as log,
        reading(api, f"/runs/{run}/streams/x") as stream,
    ):
        following = [asyncio.create_task(each.read()) for each in (quiet, log, stream)]
        await run_all(api, 1, 1)
        after = await offset_of(api)

        await until(lambda: quiet.last_id >= after)
        await until(lambda: log.comments and stream.comments)
        for each in following:
            each.cancel()


# --- the database, the namespace and the server


async def test_an_outage_of_the_database_is_told_and_waited_for(api: Asker):
    store: Any = api.hf._parts.store
    read_changes = store.read_changes
    begin = await offset_of(api)
    run = await api.start("waiting", [])
    async with reading(api) as everything, reading(api, run=run, after=begin) as one:

        async def fail(*_: Any, **__: Any) -> Any:
            raise StoreUnavailable("the database", "it is away")

        hearing = asyncio.create_task(everything.read(30))
        store.read_changes = fail
        await until(lambda: any("does not answer" in each for each in everything.comments))
        async with reading(api, after=begin) as came_meanwhile:
            await run_all(api, 2, 5)
            await asyncio.sleep(0.2)
            store.read_changes = read_changes
            await run_all(api, 2, 5)
            await api.hf.signal(run, "go", None)
            expected = await told(api, begin)

            assert ids(await came_meanwhile.read(until=expected[-1])) == expected
        heard = ids(await hearing)
        assert heard == expected[-len(heard) :] or heard == expected[expected.index(heard[0]) :][:30]
        assert any("is back" in each for each in everything.comments)
        assert (await one.read())[-1].kind == "end"


async def test_a_namespace_hears_nothing_of_another(store_url: str):
    async with serving(store_url, namespace="here") as here, serving(store_url, namespace="there") as there:
        begin = await offset_of(here)
        run = await there.start("doubled", [1], id="run-1")
        await until_ended(there, run)
        async with reading(here, after=begin) as reader, reading(here) as live:
            await there.hf.run("doubled", 1)
            mine = await here.start("doubled", [1], id="mine")

            assert {event.data["run"] for event in await reader.read(3)} == {mine}
            assert {event.data["run"] for event in await live.read(3)} == {mine}
        async with reading(here, run=run) as reader:
            assert reader.status == 404
        async with reading(here, f"/runs/{run}/logs") as reader:
            assert reader.status == 404


async def test_a_server_that_stops_ends_all_streams_at_once(sqlite_url: str):
    async with serving(sqlite_url) as api, contextlib.AsyncExitStack() as stack:
        run = await api.start("waiting", [])
        paths = ["/events", f"/runs/{run}/logs", f"/runs/{run}/streams/x"]
        readers: list[Reader] = [
            await stack.enter_async_context(reading(api, path)) for path in paths for _ in range(5)
        ]
        stuck = await stack.enter_async_context(reading(api, buffer=4096))
        await run_all(api, 50, 20)
        hearing = [asyncio.create_task(reader.read()) for reader in readers]
        await asyncio.sleep(0.1)
        begun = time.monotonic()

        await api.server.stop()

        assert time.monotonic() - begun < 2.5
        await asyncio.gather(*hearing)
        assert stuck.status == 200


# --- logs and streams


async def test_the_log_comes_in_pages_and_as_events(api: Asker):
    lines = [f"line {number}" for number in range(25)]
    run = await api.start("talking", [lines])
    async with reading(api, f"/runs/{run}/logs") as reader:
        first = await reader.read(10)
    assert [event.data["text"] for event in first] == lines[:10]
    assert {event.kind for event in first} == {"log"}

    async with reading(api, f"/runs/{run}/logs", last_id=first[-1].id) as reader:
        rest = await reader.read(15)
        await api.hf.signal(run, "go", None)
        rest += await reader.read()

    assert [event.data.get("text") for event in rest] == [*lines[10:], "goodbye", None]
    assert rest[-1].kind == "end"
    found: list[str] = []
    after: dict[str, Any] = {}
    while page := await api.get(f"/runs/{run}/logs", limit=7, **after):
        if not page["items"]:
            break
        assert len(page["items"]) <= 7
        found += [line["text"] for line in page["items"]]
        after = {"after": page["next"]}
    assert found == [*lines, "goodbye"]
    assert page["next"] == after["after"]
    assert (await api.get(f"/runs/{run}/logs", task="nothing"))["items"] == []
    assert len((await api.get(f"/runs/{run}/logs", task="say", limit=1000))["items"]) == 26
    assert (await api.get(f"/runs/{run}/logs", after="x", code=400))["field"] == "after"
    assert (await api.get("/runs/nobody/logs", code=404))["code"] == "run_not_found"
    async with api.http.stream("GET", f"/runs/{run}/logs", params={"follow": "true"}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert (await response.aread()).count(b"event: log") == 26


async def test_a_stream_of_a_run_is_followed_and_taken_up_again(api: Asker):
    run = await api.start("publishing", [10])
    async with reading(api, f"/runs/{run}/streams/numbers") as reader:
        first = await reader.read(4)
    async with reading(api, f"/runs/{run}/streams/numbers", last_id=first[-1].id) as reader:
        rest = await reader.read(6)
        await api.hf.signal(run, "go", None)
        rest += await reader.read()

    assert [event.data.get("value") for event in first + rest] == [*range(10), "last", None]
    assert [event.kind for event in rest] == ["item"] * 7 + ["end"]
    async with reading(api, f"/runs/{run}/streams/numbers", last_id="x") as reader:
        assert (reader.status, (await reader.body())["field"]) == (400, "Last-Event-ID")
    async with reading(api, "/runs/nobody/streams/numbers") as reader:
        assert reader.status == 404


async def test_the_openapi_document_names_the_media_types(small_api: Asker):
    paths = (await small_api.get("/openapi.json"))["paths"]

    def media_types(path: str) -> set[str]:
        return set(paths[f"/api/v1{path}"]["get"]["responses"]["200"]["content"])

    assert media_types("/events") == {"text/event-stream"}
    assert media_types("/runs/{id}/logs") == {"application/json", "text/event-stream"}
    assert media_types("/runs/{id}/streams/{name}") == {"application/json", "text/event-stream"}
    assert "410" in paths["/api/v1/events"]["get"]["responses"]


async def test_events_are_compressed_for_those_who_accept_it_and_the_same(small_api: Asker):
    api = small_api
    begin = await offset_of(api)
    run = await api.start("doubled", [1, 5])
    await api.get(f"/runs/{run}", wait=20)
    got: dict[str, bytes] = {}
    for encoding in ("identity", "gzip, deflate"):
        where = {"run": run, "after": begin}
        headers = {"Accept-Encoding": encoding}
        async with api.http.stream("GET", "/events", params=where, headers=headers) as response:
            got[encoding] = b"".join([each async for each in response.aiter_raw()])
            assert response.headers.get("content-encoding") == ("deflate" if "deflate" in encoding else None)

    assert b"event: end" in got["identity"]
    assert zlib.decompress(got["gzip, deflate"]) == got["identity"]
