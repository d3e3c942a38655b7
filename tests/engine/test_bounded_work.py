"""What one tick and one commit may hold, and what becomes of a run that asks for more than can be done."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.patience import PATIENCE, until

import holdfast.parts
from holdfast import Catalog, Holdfast, RunStatus, context, task, workflow
from holdfast.authoring.code.program import CodeProgram
from holdfast.core.commands import (
    CancelChild,
    CancelTask,
    CancelTimer,
    Command,
    CompleteRun,
    OpenTask,
    RecordTask,
    ResumeChild,
    ResumeTask,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
from holdfast.core.values import Instant, Payload, RunKey, Succeeded
from holdfast.engine.inbox import BEFORE_RUNS, AttemptDue, AttemptEnded, EngineInbox, LimitExceeded
from holdfast.engine.tick_budget import FactBudget, TickBudget
from holdfast.engine.tuning import Tuning
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import ManualClock

KB = 1000
LARGE = 4 * KB
NOTHING = Payload(b"{}")


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def use_tuning(monkeypatch: pytest.MonkeyPatch, **numbers: Any) -> None:
    monkeypatch.setattr(holdfast.parts, "tuning_of", lambda _: Tuning(**numbers))


def watch_commits(hf: Holdfast) -> list[Commit]:
    """All commits of this node, from now on."""
    seen: list[Commit] = []
    store: Any = hf._parts._engine_store
    commit_for_real: Callable[[Commit], Any] = store.commit

    async def commit(commit: Commit) -> Receipt:
        seen.append(commit)
        return await commit_for_real(commit)

    store.commit = commit
    return seen


# --- bytes


async def test_results_that_do_not_fit_into_one_commit_go_into_the_next(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=10 * KB)

    @task(catalog=catalog)
    async def blob(number: int) -> str:
        return f"{number}" * LARGE

    @workflow(catalog=catalog)
    async def collect() -> list[str]:
        return [text[0] for text in await asyncio.gather(*[blob(number) for number in range(10)])]

    async with Holdfast(store_url, catalog=catalog) as hf:
        commits = watch_commits(hf)

        assert await asyncio.wait_for(hf.run(collect), PATIENCE) == [str(number) for number in range(10)]

    sizes = [sum(len(row.output or b"") for row in commit.settled) for commit in commits]
    assert max(sizes) < 10 * KB + 2 * LARGE
    assert sum(sizes) > 10 * LARGE


async def test_runs_with_large_inputs_are_started_with_several_commits(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=10 * KB)

    @workflow(catalog=catalog)
    async def measure(text: str) -> int:
        return len(text)

    async with Holdfast(store_url, catalog=catalog) as hf:
        commits = watch_commits(hf)
        runs = await hf.start_many(measure, [("x" * LARGE,) for _ in range(10)])
        lengths = await asyncio.gather(*[run.result() for run in runs])

    assert lengths == [LARGE] * 10
    sizes = [sum(len(run.input) for run in commit.created) for commit in commits]
    assert max(sizes) < 10 * KB + 2 * LARGE


async def test_runs_are_advanced_in_several_ticks_if_they_ask_for_much(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=10 * KB)

    @task(catalog=catalog)
    async def measure(text: str) -> int:
        return len(text)

    @workflow(catalog=catalog)
    async def ask() -> int:
        return await measure("x" * LARGE)

    async with Holdfast(store_url, catalog=catalog) as hf:
        commits = watch_commits(hf)
        runs = await hf.start_many(ask, [() for _ in range(10)])
        lengths = await asyncio.gather(*[run.result() for run in runs])

    assert lengths == [LARGE] * 10
    assert max(sum(len(row.input) for row in commit.tasks) for commit in commits) < 10 * KB + 2 * LARGE


async def test_a_step_of_many_large_inputs_is_sent_in_several_statements(
    postgres_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    import holdfast.stores.postgres.driver as driver

    @task(catalog=catalog)
    async def measure(text: str) -> int:
        return len(text)

    @workflow(catalog=catalog)
    async def ask() -> list[int]:
        return await asyncio.gather(*[measure("x" * LARGE) for _ in range(10)])

    sizes: list[int] = []
    send = driver.PostgresConnection._send_query

    def sending(self: Any, query: Any, params: Any) -> Any:
        if query.name == b"insert_tasks":
            sizes.append(sum(map(len, params[4])))
        return send(self, query, params)

    monkeypatch.setattr(driver, "_MOST_BYTES", 10 * KB)
    monkeypatch.setattr(driver.PostgresConnection, "_send_query", sending)
    async with Holdfast(postgres_url, catalog=catalog) as hf:
        assert await asyncio.wait_for(hf.run(ask), PATIENCE) == [LARGE] * 10

    assert len(sizes) == 5
    assert max(sizes) <= 10 * KB


async def test_a_step_of_more_bytes_than_a_statement_may_have_is_recorded(
    postgres_url: str, catalog: Catalog
) -> None:
    size = 4_000_000

    @task(catalog=catalog)
    async def measure(text: str) -> int:
        return len(text)

    @workflow(catalog=catalog)
    async def ask() -> list[int]:
        return await asyncio.gather(*[measure("x" * size) for _ in range(12)])

    async with Holdfast(postgres_url, catalog=catalog) as hf:
        assert await asyncio.wait_for(hf.run(ask), PATIENCE) == [size] * 12


async def test_no_task_starts_while_too_many_results_wait_to_be_recorded(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, unrecorded_bytes=2 * LARGE)
    most = 0

    @task(catalog=catalog, queue="narrow")
    async def blob() -> str:
        return "x" * LARGE

    @workflow(catalog=catalog)
    async def collect() -> int:
        return sum(map(len, await asyncio.gather(*[blob() for _ in range(30)])))

    async with Holdfast(store_url, catalog=catalog, queues={"narrow": 2}) as hf:
        assert hf._engine is not None
        inbox = hf._engine._inbox
        post_for_real = inbox.post

        def post(fact: Any) -> None:
            nonlocal most
            post_for_real(fact)
            most = max(most, inbox.result_bytes)

        inbox.post = post  # pyright: ignore[reportAttributeAccessIssue]
        total = await asyncio.wait_for(hf.run(collect), PATIENCE)

    assert total == 30 * LARGE
    assert 2 * LARGE < most < 5 * LARGE


async def test_a_node_that_stops_records_all_results_that_it_has(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=1)
    begun = 0
    go = asyncio.Event()

    @task(catalog=catalog)
    async def wait() -> int:
        nonlocal begun
        begun += 1
        await go.wait()
        return 1

    @workflow(catalog=catalog)
    async def collect() -> int:
        return sum(await asyncio.gather(*[wait() for _ in range(10)]))

    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.start(collect, id="run")
        await until(lambda: begun == 10)
        asyncio.get_running_loop().call_soon(go.set)
    async with Holdfast(store_url, catalog=catalog) as hf:
        assert await asyncio.wait_for((await hf.get("run")).result(), PATIENCE) == 10

    assert begun == 10


# --- which facts a tick takes


class Sizes:
    """Stands for attempts of runs whose results have a size each."""

    def __init__(self, tick_bytes: int) -> None:
        self.inbox = EngineInbox()
        self.tick_bytes = tick_bytes

    def end(self, run: str, size: int) -> None:
        self.inbox.post(AttemptEnded(attempt_of(run), Succeeded(Payload(b"x" * size)), Instant(0)))

    def tick(self) -> list[str]:
        commit: Any = Commit("", "", 0, Instant(0), Instant(0))  # pyright: ignore[reportArgumentType]
        heard: list[str] = []
        for fact in self.inbox.take(BEFORE_RUNS, FactBudget(commit, ManualClock(), self.tick_bytes, 100_000)):
            size = len(fact.outcome.payload) if isinstance(fact, AttemptEnded) else 0  # pyright: ignore[reportAttributeAccessIssue]
            commit.size += size
            heard.append(f"{fact.attempt.resident.key.decode()}{size or type(fact).__name__}")  # pyright: ignore[reportAttributeAccessIssue]
        return heard


def attempt_of(run: str) -> Any:
    class StandIn:
        pass

    attempt: Any = StandIn()
    attempt.resident = StandIn()
    attempt.resident.key = RunKey(run.encode())
    return attempt


def test_a_run_with_much_to_record_leaves_room_for_others() -> None:
    sizes = Sizes(tick_bytes=10 * KB)
    for number in range(6):
        sizes.end("a", 3 * KB + number)
    sizes.end("b", 1)

    assert sizes.tick() == ["a3000", "a3001", "b1"]
    assert sizes.inbox.result_bytes == sum(3 * KB + number for number in (2, 3, 4, 5))
    sizes.end("c", 2)
    assert sizes.tick() == ["a3002", "a3003", "c2"]
    assert sizes.tick() == ["a3004", "a3005"]
    assert sizes.inbox.is_empty


def test_runs_with_much_to_record_take_turns_and_keep_their_own_order() -> None:
    sizes = Sizes(tick_bytes=10 * KB)
    for number in range(4):
        for run in "abc":
            sizes.end(run, 3 * KB + number)

    ticks = []
    while not sizes.inbox.is_empty:
        ticks.append(sizes.tick())

    heard = [text for tick in ticks for text in tick]
    for run in "abc":
        assert [text for text in heard if text[0] == run] == [
            f"{run}{3 * KB + number}" for number in range(4)
        ]
    assert all(len({text[0] for text in tick}) > 1 for tick in ticks[:-1])


def test_a_later_kind_of_fact_does_not_overtake_a_result_that_is_left() -> None:
    sizes = Sizes(tick_bytes=10)
    sizes.end("a", 20)
    sizes.end("b", 20)
    sizes.inbox.post(LimitExceeded(attempt_of("b"), "ran too long"))
    sizes.inbox.post(AttemptDue(attempt_of("a")))

    assert sizes.tick() == ["a20"]
    assert sizes.tick() == ["b20"]
    assert sizes.tick() == ["bLimitExceeded", "aAttemptDue"]


# --- time


def test_a_budget_allows_a_first_piece_of_work_even_if_its_time_is_over() -> None:
    clock = ManualClock()
    commit: Any = Commit("", "", 0, Instant(0), Instant(0))  # pyright: ignore[reportArgumentType]
    budget = TickBudget(commit, clock, 10, 100_000)
    clock.advance(dt.timedelta(seconds=1))

    assert [budget.is_spent(), budget.is_spent()] == [False, True]


async def test_a_tick_that_takes_long_leaves_the_other_runs_for_the_next(
    sqlite_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_time=dt.timedelta(0))

    @workflow(catalog=catalog)
    async def simple(number: int) -> int:
        return number

    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        commits = watch_commits(hf)
        runs = await hf.start_many(simple, [(number,) for number in range(5)])
        numbers = await asyncio.gather(*[run.result() for run in runs])

    assert numbers == list(range(5))
    assert max(len(commit.steps) for commit in commits) == 1


# --- what cannot be done


async def test_a_step_that_is_too_large_parks_its_run_and_says_what_to_do(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def measure(text: str) -> int:
        return len(text)

    @workflow(catalog=catalog)
    async def ask(count: int) -> int:
        return sum(await asyncio.gather(*[measure("x" * LARGE) for _ in range(count)]))

    async with Holdfast(store_url, catalog=catalog, max_step_bytes=10 * LARGE) as hf:
        run = await hf.start(ask, 20, id="large")

        assert await asyncio.wait_for(hf.run(ask, 9), PATIENCE) == 9 * LARGE
        assert await run.status() is RunStatus.PARKED
        failure = (await run.describe()).failure
        assert failure is not None
        assert failure.type == "holdfast.errors:StepTooLarge"
        assert "max_step_bytes" in failure.message
    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.resume("large")
        assert await asyncio.wait_for((await hf.get("large")).result(), PATIENCE) == 20 * LARGE


HALF = "\ud800"
IMPOSSIBLE: dict[str, Command] = {
    "a task number that is taken": ScheduleTask(0, "echo", NOTHING),
    "a recorded number that is taken": RecordTask(0, "echo", Succeeded(NOTHING)),
    "a number below zero": OpenTask(-1, "echo", NOTHING),
    "a number beyond 32 bits": ScheduleTask(2**31, "echo", NOTHING),
    "NUL in the name of a task": ScheduleTask(5, "ec\0ho", NOTHING),
    "half a character in the name of a task": ScheduleTask(5, HALF, NOTHING),
    "NUL in a key of the state": SetState("k\0", NOTHING),
    "NUL in the id of a child": StartChild(0, "simple", None, "id\0", NOTHING),
    "half a character in the version of a child": StartChild(0, "simple", HALF, "id", NOTHING),
    "a child number beyond 32 bits": StartChild(2**40, "simple", None, "id", NOTHING),
    "a time after all times": StartTimer(0, Instant(2**70)),
    "a task that nobody holds back": ResumeTask(9),
}
HARMLESS: list[Command] = [CancelTask(9), CancelTimer(9), CancelChild(9), ResumeChild(9)]


def program_asks_for(monkeypatch: pytest.MonkeyPatch, workflow: str, commands: list[Command]) -> None:
    """Have the program of a workflow ask for these commands in its first step as well."""
    advance_for_real = CodeProgram.advance

    def advance(self: CodeProgram, at: Instant, events: Any) -> list[Command]:
        asked = advance_for_real(self, at, events)
        if self.run.workflow == workflow and not events:
            asked = [*asked, *commands]
        return asked

    monkeypatch.setattr(CodeProgram, "advance", advance)


@pytest.mark.parametrize("what", IMPOSSIBLE)
async def test_a_program_that_asks_for_the_impossible_parks_its_run_alone(
    what: str, store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    @task(catalog=catalog)
    async def echo(number: int) -> int:
        return number

    @workflow(catalog=catalog)
    async def simple(number: int) -> int:
        return await echo(number)

    @workflow(catalog=catalog)
    async def asking() -> int:
        return await echo(1)

    program_asks_for(monkeypatch, "asking", [IMPOSSIBLE[what]])
    async with Holdfast(store_url, catalog=catalog) as hf:
        run, other = await hf.start(asking), await hf.start(simple, 2)

        assert await asyncio.wait_for(other.result(), PATIENCE) == 2
        assert await run.status() is RunStatus.PARKED
        failure = (await run.describe()).failure
        assert failure is not None
        assert failure.type == "holdfast.errors:ImpossibleCommand"
        assert await asyncio.wait_for(hf.run(simple, 3), PATIENCE) == 3


async def test_to_cancel_what_does_not_exist_does_nothing(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    @workflow(catalog=catalog)
    async def asking() -> None:
        await asyncio.sleep(0.01)

    program_asks_for(monkeypatch, "asking", HARMLESS)
    async with Holdfast(store_url, catalog=catalog) as hf:
        await asyncio.wait_for(hf.run(asking), PATIENCE)


def test_the_end_of_a_run_counts_as_a_part_of_its_step() -> None:
    from holdfast.engine.command_checks import check_commands

    resident: Any = SimpleNamespace(attempts={})
    assert check_commands(resident, [CompleteRun(Payload(b"12345"))], 5) == 5


# --- messages


async def test_a_message_is_heard_once_even_if_its_run_must_wait_for_a_later_tick(
    sqlite_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_tuning(monkeypatch, tick_bytes=1, idle_after=dt.timedelta(minutes=1))

    @workflow(catalog=catalog)
    async def receive() -> list[int]:
        return [await context().signal("number", int) for _ in range(6)]

    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        runs = await hf.start_many(receive, [() for _ in range(20)])
        for number in range(6):
            await asyncio.gather(*[run.signal("number", number) for run in runs])
        received = await asyncio.wait_for(asyncio.gather(*[run.result() for run in runs]), PATIENCE)

    assert received == [list(range(6))] * 20
