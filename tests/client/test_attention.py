"""What needs a person: each kind through a real situation, and the sentences."""

from __future__ import annotations

import asyncio
import datetime as dt
from urllib.parse import parse_qs

import msgspec
import pytest
from tests.engine.test_queued_work import ONE, start
from tests.stores.builders import Node, at, key, new_run, new_task
from tests.timed_environment import TimedEnvironment

import holdfast.client.attention as reading
from holdfast import Catalog, Holdfast, context, task, workflow
from holdfast.core.attention import Attention, AttentionItem, plain_text
from holdfast.core.english import counted, number_words, span_words, times_words
from holdfast.core.explanations import ExplanationPart
from holdfast.core.values import TaskStatus, moment
from holdfast.ports.fleet import NodeReport, QueueReport, WaitingAttempt

MINUTE = dt.timedelta(minutes=1)
HOUR = dt.timedelta(hours=1)


def new_catalog(version: str = "1") -> Catalog:
    catalog = Catalog()

    @task(catalog=catalog)
    async def charge(number: int) -> None:
        raise ValueError(f"declined: {number}")

    @task(catalog=catalog)
    async def fine() -> None: ...

    @workflow(catalog=catalog, version=version)
    async def pay(number: int = 0) -> None:
        await charge(number)

    @workflow(catalog=catalog, version=version)
    async def broken() -> None:
        raise KeyError("nothing")

    @workflow(catalog=catalog, version=version)
    async def asking() -> bool:
        return await context().ask("May it be sent?", answer=bool, name="verdict")

    @workflow(catalog=catalog, version=version)
    async def quick() -> None:
        await fine()

    @workflow(catalog=catalog, version=version)
    async def stuck() -> None:
        await asyncio.Event().wait()

    @workflow(catalog=catalog, version=version)
    async def lost() -> None:
        await asyncio.Event().wait()

    return catalog


def only(found: Attention) -> AttentionItem:
    (item,) = found.items
    return item


def refs(parts: list[ExplanationPart]) -> list[tuple[str, str]]:
    return [(part.kind, part.ref or part.text) for part in parts if part.kind]


async def test_nothing_needs_a_person(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog()) as env:
        await env.run("quick")
        await env.schedules.put("hourly", "quick", cron="0 * * * *")
        await env.skip(13 * MINUTE)

        found = await env.attention()

        assert found.is_fine
        assert found.items == []
        assert plain_text(found.sentence) == (
            "All is well: nothing needs a person. No run is under way; the next schedule fires in 47 min."
        )
        assert plain_text(found.more).startswith(
            "In the last 24 hours runs ended once. One node is up; the database answers in "
        )
        assert found.database.kind == ("SQLite" if "sqlite" in store_url else "PostgreSQL")
        assert 0 < found.database.answers_in < 30


async def test_failed_runs_are_one_item_for_each_cause(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog()) as env:
        runs = [await env.start("pay", number, id=f"pay-{number}") for number in range(3)]
        runs.append(await env.start("broken", id="odd"))
        for run in runs:
            with pytest.raises(Exception, match=r"declined|nothing"):
                await run.result()

        found = await env.attention()
        most, least = found.items

        assert (most.kind, most.title, most.count) == ("failed", "pay failed in charge, 3 times", 3)
        assert plain_text(most.parts) == (
            "All with ValueError: declined: 2. Recorded results stay, so a retry begins at charge."
        )
        assert (most.run, most.workflow, most.act) == ("pay-2", "pay", "retry")
        since = moment(env.clock.now()).replace(second=0, microsecond=0) - 24 * HOUR
        assert parse_qs(most.filter) == {
            "status": ["failed"],
            "fingerprint": [most.fingerprint],
            "created_after": [since.isoformat()],
        }
        assert (least.title, least.count) == ("broken failed", 1)
        assert plain_text(least.parts).startswith("It failed with KeyError: ")
        assert plain_text(found.sentence).startswith("Work goes on, and two things need a person.")
        assert "runs ended 4 times, 4 with a failure, 3 of them for one reason." in plain_text(found.more)
        assert found.counts.failed_lately == 4
        listed = await env.list(fingerprint=most.fingerprint)
        assert {run.id for run in listed} == {"pay-0", "pay-1", "pay-2"}


async def test_yesterdays_failures_are_forgotten(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog()) as env:
        run = await env.start("broken")
        with pytest.raises(Exception, match="nothing"):
            await run.result()
        await env.skip(25 * HOUR)

        assert (await env.attention()).is_fine


async def test_a_parked_run_is_told_with_its_reason(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog()) as env:
        await env.start("stuck", id="first")
        await env.wait_until_quiet()
        one = only(await env.attention())
        await env.start("stuck", id="second")
        await env.wait_until_quiet()
        env.clock.advance(dt.timedelta(seconds=1))
        two = only(await env.attention())

        assert (one.kind, one.title, one.run) == ("parked", "stuck is parked", "first")
        assert refs(one.parts) == [("run", "first")]
        assert plain_text(one.parts).startswith("first: ")
        assert plain_text(one.parts).endswith(" tried again by itself.")
        assert (one.filter, one.act) == ("status=parked&workflow=stuck", "resume")
        assert (two.title, two.count, two.run) == ("2 runs of stuck are parked", 2, "second")


async def test_parked_runs_of_a_workflow_are_one_item_whatever_the_cause(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    async with TimedEnvironment(sqlite_url, catalog=new_catalog()) as env:
        await env.start("stuck", id="first")
        await env.start("lost", id="second")
        await env.start("lost", id="third")
        await env.wait_until_quiet()
        every = (await env.attention()).items
        monkeypatch.setattr(reading, "_PARKED", 2)
        env.clock.advance(dt.timedelta(seconds=2))
        few = only(await env.attention())

        assert [(item.title, item.filter) for item in every] == [
            ("2 runs of lost are parked", "status=parked&workflow=lost"),
            ("stuck is parked", "status=parked&workflow=stuck"),
        ]
        assert (few.title, few.since) == ("2 or more runs of lost are parked", None)


async def test_open_questions_are_one_item(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog()) as env:
        await env.start("asking", id="first")
        await env.skip(2 * HOUR)
        one = only(await env.attention())
        await env.start("asking", id="second")
        await env.skip(2 * MINUTE)
        two = only(await env.attention())

        assert (one.kind, one.title, one.act) == ("question", "a question waits for somebody", "answer")
        assert plain_text(one.parts) == "Run first asks May it be sent?, for 2 h."
        assert (two.title, two.count) == ("2 questions wait for somebody", 2)
        assert plain_text(two.parts) == "The oldest is of first: May it be sent?, for 2 h 02 min."
        assert (two.run, two.workflow) == ("first", "asking")


async def test_without_a_node_no_work_goes_on(store_url: str):
    async with Holdfast(store_url, catalog=new_catalog(), engine=False) as hf:
        await hf.start("quick")

        found = await hf.attention()

        assert (only(found).kind, only(found).title) == ("node", "no node is running")
        assert plain_text(found.sentence) == (
            "No work goes on, and one thing needs a person. 1 run is under way."
        )
        assert "No node is up;" in plain_text(found.more)


async def test_runs_of_code_that_no_node_has_are_told(store_url: str):
    async with Holdfast(store_url, catalog=new_catalog("7"), engine=False) as hf:
        await hf.start("quick")
    async with TimedEnvironment(store_url, catalog=new_catalog("8")) as env:
        await env.skip(dt.timedelta(seconds=1))  # the run was started by a real clock, years before
        item = only(await env.attention())

        assert item.kind == "overdue"
        assert item.title.startswith("no node has version '7' of workflow 'quick'; nodes have '8'")
        assert "Start a node that has version '7' of workflow 'quick'" in plain_text(item.parts)


async def test_tasks_that_wait_for_workers_are_told(store_url: str):
    async with TimedEnvironment(store_url) as env:
        await start(env, ONE)
        early = await env.attention()
        env.clock.advance(20 * dt.timedelta(seconds=1))
        none = only(await env.attention())
        env.clock.advance(6 * MINUTE)
        await env.workers.register("w1", "", ["resize"])
        slow = only(await env.attention())

        assert early.is_fine
        assert (none.kind, none.title) == ("service", "no worker for service resize")
        assert plain_text(none.parts).startswith("1 task waits, the oldest for 20 s. No worker of resize")
        assert (slow.kind, slow.title) == ("queue", "service resize falls behind")
        assert refs(slow.parts) == [("service", "resize")]


@pytest.mark.parametrize(("minutes", "is_told"), [(4, False), (6, True)])
async def test_tasks_that_wait_for_long_behind_a_limit_are_told(sqlite_url: str, minutes: int, is_told: bool):
    async with Holdfast(sqlite_url, catalog=new_catalog(), engine=False) as hf:
        now = (hf._now() - at(0)) / 1_000_000
        node = Node(hf._store, "here", namespace=hf.namespace)
        pending = {"status": TaskStatus.PENDING, "created_at": at(now - 60 * minutes)}
        tasks = [msgspec.structs.replace(new_task(1, seq), **pending) for seq in range(2)]
        await node.commit(now, created=[new_run(1, owner=node.id, namespace=hf.namespace)], tasks=tasks)
        first = [WaitingAttempt(key(1), seq) for seq in range(2)]
        report = NodeReport("0.9.2", False, [QueueReport("ledger", 4, 4, 12, first)])
        await hf._store.write_node_report(node.id, report)

        found = await hf.attention()

        assert found.is_fine is not is_told
        for item in found.items:
            assert (item.kind, item.title, item.count) == ("limit", "queue ledger is full", 12)
            assert plain_text(item.parts) == (
                "12 tasks wait for a slot of ledger on here, the oldest for 6 min. 4 of 4 slots are held."
            )
            assert refs(item.parts) == [("queue", "ledger"), ("node", "here")]


async def test_paused_schedules_are_one_item(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog()) as env:
        for name in ("a", "b"):
            await env.schedules.put(name, "quick", cron="0 * * * *")
        await env.schedules.pause("a")
        await env.skip(dt.timedelta(seconds=2))
        one = only(await env.attention())
        await env.schedules.pause("b")
        await env.skip(dt.timedelta(seconds=2))
        two = only(await env.attention())

        assert (one.kind, one.title, one.count) == ("schedule", "schedule a is paused", 1)
        assert plain_text(one.parts) == "a starts no runs until somebody resumes it."
        assert (two.title, two.count) == ("2 schedules are paused", 2)
        assert plain_text(two.parts) == "a, b start no runs until somebody resumes them."
        assert refs(two.parts) == [("schedule", "a"), ("schedule", "b")]


async def test_a_schedule_that_no_node_fires_is_told(store_url: str):
    async with TimedEnvironment(store_url, catalog=new_catalog("1")) as env:
        await env.schedules.put("hourly", "quick", cron="0 * * * *", version="1")
    async with TimedEnvironment(store_url, catalog=new_catalog("2")) as env:
        await env.skip(HOUR + 3 * MINUTE)

        item = only(await env.attention())

        assert (item.kind, item.title) == ("schedule", "schedule hourly does not fire")
        assert plain_text(item.parts).startswith("hourly is due since 2030-01-01T01:00:00+00:00, and no node")


async def test_a_node_that_was_lost_is_told_while_others_are_up(sqlite_url: str):
    async with Holdfast(sqlite_url, catalog=new_catalog(), engine=False) as hf:
        now = (hf._now() - at(0)) / 1_000_000
        await Node(hf._store, "gone", namespace=hf.namespace).start(1, now=now - 370)
        await Node(hf._store, "here", namespace=hf.namespace).start(2, now=now)

        found = await hf.attention()

        assert (only(found).kind, only(found).title) == ("node", "node gone has not been heard of")
        assert plain_text(only(found).parts) == (
            "The lease of gone ran out 6 min ago. It had 1 run, which other nodes take up."
        )
        assert refs(only(found).parts) == [("node", "gone")]
        assert (found.counts.nodes, found.counts.nodes_alive) == (2, 1)
        assert "One of two nodes are up;" in plain_text(found.more)


async def test_many_who_ask_cost_no_more_than_one(sqlite_url: str):
    async with TimedEnvironment(sqlite_url, catalog=new_catalog()) as env:
        first, second = await asyncio.gather(env.attention(), env.attention())
        env.clock.advance(dt.timedelta(seconds=0.9))
        third = await env.attention()
        env.clock.advance(dt.timedelta(seconds=0.2))
        later = await env.attention()

        assert first is second is third
        assert later is not first


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0032, "3 ms"),
        (0.9996, "1 s"),
        (1, "1 s"),
        (1.84, "1.8 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (107, "1 min 47 s"),
        (185, "3 min 05 s"),
        (68_520, "19 h 02 min"),
        (7200, "2 h"),
        (90_000, "1 d 1 h"),
        (86_400 * 40, "40 d"),
    ],
)
def test_spans_have_two_units_at_most(seconds: float, words: str):
    assert span_words(seconds) == words


def test_numbers_in_words():
    assert [number_words(n) for n in (0, 4, 12, 13, 1731)] == ["no", "four", "twelve", "13", "1,731"]
    assert [times_words(n) for n in (1, 2, 36)] == ["once", "twice", "36 times"]
    assert [counted(n, "run") for n in (1, 1731)] == ["1 run", "1,731 runs"]
