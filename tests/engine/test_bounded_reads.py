"""How much mail and how many inputs a node reads at once, and how much mail it holds in memory."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from tests.engine.test_bounded_work import KB, NOTHING, use_tuning, watch_commits
from tests.patience import PATIENCE

from holdfast import Catalog, Holdfast, context, workflow
from holdfast.authoring.code.program import CodeProgram
from holdfast.core.events import ChildEnded
from holdfast.core.records import MessageKind, MessageRecord, new_run
from holdfast.core.values import NULL, Instant, Payload, RunKey, Succeeded
from holdfast.engine.alarms import Alarms
from holdfast.engine.inbox import AFTER_RUNS, EngineInbox, MessageStale
from holdfast.engine.resident import Resident
from holdfast.engine.residents import Residents
from holdfast.engine.run_loader import RunLoader
from holdfast.engine.run_scope import RunScope
from holdfast.engine.tuning import Tuning
from holdfast.engine.unheard_mail import UnheardMail
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import ManualClock


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def watch_receipts(hf: Holdfast) -> list[Receipt]:
    """The receipts of all commits of this node, from now on."""
    seen: list[Receipt] = []
    store: Any = hf._parts._engine_store
    commit_for_real: Callable[[Commit], Any] = store.commit

    async def commit(commit: Commit) -> Receipt:
        seen.append(await commit_for_real(commit))
        return seen[-1]

    store.commit = commit
    return seen


async def test_large_messages_are_read_and_taken_in_several_ticks(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=20 * KB)
    texts = [Random(number).randbytes(4 * KB).hex() for number in range(20)]

    @workflow(catalog=catalog)
    async def listen(count: int) -> list[str]:
        return [await context().signal("go") for _ in range(count)]

    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        for id in ("one", "two"):
            await client.start(listen, len(texts), id=id)
            for text in texts:
                await client.signal(id, "go", text)
        await client.start(listen, 1, id="small")
        await client.signal("small", "go", "now")

    async with Holdfast(store_url, catalog=catalog) as hf:
        commits, receipts = watch_commits(hf), watch_receipts(hf)
        small = await asyncio.wait_for(hf.result("small"), PATIENCE)
        large = await asyncio.gather(*(asyncio.wait_for(hf.result(id), PATIENCE) for id in ("one", "two")))

    assert small == ["now"]
    assert large == [texts, texts]
    sizes = [sum(len(message.payload) for message in receipt.mail) for receipt in receipts]
    assert max(sizes) < 20 * KB + 2 * 8 * KB
    assert sum(len(receipt.mail) for receipt in receipts) == 2 * len(texts) + 1  # each is read once
    assert max(len(commit.taken) for commit in commits) <= 4


async def test_mail_waits_in_the_store_while_runs_have_not_read_theirs(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So short that a tick advances one run.
    use_tuning(monkeypatch, tick_bytes=20 * KB, tick_time=dt.timedelta(0))
    texts = [Random(number).randbytes(4 * KB).hex() for number in range(4)]
    ids = [str(number) for number in range(20)]

    @workflow(catalog=catalog)
    async def listen() -> list[str]:
        return [await context().signal("go") for _ in texts]

    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        for id in ids:
            await client.start(listen, id=id)
            for text in texts:
                await client.signal(id, "go", text)

    sizes: list[int] = []
    add_for_real = UnheardMail.add

    def add(mail: UnheardMail, message: MessageRecord) -> bool:
        is_new = add_for_real(mail, message)
        sizes.append(mail.bytes)
        return is_new

    monkeypatch.setattr(UnheardMail, "add", add)
    async with Holdfast(store_url, catalog=catalog) as hf:
        heard = await asyncio.gather(*(asyncio.wait_for(hf.result(id), PATIENCE) for id in ids))

    assert heard == [texts] * len(ids)
    assert max(sizes) < 20 * KB + 2 * 8 * KB


async def test_runs_with_large_inputs_are_claimed_in_several_commits(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=20 * KB)
    texts = [Random(number).randbytes(4 * KB).hex() for number in range(10)]

    @workflow(catalog=catalog)
    async def measure(text: str) -> int:
        return len(text)

    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        for number, text in enumerate(texts):
            await client.start(measure, text, id=str(number))

    async with Holdfast(store_url, catalog=catalog) as hf:
        commits, receipts = watch_commits(hf), watch_receipts(hf)
        runs = (hf.result(str(number)) for number in range(len(texts)))
        lengths = await asyncio.gather(*(asyncio.wait_for(run, PATIENCE) for run in runs))

    assert lengths == [len(text) for text in texts]
    assert max(len(receipt.claimed) for receipt in receipts) <= 2
    # After the first claim the node knows that only a few fit, and asks for no more than those.
    limits = [commit.claim.limit for commit in commits if commit.claim is not None]
    assert max(limits[1:]) <= 5


def new_resident(residents: Residents) -> Resident:
    key = RunKey(b"r" * 16)
    run = new_run(key, "default", None, "order", "1", "order@1", NOTHING, Instant(0))
    resident = Resident(run, CodeProgram.__new__(CodeProgram))
    resident.is_begun = True
    residents.add(resident)
    return resident


def test_unread_messages_in_memory_are_counted() -> None:
    mail, run = UnheardMail(), RunKey(b"r" * 16)
    messages = [
        MessageRecord(id, run, MessageKind.SIGNAL, "go", Payload(b"1" * id), None) for id in (10, 20, 30)
    ]

    added = [mail.add(message) for message in [*messages, messages[0]]]
    after_adding = mail.bytes
    mail.remove(run, 20)
    after_reading = mail.bytes
    mail.forget(run)

    assert added == [True, True, True, False]
    assert (after_adding, after_reading, mail.bytes) == (60, 40, 0)
    assert mail.newest == {}


def test_a_run_with_mail_in_the_store_stays_in_memory() -> None:
    residents = Residents(
        EngineInbox(),
        Alarms(),
        SimpleNamespace(),  # pyright: ignore[reportArgumentType]
        ManualClock(),
        dt.timedelta(0),
    )
    resident = new_resident(residents)
    residents.update_idle(resident, Instant(0))
    residents.mail.left = frozenset({resident.key})

    left = list(residents.take_idle(Instant(10), dt.timedelta(0), 0))

    residents.mail.left = frozenset()
    residents.update_idle(resident, Instant(0))
    assert (left, list(residents.take_idle(Instant(10), dt.timedelta(0), 0))) == ([], [resident])


def test_a_run_with_something_to_hear_stays_in_memory() -> None:
    residents = Residents(
        EngineInbox(),
        Alarms(),
        SimpleNamespace(),  # pyright: ignore[reportArgumentType]
        ManualClock(),
        dt.timedelta(0),
    )
    resident = new_resident(residents)
    residents.update_idle(resident, Instant(0))
    residents.mark_ready(resident)

    assert list(residents.take_idle(Instant(10), dt.timedelta(0), 0)) == []


async def test_news_of_a_child_that_came_with_the_history_is_kept() -> None:
    """Mail may bring it again, before a tick has room for the run. The run must not seem to have read it."""
    inbox = EngineInbox()
    nothing: Any = SimpleNamespace()
    residents = Residents(inbox, Alarms(), nothing, ManualClock(), dt.timedelta(0))
    loader = RunLoader(
        nothing,
        ManualClock(),
        "default",
        programs=nothing,
        residents=residents,
        attempt_timers=nothing,
        scope=RunScope(own_runs_only=False),
        inbox=inbox,
        tuning=Tuning(),
        activity=nothing,
    )
    resident = new_resident(residents)
    resident.events = [ChildEnded(1, Succeeded(NOTHING), 7)]
    known, stale = (MessageRecord(id, resident.key, MessageKind.CHILD, "1", NULL, None) for id in (7, 8))

    await loader.receive(Receipt(mail=[known, stale]))

    assert [fact.message for fact in inbox.take(AFTER_RUNS) if isinstance(fact, MessageStale)] == [8]
