"""What a run is started with: a later start, a deadline, tags, a note, a priority, and a taken id."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_bounded_work import use_tuning
from tests.patience import SOON

from holdfast import (
    Catalog,
    DeadlineExceeded,
    Holdfast,
    RunCancelled,
    RunExists,
    RunFailed,
    RunStatus,
    Signal,
    TaskStatus,
    context,
    load_dag,
    load_flow,
    task,
    with_options,
    workflow,
)
from holdfast.errors import BadOption
from holdfast.ports.commits import Commit
from holdfast.stores.sql_store import SqlStore
from holdfast.testing import Environment, assert_durable

catalog = Catalog()
SECOND = dt.timedelta(seconds=1)
cleaned: list[str] = []
began: list[Any] = []


@task(catalog=catalog)
async def note_down(what: Any) -> Any:
    began.append(what)
    return what


@workflow(catalog=catalog)
async def simple(number: int = 0) -> int:
    return await note_down(number)


@workflow(catalog=catalog)
async def patient(name: str = "go") -> Any:
    return await context().signal(name)


@workflow(catalog=catalog)
async def tidy() -> None:
    try:
        await asyncio.sleep(3600)
    finally:
        cleaned.append(await note_down("tidy"))


@workflow(catalog=catalog)
async def deaf() -> str:
    """Goes on whatever it is told."""
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            continue


@workflow(catalog=catalog)
async def late_answer() -> str:
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        return "partial"
    return "whole"


@workflow(catalog=catalog)
async def late_trouble() -> str:
    try:
        await asyncio.sleep(3600)
    finally:
        raise LookupError("no such shelf")


@pytest.fixture(autouse=True)
def forget() -> None:
    cleaned.clear()
    began.clear()


# --- a later start


async def test_a_run_with_a_delay_starts_when_it_is_over(new_database: Callable[[], str]) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        before = env.clock.now()

        run = await env.start(simple.options(delay=90 * SECOND), 5)
        info = await run.describe()

        assert info.status is RunStatus.PENDING
        assert info.waiting is not None
        assert info.waiting.startswith("until ")
        assert await run.result() == 5
        assert env.clock.now() - before >= 90_000_000


async def test_a_delayed_run_survives_every_crash(new_database: Callable[[], str]) -> None:
    configured = simple.options(delay=90 * SECOND)

    assert await assert_durable(configured, 7, catalog=catalog, new_database=new_database) == 7


async def test_a_message_does_not_start_a_run_before_its_time(new_database: Callable[[], str]) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(patient.options(start_at=env.clock.time() + 60 * SECOND))

        await run.signal("go", 1)
        await asyncio.sleep(0.05)

        assert await run.status() is RunStatus.PENDING
        assert await run.result() == 1


async def test_a_cancellation_ends_a_run_before_its_time(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(patient.options(delay=3600 * SECOND))

        await run.cancel("not needed")

        with pytest.raises(RunCancelled, match="not needed"):
            await run.result(timeout=SOON)


@pytest.mark.parametrize(("signals", "tick_bytes"), [(1, 1000), (3, 1000), (3, 1)])
async def test_a_run_that_is_cancelled_before_its_time_does_not_begin(
    store_url: str, monkeypatch: pytest.MonkeyPatch, signals: int, tick_bytes: int
) -> None:
    """Also if its node reads one message at a time, and older ones leave no room for the cancellation."""
    use_tuning(monkeypatch, tick_bytes=tick_bytes)
    commit = SqlStore.commit
    steps: list[Any] = []

    async def commit_with_little_mail(self: Any, it: Commit) -> Any:
        it.mail_rows = 1
        steps.extend(it.steps)
        return await commit(self, it)

    monkeypatch.setattr(SqlStore, "commit", commit_with_little_mail)
    async with Holdfast(store_url, catalog=catalog) as hf:
        async with Holdfast(store_url, catalog=catalog, engine=False) as client:
            run = await client.start(simple.options(delay=3600 * SECOND), 5)
            for number in range(signals):
                await run.signal("go", number)
            await run.cancel("not needed")

            with pytest.raises(RunCancelled, match="not needed"):
                await run.result(timeout=SOON)
        assert (began, steps) == ([], [])
        told = await hf.messages(run.id)
        assert [message.kind for message in told if message.is_read] == ["cancel"]


@pytest.mark.parametrize("how", ["cancel", "terminate"])
async def test_a_run_that_is_retried_before_its_start_waits_for_it(store_url: str, how: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        before = env.clock.now()
        run = await env.start(simple.options(delay=3600 * SECOND), 5)
        for _ in range(2):
            await getattr(env, how)(run)
            with pytest.raises(RunCancelled):
                await run.result()
            await env.retry(run)
            await run.signal("go", 1)  # which wakes no run before its start
            await asyncio.sleep(0.1)
            await env.crash()
            assert (began, await run.status()) == ([], RunStatus.PENDING)

        assert "start" in [reason.kind for reason in (await env.explain(run)).reasons]
        assert await run.result() == 5
        assert env.clock.now() - before >= 3600_000_000


async def test_a_retry_with_a_deadline_before_the_start_starts_the_run(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(simple.options(delay=3600 * SECOND), 5)
        await env.terminate(run)
        await env.retry(run, deadline=60 * SECOND)

        assert await run.result() == 5


# --- deadlines


async def test_a_run_that_misses_its_deadline_cleans_up_and_fails_by_name(
    new_database: Callable[[], str],
) -> None:
    with pytest.raises(DeadlineExceeded, match="had not ended by its deadline"):
        await assert_durable(tidy.options(deadline=60 * SECOND), catalog=catalog, new_database=new_database)

    assert cleaned


@pytest.mark.parametrize("disobedient", [late_answer, late_trouble])
async def test_what_a_run_does_after_its_deadline_does_not_save_it(
    disobedient: Any, new_database: Callable[[], str]
) -> None:
    configured = disobedient.options(deadline=60 * SECOND)

    with pytest.raises(DeadlineExceeded) as raised:
        await assert_durable(configured, catalog=catalog, new_database=new_database)

    assert isinstance(raised.value, RunFailed)


async def test_a_run_that_goes_on_after_its_deadline_is_ended(new_database: Callable[[], str]) -> None:
    with pytest.raises(DeadlineExceeded):
        await assert_durable(deaf.options(deadline=60 * SECOND), catalog=catalog, new_database=new_database)


async def test_a_deadline_wakes_a_run_that_waits_for_nothing_else(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient.options(deadline=60 * SECOND))
        env.clock.advance(30 * SECOND)
        await asyncio.sleep(0.05)
        assert (await run.describe()).waiting == "signal 'go'"

        with pytest.raises(DeadlineExceeded):
            await run.result()


async def test_a_parked_run_ends_at_its_deadline(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient.options(deadline=600 * SECOND))
        await env.crash()
        history = await env.history(run)
        assert history.steps
        broken = Catalog()

        @workflow(name="patient", catalog=broken)
        async def edited(name: str = "go") -> Any:
            return await context().signal("another")

    async with Environment(store_url, catalog=broken) as env:
        env.clock.advance(60 * SECOND)
        run = await env.get(run.id)
        await asyncio.sleep(0.1)
        assert (await run.describe()).status is RunStatus.PARKED

        env.clock.advance(700 * SECOND)

        with pytest.raises(DeadlineExceeded):
            await run.result(timeout=SOON)


DAG = """
name: slow
tasks:
  wait: {sleep: 1h}
"""
FLOW = """
name: slow-flow
start: wait
nodes:
  wait: {kind: approval}
"""


@task(catalog=catalog)
async def endless() -> None:
    await asyncio.Event().wait()


async def test_a_task_by_itself_keeps_its_deadline(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(with_options(endless, deadline=dt.timedelta(seconds=0.3), tags=["alone"]))

        with pytest.raises(DeadlineExceeded):
            await run.result(timeout=SOON)
        assert [task.status for task in await hf.tasks(run)] == [TaskStatus.CANCELLED]
        assert len(await hf.list(tag="alone", status="failed")) == 1


@pytest.mark.parametrize("kind", ["dag", "flow"])
async def test_dags_and_flows_keep_deadlines_too(
    kind: str, tmp_path: Path, new_database: Callable[[], str]
) -> None:
    files = Catalog()
    if kind == "dag":
        (tmp_path / "slow.yaml").write_text(DAG)
        slow: Any = load_dag(tmp_path / "slow.yaml", catalog=files)
    else:
        (tmp_path / "slow.flow.yaml").write_text(FLOW)
        slow = load_flow(tmp_path / "slow.flow.yaml", catalog=files)

    with pytest.raises(DeadlineExceeded):
        await assert_durable(
            with_options(slow, deadline=60 * SECOND), catalog=files, new_database=new_database
        )


# --- tags, note, priority, who


async def test_tags_are_listed_and_found(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        red = await hf.start(simple.options(tags=["red", "round"], note="the first", by="ann"), 1)
        blue = await hf.start(simple.options(tags=["blue", "round"], priority=3), 2)
        await asyncio.gather(red.result(timeout=SOON), blue.result(timeout=SOON))

        info = await red.describe()

        assert (info.tags, info.note, info.started_by) == (("red", "round"), "the first", "ann")
        assert (await blue.describe()).priority == 3
        assert [each.id for each in await hf.list(tag="round")] == [blue.id, red.id]
        assert [each.id for each in await hf.list(tag="red", status="success")] == [red.id]
        assert await hf.list(tag="red", status="failed") == []
        assert [each.id for each in await hf.list(tag="round", limit=1, before=blue)] == [red.id]
        assert await hf.list(tag="round", workflow="patient") == []


async def test_a_run_that_exists_keeps_its_tags(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.start(simple.options(id="a", tags=["first"]), 1)
        await hf.start(simple.options(id="a", tags=["second"]), 1)

        assert len(await hf.list(tag="first")) == 1
        assert await hf.list(tag="second") == []


async def test_runs_of_a_higher_priority_are_claimed_first(store_url: str) -> None:
    other = Catalog()
    order: list[int] = []

    @workflow(catalog=other)
    async def line(number: int) -> None:
        order.append(number)

    async with Holdfast(store_url, catalog=other, engine=False) as hf:
        runs = [
            await hf.start(line.options(priority=number % 3), number)  # 0, 1, 2, 0, 1, 2
            for number in range(6)
        ]
    async with Holdfast(store_url, catalog=other) as hf:
        for run in runs:
            await (await hf.get(run.id)).result(timeout=SOON)

    assert order == [2, 5, 1, 4, 0, 3]


# --- ids that are taken


async def test_an_id_gives_the_same_run_only_for_the_same_workflow_and_input(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        first = await hf.start(simple, 1, id="a")

        assert (await hf.start(simple, 1, id="a")).key == first.key
        assert (await hf.start(simple, number=1, id="a")).key == first.key
        with pytest.raises(RunExists, match=r"run 'a' exists, and it has number=1, not number=2; give"):
            await hf.start(simple, 2, id="a")
        with pytest.raises(RunExists, match="it is a run of 'simple', not of 'patient'"):
            await hf.start(patient, id="a")
        with pytest.raises(RunExists):
            await hf.start_many(simple, [1, 2], ids=["b", "a"])
        assert len(await hf.list()) == 2


async def test_an_id_can_be_refused_if_it_is_taken(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.start(simple.options(id="a", id_policy="refuse"), 1)

        with pytest.raises(RunExists, match="run 'a' exists; give"):
            await hf.start(simple.options(id="a", id_policy="refuse"), 1)
        with pytest.raises(RunExists):
            await hf.start_many(simple.options(id_policy="refuse"), [1, 1], ids=["b", "a"])
        with pytest.raises(BadOption, match="together with an id"):
            await hf.start(simple.options(id_policy="refuse"), 1)


# --- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delay": 5}, "timedelta"),
        ({"delay": -SECOND}, "zero or more"),
        ({"start_at": dt.datetime(2030, 1, 1)}, "time zone"),  # noqa: DTZ001
        ({"start_at": dt.datetime(2030, 1, 1, tzinfo=dt.UTC), "delay": SECOND}, "one of the two"),
        ({"deadline": dt.timedelta(0)}, "more than zero"),
        ({"deadline": dt.datetime(2030, 1, 1)}, "time zone"),  # noqa: DTZ001
        ({"tags": "red"}, "a list of texts"),
        ({"tags": [1]}, "text of 1 to 200"),
        ({"tags": [str(n) for n in range(21)]}, "20 at most"),
        ({"note": 5}, "text of up to"),
        ({"priority": 10}, "from 0 to 9"),
        ({"priority": True}, "from 0 to 9"),
        ({"id": "a", "id_policy": "overwrite"}, "one of return, refuse"),
        ({"dealine": SECOND}, "one of id, version"),
    ],
)
async def test_bad_options_are_refused_at_once(options: Any, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        simple.options(**options)
    with pytest.raises(BadOption, match=message):
        with_options("simple", **options)


async def test_a_deadline_must_be_after_the_start(store_url: str) -> None:
    past = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    async with Holdfast(store_url, catalog=catalog) as hf:
        with pytest.raises(BadOption, match="after the start"):
            await hf.start(simple.options(deadline=past), 1)
        with pytest.raises(BadOption, match="given once"):
            await hf.start(simple.options(id="a"), 1, id="b")
        assert await hf.list() == []


# --- children


@workflow(catalog=catalog)
async def parent() -> list[str]:
    return [
        str(await simple.options(tags=["child"], delay=60 * SECOND)(3)),
        await _ending(tidy.options(deadline=60 * SECOND)()),
    ]


async def _ending(child: Any) -> str:
    try:
        await child
    except DeadlineExceeded:
        return "too late"
    return "in time"


async def test_children_may_have_options_too(new_database: Callable[[], str]) -> None:
    result = await assert_durable(parent, catalog=catalog, new_database=new_database)

    assert result == ["3", "too late"]


@workflow(catalog=catalog)
async def family() -> None:
    await asyncio.gather(
        simple.options(id="plain")(1),
        simple.options(id="tagged", tags=["child"])(2),
        simple.options(id="own", priority=5)(3),
        simple.options(id="none", priority=0)(4),
        simple.options(id="bound", on_parent_end="terminate")(5),
    )


async def test_children_have_the_priority_of_their_parent_unless_they_name_one(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await (await hf.start(family.options(priority=7))).result(timeout=SOON)

        found = {each.id: each.priority for each in await hf.list(workflow="simple")}

        assert found == {"plain": 7, "tagged": 7, "own": 5, "none": 0, "bound": 7}


@pytest.mark.parametrize("options", [{"on_parent_end": "terminate"}, {"detached": True}])
async def test_a_run_without_a_parent_cannot_be_told_what_to_do_at_its_end(
    sqlite_url: str, options: dict[str, Any]
) -> None:
    go = Signal("go", 1)
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        target = simple.options(id="alone", **options)
        for attempt in (hf.start(target, 5), hf.start_many(target, [5]), hf.signal_or_start(target, go, 5)):
            with pytest.raises(BadOption, match="a run that a client starts has no parent"):
                await attempt

        assert await hf.list() == []
