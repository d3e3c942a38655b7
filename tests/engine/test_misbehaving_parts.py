"""Executors, stores and hosts that break the rules of their ports, or keep them in an unusual way."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from holdfast import Catalog, Retry, RunStatus, context, task, workflow
from holdfast.core.records import MessageKind
from holdfast.core.values import NULL, Cancelled, Instant, Outcome
from holdfast.engine.alarms import Alarms
from holdfast.errors import RunFailed, StoreFull, StoreUnavailable
from holdfast.ports.commits import Commit, NewMessage, Receipt
from holdfast.ports.executor import Attempt
from holdfast.testing import Environment

T = TypeVar("T")

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


# --- executors


def change_reports(env: Environment, task: str, report: Any) -> None:
    """Have the executor of a task report as `report` does, which is given the real one first."""
    attempt: Any = SimpleNamespace(name=task, workflow="", version="", body=None)
    executor: Any = env.engine._dispatcher._router.route(attempt)
    report_for_real = executor._report

    def changed(attempt: Attempt, outcome: Outcome) -> None:
        report(report_for_real, attempt, outcome)

    executor._report = changed


async def test_an_executor_that_reports_twice_does_not_give_a_slot_back_twice(catalog: Catalog) -> None:
    running = most = 0

    @task(catalog=catalog, queue="narrow")
    async def occupy(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return number

    @workflow(catalog=catalog)
    async def crowd() -> list[int]:
        return await asyncio.gather(*[occupy(number) for number in range(10)])

    def twice(report: Any, attempt: Attempt, outcome: Outcome) -> None:
        report(attempt, outcome)
        report(attempt, Cancelled())

    async with Environment(catalog=catalog, queues={"narrow": 1}) as env:
        change_reports(env, "occupy", twice)

        assert await env.run(crowd) == list(range(10))
        assert most == 1
        assert len(env.executions) == 10


async def test_an_attempt_that_an_executor_gave_up_by_itself_has_failed_and_is_tried_again(
    catalog: Catalog,
) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=2))
    async def doomed() -> None:
        pass

    @workflow(catalog=catalog)
    async def trying() -> None:
        await doomed()

    def give_up(report: Any, attempt: Attempt, outcome: Outcome) -> None:
        report(attempt, Cancelled())

    async with Environment(catalog=catalog) as env:
        change_reports(env, "doomed", give_up)
        run = await env.start(trying)

        with pytest.raises(RunFailed, match="though nobody cancelled it"):
            await run.result()
        assert len(env.executions) == 2


# --- stores


class Refusing:
    """Refuses commits of its choice, before or after they are done, and the questions about them."""

    def __init__(self, env: Environment) -> None:
        self.store = env.crash_points
        self.before: list[Exception] = []
        self.after: list[Exception] = []
        self.questions: list[Exception] = []
        self.done: list[Commit] = []
        self.is_it: Callable[[Commit], bool] = lambda _: True
        self._commit, self._recover = self.store.commit, self.store.recover_commit
        self.store.commit = self.commit  # type: ignore[method-assign]
        self.store.recover_commit = self.recover  # pyright: ignore[reportAttributeAccessIssue]

    async def commit(self, commit: Commit) -> Receipt:
        if self.before and self.is_it(commit):
            raise self.before.pop(0)
        receipt = await self._commit(commit)
        self.done.append(commit)
        if self.after and self.is_it(commit):
            raise self.after.pop(0)
        return receipt

    async def recover(self, commit: Commit) -> Receipt | None:
        if self.questions:
            raise self.questions.pop(0)
        return await self._recover(commit)


async def in_time(env: Environment, awaited: Awaitable[T]) -> T:
    """Let time pass until it is done: a node that waits for its store is busy, so nothing skips for it."""
    waiting = asyncio.ensure_future(awaited)
    for _ in range(1000):
        await asyncio.sleep(0)
        due = env.clock.next_due()
        if waiting.done():
            break
        if due is not None:
            env.clock.move_to(due)
    return await waiting


FULL = StoreFull("the disk", "no space left")
AWAY = StoreUnavailable("the database", "no answer")


async def test_a_full_store_refuses_what_is_new_and_keeps_what_has_happened(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await context().signal("go", str)

    @workflow(catalog=catalog)
    async def parent() -> str:
        context().state.set("place", "beginning")
        return await waiting.options(id="child")()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(waiting)
        await env.wait_until_quiet()
        refusing = Refusing(env)
        refusing.before = [FULL, FULL]
        refusing.is_it = lambda commit: bool(commit.created or refusing.before == [FULL])

        starting = asyncio.ensure_future(env.start(parent, id="new"))
        await asyncio.sleep(0)
        env.clock.advance(5 * SECOND)  # in the same tick, the run that waits leaves memory
        with pytest.raises(StoreFull):
            await in_time(env, starting)
        await in_time(env, asyncio.sleep(0.01))
        await env.skip(10 * SECOND)
        await run.signal("go", "at last")

        assert await run.result() == "at last"
        kept = refusing.done[0]
        assert ([row.run for row in kept.released], kept.created) == ([run.key], [])
        assert [*kept.steps, *kept.state, *kept.tasks] == []  # nothing of a run that there is not
        assert [info.id for info in await env.list()] == [run.id]
        assert await (await env.start(waiting, id="new")).status() is RunStatus.RUNNING
        assert refusing.before == []
        assert await env.doctor() == []


async def test_whoever_gave_up_a_start_is_not_told_that_the_store_is_full(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await context().signal("go", str)

    async with Environment(catalog=catalog) as env:
        refusing = Refusing(env)
        refusing.before = [FULL]
        impatient = asyncio.ensure_future(env.start(waiting, id="impatient"))
        patient = asyncio.ensure_future(env.start(waiting, id="patient"))
        await asyncio.sleep(0)
        impatient.cancel()

        with pytest.raises(StoreFull):
            await in_time(env, patient)
        with pytest.raises(asyncio.CancelledError):
            await impatient
        assert await in_time(env, env.list()) == []
        assert env.engine.failure is None


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("question", [[], [AWAY], [FULL, AWAY]])
async def test_a_commit_whose_answer_was_lost_counts_once_also_if_the_question_is_refused(
    store_url: str, catalog: Catalog, is_done: bool, question: list[Exception]
) -> None:
    @task(catalog=catalog)
    async def echo(value: int) -> int:
        return value

    @workflow(catalog=catalog)
    async def steps() -> list[int]:
        return [await echo(1), await echo(2)]

    async with Environment(store_url, catalog=catalog) as env:
        refusing = Refusing(env)
        (refusing.after if is_done else refusing.before).append(AWAY)
        refusing.questions = list(question)

        run = await in_time(
            env, env.start(steps, id="once")
        )  # full or not: nobody knows yet whether it is recorded

        assert await run.result() == [1, 2]
        assert len(env.executions) == 2
        assert refusing.questions == []


async def test_two_messages_that_nobody_can_read_park_their_run_once(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await context().signal("go", str)

    async with Environment(catalog=catalog) as env:
        bad, good = await env.start(waiting), await env.start(waiting)
        await env.wait_until_quiet()
        store = Refusing(env)
        news = [NewMessage(bad.key, MessageKind.CHILD, name, NULL) for name in ("first-born", "second-born")]
        await env.crash_points.post_messages(env.namespace, news, env.clock.now())
        await env.wait_until_quiet()

        assert await bad.status() is RunStatus.PARKED
        assert [row.run for commit in store.done for row in commit.released] == [bad.key]
        await good.signal("go", "all the same")
        assert await good.result() == "all the same"


# --- hosts


async def test_a_collector_that_somebody_has_switched_off_stays_off(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def is_collecting() -> bool:
        return gc.isenabled()

    @workflow(catalog=catalog)
    async def asking() -> bool:
        return await is_collecting()

    gc.disable()
    try:
        async with Environment(catalog=catalog) as env:
            assert await env.run(asking) is False
        assert not gc.isenabled()
    finally:
        gc.enable()


async def test_an_engine_that_was_never_started_can_be_stopped_and_waited_for(catalog: Catalog) -> None:
    async with Environment(catalog=catalog) as env:
        idle = env._parts.engine(env._skipping)

        await idle.wait_until_stopped()
        await idle.stop()
        await idle.kill()

        assert idle.failure is None
        assert env.engine.failure is None


def test_alarms_that_were_called_off_do_not_pile_up() -> None:
    alarms = Alarms()
    rung: list[int] = []
    kept = [alarms.set(Instant(due), lambda due=due: rung.append(due)) for due in (7, 3)]
    for due in range(10, 20_000):
        alarms.set(Instant(due), lambda: rung.append(-1)).cancel()

    assert len(alarms._heap) < 2500
    alarms.fire_due(Instant(30_000))
    assert rung == [3, 7]
    assert alarms.next_due() is None
    for alarm in kept:
        alarm.cancel()  # too late, and harmless
    assert alarms.next_due() is None
