"""Tasks as their callers see them: what goes in, what comes out, and what is raised."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from functools import partial
from typing import Any

import msgspec
import pytest

from holdfast import (
    Catalog,
    Refused,
    Retry,
    Task,
    TaskError,
    TaskStatus,
    Workflow,
    context,
    task,
    task_context,
    workflow,
)
from holdfast.errors import BadDefinition, BadOption, CannotStore, OutsideContext, PayloadTooLarge, WrongType
from holdfast.testing import Environment, assert_durable

catalog = Catalog()


class Order(msgspec.Struct):
    id: str
    items: list[Any]


class PaymentDeclined(Exception):
    def __init__(self, card: str, cents: int) -> None:
        super().__init__(f"card {card} declined {cents}")
        self.card = card
        self.cents = cents


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@task(catalog=catalog, name="plain-add", priority=3)
def add(a: int, b: int = 2) -> list[Any]:
    return [a + b, threading.current_thread() is threading.main_thread()]


@task(catalog=catalog)
async def charge(order: Order) -> str:
    try:
        raise LookupError("no such card")
    except LookupError as problem:
        raise PaymentDeclined(order.id, 5) from problem


async def run(code: Workflow[..., Any], *args: Any, **settings: Any) -> Any:
    async with Environment(catalog=catalog, **settings) as env:
        return await env.run(code, *args)


# --- outside a workflow


async def test_outside_a_workflow_a_task_is_the_plain_function() -> None:
    assert await echo(1) == 1
    assert await echo.options(timeout=dt.timedelta(seconds=1))(2) == 2
    assert add(1) == [3, True]
    assert add.options(priority=1)(1, b=1) == [2, True]
    assert (add.name, add.__name__) == ("plain-add", "add")


async def test_a_task_that_calls_a_task_calls_the_plain_function() -> None:
    @task(catalog=catalog)
    async def outer() -> Any:
        return [await echo(1), task_context().name]

    @workflow(catalog=catalog)
    async def nesting() -> Any:
        return await outer()

    assert await run(nesting) == [1, "outer"]


def test_there_is_no_task_context_outside_a_task() -> None:
    with pytest.raises(OutsideContext, match="only while a task runs"):
        task_context()


# --- inside one


async def test_async_tasks_and_plain_ones_work_alike_and_plain_ones_run_on_threads() -> None:
    @workflow(catalog=catalog)
    async def both() -> Any:
        return await asyncio.gather(echo("async"), add(1), add(a=1, b=5), add.options(priority=9)(2))

    result = await assert_durable(both, catalog=catalog)

    assert result == ["async", [3, False], [6, False], [4, False]]


async def test_calling_a_task_schedules_it_at_once_whether_or_not_it_is_awaited() -> None:
    @workflow(catalog=catalog)
    async def eager() -> Any:
        handles = [echo(n) for n in range(3)]
        await asyncio.sleep(60)
        return [handle.done() for handle in handles]

    assert await run(eager) == [True, True, True]


async def test_a_task_has_an_id_that_is_its_idempotency_key_in_every_attempt(store_url: str) -> None:
    seen: list[tuple[int, str, str]] = []

    @task(catalog=catalog, retry=Retry(max_attempts=3))
    async def flaky() -> None:
        here = task_context()
        seen.append((here.attempt, here.idempotency_key, here.run_id))
        assert here.task_id == here.idempotency_key
        if here.attempt < 3:
            raise ValueError("not yet")

    @workflow(catalog=catalog)
    async def keyed() -> list[str]:
        first, second = flaky(), flaky()
        ids = [first.id, second.id]
        await asyncio.gather(first, second)
        await context().signal("go")
        return ids

    async with Environment(store_url, catalog=catalog) as env:
        started = await env.start(keyed, id="keyed")
        await env.skip(dt.timedelta(minutes=1))
        await env.crash()
        await started.signal("go")
        first, second = await started.result()

    assert first != second
    assert sorted(seen) == sorted((n, key, "keyed") for n in (1, 2, 3) for key in (first, second))


# --- failures keep their type


async def test_a_failing_task_raises_its_own_class_and_task_error() -> None:
    @workflow(catalog=catalog)
    async def paying() -> Any:
        handle = charge(Order("o1", []))
        try:
            await handle
        except PaymentDeclined as error:
            cause = error.__cause__
            await asyncio.sleep(1)
            return [
                [error.card, error.cents, str(error)],
                _facts(error, handle.id),
                [type(cause).__name__, isinstance(cause, LookupError), str(cause)],
            ]
        return []

    assert await assert_durable(paying, catalog=catalog) == [
        ["o1", 5, "card o1 declined 5"],
        ["card o1 declined 5", "PaymentDeclined", True, True],
        ["LookupError", True, "no such card"],
    ]


def _facts(error: Exception, task_id: str) -> list[Any]:
    if not isinstance(error, TaskError):
        return []
    told_where = "raise PaymentDeclined(order.id, 5)" in error.traceback_text
    return [error.message, error.type_name.rpartition(":")[2], error.task_id == task_id, told_where]


async def test_a_failure_that_nobody_catches_fails_the_run_with_the_same_class() -> None:
    @workflow(catalog=catalog)
    async def careless() -> str:
        return await charge(Order("o2", []))

    with pytest.raises(PaymentDeclined, match="card o2 declined 5") as raised:
        await assert_durable(careless, catalog=catalog)
    assert raised.value.card == "o2"


async def test_a_task_of_an_unknown_name_fails_and_says_so() -> None:
    @workflow(catalog=catalog)
    async def mistaken() -> str:
        try:
            await context().schedule("chrage", order=1)
        except TaskError as error:
            return str(error)
        return "no error"

    assert "no task 'chrage' is registered here; known are" in await run(mistaken)


async def test_a_task_of_an_unknown_name_takes_arguments_by_keyword_only() -> None:
    @workflow(catalog=catalog)
    async def mistaken() -> str:
        try:
            await context().schedule("chrage", 1)
        except WrongType as error:
            return str(error)
        return "no error"

    assert "arguments must be passed by keyword" in await run(mistaken)


# --- what cannot be stored


async def test_an_argument_that_cannot_be_stored_is_refused_where_it_is_passed_with_its_path() -> None:
    @workflow(catalog=catalog)
    async def careless() -> Any:
        try:
            await charge(Order("o3", [1, {"when": object()}]))
        except CannotStore as error:
            path = error.path
        else:
            path = "no error"
        return [path, await echo("goes on")]

    async with Environment(catalog=catalog) as env:
        started = await env.start(careless)

        assert await started.result() == ["order.items[1]['when']", "goes on"]
        assert [each.name for each in await env.list_tasks(started)] == ["echo"]


async def test_an_argument_of_the_wrong_type_or_number_is_refused_where_it_is_passed() -> None:
    @workflow(catalog=catalog)
    async def careless() -> list[str]:
        reasons: list[str] = []
        for arguments in (("one",), (1, 2, 3), ()):
            try:
                await add(*arguments)  # pyright: ignore[reportArgumentType, reportCallIssue]
            except WrongType as error:
                reasons.append(str(error))
        return reasons

    wrong_type, too_many, too_few = await run(careless)

    assert wrong_type == "the arguments of task 'plain-add': a: expected int, got str"
    assert too_many.endswith("add() takes 2 positional arguments but 3 were given")
    assert too_few.endswith("add() missing a required argument: 'a'")


@pytest.mark.parametrize(
    ("value", "kind", "reason"),
    [
        (object(), "CannotStore", "it is of type object"),
        ({"a": [float("nan")]}, "CannotStore", "['a'][0] is nan"),
        ("x" * 1000, "PayloadTooLarge", "over the limit of 500"),
    ],
)
async def test_a_result_that_cannot_be_stored_fails_the_task(value: Any, kind: str, reason: str) -> None:
    @task(catalog=catalog)
    async def give() -> Any:
        return value

    @workflow(catalog=catalog)
    async def taking() -> None:
        await give()

    async with Environment(catalog=catalog, max_payload_bytes=500) as env:
        started = await env.start(taking)
        with pytest.raises(Refused, match="the result of task 'give'") as raised:
            await started.result()

        [row] = await env.list_tasks(started)
        assert row.status is TaskStatus.FAILED
        assert row.failure is not None
        assert row.failure.type == f"holdfast.errors:{kind}"
        assert reason in str(raised.value)


async def test_a_result_that_does_not_fit_its_hint_fails_the_task() -> None:
    @task(catalog=catalog)
    def count() -> int:
        return "many"  # pyright: ignore[reportReturnType]

    @workflow(catalog=catalog)
    async def taking() -> None:
        await count()

    with pytest.raises(WrongType, match="the result of task 'count': expected int, got str"):
        await run(taking)


async def test_an_argument_over_the_limit_is_refused_with_the_limit_named() -> None:
    @workflow(catalog=catalog)
    async def greedy() -> str:
        try:
            await echo("x" * 1000)
        except PayloadTooLarge as error:
            return str(error)
        return "no error"

    message = await run(greedy, max_payload_bytes=500)

    assert "over the limit of 500" in message
    assert "raise the setting max_payload_bytes" in message


# --- defining


def test_what_cannot_be_a_task_is_refused_when_it_is_defined() -> None:
    def generate() -> Any:
        yield 1

    async def generate_async() -> Any:
        yield 1

    for bad in (generate, generate_async, Order, 5, partial(Order, "x")):
        with pytest.raises(BadDefinition):
            task(catalog=Catalog())(bad)  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_one_name_is_one_task() -> None:
    mine = Catalog()
    task(catalog=mine, name="save")(_save)
    task(catalog=mine, name="save")(_save)

    with pytest.raises(BadDefinition, match=r"the name belongs to .*_save; give .*_store another"):
        task(catalog=mine, name="save")(_store)


def _save() -> None: ...


def _store() -> None: ...


@pytest.mark.parametrize(
    "options",
    [
        {"retry": 5},
        {"timeout": 30},
        {"timeout": dt.timedelta(0)},
        {"start_timeout": dt.timedelta(seconds=-1)},
        {"heartbeat": dt.timedelta(0)},
        {"queue": ""},
        {"queue": "a\x00b"},
        {"priority": "high"},
        {"priority": 2**70},
        {"colour": "red"},
        {"name": "other"},
    ],
)
def test_options_outside_what_they_may_be_are_refused_in_the_decorator_and_at_the_call(
    options: dict[str, Any],
) -> None:
    with pytest.raises(BadOption):
        echo.options(**options)
    if "name" not in options:
        with pytest.raises(BadOption):
            task(catalog=Catalog(), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"max_attempts": 0},
        {"max_attempts": "3"},
        {"first_delay": 1},
        {"first_delay": dt.timedelta(-1)},
        {"factor": 0.5},
        {"jitter": 2},
    ],
)
def test_a_retry_outside_what_it_may_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match=rf"Retry\.{next(iter(options))}"):
        Retry(**options)


def test_a_task_says_what_it_is() -> None:
    assert isinstance(add, Task)
    assert repr(add) == "<task 'plain-add'>"


async def test_an_option_is_not_taken_for_an_argument_of_a_task() -> None:
    catalog = Catalog()

    @task(catalog=catalog)
    async def plain(number: int) -> int:
        return number

    @task(catalog=catalog)
    async def patient(timeout: float) -> float:
        return timeout

    @task(catalog=catalog)
    async def open_minded(**options: int) -> int:
        return options["priority"]

    @workflow(catalog=catalog)
    async def asking(what: str) -> Any:
        match what:
            case "by name":
                return await context().schedule("plain", number=1, timeout=dt.timedelta(seconds=1))
            case "the task":
                return await context().schedule(plain, 1, queue="gpu")
            case "unknown":
                return await context().schedule("elsewhere", number=1, retry=2)
            case _:
                return [await context().schedule("patient", timeout=2.5), await open_minded(priority=3)]

    async with Environment(catalog=catalog) as env:
        for what, name, option in (
            ("by name", "plain", "timeout"),
            ("the task", "plain", "queue"),
            ("unknown", "elsewhere", "retry"),
        ):
            with pytest.raises(WrongType, match=rf"{name}\.options\({option}=\.\.\.\)"):
                await env.run(asking, what)
        assert await env.run(asking, "parameters of that name") == [2.5, 3]


def test_a_method_is_no_task_and_no_workflow() -> None:
    catalog = Catalog()

    with pytest.raises(BadDefinition, match=r"method of .*Shop'.*nobody passes `self`.*@staticmethod"):

        class Shop:
            @task(catalog=catalog)
            async def charge(self, cents: int) -> int:
                return cents

    with pytest.raises(BadDefinition, match="nobody passes `cls`"):

        class Bank:
            @classmethod
            @task(catalog=catalog)
            def charge(cls, cents: int) -> int:
                return cents

    with pytest.raises(BadDefinition, match="nobody passes `self`"):

        class Office:
            @workflow(catalog=catalog)
            async def buy(self) -> None: ...


async def test_functions_that_only_look_like_methods_are_tasks() -> None:
    catalog = Catalog()

    class Shop:
        def __init__(self, factor: int) -> None:
            self.factor = factor

        @staticmethod
        @task(catalog=catalog)
        async def double(cents: int) -> int:
            return 2 * cents

        async def times(self, cents: int) -> int:
            return self.factor * cents

    @task(catalog=catalog)
    async def first_is_self(self: int) -> int:
        return self

    bound = task(catalog=catalog, name="times")(Shop(3).times)

    @workflow(catalog=catalog)
    async def buy() -> list[int]:
        return [await Shop.double(1), await bound(1), await first_is_self(1)]

    async with Environment(catalog=catalog) as env:
        assert await env.run(buy) == [2, 3, 1]
