"""Messages with an id of their sender, and answers to them: each is written once."""

from __future__ import annotations

import asyncio

from tests.stores.builders import SPACE, Node, at, ended, key, signal

from holdfast.core.records import MessageKind
from holdfast.core.values import Payload
from holdfast.ports.commits import AnsweredUpdate, Held, NewMessage, TakenMessage
from holdfast.ports.runs import PostResult, UpdateAnswer
from holdfast.stores import SqlStore


def update(number: int, uid: str = "m1", name: str = "add", payload: bytes = b"[1]") -> NewMessage:
    return NewMessage(key(number), MessageKind.UPDATE, name, Payload(payload), uid=uid)


async def answers(store: SqlStore, *asked: tuple[int, str]) -> list[UpdateAnswer]:
    found = await store.find_answers(SPACE, [(key(number), uid) for number, uid in asked])
    return sorted(found, key=lambda row: (row.run, row.uid))


async def message_of(store: SqlStore, number: int, place: int = 0) -> int:
    return (await store.list_messages(SPACE, key(number), 0, 100))[place].id


async def test_a_message_that_is_sent_again_is_not_added_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await store.post_messages(SPACE, [update(1)], at(1))

    results = await store.post_messages(
        SPACE,
        [
            update(1),
            update(1, name="remove"),
            update(1, payload=b"[2]"),
            update(2),
            update(2, "m2"),
            update(2, "m2"),
            signal(2),
            signal(2),
        ],
        at(2),
    )

    assert results == [
        PostResult.POSTED,
        PostResult.UID_TAKEN,
        PostResult.UID_TAKEN,
        PostResult.POSTED,
        PostResult.POSTED,
        PostResult.POSTED,
        PostResult.POSTED,
        PostResult.POSTED,
    ]
    assert len(await store.list_messages(SPACE, key(1), 0, 100)) == 1
    assert len(await store.list_messages(SPACE, key(2), 0, 100)) == 4


async def test_of_many_senders_of_one_message_one_adds_it(pair: tuple[SqlStore, SqlStore]) -> None:
    await Node(pair[0]).start(1)

    results = await asyncio.gather(*(pair[n % 2].post_messages(SPACE, [update(1)], at(1)) for n in range(10)))

    assert results == [[PostResult.POSTED]] * 10
    assert len(await pair[0].list_messages(SPACE, key(1), 0, 100)) == 1


async def test_the_first_answer_stands(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await store.post_messages(SPACE, [update(1), update(1, "m2"), update(2)], at(1))
    first, of_another = await message_of(store, 1), await message_of(store, 2)
    hard = '{"value":"grüße 🎉 \\u0000"}'.encode()

    await node.commit(held=node.held(1), answered=[AnsweredUpdate(key(1), first, hard)])
    await node.commit(
        held=node.held(1),
        taken=[TakenMessage(key(1), first, 3)],
        answered=[
            AnsweredUpdate(key(1), first, b'{"value":2}'),
            AnsweredUpdate(key(1), of_another, b'{"value":3}'),
        ],
    )

    assert await answers(store, (1, "m1"), (1, "m2"), (1, "m3"), (2, "m1")) == [
        UpdateAnswer(key(1), "m1", hard, False),
        UpdateAnswer(key(1), "m2", None, False),
        UpdateAnswer(key(2), "m1", None, False),
    ]
    assert await store.find_answers("elsewhere", [(key(1), "m1")]) == []
    assert [it.answer for it in await store.list_messages(SPACE, key(1), 0, 100)] == [hard, None]


async def test_a_stale_owner_answers_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [update(1)], at(1))
    message = await message_of(store, 1)

    receipt = await node.commit(
        held=[Held(key(1), 7)], answered=[AnsweredUpdate(key(1), message, b'{"value":1}')]
    )

    assert receipt.lost == {key(1)}
    assert await answers(store, (1, "m1")) == [UpdateAnswer(key(1), "m1", None, False)]


async def test_the_answers_of_an_ended_run_are_there_and_the_others_will_not_come(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [update(1), update(1, "m2")], at(1))
    message = await message_of(store, 1)

    answered = [AnsweredUpdate(key(1), message, b'{"value":1}')]
    await node.commit(held=node.held(1), answered=answered, ended=[ended(1)])

    assert await answers(store, (1, "m1"), (1, "m2")) == [
        UpdateAnswer(key(1), "m1", b'{"value":1}', True),
        UpdateAnswer(key(1), "m2", None, True),
    ]
    known, new = await store.post_messages(SPACE, [update(1), update(1, "m3")], at(3))
    assert (known, new) == (PostResult.POSTED, PostResult.ENDED)
