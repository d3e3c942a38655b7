"""What a client may do: start, post, find, list, open again."""

from __future__ import annotations

import asyncio

import pytest
from tests.stores.builders import (
    SPACE,
    Node,
    at,
    ended,
    key,
    new_run,
    released,
    resolved,
    settled,
    signal,
    step,
    turn_of,
)

from holdfast.core.records import Definition
from holdfast.core.values import RunStatus, TaskStatus, key_text
from holdfast.errors import NotOpen, VersionConflict
from holdfast.ports.commits import ClaimRequest, Held, TakenMessage, WokenRun
from holdfast.ports.runs import PostResult, Reopening, RunFilter
from holdfast.stores import SqlStore


async def test_created_runs_are_there_to_be_taken_and_a_taken_id_is_answered(store: SqlStore) -> None:
    assert await store.create_runs(SPACE, [new_run(1, id="a"), new_run(2)]) == {}

    existing = await store.create_runs(SPACE, [new_run(3, id="a"), new_run(4, id="b")])

    assert existing == {key(3): key(1)}
    receipt = await Node(store).claim()
    assert {claim.run.key for claim in receipt.claimed} == {key(1), key(2), key(4)}


async def test_each_message_is_answered_for_itself(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await node.commit(held=node.held(2), ended=[ended(2)])

    messages = [signal(1), signal(2), signal(3), resolved(1), resolved(1), resolved(1, "other")]
    results = await store.post_messages(SPACE, messages, at(1))

    assert results == [
        PostResult.POSTED,
        PostResult.ENDED,
        PostResult.NO_SUCH_RUN,
        PostResult.POSTED,
        PostResult.SETTLED,
        PostResult.POSTED,
    ]
    assert await store.post_messages("elsewhere", [signal(1)], at(1)) == [PostResult.NO_SUCH_RUN]


async def test_a_promise_is_settled_once_however_many_try_at_once(pair: tuple[SqlStore, SqlStore]) -> None:
    await Node(pair[0]).start(1)

    answers = await asyncio.gather(
        *(pair[n % 2].post_messages(SPACE, [resolved(1)], at(1)) for n in range(10))
    )

    assert sorted(answer.name for (answer,) in answers) == ["POSTED"] + ["SETTLED"] * 9
    assert len((await pair[0].load_histories(SPACE, [key(1)]))[0].messages) == 1


async def test_messages_of_many_senders_all_arrive_while_the_owner_takes_and_releases(
    pair: tuple[SqlStore, SqlStore],
) -> None:
    near, far = pair
    node = Node(near)
    await node.start(1)
    epoch, position, heard = 1, 0, 0

    async def send() -> None:
        for number in range(30):
            await far.post_messages(SPACE, [signal(1, f"{number}")], at(number))

    sending = asyncio.create_task(send())
    for _ in range(1000):
        receipt = await node.commit(99, collect=True, claim=ClaimRequest(["order@1"], 1))
        epoch += len(receipt.claimed)
        if not receipt.mail:
            await asyncio.sleep(0.001)
            continue
        position += 1
        heard += len(receipt.mail)
        taken = [TakenMessage(key(1), message.id, position) for message in receipt.mail]
        # Released without a time to wake: only the next message brings it back.
        held = node.held(1, epoch=epoch)
        moved = await node.commit(
            99, held=held, steps=[step(1, position)], taken=taken, released=[released(1)]
        )
        assert not moved.lost
        if heard == 30:
            break

    await sending
    assert heard == 30
    assert await near.stranded_runs(SPACE, at(0)) == []


async def test_a_run_is_found_by_the_users_name_or_by_its_key(store: SqlStore) -> None:
    text = key_text(key(2))
    await store.create_runs(SPACE, [new_run(1, id="order-1"), new_run(2), new_run(3, id=key_text(key(1)))])

    by_name, by_key = await store.find_run(SPACE, "order-1"), await store.find_run(SPACE, text)
    named_like_a_key = await store.find_run(SPACE, key_text(key(1)))

    assert (by_name and by_name.key, by_key and by_key.key) == (key(1), key(2))
    assert named_like_a_key is not None
    assert named_like_a_key.key == key(3)
    assert await store.find_run(SPACE, "nobody") is None
    assert await store.find_run("elsewhere", text) is None


async def test_runs_are_listed_newest_first_by_page_state_and_workflow(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3)
    await node.start(4, workflow="mail")
    await node.commit(held=node.held(1, 2), ended=[ended(1), ended(2, status=RunStatus.FAILED)])

    async def listed(**fields: object) -> list[int]:
        runs = await store.list_runs(SPACE, RunFilter(**fields))  # pyright: ignore[reportArgumentType]
        return [int.from_bytes(run.key, "big") for run in runs]

    assert await listed() == [4, 3, 2, 1]
    assert await listed(limit=2) == [4, 3]
    assert await listed(limit=2, before=key(3)) == [2, 1]
    assert await listed(statuses=(RunStatus.SUCCESS,)) == [1]
    assert await listed(statuses=(RunStatus.RUNNING,)) == [4, 3]
    assert await listed(statuses=(RunStatus.RUNNING,), before=key(4)) == [3]
    assert await listed(statuses=(RunStatus.RUNNING,), workflow="mail") == [4]
    assert await listed(workflow="order") == [3, 2, 1]
    assert await listed(workflow="nothing") == []
    assert await store.list_runs("elsewhere", RunFilter()) == []


async def test_many_runs_are_loaded_in_the_order_asked_for(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3)
    await node.commit(held=node.held(2), steps=[step(2, 1, b"second")])

    histories = await store.load_histories(SPACE, [key(3), key(9), key(2), key(1)])

    assert [history.run.key for history in histories] == [key(3), key(2), key(1)]
    assert [len(history.steps) for history in histories] == [1, 2, 1]
    assert histories[1].steps[1] == b"second"
    assert all(len(history.tasks) == 1 for history in histories)
    assert await store.load_histories(SPACE, []) == []


async def test_an_ended_run_is_opened_again_with_its_tasks_and_messages(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [signal(1)], at(1))
    (message,) = (await node.commit(1, collect=True)).mail
    await node.commit(
        2,
        held=node.held(1),
        steps=[step(1, 1)],
        settled=[settled(1)],
        taken=[TakenMessage(key(1), message.id, 1)],
        ended=[ended(1, status=RunStatus.FAILED)],
    )

    reopening = Reopening(key(1), 1, step(1, 2, b"again"), [0], [message.id], at(3))
    assert await store.reopen_runs(SPACE, [reopening])
    assert not await store.reopen_runs(SPACE, [reopening._replace(step=step(1, 3))])

    (history,) = await store.load_histories(SPACE, [key(1)])
    assert (history.run.status, history.run.epoch, history.run.wake_at) == (RunStatus.RUNNING, 2, at(3))
    assert (history.run.output, history.run.failure, history.run.finished_at) == (None, None, None)
    assert history.steps[2:] == [b"again"]
    (task,) = history.tasks
    assert (task.status, task.attempt, task.output, task.finished_at) == (TaskStatus.PENDING, 2, None, None)
    receipt = await node.claim(now=3)
    assert [(claim.run.key, claim.is_new) for claim in receipt.claimed] == [(key(1), False)]
    assert [unread.id for unread in receipt.mail] == [message.id]


async def test_a_run_that_moved_since_it_was_looked_at_is_not_opened_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    assert not await store.reopen_runs(SPACE, [Reopening(key(1), 1, step(1, 1), [0], [], at(1))])

    await node.commit(held=node.held(1), ended=[ended(1)])

    assert not await store.reopen_runs(SPACE, [Reopening(key(1), 0, step(1, 1), [0], [], at(1))])
    assert len((await store.load_histories(SPACE, [key(1)]))[0].steps) == 1


async def test_a_family_is_opened_again_as_a_whole_or_not_at_all(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    await node.commit(held=node.held(1, 2), ended=[ended(1), ended(2)])
    child = Reopening(key(2), 1, step(2, 1), [0], [], at(3), waiting=turn_of("1"))
    parent = Reopening(key(1), 1, step(1, 1), [0], [], at(3))

    assert not await store.reopen_runs(SPACE, [child, parent._replace(epoch=7)])
    ((first,), (second,)) = [await store.load_histories(SPACE, [key(number)]) for number in (1, 2)]
    assert (first.run.status.is_final, second.run.status.is_final, len(second.steps)) == (True, True, 1)

    assert await store.reopen_runs(SPACE, [child, parent])
    receipt = await node.claim(now=3)
    assert [claim.run.key for claim in receipt.claimed] == [key(1)], "the child waits for its turn"
    (held,) = await store.load_histories(SPACE, [key(2)])
    assert (held.run.wake_at, held.run.waiting) == (None, "its turn in 1")


async def test_a_run_is_woken_by_a_parent_that_has_its_lease_and_by_no_other(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    await node.commit(held=node.held(2), released=[released(2, waiting=turn_of("1"))])
    stranger = Node(store, "stranger")

    receipt = await stranger.commit(2, held=[Held(key(1), 1)], woken=[WokenRun(key(2), key(1))])
    assert receipt.lost == {key(1)}
    assert (await stranger.claim(now=3)).claimed == []

    await node.commit(4, held=node.held(1), woken=[WokenRun(key(2), key(1))])
    assert [claim.run.key for claim in (await stranger.claim(now=5)).claimed] == [key(2)]


async def test_mail_does_not_wake_a_run_that_waits_for_its_turn(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    await node.commit(held=node.held(2), ended=[ended(2)])
    await store.reopen_runs(SPACE, [Reopening(key(2), 1, step(2, 1), [], [], at(3), waiting=turn_of("1"))])

    assert await store.post_messages(SPACE, [signal(2)], at(4)) == [PostResult.POSTED]
    assert (await node.claim(now=5)).claimed == []

    await node.commit(6, held=node.held(1), woken=[WokenRun(key(2), key(1))])
    receipt = await node.claim(now=7)
    assert [claim.run.key for claim in receipt.claimed] == [key(2)]
    assert [message.name for message in receipt.mail] == ["go"]


async def test_a_version_is_registered_once_with_one_hash(store: SqlStore) -> None:
    first = Definition("order", "1", "code", "hash-1", "def order(): ...")
    await store.register_definitions(SPACE, [first, first._replace(version="2")], at(0))
    await store.register_definitions(SPACE, [first], at(1))
    await store.register_definitions("elsewhere", [first._replace(hash="hash-2")], at(1))

    with pytest.raises(VersionConflict, match="'order' version '1'"):
        await store.register_definitions(
            SPACE, [first._replace(name="new"), first._replace(hash="hash-2")], at(2)
        )

    await store.register_definitions(SPACE, [first._replace(name="new", hash="hash-3")], at(3))


async def test_the_clock_of_the_store_moves_on(store: SqlStore) -> None:
    first = await store.now()
    await asyncio.sleep(0.005)

    assert first < await store.now() < first + 10_000_000


async def test_a_store_that_is_not_open_says_so(store: SqlStore) -> None:
    await store.close()
    await store.close()

    with pytest.raises(NotOpen, match="not open"):
        await store.now()
    await store.open()
    assert await store.now() > 0
