"""A node reads no more mail and no more inputs at once than it has room for, and the rest later."""

from __future__ import annotations

import base64
from random import Random

from tests.stores.builders import SPACE, Node, at, key, new_run, released

from holdfast.core.records import MessageKind, MessageRecord, RunRecord
from holdfast.core.values import Payload
from holdfast.ports.commits import ClaimRequest, NewMessage, Receipt, TakenMessage
from holdfast.stores import SqlStore

LARGE = 9_000
ROOM = 20_000


def large(number: int, name: str) -> NewMessage:
    """One that cannot be compressed."""
    text = base64.b64encode(Random(f"{number} {name}").randbytes(LARGE * 3 // 4))
    return NewMessage(key(number), MessageKind.SIGNAL, name, Payload(b'"' + text + b'"'))


def small(number: int, name: str) -> NewMessage:
    return NewMessage(key(number), MessageKind.SIGNAL, name, Payload(b"1"))


def told(mail: list[MessageRecord]) -> list[tuple[int, str]]:
    return [(int.from_bytes(message.run, "big"), message.name) for message in mail]


async def collect(node: Node, *earlier: Receipt) -> Receipt:
    """Take what came before, and collect."""
    taken = [TakenMessage(it.run, it.id, 1) for receipt in earlier for it in receipt.mail]
    held = node.held(*sorted({int.from_bytes(row.run, "big") for row in taken}))
    return await node.commit(5, collect=True, mail_bytes=ROOM, held=held, taken=taken)


async def test_what_does_not_fit_comes_with_the_next_collection(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    sent = [large(1, f"{number}") for number in range(7)]
    await store.post_messages(SPACE, sent, at(1))

    receipts = [await collect(node)]
    while receipts[-1].left:
        assert (await store.next_work(SPACE, node.id, [])).has_mail
        receipts.append(await collect(node, receipts[-1]))

    assert [len(receipt.mail) for receipt in receipts] == [2, 2, 2, 1]
    mail = [message for receipt in receipts for message in receipt.mail]
    assert [message.payload for message in mail] == [message.payload for message in sent]
    assert not (await store.next_work(SPACE, node.id, [])).has_mail


async def test_what_was_not_taken_is_collected_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [large(1, f"{number}") for number in range(7)], at(1))

    first, second = await collect(node), await collect(node)

    assert first.mail == second.mail


async def test_what_is_in_memory_is_not_read_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    sent = [large(1, f"{number}") for number in range(4)] + [small(2, "a")]
    await store.post_messages(SPACE, sent, at(1))

    first = await collect(node)
    newest = {message.run: message.id for message in first.mail}
    second = await node.commit(5, collect=True, mail_bytes=ROOM, read=newest)

    assert told(first.mail) == [(1, "0"), (1, "1"), (2, "a")]
    assert told(second.mail) == [(1, "2"), (1, "3")]


async def test_a_run_that_is_claimed_gets_all_its_mail(store: SqlStore) -> None:
    """The node may have had the run before, under an old epoch."""
    node = Node(store)
    await store.create_runs(SPACE, [new_run(1)])
    await store.post_messages(SPACE, [small(1, "a"), small(1, "b")], at(1))

    claim = await node.commit(5, claim=ClaimRequest(["order@1"], 10), read={key(1): 1_000_000})
    recovered = await store.recover_commit(node.commits[-1])

    assert told(claim.mail) == [(1, "a"), (1, "b")]
    assert recovered is not None
    assert recovered.mail == claim.mail


async def test_each_run_gets_its_share_of_many_messages(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    sent = [small(number, name) for number in (1, 2) for name in "abc"]
    await store.post_messages(SPACE, sent, at(1))

    receipt = await node.commit(5, collect=True, mail_rows=4)

    assert told(receipt.mail) == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert receipt.left == {key(1), key(2)}


async def test_small_messages_are_counted_too(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [small(1, name) for name in "abcdef"], at(1))

    first = await node.commit(5, collect=True, mail_bytes=4)
    second = await node.commit(5, collect=True, read={key(1): first.mail[-1].id})

    assert 1 <= len(first.mail) <= 4
    assert told(first.mail + second.mail) == [(1, name) for name in "abcdef"]


async def test_small_messages_do_not_wait_for_large_ones_of_other_runs(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3)
    sent = [large(1, "a"), large(1, "b"), large(1, "c"), small(1, "d"), small(2, "e"), large(3, "f")]
    await store.post_messages(SPACE, sent, at(1))

    first = await collect(node)
    second = await collect(node, first)

    # Each run gets its first large message before another gets its second. The order within a run stays.
    assert told(first.mail) == [(1, "a"), (2, "e"), (3, "f")]
    assert told(second.mail) == [(1, "b"), (1, "c"), (1, "d")]
    assert (first.left, second.left) == ({key(1)}, set())


async def test_one_message_is_read_however_large_it_is(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [large(1, "a"), large(1, "b")], at(1))

    receipt = await node.commit(5, collect=True, mail_bytes=10)

    assert told(receipt.mail) == [(1, "a")]


async def test_the_mail_of_a_claimed_run_is_bounded_too(store: SqlStore) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [new_run(1)])
    await store.post_messages(SPACE, [large(1, f"{number}") for number in range(4)], at(1))

    claim = await node.commit(5, claim=ClaimRequest(["order@1"], 10), mail_bytes=ROOM)
    histories = await store.load_short_histories(SPACE, [key(1)], 100)
    rest = await collect(node, claim)

    assert (told(claim.mail), claim.left) == ([(1, "0"), (1, "1")], {key(1)})
    assert (told(rest.mail), rest.left) == ([(1, "2"), (1, "3")], set())
    assert [history.messages for history in histories.loaded] == [[]]


async def test_a_run_that_is_released_with_mail_left_is_due(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [large(1, f"{number}") for number in range(4)], at(1))
    await collect(node)

    await node.commit(6, held=node.held(1), released=[released(1)])

    assert [claim.run.key for claim in (await node.claim(now=7)).claimed] == [key(1)]


# --- inputs


def with_input(number: int, size: int) -> RunRecord:
    text = base64.b64encode(Random(number).randbytes(size * 3 // 4))
    return new_run(number, input=Payload(b'"' + text + b'"'), wake_at=at(number))


async def claim_some(node: Node) -> list[int]:
    receipt = await node.commit(10, claim=ClaimRequest(["order@1"], 100, bytes=ROOM))
    return [int.from_bytes(claimed.run.key, "big") for claimed in receipt.claimed]


async def test_no_more_runs_are_claimed_than_there_is_room_for_their_inputs(store: SqlStore) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [with_input(number, LARGE) for number in range(1, 6)])

    assert [await claim_some(node) for _ in range(4)] == [[1, 2], [3, 4], [5], []]


async def test_one_run_is_claimed_however_large_its_input_is(store: SqlStore) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [with_input(1, 2 * ROOM), with_input(2, 10), with_input(3, 2 * ROOM)])

    assert [await claim_some(node) for _ in range(4)] == [[1], [2], [3], []]


async def test_many_large_inputs_are_claimed_in_order(store: SqlStore) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [with_input(number, 3_000) for number in range(1, 31)])

    receipt = await node.commit(50, claim=ClaimRequest(["order@1"], 100))

    assert [claimed.run.key for claimed in receipt.claimed] == [key(number) for number in range(1, 31)]
    assert all(
        claimed.run.input == with_input(n, 3_000).input for n, claimed in enumerate(receipt.claimed, 1)
    )
