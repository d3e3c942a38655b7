"""Retrying a run that ended: what was recorded stays, what failed is tried again under its old key."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Holdfast, Retry, RunCancelled, RunStatus, context, task, task_context, workflow
from holdfast.errors import HeardByParent, NotEnded
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment


class Declined(Exception):
    pass


class Shop:
    """Tasks that fail until somebody mends them, and a list of what was really done."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.broken: set[str] = set()
        self.done: list[str] = []
        self.keys: dict[str, set[str]] = {}
        shop = self

        @task(catalog=self.catalog)
        async def do(what: str) -> str:
            shop.keys.setdefault(what, set()).add(task_context().idempotency_key)
            shop.done.append(what)
            if what in shop.broken:
                raise Declined(what)
            return f"{what}!"

        self.do = do


@pytest.fixture
def shop() -> Shop:
    return Shop()


async def fail(env: Environment, code: Any) -> Any:
    run = await env.start(code, id="run")
    with pytest.raises(Declined):
        await run.result()
    return run


async def test_a_retry_does_only_what_failed_and_under_the_same_key(store_url: str, shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        return [await shop.do("reserve"), await shop.do("charge"), await shop.do("ship")]

    shop.broken = {"charge"}
    async with Environment(store_url, catalog=shop.catalog) as env:
        run = await fail(env, order)
        shop.broken = set()
        await run.retry()

        assert await run.result() == ["reserve!", "charge!", "ship!"]
        assert shop.done == ["reserve", "charge", "charge", "ship"]
        assert len(shop.keys["charge"]) == 1
        info = await run.describe()
        assert (info.status, info.failure) == (RunStatus.SUCCESS, None)
        assert await env.doctor() == []


async def test_a_run_can_be_retried_again_and_again_and_survives_crashes(store_url: str, shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        first = await shop.do("reserve")
        await asyncio.sleep(3600)
        return [first, await shop.do("charge"), await shop.do("ship")]

    shop.broken = {"charge"}
    async with Environment(store_url, catalog=shop.catalog) as env:
        run = await fail(env, order)
        for _ in range(2):
            await run.retry()
            await env.crash()
            with pytest.raises(Declined):
                await run.result()
        shop.broken = {"ship"}
        await run.retry()
        with pytest.raises(Declined):
            await run.result()
        shop.broken = set()
        await env.crash()
        await run.retry()
        await env.crash()

        assert await run.result() == ["reserve!", "charge!", "ship!"]
        assert shop.done.count("reserve") == 1
        assert len(shop.keys["charge"]) == len(shop.keys["ship"]) == 1


async def test_the_clean_up_of_the_failed_attempt_is_struck_out_and_done_anew_if_it_fails_again(
    shop: Shop,
) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        try:
            return [await shop.do("charge"), await shop.do("ship")]
        except Declined:
            await shop.do("refund")
            raise

    shop.broken = {"charge"}
    async with Environment(catalog=shop.catalog) as env:
        run = await fail(env, order)
        await run.retry()
        with pytest.raises(Declined):
            await run.result()
        assert shop.done == ["charge", "refund", "charge", "refund"]
        assert (
            len(shop.keys["refund"]) == 2
        )  # the second refund is another one, and must not be taken for the first
        shop.broken = set()
        await run.retry()

        assert await run.result() == ["charge!", "ship!"]


async def test_a_failed_clean_up_can_be_retried(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> str:
        try:
            await shop.do("charge")
        except Declined:
            await shop.do("refund")
            return "refunded"
        return "charged"

    shop.broken = {"charge", "refund"}
    async with Environment(catalog=shop.catalog) as env:
        run = await fail(env, order)
        shop.broken = {"charge"}
        await run.retry()

        assert await run.result() == "refunded"
        assert shop.done == ["charge", "refund", "refund"]


async def test_of_tasks_that_ran_together_only_those_that_did_not_succeed_are_done_again(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        return list(await asyncio.gather(shop.do("a"), shop.do("b"), shop.do("c")))

    shop.broken = {"b"}
    async with Environment(catalog=shop.catalog) as env:
        run = await fail(env, order)
        shop.broken = set()
        await run.retry()

        assert await run.result() == ["a!", "b!", "c!"]
        assert shop.done == ["a", "b", "c", "b"]


async def test_a_retried_task_has_all_its_attempts_again(shop: Shop) -> None:
    attempts: list[int] = []
    mended = False

    @task(catalog=shop.catalog, retry=Retry(max_attempts=2))
    async def flaky() -> str:
        attempts.append(task_context().attempt)
        if not mended or len(attempts) < 4:
            raise Declined("flaky")
        return "done"

    @workflow(catalog=shop.catalog)
    async def trying() -> str:
        return await flaky()

    async with Environment(catalog=shop.catalog) as env:
        run = await fail(env, trying)
        assert len(attempts) == 2
        mended = True
        await run.retry()

        assert await run.result() == "done"
        assert attempts == [1, 2, 3, 4]


async def test_attempts_from_before_a_retry_are_not_taken_for_lost_ones(store_url: str, shop: Shop) -> None:
    attempts: list[int] = []
    is_running = asyncio.Event()

    @task(catalog=shop.catalog, retry=Retry(max_attempts=12))
    async def flaky() -> str:
        attempts.append(task_context().attempt)
        if len(attempts) == 13:
            is_running.set()
            await asyncio.Event().wait()  # until the node crashes
        if len(attempts) <= 12:
            raise Declined("flaky")
        return "done"

    @workflow(catalog=shop.catalog)
    async def trying() -> str:
        return await flaky()

    async with Environment(store_url, catalog=shop.catalog) as env:
        run = await fail(env, trying)
        await run.retry()
        await is_running.wait()
        await env.crash()

        assert await run.result() == "done"
        assert attempts == list(range(1, 15))


async def test_a_cancelled_run_goes_on_where_it_was_cancelled(store_url: str, shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        first = await shop.do("reserve")
        word = await context().signal("go")
        return [first, word, await shop.do("ship")]

    async with Environment(store_url, catalog=shop.catalog) as env:
        run = await env.start(order, id="run")
        await env.wait_until_quiet()
        await run.cancel()
        with pytest.raises(RunCancelled):
            await run.result()
        await run.retry()
        await run.signal("go", "now")

        assert await run.result() == ["reserve!", "now", "ship!"]
        assert shop.done == ["reserve", "ship"]


async def test_a_run_that_failed_by_its_own_code_goes_on_with_mended_code(shop: Shop) -> None:
    @workflow(catalog=shop.catalog, name="order")
    async def before() -> list[str]:
        first = await shop.do("reserve")
        word = await context().signal("go")
        return [first, word, str(1 // 0)]

    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(before, id="run")
        await run.signal("go", "now")
        with pytest.raises(ZeroDivisionError):
            await run.result()

        @workflow(catalog=shop.catalog, name="order")
        async def after() -> list[str]:
            first = await shop.do("reserve")
            word = await context().signal("go")
            return [first, word, await shop.do("ship")]

        await run.retry()
        assert await run.result() == ["reserve!", "now", "ship!"]
        assert shop.done == ["reserve", "ship"]


async def test_a_failed_child_is_retried_with_its_parent(store_url: str, shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def child(what: str) -> list[str]:
        return [await shop.do(f"prepare {what}"), await shop.do(what)]

    @workflow(catalog=shop.catalog)
    async def parent() -> list[Any]:
        return [await child("a"), await child.options(id="second")("b")]

    shop.broken = {"b"}
    async with Environment(store_url, catalog=shop.catalog) as env:
        run = await fail(env, parent)
        shop.broken = set()
        await run.retry()

        assert await run.result() == [["prepare a!", "a!"], ["prepare b!", "b!"]]
        assert shop.done == ["prepare a", "a", "prepare b", "b", "b"]
        assert await env.result("second") == ["prepare b!", "b!"]
        assert await env.doctor() == []


async def test_children_that_are_still_being_cancelled_are_waited_for_and_go_on(
    store_url: str, shop: Shop
) -> None:
    @workflow(catalog=shop.catalog)
    async def child() -> str:
        try:
            await context().promise("go", str)
        except asyncio.CancelledError:
            await asyncio.sleep(3600)
            await shop.do("tidy up")
            raise
        return await shop.do("child")

    @workflow(catalog=shop.catalog)
    async def parent() -> list[str]:
        running = child.options(id="child")()
        await context().signal("charge")
        return [await shop.do("charge"), await running]

    shop.broken = {"charge"}
    async with Environment(store_url, catalog=shop.catalog) as env:
        run = await env.start(parent)
        await env.wait_until_quiet()
        await env.signal(run, "charge")
        with pytest.raises(Declined):
            await run.result()
        shop.broken = set()
        await run.retry()
        assert shop.done == ["charge", "tidy up"]
        await env.resolve("child", "go", "now")

        assert await run.result() == ["charge!", "child!"]
        assert shop.done == ["charge", "tidy up", "charge", "child"]
        assert await env.doctor() == []


def patient_child(shop: Shop) -> Any:
    @workflow(catalog=shop.catalog)
    async def child() -> str:
        await context().signal("go")
        return await shop.do("child")

    return child


def parent_of(shop: Shop, child: Any) -> Any:
    @workflow(catalog=shop.catalog)
    async def parent() -> list[str]:
        running = child.options(id="child")()
        await context().signal("charge")
        return [await shop.do("charge"), await running]

    return parent


async def fail_with_child(env: Environment, shop: Shop, parent: Any) -> Any:
    """Start the parent, let it leave memory with its child, and fail it."""
    shop.broken = {"charge"}
    run = await env.start(parent)
    await env.skip(dt.timedelta(seconds=10))
    await env.signal(run, "charge")
    with pytest.raises(Declined):
        await run.result()
    shop.broken = set()
    return run


async def test_a_child_that_was_retried_alone_is_not_waited_for(shop: Shop) -> None:
    async with Environment(catalog=shop.catalog) as env:
        run = await fail_with_child(env, shop, parent_of(shop, patient_child(shop)))
        await env.wait_until_quiet()
        await env.retry("child")
        await asyncio.wait_for(run.retry(), PATIENCE)
        await env.signal("child", "go")
        assert await run.result() == ["charge!", "child!"]


async def test_a_retry_that_breaks_off_has_opened_nothing_and_can_be_tried_again(shop: Shop) -> None:
    async with Environment(catalog=shop.catalog) as env:
        run = await fail_with_child(env, shop, parent_of(shop, patient_child(shop)))
        await env.wait_until_quiet()
        store: Any = env.crash_points
        reopen, calls = store.reopen_runs, 0

        async def break_off(*args: Any) -> bool:
            nonlocal calls
            calls += 1
            if calls == 1:
                raise ConnectionError("gone")
            return await reopen(*args)

        store.reopen_runs = break_off
        with pytest.raises(ConnectionError):
            await run.retry()
        child = await env.describe("child")
        assert child.status.is_final
        await asyncio.wait_for(run.retry(), PATIENCE)
        await env.signal("child", "go")
        assert await run.result() == ["charge!", "child!"]


async def test_a_retry_that_is_interrupted_again_and_again_gets_there_in_the_end(
    tmp_path: Path, shop: Shop
) -> None:
    """With a real node and real threads: what a cancelled call had begun is done behind its back."""

    @workflow(catalog=shop.catalog)
    async def child(number: int) -> str:
        return await shop.do(f"child {number}")

    @workflow(catalog=shop.catalog)
    async def parent() -> list[str]:
        return await asyncio.gather(child(0), child(1))

    async with Holdfast(f"sqlite:///{tmp_path / 'shop.db'}", catalog=shop.catalog) as hf:
        for turn in range(15):
            shop.broken = {"child 0", "child 1"}
            run = await hf.start(parent)
            with pytest.raises(Declined):
                await run.result()
            shop.broken = set()
            for attempt in range(20):
                try:
                    await asyncio.wait_for(run.retry(), 0.0002 * (turn + attempt))
                    break
                except TimeoutError:
                    continue
                except NotEnded:  # an interrupted one got there already
                    break
            else:  # on a slow machine none of them had the time to
                with contextlib.suppress(NotEnded):
                    await run.retry()
            assert await run.result(dt.timedelta(seconds=30)) == ["child 0!", "child 1!"]


async def test_a_child_that_parks_while_it_is_waited_for_is_not_waited_for_for_ever(shop: Shop) -> None:
    is_changed = False

    @workflow(catalog=shop.catalog)
    async def child() -> str:
        if is_changed:
            await context().run("new in this version", lambda: 1)
        first = await shop.do("first")
        await context().signal("go")
        return first

    async with Environment(catalog=shop.catalog) as env:
        shop.broken = {"charge"}
        run = await env.start(parent_of(shop, child))
        await env.skip(dt.timedelta(seconds=10))
        is_changed = True
        await env.signal(run, "charge")
        with pytest.raises(Declined):
            await run.result()
        await asyncio.wait_for(run.retry(), PATIENCE)
        await env.wait_until_quiet()
        # Its parent has failed again, and whoever cannot go on and is asked to end is ended.
        assert (await env.describe("child")).status is RunStatus.CANCELLED


async def test_a_parked_child_of_a_run_that_is_retried_goes_on_with_mended_code(shop: Shop) -> None:
    is_changed = False

    @workflow(catalog=shop.catalog)
    async def child() -> str:
        if is_changed:
            await context().run("new in this version", lambda: 1)
        first = await shop.do("first")
        await context().signal("go")
        return first

    @workflow(catalog=shop.catalog)
    async def parent() -> list[str]:
        running = child.options(id="child")()
        await context().signal("fail")
        return [await shop.do("charge"), await running]

    shop.broken = {"charge"}
    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(parent, id="run")
        await env.wait_until_quiet()
        is_changed = True
        await env.crash()
        await env.wait_until_quiet()
        assert (await env.describe("child")).status is RunStatus.PARKED
        await env.signal(run, "fail")
        with pytest.raises(Declined):
            await run.result()
        is_changed, shop.broken = False, set()
        await run.retry()
        await env.signal("child", "go")

        assert await run.result() == ["charge!", "first!"]
        assert await env.doctor() == []


async def test_signals_and_promises_are_heard_again_in_their_order(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def listening() -> list[Any]:
        first = await context().signal("word")
        done = await shop.do("charge")
        return [first, done, await context().signal("word"), await context().promise("answer")]

    shop.broken = {"charge"}
    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(listening, id="run")
        for word in ("one", "two"):
            await run.signal("word", word)
        await run.resolve("answer", 42, ahead=True)
        with pytest.raises(Declined):
            await run.result()
        shop.broken = set()
        await run.retry()

        assert await run.result() == ["one", "charge!", "two", 42]


async def test_state_is_as_it_was_at_the_point_the_retry_goes_back_to(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        context().state.set("step", "charging")
        try:
            await shop.do("charge")
        except Declined:
            context().state.set("problem", "declined")
            raise
        return context().state.keys()

    shop.broken = {"charge"}
    async with Environment(catalog=shop.catalog) as env:
        run = await fail(env, order)
        assert await env.state(run) == {"step": "charging", "problem": "declined"}
        shop.broken = set()
        await run.retry()

        assert await run.result() == ["step"]
        assert await env.state(run) == {"step": "charging"}


async def test_only_a_run_that_failed_or_was_cancelled_can_be_retried(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def patient() -> None:
        await context().signal("go")

    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(patient, id="run")
        with pytest.raises(NotEnded, match="run 'run' is running; only a run that failed or was cancelled"):
            await run.retry()
        await run.signal("go")
        await run.result()

        with pytest.raises(NotEnded, match="run 'run' is success"):
            await env.retry("run")


async def test_a_cancellation_that_the_code_survived_is_not_what_a_retry_goes_back_to(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def stubborn() -> list[str]:
        try:
            await context().signal("never")
        except asyncio.CancelledError:
            pass  # what it does next is more important
        return [await shop.do("reserve"), await shop.do("charge")]

    shop.broken = {"charge"}
    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(stubborn, id="run")
        await env.wait_until_quiet()
        await run.cancel()
        with pytest.raises(Declined):
            await run.result()
        shop.broken = set()
        await run.retry()

        assert await run.result() == ["reserve!", "charge!"]
        assert shop.done == ["reserve", "charge", "charge"]


async def test_a_run_that_was_cancelled_while_it_was_parked_goes_on_where_it_was(shop: Shop) -> None:
    is_stuck = True

    @workflow(catalog=shop.catalog)
    async def order() -> list[str]:
        done = [await shop.do("reserve"), await shop.do("charge")]
        if is_stuck:
            await asyncio.Event().wait()
        return [*done, await shop.do("ship")]

    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(order, id="run")
        await env.wait_until_quiet()
        assert await run.status() is RunStatus.PARKED
        await run.cancel()
        is_stuck = False
        await run.retry()

        assert await run.result() == ["reserve!", "charge!", "ship!"]
        assert shop.done == ["reserve", "charge", "ship"]


async def test_a_cancellation_that_came_too_late_does_not_end_the_run_after_its_retry(
    store_url: str, shop: Shop
) -> None:
    @workflow(catalog=shop.catalog)
    async def order() -> str:
        return await shop.do("charge")

    shop.broken = {"charge"}
    async with Environment(store_url, catalog=shop.catalog) as env:
        commit_for_real = env.crash_points.commit

        async def commit(commit: Commit) -> Receipt:
            if commit.ended and shop.broken:
                await env.cancel("run")  # it gets into the inbox, but is not read any more
            return await commit_for_real(commit)

        env.crash_points.commit = commit  # type: ignore[method-assign]
        run = await fail(env, order)
        shop.broken = set()
        await run.retry()

        assert await run.result() == "charge!"


async def test_a_run_that_failed_at_once_begins_anew_and_still_takes_the_changed_path(shop: Shop) -> None:
    shop.broken = {"everything"}

    @workflow(catalog=shop.catalog)
    async def order() -> str:
        is_changed = context().patched("a change")
        if shop.broken:
            raise Declined("at once")
        await asyncio.sleep(60)
        return "the changed path" if is_changed else "the old path"

    async with Environment(catalog=shop.catalog) as env:
        run = await fail(env, order)
        shop.broken = set()
        await run.retry()
        await env.wait_until_quiet()
        await env.crash()

        assert await run.result() == "the changed path"


async def test_a_child_is_not_retried_alone_once_its_parent_goes_by_its_failure(shop: Shop) -> None:
    @workflow(catalog=shop.catalog)
    async def child() -> str:
        return await shop.do("charge")

    @workflow(catalog=shop.catalog)
    async def parent() -> str:
        try:
            outcome = await child.options(id="child")()
        except Declined:
            outcome = "declined"
        await context().signal("go")
        return outcome

    shop.broken = {"charge"}
    async with Environment(catalog=shop.catalog) as env:
        run = await env.start(parent, id="parent")
        await env.wait_until_quiet()
        shop.broken = set()

        with pytest.raises(HeardByParent, match="'child' is a child of 'parent'"):
            await env.retry("child")
        await env.crash()
        await run.signal("go")
        assert await run.result() == "declined"
        await env.retry("child")  # the parent can never be opened again, so it does not mind
        assert await env.result("child") == "charge!"
