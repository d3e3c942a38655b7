"""Steps: functions of workflow code that run as tasks of their run, and what of them is recorded."""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest

from holdfast import Catalog, Retry, TaskError, context, task, task_context, workflow
from holdfast.authoring.catalog import Definitions
from holdfast.authoring.kinds import Kinds
from holdfast.core.codec import Codec
from holdfast.core.commands import RecordTask
from holdfast.core.history import restore
from holdfast.core.journal import write_step
from holdfast.core.pieces import finish
from holdfast.core.records import History, TaskRecord, new_run
from holdfast.core.values import Instant, Payload, RunKey, Succeeded, TaskStatus
from holdfast.errors import BadOption, CannotStore, DeterminismError, OutsideContext, WrongType
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

SECOND = dt.timedelta(seconds=1)


class Answer(msgspec.Struct):
    text: str
    words: int


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


# --- what a step may be, and what comes out


class Doubler:
    async def __call__(self) -> int:
        return await self.later(2)

    async def later(self, number: int) -> int:
        await asyncio.sleep(0)
        return 2 * number


def describe(what: str, *, loud: bool = False) -> Answer:
    return Answer(what.upper() if loud else what, len(what.split()))


async def test_functions_of_every_kind_survive_a_crash_at_every_commit(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def every_kind(question: str) -> list[Any]:
        ctx = context()

        async def ask() -> Answer:
            await asyncio.sleep(0)
            return Answer(f"{question}!", 3)

        first = await ctx.step("ask", ask)
        assert isinstance(first, Answer)  # as the annotation says, live and replayed
        second = await ctx.step("ask", partial(describe, first.text, loud=True))
        assert isinstance(second, Answer)
        plain = await ctx.step("no annotation", lambda: Answer("plain", 1))
        doubler = Doubler()
        numbers = [
            await ctx.step("async object", doubler),
            await ctx.step("partial of an async method", partial(doubler.later, 4)),
            await ctx.step("partial of an async object", partial(doubler)),
            await ctx.step("lambda of an async method", lambda: doubler.later(8)),
            await ctx.step("with defaults", lambda number=5: number),
            await ctx.step("a class", int),
        ]
        return [second.text, plain, numbers, await ctx.step("nothing", lambda: None)]

    result = await assert_durable(every_kind, "who", new_database=new_database, catalog=catalog)

    assert result == ["WHO!", {"text": "plain", "words": 1}, [4, 8, 4, 16, 5, 0], None]


async def test_async_steps_run_on_the_nodes_event_loop_and_plain_ones_on_threads(catalog: Catalog) -> None:
    found: dict[str, Any] = {}

    @workflow(catalog=catalog)
    async def where() -> None:
        async def on_the_loop() -> None:
            found["loop"] = asyncio.get_running_loop()
            found["thread"] = threading.current_thread()

        def on_a_thread() -> None:
            found["other"] = threading.current_thread()

        await context().step("async", on_the_loop)
        await context().step("plain", on_a_thread)

    async with Environment(catalog=catalog) as env:
        await env.run(where)

    assert found["loop"] is asyncio.get_running_loop()
    assert found["thread"] is threading.current_thread()
    assert found["other"] is not threading.current_thread()


async def test_a_step_talks_to_a_server_with_ordinary_asyncio(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        writer.close()

    @workflow(catalog=catalog)
    async def talks(port: int) -> str:
        async def ask() -> str:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"hello\n")
            answer, shout = await asyncio.gather(reader.read(), asyncio.to_thread(str.upper, "loud"))
            writer.close()
            return f"{answer.decode().strip()} {shout}"

        return await context().step("ask", ask)

    server = await asyncio.start_server(reply, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await assert_durable(talks, port, new_database=new_database, catalog=catalog) == "HELLO LOUD"


async def test_steps_that_are_gathered_run_at_once(store_url: str, catalog: Catalog) -> None:
    barrier = asyncio.Barrier(3)
    with_threads = threading.Barrier(3)

    @workflow(catalog=catalog)
    async def together() -> list[int]:
        async def meet(number: int) -> int:
            await barrier.wait()
            return number

        def meet_on_threads(number: int) -> int:
            with_threads.wait(timeout=30)
            return number

        step = context().step
        return await asyncio.gather(
            *[step("meet", partial(meet, number)) for number in range(3)],
            *[step("meet", lambda number=number: meet_on_threads(number)) for number in range(3)],
        )

    async with Environment(store_url, catalog=catalog) as env:
        assert await env.run(together) == [0, 1, 2, 0, 1, 2]


# --- what is recorded


async def test_a_recorded_step_is_not_called_again_and_gives_what_it_gave(
    store_url: str, catalog: Catalog
) -> None:
    calls: Counter[str] = Counter()

    @workflow(catalog=catalog)
    async def once() -> list[int]:
        def count(name: str) -> int:
            calls[name] += 1
            return calls[name]

        first = await context().step("count", lambda: count("first"))
        await context().signal("go")
        return [first, await context().step("count", lambda: count("second"))]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(once)
        await env.wait_until_quiet()
        await env.crash()
        await env.crash()
        await run.signal("go")

        assert await run.result() == [1, 1]
        assert [(row.name, row.input) for row in await env.list_tasks(run)] == [("count", b"{}")] * 2
    assert calls == {"first": 1, "second": 1}


async def test_a_step_is_not_called_before_its_request_is_recorded(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    """If the commit with the request is lost, nothing may have been done."""
    calls: list[int] = []

    @workflow(catalog=catalog)
    async def once() -> int:
        await context().signal("go")
        return await context().step("once", lambda: calls.append(1) or 7)

    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(once)
        await env.wait_until_quiet()
        env.crash_points._at = env.crash_points.commits + 1  # pyright: ignore[reportPrivateUsage]
        await run.signal("go")

        assert await run.result() == 7
        assert env.crashes == 1
    assert calls == [1]


async def test_errors_of_steps_are_raised_as_those_of_tasks(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def fails() -> list[Any]:
        async def refuse() -> None:
            raise LookupError("no such page")

        try:
            await context().step("refuse", refuse)
        except LookupError as error:
            return [str(error), isinstance(error, TaskError)]
        return []

    assert await assert_durable(fails, new_database=new_database, catalog=catalog) == ["no such page", True]


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_result_that_cannot_be_stored_fails_the_step_by_name(
    is_async: bool, catalog: Catalog
) -> None:
    def lock() -> Any:
        return {"lock": threading.Lock()}

    async def lock_later() -> Any:
        return lock()

    def wrong() -> int:
        return "no number"  # pyright: ignore[reportReturnType]

    @workflow(catalog=catalog)
    async def unstorable() -> None:
        await context().step("locks", lock_later if is_async else lock)

    @workflow(catalog=catalog)
    async def mistyped() -> None:
        await context().step("types", wrong)

    async with Environment(catalog=catalog) as env:
        with pytest.raises(CannotStore, match=r"the result of step 'locks' cannot be stored: .*lock"):
            await env.run(unstorable)
        with pytest.raises(WrongType, match="the result of step 'types'"):
            await env.run(mistyped)


async def test_options_are_recorded_with_the_step(store_url: str, catalog: Catalog) -> None:
    """After an edit of the options, a step under way goes on with those that it began with."""
    attempts: list[int] = []
    allowed = [3]

    @workflow(catalog=catalog)
    async def flaky() -> int:
        def fail() -> int:
            attempts.append(task_context().attempt)
            if len(attempts) < 3:
                raise ConnectionError
            return len(attempts)

        retry = Retry(max_attempts=allowed[0], first_delay=60 * SECOND)
        return await context().step("flaky", fail, retry=retry)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flaky)
        await env.wait_until_quiet()
        assert attempts == [1]
        await env.crash()
        allowed[0] = 1

        assert await run.result() == 3
    assert attempts == [1, 2, 3]


# --- what is refused


class Unready:
    def __await__(self) -> Any:
        yield


async def one_by_one() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (5, "expected a function without arguments, got 5"),
        (lambda it: it, "without arguments"),
        (describe, "without arguments"),
        (partial(describe, loud=True), "without arguments"),
        (one_by_one, "a generator gives many"),
        (Unready(), "pass the function itself, not what it returns"),
    ],
)
async def test_what_cannot_be_a_step_is_refused_where_it_is_given(
    function: Any, reason: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def mistaken() -> None:
        await context().step("odd", function)

    async with Environment(catalog=catalog) as env:
        with pytest.raises(WrongType, match="step 'odd'") as refused:
            await env.run(mistaken)
        assert reason in str(refused.value)


async def test_the_limits_of_a_step_hold_for_the_awaitable_that_it_returns(catalog: Catalog) -> None:
    async def hang(seconds: int) -> None:
        await asyncio.sleep(seconds)

    async def beat(times: int) -> int:
        for number in range(times):
            task_context().heartbeat(number)
            await asyncio.sleep(0.5)
        return times

    @workflow(catalog=catalog)
    async def limited() -> list[Any]:
        step = context().step
        told: list[Any] = []
        for timeout, heartbeat in ((SECOND / 4, None), (None, SECOND)):
            try:
                await step("hang", lambda: hang(1_000_000), timeout=timeout, heartbeat=heartbeat)
            except TimeoutError as error:
                told.append(type(error).__name__)
        given_up = step("hang", lambda: hang(1_000_000))
        await asyncio.sleep(1)
        given_up.cancel()
        return [*told, await step("beat", lambda: beat(8), heartbeat=3 * SECOND)]

    async with Environment(catalog=catalog) as env:
        assert await env.run(limited) == ["TaskTimedOut", "TaskTimedOut", 8]


async def test_a_hint_that_cannot_be_resolved_is_refused_by_name(catalog: Catalog) -> None:
    def odd() -> Unknown:  # noqa: F821  # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]
        return 1

    @workflow(catalog=catalog)
    async def mistaken() -> None:
        await context().step("odd", odd)

    async with Environment(catalog=catalog) as env:
        with pytest.raises(WrongType, match=r"step 'odd'.*'Unknown' of the result cannot be resolved"):
            await env.run(mistaken)


@pytest.mark.parametrize("name", ["", "x" * 201, "a\x00b", 5])
async def test_a_name_has_1_to_200_characters(name: Any, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def naming() -> str:
        await context().step("x" * 200, int)
        try:
            await context().step(name, int)
        except BadOption as error:
            return str(error)
        return "not refused"

    async with Environment(catalog=catalog) as env:
        assert "the name of a step is" in await env.run(naming)


@pytest.mark.parametrize("option", ["service", "is_step", "colour"])
async def test_options_that_are_not_for_users_are_refused(option: str, catalog: Catalog) -> None:
    options: Any = {option: True}

    @workflow(catalog=catalog)
    async def mistaken() -> None:
        await context().step("odd", int, **options)

    with pytest.raises(BadOption, match=option):
        task(catalog=catalog, **options)
    async with Environment(catalog=catalog) as env:
        with pytest.raises(BadOption, match=option):
            await env.run(mistaken)


@pytest.mark.parametrize("is_async", [True, False])
async def test_the_context_of_the_workflow_is_refused_inside_a_step(is_async: bool, catalog: Catalog) -> None:
    """Else a step would take numbers, or change the state, unseen by replay."""

    @workflow(catalog=catalog)
    async def sneaking() -> list[Any]:
        ctx, state = context(), context().state
        uses: list[Callable[[], Any]] = [
            context,
            lambda: ctx.random,
            ctx.uuid4,
            ctx.now,
            lambda: ctx.state,
            lambda: state.set("key", 1),
            lambda: state.get("key"),
            lambda: ctx.step("inner", int),
            lambda: ctx.promise("it"),
            lambda: ctx.signal("it"),
            lambda: ctx.has_signal("it"),
            lambda: ctx.schedule("it"),
            lambda: ctx.start_child("sneaking"),
            lambda: ctx.patched("it"),
        ]

        def use_all() -> list[str]:
            allowed = [ctx.run_id, ctx.workflow, ctx.namespace, ctx.version, ctx.input, ctx.cancel_requested]
            assert len(allowed) == 6
            ctx.logger.info("in a step")
            return [_refusal(use) for use in uses]

        async def use_all_later() -> list[str]:
            return use_all()

        refusals = await ctx.step("use", use_all_later if is_async else use_all)
        return [len(uses), *set(refusals)]

    async with Environment(catalog=catalog) as env:
        count, *refusals = await env.run(sneaking)

    assert count == 14
    assert sorted(refusals) == [
        "context() works only inside a workflow; in a task, use task_context()",
        "the context of a workflow works only in the workflow's own code, not in a step, a task or another "
        "thread: pass values into the step, and return a result from it",
    ]


def _refusal(use: Callable[[], Any]) -> str:
    try:
        use()
    except OutsideContext as error:
        return str(error)
    return f"not refused: {inspect.getsource(use)}"


# --- `run`, and runs from before there were steps


async def test_run_is_a_step_with_arguments_that_gives_plain_values(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def older() -> list[Any]:
        ctx = context()
        later = await ctx.run("later", Doubler().later, 4)
        return [await ctx.run("describe", describe, "one two", loud=True), later]

    result = await assert_durable(older, new_database=new_database, catalog=catalog)

    assert result == [{"text": "ONE TWO", "words": 2}, 8]


@pytest.mark.parametrize("name", ["dice", "coin"])
def test_a_side_effect_that_was_done_in_place_is_replayed_as_it_was_recorded(
    name: str, catalog: Catalog
) -> None:
    calls: list[int] = []

    @workflow(catalog=catalog)
    async def older() -> int:
        number = await context().run("dice", calls.append, 1)
        await context().signal("go")
        return number

    definitions = Definitions(catalog, Codec(), Kinds())
    run = new_run(
        RunKey(bytes(16)),
        "default",
        "older",
        "older",
        "auto-1",
        "older",
        Payload(b"{}"),
        Instant(0),
        owner="node",
    )
    outcome = Succeeded(Payload(b"6"))
    steps = [write_step(Instant(0), [], [RecordTask(0, name, outcome)])]
    row = TaskRecord(
        run.key, 0, name, TaskStatus.SUCCESS, 1, 0, 0, Payload(b"{}"), outcome.payload,
        None, None, None, Instant(0), None, None,
    )  # fmt: skip
    past = restore(History(run, steps, [row], [], []))
    past.steps[0] = msgspec.structs.replace(past.steps[0], is_exact=False)

    if name == "dice":
        finish(definitions.replay(run, past, 1)).dispose()
    else:
        with pytest.raises(DeterminismError, match=r"side effect 'coin'.*side effect 'dice'"):
            finish(definitions.replay(run, past, 1))
    assert calls == []
