"""Code that is edited under a run: the run goes on and is right, or it is parked with the difference.

Nothing in between is allowed: no result of another call, no timer that is never set, no false deadlock.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, RunInfo, RunStatus, context, task, workflow
from holdfast.testing import Environment

Code = Callable[[], Coroutine[Any, Any, Any]]

DAY = dt.timedelta(days=1)


def deployment(changing: Code) -> Catalog:
    """What one deployment of a program has: the same tasks and child, and `changing` as it is then."""
    catalog = Catalog()

    def add(name: str) -> None:
        async def work(value: Any = None) -> list[Any]:
            return [name, value]

        task(catalog=catalog, name=name)(work)

    for name in ("charge", "bill", "mail"):
        add(name)

    @workflow(catalog=catalog)
    async def child(value: int = 0) -> int:
        return value

    workflow(catalog=catalog, name="changing")(changing)
    return catalog


def do(name: str, *args: Any) -> Any:
    return context().schedule(name, *args)


def start(id: str | None = None) -> Any:
    return context().start_child("child", 7, id=id)


def go() -> Any:
    return context().signal("go")


async def after_the_edit(url: str, before: Code, after: Code) -> RunInfo:
    """The run a day later. It was begun by the old code, and waits when the new code takes it up."""
    async with Environment(url, catalog=deployment(before)) as env:
        await env.start("changing", id="changing")
        await env.wait_until_quiet()
    async with Environment(url, catalog=deployment(after)) as env, asyncio.timeout(PATIENCE):
        run = await env.get("changing")
        await run.signal("go")
        await env.wait_until_quiet()
        await env.skip(DAY)
        assert await env.doctor() == []
        return await run.describe()


# --- edits that do not fit


class Edit:
    def __init__(self, before: Code, after: Code, recorded: str, asked: str) -> None:
        self.before, self.after, self.recorded, self.asked = before, after, recorded, asked


EDITS: dict[str, Edit] = {}


def edit(what: str, recorded: str, asked: str) -> Callable[[Callable[[], tuple[Code, Code]]], None]:
    def remember(both: Callable[[], tuple[Code, Code]]) -> None:
        before, after = both()
        EDITS[what] = Edit(before, after, recorded, asked)

    return remember


@edit("a task before the sleep that a run is in", "a timer until", "task 'mail'")
def _() -> tuple[Code, Code]:
    async def before() -> None:
        await asyncio.sleep(3600)

    async def after() -> None:
        await do("mail")
        await asyncio.sleep(3600)

    return before, after


@edit("a child before the sleep that a run is in", "a timer until", "child 'child' with id 'changing/0'")
def _() -> tuple[Code, Code]:
    async def before() -> None:
        await asyncio.sleep(3600)

    async def after() -> None:
        await start()
        await asyncio.sleep(3600)

    return before, after


@edit("a timeout around the call that a run is in", "nothing more", "a timer until")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        return await go()

    async def after() -> Any:
        async with asyncio.timeout(60):
            return await go()

    return before, after


@edit("a timeout that is gone", "a timer until", "nothing more")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await asyncio.wait_for(do("charge"), 60)
        await go()
        await asyncio.sleep(60)

    async def after() -> Any:
        await do("charge")
        await go()
        await asyncio.sleep(60)

    return before, after


@edit("a sleep before a timeout", "task 'charge'", "a timer until")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await asyncio.wait_for(do("charge"), 60)
        await go()

    async def after() -> Any:
        await asyncio.sleep(1)
        await asyncio.wait_for(do("charge"), 60)
        await go()

    return before, after


@edit("another length of a sleep", "a timer until 2030-01-01T01:00:00", "a timer until 2030-01-01T02:00:00")
def _() -> tuple[Code, Code]:
    async def before() -> None:
        await asyncio.sleep(3600)

    async def after() -> None:
        await asyncio.sleep(7200)

    return before, after


@edit("a call that is gone", "task 'charge'", "task 'charge' with other arguments")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        results = [await do("charge", 1), await do("charge", 2)]
        await go()
        return results

    async def after() -> Any:
        results = [await do("charge", 2)]
        await go()
        return results

    return before, after


@edit("two calls in another order", "task 'charge'", "task 'charge' with other arguments")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        results = [await do("charge", 1), await do("charge", 2)]
        await go()
        return results

    async def after() -> Any:
        results = [await do("charge", 2), await do("charge", 1)]
        await go()
        return results

    return before, after


@edit("a child that is gone", "child 'child' with id 'changing/0'", "signal 'go'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await start()
        await go()

    async def after() -> Any:
        await go()

    return before, after


@edit("another id of a child", "child 'child' with id 'old'", "child 'child' with id 'new'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await start("old")
        await go()

    async def after() -> Any:
        await start("new")
        await go()

    return before, after


@edit("a child that is now detached", "child 'child' with id 'one'", "detached child 'child' with id 'one'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await start("one")
        await go()

    async def after() -> Any:
        await context().start_child("child", 7, id="one", detached=True)
        await go()

    return before, after


@edit(
    "another value of the state", "a change of state 'stage'", "a change of state 'stage' with another value"
)
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        context().state.set("stage", "charged")
        await go()

    async def after() -> Any:
        context().state.set("stage", "paid")
        await go()

    return before, after


@edit("state that is no longer set", "a change of state 'stage'", "signal 'go'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        context().state.set("stage", "charged")
        await go()

    async def after() -> Any:
        await go()

    return before, after


@edit("a task and a sleep in another order", "task 'charge'", "a timer until")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await do("charge")
        await asyncio.sleep(1)
        await go()

    async def after() -> Any:
        await asyncio.sleep(1)
        await do("charge")
        await go()

    return before, after


@edit("a side effect that became a task", "step 'charge'", "task 'charge'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await context().run("charge", lambda: 4)
        await go()

    async def after() -> Any:
        await do("charge")
        await go()

    return before, after


@edit("another side effect", "step 'dice'", "step 'coin'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await context().run("dice", lambda: 4)
        await go()

    async def after() -> Any:
        await context().run("coin", lambda: 4)
        await go()

    return before, after


@edit("a step of another name", "step 'ask'", "step 'question'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await context().step("ask", lambda: 4)
        await go()

    async def after() -> Any:
        await context().step("question", lambda: 4)
        await go()

    return before, after


@edit("a step that became a task", "step 'charge'", "task 'charge'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await context().step("charge", lambda: 4)
        await go()

    async def after() -> Any:
        await do("charge")
        await go()

    return before, after


@edit("a task that became a step", "task 'charge'", "step 'charge'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await do("charge")
        await go()

    async def after() -> Any:
        await context().step("charge", lambda: 4)
        await go()

    return before, after


@edit("a task before the signal that a run waits for", "signal 'go'", "task 'mail'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await go()

    async def after() -> Any:
        await do("mail")
        await go()

    return before, after


@edit("another signal", "signal 'go'", "signal 'ready'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await go()

    async def after() -> Any:
        await context().signal("ready")

    return before, after


@edit("a promise instead of a signal", "signal 'go'", "question 'go'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await go()

    async def after() -> Any:
        await context().promise("go")

    return before, after


@edit("another argument of a done task", "task 'charge'", "task 'charge' with other arguments")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await do("charge", {"cents": 5})
        await go()

    async def after() -> Any:
        await do("charge", {"cents": 6})
        await go()

    return before, after


@edit("a longer loop", "signal 'go'", "task 'charge'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        for number in range(3):
            await do("charge", number)
        await go()

    async def after() -> Any:
        for number in range(4):
            await do("charge", number)
        await go()

    return before, after


@edit("a shorter loop", "task 'charge'", "signal 'go'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        for number in range(3):
            await do("charge", number)
        await go()

    async def after() -> Any:
        for number in range(2):
            await do("charge", number)
        await go()

    return before, after


@edit("an earlier end", "signal 'go'", "the end of the run (success)")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await do("charge")
        await go()

    async def after() -> Any:
        await do("charge")

    return before, after


@edit("the last task is gone", "task 'mail'", "nothing more")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        signal = go()
        await do("charge")
        last = do("mail")
        await signal
        await last

    async def after() -> Any:
        signal = go()
        await do("charge")
        await signal

    return before, after


@edit("one after the other instead of together", "task 'charge'", "nothing more")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await asyncio.gather(do("charge", 1), do("charge", 2))
        await go()

    async def after() -> Any:
        await do("charge", 1)
        await do("charge", 2)
        await go()

    return before, after


@edit("a call that is no longer cancelled", "the cancellation of task 0", "signal 'go'")
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        handle = do("charge")
        await asyncio.sleep(0)
        handle.cancel()
        await go()

    async def after() -> Any:
        do("charge")
        await asyncio.sleep(0)
        await go()

    return before, after


@pytest.mark.parametrize("what", EDITS)
async def test_a_run_is_parked_with_the_difference(what: str, sqlite_url: str) -> None:
    chosen = EDITS[what]

    info = await after_the_edit(sqlite_url, chosen.before, chosen.after)

    assert info.status is RunStatus.PARKED
    assert info.failure is not None
    assert info.failure.type == "holdfast.errors:DeterminismError"
    message = info.failure.message
    assert f"of its journal has {chosen.recorded}" in message
    assert f"now asks for {chosen.asked}" in message
    assert "@@" in info.failure.traceback  # the diff


# --- edits that fit


FITTING: dict[str, tuple[Code, Code, Any]] = {}


def fitting(what: str, result: Any) -> Callable[[Callable[[], tuple[Code, Code]]], None]:
    def remember(both: Callable[[], tuple[Code, Code]]) -> None:
        FITTING[what] = (*both(), result)

    return remember


@fitting("other code that asks for the same", [["charge", 0], ["charge", 1]])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        results = [await do("charge", number) for number in range(2)]
        await go()
        return results

    async def after() -> Any:
        first = await do("charge", 0)
        second = await do("charge", 1)
        await context().signal("go")
        return [first, second]

    return before, after


@fitting("more after the place where a run is", ["mail", 2])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await do("charge")
        await go()

    async def after() -> Any:
        await do("charge")
        await go()
        await asyncio.sleep(60)
        return await do("mail", 2)

    return before, after


@fitting("a change that is guarded", ["bill", 1])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        await do("charge", 1)
        await go()
        return await do("charge", 2)

    async def after() -> Any:
        await do("mail" if context().patched("mail first") else "charge", 1)
        await go()
        return await do("bill" if context().patched("bill instead") else "charge", 1)

    return before, after


@fitting("a guard inside a timeout that has just begun", ["mail", 1])
def _() -> tuple[Code, Code]:
    async def code() -> Any:
        async with asyncio.timeout(60):
            has_changed = context().patched("a change")
            await asyncio.sleep(0)
        result = await do("mail" if has_changed else "charge", 1)
        await go()
        return result

    async def same() -> Any:
        async with asyncio.timeout(60):
            has_changed = context().patched("a change")
            await asyncio.sleep(0)
        result = await do("mail" if has_changed else "charge", 1)
        await go()
        return result

    return code, same


@fitting("a guard that is gone, for a run that took the changed path", ["mail", 1])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        result = await do("mail" if context().patched("mail first") else "charge", 1)
        context().patched("nothing")
        await go()
        return result

    async def after() -> Any:
        result = await do("mail", 1)
        await go()
        return result

    return before, after


@fitting("an argument by name", ["charge", 1])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        result = await do("charge", 1)
        await go()
        return result

    async def after() -> Any:
        result = await context().schedule("charge", value=1)
        await go()
        return result

    return before, after


@fitting("a default that is passed", ["charge", None])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        result = await do("charge")
        await go()
        return result

    async def after() -> Any:
        result = await do("charge", None)
        await go()
        return result

    return before, after


@fitting("a call that is refused and caught", ["charge", 1])
def _() -> tuple[Code, Code]:
    async def before() -> Any:
        try:
            await context().schedule("charge", nonsense=1)
        except Exception:
            result = await do("charge", 1)
        await go()
        return result

    async def after() -> Any:
        try:
            await context().schedule("charge", nonsense=1)
        except Exception:
            result = await do("charge", 1)
        await context().signal("go")
        return result

    return before, after


@pytest.mark.parametrize("what", FITTING)
async def test_a_run_goes_on(what: str, sqlite_url: str) -> None:
    before, after, result = FITTING[what]

    info = await after_the_edit(sqlite_url, before, after)

    assert (info.status, info.output) == (RunStatus.SUCCESS, result)


# --- what people are told


async def test_the_difference_has_both_requests_the_line_and_the_sources(store_url: str) -> None:
    async def before() -> Any:
        await do("charge", {"cents": 5})
        await go()

    async def after() -> Any:
        await do("charge", {"cents": 6})
        await go()

    info = await after_the_edit(store_url, before, after)

    assert info.failure is not None
    lines = info.failure.traceback.splitlines()
    assert lines[0] == """recorded: task 'charge' {"value":{"cents":5}}"""
    assert lines[1] == """asked:    task 'charge' with other arguments {"value":{"cents":6}}"""
    assert lines[2].startswith(f"in:       {__file__}:")
    assert """-    await do("charge", {"cents": 5})""" in lines
    assert """+    await do("charge", {"cents": 6})""" in lines


@pytest.mark.parametrize("is_kept", [True, False])
async def test_the_difference_has_the_recorded_value_of_the_state_while_the_run_keeps_it(
    sqlite_url: str, is_kept: bool
) -> None:
    async def before() -> Any:
        context().state.set("stage", {"is": "charged"})
        if not is_kept:
            context().state.set("stage", "later")
        await go()

    async def after() -> Any:
        context().state.set("stage", {"is": "paid"})
        await go()

    info = await after_the_edit(sqlite_url, before, after)

    assert info.failure is not None
    recorded, asked = info.failure.traceback.splitlines()[:2]
    assert recorded == "recorded: a change of state 'stage'" + (' {"is":"charged"}' if is_kept else "")
    assert asked == """asked:    a change of state 'stage' with another value {"is":"paid"}"""


@pytest.mark.parametrize("timer", ["sleep", "timeout"])
async def test_the_difference_of_a_timer_has_the_line_that_started_it(timer: str, sqlite_url: str) -> None:
    async def wait(seconds: float) -> None:
        if timer == "sleep":
            await asyncio.sleep(seconds)
        else:
            await asyncio.wait_for(go(), seconds)

    async def before() -> Any:
        await asyncio.gather(wait(300), go())

    async def after() -> Any:
        await asyncio.gather(wait(400), go())

    info = await after_the_edit(sqlite_url, before, after)

    assert info.failure is not None
    (line,) = [each for each in info.failure.traceback.splitlines() if each.startswith("in: ")]
    assert line.startswith(f"in:       {__file__}:")


async def test_of_a_task_that_seems_renamed_it_is_said_how_it_keeps_its_name(sqlite_url: str) -> None:
    async def before() -> Any:
        await do("charge", 5)
        await go()

    async def after() -> Any:
        await do("bill", 5)
        await go()

    info = await after_the_edit(sqlite_url, before, after)

    assert info.failure is not None
    assert "keep its recorded name: @task(name='charge')" in info.failure.message


async def test_a_task_may_get_a_parameter_with_a_default_and_other_options(sqlite_url: str) -> None:
    old, new = Catalog(), Catalog()

    @task(catalog=old, name="charge")
    async def charge(cents: int) -> int:
        return cents

    @task(catalog=new, name="charge", timeout=dt.timedelta(seconds=5))
    async def charge_more(cents: int, currency: str = "EUR") -> int:
        return cents

    async def code() -> int:
        result = await context().schedule("charge", 5)
        await go()
        return result

    for catalog in (old, new):
        workflow(catalog=catalog, name="changing")(code)
    async with Environment(sqlite_url, catalog=old) as env:
        await env.start("changing", id="changing")
        await env.wait_until_quiet()
    async with Environment(sqlite_url, catalog=new) as env:
        await env.signal("changing", "go")

        assert await env.result("changing") == 5


async def test_runs_that_are_parked_for_one_reason_are_resumed_together(store_url: str) -> None:
    async def before() -> Any:
        await do("charge")
        await go()
        return "done"

    async def broken() -> Any:
        await go()
        await do("charge")

    async with Environment(store_url, catalog=deployment(before)) as env:
        for number in range(5):
            await env.start("changing", id=f"run {number}")
        await env.wait_until_quiet()
    async with Environment(store_url, catalog=deployment(broken)) as env:
        for number in range(5):
            await env.signal(f"run {number}", "go")
        await env.wait_until_quiet()
        parked = {info.id for info in await env.list(status="parked")}
    async with Environment(store_url, catalog=deployment(before)) as env:
        others = await env.resume_all("another")
        resumed = await env.resume_all("changing")

        assert parked == {f"run {number}" for number in range(5)}
        assert (others, resumed) == (0, 5)
        assert [await env.result(id) for id in sorted(parked)] == ["done"] * 5
        assert await env.resume_all() == 0
