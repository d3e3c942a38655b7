"""What a task says with `logging` is heard, wherever in it that is said, and nobody else's words are."""

from __future__ import annotations

import asyncio
import contextvars
import io
import logging
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from textwrap import dedent
from typing import Any

import pytest
from tests.executors.recorder import Recorder, value_of
from tests.patience import PATIENCE

from holdfast.core.codec import Codec
from holdfast.core.log_lines import OutputLine
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.values import NULL, Instant, RunKey, Succeeded
from holdfast.executors.inline import InlineExecutor
from holdfast.executors.task_logging import TaskLogBuffer
from holdfast.executors.threads import ThreadExecutor
from holdfast.ports.executor import Attempt

logger = logging.getLogger("shop.orders")


class Listener(Recorder):
    """Also keeps what is said, in one list with the reports, to see what came first."""

    def __init__(self, kind: type[InlineExecutor] | type[ThreadExecutor]) -> None:
        super().__init__(kind)
        self.executor = kind(self._body, self._report, self._beat, Codec(), 4, self._log)
        self.heard: list[tuple[Attempt, OutputLine]] = []
        self.order: list[str] = []
        self.on_report = lambda attempt, outcome: self.order.append("report")

    def _log(self, attempt: Attempt, lines: Sequence[OutputLine]) -> None:
        assert asyncio.get_running_loop()
        for line in lines:
            self.heard.append((attempt, line))
            self.order.append(line.text)

    def texts(self, attempt: Attempt | None = None) -> list[str]:
        return [line.text for by, line in self.heard if attempt in (None, by)]


@pytest.fixture(params=[InlineExecutor, ThreadExecutor])
async def listener(request: pytest.FixtureRequest) -> AsyncIterator[Listener]:
    listener = Listener(request.param)
    yield listener
    await listener.executor.stop()


def as_task(listener: Listener, function: Callable[[], Any]) -> Callable[[], Any]:
    """The function as a task of the executor's kind."""
    if isinstance(listener.executor, ThreadExecutor):
        return function

    async def call() -> Any:
        return function()

    return call


# --- what is heard


async def test_a_message_is_heard_with_its_level_its_time_and_its_arguments(listener: Listener) -> None:
    before = time.time()

    await listener.run(as_task(listener, lambda: logger.warning("order %s of %d", "grüße", 7)))

    [(_, line)] = listener.heard
    assert (line.stream, line.text) == ("WARNING", "order grüße of 7")
    assert before - 0.001 <= line.at / 1_000_000 <= time.time() + 0.001


async def test_what_was_said_last_is_heard_before_the_report(listener: Listener) -> None:
    def talk() -> None:
        for number in range(100):
            logger.error("%d", number)

    await listener.run(as_task(listener, talk))

    assert listener.order == [*map(str, range(100)), "report"]


async def test_levels_count_as_usual(listener: Listener) -> None:
    quiet = logging.getLogger("shop.quiet")
    quiet.setLevel(logging.ERROR)

    def talk() -> None:
        quiet.warning("not asked for")
        quiet.error("asked for")

    await listener.run(as_task(listener, talk))

    assert listener.texts() == ["asked for"]


async def test_handlers_and_filters_do_not_count_and_are_not_disturbed(listener: Listener) -> None:
    stream = io.StringIO()
    private = logging.getLogger("shop.private")
    private.propagate = False
    handler = logging.StreamHandler(stream)
    handler.setLevel(logging.ERROR)
    private.addHandler(handler)

    def talk() -> None:
        private.warning("only for us")
        private.error("for both")

    await listener.run(as_task(listener, talk))
    private.removeHandler(handler)

    assert listener.texts() == ["only for us", "for both"]
    assert stream.getvalue() == "for both\n"


async def test_a_message_of_several_lines_becomes_several_and_an_empty_one_stays(listener: Listener) -> None:
    def talk() -> None:
        logger.error("one\ntwo\r\n\nfour\n")
        logger.error("")

    await listener.run(as_task(listener, talk))

    assert listener.texts() == ["one", "two", "", "four", ""]


async def test_an_exception_brings_its_traceback(listener: Listener) -> None:
    def talk() -> None:
        try:
            raise LookupError("no such account")
        except LookupError:
            logger.exception("cannot charge")

    await listener.run(as_task(listener, talk))

    found = listener.texts()
    assert found[:2] == ["cannot charge", "Traceback (most recent call last):"]
    assert found[-1] == "LookupError: no such account"
    assert {line.stream for _, line in listener.heard} == {"ERROR"}


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError("I have no name")

    __repr__ = __str__


def without_handlers() -> logging.Logger:
    """What handlers say of a message that cannot be formatted is not our concern; those of pytest raise."""
    private = logging.getLogger("shop.unhandled")
    private.propagate = False
    private.handlers = [logging.NullHandler()]
    return private


@pytest.mark.parametrize(
    ("message", "arguments", "text"),
    [
        ("%d of %d", (1,), "%d of %d"),
        ("%d", ("one",), "%d"),
        ("50% of %s", (), "50% of %s"),
        ("nul \x00 in it", (), "nul \ufffd in it"),
        ("half a \ud83d pair", (), "half a \\ud83d pair"),
        ({"a": 1}, (), "{'a': 1}"),
        (None, (), "None"),
        ("of %s", (Unspeakable(),), "of %s"),
    ],
)
async def test_a_message_that_cannot_be_formatted_or_stored_is_told_as_well_as_can_be(
    listener: Listener, message: object, arguments: tuple[object, ...], text: str
) -> None:
    private = without_handlers()

    outcome = await listener.run(as_task(listener, lambda: private.error(message, *arguments)))

    assert isinstance(outcome, Succeeded)
    assert listener.texts() == [text]
    listener.heard[0][1].text.encode()


async def test_a_message_that_has_no_words_at_all_does_not_fail_its_task(listener: Listener) -> None:
    private = without_handlers()

    outcome = await listener.run(as_task(listener, lambda: private.error(Unspeakable())))

    assert isinstance(outcome, Succeeded)
    assert "Unspeakable object" in listener.texts()[0]


async def test_an_endless_line_is_told_in_pieces(listener: Listener) -> None:
    await listener.run(as_task(listener, lambda: logger.error("x" * 50_000)))

    assert [len(text) for text in listener.texts()] == [16_384, 16_384, 16_384, 848]


async def test_what_was_said_is_as_it_was_then(listener: Listener) -> None:
    def talk() -> None:
        order = {"state": "new"}
        logger.error("order %s", order)
        order["state"] = "changed"

    await listener.run(as_task(listener, talk))

    assert listener.texts() == ["order {'state': 'new'}"]


# --- where it is said


async def test_each_attempt_is_heard_for_itself_however_they_are_mixed(listener: Listener) -> None:
    turns = threading.Barrier(3)

    async def talk_async(name: str) -> None:
        for number in range(5):
            logger.error("%s %d", name, number)
            await asyncio.sleep(0)

    def talk(name: str) -> None:
        for number in range(5):
            turns.wait(PATIENCE)
            logger.error("%s %d", name, number)

    is_threads = isinstance(listener.executor, ThreadExecutor)
    attempts = [listener.start(talk if is_threads else talk_async, name) for name in ("a", "b", "c")]
    await listener.wait_for_reports(3)

    for name, attempt in zip("abc", attempts, strict=True):
        assert listener.texts(attempt) == [f"{name} {number}" for number in range(5)]


async def test_threads_and_tasks_that_a_task_starts_speak_for_it() -> None:
    listener = Listener(InlineExecutor)

    async def family() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(logger.error, "from a thread"))
            group.create_task(asyncio.sleep(0))
        copied = contextvars.copy_context()
        thread = threading.Thread(target=copied.run, args=(logger.error, "from a thread of its own"))
        thread.start()
        await asyncio.to_thread(thread.join)

    await listener.run(family)
    await listener.executor.stop()

    assert listener.texts() == ["from a thread", "from a thread of its own"]


async def test_nobody_hears_what_is_said_outside_of_tasks_or_after_their_end(listener: Listener) -> None:
    left_behind: list[contextvars.Context] = []

    await listener.run(as_task(listener, lambda: left_behind.append(contextvars.copy_context())))
    logger.error("outside")
    left_behind[0].run(logger.error, "too late")
    await asyncio.sleep(0.01)

    assert listener.texts() == []


async def test_an_executor_that_has_stopped_says_nothing_more() -> None:
    listener = Listener(InlineExecutor)
    begun = asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            logger.error("last words")

    listener.start(stubborn)
    await begun.wait()
    await listener.executor.stop()
    await asyncio.sleep(0)

    assert (listener.texts(), listener.reports) == ([], [])


async def test_two_executors_hear_each_their_own() -> None:
    first, second = Listener(InlineExecutor), Listener(ThreadExecutor)

    async def inline() -> None:
        logger.error("inline")

    def on_a_thread() -> None:
        logger.error("on a thread")

    await asyncio.gather(first.run(inline), second.run(on_a_thread))
    for each in (first, second):
        await each.executor.stop()

    assert (first.texts(), second.texts()) == (["inline"], ["on a thread"])


async def test_an_executor_that_nobody_listens_to_runs_tasks_that_log() -> None:
    recorder = Recorder(InlineExecutor)

    async def talk() -> str:
        logger.error("to nobody")
        return "done"

    outcome = await recorder.run(talk)
    await recorder.executor.stop()

    assert value_of(outcome) == "done"


@pytest.mark.parametrize("keeps_the_one_before", [True, False])
async def test_a_factory_of_records_that_is_set_later_makes_them_heard_once_as_it_made_them(
    listener: Listener, keeps_the_one_before: bool
) -> None:
    make = logging.getLogRecordFactory()

    def shout(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = make(*args, **kwargs) if keeps_the_one_before else logging.LogRecord(*args, **kwargs)
        made.msg = str(made.msg).upper()
        return made

    def talk() -> None:
        logger.error("before")
        logging.setLogRecordFactory(shout)
        logger.error("after")

    try:
        await listener.run(as_task(listener, talk))
        await listener.run(as_task(listener, lambda: logger.error("in the next task")))
    finally:
        logging.setLogRecordFactory(make)

    assert listener.texts() == ["before", "AFTER", "IN THE NEXT TASK"]


# --- how much of it


def attempt() -> Attempt:
    return Attempt(RunKey(bytes(16)), None, "default", "flow", "1", 0, "work", NULL, DEFAULT_OPTIONS, 1)


def line(text: str) -> list[OutputLine]:
    return [OutputLine(Instant(1), "INFO", text)]


async def test_many_messages_are_one_call_of_the_loop() -> None:
    heard: list[str] = []
    posted: list[Callable[[], None]] = []
    buffer = TaskLogBuffer(lambda _, lines: heard.extend(line.text for line in lines), posted.append)
    by = attempt()

    for number in range(100):
        buffer.add(by, line(f"{number}"))
    calls_before = len(posted)
    posted.pop()()
    buffer.add(by, line("again"))

    assert calls_before == 1
    assert heard == [f"{number}" for number in range(100)]
    assert len(posted) == 1


async def test_threads_that_never_stop_talking_do_not_keep_the_loop_from_its_work() -> None:
    """What a node does on its loop is, among others, to renew its lease."""
    loop = asyncio.get_running_loop()
    heard = longest = 0
    stop = threading.Event()

    def hear(_: Attempt, lines: Sequence[OutputLine]) -> None:
        nonlocal heard
        heard += len(lines)

    buffer = TaskLogBuffer(hear, lambda act: loop.call_soon_threadsafe(act) and None)

    def talk() -> None:
        by = attempt()
        while not stop.is_set():
            buffer.add(by, line("hello"))

    threads = [threading.Thread(target=talk, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    waiting = 0.0
    last = time.monotonic()
    end = last + 0.5
    while last < end or heard <= 500:
        await asyncio.sleep(0.01)
        now = time.monotonic()
        waiting, last = max(waiting, now - last), now
        longest = max(longest, len(buffer._unsent))
    stop.set()
    for thread in threads:
        await asyncio.to_thread(thread.join, PATIENCE)

    assert waiting < PATIENCE / 2
    assert longest < 10_000


async def test_a_task_on_the_loop_that_never_pauses_fills_no_memory() -> None:
    heard = 0

    def hear(_: Attempt, lines: Sequence[OutputLine]) -> None:
        nonlocal heard
        heard += len(lines)

    buffer = TaskLogBuffer(hear, lambda act: None)
    by, words = attempt(), line("hello")

    for _ in range(10_000):
        buffer.add(by, words)

    assert len(buffer._unsent) <= 2001
    assert heard >= 7_999


# --- in whose process


def in_a_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_logging_can_be_set_up_after_holdfast_and_a_factory_from_before_is_kept() -> None:
    """`logging.basicConfig` does nothing once the root logger has a handler, so holdfast adds none."""
    out = in_a_process(
        """
        import asyncio, logging, sys, tempfile
        from holdfast import Catalog, task, workflow
        from holdfast.testing import Environment

        catalog = Catalog()
        make = logging.getLogRecordFactory()

        def marked(*args, **kwargs):
            record = make(*args, **kwargs)
            record.mark = "marked"
            return record

        logging.setLogRecordFactory(marked)

        @task(catalog=catalog)
        async def work():
            logging.basicConfig(stream=sys.stdout, format="%(mark)s %(message)s", level="INFO")
            logging.info("hello")

        @workflow(catalog=catalog)
        async def flow():
            await work()

        async def main():
            async with Environment(catalog=catalog) as env:
                run = await env.start(flow)
                await run.result()
                print([line.text for line in await env.logs(run)])

        asyncio.run(main())
        """
    )

    assert out.splitlines() == ["marked hello", "['hello']"]
