"""The workflows whose journals are kept for ever. FROZEN: a change here breaks what was recorded with it.

Between them they ask for everything a program can ask for, and hear everything it can hear. What a later
version can do that this one cannot goes into a file of its own, beside this one.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from holdfast import Catalog, Context, Retry, RunFailed, TaskError, context, task, task_context, workflow
from holdfast.errors import RunExists

catalog = Catalog()

DAY = 86_400


class World:
    """What is different when a recording goes on: the outside has changed in between."""

    is_open = False
    """Whether tasks that wait for the outside may finish."""
    is_mistaken = False
    """Whether the code of `mistaken` asks for something else than it did."""


class Declined(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"declined with code {code}")
        self.code = code


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Order:
    """One field of each type that has a stored form of its own."""

    id: uuid.UUID
    price: Decimal
    placed: dt.datetime
    patience: dt.timedelta
    colour: Colour
    label: bytes
    tags: set[str]
    lines: list[tuple[str, int]]
    note: str | None = None


ORDER = Order(
    id=uuid.UUID(int=42),
    price=Decimal("19.90"),
    placed=dt.datetime(2030, 1, 1, 12, 30, tzinfo=dt.UTC),
    patience=dt.timedelta(hours=36),
    colour=Colour.RED,
    label=b"\x00\xff",
    tags={"tea"},
    lines=[("tea", 2), ("pot \u2615", 1)],
)


# --- tasks


@task(catalog=catalog)
async def add(left: int, right: int) -> int:
    return left + right


@task(catalog=catalog)
def add_on_a_thread(left: int, right: int) -> int:
    return left + right


@task(catalog=catalog, retry=Retry(max_attempts=5, first_delay=dt.timedelta(seconds=10), jitter=0))
async def third_time_lucky(value: str) -> str:
    if task_context().attempt < 3:
        raise ConnectionError(f"attempt {task_context().attempt}")
    return value


@task(catalog=catalog)
async def decline(code: int) -> None:
    try:
        raise LookupError("no such account")
    except LookupError as error:
        raise Declined(code) from error


@task(catalog=catalog)
async def second_time_lucky(value: str) -> str:
    if task_context().attempt == 1:
        raise Declined(1)
    return value


@task(
    catalog=catalog, timeout=dt.timedelta(days=3), heartbeat=dt.timedelta(days=2), queue="narrow", priority=3
)
async def hold(value: str) -> str:
    """Waits until the world is open, which it never is while a recording is made."""
    task_context().heartbeat({"got": value})
    while not World.is_open:  # noqa: ASYNC110  # an Event belongs to one loop, and this is used on many
        await asyncio.sleep(0.001)
    return value


@task(catalog=catalog)
async def echo(order: Order) -> Order:
    return order


# --- workflows that need nothing from outside


@workflow(catalog=catalog)
async def steps(first: int, second: int) -> dict[str, Any]:
    """Tasks in a row and at once, on a thread, retried; side effects, state, a patch, time and chance."""
    state = context().state
    total = await add(first, second)
    state.set("total", total)
    several = await asyncio.gather(*[add(total, number) for number in range(3)])
    on_a_thread = await add_on_a_thread(total, 1)
    lucky = await third_time_lucky("lucky")
    effect = await context().run("effect", lambda: {"read": "once"})
    failed_effect = ""
    try:
        await context().run("failing effect", int, "no number")
    except ValueError as error:
        failed_effect = str(error)
    state.set("gone", True)
    is_patched = context().patched("steps-v2")
    await asyncio.sleep(5)
    state.delete("gone")
    return {
        "total": total,
        "several": several,
        "thread": on_a_thread,
        "lucky": lucky,
        "effect": effect,
        "failed effect": failed_effect,
        "patched": is_patched,
        "now": context().now(),
        "random": context().random.random(),
        "uuid": str(context().uuid4()),
    }


@workflow(catalog=catalog)
async def racing() -> list[str]:
    """Losers are cancelled: a task, a timer, a child; and a timeout wins against a task."""
    said: list[str] = []
    held = hold.options(queue="default")("never heard")
    sleep = asyncio.ensure_future(asyncio.sleep(3))
    done, _ = await asyncio.wait([held, sleep], return_when="FIRST_COMPLETED")
    said.append(f"{len(done)} was first")
    held.cancel()
    try:
        await asyncio.wait_for(hold.options(queue="default")("too late"), 7)
    except TimeoutError:
        said.append("timed out")
    async with asyncio.timeout(60):
        said.append(str(await add(1, 1)))
    child = listening.options(id=f"{context().run_id}-loser")("loser")
    await asyncio.sleep(1)
    child.cancel()
    return said


@workflow(catalog=catalog)
async def failing() -> None:
    try:
        await decline(7)
    except Declined as error:
        raise RuntimeError(f"cannot go on: {error.code}") from error


@workflow(catalog=catalog, name="of_a_class", version="7")
class OfAClass:
    """A class, with an explicit version and the context as its first argument."""

    async def run(self, context: Context, order: Order) -> Order:
        self.seen = await echo(order)
        if self.seen != ORDER:
            raise ValueError("it was stored as something else")
        await context.signal("go")
        return self.seen


# --- workflows that wait for the outside


@workflow(catalog=catalog)
async def listening(name: str) -> list[Any]:
    """Messages that are read one by one, all at once, not at all, and after a time that has run out."""
    context().state.set("listening", name)
    first = await context().signal("go")
    try:
        await context().signal("never", timeout=dt.timedelta(seconds=30))
    except TimeoutError:
        pass
    left = context().drain_signals("go")
    return [name, first, left, await add(len(left), 100)]


@workflow(catalog=catalog)
async def sleeping(days: int) -> str:
    began = context().now()
    await add(1, 2)
    await asyncio.sleep(days * DAY)
    await add(3, 4)
    return str(context().now() - began)


@workflow(catalog=catalog)
async def continuing(greeted: list[str]) -> list[str]:
    """A chapter that a signal ends, one that waits, and updates in both."""
    greetings = list(greeted)

    async def greet(name: str) -> str:
        greetings.append(f"{name} in chapter {context().chapter}")
        return f"{await add(1, 2)} for {name}"

    context().on_update("greet", greet)
    if context().chapter == 1:
        await context().signal("go")
        context().state.set("greeted", len(greetings))
        context().continue_as(greetings)
    await context().signal("end", timeout=dt.timedelta(days=1))
    return [*greetings, str(context().state.get("greeted", int))]


@workflow(catalog=catalog)
async def approving() -> list[str]:
    said = [str(await context().promise("approval", str))]
    try:
        await context().promise("payment")
    except TaskError as error:
        said.append(f"{type(error).__name__}: {error}")
    return said


@workflow(catalog=catalog)
async def family(name: str) -> list[Any]:
    """Children that end, that fail, that are detached, that have no id, and one whose id is another's."""
    said: list[Any] = []
    child = listening.options(id=f"{name}-child")("child")
    listening.options(id=f"{name}-detached", detached=True)("detached")
    try:
        await steps.options(id="taken")(1, 1)
    except RunExists:
        said.append("taken")
    try:
        await failing.options(id=f"{name}-failing")()
    except RunFailed as error:
        said.append(f"{type(error).__name__}: {error}")
    said.append(await context().start_child("steps", first=1, second=2))
    said.append(await child)
    return said


@workflow(catalog=catalog)
async def cleaning_up() -> None:
    """Cancelled, it takes its time to clean up."""
    try:
        await context().promise("never")
    finally:
        await add(5, 5)
        await context().signal("clean")


@workflow(catalog=catalog)
async def reopened() -> list[Any]:
    """Fails at its second step the first time; opened again, it goes on from there."""
    context().state.set("step", 1)
    first = await add(1, 1)
    second = await second_time_lucky("second")
    context().state.set("step", 2)
    return [first, second, await context().signal("go"), await add(2, 2)]


@workflow(catalog=catalog)
async def mistaken() -> list[int]:
    """Parked, because for a while its code asks for another task than it did."""
    first = await (add_on_a_thread if World.is_mistaken else add)(1, 1)
    await context().signal("go")
    return [first, await add(first, 1)]


@workflow(catalog=catalog)
async def holding(number: int) -> list[str]:
    """Tasks that are under way: one running, one that waits for its slot, one that waits to be retried."""
    tasks = [hold(f"held {number}"), hold(f"next {number}"), third_time_lucky("lucky")]
    return list(await asyncio.gather(*tasks))
