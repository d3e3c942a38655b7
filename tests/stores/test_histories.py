"""Histories for replay: without what replay does not need, and never too much at once."""

from __future__ import annotations

import random

import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_task, settled, signal, step

from holdfast.core.records import History, MessageKind
from holdfast.core.values import Cancelled, Failed, Failure, Payload, RunKey, Succeeded, TaskStatus
from holdfast.ports.commits import SettledTask, TakenMessage
from holdfast.ports.runs import HistoryPage, HistoryPlace
from holdfast.stores import SqlStore


async def _add_tasks(node: Node, number: int, count: int) -> None:
    """Beyond the one task and the one step that every run has."""
    await node.commit(
        1,
        held=node.held(number),
        steps=[step(number, 1 + each, b"step %d" % each) for each in range(count)],
        tasks=[new_task(number, 1 + each) for each in range(count)],
        settled=[settled(number, 1 + each, b"%d" % each) for each in range(count)],
    )


async def test_of_settled_tasks_there_are_the_outcomes_and_of_open_ones_all(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    failure = Failure("shop:Declined", "no money")
    failed = SettledTask(
        key(1), 1, TaskStatus.FAILED, 1, None, b'{"type":"shop:Declined","message":"no money"}', at(1), at(2)
    )
    cancelled = SettledTask(key(1), 2, TaskStatus.CANCELLED, 1, None, None, None, at(2))
    skipped = SettledTask(key(1), 3, TaskStatus.SKIPPED, 1, None, None, None, at(2))
    empty = SettledTask(key(1), 4, TaskStatus.SUCCESS, 1, None, None, None, at(2))
    await node.commit(
        1,
        held=node.held(1),
        tasks=[new_task(1, seq) for seq in range(1, 6)],
        settled=[settled(1), failed, cancelled, skipped, empty],
    )

    (history,) = (await store.load_short_histories(SPACE, [key(1)], 100)).loaded

    assert history.outcomes == {
        0: Succeeded(Payload(b'"done"')),
        1: Failed(failure),
        2: Cancelled(),
        3: Cancelled(),
        4: Succeeded(Payload(b"null")),
    }
    assert [(task.seq, task.input) for task in history.tasks] == [(5, Payload(b"[1]"))]


async def test_no_more_rows_are_read_than_were_asked_for(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3, 4)
    await _add_tasks(node, 2, 10)

    found = await store.load_short_histories(SPACE, [key(number) for number in (1, 2, 3, 4, 9)], 4)

    assert [history.run.key for history in found.loaded] == [key(1), key(3)]
    assert found.left == [key(4)]
    assert [history.run.key for history in found.long] == [key(2)]


@pytest.mark.parametrize("large", ["result", "input", "message"])
async def test_nor_more_bytes_but_at_least_one_history(store: SqlStore, large: str) -> None:
    node = Node(store)
    await node.start(1, 2, 3, 4)
    text = Payload(b'"' + random.Random(1).randbytes(20_000).hex().encode() + b'"')
    if large == "result":
        await node.commit(1, held=node.held(2, 3), settled=[settled(2, 0, text), settled(3, 0, text)])
    elif large == "input":
        await node.commit(1, held=node.held(2, 3), tasks=[new_task(each, 1, text) for each in (2, 3)])
    else:
        await store.post_messages(SPACE, [signal(2, "go", text), signal(3, "go", text)], at(1))
        mail = (await node.commit(1, collect=True)).mail
        taken = [TakenMessage(message.run, message.id, 1) for message in mail]
        await node.commit(2, held=node.held(2, 3), taken=taken)
    runs = [key(number) for number in (1, 2, 3, 4)]

    some = await store.load_short_histories(SPACE, runs, 100, 50_000)
    rest = await store.load_short_histories(SPACE, some.left, 100, 1_000)

    assert [history.run.key for history in some.loaded] == [key(1), key(2), key(4)]
    assert some.left == [key(3)]
    assert [history.run.key for history in rest.loaded] == [key(3)]
    assert not rest.left


async def test_messages_that_were_read_and_children_count_as_rows(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 5)
    await node.start(3, 4, parent=key(2), parent_seq=0)
    await store.post_messages(SPACE, [signal(1), signal(1), signal(5), signal(5)], at(1))
    mail = (await node.commit(2, collect=True)).mail
    taken = [TakenMessage(message.run, message.id, 1) for message in mail if message.run == key(1)]
    await node.commit(3, held=node.held(1), taken=taken)

    found = await store.load_short_histories(SPACE, [key(1), key(2), key(5)], 3)

    assert [history.run.key for history in found.long] == [key(1), key(2)]
    assert [(history.run.key, history.messages) for history in found.loaded] == [(key(5), [])]


async def _read_in_pages(store: SqlStore, run: RunKey, rows: int) -> list[HistoryPage]:
    pages = [await store.load_history_page(SPACE, run, HistoryPlace(), rows)]
    while not pages[-1].is_last:
        pages.append(await store.load_history_page(SPACE, run, pages[-1].next, rows))
    return pages


@pytest.mark.parametrize("rows", [1, 3, 4, 100])
async def test_the_pages_of_a_history_are_the_whole_of_it(store: SqlStore, rows: int) -> None:
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    await _add_tasks(node, 1, 7)
    await store.post_messages(SPACE, [signal(1, str(number)) for number in range(5)], at(1))
    await node.commit(2, held=node.held(2), ended=[ended(2, parent=1)])

    pages = await _read_in_pages(store, key(1), rows)

    assert all(max(len(it.steps), len(it.outcomes), len(it.messages)) <= rows for it in pages)
    (whole,) = (await store.load_short_histories(SPACE, [key(1)], 1000)).loaded
    assert _joined(whole, pages) == whole
    assert [message.kind for message in whole.messages].count(MessageKind.CHILD) == 1


def _joined(whole: History, pages: list[HistoryPage]) -> History:
    return History(
        whole.run,
        [each for page in pages for each in page.steps],
        pages[-1].tasks,
        [each for page in pages for each in page.messages],
        pages[-1].children,
        outcomes={seq: outcome for page in pages for seq, outcome in page.outcomes.items()},
    )


async def test_a_child_that_ends_between_two_pages_has_ended_on_the_last(store: SqlStore) -> None:
    """Its message may be there or not: it comes with the mail. But if it is there, its row says so too."""
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    await _add_tasks(node, 1, 4)

    first = await store.load_history_page(SPACE, key(1), HistoryPlace(), 3)
    await node.commit(2, held=node.held(2), ended=[ended(2, parent=1)])
    last = await store.load_history_page(SPACE, key(1), first.next, 3)

    assert not first.is_last
    assert last.is_last
    assert [message.kind for message in last.messages] == [MessageKind.CHILD]
    assert [child.status.is_final for child in last.children] == [True]


async def test_a_step_that_is_missing_is_damage_of_its_page(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(1, held=node.held(1), steps=[step(1, 2)])

    page = await store.load_history_page(SPACE, key(1), HistoryPlace(), 100)

    assert page.is_last
    assert page.damage == "step 1 of the journal is missing"
