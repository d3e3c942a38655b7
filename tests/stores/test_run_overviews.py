"""Lists of runs: by page, with what is shown of each besides its row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.stores.builders import SPACE, Node, Worker, at, change, ended, key, new_run, released

from holdfast.core.records import MessageKind
from holdfast.core.values import NULL, Payload, RunKey, RunStatus, Succeeded
from holdfast.ports.commits import NewMessage, StateChange, TakenMessage
from holdfast.ports.runs import RunOverview, RunPage
from holdfast.stores import SqlStore

OPEN = (RunStatus.RUNNING, RunStatus.PARKED, RunStatus.PAUSED)


def keys_of(overviews: Sequence[RunOverview]) -> list[int]:
    return [int.from_bytes(overview.run.key, "big") for overview in overviews]


async def cancel(store: SqlStore, number: int) -> None:
    await store.post_messages(SPACE, [NewMessage(key(number), MessageKind.CANCEL, "", NULL)], at(1))


@pytest.fixture
async def several(store: SqlStore) -> SqlStore:
    """1 and 2 ended, 3 is parked, 4 in the queue, 5 to be cancelled, 6 both, 7 and 8 wait to be taken."""
    node = Node(store)
    await node.start(1, 2, 3, 5)
    await node.queue(4, 6)
    await store.create_runs(SPACE, [new_run(7), new_run(8, workflow="mail", version="2")])
    await store.create_runs("elsewhere", [new_run(9, namespace="elsewhere")])
    await node.commit(
        1,
        held=node.held(1, 2, 3),
        ended=[ended(1), ended(2, status=RunStatus.FAILED)],
        released=[released(3, status=RunStatus.PARKED)],
    )
    await cancel(store, 5)
    await cancel(store, 6)
    return store


CASES: list[tuple[RunPage, list[int]]] = [
    (RunPage(), [8, 7, 6, 5, 4, 3, 2, 1]),
    (RunPage(limit=3), [8, 7, 6]),
    (RunPage(limit=3, offset=2), [6, 5, 4]),
    (RunPage(offset=100), []),
    (RunPage(workflow="mail"), [8]),
    (RunPage(workflow="order", version="2"), []),
    (RunPage(version="2"), [8]),
    (RunPage(statuses=[]), []),
    (RunPage(statuses=[RunStatus.SUCCESS]), [1]),
    (RunPage(statuses=[RunStatus.SUCCESS, RunStatus.FAILED]), [2, 1]),
    (RunPage(statuses=[RunStatus.FAILED, RunStatus.FAILED]), [2]),
    (RunPage(statuses=OPEN), [6, 5, 4, 3]),
    (RunPage(statuses=OPEN, limit=2, offset=1), [5, 4]),
    (RunPage(statuses=OPEN, is_queued=True), [6, 4]),
    (RunPage(statuses=OPEN, is_queued=True, is_cancelling=False), [4]),
    (RunPage(statuses=OPEN, is_queued=False, is_cancelling=False), [3]),
    (RunPage(statuses=[RunStatus.PENDING], workflow="order"), [7]),
    (RunPage(is_cancelling=True), [6, 5]),
    (RunPage(is_queued=True), [6, 4]),
    (RunPage(is_queued=False, limit=3), [8, 7, 5]),
]


@pytest.mark.parametrize(("page", "expected"), CASES)
async def test_a_page_has_the_runs_that_were_asked_for_newest_first(
    several: SqlStore, page: RunPage, expected: list[int]
) -> None:
    assert keys_of(await several.list_run_overviews(SPACE, page)) == expected


@pytest.mark.parametrize(
    ("page", "expected"), [(page._replace(limit=100, offset=0), it) for page, it in CASES]
)
async def test_a_count_is_that_of_all_pages_up_to_a_limit(
    several: SqlStore, page: RunPage, expected: list[int]
) -> None:
    found = len(await several.list_run_overviews(SPACE, page))

    assert found >= len(expected)
    assert await several.count_runs(SPACE, page._replace(limit=1, offset=5), 100) == found
    assert await several.count_runs(SPACE, page, 3) == min(found, 3)


async def test_each_run_is_shown_with_its_state_and_what_it_waits_for(several: SqlStore) -> None:
    node = Node(several)
    await node.commit(
        2,
        held=node.held(4, 5),
        state=[
            StateChange(key(4), "b", Payload(b"2")),
            StateChange(key(4), "a", Payload(b'{"x":"\\u0000"}')),
            StateChange(key(5), "$cursor", Payload(b'"n"')),
        ],
    )

    overviews = {
        overview.run.key: overview for overview in await several.list_run_overviews(SPACE, RunPage())
    }

    assert overviews[key(4)].state == {"a": b'{"x":"\\u0000"}', "b": b"2"}
    assert list(overviews[key(4)].state) == ["a", "b"]
    assert overviews[key(5)].state == {"$cursor": b'"n"'}
    flags = {
        int.from_bytes(run, "big"): (overview.is_queued, overview.is_cancelling)
        for run, overview in overviews.items()
    }
    nothing = dict.fromkeys(range(1, 9), (False, False))
    assert flags == nothing | {4: (True, False), 5: (False, True), 6: (True, True)}
    assert overviews[key(4)].run == await several.find_run(SPACE, key(4))
    assert await several.find_run_overview(SPACE, key(4)) == overviews[key(4)]
    assert await several.find_run_overview("elsewhere", key(4)) is None
    assert await several.find_run_overview(SPACE, RunKey(b"\xff" * 16)) is None


async def test_a_run_that_has_heard_or_is_over_is_not_about_to_be_cancelled(several: SqlStore) -> None:
    node = Node(several)
    (heard,) = [it for it in (await several.load_histories(SPACE, [key(5)]))[0].messages if it.taken is None]

    await node.commit(
        2,
        held=node.held(5, 6),
        taken=[TakenMessage(key(5), heard.id, 1)],
        ended=[ended(6, status=RunStatus.FAILED)],
    )

    overviews = [await several.find_run_overview(SPACE, key(number)) for number in (5, 6)]
    assert [(overview.is_queued, overview.is_cancelling) for overview in overviews if overview] == [
        (False, False)
    ] * 2
    assert await several.list_run_overviews(SPACE, RunPage(is_cancelling=True)) == []


async def test_a_run_is_in_the_queue_until_a_worker_has_told_of_its_task(several: SqlStore) -> None:
    item = await Worker(several).take()
    overview = await several.find_run_overview(SPACE, item.run)
    assert overview is not None
    assert overview.is_queued

    await Worker(several).complete(item, Succeeded(NULL))

    assert item.run not in [
        overview.run.key for overview in await several.list_run_overviews(SPACE, RunPage(is_queued=True))
    ]


async def test_a_page_of_a_hundred_runs_costs_as_many_statements_as_one_of_one(store: SqlStore) -> None:
    node = Node(store)
    await node.start(*range(100))
    await node.commit(
        held=node.held(*range(100)), state=[StateChange(key(n), "a", Payload(b"1")) for n in range(100)]
    )

    await store.list_run_overviews(SPACE, RunPage(limit=1))  # whoever reads is connected
    costs: list[int] = []
    for limit in (1, 100):
        before = store.statements
        assert len(await store.list_run_overviews(SPACE, RunPage(limit=limit))) == limit
        costs.append(store.statements - before)

    # begin, page, rows, states, queue, messages, commit
    assert costs == [7, 7]


async def test_a_run_that_cannot_be_read_is_left_out_and_the_others_are_shown(several: SqlStore) -> None:
    await change(several, "UPDATE {}runs SET status = 'frozen' WHERE workflow = 'mail'")

    assert keys_of(await several.list_run_overviews(SPACE, RunPage(limit=3))) == [7, 6]
