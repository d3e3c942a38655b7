"""Messages to runs are written in groups, and every caller gets the answer to its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from tests.patience import SOON

from holdfast import Catalog, Holdfast, context, workflow
from holdfast.client.posting import Letter, MessagePoster
from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.errors import CommitRefused, PromiseSettled, RunEnded, RunNotFound, StoreUnavailable
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostResult


def key(number: int) -> RunKey:
    return RunKey(number.to_bytes(16, "big"))


RUN = key(1)


class Inboxes:
    """A store that notes the groups. A transaction takes until the test lets it end."""

    def __init__(self) -> None:
        self.groups: list[list[bytes]] = []
        self.asked: list[Sequence[str]] = []
        self.may_end = asyncio.Event()
        self.refused: set[bytes] = set()
        self.error: Exception | None = None
        self.uids: list[list[str | None]] = []
        self.lost = 0
        """How many answers are lost from now on, each other one."""

    async def find_keys(self, namespace: str, ids: Sequence[str]) -> dict[str, RunKey]:
        self.asked.append(ids)
        return {id: key(int(id)) for id in ids if id.isdigit()}

    async def post_messages(
        self, namespace: str, messages: Sequence[NewMessage], now: Instant
    ) -> list[PostResult]:
        self.groups.append([message.payload for message in messages])
        self.uids.append([message.uid for message in messages])
        await self.may_end.wait()
        if self.lost and len(self.groups) % 2:
            self.lost -= 1
            raise StoreUnavailable("the store", "the connection broke after COMMIT")
        if self.error is not None:
            raise self.error
        if any(message.payload in self.refused for message in messages):
            raise CommitRefused("the store", "a row that it does not take")
        return [PostResult.ENDED if message.run == key(9) else PostResult.POSTED for message in messages]


class Sender:
    def __init__(self, inboxes: Inboxes) -> None:
        store: Any = inboxes
        self._poster = MessagePoster(store, namespace="default", now=lambda: Instant(0))

    async def send(self, *payloads: bytes, to: RunKey | str = RUN) -> list[asyncio.Task[PostResult]]:
        """Returns when all are on their way."""
        calls = [
            self._poster.post(Letter(to, MessageKind.SIGNAL, "word", Payload(each))) for each in payloads
        ]
        tasks = [asyncio.create_task(call) for call in calls]
        await asyncio.sleep(0)
        return tasks


@pytest.fixture
def inboxes() -> Inboxes:
    return Inboxes()


@pytest.fixture
def sender(inboxes: Inboxes) -> Sender:
    return Sender(inboxes)


async def test_messages_that_come_while_one_is_written_become_one_group(
    inboxes: Inboxes, sender: Sender
) -> None:
    sent = await sender.send(b"1", b"2", b"3", b"4")
    inboxes.may_end.set()

    assert await asyncio.gather(*sent) == [PostResult.POSTED] * 4
    assert inboxes.groups == [[b"1"], [b"2", b"3", b"4"]]


async def test_groups_are_bounded_in_number_and_bytes(inboxes: Inboxes, sender: Sender) -> None:
    large = b"x" * 400_000
    sent = await sender.send(b"first", *[b"1"] * 1200, *[large] * 5)
    inboxes.may_end.set()
    await asyncio.gather(*sent)

    sizes = [len(group) for group in inboxes.groups]
    assert sum(sizes) == 1206
    assert max(sizes) <= 500
    assert len(sizes) <= 8
    assert max(sum(map(len, group)) for group in inboxes.groups) <= 1_000_000


async def test_a_message_over_the_bound_is_sent_alone(inboxes: Inboxes, sender: Sender) -> None:
    large = b"x" * 3_000_000
    sent = await sender.send(b"first", large, b"2")
    inboxes.may_end.set()

    assert await asyncio.gather(*sent) == [PostResult.POSTED] * 3
    assert inboxes.groups == [[b"first"], [large], [b"2"]]


async def test_messages_are_written_in_the_order_in_which_they_were_sent(
    inboxes: Inboxes, sender: Sender
) -> None:
    words = [str(number).encode() for number in range(2_000)]
    sent = await sender.send(*words[:1_500])
    inboxes.may_end.set()
    sent += await sender.send(*words[1_500:])
    await asyncio.gather(*sent)

    assert [word for group in inboxes.groups for word in group] == words


async def test_ids_are_looked_up_once_for_a_group(inboxes: Inboxes, sender: Sender) -> None:
    sent = await sender.send(b"0")
    sent += await sender.send(*[b"1"] * 100, to="7")
    sent += await sender.send(*[b"2"] * 100, to="unknown")
    inboxes.may_end.set()
    results = await asyncio.gather(*sent)

    assert results == [PostResult.POSTED] * 101 + [PostResult.NO_SUCH_RUN] * 100
    assert inboxes.asked == [["7", "unknown"]]


async def test_an_answer_concerns_its_own_message_only(inboxes: Inboxes, sender: Sender) -> None:
    sent = await sender.send(b"0", b"1")
    sent += await sender.send(b"2", to=key(9))
    sent += await sender.send(b"3")
    inboxes.may_end.set()

    posted, ended = PostResult.POSTED, PostResult.ENDED
    assert await asyncio.gather(*sent) == [posted, posted, ended, posted]


async def test_a_row_that_the_database_refuses_is_refused_to_its_sender_alone(
    inboxes: Inboxes, sender: Sender
) -> None:
    inboxes.refused = {b"40"}
    sent = await sender.send(*[str(number).encode() for number in range(100)])
    inboxes.may_end.set()
    results = await asyncio.gather(*sent, return_exceptions=True)

    assert isinstance(results.pop(40), CommitRefused)
    assert results == [PostResult.POSTED] * 99
    assert len(inboxes.groups) < 20


async def test_if_the_store_is_away_every_sender_of_the_group_is_told_once(
    inboxes: Inboxes, sender: Sender
) -> None:
    inboxes.error = StoreUnavailable("the store", "it is away")
    sent = await sender.send(*[b"1"] * 10)
    inboxes.may_end.set()
    results = await asyncio.gather(*sent, return_exceptions=True)

    assert all(isinstance(result, StoreUnavailable) for result in results)
    assert [len(group) for group in inboxes.groups] == [1, 1, 9, 9]

    inboxes.error = None
    [again] = await sender.send(b"2")
    assert await again is PostResult.POSTED


async def test_a_group_whose_answer_is_lost_is_sent_once_more_under_the_same_ids(
    inboxes: Inboxes, sender: Sender
) -> None:
    inboxes.lost = 2
    sent = await sender.send(b"1", b"2", b"3")
    inboxes.may_end.set()

    assert await asyncio.gather(*sent) == [PostResult.POSTED] * 3
    assert inboxes.groups == [[b"1"], [b"1"], [b"2", b"3"], [b"2", b"3"]]
    first, again, second, second_again = inboxes.uids
    assert (first, second) == (again, second_again)
    assert len({*first, *second}) == 3


async def test_a_store_that_somebody_must_repair_first_is_asked_once(
    inboxes: Inboxes, sender: Sender
) -> None:
    inboxes.error = StoreUnavailable("the store", "no such table", may_pass=False)
    [sent] = await sender.send(b"1")
    inboxes.may_end.set()

    with pytest.raises(StoreUnavailable):
        await sent
    assert len(inboxes.groups) == 1


async def test_a_message_of_a_cancelled_caller_is_not_sent(inboxes: Inboxes, sender: Sender) -> None:
    first, second, third = await sender.send(b"1", b"2", b"3")
    second.cancel()
    inboxes.may_end.set()

    assert await asyncio.gather(first, third) == [PostResult.POSTED] * 2
    assert inboxes.groups == [[b"1"], [b"3"]]


async def test_those_that_gathered_are_sent_though_the_caller_that_writes_is_cancelled(
    inboxes: Inboxes, sender: Sender
) -> None:
    first, second = await sender.send(b"1", b"2")
    first.cancel()
    inboxes.may_end.set()

    assert await second is PostResult.POSTED
    assert inboxes.groups == [[b"1"], [b"2"]]


# --- on a real store


@pytest.fixture
async def hf(store_url: str) -> AsyncIterator[Holdfast]:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def hear(count: int) -> list[int]:
        return [await context().signal("word") for _ in range(count)]

    @workflow(catalog=catalog)
    async def ask() -> str:
        return await context().promise("answer")

    async with Holdfast(store_url, catalog=catalog) as hf:
        yield hf


@pytest.mark.parametrize("by", ["handle", "id"])
async def test_a_thousand_signals_are_heard_in_order_and_take_few_transactions(hf: Holdfast, by: str) -> None:
    posts = count_posts(hf)
    run = await hf.start("hear", 1_000, id="run")
    await asyncio.gather(
        *(hf.signal("run" if by == "id" else run, "word", number) for number in range(1_000))
    )

    assert await run.result(SOON) == list(range(1_000))
    assert len(posts) <= 10


def count_posts(hf: Holdfast) -> list[int]:
    """The sizes of the groups from now on."""
    store: Any = hf._store
    sizes: list[int] = []
    usual = store.post_messages

    async def post(namespace: str, messages: Sequence[NewMessage], now: Instant) -> list[PostResult]:
        sizes.append(len(messages))
        return await usual(namespace, messages, now)

    store.post_messages = post
    return sizes


async def test_runs_that_take_no_message_are_named_to_their_own_callers(hf: Holdfast) -> None:
    open_run = await hf.start("hear", 2)
    done = await hf.start("hear", 0, id="done")
    asked = await hf.start("ask", id="asked")
    await done.result(SOON)

    results = await asyncio.gather(
        open_run.signal("word", 1),
        done.signal("word", 1),
        hf.signal("nobody", "word", 1),
        asked.resolve("answer", "yes"),
        asked.resolve("answer", "no"),
        open_run.signal("word", 2),
        return_exceptions=True,
    )

    good, ended, unknown, resolved, settled, also_good = results
    assert (good, resolved, also_good) == (None, None, None)
    assert isinstance(ended, RunEnded)
    assert "done" in str(ended)
    assert isinstance(unknown, RunNotFound)
    assert "nobody" in str(unknown)
    assert isinstance(settled, PromiseSettled)
    assert await open_run.result(SOON) == [1, 2]
    assert await asked.result(SOON) == "yes"


async def test_signals_that_wait_are_written_before_the_store_is_closed(store_url: str) -> None:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def hear(count: int) -> list[int]:
        return [await context().signal("word") for _ in range(count)]

    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(hear, 100, id="run")
        usual = hf._store.post_messages

        async def post_slowly(*args: Any) -> list[PostResult]:
            await asyncio.sleep(0.05)
            return await usual(*args)

        hf._store.post_messages = post_slowly
        sending = [asyncio.create_task(run.signal("word", number)) for number in range(100)]
        await asyncio.sleep(0)
    await asyncio.gather(*sending)

    async with Holdfast(store_url, catalog=catalog) as hf:
        assert await (await hf.get("run")).result(SOON) == list(range(100))
