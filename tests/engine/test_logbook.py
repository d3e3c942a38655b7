"""What tasks say on its way into the store: when it is written, how much of it, and with which commit."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Catalog, Retry, Run, TaskTimedOut, Workflow, context, task, task_context, workflow
from holdfast.client.logs import LogLine
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.records import new_run
from holdfast.core.values import NULL, Instant, RunKey, TaskStatus
from holdfast.engine.logbook import AttemptLog, LogBook
from holdfast.engine.resident import Flight, Resident, Stage
from holdfast.engine.scene import new_flight
from holdfast.ports.executor import Attempt, Line
from holdfast.ports.store import Commit
from holdfast.testing import Environment
from holdfast.testing.clock import ManualClock

KEY = RunKey(bytes(16))
EVERY = dt.timedelta(milliseconds=250)
TAIL = 200
TAIL_CHARACTERS = 32_000
LINE = 32
"""What a line counts for besides its text, when it is decided what is kept."""

say = logging.getLogger("shop").warning


def lines(*texts: str) -> list[Line]:
    return [Line(Instant(number), "stdout", text) for number, text in enumerate(texts)]


def numbered(first: int, last: int, width: int = 8) -> list[Line]:
    """Each of `width` characters, and one for its end. Those of the usual width count for 40."""
    return lines(*(f"{number:0{width}}" for number in range(first, last)))


def texts(taken: bytes | None) -> list[str]:
    return [] if taken is None else [text for _, _, text in msgspec.json.decode(taken)]


# --- one attempt


def test_lines_are_taken_in_order_and_each_once() -> None:
    log = AttemptLog(1000)
    log.add(lines("a", "b"))

    first = log.take(is_over=False)
    nothing = log.take(is_over=False)
    log.add([Line(Instant(7), "stderr", "grüße \x00")])
    last = log.take(is_over=True)

    assert (texts(first), nothing) == (["a", "b"], None)
    assert last is not None
    assert msgspec.json.decode(last) == [[7, "stderr", "grüße \x00"]]


def test_of_one_who_says_too_much_the_first_and_the_last_lines_are_kept_and_the_cut_is_announced() -> None:
    log = AttemptLog(4000)
    log.add(numbered(0, 1000))

    found = texts(log.take(is_over=True))

    assert found[:100] == [line.text for line in numbered(0, 100)]
    assert found[100] == "… 700 lines (6,300 characters) were cut here"
    assert found[101:] == [line.text for line in numbered(800, 1000)]


def test_the_cut_is_announced_by_holdfast_and_in_its_place_in_time() -> None:
    log = AttemptLog(10)
    log.add([Line(Instant(number), "stdout", "123456789") for number in range(300)])

    taken = log.take(is_over=True)

    assert taken is not None
    decoded: list[list[Any]] = msgspec.json.decode(taken)
    assert decoded[1][1] == "holdfast"
    assert [at for at, _, _ in decoded] == sorted(at for at, _, _ in decoded)


def test_the_end_is_kept_back_while_the_attempt_goes_on_and_the_beginning_is_not() -> None:
    log = AttemptLog(4000)
    log.add(numbered(0, 150))

    while_it_runs = texts(log.take(is_over=False))
    log.add(numbered(150, 160))
    again = log.take(is_over=False)
    at_the_end = texts(log.take(is_over=True))

    assert while_it_runs == [line.text for line in numbered(0, 100)]
    assert again is None
    assert at_the_end == [line.text for line in numbered(100, 160)]  # nothing was cut, so nothing is said


def test_long_lines_at_the_end_are_bounded_by_their_size() -> None:
    log = AttemptLog(0)
    log.add(numbered(0, 100, width=9_999))

    found = texts(log.take(is_over=True))

    assert found[0] == "… 97 lines (970,000 characters) were cut here"
    assert [len(text) for text in found[1:]] == [9_999] * 3


def test_empty_lines_take_room_too() -> None:
    log = AttemptLog(LINE * 1000)
    log.add(lines(*[""] * 10_000))

    found = texts(log.take(is_over=True))

    assert found[:1000] == [""] * 1000
    assert found[1000] == "… 8,800 lines (8,800 characters) were cut here"
    assert found[1001:] == [""] * TAIL


def test_what_is_said_after_the_end_is_counted_for_itself() -> None:
    log = AttemptLog(4000)
    log.add(numbered(0, 1000))
    log.take(is_over=True)

    log.add(lines("last words"))
    few = texts(log.take(is_over=True))
    log.add(numbered(0, 250, width=99))
    many = texts(log.take(is_over=True))

    assert few == ["last words"]
    assert many[0] == "… 50 lines (5,000 characters) were cut here"
    assert len(many) == 1 + TAIL


@given(
    sizes=st.lists(st.integers(0, 300) | st.just(16_000), max_size=700),
    limit=st.integers(0, 20_000),
    dice=st.randoms(use_true_random=False),
)
def test_whatever_is_said_and_whenever_it_is_taken_no_more_is_kept_than_promised(
    sizes: list[int], limit: int, dice: Any
) -> None:
    said = [f"{number:05}" + "x" * size for number, size in enumerate(sizes)]
    log = AttemptLog(limit)
    kept: list[str] = []
    for text in said:
        log.add(lines(text))
        if dice.random() < 0.1:
            kept += texts(log.take(is_over=False))
    kept += texts(log.take(is_over=True))

    own = [text for text in kept if not text.startswith("… ")]
    longest = max((len(text) + LINE for text in said), default=0)
    assert sum(len(text) + LINE for text in own) <= limit + longest + max(TAIL_CHARACTERS, longest)
    assert own == [text for text in said if text in set(own)], "in order, and none twice"
    assert said[-1:] == own[-1:], "the last line is always there"
    cut = [text for text in kept if text.startswith("… ")]
    assert len(cut) == (1 if len(own) < len(said) else 0)
    for words in cut:
        missing = len(said) - len(own)
        characters = sum(len(text) + 1 for text in said) - sum(len(text) + 1 for text in own)
        assert words == f"… {missing:,} lines ({characters:,} characters) were cut here"


# --- the book


class Page:
    """A log book on a clock that stands still, and attempts to write about."""

    def __init__(self, limit: int = 1000) -> None:
        self.clock = ManualClock()
        self.wakes = 0
        self.book = LogBook(self.clock, EVERY, limit, self._wake)
        record = new_run(KEY, "default", None, "flow", "1", "flow", NULL, self.clock.now(), owner="node")
        self.resident = Resident(record, None)  # pyright: ignore[reportArgumentType]

    def _wake(self) -> None:
        self.wakes += 1

    def flight(self, seq: int = 0) -> Flight:
        return new_flight(self.resident, seq, "work", NULL, DEFAULT_OPTIONS)

    def take(self) -> list[Flight]:
        return list(self.book.take_due(self.clock.now()))


def test_what_is_said_within_a_quarter_of_a_second_is_written_together() -> None:
    page = Page()
    flight = page.flight()
    page.book.log(flight, lines("a"))
    due = page.book.next_due()
    page.clock.advance(EVERY / 2)
    page.book.log(flight, lines("b"))

    early = page.take()
    page.clock.advance(EVERY / 2)
    in_time = page.take()

    assert due == page.clock.now()
    assert early == []
    assert in_time == [flight]
    assert texts(flight.log.take(is_over=False)) == ["a", "b"]
    assert page.book.next_due() is None
    assert page.wakes == 1


def test_whoever_speaks_again_after_that_is_written_again() -> None:
    page = Page()
    flight = page.flight()
    written: list[list[str]] = []
    for word in ("a", "b", "c"):
        page.book.log(flight, lines(word))
        page.clock.advance(EVERY)
        written += [texts(each.log.take(is_over=False)) for each in page.take()]

    assert written == [["a"], ["b"], ["c"]]
    assert page.wakes == 3


def test_each_attempt_waits_for_itself_and_the_engine_is_woken_only_for_the_first() -> None:
    page = Page()
    first, second = page.flight(0), page.flight(1)
    page.book.log(first, lines("a"))
    page.clock.advance(EVERY / 2)
    page.book.log(second, lines("b"))

    page.clock.advance(EVERY / 2)
    at_once = page.take()
    page.clock.advance(EVERY / 2)
    later = page.take()

    assert (at_once, later) == ([first], [second])
    assert page.wakes == 1


def test_what_was_written_with_the_end_of_its_attempt_is_not_due_any_more() -> None:
    page = Page()
    flight = page.flight()
    page.book.log(flight, lines("a"))
    flight.log.take(is_over=True)

    page.clock.advance(EVERY)

    assert page.take() == []


def test_last_words_of_an_attempt_that_was_given_up_are_written() -> None:
    page = Page()
    flight = page.flight()
    page.book.log(flight, lines("a"))
    flight.stage = Stage.CLOSED
    flight.log.take(is_over=True)
    page.clock.advance(EVERY)
    page.take()

    page.book.log(flight, lines("cleaning up"))
    page.clock.advance(EVERY)

    assert page.take() == [flight]
    assert texts(flight.log.take(is_over=True)) == ["cleaning up"]


def test_last_words_of_one_that_had_said_too_much_are_written_too() -> None:
    page = Page(limit=4000)
    flight = page.flight()
    page.book.log(flight, numbered(0, 1000))
    flight.stage = Stage.CLOSED
    flight.log.take(is_over=True)
    page.clock.advance(EVERY)
    page.take()

    page.book.log(flight, lines("cleaning up"))
    page.clock.advance(EVERY)

    assert page.take() == [flight]
    assert texts(flight.log.take(is_over=True)) == ["cleaning up"]


def test_the_end_of_one_that_says_too_much_makes_no_work_while_it_goes_on() -> None:
    page = Page(limit=4000)
    flight = page.flight()
    page.book.log(flight, numbered(0, 1000))
    page.clock.advance(EVERY)
    for each in page.take():
        each.log.take(is_over=False)

    page.book.log(flight, lines("and more"))

    assert page.book.next_due() is None


def test_what_is_said_of_a_run_that_is_gone_or_by_a_stranger_is_dropped() -> None:
    page = Page()
    stranger = Attempt(KEY, None, "default", "flow", "1", 0, "work", NULL, DEFAULT_OPTIONS, 1)
    waiting, late = page.flight(0), page.flight(1)
    page.book.log(waiting, lines("a"))
    page.resident.is_gone = True

    page.book.log(stranger, lines("b"))
    page.book.log(late, lines("c"))
    page.clock.advance(EVERY)

    assert page.take() == []
    assert late.log is None


# --- through the engine


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def call(catalog: Catalog, ask: Callable[[], Any]) -> Workflow[[], Any]:
    @workflow(catalog=catalog, name="call")
    async def ask_once() -> Any:
        return await ask()

    return ask_once


class Watched(Environment):
    """Keeps every commit that came through."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.commits: list[Commit] = []
        commit = self.crash_points.commit

        async def watch(one: Commit) -> Any:
            receipt = await commit(one)
            self.commits.append(one)
            return receipt

        self.crash_points.commit = watch  # type: ignore[method-assign]


def brief(found: Sequence[LogLine]) -> list[str]:
    return [f"{line.task} {line.attempt} {line.stream}: {line.text}" for line in found]


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # no event tells of what a node has in mind
            await asyncio.sleep(0.001)


async def until_logged(env: Environment, run: Run[Any], count: int) -> list[str]:
    """Time goes on in small steps until so many lines can be read."""
    async with asyncio.timeout(10):
        while len(found := brief(await env.logs(run))) < count:
            env.clock.advance(EVERY / 5)
            await asyncio.sleep(0.002)
    return found


@pytest.mark.parametrize("is_async", [True, False])
async def test_what_a_task_logs_can_be_read_with_its_level_attempt_and_time(
    store_url: str, catalog: Catalog, is_async: bool
) -> None:
    def work() -> str:
        logger = logging.getLogger("shop.orders")
        logger.setLevel(logging.INFO)
        logger.info("order %s of %d", "grüße", 7)
        logger.debug("not asked for")
        logger.error("two\nlines")
        return "done"

    async def work_async() -> str:
        return work()

    named = task(catalog=catalog, name="work")(work_async if is_async else work)
    before = dt.datetime.now(dt.UTC)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, named))
        assert await run.result() == "done"

        found = await env.logs(run)

    assert brief(found) == ["work 1 INFO: order grüße of 7", "work 1 ERROR: two", "work 1 ERROR: lines"]
    assert [line.index for line in found] == [None] * 3
    for line in found:
        assert before <= line.at <= dt.datetime.now(dt.UTC)


async def test_lines_are_written_in_the_commit_that_records_how_their_attempt_ended(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=2))
    async def flaky() -> None:
        say("attempt %d", task_context().attempt)
        if task_context().attempt == 1:
            raise ValueError("no")

    async with Watched(store_url, catalog=catalog) as env:
        await env.run(call(catalog, flaky))

        written = [(commit, row) for commit in env.commits for row in commit.logs]
    assert [(row.seq, row.attempt, texts(row.lines)) for _, row in written] == [
        (0, 1, ["attempt 1"]),
        (0, 2, ["attempt 2"]),
    ]
    (first, _), (second, _) = written
    assert [row.attempt for row in first.attempts] == [1]
    assert [row.attempt for row in second.settled] == [2]


@pytest.mark.parametrize("crash_after", [False, True])
async def test_of_an_attempt_whose_commit_was_lost_only_the_one_that_counts_has_said_something(
    store_url: str, catalog: Catalog, crash_after: bool
) -> None:
    @task(catalog=catalog)
    async def work() -> int:
        say("attempt %d", task_context().attempt)
        return task_context().attempt

    async with Environment(store_url, catalog=catalog, crash_at=2, crash_after=crash_after) as env:
        run = await env.start(call(catalog, work))
        attempt = await run.result()

        assert brief(await env.logs(run)) == [f"work {attempt} WARNING: attempt {attempt}"]
        assert (env.crashes, attempt) == (1, 1 if crash_after else 2)


async def test_lines_can_be_read_while_the_task_runs_and_a_quarter_of_a_second_later(
    store_url: str, catalog: Catalog
) -> None:
    steps = itertools.count()
    may_go_on = [asyncio.Event(), asyncio.Event()]

    @task(catalog=catalog)
    async def talkative() -> None:
        for event in may_go_on:
            say("step %d", next(steps))
            await event.wait()

    async with Watched(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, talkative))
        first = await until_logged(env, run, 1)
        may_go_on[0].set()
        second = await until_logged(env, run, 2)
        [row] = await env.list_tasks(run)
        may_go_on[1].set()
        await run.result()

        assert await env.logs(run)
    assert first == ["talkative 1 WARNING: step 0"]
    assert second == ["talkative 1 WARNING: step 0", "talkative 1 WARNING: step 1"]
    assert not row.status.is_final


async def test_a_line_waits_no_longer_than_a_quarter_of_a_second_for_its_commit(catalog: Catalog) -> None:
    may_end = asyncio.Event()

    @task(catalog=catalog)
    async def talkative() -> None:
        say("hello")
        await may_end.wait()

    async with Watched(catalog=catalog) as env:
        run = await env.start(call(catalog, talkative))
        await until(lambda: env.engine._logs.next_due() is not None)
        env.clock.advance(EVERY - dt.timedelta(microseconds=1))
        await asyncio.sleep(0.02)
        early = [row for commit in env.commits for row in commit.logs]
        env.clock.advance(dt.timedelta(microseconds=1))
        await until(lambda: [row for commit in env.commits for row in commit.logs])
        may_end.set()
        await run.result()

    assert early == []


async def test_a_task_that_says_too_much_is_cut_in_the_middle_and_its_last_lines_are_kept(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def chatterbox() -> None:
        for number in range(3000):
            say("%04d %s", number, "x" * 463)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, chatterbox))
        await run.result()

        found = [line.text for line in await env.logs(run)]

    numbers = [int(text[:4]) for text in found if not text.startswith("…")]
    assert numbers == [*range(2000), *range(2936, 3000)]
    assert found[2000] == "… 936 lines (438,984 characters) were cut here"


async def test_one_endless_line_is_no_way_around_the_bound(store_url: str, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def chatterbox() -> None:
        say("x" * 3_000_000)
        say("the end")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, chatterbox))
        await run.result()

        found = [line.text for line in await env.logs(run)]

    total, words = sum(map(len, found)), [text for text in found if "were cut here" in text]
    longest = max(map(len, found))
    assert total < 1_100_000
    assert longest < 20_000
    assert len(words) == 1
    assert found[-1] == "the end"


async def test_last_words_of_an_attempt_that_took_too_long_are_kept_with_it(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog, timeout=dt.timedelta(seconds=5))
    async def slow() -> None:
        say("begun")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            say("cleaning up")
            await asyncio.sleep(0.01)
            say("clean")
            raise

    @workflow(catalog=catalog)
    async def patient() -> str:
        with contextlib.suppress(TaskTimedOut):
            await slow()
        return await context().signal("go", str)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient)
        await until(lambda: env.engine._dispatcher.running == 1)
        await asyncio.sleep(0.01)
        env.clock.advance(dt.timedelta(seconds=5))
        await until(lambda: env.engine._dispatcher.running == 0)

        found = await until_logged(env, run, 3)
        await run.signal("go", "on")

        assert await run.result() == "on"
    assert found == [f"slow 1 WARNING: {text}" for text in ("begun", "cleaning up", "clean")]


async def test_lines_that_were_written_before_a_crash_are_kept_and_the_next_attempt_has_its_own(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def work() -> int:
        say("attempt %d", task_context().attempt)
        if task_context().attempt == 1:
            await asyncio.sleep(3600)
        return task_context().attempt

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, work))
        await until_logged(env, run, 1)
        await env.crash()

        assert await run.result() == 2
        assert brief(await env.logs(run)) == ["work 1 WARNING: attempt 1", "work 2 WARNING: attempt 2"]


async def test_a_node_that_hands_its_tasks_back_writes_what_they_have_said(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def work() -> None:
        say("begun")
        await asyncio.sleep(3600)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, work))
        await until(lambda: env.engine._logs.next_due() is not None)
    async with Environment(store_url, catalog=catalog) as env:
        found = brief(await env.logs(run.id))
        await env.cancel(run.id)
        [row] = await env.list_tasks(run.id)

    assert found == ["work 1 WARNING: begun"]
    assert row.status is TaskStatus.DISPATCHED or not row.status.is_final


async def test_whoever_follows_hears_lines_as_they_come_and_stops_with_the_run(
    store_url: str, catalog: Catalog
) -> None:
    heard: list[str] = []
    may_end = asyncio.Event()

    @task(catalog=catalog)
    async def talkative() -> None:
        say("first")
        await may_end.wait()
        say("last")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, talkative))

        async def follow() -> None:
            async for line in env.follow(run):
                heard.append(line.text)

        following = asyncio.create_task(follow())
        async with asyncio.timeout(10):
            while heard != ["first"]:
                env.clock.advance(EVERY)
                await asyncio.sleep(0.01)
        may_end.set()
        await run.result()
        async with asyncio.timeout(10):
            await following

    assert heard == ["first", "last"]


async def test_a_run_that_says_nothing_costs_no_row_and_no_wake(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def silent() -> None:
        pass

    async with Watched(catalog=catalog) as env:
        await env.run(call(catalog, silent))

        assert [row for commit in env.commits for row in commit.logs] == []
        assert env.engine._logs.next_due() is None
