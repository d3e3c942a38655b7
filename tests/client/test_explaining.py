"""`hf.explain`: why a run does not go on, computed from what is open in the store."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.stores.builders import new_run

from holdfast import (
    Catalog,
    Explanation,
    Holdfast,
    Reason,
    ReasonKind,
    Retry,
    RunNotFound,
    RunStatus,
    context,
    load_dag,
    task,
    workflow,
)
from holdfast.core.explaining import Surroundings, explain
from holdfast.core.open_requests import OpenRequests
from holdfast.core.situations import Situation
from holdfast.core.values import Instant, moment
from holdfast.stores import store_for
from holdfast.testing import Environment

MINUTE = dt.timedelta(minutes=1)
HOUR = dt.timedelta(hours=1)

catalog = Catalog()
gate = asyncio.Event()


@task(catalog=catalog, queue="narrow")
async def hold(name: str) -> str:
    await asyncio.Event().wait()
    return name


@task(catalog=catalog, retry=Retry(max_attempts=5, first_delay=HOUR, factor=1, jitter=0))
async def flaky() -> None:
    raise ConnectionError("the bank is closed")


@workflow(catalog=catalog)
async def holding(name: str) -> str:
    return await hold(name)


@workflow(catalog=catalog)
async def holding_many(count: int) -> None:
    await asyncio.gather(*[hold(str(number)) for number in range(count)])


@workflow(catalog=catalog)
async def trying() -> None:
    await flaky()


@workflow(catalog=catalog, name="w")
async def listening() -> list[str]:
    return [await context().signal("go"), await context().promise("answer")]


@workflow(catalog=catalog)
async def giving_up() -> None:
    try:
        await asyncio.wait_for(context().signal("never"), 10)
    except TimeoutError:
        await context().signal("other")


@workflow(catalog=catalog)
async def sleeping() -> None:
    await asyncio.sleep(86_400)


@workflow(catalog=catalog)
async def napping(seconds: int) -> None:
    await asyncio.sleep(seconds)


@workflow(catalog=catalog)
async def parent() -> Any:
    return await context().start_child(listening, id="kid")


@workflow(catalog=catalog)
async def failing() -> None:
    raise ValueError("no reason")


@workflow(catalog=catalog)
async def quick() -> int:
    return 1


other = Catalog()


@workflow(catalog=other, name="w_renamed")
async def renamed() -> None:
    await context().signal("go")


def only(explanation: Explanation, kind: ReasonKind) -> Reason:
    [found] = [reason for reason in explanation.reasons if reason.kind is kind]
    return found


def kinds(explanation: Explanation) -> list[str]:
    return sorted(reason.kind.value for reason in explanation.reasons)


# --- on a node, and cold


async def test_a_run_in_memory_is_on_its_node_and_waits_for_its_signal(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(listening, id="r")
        await env.wait_until_quiet()
        assert (await run.describe()).waiting is None

        found = await env.explain(run)

        assert (found.run, found.workflow, found.status) == ("r", "w", RunStatus.RUNNING)
        assert kinds(found) == ["node", "signal"]
        assert only(found, ReasonKind.NODE).name == env.engine.node
        signal = only(found, ReasonKind.SIGNAL)
        assert signal.what == "it has asked for signal 'go', which has not come"
        assert (signal.name, signal.problem) == ("go", "")
        assert signal.since == moment(env.clock.now())
        assert signal.advice == "holdfast signal r go JSON"


async def test_a_cold_run_is_explained_by_what_it_asked_for_last(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(listening, id="r")
        await env.skip(MINUTE)
        before = await env.explain("r")
        await run.signal("go", "now")
        await env.skip(MINUTE)
        after = await env.explain("r")

        assert [(reason.kind, reason.name) for reason in before.reasons] == [(ReasonKind.SIGNAL, "go")]
        assert [(reason.kind, reason.name) for reason in after.reasons] == [(ReasonKind.PROMISE, "answer")]
        assert before.problems == after.problems == ()
        assert "holdfast resolve r '#0' JSON" in after.reasons[0].advice


async def test_a_wait_that_the_code_has_given_up_is_no_reason(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(giving_up, id="r")
        await env.skip(MINUTE)

        found = await env.explain("r")

        assert [(reason.kind, reason.name) for reason in found.reasons] == [(ReasonKind.SIGNAL, "other")]


async def test_a_sleeping_run_says_until_when_and_since_when(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        begun = moment(env.clock.now())
        await env.start(sleeping, id="r")
        await env.skip(MINUTE)

        [timer] = (await env.explain("r")).reasons

        assert (timer.kind, timer.since, timer.until) == (
            ReasonKind.TIMER,
            begun,
            begun + dt.timedelta(days=1),
        )
        assert timer.what == f"it waits until {timer.until.isoformat(timespec='seconds')}"


async def test_a_run_that_is_not_there_is_refused(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        with pytest.raises(RunNotFound):
            await env.explain("nobody")


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (quick, "it ended with success"),
        (failing, "it failed: ValueError: no reason"),
        (sleeping, "it was cancelled: too late"),
    ],
)
async def test_an_ended_run_says_how_and_when_it_ended(store_url: str, start: Any, what: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(start, id="r")
        await env.wait_until_quiet()
        if start is sleeping:
            await run.cancel("too late")
            await env.wait_until_quiet()

        [end] = (await env.explain(run)).reasons

        assert (end.kind, end.what) == (ReasonKind.END, what)
        assert end.since == (await run.describe()).finished_at
        assert bool(end.advice) == (start is not quick)


# --- nodes


async def test_a_signal_for_a_workflow_that_no_node_has_waits_for_such_a_node(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(listening, id="r")
        await env.skip(MINUTE)
    async with Environment(store_url, catalog=other) as env:
        await env.wait_until_quiet()
        cold = await env.explain("r")
        await env.signal("r", "go")

        found = await env.explain("r")
        stranded = await env.doctor()
        await env.skip(MINUTE)

        assert only(cold, ReasonKind.NODE).problem == "no node has workflow 'w'"
        assert only(cold, ReasonKind.NODE).what == "it will not go on, whatever comes"
        assert kinds(found) == ["message", "node"], "the signal that it waited for has come"
        node = found.reasons[0]
        assert (node.what, node.problem) == (
            "it waits for a node that has workflow 'w'",
            "no node has workflow 'w'",
        )
        assert node.advice == "start a node that has workflow 'w': holdfast serve FILE"
        assert only(found, ReasonKind.MESSAGE).what == (
            "signal 'go' has arrived, and waits for a node that has workflow 'w'"
        )
        assert [(it.id, it.problem) for it in stranded] == [
            ("r", "it is due, and no node has workflow 'w'; start a node that has workflow 'w'")
        ]
        assert (await env.describe("r")).waiting == "a node that has workflow 'w'"


async def test_a_version_that_no_node_has_is_named_with_those_that_nodes_have(store_url: str) -> None:
    old, new = Catalog(), Catalog()
    for version, where in ((1, old), (2, new)):
        workflow(catalog=where, name="pinned", version=version)(_asking())
    async with Environment(store_url, catalog=old) as env:
        await env.start("pinned", id="r")
        await env.skip(MINUTE)
    async with Environment(store_url, catalog=new) as env:
        await env.signal("r", "go")
        await env.wait_until_quiet()

        node = only(await env.explain("r"), ReasonKind.NODE)

        assert node.what == "it waits for a node that has version '1' of workflow 'pinned'"
        assert node.problem == "no node has version '1' of workflow 'pinned'; nodes have '2'"


def _asking() -> Callable[[], Any]:
    async def asking() -> None:
        await context().signal("go")

    return asking


async def test_without_any_node_that_is_the_problem(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.start(listening, id="r")
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        found = await client.explain("r")

        assert found.summary == "it waits for a node that has workflow 'w': no node is running"
        assert [it.id for it in await client.doctor()] == ["r"]


async def test_an_idle_node_of_another_process_is_known_at_once(store_url: str) -> None:
    """It has claimed nothing and started nothing."""
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        async with Holdfast(store_url, catalog=other):
            await client.start(listening, id="r")
            found = await _explained(client, lambda it: "no node is running" not in it.summary)
            assert only(found, ReasonKind.NODE).problem == "no node has workflow 'w'"
        async with Holdfast(store_url, catalog=catalog):
            found = await _explained(client, lambda it: "signal" in kinds(it))
            assert found.problems == ()


async def _explained(client: Holdfast, is_met: Callable[[Explanation], bool]) -> Explanation:
    """The first explanation of run `r` that is as wanted."""
    for _ in range(1000):
        found = await client.explain("r")
        if is_met(found):
            return found
        await asyncio.sleep(0.01)
    raise AssertionError(found)


async def test_a_run_whose_node_is_gone_says_so(store_url: str) -> None:
    store = store_for(store_url)
    await store.open()
    await store.create_runs("default", [new_run(1, namespace="default", owner="ghost", id="r")])
    await store.close()

    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        node = only(await client.explain("r"), ReasonKind.NODE)

    assert (node.name, node.problem) == ("ghost", "that node is gone, or has not renewed its lease")


async def test_a_run_that_has_long_been_due_is_a_problem_even_if_a_node_has_its_workflow(
    store_url: str,
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(listening, id="r")
        await env.skip(MINUTE)
        await env.engine.kill()
        await env.signal("r", "go")
        at_first = only(await env.explain("r"), ReasonKind.NODE)
        env.clock.advance(dt.timedelta(seconds=11))

        node = only(await env.explain("r"), ReasonKind.NODE)

        assert at_first.problem == ""
        assert "and no node has taken it" in node.problem
        assert env.engine.node in node.advice


# --- the run itself


async def test_a_parked_run_says_why_and_what_to_do(store_url: str) -> None:
    def code(name: str) -> Catalog:
        one = Catalog()

        @task(catalog=one, name=name)
        async def charge() -> None: ...

        async def fulfil() -> None:
            await charge()
            await context().signal("go")

        workflow(catalog=one, name="fulfil")(fulfil)
        return one

    async with Environment(store_url, catalog=code("charge")) as env:
        await env.start("fulfil", id="r")
        await env.skip(MINUTE)
    async with Environment(store_url, catalog=code("refund")) as env:
        await env.signal("r", "go")
        await env.wait_until_quiet()

        found = await env.explain("r")

        parked = found.reasons[0]
        assert (found.status, parked.kind) == (RunStatus.PARKED, ReasonKind.PARKED)
        assert "'charge'" in parked.problem
        assert parked.until is not None, "nodes try it again then"
        assert parked.advice.endswith("try it again by themselves; at once: holdfast runs resume r")
        assert only(found, ReasonKind.MESSAGE).what == (
            "signal 'go' has arrived, and is read when the run is resumed"
        )


async def test_a_paused_run_says_so(store_url: str) -> None:
    store = store_for(store_url)
    await store.open()
    paused = new_run(1, namespace="default", id="r", status=RunStatus.PAUSED, wake_at=None)
    await store.create_runs("default", [paused])
    await store.close()

    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        [reason] = (await client.explain("r")).reasons

    assert (reason.kind, reason.problem) == (ReasonKind.PAUSED, "it goes on only when it is resumed")
    assert (reason.what, reason.advice) == ("it is paused", "holdfast runs resume r")


async def test_a_run_that_is_to_be_started_later_says_when(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        begins = moment(env.clock.now()) + HOUR
        await env.start(quick.options(delay=HOUR), id="r")
        await env.wait_until_quiet()

        [start] = (await env.explain("r")).reasons

        assert (start.kind, start.until, start.problem) == (ReasonKind.START, begins, "")
        assert start.what == f"it is to be started at {begins.isoformat(timespec='seconds')}"


async def test_a_deadline_that_is_near_or_has_passed_is_a_problem(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(listening.options(deadline=HOUR), id="r")
        await env.skip(MINUTE)
        early = only(await env.explain("r"), ReasonKind.DEADLINE)
        await env.skip(56 * MINUTE)
        near = only(await env.explain("r"), ReasonKind.DEADLINE)
        await env.engine.kill()
        env.clock.advance(HOUR)
        passed = only(await env.explain("r"), ReasonKind.DEADLINE)

        assert [it.problem for it in (early, near, passed)] == ["", "it is near", "it has passed"]


async def test_a_cancelled_run_that_no_node_ends_says_so(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(listening, id="r")
        await env.skip(MINUTE)
    async with Environment(store_url, catalog=other) as env:
        await env.cancel("r")
        await env.wait_until_quiet()

        assert only(await env.explain("r"), ReasonKind.CANCEL).what == (
            "it was asked to end, and waits for a node that has workflow 'w'"
        )


async def test_a_cancelled_run_that_is_retried_does_not_clean_up_any_more(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(listening, id="r")
        await env.wait_until_quiet()
        await run.cancel()
        await env.wait_until_quiet()
        await run.retry()
        await env.skip(MINUTE)

        kinds = {reason.kind for reason in (await env.explain("r")).reasons}

        assert ReasonKind.SIGNAL in kinds
        assert ReasonKind.CANCEL not in kinds


# --- tasks, workers, children


async def test_a_task_behind_a_limit_names_who_holds_the_slot(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        await env.start(holding, "first", id="first")
        await asyncio.sleep(0.01)
        await env.start(holding, "second", id="second")
        for _ in range(100):
            await asyncio.sleep(0)

        slot = only(await env.explain("second"), ReasonKind.SLOT)
        running = only(await env.explain("first"), ReasonKind.TASK)

        assert slot.name == "narrow"
        assert slot.what.startswith(
            f"task 'hold' waits for a slot of queue 'narrow' on node {env.engine.node}"
        )
        assert "held by hold of run first" in slot.what
        assert running.what == f"task 'hold' runs on node {env.engine.node}, attempt 1 of 1"


async def test_a_task_in_backoff_says_which_attempt_comes_when_and_why(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(trying, id="r")
        await env.wait_until_quiet()
        resident = only(await env.explain("r"), ReasonKind.RETRY)
        await env.skip(MINUTE + HOUR)

        retry = only(await env.explain("r"), ReasonKind.RETRY)

        assert "attempt 2 of 5" in resident.what
        assert retry.until is not None
        at = retry.until.isoformat(timespec="seconds")
        assert retry.what == f"task 'flaky' is tried again at {at}, attempt 3 of 5"
        assert retry.problem == "the last attempt: ConnectionError: the bank is closed"


async def test_a_task_for_a_service_says_whether_a_worker_serves_it(store_url: str) -> None:
    flow = {
        "start": "work",
        "nodes": {"work": {"kind": "executor", "exec_type": "queue", "service": "resize"}},
    }
    async with Environment(store_url, catalog=Catalog()) as env:
        made = await env.flows.create("flow")
        await env.flows.publish(made.id, flow)
        await env.start_with(made.id, (), {}, id="r")
        await env.skip(MINUTE)
        alone = only(await env.explain("r"), ReasonKind.SERVICE)
        await env.workers.register("w1", "", ["resize"])
        served = only(await env.explain("r"), ReasonKind.SERVICE)
        assert await env.workers.poll("w1", ["resize"]) is not None
        taken = only(await env.explain("r"), ReasonKind.SERVICE)

        assert (alone.name, alone.what) == ("resize", "task 'work' waits for a worker of service 'resize'")
        assert alone.problem == "no worker serves 'resize'"
        assert served.problem == ""
        assert (taken.what, taken.problem) == ("worker w1 has task 'work'", "")


async def test_a_parent_names_the_children_that_have_not_ended(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(parent, id="r")
        await env.skip(MINUTE)

        child = only(await env.explain("r"), ReasonKind.CHILD)

        assert (child.name, child.problem) == ("kid", "")
        assert child.what == "child kid of workflow 'w' is running"
        assert child.advice == "holdfast explain kid"


async def test_an_approval_of_a_dag_says_what_is_asked_and_how_to_answer(
    store_url: str, tmp_path: Any
) -> None:
    file = tmp_path / "order.yaml"
    file.write_text("name: order\ntasks:\n  review:\n    approval: Ship it?\n")
    dags = Catalog()
    load_dag(file, catalog=dags)
    async with Environment(store_url, catalog=dags) as env:
        await env.start("order", id="r")
        await env.skip(MINUTE)

        [approval] = (await env.explain("r")).reasons

        assert (approval.kind, approval.name) == (ReasonKind.APPROVAL, "review")
        assert approval.what == "review waits for approval: Ship it?"
        assert approval.advice == "holdfast approve r review"


async def test_of_a_large_run_the_first_tasks_are_named_and_the_others_counted(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog, queues={"narrow": 2}) as env:
        await env.start(holding_many, 3000, id="r")
        for _ in range(300):
            await asyncio.sleep(0)

        found = await env.explain("r")

        assert len(found.reasons) == 12, "its node, ten tasks, and the number of the others"
        assert found.reasons[-1].what.startswith("2,990 more tasks are open (in all ")
        assert "2,998 pending" in found.reasons[-1].what


# --- what cannot be brought about from outside


def test_a_child_that_is_held_back_and_a_run_that_nothing_wakes_have_a_reason() -> None:
    run = new_run(1, status=RunStatus.RUNNING, wake_at=None, started_at=Instant(0))
    around = Surroundings(Instant(1))

    held = explain(Situation(run, first_wait=("turn", "mother")), OpenRequests(), around)
    lost = explain(Situation(run), OpenRequests(), around)

    assert [it.kind for it in held.reasons] == [ReasonKind.TURN]
    assert held.reasons[0].what == "it waits for its turn in mother, which was retried"
    assert [bool(it.problem) for it in lost.reasons] == [True]
    assert msgspec.json.decode(msgspec.json.encode(lost), type=Explanation) == lost


# --- in sentences, and in numbers


async def test_the_end_of_a_run_is_told_in_a_sentence(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        broken, cancelled = await env.start(failing, id="broken"), await env.start(listening, id="cancelled")
        tried = await env.start(trying, id="tried")
        await env.wait_until_quiet()
        await env.cancel(cancelled, "took it back", by="sam")
        await env.skip(5 * HOUR)
        await env.wait_until_quiet()

        assert (await env.explain(broken)).sentence == (
            "Failed: ValueError: no reason. What is recorded stays; a retry begins after it."
        )
        assert (await env.explain(tried)).sentence == (
            "flaky failed: ConnectionError: the bank is closed, after 5 attempts. "
            "What is recorded stays; a retry begins at flaky."
        )
        told = (await env.explain(cancelled)).sentence
        assert told.startswith("Cancelled by sam at 20")
        assert told.endswith(': "took it back".')


async def test_a_run_that_took_longer_than_usual_says_so(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        for number in range(6):
            await (await env.start(napping, 2, id=f"nap-{number}")).result()
        await (await env.start(napping, 20, id="long")).result()

        assert (await env.explain("nap-5")).sentence == "Done in 2 s."
        assert (await env.explain("long")).sentence == "Done in 20 s, 10 times as long as usual."


async def test_the_facts_of_a_run_count_what_it_has(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        above, tried = await env.start(parent, id="above"), await env.start(trying, id="tried")
        await env.wait_until_quiet()

        family, kid = (await env.explain(above)).facts, (await env.explain("kid")).facts
        held = (await env.explain(tried)).facts

        assert family is not None
        assert kid is not None
        assert held is not None
        assert (family.children, family.parent, family.tasks) == (1, None, 0)
        assert (kid.parent, kid.children, kid.chapters) == ("above", 0, 1)
        assert (held.tasks, held.tasks_done, held.tasks_running, held.tasks_failed) == (1, 0, 0, 0)
        assert (held.took, held.ended_at, held.is_counted_exactly) == (None, None, True)
        assert held.steps >= 1
