"""What runs have published: numbered without gaps, read from any offset, and bounded."""

from __future__ import annotations

import msgspec
import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_run, new_task, step

from holdfast.core.stream_items import StreamPage, StreamSummary
from holdfast.core.values import RunStatus
from holdfast.ports.commits import NewItems
from holdfast.stores import SqlStore


def published(
    number: int, *values: object, stream: str = "tokens", seq: int = 0, attempt: int = 1, is_first: int = 0
) -> NewItems:
    items = msgspec.json.encode([(at(1), value) for value in values])
    return NewItems(key(number), stream, seq, attempt, is_first, len(values), len(items), items)


async def read(
    store: SqlStore, number: int = 1, since: int = 0, stream: str = "tokens", rows: int = 100
) -> StreamPage:
    return await store.read_stream(SPACE, key(number), stream, since, rows, 1_000_000)


def values(page: StreamPage) -> list[tuple[int, object]]:
    """Each value with its offset."""
    return [
        (record.first + number, value)
        for record in page.records
        for number, (_, value) in enumerate(msgspec.json.decode(record.items))
    ]


async def test_items_are_numbered_in_the_order_of_writing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    hard = 'grüße 🎉 \x00 "quote" \u2028'

    rows = [published(1, "a", "b", is_first=1), published(2, "of another run"), published(1, hard)]
    await node.commit(held=node.held(1, 2), published=[*rows, published(1, 0, stream="other", seq=-1)])
    await node.commit(held=node.held(1), published=[published(1, None, attempt=2, is_first=1)])

    page = await read(store)
    assert values(page) == [(0, "a"), (1, "b"), (2, hard), (3, None)]
    assert [(it.seq, it.attempt, it.is_first, it.task) for it in page.records] == [
        (0, 1, True, "charge"),
        (0, 1, False, "charge"),
        (0, 2, True, "charge"),
    ]
    assert (page.status, page.next) == (RunStatus.RUNNING, 4)
    assert values(await read(store, 2)) == [(0, "of another run")]
    other = await read(store, stream="other")
    assert (values(other), other.records[0].seq, other.records[0].task) == ([(0, 0)], -1, None)


async def test_a_reader_goes_on_at_any_offset(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    for first in range(0, 6, 2):
        await node.commit(held=node.held(1), published=[published(1, first, first + 1)])

    assert values(await read(store, since=2, rows=1)) == [(2, 2), (3, 3)]
    assert values(await read(store, since=3)) == [(2, 2), (3, 3), (4, 4), (5, 5)]
    assert await read(store, since=6) == StreamPage([], RunStatus.RUNNING, 6)
    few = await store.read_stream(SPACE, key(1), "tokens", 0, 100, 0)
    assert len(few.records) == 1  # one row is read even if it has too many bytes


async def test_the_items_of_a_run_that_has_ended_are_all_there(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)

    await node.commit(held=node.held(1), published=[published(1, "last")], ended=[ended(1)])

    page = await read(store)
    assert (values(page), page.status, page.next) == ([(0, "last")], RunStatus.SUCCESS, 1)


async def test_another_namespace_and_another_run_read_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), published=[published(1, "secret")])

    assert await store.read_stream("elsewhere", key(1), "tokens", 0, 9, 9) == StreamPage([], None)
    assert await read(store, 9) == StreamPage([], None)
    assert await store.list_streams("elsewhere", key(1)) == []
    assert await store.list_streams(SPACE, key(9)) == []


async def test_what_a_stale_owner_publishes_is_not_written_and_the_next_owner_goes_on_counting(
    store: SqlStore,
) -> None:
    old, new = Node(store, "old", lease=5), Node(store, "new")
    await old.start(1, 2)
    await old.commit(held=old.held(1), published=[published(1, "before")])
    await new.claim(limit=1, now=6)
    await old.commit(6, held=old.held(2))

    receipt = await old.commit(7, held=old.held(1, 2), published=[published(1, "stale")])
    await new.commit(7, held=new.held(1, epoch=2), published=[published(1, "after", attempt=2, is_first=1)])

    assert key(1) in receipt.lost
    assert values(await read(store)) == [(0, "before"), (1, "after")]


async def test_a_run_under_a_taken_id_publishes_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, id="order-1")

    created = [new_run(2, owner=node.id, id="order-1")]
    rows = [published(2, "too late")]
    await node.commit(created=created, steps=[step(2)], tasks=[new_task(2)], published=rows)

    assert await store.list_streams(SPACE, key(1)) == await store.list_streams(SPACE, key(2)) == []


async def test_the_streams_of_a_run_are_listed_by_name(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    rows = [published(1, 1, 2, stream=name) for name in ("b", "a", "ä", "a b", "Z")]
    await node.commit(held=node.held(1, 2), published=[*rows, published(2, 1, stream="c")])

    found = await store.list_streams(SPACE, key(1))

    assert found == [StreamSummary(name, 0, 2) for name in ("Z", "a", "a b", "b", "ä")]


@pytest.mark.parametrize(("items", "bytes"), [(6, 10**9), (10**9, 130)])
async def test_the_oldest_rows_are_dropped_whole_and_the_offsets_stay(
    store: SqlStore, items: int, bytes: int
) -> None:
    node = Node(store)
    await node.start(1)
    for first in range(0, 30, 3):  # a row has some 60 bytes
        rows = [published(1, first, first + 1, first + 2), published(1, first, stream="small")]
        await node.commit(held=node.held(1), published=rows, stream_items=items, stream_bytes=bytes)

    page = await read(store)

    assert values(page) == [(number, number) for number in range(24, 30)]
    assert (await store.list_streams(SPACE, key(1)))[1] == StreamSummary("tokens", 24, 30)
    assert page.next == 30


async def test_the_last_row_is_kept_however_large_it_is(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    for _ in range(2):
        rows = [published(1, *range(10)), published(1, *range(10))]
        await node.commit(held=node.held(1), published=rows, stream_items=1, stream_bytes=1)

    assert await store.list_streams(SPACE, key(1)) == [StreamSummary("tokens", 30, 40)]


async def test_many_small_rows_are_dropped_as_large_ones_come(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    small = [published(1, number) for number in range(200)]
    await node.commit(held=node.held(1), published=small, stream_bytes=10_000_000)
    for _ in range(20):
        await node.commit(held=node.held(1), published=[published(1, "x" * 1000)], stream_bytes=5_000)

    [found] = await store.list_streams(SPACE, key(1))
    assert (found.first, found.next) == (215, 220)  # at least 5,000 bytes are kept


async def test_old_items_are_dropped_in_bites_and_the_stream_goes_on_counting(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    for number in range(3):
        row = published(1, number, number)
        await node.commit(held=node.held(1), published=[row], drop_items_at=at(10 + number))
    await node.commit(held=node.held(2), published=[published(2, "kept")])

    assert await store.drop_old_items(at(9), 100) == 0
    assert await store.drop_old_items(at(12), 1) == 1
    assert values(await read(store)) == [(2, 1), (3, 1), (4, 2), (5, 2)]
    assert await store.drop_old_items(at(12), 100) == 2
    assert await store.drop_old_items(at(12), 100) == 0

    page = await read(store)
    assert (values(page), [record.first for record in page.records], page.next) == ([], [6], 6)
    assert await store.list_streams(SPACE, key(1)) == [StreamSummary("tokens", 6, 6)]
    assert values(await read(store, 2)) == [(0, "kept")]
    await node.commit(held=node.held(1), published=[published(1, "new")], drop_items_at=at(20))
    assert values(await read(store)) == [(6, "new")]
    assert await store.drop_old_items(at(20), 100) == 1
    assert await store.list_streams(SPACE, key(1)) == [StreamSummary("tokens", 7, 7)]
    assert (await read(store)).next == 7
