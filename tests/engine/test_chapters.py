"""Runs that go on as a new chapter: what stays, what ends, and what a crash at any commit leaves of it."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE, SOON

from holdfast import (
    Catalog,
    ChapterRefused,
    HistoryTooLong,
    Holdfast,
    PromiseSettled,
    ReasonKind,
    Run,
    RunCancelled,
    RunFailed,
    RunStatus,
    WrongType,
    context,
    load_dag,
    task,
    workflow,
)
from holdfast.core.records import MessageKind
from holdfast.core.reopening import depends_on_end_of
from holdfast.core.values import NULL, Payload, TaskStatus
from holdfast.engine.tuning import Tuning
from holdfast.ports.commits import NewMessage
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def counting_workflow(catalog: Catalog, per_chapter: int = 3, until: int = 9) -> Any:
    @task(catalog=catalog)
    async def add_one(number: int) -> int:
        return number + 1

    @workflow(catalog=catalog)
    async def counting(number: int = 0) -> list[Any]:
        ctx = context()
        for _ in range(per_chapter):
            number = await add_one(number)
        await asyncio.sleep(1)
        ctx.state.set("seen", [*ctx.state.get("seen", list[float], []), ctx.random.random()])
        ctx.state.set("ids", [*ctx.state.get("ids", list[str], []), str(ctx.uuid4())])
        if number < until:
            ctx.continue_as(number)
        return [number, ctx.chapter, ctx.state.get("seen"), ctx.state.get("ids")]

    return counting


# --- what stays


async def test_the_chapters_of_a_run_are_one_run(store_url: str, catalog: Catalog) -> None:
    counting = counting_workflow(catalog)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(counting.options(id="a", tags=["mine"], note="long", priority=2))
        number, chapter, seen, ids = await run.result()

        assert (number, chapter, len(set(seen)), len(set(ids))) == (9, 3, 3, 3)
        info = await run.describe()
        assert (info.id, info.chapter, info.input, info.tags) == ("a", 3, {"number": 6}, ("mine",))
        assert (info.note, info.priority) == ("long", 2)
        chapters = await env.chapters(run)
        assert [(it.number, it.input, it.steps) for it in chapters] == [
            (1, {"number": 0}, 5),
            (2, {"number": 3}, 5),
            (3, {"number": 6}, 5),
        ]
        assert [it.ended_at for it in chapters] == [*(it.began_at for it in chapters[1:]), info.finished_at]
        assert [it.number for it in await env.chapters(run, since=2, limit=1)] == [2]
        assert (await env.chapters(run, since=2, limit=1))[0].ended_at == chapters[2].began_at
        assert await env.chapters(run, since=4) == []
        assert [it.seq for it in await env.tasks(run)] == list(range(9))
        assert (await env.state(run))["seen"] == seen


async def test_a_run_that_never_continues_has_one_chapter(store_url: str, catalog: Catalog) -> None:
    counting = counting_workflow(catalog, until=0)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(counting)
        await run.result()

        (chapter,) = await env.chapters(run)
        info = await run.describe()
        assert (chapter.number, chapter.input, chapter.steps) == (1, {"number": 0}, 5)
        assert (chapter.began_at, chapter.ended_at, info.chapter) == (info.started_at, info.finished_at, 1)


async def test_chapters_survive_a_crash_at_every_commit(new_database: NewDatabase, catalog: Catalog) -> None:
    counting = counting_workflow(catalog, per_chapter=2, until=6)

    number, chapter, seen, ids = await assert_durable(counting, catalog=catalog, new_database=new_database)

    assert (number, chapter, len(set(seen)), len(set(ids))) == (6, 3, 3, 3)


async def test_a_chapter_may_begin_without_the_state(store_url: str, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def forgetful(chapter: int = 1) -> list[str]:
        ctx = context()
        kept = ctx.state.keys()
        ctx.state.set(f"of chapter {chapter}", 1)
        if chapter == 2:
            ctx.state.clear()
        if chapter < 4:
            ctx.continue_as(chapter + 1)
        return kept

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(forgetful)
        assert await run.result() == ["of chapter 3"]
        assert await env.state(run) == {"of chapter 3": 1, "of chapter 4": 1}


async def test_arguments_of_the_next_chapter_are_checked_at_the_call(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def typed(number: int, keep_state: str = "") -> str:
        problems: list[str] = []
        for args, kwargs in [(("x",), {}), ((), {}), ((1,), {"other": 2})]:
            try:
                context().continue_as(*args, **kwargs)
            except WrongType as error:
                problems.append(str(error))
        if number == 0:
            context().continue_as(len(problems), keep_state="an argument as any other")
        return f"{number} {keep_state}"

    async with Environment(catalog=catalog) as env:
        assert await (await env.start(typed, 0)).result() == "3 an argument as any other"


# --- messages


def listening_workflow(catalog: Catalog, in_chapter: int = 3, until: int = 10) -> Any:
    @task(catalog=catalog)
    async def note(text: str) -> str:
        return text

    @workflow(catalog=catalog)
    async def listening(heard: list[int]) -> list[int]:
        for _ in range(in_chapter):
            heard = [*heard, await context().signal("item", int)]
            await note(str(heard[-1]))
            if len(heard) == until:
                return heard
        context().continue_as(heard)

    return listening


async def test_ten_signals_are_heard_once_and_in_order_by_four_chapters(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    listening = listening_workflow(catalog)

    async def send(run: Any) -> None:
        for number in range(10):
            await run.signal("item", number)

    heard = await assert_durable(listening, [], during=send, catalog=catalog, new_database=new_database)

    assert heard == list(range(10))


async def test_signals_that_come_while_a_run_goes_on_are_not_lost(store_url: str, catalog: Catalog) -> None:
    """In real time: the chapters change while the signals are sent."""
    listening = listening_workflow(catalog, in_chapter=1, until=60)

    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(listening, [])

        async def send() -> None:
            for number in range(60):
                await run.signal("item", number)
                if number % 7 == 0:
                    await asyncio.sleep(0.01)

        async with asyncio.timeout(PATIENCE):
            await send()
            assert await run.result() == list(range(60))
        assert len(await hf.chapters(run)) == 60


async def test_a_signal_that_a_chapter_has_taken_and_not_looked_at_is_for_the_next_one(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def hasty(got: list[str] = []) -> list[str]:  # noqa: B006
        ctx = context()
        await ctx.promise("go", same=True)
        if got:
            left = [await ctx.signal("word") for _ in range(4)]
            return [*got, *left, *ctx.drain_signals("word")]
        waiting = [ctx.signal("word") for _ in range(3)]
        await asyncio.sleep(1)
        first, _, third = waiting
        assert all(it.done() for it in waiting)
        ctx.continue_as([await first, third.result()])

    async def send(run: Any) -> None:
        for word in ("one", "two", "three", "four", "five", "six"):
            await run.signal("word", word)
        await run.resolve("go")

    result = await assert_durable(hasty, during=send, catalog=catalog, new_database=new_database)

    assert result == ["one", "three", "two", "four", "five", "six"]


async def test_a_signal_to_a_task_in_the_background_is_not_lost_with_it(
    store_url: str, catalog: Catalog
) -> None:
    """All three come in one step. The code ends with the first, and a listener waits for the others: it gets
    no more of them, since the next chapter will."""

    @workflow(catalog=catalog)
    async def divided(chapter: int = 1) -> list[str]:
        ctx = context()

        async def listen() -> None:
            ctx.state.set("heard by the listener", await ctx.signal("word"))

        if chapter == 2:
            return [await ctx.signal("word") for _ in range(2)]
        listener = asyncio.create_task(listen())
        await ctx.signal("go")
        assert not listener.done()
        ctx.continue_as(2)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(divided)
        await env.wait_until_quiet()
        await asyncio.gather(run.signal("go"), run.signal("word", "a"), run.signal("word", "b"))
        assert await run.result() == ["a", "b"]
        assert await env.state(run) == {}


async def test_an_update_that_a_chapter_has_not_answered_is_answered_by_the_next(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def answering(chapter: int = 1) -> list[str]:
        answered: list[str] = []

        async def greet(name: str) -> str:
            if chapter == 1:
                await asyncio.sleep(3600)  # longer than the chapter
            answered.append(name)
            return f"{name} in chapter {chapter}"

        context().on_update("greet", greet)
        if chapter == 1:
            await context().signal("on")
            context().continue_as(2)
        await context().wait_until(lambda: len(answered) == 2)
        return answered

    answers: list[str] = []

    async def send(run: Any) -> None:
        calls = [asyncio.create_task(run.update("greet", name, message_id=name)) for name in ("ann", "bob")]
        await asyncio.sleep(0)
        await run.signal("on", message_id="on")
        answers[:] = await asyncio.gather(*calls)

    result = await assert_durable(answering, during=send, catalog=catalog, new_database=new_database)

    assert sorted(result) == ["ann", "bob"]
    assert answers == ["ann in chapter 2", "bob in chapter 2"]


async def test_a_handler_whose_timer_fires_in_the_step_that_ends_the_chapter_begins_anew_in_the_next(
    store_url: str, catalog: Catalog
) -> None:
    """Both timers fire in one step, that of the workflow first. What the handler did then would be kept in
    the state, and its answer would be lost."""

    @workflow(catalog=catalog)
    async def dutiful(chapter: int = 1) -> list[str]:
        ctx = context()

        async def add(word: str) -> str:
            await asyncio.sleep(60)
            ctx.state.set("words", [*ctx.state.get("words", list[str], []), word])
            return f"{word} in chapter {ctx.chapter}"

        ctx.on_update("add", add)
        await asyncio.sleep(60)
        if chapter == 1:
            ctx.continue_as(2)
        await asyncio.sleep(3600)
        return ctx.state.get("words", list[str], [])

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dutiful)
        await env.wait_until_quiet()

        assert await run.update("add", "tide") == "tide in chapter 2"
        assert await run.result() == ["tide"]


async def test_promises_that_are_the_same_are_settled_once_for_all_chapters(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    """`ahead` is settled before it is asked for, `early` is read by all chapters, the first chapter asks for
    `open` and does not wait for it."""

    @workflow(catalog=catalog)
    async def asking(chapter: int = 1, got: list[str] = []) -> list[str]:  # noqa: B006
        ctx = context()
        got = [*got, await ctx.promise("early", same=True)]
        if chapter == 1:
            ctx.promise("open")
        if chapter == 3:
            return [*got, await ctx.promise("ahead"), await ctx.promise("open")]
        await asyncio.sleep(60)
        ctx.continue_as(chapter + 1, got)

    async def send(run: Any) -> None:
        for name in ("early", "ahead", "open"):
            await run.resolve(name, name, ahead=True)

    result = await assert_durable(asking, during=send, catalog=catalog, new_database=new_database)

    assert result == ["early", "early", "early", "ahead", "open"]


async def test_a_cancellation_in_the_step_that_ends_a_chapter_is_heard_by_the_next(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def endless(chapter: int = 1) -> None:
        await context().signal("go")
        context().continue_as(chapter + 1)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(endless)
        await env.wait_until_quiet()
        signal = NewMessage(run.key, MessageKind.SIGNAL, "go", NULL)
        cancel = NewMessage(run.key, MessageKind.CANCEL, "", Payload(b'"enough"'))
        await env._store.post_messages(env.namespace, [signal, cancel], env.clock.now())
        with pytest.raises(RunCancelled, match="enough"):
            await run.result()
        assert [(it.number, it.steps) for it in await env.chapters(run)] == [(1, 2), (2, 1)]


# --- families


async def test_a_parent_awaits_a_child_of_several_chapters(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    counting = counting_workflow(catalog, per_chapter=1, until=3)

    @workflow(catalog=catalog)
    async def parent() -> list[Any]:
        return await counting(0)

    assert (await assert_durable(parent, catalog=catalog, new_database=new_database))[:2] == [3, 3]


async def test_what_is_open_ends_with_its_chapter(store_url: str, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def slow() -> None:
        await asyncio.sleep(1000)

    @workflow(catalog=catalog)
    async def child(name: str) -> str:
        return await context().signal(name)

    @workflow(catalog=catalog)
    async def parent(chapter: int = 1) -> str:
        if chapter == 2:
            return await child.options(id="second")("second")
        ctx = context()
        left = [
            slow(),
            child.options(id="attached")("attached"),
            child.options(id="detached", detached=True)("detached"),
            asyncio.create_task(asyncio.sleep(30)),
        ]
        await ctx.signal("go")
        assert left
        ctx.continue_as(2)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        await run.signal("go")
        with pytest.raises(RunCancelled, match="new chapter"):
            await (await env.get("attached")).result()
        assert [it.status for it in await env.tasks(run)] == [TaskStatus.CANCELLED]

        await env.wait_until_quiet()
        reasons = (await env.explain(run)).reasons
        waits = [(it.kind, it.name) for it in reasons if it.kind is not ReasonKind.NODE]
        assert waits == [(ReasonKind.CHILD, "second")]
        await (await env.get("detached")).signal("detached", "late")
        assert await (await env.get("detached")).result() == "late"
        await (await env.get("second")).signal("second", "in time")
        assert await run.result() == "in time"
        assert not depends_on_end_of(await env.history(run), 0)


# --- ends and retries


async def test_only_the_last_chapter_is_retried(new_database: NewDatabase, catalog: Catalog) -> None:
    is_broken = True
    done: list[int] = []

    @task(catalog=catalog)
    async def work(number: int) -> int:
        done.append(number)
        if number == 5 and is_broken:
            raise ValueError("broken")
        return number

    @workflow(catalog=catalog)
    async def working(number: int = 0) -> list[Any]:
        ctx = context()
        total = await work(number) + await work(number + 1)
        ctx.state.set(f"at {number}", total)
        if number < 6:
            ctx.continue_as(number + 2)
        return [number, {key: ctx.state.get(key) for key in list(ctx.state.keys())}]

    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(working)
        with pytest.raises(ValueError, match="broken"):
            await run.result()
        assert await env.state(run) == {"at 0": 1, "at 2": 5}

        is_broken = False
        await run.retry()
        assert await run.result() == [6, {"at 0": 1, "at 2": 5, "at 4": 9, "at 6": 13}]
        assert done == [0, 1, 2, 3, 4, 5, 5, 6, 7]
        assert await env.state(run) == {"at 0": 1, "at 2": 5, "at 4": 9, "at 6": 13}
        assert (await run.describe()).chapter == 4


async def test_a_chapter_that_failed_at_once_is_retried_with_its_state(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    is_broken = True

    @workflow(catalog=catalog)
    async def frail(chapter: int = 1) -> list[Any]:
        ctx = context()
        if chapter == 1:
            ctx.state.set("kept", "value")
            ctx.continue_as(2)
        if is_broken:
            raise ValueError("broken")
        await asyncio.sleep(60)
        return [chapter, ctx.state.get("kept"), ctx.history_size]

    url = new_database()
    async with Environment(url, catalog=catalog) as env:
        run = await env.start(frail, id="a")
        for _ in range(2):
            with pytest.raises(ValueError, match="broken"):
                await run.result()
            assert await env.state(run) == {"kept": "value"}
            await run.retry()
        with pytest.raises(ValueError, match="broken"):
            await run.result()
        is_broken = False
        await run.retry()
        await env.wait_until_quiet()
    async with Environment(url, catalog=catalog) as env:
        value = await (await env.get("a")).result()
        assert value[:2] == [2, "value"]
        assert await env.state("a") == {"kept": "value"}


async def test_clean_up_runs_before_the_chapter_ends(new_database: NewDatabase, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def clean_up(chapter: int) -> None:
        pass

    @workflow(catalog=catalog)
    async def careful(chapter: int = 1) -> int:
        if chapter == 2:
            return chapter
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(continue_later())
                group.create_task(asyncio.sleep(1000))
        finally:
            await clean_up(chapter)
        return 0

    async def continue_later() -> None:
        try:
            await asyncio.sleep(1)
            context().continue_as(2)
        except Exception as error:
            raise AssertionError("continue_as raises no Exception") from error

    assert await assert_durable(careful, catalog=catalog, new_database=new_database) == 2
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(careful)
        await run.result()
        assert [it.status for it in await env.tasks(run)] == [TaskStatus.SUCCESS]


async def test_code_that_swallows_the_end_of_its_chapter_fails_by_name(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def greedy() -> str:
        try:
            context().continue_as()
        except BaseException:
            await asyncio.sleep(1)
        return "all the same"

    async with Environment(catalog=catalog) as env:
        run = await env.start(greedy)
        with pytest.raises(ChapterRefused, match=r"continue_as\(\.\.\.\) was called.*returned a value"):
            await run.result()


async def test_a_failure_that_nobody_awaited_fails_the_run_and_not_the_next_chapter(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def broken() -> None:
        raise ValueError("unheard")

    @workflow(catalog=catalog)
    async def careless(chapter: int = 1) -> int:
        kept = broken()
        await asyncio.sleep(1)
        assert kept.done()
        if chapter == 1:
            context().continue_as(2)
        return chapter

    async with Environment(catalog=catalog) as env:
        with pytest.raises(ValueError, match="unheard"):
            await (await env.start(careless)).result()


async def test_the_deadline_holds_for_all_chapters(store_url: str, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def endless(turn: int = 0) -> None:
        await asyncio.sleep(600)
        context().continue_as(turn + 1)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(endless.options(deadline=HOUR))
        with pytest.raises(RunFailed, match="deadline"):
            await run.result()
        assert (await run.describe()).chapter == 6


async def test_chapters_are_deleted_with_their_run(store_url: str, catalog: Catalog) -> None:
    counting = counting_workflow(catalog)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(counting, id="a")
        await run.result()
        await env.delete(run)
        again = await env.start(counting, id="a")
        await again.result()
        assert len(await env.chapters(again)) == 3
        assert await env._store.list_chapters(env.namespace, run.key, 0, 10) == []


# --- long histories


async def test_the_size_of_the_history_is_the_same_on_replay(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def work(size: int) -> int:
        return size

    @workflow(catalog=catalog)
    async def measured(sizes: list[int] = [], chapter: int = 1) -> list[int]:  # noqa: B006
        ctx = context()
        while ctx.history_size < 3:
            sizes = [*sizes, await work(ctx.history_size)]
        if chapter == 1:
            ctx.continue_as(sizes, 2)
        return sizes

    result = await assert_durable(measured, catalog=catalog, new_database=new_database)

    assert result == [0, 1, 2, 0, 1, 2]


async def test_a_long_chapter_is_loaded_in_pages(new_database: NewDatabase, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def note(text: str) -> str:
        return text

    @workflow(catalog=catalog)
    async def child() -> str:
        return "child"

    @workflow(catalog=catalog)
    async def listening(heard: list[str], chapter: int = 1) -> list[str]:
        for _ in range(5):
            heard = [*heard, await note(await context().signal("item"))]
            if len(heard) % 5 == 2:
                heard[-1] += await child()
        await asyncio.sleep(60)
        if chapter < 3:
            context().continue_as(heard, chapter + 1)
        return heard

    async with Environment(new_database(), catalog=catalog) as env:
        env._parts.tuning = Tuning(page_rows=2, piece_steps=1, drain=dt.timedelta(0))
        await env.crash()
        run = await env.start(listening, [])
        for number in range(15):
            await env.crash()
            await run.signal("item", str(number))
            await env.wait_until_quiet()
        result = await run.result()
        pages = [it.steps for it in await env.chapters(run)]

    assert result == [f"{number}{'child' if number % 5 == 1 else ''}" for number in range(15)]
    assert len(pages) == 3


def looping_workflow(catalog: Catalog, chapter_size: int) -> Any:
    @task(catalog=catalog)
    async def work(number: int) -> int:
        return number

    @workflow(catalog=catalog)
    async def looping(turns: int) -> int:
        for turn in range(turns):
            await work(turn)
            if turn + 1 == chapter_size:
                context().continue_as(turns - chapter_size)
        return turns

    return looping


async def test_a_history_that_is_too_long_fails_the_run_by_name(
    store_url: str, catalog: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    looping = looping_workflow(catalog, chapter_size=1000)

    with caplog.at_level(logging.WARNING, "holdfast.engine"):
        async with Environment(store_url, catalog=catalog, max_history=20) as env:
            run = await env.start(looping, 40, id="a")
            with pytest.raises(HistoryTooLong, match=r"has 20 steps.*continue_as.*max_history"):
                await run.result()
            assert (await env.chapters(run))[0].steps == 20
    (warning,) = [it.getMessage() for it in caplog.records if "steps in its history" in it.getMessage()]
    assert "run a of 'looping' has 16 steps in its history, and fails at 20" in warning

    async with Environment(store_url, catalog=catalog, max_history=50) as env:
        await env.retry("a")
        assert await (await env.get("a")).result() == 40


async def test_a_chapter_has_its_own_limit(store_url: str, catalog: Catalog) -> None:
    looping = looping_workflow(catalog, chapter_size=15)

    async with Environment(store_url, catalog=catalog, max_history=20) as env:
        run = await env.start(looping, 40)
        assert await run.result() == 10
        assert [it.steps for it in await env.chapters(run)] == [16, 16, 11]


DAG = """
name: chain
tasks:
  first:
    command: "true"
  second:
    command: "true"
    depends_on: first
  third:
    command: "true"
    depends_on: second
"""


async def test_a_dag_is_limited_too(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "chain.yaml").write_text(DAG)
    chain = load_dag(tmp_path / "chain.yaml", catalog=catalog)

    async with Environment(catalog=catalog, max_history=3) as env:
        run = await env.start(chain)
        with pytest.raises(HistoryTooLong):
            await run.result()
        assert (await run.status()) is RunStatus.FAILED


# --- what does not fit the new chapter


async def test_an_answer_that_does_not_fit_what_the_new_chapter_asks_is_not_taken(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def asking(chapter: int = 1) -> list[Any]:
        ctx = context()
        if chapter == 1:
            ctx.ask("How many?", name="size", answer=int)
            ctx.ask("How many more?", name="size", answer=int)
            await ctx.signal("go")
            ctx.continue_as(2)
        answer = await ctx.ask("Which size?", name="size", answer=str, by="ann", details=True)
        return [answer.value, answer.by]

    async def send(run: Run[Any]) -> None:
        await run.signal("unread", message_id="unread")
        for number in (0, 1):
            with contextlib.suppress(PromiseSettled):  # after a crash of the node, it may have been sent
                await run.resolve("size", number, ahead=True)
        await run.signal("go", message_id="go")
        await run.resolve("size", "large", ahead=True, by="ann")

    ended = await assert_durable(asking, during=send, catalog=catalog, new_database=new_database)

    assert ended == ["large", "ann"]


async def test_a_handler_of_updates_cannot_end_the_chapter(store_url: str, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def handling() -> str:
        async def end() -> None:
            context().continue_as()

        context().on_update("end", end)
        return await context().signal("stop", str)

    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(handling)
        with pytest.raises(ChapterRefused, match="ended the handler of update 'end' with it"):
            await run.update("end", timeout=SOON)
        await run.signal("stop", "stopped")

        assert await run.result() == "stopped"
