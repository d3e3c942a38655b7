"""The graph of a run: what became of each node, and which edges the run has gone along."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import pytest

from holdfast import Catalog, Retry, RunFailed, context, task, workflow
from holdfast.core.run_graphs import NodeState, RunGraph
from holdfast.errors import BadOption, RunCancelled, RunNotFound
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)

catalog = Catalog()
broken: set[str] = set()


@task(catalog=catalog)
async def load(what: str) -> str:
    return what


@task(catalog=catalog)
async def check(what: str) -> str:
    return what


@task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=dt.timedelta(seconds=1)))
async def store(what: str) -> str:
    if what in broken:
        broken.discard(what)
        raise ValueError(what)
    return what


@workflow(catalog=catalog)
async def gathered() -> None:
    await asyncio.gather(load("a"), check("b"))
    await store("c")


@workflow(catalog=catalog)
async def side_by_side() -> None:
    async def first() -> None:
        await context().signal("one")
        await load("a")
        await context().signal("end of one")

    async def second() -> None:
        await context().signal("two")
        await context().run("note", lambda: None)
        await context().signal("end of two")

    await asyncio.gather(first(), second())


@workflow(catalog=catalog)
async def repeated(times: int) -> None:
    for _ in range(times):
        await load("a")
        await check("a")


@workflow(catalog=catalog)
async def child() -> None:
    await load("a")


@workflow(catalog=catalog)
async def everything() -> None:
    await context().signal("go")
    await asyncio.sleep(90)
    async with asyncio.timeout(10):
        await load("a")
    await context().start_child(child)
    await context().ask("May it?", answer=bool, name="verdict")
    await store("c")


@workflow(catalog=catalog)
async def many_names(count: int) -> None:
    for number in range(count):
        await context().run(f"step {number}", lambda: None)


def states(graph: RunGraph) -> dict[str, str]:
    return {node.id: str(node.state) for node in graph.nodes}


def state_of(graph: RunGraph, id: str) -> NodeState:
    return next(node for node in graph.nodes if node.id == id)


def edges(graph: RunGraph) -> set[tuple[str, str]]:
    assert graph.edges_taken == [(edge.source, edge.target) for edge in graph.graph.edges]
    return set(graph.edges_taken)


# --- code


async def test_what_is_gathered_leads_to_what_comes_next(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        broken.add("c")
        run = await env.start(gathered)
        await run.result()

        graph = await env.graph(run)

        assert (graph.source, graph.is_all) == ("journal", True)
        assert graph.version == (await run.describe()).version
        assert edges(graph) == {("task:load", "task:store"), ("task:check", "task:store")}
        assert set(states(graph).values()) == {"success"}
        tried = state_of(graph, "task:store")
        assert (tried.name, tried.count, tried.attempts, tried.note) == ("store", 1, 2, "2 attempts")
        assert tried.first_seq == 2
        assert tried.states.success == 1
        assert tried.asked_at is not None
        assert tried.began_at is not None
        assert tried.ended_at is not None
        assert tried.ended_at - tried.asked_at > dt.timedelta(seconds=0.8)
        assert [node.id for node in graph.layout.nodes] == [node.id for node in graph.graph.nodes]


async def test_chains_side_by_side_stay_apart(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(side_by_side)
        for name in ("one", "two"):
            await run.signal(name)
            await env.skip(HOUR)

        graph = await env.graph(run)

        assert edges(graph) == {
            ("signal:one", "task:load"),
            ("task:load", "signal:end of one"),
            ("signal:two", "task:note"),
            ("task:note", "signal:end of two"),
        }
        assert [node.kind for node in graph.graph.nodes if node.title == "note"] == ["step"]


async def test_a_loop_is_a_cycle_and_its_tasks_are_counted(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(repeated, 3)
        await run.result()

        graph = await env.graph(run)

        assert edges(graph) == {("task:load", "task:check"), ("task:check", "task:load")}
        assert [(node.count, node.states.success) for node in graph.nodes] == [(3, 3), (3, 3)]
        assert all(node.is_repeated for node in graph.graph.nodes)


async def test_signals_timers_children_and_questions_are_nodes_but_unused_timeouts_are_not(
    store_url: str,
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(everything)
        await env.skip(dt.timedelta(seconds=1))
        waiting = await env.graph(run)
        await run.signal("go")
        await env.skip(HOUR)
        asking = await env.graph(run)
        await run.resolve("verdict", True)
        await run.result()
        done = await env.graph(run)

        way = ["signal:go", "timer:1m30s", "task:load", "child:child", "promise:verdict", "task:store"]
        assert states(waiting) == {"signal:go": "running"}
        assert list(states(asking)) == way[:-1]
        assert state_of(asking, "promise:verdict").state == "running"
        assert state_of(asking, "promise:verdict").ended_at is None
        assert states(done) == dict.fromkeys(way, "success")
        assert edges(done) == set(itertools.pairwise(way))
        assert [node.kind for node in done.graph.nodes] == [id.partition(":")[0] for id in way]
        assert done.graph.nodes[1].work == "1m30s"
        slept = state_of(done, "timer:1m30s")
        assert slept.began_at is not None
        assert slept.ended_at is not None
        assert slept.ended_at - slept.began_at == dt.timedelta(seconds=90)


async def test_it_is_drawn_as_it_was(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(everything)
        await run.signal("go")
        await run.resolve("verdict", True, ahead=True)
        await run.result()
        done = await env.graph(run)
        slept, loaded = state_of(done, "timer:1m30s"), state_of(done, "task:load")
        assert slept.began_at is not None
        assert loaded.asked_at is not None

        then = await env.graph(run, at=slept.began_at + dt.timedelta(seconds=5))

        assert states(done)["promise:verdict"] == "success", "it was answered before it was asked"
        assert states(then) == {"signal:go": "success", "timer:1m30s": "running"}
        assert edges(then) == {("signal:go", "timer:1m30s")}
        assert state_of(then, "timer:1m30s").ended_at is None
        assert 0 < then.steps_read < done.steps_read
        later = await env.graph(run, at=loaded.asked_at)
        assert "task:load" in states(later)
        before = await env.graph(run, at=slept.began_at - HOUR)
        assert (before.nodes, before.graph.nodes, before.steps_read) == ([], (), 0)


async def test_what_a_run_did_not_hear_before_its_end_is_cancelled(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(everything)
        await env.wait_until_quiet()
        before = await env.graph(run)
        open_at = (await run.describe()).created_at
        await env.skip(dt.timedelta(seconds=1))
        await run.cancel()
        with pytest.raises(RunCancelled):
            await run.result()

        after = await env.graph(run)
        as_it_was = await env.graph(run, at=open_at)

        assert states(before)["signal:go"] == states(as_it_was)["signal:go"] == "running"
        cancelled = state_of(after, "signal:go")
        assert cancelled.state == "cancelled"
        assert cancelled.ended_at == (await run.describe()).finished_at


async def test_nodes_are_limited_and_it_says_so(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(many_names, 201)
        await run.result()

        graph = await env.graph(run)

        assert (len(graph.nodes), len(graph.edges_taken), graph.is_all) == (200, 199, False)


async def test_steps_are_limited_and_it_says_so(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.client.run_graphs.MOST_STEPS", 3)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(repeated, 5)
        await run.result()

        graph = await env.graph(run)

        assert (graph.steps_read, graph.is_all) == (3, False)
        assert [node.states.success for node in graph.nodes] == [5, 5], "tasks are counted all the same"


async def test_what_is_asked_wrongly_is_refused(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        with pytest.raises(RunNotFound):
            await env.graph("nobody")
        run = await env.start(child)
        with pytest.raises(BadOption, match="at"):
            await env.graph(run, at=dt.datetime(2026, 1, 1))  # noqa: DTZ001


# --- DAGs

DAG = """\
name: payout
input: {people: "[int]", wanted: bool = false}
tasks:
  pay:
    foreach: input.people
    command: test -e FLAG
  report: {depends_on: pay, sleep: 0s}
  tidy: {depends_on: pay, on_failure: run, sleep: 0s}
  extra: {depends_on: pay, when: input.wanted, sleep: 0s}
  ask: {depends_on: report, approval: May it be sent?}
"""


async def test_a_dag_says_what_was_skipped_failed_and_tried_again(store_url: str, tmp_path: Path) -> None:
    async with Environment(store_url, catalog=Catalog()) as env:
        flag = tmp_path / "flag"
        await env.workflows.put(DAG.replace("FLAG", str(flag)))
        run = await env.start("payout", people=[1, 2, 3])
        with pytest.raises(RunFailed):
            await run.result()
        failed = await env.graph(run)
        flag.touch()
        await run.retry()
        await env.skip(HOUR)
        waiting = await env.graph(run)
        await run.resolve("ask", True)
        await run.result()
        done = await env.graph(run)

        assert (failed.source, failed.version, failed.is_all) == ("definition", "1", True)
        assert states(failed) == {
            "pay": "failed", "report": "skipped", "tidy": "success", "extra": "skipped", "ask": "skipped"
        }  # fmt: skip
        assert failed.edges_taken == [("pay", "tidy")]
        paid = state_of(failed, "pay")
        assert (paid.count, paid.states.failed, paid.note) == (3, 3, "for each input.people")
        assert states(waiting) == {
            "pay": "success", "report": "success", "tidy": "success", "extra": "skipped", "ask": "running"
        }  # fmt: skip
        assert state_of(waiting, "pay").note == "for each input.people; 3 of 3 retried"
        assert set(waiting.edges_taken) == {("pay", "report"), ("pay", "tidy"), ("report", "ask")}
        assert states(done)["ask"] == "success"
        assert done.graph == (await env.workflows.graph("payout")).graph


async def test_a_dag_that_has_not_begun_is_pending(store_url: str) -> None:
    async with Environment(store_url, catalog=Catalog()) as env:
        await env.workflows.put(DAG)
        run = await env.start("payout", people=[], id="later")
        info = await run.describe()

        graph = await env.graph("later", at=info.created_at - HOUR)

        assert set(states(graph).values()) == {"pending"}
        assert graph.edges_taken == []
        assert all(node.asked_at is None and node.first_seq is None for node in graph.nodes)


# --- flows

FLOW = """\
name: order
start: price
nodes:
  price: {kind: executor, exec_type: local_func, func: price, post: {output_key: cents, action_key: verdict}}
  pay:
    kind: subflow
    subflow:
      start: charge
      nodes:
        charge:
          kind: foreach
          exec_type: local_func
          func: charge
          prep: {input_key: $params.cards}
          post: {action_static: ok}
        thank: {kind: timer, params: {delay_ms: 1}}
      edges: [{from: charge, action: ok, to: thank}]
  again: {kind: choice, default_action: "no", choice_cases: [{action: "yes", expr: {eq: [$shared.cents, 0]}}]}
  sorry: {kind: timer, params: {delay_ms: 1}}
edges:
  - {from: price, action: retry, to: price}
  - {from: price, action: pay, to: pay}
  - {from: pay, to: again}
  - {from: pay, action: error, to: sorry}
  - {from: again, action: "yes", to: price}
"""


def flow_catalog(verdicts: list[str], bad_cards: set[int]) -> Catalog:
    shop = Catalog()

    @task(catalog=shop)
    async def price(input: Any, params: Any) -> dict[str, str]:
        return {"verdict": verdicts.pop(0)}

    @task(catalog=shop)
    async def charge(input: int, params: Any) -> int:
        if input in bad_cards:
            raise ValueError(f"card {input}")
        return input

    return shop


async def test_a_flow_shows_its_way_round_loops_and_through_subflows(store_url: str) -> None:
    async with Environment(store_url, catalog=flow_catalog(["retry", "retry", "pay"], set())) as env:
        await env.workflows.put(FLOW)
        run = await env.start("order", cards=[1, 2])
        await run.result()

        graph = await env.graph(run)

        assert states(graph) == {
            "price": "success", "pay": "success", "pay/charge": "success", "pay/thank": "success",
            "again": "success", "sorry": "skipped"
        }  # fmt: skip
        taken = [("price", "price"), ("price", "pay"), ("pay/charge", "pay/thank"), ("pay", "again")]
        assert graph.edges_taken == taken
        assert state_of(graph, "price").count == 3
        charged = state_of(graph, "pay/charge")
        assert (charged.name, charged.count, charged.states.success) == ("pay/charge/item", 2, 2)
        assert graph.is_all
        assert graph.steps_read > 0


async def test_a_flow_shows_the_way_after_a_failure(store_url: str) -> None:
    async with Environment(store_url, catalog=flow_catalog(["pay"], {2})) as env:
        await env.workflows.put(FLOW)
        run = await env.start("order", cards=[1, 2])
        await run.result()

        graph = await env.graph(run)

        assert graph.edges_taken == [("price", "pay"), ("pay", "sorry")]
        found = states(graph)
        assert (found["pay"], found["pay/charge"], found["pay/thank"]) == ("failed", "failed", "skipped")
        assert (found["sorry"], found["again"]) == ("success", "skipped")
