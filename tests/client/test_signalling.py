"""Signals under ids of their own, many at once, and signals that start their run."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.patience import SOON

from holdfast import (
    BadOption,
    CannotStore,
    Catalog,
    Holdfast,
    MessageIdTaken,
    RunEnded,
    RunExists,
    RunNotFound,
    Signal,
    SignalsRefused,
    StoreUnavailable,
    WrongType,
    context,
    with_options,
    workflow,
)
from holdfast.stores.driver import Driver
from holdfast.stores.postgres.driver import PostgresConnection

catalog = Catalog()


@workflow(catalog=catalog)
async def hear(count: int) -> list[int]:
    return [await context().signal("word") for _ in range(count)]


@workflow(catalog=catalog)
async def other(count: int) -> None:
    await context().signal("word")


@pytest.fixture
async def hf(store_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(store_url, catalog=catalog) as hf:
        yield hf


async def test_a_signal_that_is_sent_again_under_its_id_is_heard_once(hf: Holdfast) -> None:
    run = await hf.start(hear, 2, id="run")

    for _ in range(3):
        await hf.signal("run", "word", 1, message_id="first")
    await run.signal("word", 2, message_id="second")

    assert await run.result(SOON) == [1, 2]
    await hf.signal("run", "word", 1, message_id="first")  # it was sent, although the run has ended
    with pytest.raises(RunEnded):
        await hf.signal("run", "word", 1, message_id="third")


async def test_an_id_stands_for_one_message(hf: Holdfast) -> None:
    await hf.start(hear, 2, id="run")
    await hf.signal("run", "word", 1, message_id="first")

    with pytest.raises(MessageIdTaken, match="'run' has another message with the id 'first'"):
        await hf.signal("run", "word", 2, message_id="first")
    with pytest.raises(MessageIdTaken):
        await hf.signal("run", "term", 1, message_id="first")
    with pytest.raises(BadOption, match="message_id"):
        await hf.signal("run", "word", 1, message_id="")
    assert len(await hf.messages("run")) == 1


@pytest.mark.parametrize("how", ["signal", "resolve", "signal_or_start", "signal_many"])
async def test_a_message_whose_answer_is_lost_is_sent_again_and_not_doubled(
    store_url: str, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    usual = Driver.write_and_tell
    lost: list[str] = []

    async def lose_first_answer(self: Driver, script: Any) -> Any:
        answer = await usual(self, script)
        if not lost:
            lost.append("answer")
            raise StoreUnavailable("the store", "the connection was closed")
        return answer

    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        if how != "signal_or_start":
            await hf.start(hear, 1, id="run")
        monkeypatch.setattr(Driver, "write_and_tell", lose_first_answer)
        match how:
            case "signal":
                await hf.signal("run", "word", 1)
            case "resolve":
                await hf.resolve("run", "word", 1, ahead=True)
            case "signal_many":
                await hf.signal_many([("run", Signal("word", 1))])
            case _:
                await hf.signal_or_start(hear.options(id="run"), Signal("word", 1), 1)

        assert lost == ["answer"]
        assert len(await hf.messages("run")) == 1
        assert len(await hf.list()) == 1


async def test_a_connection_that_breaks_at_commit_costs_no_signal(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Postgres has committed, and the answer does not come."""
    usual = PostgresConnection.write
    broken: list[int] = []

    def break_after_commit(self: PostgresConnection, script: Callable[[Any], Any]) -> Any:
        answer = usual(self, script)
        if not broken:
            broken.append(self.pid)
            self._connection.close()
            usual(self, script)  # fails as one whose answer does not come
        return answer

    async with Holdfast(postgres_url, catalog=catalog, engine=False) as hf:
        await hf.start(hear, 1, id="run")
        monkeypatch.setattr(PostgresConnection, "write", break_after_commit)
        await hf.signal("run", "word", 1)

        assert len(broken) == 1
        assert len(await hf.messages("run")) == 1


# --- signal_many


async def test_many_signals_are_heard_each_by_its_run_and_in_order(hf: Holdfast) -> None:
    runs = [await hf.start(hear, 3, id=f"run-{n}") for n in range(3)]

    await hf.signal_many((run, Signal("word", number)) for number in range(3) for run in (*runs[:2], "run-2"))

    assert [await run.result(SOON) for run in runs] == [[0, 1, 2]] * 3


async def test_the_refused_ones_are_named_together_and_the_others_are_sent(hf: Holdfast) -> None:
    run = await hf.start(hear, 2, id="run")
    done = await hf.start(hear, 0, id="done")
    await done.result(SOON)

    with pytest.raises(SignalsRefused, match="3 of 5 signals were refused, and 2 were sent") as caught:
        await hf.signal_many(
            [
                ("nobody", Signal("word", 0)),
                (run, Signal("word", 1, "m1")),
                (done, Signal("word", 2)),
                ("", Signal("word", 3)),
                ("run", Signal("word", 4, by="ann")),
            ]
        )

    assert [(place, type(error)) for place, error in caught.value.refused] == [
        (0, RunNotFound),
        (2, RunEnded),
        (3, RunNotFound),
    ]
    assert caught.value.sent == 2
    assert await run.result(SOON) == [1, 4]


async def test_if_a_signal_cannot_be_stored_none_is_sent(hf: Holdfast) -> None:
    await hf.start(hear, 2, id="run")
    sound: Any = ("run", Signal("word", 1))

    for bad, error in (
        (("run", Signal("word", object())), CannotStore),
        (("run", Signal("")), BadOption),
        (("run", ("word", 1)), WrongType),
        ((7, Signal("word")), WrongType),
    ):
        with pytest.raises(error):
            await hf.signal_many([sound, bad])

    assert await hf.messages("run") == []
    await hf.signal_many([])


# --- signal_or_start


async def test_a_signal_starts_its_run_and_the_next_goes_to_the_same_one(hf: Holdfast) -> None:
    order = hear.options(id="order", tags=["vip"])

    first = await hf.signal_or_start(order, Signal("word", 1), 2)
    second = await hf.signal_or_start(with_options("hear", id="order"), Signal("word", 2), 99)

    assert first.key == second.key
    assert await first.result(SOON) == [1, 2]
    assert [run.id for run in await hf.list(tag="vip")] == ["order"]
    with pytest.raises(RunEnded, match="order"):
        await hf.signal_or_start(order, Signal("word", 3), 2)


async def test_clients_that_race_start_one_run_with_the_signals_of_all(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=catalog) as near,
        Holdfast(store_url, catalog=catalog, engine=False) as far,
    ):
        runs = await asyncio.gather(
            *(
                hf.signal_or_start(hear.options(id="one"), Signal("word", number), 20)
                for number, hf in enumerate([near, far] * 10)
            )
        )

        assert len({run.key for run in runs}) == 1
        assert sorted(await runs[0].result(SOON)) == list(range(20))
        assert len(await near.list()) == 1


async def test_a_signal_and_its_run_are_written_together(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody sees the run without the signal: a node that claims it would find no mail."""
    usual = Driver.write_and_tell
    seen: list[tuple[int, int]] = []

    async def look_after_each(self: Driver, script: Any) -> Any:
        answer = await usual(self, script)
        runs = await hf.list()
        seen.append((len(runs), sum([len(await hf.messages(run.id)) for run in runs])))
        return answer

    async with Holdfast(sqlite_url, catalog=catalog, engine=False) as hf:
        monkeypatch.setattr(Driver, "write_and_tell", look_after_each)
        await hf.signal_or_start(hear.options(id="one"), Signal("word", 1), 1)

    assert seen == [(1, 1)]


async def test_it_starts_a_run_that_is_delayed_and_the_signal_waits_there(hf: Holdfast) -> None:
    later = hear.options(id="later", delay=dt.timedelta(hours=1))

    run = await hf.signal_or_start(later, Signal("word", 1), 1)

    assert (await hf.describe(run)).status == "pending"
    assert [message.name for message in await hf.messages(run)] == ["word"]


async def test_what_it_cannot_do_is_refused_by_name(hf: Holdfast) -> None:
    await hf.start(other, 1, id="taken")

    with pytest.raises(BadOption, match="id"):
        await hf.signal_or_start(hear, Signal("word"), 1)
    with pytest.raises(BadOption, match="id_policy"):
        await hf.signal_or_start(hear.options(id="a", id_policy="refuse"), Signal("word"), 1)
    with pytest.raises(WrongType, match="Signal"):
        await hf.signal_or_start(hear.options(id="a"), "word", 1)  # type: ignore[arg-type]
    with pytest.raises(WrongType):
        await hf.signal_or_start(hear.options(id="a"), Signal("word"), "many")  # type: ignore[arg-type]
    with pytest.raises(RunExists, match="a run of 'other', not of 'hear'"):
        await hf.signal_or_start(hear.options(id="taken"), Signal("word"), 1)
    assert [run.id for run in await hf.list()] == ["taken"]
    assert await hf.messages("taken") == []


async def test_an_engine_of_its_own_runs_works_on_what_it_started_by_signal(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine="own") as hf:
        run = await hf.signal_or_start(hear.options(id="mine"), Signal("word", 1), 1)

        assert await run.result(SOON) == [1]
