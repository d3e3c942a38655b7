"""A message that is sent again under its id is not added again. A signal may start its run."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_run, released, resolved, signal

from holdfast.core.records import PostedMessage
from holdfast.ports.commits import NewMessage, TakenMessage
from holdfast.ports.runs import PostResult, SignalledRun
from holdfast.stores import SqlStore

POSTED, UID_TAKEN, ENDED = PostResult.POSTED, PostResult.UID_TAKEN, PostResult.ENDED


def named(message: NewMessage, uid: str = "m1") -> NewMessage:
    return msgspec.structs.replace(message, uid=uid)


async def mail_of(store: SqlStore, number: int) -> list[PostedMessage]:
    return await store.list_messages(SPACE, key(number), 0, 100)


async def test_a_message_that_is_sent_again_is_answered_as_before_and_writes_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    assert await store.post_messages(SPACE, [named(signal(1))], at(1)) == [POSTED]
    [message] = (await node.commit(collect=True)).mail
    taken = [TakenMessage(key(1), message.id, 0)]
    await node.commit(held=node.held(1), taken=taken, released=[released(1, wake_at=None)])

    assert await store.post_messages(SPACE, [named(signal(1))], at(2)) == [POSTED]

    assert [each.id for each in await mail_of(store, 1)] == [message.id]
    run = await store.find_run(SPACE, key(1))
    assert run is not None
    assert run.wake_at is None


async def test_the_same_message_twice_in_one_group_is_added_once(store: SqlStore) -> None:
    await Node(store).start(1)

    group = [named(signal(1)), named(signal(1)), named(signal(1, payload=b"2")), named(signal(1), "m2")]

    assert await store.post_messages(SPACE, group, at(1)) == [POSTED, POSTED, UID_TAKEN, POSTED]
    assert [message.payload for message in await mail_of(store, 1)] == [b"1", b"1"]


@pytest.mark.parametrize(
    "other",
    [signal(1, payload=b"2"), signal(1, "stop"), resolved(1, "go", b"1")],
    ids=["value", "name", "kind"],
)
async def test_an_id_that_another_message_has_is_refused(store: SqlStore, other: NewMessage) -> None:
    await Node(store).start(1)
    await store.post_messages(SPACE, [named(signal(1))], at(1))

    assert await store.post_messages(SPACE, [named(other)], at(2)) == [UID_TAKEN]
    assert len(await mail_of(store, 1)) == 1


async def test_equal_values_may_be_written_in_two_ways(store: SqlStore) -> None:
    await Node(store).start(1)
    await store.post_messages(SPACE, [named(signal(1, payload=b'{"a":1,"b":[2]}'))], at(1))

    again = named(signal(1, payload=b'{"b": [2], "a": 1}'))

    assert await store.post_messages(SPACE, [again], at(2)) == [POSTED]
    assert len(await mail_of(store, 1)) == 1


async def test_ids_belong_to_their_run(store: SqlStore) -> None:
    await Node(store).start(1, 2)

    answers = await store.post_messages(SPACE, [named(signal(1)), named(signal(2, payload=b"2"))], at(1))

    assert answers == [POSTED, POSTED]
    elsewhere = await store.post_messages("elsewhere", [named(signal(1))], at(1))
    assert elsewhere == [PostResult.NO_SUCH_RUN]


async def test_a_message_of_a_run_that_has_read_it_and_ended_was_sent(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [named(signal(1)), named(resolved(1), "m2")], at(1))
    [first, second] = await mail_of(store, 1)
    taken = [TakenMessage(key(1), first.id, 0), TakenMessage(key(1), second.id, 0)]
    await node.commit(held=node.held(1), taken=taken, ended=[ended(1)])

    again = [named(signal(1)), named(resolved(1), "m2"), named(signal(1), "m3"), signal(1)]

    assert await store.post_messages(SPACE, again, at(2)) == [POSTED, POSTED, ENDED, ENDED]


async def test_a_promise_that_is_resolved_again_under_its_id_was_resolved(store: SqlStore) -> None:
    await Node(store).start(1)
    await store.post_messages(SPACE, [named(resolved(1))], at(1))

    answers = await store.post_messages(SPACE, [named(resolved(1)), named(resolved(1), "m2")], at(2))

    assert answers == [POSTED, PostResult.SETTLED]


async def test_of_many_that_send_one_message_at_once_one_adds_it(pair: tuple[SqlStore, SqlStore]) -> None:
    await Node(pair[0]).start(1)

    answers = await asyncio.gather(
        *(pair[n % 2].post_messages(SPACE, [named(signal(1))], at(1)) for n in range(10))
    )

    assert answers == [[POSTED]] * 10
    assert len(await mail_of(pair[0], 1)) == 1


# --- signal_or_start


async def test_a_signal_starts_the_run_that_is_not_there_and_is_in_its_inbox(store: SqlStore) -> None:
    answer = await store.signal_or_start(SPACE, new_run(1, id="a"), named(signal(1)), at(1))

    assert answer == SignalledRun(key(1), new_run(1).workflow, POSTED)
    receipt = await Node(store).claim()
    assert [claim.run.key for claim in receipt.claimed] == [key(1)]
    assert [message.name for message in receipt.mail] == ["go"]


async def test_a_signal_goes_to_the_run_that_is_there(store: SqlStore) -> None:
    await store.create_runs(SPACE, [new_run(1, id="a")])

    answer = await store.signal_or_start(SPACE, new_run(2, id="a"), named(signal(2)), at(1))

    assert answer == SignalledRun(key(1), new_run(1).workflow, POSTED)
    assert len(await mail_of(store, 1)) == 1
    assert await store.find_run(SPACE, key(2)) is None


async def test_a_start_by_signal_whose_answer_was_lost_may_be_repeated(store: SqlStore) -> None:
    node = Node(store)
    for second in (1, 2):
        answer = await store.signal_or_start(SPACE, new_run(1, id="a"), named(signal(1)), at(second))
        assert answer.result is POSTED
    await node.claim()
    await node.commit(held=node.held(1), ended=[ended(1)])

    again = await store.signal_or_start(SPACE, new_run(1, id="a"), named(signal(1)), at(3))
    other = await store.signal_or_start(SPACE, new_run(2, id="a"), named(signal(2), "m2"), at(3))

    assert (again.result, other.result) == (POSTED, ENDED)
    assert len(await mail_of(store, 1)) == 1
    assert len(await store.find_runs(SPACE, [key(1), key(2)])) == 1


async def test_a_run_of_another_workflow_gets_no_signal(store: SqlStore) -> None:
    await store.create_runs(SPACE, [new_run(1, id="a", workflow="other")])

    answer = await store.signal_or_start(SPACE, new_run(2, id="a"), named(signal(2)), at(1))

    assert answer == SignalledRun(key(1), "other", None)
    assert await mail_of(store, 1) == []


async def test_of_many_that_start_a_run_by_signal_one_does_and_all_signals_are_in_it(
    pair: tuple[SqlStore, SqlStore],
) -> None:
    answers = await asyncio.gather(
        *(
            pair[n % 2].signal_or_start(SPACE, new_run(n, id="a"), named(signal(n), f"m{n}"), at(1))
            for n in range(1, 21)
        )
    )

    [run] = {answer.key for answer in answers}
    assert {answer.result for answer in answers} == {POSTED}
    assert len(await store_runs(pair[0])) == 1
    assert len(await pair[0].list_messages(SPACE, run, 0, 100)) == 20


async def store_runs(store: SqlStore) -> list[object]:
    return [*await store.find_runs(SPACE, [key(n) for n in range(1, 21)])]
