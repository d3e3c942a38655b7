"""What operators do to runs: terminate, pause, resume, try now; to one or to many; and who did it."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from tests.patience import PATIENCE, SOON, until

from holdfast import (
    Catalog,
    DeadlineExceeded,
    Holdfast,
    NotParked,
    NotRunning,
    ReasonKind,
    Retry,
    RunCancelled,
    RunEnded,
    RunNotFound,
    RunStatus,
    TaskStatus,
    context,
    parts,
    task,
    workflow,
)
from holdfast.core.values import moment
from holdfast.engine.tuning import Tuning
from holdfast.errors import BadOption
from holdfast.stores.sql_store import SqlStore
from holdfast.testing import Environment, assert_durable

catalog = Catalog()
SECOND = dt.timedelta(seconds=1)
begun: list[Any] = []
gates: dict[str, asyncio.Event] = {}


@task(catalog=catalog)
async def note_down(what: Any) -> Any:
    begun.append(what)
    return what


@task(catalog=catalog)
async def gated(name: str) -> str:
    begun.append(name)
    await gates[name].wait()
    return name


@task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=dt.timedelta(hours=1), jitter=0))
async def stumble() -> str:
    begun.append("stumble")
    if len(begun) < 2:
        raise ValueError("not yet")
    return "at last"


@workflow(catalog=catalog)
async def deaf() -> None:
    """Cannot be cancelled."""
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            begun.append("ignored")


@workflow(catalog=catalog)
async def patient(name: str = "go") -> Any:
    return await context().signal(name)


@workflow(catalog=catalog)
async def two_tasks() -> list[str]:
    return [await gated("first"), await note_down("second")]


@workflow(catalog=catalog)
async def sleeper() -> str:
    await asyncio.sleep(60)
    return await note_down("awake")


@workflow(catalog=catalog)
async def stumbling() -> str:
    return await stumble()


@workflow(catalog=catalog)
async def parent() -> Any:
    left = deaf.options(id="detached", detached=True)()
    return await asyncio.gather(patient.options(id="attached")(), asyncio.shield(left))


@pytest.fixture(autouse=True)
def forget() -> None:
    begun.clear()
    gates.clear()


# --- terminate


async def test_a_run_that_cannot_be_cancelled_is_terminated(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(deaf)
        await run.cancel()
        await until(lambda: begun)

        await run.terminate("it never ends", by="ann")

        with pytest.raises(RunCancelled, match="terminated by ann: it never ends"):
            await run.result(timeout=SOON)
        [told] = [message for message in await hf.messages(run) if message.kind == "terminate"]
        assert (told.by, told.is_read) == ("ann", True)
        assert told.at is not None


async def test_a_termination_survives_every_crash(new_database: Callable[[], str]) -> None:
    async def terminate(run: Any) -> None:
        await run.terminate("enough")

    with pytest.raises(RunCancelled, match="terminated: enough"):
        await assert_durable(deaf, during=terminate, catalog=catalog, new_database=new_database)


async def test_a_run_that_no_node_has_is_terminated_at_once(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        run = await hf.start(deaf)

        await run.terminate()

        assert await run.status() is RunStatus.CANCELLED
        with pytest.raises(NotRunning, match="is cancelled and cannot be terminated"):
            await run.terminate()
        with pytest.raises(RunEnded):
            await run.signal("go")


async def test_a_terminated_run_ends_its_task_and_its_attached_children(store_url: str) -> None:
    gates["first"] = asyncio.Event()
    async with Holdfast(store_url, catalog=catalog) as hf:
        working, family = await hf.start(two_tasks), await hf.start(parent)
        await until(lambda: begun)
        attached, detached = await _appeared(hf, "attached"), await _appeared(hf, "detached")

        await asyncio.gather(working.terminate(), family.terminate())

        for run in (working, family, attached):
            with pytest.raises(RunCancelled):
                await run.result(timeout=SOON)
        assert [each.status for each in await hf.tasks(working)] == [TaskStatus.CANCELLED]
        assert not (await detached.status()).is_final


async def test_children_of_a_terminated_run_hear_of_it_without_a_poll(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "tuning_of", lambda settings: Tuning(poll=dt.timedelta(hours=1)))
    async with Holdfast(postgres_url, catalog=catalog) as hf:
        run = await hf.start(parent)
        attached = await _appeared(hf, "attached")

        await run.terminate()

        with pytest.raises(RunCancelled):
            await attached.result(timeout=SOON)


async def _appeared(hf: Holdfast, id: str) -> Any:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await hf.get(id)
            except RunNotFound:
                await asyncio.sleep(0.01)


async def test_a_parent_hears_that_its_child_was_terminated(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(parent)

        await (await _appeared(hf, "attached")).terminate("by hand")

        with pytest.raises(RunCancelled, match="by hand"):
            await run.result(timeout=SOON)


# --- pause and resume


async def test_a_paused_run_begins_no_task_and_goes_on_when_resumed(store_url: str) -> None:
    gates["first"] = asyncio.Event()
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(two_tasks)
        await until(lambda: begun == ["first"])

        await run.pause("audit", by="ann")
        await asyncio.sleep(0.2)
        assert await run.status() is RunStatus.RUNNING  # its task may end
        gates["first"].set()
        await _until_status(run, RunStatus.PAUSED)

        info = await run.describe()
        assert info.waiting == "an operator who resumes it; paused by ann: audit"
        [reason] = [each for each in (await hf.explain(run)).reasons if each.kind is ReasonKind.PAUSED]
        assert reason.what == "it is paused by ann: audit"
        await run.signal("go", 1)  # a message does not wake it
        await asyncio.sleep(0.2)
        assert begun == ["first"]
        assert await run.status() is RunStatus.PAUSED

        await run.resume(by="bob")

        assert await run.result(timeout=SOON) == ["first", "second"]
        acts = [(it.kind, it.by) for it in await hf.messages(run) if it.kind in ("pause", "resume")]
        assert acts == [("pause", "ann"), ("resume", "bob")]
        assert begun == ["first", "second"]


@workflow(catalog=catalog)
async def two_lines() -> list[str]:
    async def line() -> str:
        await gated("first")
        return await note_down("second")

    return list(await asyncio.gather(line(), gated("other")))


async def test_what_one_task_leads_to_waits_while_another_ends(store_url: str) -> None:
    gates.update(first=asyncio.Event(), other=asyncio.Event())
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(two_lines)
        await until(lambda: len(begun) == 2)
        await run.pause()
        await _until_begun(hf, run)

        gates["first"].set()
        await asyncio.sleep(0.3)
        assert sorted(begun) == ["first", "other"]
        gates["other"].set()
        await _until_status(run, RunStatus.PAUSED)
        await run.resume()

        assert await run.result(timeout=SOON) == ["second", "other"]
        assert sorted(begun) == ["first", "other", "second"]


async def _until_begun(hf: Any, run: Any) -> None:
    """Until the node that has the run is pausing it. Acts are heard in order; this one is done at once, and
    no task is in backoff."""
    await hf.try_now(run)
    await until(lambda: _is_read(hf, run, "try_now"))


async def _is_read(hf: Any, run: Any, kind: str) -> bool:
    return all(message.is_read for message in await hf.messages(run) if message.kind == kind)


async def test_a_run_whose_node_dies_while_it_is_paused_is_paused_by_the_next(store_url: str) -> None:
    gates.update(first=asyncio.Event())
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(two_tasks)
        await until(lambda: begun)
        await run.pause()
        await _until_begun(env, run)
        await env.crash()
        gates["first"].set()

        await _until_status(run, RunStatus.PAUSED)
        assert "second" not in begun
        assert [it.is_read for it in await env.messages(run)] == [True, True]
        await run.resume()

        assert await run.result() == ["first", "second"]


@workflow(catalog=catalog)
async def stumbling_beside() -> list[str]:
    return list(await asyncio.gather(stumble(), gated("other")))


@pytest.mark.parametrize("ends_by", ["time", "hand"])
async def test_a_backoff_that_ends_while_another_task_runs_begins_nothing(
    store_url: str, ends_by: str
) -> None:
    gates.update(other=asyncio.Event())
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(stumbling_beside)
        await _until_backoff(env, run)
        await run.pause()
        await _until_begun(env, run)

        if ends_by == "hand":
            await env.try_now(run)
        else:
            env.clock.advance(2 * 3600 * SECOND)
        await asyncio.sleep(0.1)
        assert sorted(begun) == ["other", "stumble"]
        gates["other"].set()
        await _until_status(run, RunStatus.PAUSED)
        await run.resume()

        assert await run.result() == ["at last", "other"]


async def _until_status(run: Any, status: RunStatus) -> None:
    async with asyncio.timeout(PATIENCE):
        while await run.status() is not status:  # noqa: ASYNC110  # another process may change it
            await asyncio.sleep(0.01)


async def test_a_pause_survives_every_crash(new_database: Callable[[], str]) -> None:
    async def pause(run: Any) -> None:
        try:
            await run.pause()
        except NotRunning:
            pass  # a crash has come, and this is the second time
        await _until_status(run, RunStatus.PAUSED)
        await run.resume()

    result = await assert_durable(sleeper, during=pause, catalog=catalog, new_database=new_database)

    assert result == "awake"


async def test_timers_of_a_paused_run_wait_until_it_is_resumed(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(sleeper)
        await env.wait_until_quiet()
        await run.pause()
        await env.wait_until_quiet()

        env.clock.advance(3600 * SECOND)
        await env.wait_until_quiet()
        assert await run.status() is RunStatus.PAUSED
        assert begun == []

        await run.resume()
        assert await run.result() == "awake"


async def test_timers_wait_for_as_long_as_the_run_was_paused(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(sleeper)
        await env.wait_until_quiet()
        before = env.clock.now()
        env.clock.advance(20 * SECOND)
        await run.pause()
        await env.wait_until_quiet()
        env.clock.advance(3600 * SECOND)

        await run.resume(timers="wait", by="ann")

        assert await run.result() == "awake"
        assert 3660 <= (env.clock.now() - before) / 1_000_000 < 3670
        [told] = [it for it in await env.messages(run) if it.kind == "resume"]
        assert (told.name, told.by) == ("timers wait", "ann")


async def test_timers_wait_again_for_each_pause(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(sleeper)
        await env.wait_until_quiet()
        before = env.clock.now()
        for _ in range(2):
            await run.pause()
            await env.wait_until_quiet()
            env.clock.advance(1000 * SECOND)
            await run.resume(timers="wait")
            await env.wait_until_quiet()
        assert begun == []
        [until] = [reason.until for reason in (await env.explain(run)).reasons if reason.until is not None]
        assert until - moment(before) == 2060 * SECOND

        assert await run.result() == "awake"
        assert 2060 <= (env.clock.now() - before) / 1_000_000 < 2070


async def test_a_backoff_waits_for_as_long_as_the_run_was_paused(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(stumbling)
        await env.wait_until_quiet()
        before = env.clock.now()
        await run.pause()
        await env.wait_until_quiet()
        env.clock.advance(7200 * SECOND)
        await run.resume(timers="wait")

        assert await run.result() == "at last"
        assert 10_800 <= (env.clock.now() - before) / 1_000_000 < 10_900


async def test_timers_that_wait_survive_every_crash(new_database: Callable[[], str]) -> None:
    async def pause(run: Any) -> None:
        try:
            await run.pause()
        except NotRunning:
            pass  # a crash has come, and this is the second time
        await _until_status(run, RunStatus.PAUSED)
        run._client.clock.advance(500 * SECOND)
        await run.resume(timers="wait")

    result = await assert_durable(sleeper, during=pause, catalog=catalog, new_database=new_database)

    assert result == "awake"


async def test_a_deadline_does_not_wait(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(sleeper.options(deadline=100 * SECOND))
        await env.wait_until_quiet()
        await run.pause()
        await env.wait_until_quiet()
        env.clock.advance(50 * SECOND)
        await run.resume(timers="wait")

        with pytest.raises(DeadlineExceeded):
            await run.result()


async def test_only_timers_of_paused_runs_can_wait(store_url: str) -> None:
    other = Catalog()

    @workflow(catalog=other)
    async def unable() -> None:
        raise KeyboardInterrupt

    async with Holdfast(store_url, catalog=other) as hf:
        run = await hf.start(unable.options(tags=["here"]))
        await _until_status(run, RunStatus.PARKED)

        with pytest.raises(BadOption, match="is parked, not paused"):
            await run.resume(timers="wait")
        with pytest.raises(BadOption, match="one of catch_up, wait"):
            await run.resume(timers="skip")
        report = await hf.select(tag="here").resume(timers="wait")
        assert (report.done, [reason for _, reason in report.refused]) == (
            0,
            ["it is parked, not paused: its timers cannot wait"],
        )


async def test_a_paused_run_may_be_cancelled_and_terminated(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        one, other = await hf.start(patient), await hf.start(patient)
        await asyncio.gather(one.pause(), other.pause())
        await _until_status(one, RunStatus.PAUSED)
        await _until_status(other, RunStatus.PAUSED)

        await one.cancel("no")
        await other.terminate("no")

        for run in (one, other):
            with pytest.raises(RunCancelled, match="no"):
                await run.result(timeout=SOON)


async def test_a_run_is_paused_before_it_starts_and_starts_in_time(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient.options(delay=100 * SECOND))
        await run.pause()
        await run.resume()
        assert (await env.describe(run)).status is RunStatus.PENDING

        await run.signal("go", 5)

        before = env.clock.now()
        assert await run.result() == 5
        assert env.clock.now() - before >= 90_000_000


async def test_a_deadline_counts_while_a_run_is_paused(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient.options(deadline=100 * SECOND))
        await env.wait_until_quiet()
        await run.pause()
        await env.wait_until_quiet()
        assert await run.status() is RunStatus.PAUSED

        env.clock.advance(101 * SECOND)

        with pytest.raises(DeadlineExceeded):
            await run.result()


async def test_only_runs_that_go_on_can_be_paused(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(patient)
        await run.pause()
        await _until_status(run, RunStatus.PAUSED)

        with pytest.raises(NotRunning, match="is paused and cannot be paused"):
            await run.pause()
        await run.resume()
        with pytest.raises(NotParked):
            await run.resume()


async def test_a_resume_before_the_pause_is_made_says_so(store_url: str) -> None:
    gates["first"] = asyncio.Event()
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(two_tasks, id="two")
        await until(lambda: begun == ["first"])
        with pytest.raises(NotParked, match="'two' is running; only") as plain:
            await run.resume()
        assert not plain.value.is_pausing

        await run.pause()
        with pytest.raises(NotParked, match="'two' is to be paused, and is not yet") as early:
            await run.resume()
        assert early.value.is_pausing

        gates["first"].set()
        await _until_status(run, RunStatus.PAUSED)
        await run.resume()
        await run.result()
        with pytest.raises(NotParked, match="'two' is success; only"):
            await run.resume()


# --- children


@workflow(catalog=catalog)
async def strict(how: str = "return") -> Any:
    """Its children cannot be cancelled."""
    deaf.options(id="one", on_parent_end="terminate")()
    context().start_child(deaf, id="two", on_parent_end="terminate")
    deaf.options(id="left", on_parent_end="detach")()
    if how == "wait":
        await context().signal("go")
    await note_down("started")
    return how


async def test_children_are_terminated_when_their_parent_has_ended(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(strict)
        assert await run.result(timeout=SOON) == "return"

        for id in ("one", "two"):
            child = await hf.get(id)
            with pytest.raises(RunCancelled, match="terminated: its parent ended"):
                await child.result(timeout=SOON)
        assert not (await (await hf.get("left")).status()).is_final


async def test_children_are_terminated_after_every_crash(new_database: Callable[[], str]) -> None:
    async def wait(run: Any) -> None:
        child = await _appeared(run._client, "one")
        with pytest.raises(RunCancelled, match="terminated: its parent ended"):
            await child.result()

    assert await assert_durable(strict, during=wait, catalog=catalog, new_database=new_database) == "return"


@pytest.mark.parametrize("has_node", [True, False])
async def test_children_are_terminated_with_a_terminated_parent(store_url: str, has_node: bool) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(strict, "wait")
        await env.wait_until_quiet()
        if not has_node:
            env.clock.advance(10 * SECOND)
            await env.wait_until_quiet()

        await run.terminate("enough")

        for id in ("one", "two"):
            with pytest.raises(RunCancelled, match="terminated: its parent was terminated"):
                await (await env.get(id)).result()
        await env.wait_until_quiet()
        assert not (await (await env.get("left")).status()).is_final


async def test_what_becomes_of_a_child_is_said_once(store_url: str) -> None:
    with pytest.raises(BadOption, match="one of cancel, detach, terminate"):
        deaf.options(on_parent_end="abandon")
    with pytest.raises(BadOption, match="one of the two"):
        deaf.options(on_parent_end="cancel", detached=True)


# --- try now


async def _until_backoff(hf: Any, run: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not [each for each in await hf.tasks(run) if each.retry_at is not None]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_backoff_is_ended_by_hand(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(stumbling)
        await until(lambda: begun)
        await _until_backoff(hf, run)

        for wrong in ("stumbel", 7, ""):
            with pytest.raises(
                BadOption, match="must be a task of the run, by its name or number; it has stumble"
            ):
                await hf.try_now(run, wrong)
        await hf.try_now(run, "stumble", by="ann")

        assert await run.result(timeout=SOON) == "at last"


async def test_a_backoff_is_ended_though_no_node_has_the_run(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(stumbling)
        await env.wait_until_quiet()
        env.clock.advance(10 * SECOND)
        await env.wait_until_quiet()

        await env.try_now(run)

        before = env.clock.now()
        assert await run.result() == "at last"
        assert env.clock.now() - before < 3_000_000_000


# --- many at once


async def test_many_runs_are_counted_and_then_changed_together(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await hf.start_many(patient.options(tags=["batch"]), [f"s{n}" for n in range(30)])
        other = await hf.start(patient, "other")
        chosen = hf.select(tag="batch")

        assert await chosen.count() == 30
        assert (await chosen.pause("audit", by="ann")).done == 30
        await asyncio.gather(*(_until_status(run, RunStatus.PAUSED) for run in runs))
        assert await hf.select(tag="batch", status="paused").count() == 30
        assert (await chosen.resume()).done == 30
        assert (await chosen.terminate("enough")).done == 30
        for run in runs:
            with pytest.raises(RunCancelled):
                await run.result(timeout=SOON)
        report = await chosen.cancel()
        assert (report.done, report.refusals) == (0, 0)
        assert (await hf.select(workflow=patient, status="running").cancel("done")).done == 1
        with pytest.raises(RunCancelled):
            await other.result(timeout=SOON)


async def test_many_cancellations_are_written_together(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    post = SqlStore.post_messages

    async def counted(self: Any, namespace: str, messages: Any, *rest: Any, **more: Any) -> Any:
        writes.append(len(messages))
        return await post(self, namespace, messages, *rest, **more)

    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await hf.start_many(patient.options(tags=["batch"]), [f"s{n}" for n in range(250)])
        monkeypatch.setattr(SqlStore, "post_messages", counted)

        assert (await hf.select(tag="batch").cancel("enough", by="ann")).done == 250
        for run in runs:
            with pytest.raises(RunCancelled):
                await run.result(timeout=SOON)

    assert sum(writes) == 250
    assert len(writes) < 100


async def test_failures_of_one_cause_are_one_group_and_retried_together(store_url: str) -> None:
    other = Catalog()
    is_mended = False

    @workflow(catalog=other)
    async def brittle(number: int) -> int:
        if not is_mended:
            raise ValueError(f"no stock of item {number}")
        return number

    @workflow(catalog=other)
    async def elsewhere() -> None:
        raise LookupError("another cause")

    async with Holdfast(store_url, catalog=other) as hf:
        runs = [*await hf.start_many(brittle, range(36)), await hf.start(elsewhere)]
        await asyncio.gather(*(run.result(timeout=SOON) for run in runs), return_exceptions=True)

        first, second = await hf.failures()

        assert (first.count, second.count) == (36, 1)
        assert first.workflow == "brittle"
        assert first.place.endswith("in brittle")
        assert (await runs[0].describe()).fingerprint == first.fingerprint
        assert len(await hf.list(fingerprint=first.fingerprint)) == 36
        is_mended = True
        assert (await hf.select(fingerprint=first.fingerprint).retry(by="ann")).done == 36
        assert sorted([await run.result(timeout=SOON) for run in runs[:36]]) == list(range(36))
        assert len(await hf.failures()) == 1
