"""What watchers are told: all that was committed, once, in an order that could have happened; and nothing
else. That it agrees with the tables after any sequence of calls is tested in tests/differential."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
import psycopg
import pytest
from tests.stores.builders import (
    SPACE,
    Node,
    Worker,
    at,
    ended,
    key,
    new_run,
    new_task,
    new_worker,
    queued,
    released,
    settled,
    signal,
    step,
)

from holdfast.core.changes import LAST_OF_ROW, Change, ChangeKind, Place, offset_text, read_offset
from holdfast.core.records import MessageKind
from holdfast.core.values import RunStatus, key_text
from holdfast.errors import BadOption
from holdfast.ports.changes import ChangeBounds, ChangeFilter, Horizon, Removal
from holdfast.ports.commits import ClaimRequest
from holdfast.ports.retention import RootSeen
from holdfast.ports.runs import Act
from holdfast.stores import SqlStore, store_for
from holdfast.stores.change_log import STATUS, note
from holdfast.stores.database import Transaction
from holdfast.stores.named_queries import load_queries
from holdfast.stores.sql_role import RowChanged

ALL = ChangeFilter()
BEGINNING = Place(0, 0)


async def read(store: SqlStore, after: Place = BEGINNING, which: ChangeFilter = ALL) -> list[Change]:
    found: list[Change] = []
    horizon: Horizon | None = None
    while True:
        page = await store.read_changes(SPACE, after, which, horizon)
        found += page.changes
        if page.place == after and page.bounds.horizon is None:
            return found
        after, horizon = page.place, page.bounds.horizon


def facts(changes: Iterable[Change]) -> list[tuple[Any, ...]]:
    """The kind of each change, and all that it says besides the run."""
    fields = ("status", "waiting", "seq", "task", "attempt", "what", "name", "by")
    return [
        (it.kind.value, *(value for name in fields if (value := getattr(it, name)) is not None))
        for it in changes
    ]


async def test_a_commit_is_told_in_the_order_of_its_steps_and_read_on_from_each_offset(
    store: SqlStore,
) -> None:
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id, id="order-1"), new_run(2, owner=node.id)])
    await node.commit(
        1,
        held=node.held(1, 2),
        steps=[step(1)],
        tasks=[new_task(1), new_task(1, 1), new_task(2)],
        messages=[signal(2, "go", sender=key(1))],
    )
    await node.commit(2, held=node.held(1), settled=[settled(1)], ended=[ended(1)])
    await node.commit(3, held=node.held(2), released=[released(2)])

    found = await read(store)

    assert facts(it for it in found if it.run == "order-1") == [
        ("run_created", "running"),
        ("task", "dispatched", 0, "charge", 1),
        ("task", "dispatched", 1, "charge", 1),
        ("task", "success", 0, "charge", 1),
        ("run_status", "success"),
    ]
    assert facts(it for it in found if it.run == key_text(key(2))) == [
        ("run_created", "running"),
        ("task", "dispatched", 0, "charge", 1),
        ("message", "signal", "go"),
        ("run_status", "running", "signal 'go'"),
    ]
    assert {it.workflow for it in found} == {"order"}
    offsets = [it.offset for it in found]
    assert offsets == sorted(set(offsets)), "offsets are ordered as text"
    for number, offset in enumerate(offsets):
        assert await read(store, read_offset(offset)) == found[number + 1 :]


@pytest.mark.parametrize("most", [None, 1, 2])
async def test_who_reads_of_runs_alone_finds_them_at_the_same_places(
    store: SqlStore, most: int | None
) -> None:
    node = Node(store)
    await node.commit(created=[new_run(it, owner=node.id) for it in (1, 2, 3)], tasks=[new_task(1)])
    await node.commit(
        1,
        held=node.held(1, 2),
        tasks=[new_task(2), new_task(2, 1)],
        settled=[settled(1)],
        ended=[ended(1)],
        released=[released(2)],
    )
    kinds = {ChangeKind.RUN_CREATED, ChangeKind.RUN_STATUS}
    expected = [it for it in await read(store) if it.kind in kinds]

    page = await store.read_changes(SPACE, BEGINNING, ChangeFilter(only_runs=True, most=most))

    assert page.changes == expected[:most]
    assert await read(store, which=ChangeFilter(only_runs=True, most=most)) == expected
    assert len(expected) == 5


async def test_what_a_stale_owner_writes_is_not_told(store: SqlStore) -> None:
    old, new = Node(store, "old"), Node(store, "new")
    await old.commit(created=[new_run(1, owner=old.id)], tasks=[new_task(1)])
    await new.commit(100, claim=ClaimRequest(["order@1"], 10))
    before = len(await read(store))

    receipt = await old.commit(101, held=old.held(1), settled=[settled(1)], ended=[ended(1)])

    assert receipt.lost == {key(1)}
    assert len(await read(store)) == before


async def test_a_run_whose_id_is_taken_is_not_told(store: SqlStore) -> None:
    await store.create_runs(SPACE, [new_run(1, id="order-1")])
    await store.create_runs(SPACE, [new_run(2, id="order-1"), new_run(3)])

    assert [it.run for it in await read(store)] == ["order-1", key_text(key(3))]


async def test_a_transaction_that_is_rolled_back_tells_nothing(store: SqlStore) -> None:
    await store.create_runs(SPACE, [new_run(1)])
    before = len(await read(store))

    def script(tx: Transaction) -> None:
        note(tx, SPACE, at(1), STATUS, [(key(1), "failed", None)])
        raise RowChanged

    with pytest.raises(RowChanged):
        await store._driver.write(script)
    await store.post_messages(SPACE, [signal(1)], at(2))

    assert facts((await read(store))[before:]) == [("message", "signal", "go")]


async def test_acts_of_operators_are_told_with_what_they_lead_to(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id)], tasks=[new_task(1)])
    await node.commit(1, held=node.held(1), released=[released(1)])
    before = len(await read(store))

    await store.act_on_runs(SPACE, [Act(key(1), MessageKind.PAUSE, "", "ada", "lunch")], at(2))
    await store.unpark_runs(SPACE, [key(1)], at(3), "ada")
    await store.act_on_runs(SPACE, [Act(key(1), MessageKind.TERMINATE, "", "bob", "")], at(4))

    kinds = [fact[:3] for fact in facts((await read(store))[before:])]
    assert [fact[:2] for fact in kinds if fact[0] != "act"] == [
        ("run_status", "paused"),
        ("run_status", "running"),
        ("task", "cancelled"),
        ("run_status", "cancelled"),
    ]
    assert [fact for fact in kinds if fact[0] == "act"] == [
        ("act", "pause", "ada"),
        ("act", "resume", "ada"),
        ("act", "terminate", "bob"),
    ]


async def test_a_task_that_a_worker_takes_is_told_as_running(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.commit(created=[new_run(1, owner=node.id)], tasks=[new_task(1)], queued=[queued(1)])
    await store.register_worker(SPACE, new_worker())

    await worker.take(now=1)

    assert facts(await read(store))[-1] == ("task", "running", 0, "charge", 1)


async def test_of_a_deleted_run_only_its_deletion_is_told(store: SqlStore) -> None:
    node = Node(store)
    options = msgspec.json.encode({"tags": ["vip"]})
    await node.commit(
        created=[new_run(1, owner=node.id, id="order-1", options=options), new_run(2, owner=node.id)]
    )
    await node.commit(1, held=node.held(1), tasks=[new_task(1)], ended=[ended(1)])

    await store.bury_runs(SPACE, [RootSeen(key(1), at(3))])

    found = await read(store)
    assert [(it.kind, it.run) for it in found] == [
        (ChangeKind.RUN_CREATED, key_text(key(2))),
        (ChangeKind.RUN_DELETED, "order-1"),
    ]
    for which in (ChangeFilter(tag="vip"), ChangeFilter(run=key(1)), ChangeFilter(before=key(2))):
        assert await read(store, which=which) == found[1:]


async def test_filters_choose_by_run_workflow_tag_status_and_time(store: SqlStore) -> None:
    node = Node(store)
    options = msgspec.json.encode({"tags": ["vip"]})
    await node.commit(
        created=[
            new_run(1, owner=node.id, options=options),
            new_run(2, owner=node.id, workflow="refund"),
            new_run(3, owner=node.id),
        ]
    )
    await node.commit(1, held=node.held(1, 2), tasks=[new_task(1), new_task(2)], ended=[ended(2)])

    async def chosen(which: ChangeFilter) -> list[tuple[str, str]]:
        return [(it.kind.value, it.run[-1]) for it in await read(store, which=which)]

    assert await chosen(ChangeFilter(run=key(1))) == [("run_created", "1"), ("task", "1")]
    assert await chosen(ChangeFilter(tag="vip")) == [("run_created", "1"), ("task", "1")]
    assert await chosen(ChangeFilter(workflow="refund")) == [
        ("run_created", "2"),
        ("task", "2"),
        ("run_status", "2"),
    ]
    assert await chosen(ChangeFilter(status=RunStatus.SUCCESS)) == [("run_status", "2")]
    assert await chosen(ChangeFilter(since=key(3))) == [("run_created", "3")]
    assert await chosen(ChangeFilter(before=key(2))) == [("run_created", "1"), ("task", "1")]
    assert await chosen(ChangeFilter(workflow="none")) == []


async def test_other_namespaces_are_not_told_and_do_not_hold_up_the_reader(store: SqlStore) -> None:
    node = Node(store)
    for number in range(200):
        await store.create_runs("other", [new_run(1000 + number, namespace="other")])
    await node.commit(created=[new_run(1, owner=node.id)])

    assert [it.run for it in await read(store)] == [key_text(key(1))]


async def test_a_commit_of_many_changes_is_read_in_pages(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id)])
    tasks = [new_task(1, seq) for seq in range(12_000)]
    await node.commit(1, held=node.held(1), tasks=tasks)

    sizes: list[int] = []
    place, found = BEGINNING, list[Change]()
    while (page := await store.read_changes(SPACE, place, ALL)).place != place:
        place = page.place
        sizes.append(len(page.changes))
        found += page.changes

    assert [it.seq for it in found if it.kind is ChangeKind.TASK] == list(range(12_000))
    assert max(sizes) == 5_000
    assert await read(store, read_offset(found[7_000].offset)) == found[7_001:]


# --- transactions side by side


def _queries() -> dict[str, str]:
    return load_queries("holdfast.stores.postgres")


class OpenTransaction:
    """A transaction of another process that is in no hurry."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor)
        self._connection.execute("BEGIN")
        self._connection.execute("SELECT pg_current_xact_id()")

    def write(self, body: bytes) -> None:
        now = "2026-01-01T00:00:00Z"
        self._connection.execute(_queries()["insert_change"].encode(), (SPACE, now, len(body), body))

    def end(self, how: str = "COMMIT") -> None:
        self._connection.execute(how.encode())
        self._connection.close()


def told(number: int, status: str) -> bytes:
    return msgspec.msgpack.encode(([key(number)], [(1, [(0, status, None)])]))


@pytest.fixture
async def postgres(postgres_url: str) -> Any:
    store = store_for(postgres_url)
    await store.open()
    yield store
    await store.close()


@pytest.mark.parametrize("how", ["COMMIT", "ROLLBACK"])
async def test_a_reader_waits_for_a_transaction_that_has_an_earlier_place(
    postgres: SqlStore, postgres_url: str, how: str
) -> None:
    await postgres.create_runs(SPACE, [new_run(1), new_run(2)])
    begin = Place((await postgres.change_bounds()).last, LAST_OF_ROW)
    slow = await asyncio.to_thread(OpenTransaction, postgres_url)
    await asyncio.to_thread(slow.write, told(1, "slow"))

    await postgres.post_messages(SPACE, [signal(2)], at(1))
    meanwhile = await postgres.read_changes(SPACE, begin, ALL)
    still = await postgres.read_changes(SPACE, begin, ALL, meanwhile.bounds.horizon)
    await asyncio.to_thread(slow.end, how)
    afterwards = await read(postgres, begin)

    for page in (meanwhile, still):
        assert (page.changes, page.place) == ([], begin)
        assert page.bounds.newest > begin.row
        assert page.bounds.horizon is not None
    first = [("run_status", "slow")] if how == "COMMIT" else []
    assert facts(afterwards) == [*first, ("message", "signal", "go")]


async def test_a_reader_waits_for_the_youngest_transaction_too(postgres: SqlStore, postgres_url: str) -> None:
    """It has begun after the last one that has ended, so the end of a snapshot does not count it."""
    await postgres.create_runs(SPACE, [new_run(1)])
    begin = Place((await postgres.change_bounds()).last, LAST_OF_ROW)
    old = await asyncio.to_thread(OpenTransaction, postgres_url)
    young = await asyncio.to_thread(OpenTransaction, postgres_url)
    await asyncio.to_thread(young.write, told(1, "young"))
    await asyncio.to_thread(old.write, told(1, "old"))
    await asyncio.to_thread(old.end)

    meanwhile = await postgres.read_changes(SPACE, begin, ALL)
    await asyncio.to_thread(young.end)

    assert (meanwhile.changes, meanwhile.place) == ([], begin)
    assert facts(await read(postgres, begin)) == [("run_status", "young"), ("run_status", "old")]


async def test_who_begins_first_and_writes_last_is_told_last(postgres: SqlStore, postgres_url: str) -> None:
    """A node begins its commit; a client resumes a run, and commits; then the node claims that run. By the
    ids of the transactions, it would seem to be running before it was resumed."""
    await postgres.create_runs(SPACE, [new_run(1)])
    begin = Place((await postgres.change_bounds()).last, LAST_OF_ROW)

    node = await asyncio.to_thread(OpenTransaction, postgres_url)
    await postgres.post_messages(SPACE, [signal(1)], at(1))
    await asyncio.to_thread(node.write, told(1, "running"))
    await asyncio.to_thread(node.end)

    assert facts(await read(postgres, begin)) == [("message", "signal", "go"), ("run_status", "running")]


async def test_no_change_is_skipped_while_many_transactions_run_side_by_side(postgres_url: str) -> None:
    stores = [store_for(postgres_url) for _ in range(4)]
    for each in stores:
        await each.open()
    reader = stores.pop()
    total = 60
    seen: list[str] = []
    place, horizon = BEGINNING, None

    async def write(number: int, store: SqlStore) -> None:
        for count in range(total):
            await store.create_runs(SPACE, [new_run(1000 * number + count + 1)])

    async def watch() -> None:
        nonlocal place, horizon
        while len(seen) < total * len(stores):
            page = await reader.read_changes(SPACE, place, ALL, horizon)
            seen.extend(it.run for it in page.changes)
            place, horizon = page.place, page.bounds.horizon

    async with asyncio.timeout(60):
        await asyncio.gather(watch(), *[write(number, store) for number, store in enumerate(stores)])

    assert len(set(seen)) == len(seen) == total * len(stores)
    for each in (*stores, reader):
        await each.close()


# --- removing


async def test_old_changes_are_removed_from_the_beginning_and_one_stays(store: SqlStore) -> None:
    for number in range(1, 8):
        await store.create_runs(SPACE, [new_run(number, created_at=at(number))])
    first, last, *_ = await store.change_bounds()

    # The migration has written the first row at the real time, which is later than those of the tests. So a
    # row is kept that is younger than what follows it: only a beginning is removed.
    assert await store.remove_changes(at(5), 10**9, 10**9) == Removal(0, is_over=True)
    assert (await store.change_bounds()).first == first
    # Three rows are kept, and the one before them: who has read that one has missed nothing.
    assert (await store.remove_changes(at(5), 10**9, 3)).is_over
    assert (await store.change_bounds()).first == last - 3
    assert [it.run[-1] for it in await read(store, Place(last - 3, LAST_OF_ROW))] == ["5", "6", "7"]
    # By age: the row at second 6 is young, the one before it stays.
    await store.remove_changes(at(6), 10**9, 10**9)
    assert (await store.change_bounds()).first == last - 2
    # By size: nothing has room, and the last row stays all the same.
    await store.remove_changes(at(0), 1, 10**9)
    assert await store.change_bounds() == ChangeBounds(last, last, last)


async def test_changes_are_removed_in_bites(store: SqlStore) -> None:
    for number in range(1, 602):
        await store.create_runs(SPACE, [new_run(number)])

    removed = [await store.remove_changes(at(0), 10**9, 50) for _ in range(3)]

    assert removed == [Removal(500, is_over=False), Removal(51, is_over=True), Removal(0, is_over=True)]


@pytest.mark.parametrize(
    "text", ["", "b1", "b1-", "1-1", "b1-b1 ", "b01-b0", "c1-b0", None, 7, "q" + "f" * 16 + "-b0"]
)
def test_what_is_no_offset_is_refused(text: Any) -> None:
    with pytest.raises(BadOption, match="after"):
        read_offset(text)


def test_offsets_are_ordered_as_their_places_are() -> None:
    numbers = [0, 1, 9, 15, 16, 255, 256, 10**6, LAST_OF_ROW]
    places = [Place(row, number) for row in (*numbers, 2**62) for number in numbers]

    assert [read_offset(offset_text(place)) for place in places] == places
    assert sorted(map(offset_text, places)) == [offset_text(place) for place in places]
