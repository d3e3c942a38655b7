"""Families that grow downwards: how deep they may be, and what a cancellation does to those that grow."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from tests.patience import until

from holdfast import (
    Catalog,
    Holdfast,
    Run,
    RunCancelled,
    RunFailed,
    RunStatus,
    TaskStatus,
    context,
    load_dag,
    task,
    workflow,
)
from holdfast.authoring.catalog import Definitions
from holdfast.errors import FamilyTooDeep, NotOpen, RunEnded, RunExists, UnknownWorkflow
from holdfast.ports.programs import Pinned
from holdfast.ports.runs import RunFilter
from holdfast.testing import Environment, SimulatedRun, simulate

catalog = Catalog()


@workflow(catalog=catalog)
async def endless() -> None:
    await context().start_child("endless")


@workflow(catalog=catalog)
async def countdown(n: int) -> int:
    return 0 if n == 0 else 1 + await countdown(n - 1)


@workflow(catalog=catalog)
async def remembering() -> list[str]:
    """Says how its child failed, once when it hears of it and once after it was asked again."""
    try:
        await countdown(3)
    except FamilyTooDeep as error:
        said = f"{type(error).__name__} {error.workflow} {error.limit}"
    except LookupError as error:
        said = type(error).__name__
    else:
        said = "it went well"
    await context().signal("go")
    return [said]


async def runs_by_depth(env: Environment) -> list[tuple[int, str]]:
    records = [(await env.history(run.id)).run for run in await env.list()]
    return sorted((record.depth, str(record.status)) for record in records)


@workflow(catalog=catalog)
async def tree() -> None:
    """Grows twofold."""
    await asyncio.gather(tree(), tree())


# --- the limit


async def test_a_workflow_that_calls_itself_without_an_end_fails_at_the_limit(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, max_depth=3) as env:
        with pytest.raises(
            FamilyTooDeep, match=r"'endless' was not started.*more than 3 ancestors"
        ) as caught:
            await env.run(endless)

        assert isinstance(caught.value, RunFailed)
        assert await runs_by_depth(env) == [(depth, "failed") for depth in range(5)]
        assert await env.doctor() == []


async def test_a_family_may_be_as_deep_as_the_limit(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, max_depth=3) as env:
        assert await env.run(countdown, 3) == 3
        with pytest.raises(FamilyTooDeep):
            await env.run(countdown, 4)


async def test_dags_that_call_each_other_without_an_end_fail_at_the_limit(
    store_url: str, tmp_path: Path
) -> None:
    mine = Catalog()
    for name, other in (("ping", "pong"), ("pong", "ping")):
        (tmp_path / f"{name}.yaml").write_text(f"name: {name}\ntasks: {{call: {{workflow: {other}}}}}\n")
        load_dag(tmp_path / f"{name}.yaml", catalog=mine)

    async with Environment(store_url, catalog=mine, max_depth=4) as env:
        run = await env.start("ping", id="top")
        with pytest.raises(
            FamilyTooDeep,
            match=r"^task 'call' failed: a run of '\w+' was not started.*raise the setting max_depth",
        ):
            await run.result()

        [call] = await env.tasks(run)
        assert (call.status, "max_depth" in (call.problem or "")) == (TaskStatus.FAILED, True)
        assert await runs_by_depth(env) == [(depth, "failed") for depth in range(6)]


async def test_a_crash_at_any_commit_changes_nothing_of_what_is_heard() -> None:
    async def heard(crash_at: int | None, *, crash_after: bool) -> tuple[Any, int]:
        async with Environment(
            catalog=catalog, crash_at=crash_at, crash_after=crash_after, max_depth=2
        ) as env:
            run = None
            while run is None:
                try:
                    run = await env.start(remembering, id="top")
                except NotOpen:  # the crash came before it was recorded
                    await env.wait_until_quiet()
            await run.signal("go")
            result = await run.result()
            assert await env.doctor() == []
            return result, env.crash_points.commits

    expected, commits = await heard(None, crash_after=False)

    assert expected == ["FamilyTooDeep countdown 2"]
    for number in range(1, commits + 1):
        for crash_after in (False, True):
            assert (await heard(number, crash_after=crash_after))[0] == expected


async def test_a_child_whose_workflow_has_just_gone_is_refused_in_the_same_words_on_replay(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(programs: Definitions, name: str, version: str | None) -> Pinned:
        if name == "countdown":
            raise UnknownWorkflow(name, version, [])
        return pin(programs, name, version)

    pin = Definitions.pin
    async with Environment(store_url, catalog=catalog) as env:
        monkeypatch.setattr(Definitions, "pin", lose)
        await env.start(remembering, id="top")
        await env.wait_until_quiet()
        monkeypatch.undo()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.get("top")
        await run.signal("go")

        assert await run.result() == ["UnknownWorkflow"]


async def test_what_was_heard_is_heard_again_on_replay_whatever_the_limit_is_then(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, max_depth=2) as env:
        run = await env.start(remembering, id="top")
        await env.wait_until_quiet()

    async with Environment(store_url, catalog=catalog, max_depth=50) as env:
        run = await env.get("top")
        await run.signal("go")

        assert await run.result() == ["FamilyTooDeep countdown 2"]


async def test_with_a_higher_limit_a_retry_goes_on_from_there(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, max_depth=2) as env:
        run = await env.start(countdown, 6, id="top")
        with pytest.raises(FamilyTooDeep):
            await run.result()

    async with Environment(store_url, catalog=catalog, max_depth=6) as env:
        await env.retry("top")

        assert await env.result("top") == 6
        assert await runs_by_depth(env) == [(depth, "success") for depth in range(7)]


async def test_a_detached_child_begins_a_family_of_its_own(store_url: str) -> None:
    mine = Catalog()

    @workflow(catalog=mine)
    async def successor(n: int) -> int:
        if n:
            context().start_child("successor", n - 1, id=f"successor-{n - 1}", detached=True)
        return n

    async with Environment(store_url, catalog=mine, max_depth=1) as env:
        await env.run(successor, 4)
        await env.wait_until_quiet()

        assert await env.result("successor-0") == 0
        assert await runs_by_depth(env) == [(0, "success")] * 5


async def test_a_child_that_is_too_deep_and_has_the_id_of_another_hears_of_the_id(store_url: str) -> None:
    mine = Catalog()

    @workflow(catalog=mine)
    async def bottom() -> None: ...

    @workflow(catalog=mine)
    async def middle() -> str:
        try:
            await bottom.options(id="taken")()
        except RunExists:
            await context().signal("go")
            return "taken"
        return "begun"

    @workflow(catalog=mine)
    async def top() -> str:
        return await middle()

    async with Environment(store_url, catalog=mine, max_depth=1) as env:
        await env.run(bottom, id="taken")
        run = await env.start(top, id="top")
        await env.wait_until_quiet()
        await env.crash()
        await env.signal("top/0", "go")

        assert await run.result() == "taken"


# --- cancelling


@task(catalog=catalog)
async def note(what: str) -> None:
    NOTES.append(what)


NOTES: list[str] = []


@workflow(catalog=catalog)
async def noting() -> None:
    await note("a child has begun")


@workflow(catalog=catalog)
async def starting_late() -> None:
    await context().signal("go")
    await noting()


async def test_a_cancellation_that_comes_with_what_it_waited_for_lets_no_child_begin(store_url: str) -> None:
    NOTES.clear()
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        run = await client.start(starting_late, id="late")
        await run.signal("go")
        await run.cancel("never mind")

    async with Environment(store_url, catalog=catalog) as env:
        with pytest.raises(RunCancelled, match="never mind"):
            await env.result("late")
        await env.wait_until_quiet()

        children = [each for each in await env.list() if each.id != "late"]
        assert [each.status for each in children] == [RunStatus.CANCELLED]
        assert NOTES == []
        assert await env.doctor() == []


async def test_a_cancellation_that_comes_with_what_it_waited_for_lets_a_dag_start_nothing(
    store_url: str, tmp_path: Path
) -> None:
    mine = Catalog()
    (tmp_path / "inner.yaml").write_text(f"tasks: {{a: {{command: touch {tmp_path / 'begun'}}}}}\n")
    (tmp_path / "outer.yaml").write_text(
        "tasks: {go: {wait_for_signal: true}, call: {workflow: inner, depends_on: go}}\n"
    )
    load_dag(tmp_path / "inner.yaml", catalog=mine)
    outer = load_dag(tmp_path / "outer.yaml", catalog=mine)
    async with Holdfast(store_url, catalog=mine, engine=False) as client:
        run = await client.start(outer, id="late")
        await run.signal("go")
        await run.cancel("never mind")

    async with Environment(store_url, catalog=mine) as env:
        with pytest.raises(RunCancelled, match="never mind"):
            await env.result("late")
        await env.wait_until_quiet()

        assert [each.id for each in await env.list()] == ["late"]
        assert not (tmp_path / "begun").exists()


async def test_a_family_that_grows_without_an_end_has_ended_soon_after_it_was_cancelled(
    store_url: str,
) -> None:
    async with Environment(store_url, catalog=catalog, max_depth=40) as env:
        run = await env.start(endless, id="top")
        await asyncio.sleep(0)
        await run.cancel("enough")
        with pytest.raises((RunCancelled, RunFailed)):
            await run.result()
        await env.wait_until_quiet()

        runs = await env.list()
        assert all(each.status.is_final for each in runs)
        assert len(runs) <= 42
        assert await env.doctor() == []


def test_whatever_goes_wrong_a_family_that_grows_without_an_end_is_cancelled_or_fails() -> None:
    endings: set[str] = set()

    async def cancel(run: Run[Any]) -> None:
        await asyncio.sleep(0.5)  # some generations are there by then
        with contextlib.suppress(RunEnded):  # it was too deep already
            await run.cancel("enough")

    def check(run: SimulatedRun) -> None:
        assert isinstance(run.error, RunCancelled | FamilyTooDeep)
        endings.add(type(run.error).__name__)

    summary = simulate(endless, seeds=6, during=cancel, check=check, catalog=catalog)

    assert summary.seeds == 6
    assert "RunCancelled" in endings


async def test_a_family_that_grows_in_width_is_overtaken_by_its_cancellation(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, max_resident=20) as env:
        run = await env.start(tree, id="top")
        await until(lambda: is_grown(env))
        before = await size(env)

        await run.cancel()

        await until(lambda: is_over(env))
        # Each run that was cancelled before its turn ends without a step. Only runs that the node had in
        # memory may have started more, and their children, before they heard of it.
        assert await size(env) < 3 * before
        assert await env.doctor() == []


async def is_grown(env: Environment) -> bool:
    return len(await env.list(limit=150)) == 150


async def size(env: Environment) -> int:
    return len(await env._store.list_runs(env.namespace, RunFilter(limit=100_000)))


async def is_over(env: Environment) -> bool:
    return not (await env.list(status="running") or await env.list(status="pending"))
