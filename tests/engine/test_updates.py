"""Updates: messages to a run that are answered, once, also across crashes."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.evidence import query
from tests.chaos.processes import Process
from tests.engine import shopkeeper
from tests.patience import PATIENCE, SOON

from holdfast import (
    Catalog,
    Context,
    Holdfast,
    MayOnlyLook,
    MessageIdTaken,
    Retry,
    Run,
    RunCancelled,
    RunEnded,
    RunStatus,
    UpdateFailed,
    UpdateRefused,
    UpdateTimedOut,
    UpdateUnanswered,
    context,
    load_dag,
    load_flow,
    task,
    update,
    with_options,
    workflow,
)
from holdfast.errors import BadDefinition, BadOption, Deadlock
from holdfast.testing import Environment, assert_durable

SHORT = dt.timedelta(milliseconds=50)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
async def hf(store_url: str, catalog: Catalog) -> AsyncIterator[Holdfast]:
    async with Holdfast(store_url, catalog=catalog) as opened:
        yield opened


@pytest.fixture
def cart(catalog: Catalog) -> Any:
    """Takes up to five items, each with its price. Ends when it is closed."""

    @task(catalog=catalog)
    async def price(item: str) -> int:
        if item == "stolen":
            raise LookupError("no price")
        return len(item)

    @workflow(catalog=catalog)
    async def cart() -> list[str]:
        items: list[str] = []
        is_closed = False

        async def add(item: str, times: int = 1) -> int:
            items.extend([item] * times)
            return await price(item) * times

        def check(item: str, times: int = 1) -> None:
            if len(items) + times > 5:
                raise ValueError(f"no room for {item}")

        def close() -> list[str]:
            nonlocal is_closed
            is_closed = True
            return items

        context().on_update("add", add, validator=check)
        context().on_update("close", close)
        await context().wait_until(lambda: is_closed)
        return items

    return cart


def journal_of(url: str) -> list[tuple[Any, ...]]:
    return query(url, "SELECT position FROM journal ORDER BY position")


# --- answers


async def test_an_update_is_answered_with_what_its_handler_returns(hf: Holdfast, cart: Any) -> None:
    run = await hf.start(cart)

    assert await run.update("add", "apple", type=int) == 5
    assert await hf.update(run.id, "add", "fig", 2, by="eve") == 6
    assert await run.update("close") == ["apple", "fig", "fig"]
    assert await run.result() == ["apple", "fig", "fig"]

    sent = [(it.kind, it.name, it.value, it.answer, it.by) for it in await hf.messages(run)]
    assert sent == [
        ("update", "add", ["apple"], 5, ""),
        ("update", "add", ["fig", 2], 6, "eve"),
        ("update", "close", [], ["apple", "fig", "fig"], ""),
    ]


async def test_an_update_raises_what_its_handler_raises_and_the_run_goes_on(hf: Holdfast, cart: Any) -> None:
    run = await hf.start(cart)

    with pytest.raises(LookupError, match="no price") as caught:
        await run.update("add", "stolen")

    assert isinstance(caught.value, UpdateFailed)
    assert await run.update("close") == ["stolen"]
    assert (await hf.messages(run))[0].problem == "LookupError: no price"


async def test_methods_of_a_class_handle_updates(hf: Holdfast, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def check(self, by: int) -> None:
            if by < 0:
                raise ValueError("it only counts up")

        @update(validator=check)
        async def add(self, by: int) -> int:
            await asyncio.sleep(0.001)
            self.count += by
            return self.count

        @update(name="look")
        def current(self) -> int:
            return self.count

        async def run(self, until: int) -> int:
            await context().wait_until(lambda: self.count >= until)
            return self.count

    run = await hf.start(Counter, 5)

    assert await run.update("add", 2) == 2
    with pytest.raises(UpdateRefused, match="it only counts up"):
        await run.update("add", -1)
    assert await run.update("look") == 2
    assert await run.update("add", 3) == 5
    assert await run.result() == 5


async def test_a_thousand_updates_at_once_are_all_answered_once(hf: Holdfast, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def counter(until: int) -> list[int]:
        seen: list[int] = []

        def add(number: int) -> int:
            seen.append(number)
            return len(seen)

        context().on_update("add", add)
        await context().wait_until(lambda: len(seen) >= until)
        return seen

    run = await hf.start(counter, 1000)

    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(*(run.update("add", number) for number in range(1000)))

    assert sorted(answers) == list(range(1, 1001))
    assert sorted(await run.result()) == list(range(1000))


async def test_validators_of_updates_that_come_together_see_what_the_earlier_have_done(
    store_url: str, catalog: Catalog, cart: Any
) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        run = await client.start(cart)
        waiting = [asyncio.create_task(run.update("add", f"{number}")) for number in range(9)]
        await _until(lambda: len(query(store_url, "SELECT id FROM messages")) == 9)
        async with Holdfast(store_url, catalog=catalog):
            answers = await asyncio.gather(*waiting, return_exceptions=True)

    assert answers[:5] == [1] * 5
    assert [str(error).partition(": ")[2] for error in answers[5:]] == [
        f"no room for {number}" for number in range(5, 9)
    ]


# --- refusals


async def test_a_refused_update_is_not_in_the_journal(hf: Holdfast, store_url: str, cart: Any) -> None:
    run = await hf.start(cart)
    assert await run.update("add", "fig", 5) == 15
    before = journal_of(store_url)

    for name, args, words in [
        ("add", ("apple",), "no room for apple"),
        ("add", (5,), "expected str, got int"),
        ("add", (), "missing a required argument"),
        ("remove", ("fig",), "no handler of that name; it has 'add', 'close'"),
    ]:
        with pytest.raises(UpdateRefused, match=words):
            await run.update(name, *args)

    assert journal_of(store_url) == before
    assert {it.is_read for it in await hf.messages(run)} == {True}
    assert query(store_url, "SELECT taken FROM messages WHERE taken < 0") == [(-1,)] * 4


async def test_a_refusal_names_what_the_validator_raised(hf: Holdfast, cart: Any) -> None:
    run = await hf.start(cart)

    with pytest.raises(UpdateRefused) as caught:
        await run.update("add", "fig", 6)

    assert (caught.value.reason, caught.value.name, caught.value.id) == ("no room for fig", "add", run.id)
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("error", [SystemExit(4), asyncio.CancelledError("4")])
async def test_a_validator_that_would_end_the_process_refuses_and_the_run_goes_on(
    hf: Holdfast, catalog: Catalog, error: BaseException
) -> None:
    def check() -> None:
        raise error

    @workflow(catalog=catalog)
    async def strict() -> str:
        context().on_update("go", lambda: None, validator=check)
        return await context().signal("stop", str)

    run = await hf.start(strict)

    with pytest.raises(UpdateRefused, match="4"):
        await run.update("go", timeout=SOON)

    await run.signal("stop", "stopped")
    assert await run.result() == "stopped"


def _asks_for_a_task(ctx: Context, other: Any) -> None:
    other()


def _sets_a_timer(ctx: Context, other: Any) -> None:
    asyncio.get_running_loop().call_later(1, print)


def _sets_state(ctx: Context, other: Any) -> None:
    ctx.state.set("seen", True)


def _throws_dice(ctx: Context, other: Any) -> None:
    ctx.random.random()


def _registers(ctx: Context, other: Any) -> None:
    context().on_update("again", print)


async def _waits(ctx: Context, other: Any) -> None: ...


@pytest.mark.parametrize(
    ("looks", "what"),
    [
        (_asks_for_a_task, "a task"),
        (_sets_a_timer, "a timer"),
        (_sets_state, "a change of state"),
        (_throws_dice, "a random number"),
        (_registers, "a handler"),
        (_waits, "something to be awaited"),
    ],
)
async def test_a_validator_may_only_look(
    hf: Holdfast, store_url: str, catalog: Catalog, looks: Any, what: str
) -> None:
    @task(catalog=catalog)
    async def other() -> None: ...

    @workflow(catalog=catalog)
    async def careless(ctx: Context) -> None:
        ctx.state.set("items", 3)

        def check() -> Any:
            assert (ctx.state.get("items"), context().now().year > 2000) == (3, True)
            return looks(ctx, other)

        ctx.on_update("go", lambda: None, validator=check)
        await ctx.signal("end")

    run = await hf.start(careless)
    await _until(lambda: len(journal_of(store_url)) == 1)

    with pytest.raises(UpdateRefused, match=f"may only look at the run, and asked for {what}") as caught:
        await run.update("go")

    assert isinstance(caught.value.__cause__, MayOnlyLook)
    assert len(journal_of(store_url)) == 1
    await run.signal("end")
    await run.result()


async def test_a_validator_that_lets_the_run_go_on_parks_it(hf: Holdfast, catalog: Catalog) -> None:
    """The run would go on without a reason in its journal."""

    @workflow(catalog=catalog)
    async def careless() -> None:
        bell = asyncio.Event()
        context().on_update("ring", lambda: None, validator=bell.set)
        await bell.wait()

    run = await hf.start(careless)

    with pytest.raises(UpdateTimedOut):
        await run.update("ring", timeout=dt.timedelta(seconds=1))

    info = await run.describe()
    assert info.status is RunStatus.PARKED
    assert info.failure is not None
    assert "may only look" in info.failure.message


async def test_dags_flows_and_lone_tasks_take_no_updates(
    hf: Holdfast, catalog: Catalog, tmp_path: Path
) -> None:
    @task(catalog=catalog)
    async def alone() -> None:
        await asyncio.sleep(PATIENCE)

    file = tmp_path / "wait.yaml"
    graph = tmp_path / "graph.yaml"
    graph.write_text("{start: done, nodes: {done: {kind: wait_event}}}")
    flowing = await hf.start(load_flow(graph, catalog=catalog))
    file.write_text("name: waiting\ntasks:\n  nap:\n    wait_for_signal: go\n")
    run = await hf.start(load_dag(file, catalog=catalog))
    by_itself = await hf.start(alone)

    with pytest.raises(UpdateRefused, match="a run of a DAG takes no updates"):
        await run.update("add", 1)
    with pytest.raises(UpdateRefused, match="a run of a flow takes no updates"):
        await flowing.update("add", 1)
    with pytest.raises(UpdateRefused, match="a task takes no updates"):
        await by_itself.update("add", 1)

    await run.terminate()
    await flowing.terminate()
    await by_itself.terminate()
    for each in (run, flowing, by_itself):
        with pytest.raises(RunCancelled):  # else the node would let the task finish before it stops
            await each.result()


def test_bad_handlers_are_refused_when_they_are_defined(catalog: Catalog) -> None:
    async def waits() -> None: ...

    with pytest.raises(BadDefinition, match="a plain function: it may not wait"):
        update(validator=waits)(lambda self: None)
    with pytest.raises(BadDefinition, match="@update goes on a method"):
        update(5)  # pyright: ignore[reportCallIssue, reportArgumentType]


# --- once


async def test_the_same_message_id_gets_the_same_answer_and_the_handler_runs_once(
    hf: Holdfast, cart: Any
) -> None:
    run = await hf.start(cart)

    first = await asyncio.gather(*(run.update("add", "fig", message_id="one") for _ in range(5)))
    later = await hf.update(run.id, "add", "fig", message_id="one")
    with pytest.raises(MessageIdTaken, match="another message with the id"):
        await run.update("add", "apple", message_id="one")
    with pytest.raises(BadOption):
        await run.update("add", "apple", message_id="")

    assert (first, later) == ([3] * 5, 3)
    assert await run.update("close", message_id="two") == ["fig"]
    await run.result()
    assert await run.update("close", message_id="two") == ["fig"]  # though the run has ended
    with pytest.raises(RunEnded, match="takes no updates any more"):
        await run.update("close", message_id="three")


async def test_an_update_survives_a_crash_at_every_commit(
    new_database: Callable[[], str], catalog: Catalog, cart: Any
) -> None:
    async def send(run: Run[Any]) -> None:
        assert await run.update("add", "apple", message_id="1") == 5
        with pytest.raises(UpdateRefused):
            await run.update("add", "fig", 5, message_id="2")
        with pytest.raises(LookupError):
            await run.update("add", "stolen", message_id="3")
        assert await run.update("close", message_id="4") == ["apple", "stolen"]

    assert await assert_durable(cart, during=send, catalog=catalog, new_database=new_database) == [
        "apple",
        "stolen",
    ]


async def test_handlers_that_sleep_and_run_at_the_same_time_survive_crashes(
    new_database: Callable[[], str], catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def slow() -> list[str]:
        log: list[str] = []

        async def wait(seconds: int) -> str:
            log.append(f"{seconds} begins")
            await asyncio.sleep(seconds)
            log.append(f"{seconds} ends")
            return f"waited {seconds} s"

        context().on_update("wait", wait)
        await context().wait_until(lambda: len(log) == 4, timeout=dt.timedelta(days=1))
        return log

    async def send(run: Run[Any]) -> None:
        answers = asyncio.gather(run.update("wait", 60), run.update("wait", 5))
        assert await answers == ["waited 60 s", "waited 5 s"]

    log = await assert_durable(slow, during=send, catalog=catalog, new_database=new_database)

    assert log == ["60 begins", "5 begins", "5 ends", "60 ends"]


async def test_the_clock_of_a_test_stands_still_while_an_answer_is_on_its_way(
    new_database: Callable[[], str], catalog: Catalog
) -> None:
    """After a crash, too: the node that has written the answer told nobody of it."""

    @workflow(catalog=catalog)
    async def counting() -> int:
        counted: list[int] = []
        context().on_update("count", counted.append)
        await context().wait_until(lambda: len(counted) == 3, timeout=dt.timedelta(days=9))
        return sum(counted)

    async def send(run: Run[Any]) -> None:
        for number in (1, 2, 3):
            await run.update("count", number, message_id=str(number))

    assert await assert_durable(counting, during=send, catalog=catalog, new_database=new_database) == 6


async def test_an_update_to_a_run_that_has_left_memory_is_answered(
    store_url: str, catalog: Catalog, cart: Any
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(cart)
        assert await run.update("add", "apple") == 5
        await env.skip(dt.timedelta(minutes=1))
        assert not env.engine.has(run.key)
        assert (await run.describe()).waiting == "update 'add'; update 'close'"
        (reason,) = (await env.explain(run)).reasons
        assert (reason.kind.value, reason.name) == ("update", "add")

        assert await run.update("close") == ["apple"]


async def test_replay_takes_an_update_that_its_validator_would_now_refuse(
    store_url: str, catalog: Catalog
) -> None:
    is_strict = False

    @workflow(catalog=catalog)
    async def keeping() -> list[int]:
        kept: list[int] = []

        def check(number: int) -> None:
            if is_strict and number < 10:
                raise ValueError("too small")

        context().on_update("keep", kept.append, validator=check)
        await context().wait_until(lambda: len(kept) == 2)
        return kept

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(keeping)
        await run.update("keep", 1)
        await env.skip(dt.timedelta(minutes=1))

        is_strict = True

        with pytest.raises(UpdateRefused, match="too small"):
            await run.update("keep", 2)
        await run.update("keep", 20)
        assert await run.result() == [1, 20]


async def test_code_that_no_longer_handles_an_update_that_was_taken_parks_the_run(
    store_url: str, catalog: Catalog
) -> None:
    name = "keep"

    @workflow(catalog=catalog)
    async def keeping() -> None:
        context().on_update(name, lambda: None)
        await context().signal("end")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(keeping)
        await run.update("keep")
        await env.skip(dt.timedelta(minutes=1))

        name = "hold"
        await run.signal("end")
        await env.skip(dt.timedelta(seconds=1))

        info = await run.describe()
        assert info.status is RunStatus.PARKED
        assert info.failure is not None
        assert "restore the handler of update 'keep'" in info.failure.message


async def test_a_killed_node_answers_later_and_a_killed_client_asks_again(
    store_url: str, tmp_path: Path
) -> None:
    """The node dies between the step that takes the update and the step that answers it."""
    bookings = tmp_path / "bookings"
    (tmp_path / shopkeeper.HANGS).touch()
    arguments = ["-m", "tests.engine.shopkeeper", store_url, str(bookings)]
    process = Process(arguments, tmp_path / "shopkeeper.log")
    async with Holdfast(store_url, catalog=shopkeeper.catalog, engine=False) as client:
        try:
            await _until(lambda: bool(query(store_url, "SELECT id FROM runs")))
            with pytest.raises(UpdateTimedOut, match="ask again with message_id='m1'") as caught:
                await client.update("shop", "add", "fig", message_id="m1", timeout=dt.timedelta(seconds=2))
            assert caught.value.message_id == "m1"
            await _until(bookings.exists)
        finally:
            process.kill()
        (tmp_path / shopkeeper.HANGS).unlink()

        async with Holdfast(store_url, catalog=shopkeeper.catalog, lease_seconds=600) as hf:
            async with asyncio.timeout(PATIENCE):
                assert await client.update("shop", "add", "fig", message_id="m1") == 3
                assert await client.update("shop", "close", message_id="m2") == 1
                assert await hf.result("shop") == ["fig"]
        assert await client.update("shop", "close", message_id="m2") == 1

    assert bookings.read_text() == "fig\nfig\n"  # the lost attempt, and the one that counts


# --- before and after


async def test_an_update_to_a_run_that_has_not_begun_waits_for_its_handler(
    store_url: str, catalog: Catalog, cart: Any
) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        run = await client.start(cart)
        with pytest.raises(UpdateTimedOut, match=r"within 0\.05 s; the update may still happen"):
            await run.update("add", "fig", message_id="early", timeout=SHORT)
        waiting = asyncio.create_task(run.update("add", "apple"))
        await _until(lambda: len(query(store_url, "SELECT id FROM messages")) == 2)

        async with Holdfast(store_url, catalog=catalog):
            assert await waiting == 5
            assert await run.update("add", "fig", message_id="early") == 3


async def test_an_update_waits_for_a_run_that_is_paused_or_starts_later(
    hf: Holdfast, catalog: Catalog, cart: Any
) -> None:
    run = await hf.start(cart)
    await run.update("add", "fig")
    await run.pause()
    later = await hf.start(with_options(cart, delay=dt.timedelta(seconds=1)))

    with pytest.raises(UpdateTimedOut):
        await run.update("add", "fig", message_id="one", timeout=SHORT)
    with pytest.raises(UpdateTimedOut):
        await later.update("add", "fig", message_id="one", timeout=SHORT)

    await run.resume()
    assert await run.update("add", "fig", message_id="one") == 3
    assert await later.update("add", "fig", message_id="one") == 3
    assert await run.update("close") == ["fig", "fig"]


async def test_an_update_that_is_unanswered_when_the_run_ends_says_so(
    hf: Holdfast, store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def hasty() -> str:
        is_over = False

        async def wait() -> None:
            await asyncio.sleep(PATIENCE)

        def end() -> str:
            nonlocal is_over
            is_over = True
            return "ended"

        context().on_update("wait", wait)
        context().on_update("end", end)
        await context().wait_until(lambda: is_over)
        return "over"

    run = await hf.start(hasty)
    waiting = asyncio.create_task(run.update("wait", message_id="w"))
    await _until(lambda: len(query(store_url, "SELECT id FROM messages WHERE taken IS NOT NULL")) == 1)

    reasons = [reason.what for reason in (await hf.explain(run)).reasons]
    assert "it is answering update 'wait'" in reasons

    assert await run.update("end") == "ended"

    with pytest.raises(UpdateUnanswered, match="ended before it answered update 'wait'"):
        await asyncio.wait_for(waiting, PATIENCE)
    with pytest.raises(UpdateUnanswered):
        await run.update("wait", message_id="w")


async def test_an_update_that_could_not_wait_is_refused_and_not_sent(hf: Holdfast, cart: Any) -> None:
    run = await hf.start(cart)

    with pytest.raises(BadOption, match="timeout"):
        await run.update("add", "fig", timeout=dt.timedelta(seconds=-1))

    assert await hf.messages(run) == []


async def test_an_update_of_a_terminated_run_is_told_that_it_ended(
    hf: Holdfast, store_url: str, cart: Any
) -> None:
    run = await hf.start(cart)
    await run.update("add", "fig")
    await run.pause()
    waiting = asyncio.create_task(run.update("add", "apple"))
    await _until(lambda: len(query(store_url, "SELECT id FROM messages WHERE kind = 'update'")) == 2)

    await run.terminate()

    with pytest.raises(UpdateUnanswered):
        await asyncio.wait_for(waiting, PATIENCE)


async def test_a_retried_run_hears_its_updates_again_and_the_first_answers_stand(
    hf: Holdfast, catalog: Catalog
) -> None:
    is_broken = True

    @task(catalog=catalog)
    async def ship(items: list[str]) -> list[str]:
        if is_broken:
            raise RuntimeError("no truck")
        return items

    @workflow(catalog=catalog)
    async def order() -> list[str]:
        items: list[str] = []
        context().on_update("add", lambda item: items.append(item) or len(items))
        await context().wait_until(lambda: len(items) == 2)
        return await ship.options(retry=Retry(max_attempts=1))(items)

    run = await hf.start(order)
    assert await run.update("add", "fig", message_id="1") == 1
    assert await run.update("add", "pea", message_id="2") == 2
    with pytest.raises(RuntimeError, match="no truck"):
        await run.result()

    is_broken = False
    await run.retry()

    assert await run.result() == ["fig", "pea"]
    assert await run.update("add", "fig", message_id="1") == 1


# --- waiting for a condition


async def test_a_condition_holds_where_the_code_goes_on(hf: Holdfast, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def slots() -> list[tuple[int, int]]:
        free = 0
        used: list[tuple[int, int]] = []

        def give(number: int) -> None:
            nonlocal free
            free += number

        async def use(number: int) -> None:
            nonlocal free
            await context().wait_until(lambda: free > 0)
            free -= 1
            used.append((number, free))

        context().on_update("give", give)
        await asyncio.gather(*(use(number) for number in range(3)))
        return used

    run = await hf.start(slots)
    await run.update("give", 2)
    await run.update("give", 1)

    assert await run.result() == [(0, 1), (1, 0), (2, 0)]


async def test_a_condition_is_looked_at_after_signals_and_may_time_out(
    new_database: Callable[[], str], catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def listening() -> str:
        context().on_update("unused", lambda: None)
        await context().wait_until(lambda: context().has_signal("go"))
        try:
            await context().wait_until(lambda: False, timeout=dt.timedelta(hours=1))
        except TimeoutError:
            return "timed out"
        return "never"

    async def send(run: Run[Any]) -> None:
        await run.signal("go")

    ended = await assert_durable(listening, during=send, catalog=catalog, new_database=new_database)

    assert ended == "timed out"


async def test_a_condition_that_nothing_can_meet_is_a_deadlock(
    hf: Holdfast, store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def stuck() -> None:
        await context().wait_until(lambda: False)

    run = await hf.start(stuck)

    await _until(lambda: query(store_url, "SELECT status FROM runs") == [("parked",)])
    info = await run.describe()
    assert info.failure is not None
    assert info.failure.type.endswith(Deadlock.__name__)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (lambda other: other(), "asked for a task"),
        (lambda other: 1 / 0, "division by zero"),
        (lambda other: _waits(other, other), "something to be awaited"),
    ],
)
async def test_a_condition_that_fails_raises_where_the_code_waits(
    hf: Holdfast, catalog: Catalog, condition: Any, words: str
) -> None:
    @task(catalog=catalog)
    async def other() -> None: ...

    @workflow(catalog=catalog)
    async def careless() -> str:
        is_late = False

        def go() -> None:
            nonlocal is_late
            is_late = True

        context().on_update("go", go)
        try:
            await context().wait_until(lambda: is_late and condition(other))
        except Exception as error:
            return str(error)
        return "nothing"

    run = await hf.start(careless)
    await run.update("go")

    assert words in await run.result()


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110  # what another process does sets no event
            await asyncio.sleep(0.02)
