"""An answer that is lost: the client asks again, and each change is made once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import Any

import pytest
from tests.patience import until
from tests.remote.conftest import Pair
from tests.remote.lossy_proxy import LossyProxy, lossy_proxy

from holdfast import Call, Holdfast, RunExists, RunStatus, ServerUnavailable, Signal, with_options


@pytest.fixture
async def lossy(pair: Pair) -> AsyncIterator[tuple[Holdfast, Holdfast, LossyProxy]]:
    """The local one, and a remote one whose first answer to each change is lost."""
    async with (
        lossy_proxy(pair.url) as (proxy, url),
        Holdfast(url, catalog=pair.catalog, retry_seconds=20) as remote,
    ):
        proxy.swallows = lambda line: 0 if line.startswith("GET") or "/run-ends" in line else 1
        yield pair.local, remote, proxy


Two = tuple[Holdfast, Holdfast, LossyProxy]


def tries(proxy: LossyProxy, path: str) -> int:
    return sum(path in line for line in proxy.seen)


async def test_a_run_is_started_once(lossy: Two):
    local, remote, proxy = lossy

    run = await remote.start("doubled", 4)

    assert await run.result() == 8
    assert tries(proxy, "POST /api/v1/runs ") == 2
    assert [info.id for info in await local.list()] == [run.id]


async def test_many_runs_are_started_once(lossy: Two):
    local, remote, _ = lossy

    runs = await remote.start_many("doubled", range(50))
    more = await remote.start_calls("doubled", [Call((1,)), Call((), {"number": 2}, "mine")])

    assert [await run.result() for run in (*runs, *more)] == [*range(0, 100, 2), 2, 4]
    assert len(await local.list(limit=1000)) == 52


async def test_a_start_that_must_be_new_is_new(lossy: Two):
    local, remote, _ = lossy

    run = await remote.start(with_options("doubled", id="a", id_policy="refuse"), 4)

    assert await run.result() == 8
    with pytest.raises(RunExists):
        await remote.start(with_options("doubled", id="a", id_policy="refuse"), 4)
    assert len(await local.list()) == 1


async def test_a_run_is_replaced_once(lossy: Two):
    local, remote, _ = lossy
    first = await local.start("waiting", id="a")

    second = await remote.start(with_options("waiting", id="a", id_policy="replace"))

    found = await local.list()
    assert {info.key for info in found} == {
        info.key for info in [await first.describe(), await second.describe()]
    }


async def test_a_signal_and_an_update_arrive_once(lossy: Two):
    local, remote, _ = lossy
    run = await local.start("counting", 1, id="a")

    assert await remote.update("a", "add", 5) == 6
    await remote.signal("a", "end")

    assert await run.result() == 6
    assert [each.kind for each in await local.messages("a")] == ["update", "signal"]


async def test_signals_of_many_and_of_a_new_run_arrive_once(lossy: Two):
    local, remote, _ = lossy
    await local.start("waiting", id="a")

    await remote.signal_many([("a", Signal("go", 1))])
    run = await remote.signal_or_start(with_options("waiting", id="b"), Signal("go", 2))

    assert await remote.result("a") == 1
    assert await run.result() == 2
    assert len(await local.messages("a")) == len(await local.messages("b")) == 1


async def test_signals_of_one_call_reach_a_run_in_their_order(pair: Pair, monkeypatch: pytest.MonkeyPatch):
    await pair.local.start("waiting", id="a")
    real, dice = pair.remote.signal, Random(1)

    async def signal_later(*args: Any, **options: Any) -> None:
        await asyncio.sleep(dice.uniform(0, 0.02))
        await real(*args, **options)

    monkeypatch.setattr(pair.remote, "signal", signal_later)
    await pair.remote.signal_many([("a", Signal("word", number)) for number in range(10)])

    assert [each.value for each in await pair.local.messages("a")] == [*range(10)]


async def test_an_answer_is_given_once(lossy: Two):
    local, remote, _ = lossy
    run = await local.start("asking", "may I?", id="a")
    await until_asked(local, "a")

    await remote.resolve("a", "verdict", True, by="ann", comment="fine")

    assert await run.result() is True
    [answer] = await local.messages("a")
    assert (answer.by, answer.comment) == ("ann", "fine")


async def test_a_question_is_rejected_once_with_the_class_of_the_error(lossy: Two):
    local, remote, _ = lossy
    run = await local.start("asking", "may I?", id="a")
    await until_asked(local, "a")

    await remote.reject("a", "verdict", LookupError("no such order"))

    with pytest.raises(LookupError, match="no such order"):
        await run.result()


async def until_asked(hf: Holdfast, run: str) -> None:
    await until(lambda: hf.questions(run=run))


Act = Callable[[Holdfast], Awaitable[Any]]


@pytest.mark.parametrize(
    ("acts", "status"),
    [
        ([lambda hf: hf.cancel("a", "why")], RunStatus.CANCELLED),
        ([lambda hf: hf.terminate("a")], RunStatus.CANCELLED),
        ([lambda hf: hf.pause("a", "a note")], RunStatus.PAUSED),
        ([lambda hf: hf.pause("a"), lambda hf: hf.resume("a")], RunStatus.RUNNING),
    ],
)
async def test_an_act_is_done_once(lossy: Two, acts: list[Act], status: RunStatus):
    local, remote, _ = lossy
    await local.start("waiting", id="a")
    await until(lambda: has_status(local, RunStatus.RUNNING))

    for act in acts:
        await act(remote)
        await until(lambda: has_changed(local))

    await until(lambda: has_status(local, status))
    assert len(await local.messages("a", acts_only=True)) == len(acts)


async def has_status(hf: Holdfast, status: RunStatus) -> bool:
    return (await hf.describe("a")).status is status


async def has_changed(hf: Holdfast) -> bool:
    """Whether the last act was done."""
    return (await hf.messages("a", acts_only=True))[-1].is_read


async def test_a_run_that_fails_again_is_retried_once(lossy: Two):
    local, remote, proxy = lossy
    run = await local.start("failing", "oh", id="a")
    with pytest.raises(ValueError, match="oh"):
        await run.result()

    await remote.retry("a")

    with pytest.raises(ValueError, match="oh"):
        await remote.result("a")
    assert tries(proxy, "/retry") == 2
    assert [each.kind for each in await local.messages("a", acts_only=True)] == ["retry"]


async def test_what_is_done_to_schedules_and_keys_is_done_once(lossy: Two):
    local, remote, _ = lossy
    await remote.schedules.put("nightly", "doubled", cron="0 3 * * *", input={"number": 1})

    run = await remote.schedules.trigger("nightly")
    made = await remote.keys.create("ci", "operator")

    assert await run.result() == 2
    assert len(await local.list()) == 1
    assert [key.id for key in await local.keys.list()] == [made.info.id]
    await remote.schedules.delete("nightly")
    assert (await remote.keys.revoke(made.info.id)).state == "revoked"
    assert await local.schedules.list() == []


async def test_a_run_is_deleted_once(lossy: Two):
    local, remote, _ = lossy
    await local.run("doubled", 1, id="a")

    assert (await remote.delete("a")).runs == 1
    assert await local.list() == []


async def test_an_act_of_a_server_that_has_forgotten_is_known_by_the_state_of_the_run(
    lossy: Two, monkeypatch: pytest.MonkeyPatch
):
    local, remote, _ = lossy
    monkeypatch.setattr("holdfast.server.repeated_requests.MOST_ANSWERS", 0)  # as after a restart
    await local.start("waiting", id="a")
    await until(lambda: has_status(local, RunStatus.RUNNING))

    await remote.terminate("a")

    assert await has_status(local, RunStatus.CANCELLED)


async def test_a_server_that_never_answers_is_given_up(pair: Pair):
    async with lossy_proxy(pair.url) as (proxy, url):
        async with Holdfast(url, retry_seconds=0.2) as remote:
            proxy.swallows = lambda _: 1000
            with pytest.raises(ServerUnavailable, match="does not answer"):
                await remote.list()
        assert len(proxy.seen) > 2


async def test_a_server_that_has_answered_once_is_waited_for_longer_than_at_the_beginning(pair: Pair):
    async with lossy_proxy(pair.url) as (proxy, url):
        proxy.swallows = lambda _: 1000
        with pytest.raises(ServerUnavailable, match="does not answer"):
            await Holdfast(url, open_seconds=0.2).open()
        proxy.swallows = lambda _: 0
        async with Holdfast(url, open_seconds=0.2) as remote:
            proxy.swallows = lambda _: 4  # with the pauses between them, that takes longer
            assert await remote.list() == []
