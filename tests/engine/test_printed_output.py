"""What tasks and workflows print and log is in the log of their run, once, and is printed as ever."""

from __future__ import annotations

import asyncio
import contextvars
import datetime as dt
import io
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from holdfast import Catalog, Holdfast, Workflow, context, task, task_context, workflow
from holdfast.client.logs import LogLine
from holdfast.errors import BadOption
from holdfast.testing import Environment


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def call(catalog: Catalog, ask: Callable[[], Any]) -> Workflow[[], Any]:
    @workflow(catalog=catalog, name="call")
    async def ask_once() -> Any:
        return await ask()

    return ask_once


def brief(found: Sequence[LogLine]) -> list[str]:
    return [f"{line.task} {line.attempt} {line.stream}: {line.text}" for line in found]


async def lines_of(catalog: Catalog, function: Callable[[], Any], url: str | None = None) -> list[str]:
    """What a task wrote, without its name and attempt."""
    named = task(catalog=catalog, name="work")(function)
    async with Environment(url, catalog=catalog) as env:
        run = await env.start(call(catalog, named))
        await run.result()
        found = await env.logs(run)
    assert {(line.task, line.attempt) for line in found} <= {("work", 1)}
    return [f"{line.stream}: {line.text}" for line in found]


# --- tasks


@pytest.mark.parametrize("is_async", [True, False])
async def test_what_a_task_prints_is_in_its_log_and_is_printed_as_ever(
    store_url: str, catalog: Catalog, is_async: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        print("one", 2)
        print("of two\nlines", file=sys.stderr)
        sys.stdout.writelines(["a ", "b\n"])

    async def work_async() -> None:
        work()

    before = sys.stdout, sys.stderr
    found = await lines_of(catalog, work_async if is_async else work, store_url)

    assert found == ["stdout: one 2", "stderr: of two", "stderr: lines", "stdout: a b"]
    assert capsys.readouterr() == ("one 2\na b\n", "of two\nlines\n")
    assert (sys.stdout, sys.stderr) == before


async def test_pieces_are_joined_to_lines_and_the_last_one_needs_no_end(catalog: Catalog) -> None:
    async def work() -> None:
        for number in range(3):
            print(number, end=" ")
            await asyncio.sleep(0)
        print("go\r\nhalf a", end="")
        print("nul \x00", "pair \ud83d", file=sys.stderr, end="")

    assert await lines_of(catalog, work) == [
        "stdout: 0 1 2 go",
        "stdout: half a",
        "stderr: nul \ufffd pair \\ud83d",
    ]


async def test_an_endless_line_is_kept_in_pieces(catalog: Catalog) -> None:
    def work() -> None:
        for _ in range(5):
            sys.stdout.write("x" * 10_000)

    found = await lines_of(catalog, work)

    assert [len(text) for text in found] == [8 + 16_384, 8 + 16_384, 8 + 16_384, 8 + 848]


async def test_two_tasks_that_print_in_turns_have_each_their_own_lines(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def count(name: str) -> None:
        for number in range(5):
            print(name, end=" ")
            await asyncio.sleep(0)
            print(number)

    @workflow(catalog=catalog)
    async def both() -> None:
        await asyncio.gather(count("a"), count("b"))

    async with Environment(catalog=catalog) as env:
        run = await env.start(both)
        await run.result()
        found = [line.text for line in await env.logs(run)]

    assert [text for text in found if text[0] == "a"] == [f"a {number}" for number in range(5)]
    assert [text for text in found if text[0] == "b"] == [f"b {number}" for number in range(5)]


async def test_threads_of_one_task_do_not_mix_their_lines(catalog: Catalog) -> None:
    turns = threading.Barrier(2)

    def count(name: str) -> None:
        for number in range(20):
            turns.wait(30)
            print(name, end=" ")
            turns.wait(30)
            print(number)

    async def work() -> None:
        await asyncio.gather(*(asyncio.to_thread(count, name) for name in "ab"))

    found = await lines_of(catalog, work)

    assert sorted(found) == sorted(f"stdout: {name} {number}" for name in "ab" for number in range(20))


async def test_what_a_handler_of_logging_prints_is_not_there_twice(catalog: Catalog) -> None:
    private = logging.getLogger("shop.printing")
    private.propagate = False

    def work() -> None:
        private.handlers = [logging.StreamHandler(sys.stdout)]
        private.warning("by logging")
        print("by print")

    assert await lines_of(catalog, work) == ["WARNING: by logging", "stdout: by print"]


async def test_a_task_goes_on_printing_when_the_terminal_of_its_node_was_closed(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = os.openpty()
    with open(theirs, "w", encoding="utf-8", buffering=1) as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        os.close(ours)

        def work() -> None:
            for number in range(3):
                print(number)

        found = await lines_of(catalog, work)
        with pytest.raises(OSError, match="Input/output error"):
            terminal.close()
    assert found == ["stdout: 0", "stdout: 1", "stdout: 2"]


async def test_what_is_printed_outside_of_tasks_is_in_no_log(
    catalog: Catalog, capsys: pytest.CaptureFixture[str]
) -> None:
    left_behind: list[contextvars.Context] = []

    @task(catalog=catalog)
    async def work() -> None:
        left_behind.append(contextvars.copy_context())

    async with Environment(catalog=catalog) as env:
        run = await env.start(call(catalog, work))
        await run.result()
        print("outside")
        left_behind[0].run(print, "too late")

        assert await env.logs(run) == []
    assert capsys.readouterr().out == "outside\ntoo late\n"


async def test_a_process_that_a_task_forks_prints_but_is_not_heard(catalog: Catalog) -> None:
    def work() -> None:
        child = os.fork()
        if not child:
            print("in the child")
            os._exit(0)
        os.waitpid(child, 0)
        print("in the node")

    assert await lines_of(catalog, work) == ["stdout: in the node"]


@pytest.mark.parametrize("is_async", [True, False])
async def test_the_logger_of_a_task_writes_info_also_if_logging_is_not_set_up(
    catalog: Catalog, is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def work() -> None:
        log = task_context().logger
        log.debug("not asked for")
        log.info("order %s", 7)
        try:
            raise LookupError("no such account")
        except LookupError:
            log.exception("cannot charge")

    async def work_async() -> None:
        work()

    found = await lines_of(catalog, work_async if is_async else work)

    assert found[:2] == ["INFO: order 7", "ERROR: cannot charge"]
    assert found[-1] == "ERROR: LookupError: no such account"
    assert sum("cannot charge" in text for text in found) == 1
    [handled] = [record for record in caplog.records if record.name == "holdfast.task.work"]
    assert (handled.levelname, handled.funcName, vars(handled)["attempt"]) == ("ERROR", "work", 1)


async def test_a_level_that_was_set_decides_what_the_logger_of_a_task_writes(catalog: Catalog) -> None:
    logger = logging.getLogger("holdfast.task")

    def work() -> None:
        task_context().logger.info("not asked for")
        task_context().logger.error("asked for")

    logger.setLevel(logging.ERROR)
    try:
        found = await lines_of(catalog, work)
    finally:
        logger.setLevel(logging.NOTSET)

    assert found == ["ERROR: asked for"]


# --- the streams


async def test_the_streams_are_what_they_were_in_all_but_writing(catalog: Catalog) -> None:
    below = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    before, sys.stdout = sys.stdout, below
    try:
        async with Environment(catalog=catalog):
            stream = sys.stdout
            assert stream is not below
            assert (stream.encoding, stream.isatty(), stream.buffer) == ("latin-1", False, below.buffer)
            with pytest.raises(io.UnsupportedOperation):
                stream.fileno()
            with pytest.raises(TypeError):
                stream.write(b"bytes")  # type: ignore[arg-type]
            assert stream.write("four") == 4
        assert sys.stdout is below
    finally:
        sys.stdout = before


async def test_two_nodes_hear_until_the_last_one_has_closed(tmp_path: Path) -> None:
    before = sys.stdout
    first, second = (Holdfast(f"sqlite:///{tmp_path}/{name}.db", catalog=Catalog()) for name in "ab")

    await first.open()
    heard = sys.stdout
    await second.open()
    await first.close()
    still = sys.stdout
    await second.close()

    assert heard is still is not before
    assert sys.stdout is before


async def test_a_stream_that_somebody_has_put_in_place_meanwhile_stays(catalog: Catalog) -> None:
    before = sys.stdout
    theirs = io.StringIO()
    try:
        async with Environment(catalog=catalog):
            kept = sys.stdout
            sys.stdout = theirs
        assert sys.stdout is theirs
        sys.stdout = kept  # they had kept ours, and put it back
        async with Environment(catalog=catalog):
            assert sys.stdout is not kept
        assert sys.stdout is before
    finally:
        sys.stdout = before


async def test_a_client_without_an_engine_and_a_node_that_is_told_not_to_hear_nothing(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, before = f"sqlite:///{tmp_path}/test.db", sys.stdout

    @task(catalog=catalog)
    async def work() -> None:
        print("hello")
        task_context().logger.info("to the log")

    monkeypatch.setenv("HOLDFAST_CAPTURE_OUTPUT", "false")
    async with Holdfast(url, catalog=catalog) as hf:
        assert sys.stdout is before
        run = await hf.start(call(catalog, work))
        await run.result()
        assert [line.text for line in await hf.logs(run)] == ["to the log"]
    monkeypatch.delenv("HOLDFAST_CAPTURE_OUTPUT")
    async with Holdfast(url, engine=False):
        assert sys.stdout is before
    with pytest.raises(BadOption, match="true or false"):
        Holdfast(url, capture_output="loud")


# --- workflows


async def test_what_workflow_code_prints_and_logs_is_there_once_and_in_order(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def work(number: int) -> int:
        print("working on", number)
        return number

    @workflow(catalog=catalog)
    async def talkative() -> str:
        print("began")
        await work(1)
        context().logger.info("went on with %d", 2)
        await context().signal("go")
        context().logger.debug("not asked for")
        print("no end", end="")
        await work(2)
        logging.getLogger("shop").warning("ends")
        return "done"

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(talkative, id="chatty")
        for _ in range(3):
            await env.wait_until_quiet()
            await env.crash()
        await run.signal("go")
        followed = [line async for line in env.follow(run)]
        found = await env.logs(run)
        of_task = await env.logs(run, "work")

        assert await run.result() == "done"
    assert brief(found) == [
        "None 0 stdout: began",
        "work 1 stdout: working on 1",
        "None 0 INFO: went on with 2",
        "None 0 stdout: no end",
        "work 1 stdout: working on 2",
        "None 0 WARNING: ends",
    ]
    assert followed == found
    assert {line.task for line in of_task} == {"work"}


@pytest.mark.parametrize("crash_after", [False, True])
@pytest.mark.parametrize("crash_at", [2, 3, 4])
async def test_a_crash_at_any_commit_neither_loses_a_line_nor_writes_one_twice(
    store_url: str, catalog: Catalog, crash_at: int, crash_after: bool
) -> None:
    @task(catalog=catalog)
    async def work() -> None: ...

    @workflow(catalog=catalog)
    async def talkative() -> None:
        for number in range(3):
            print("step", number)
            await work()

    async with Environment(store_url, catalog=catalog, crash_at=crash_at, crash_after=crash_after) as env:
        run = await env.start(talkative)
        await run.result()

        assert env.crashes == 1
        assert [line.text for line in await env.logs(run)] == ["step 0", "step 1", "step 2"]


async def test_lines_are_no_part_of_the_journal_so_they_may_be_edited(catalog: Catalog) -> None:
    words = ["before"]

    @workflow(catalog=catalog)
    async def waiting() -> None:
        for word in words:
            print(word)
        await context().signal("go")
        print("went on")

    async with Environment(catalog=catalog) as env:
        run = await env.start(waiting)
        await env.wait_until_quiet()
        words[:] = ["other", "words"]
        await env.crash()
        await run.signal("go")
        await run.result()

        assert [line.text for line in await env.logs(run)] == ["before", "went on"]


async def test_a_step_that_writes_too_much_is_cut_in_the_middle(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def chatterbox() -> None:
        for number in range(3000):
            print(f"{number:04} {'x' * 463}")

    async with Environment(catalog=catalog, log_limit=100_000) as env:
        run = await env.start(chatterbox)
        await run.result()
        found = [line.text for line in await env.logs(run)]

    numbers = [int(text[:4]) for text in found if not text.startswith("…")]
    assert numbers == [*range(200), *range(2936, 3000)]


async def test_lines_of_a_step_have_its_time(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def slow() -> list[str]:
        print("one")
        await asyncio.sleep(3600)
        context().logger.info("two")
        return [context().now().isoformat()]

    async with Environment(catalog=catalog) as env:
        run = await env.start(slow)
        [ended] = await run.result()
        one, two = await env.logs(run)

    assert two.at.isoformat() == ended
    assert dt.timedelta(hours=1) <= two.at - one.at < dt.timedelta(hours=2)


# --- in a process of its own


def test_a_script_hears_its_tasks_and_leaves_the_streams_as_they_were(tmp_path: Path) -> None:
    """Without the streams and handlers of pytest: `logging` prints warnings by itself."""
    (tmp_path / "talk.py").write_text(
        dedent(
            """
            import asyncio, logging, sys
            from holdfast import Holdfast, task, workflow

            @task
            def work() -> None:
                print("printed")
                logging.warning("logged")

            @workflow
            async def talk() -> None:
                print("begins")
                await work()

            async def main() -> None:
                before = sys.stdout
                async with Holdfast() as hf:
                    run = await hf.start(talk, id="talk")
                    await run.result()
                    for line in await hf.logs(run):
                        print(line.task, line.stream, line.text)
                assert sys.stdout is before

            asyncio.run(main())
            """
        )
    )

    done = subprocess.run(
        [sys.executable, "talk.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "begins",
        "printed",
        "None stdout begins",
        "work stdout printed",
        "work WARNING logged",
    ]
    assert done.stderr == "WARNING:root:logged\n"
