"""Flows through the whole engine, on both databases, with a crash at every commit."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec
import pytest
from tests.patience import PATIENCE

from holdfast import (
    Catalog,
    FlowWorkflow,
    Holdfast,
    Run,
    RunFailed,
    load_flow,
    task,
    task_context,
    workflow,
)
from holdfast.client.workers import queue_id
from holdfast.core.journal import MessageHeard, read_step
from holdfast.core.records import History
from holdfast.errors import NotAsked, NotPublished, WrongType
from holdfast.testing import Environment, assert_durable

EVERYTHING = """
start: route
nodes:
  route:
    kind: choice
    prep: {input_key: $params.amount}
    post: {output_key: amount}
    choice_cases:
      - {action: large, expr: {and: [{gt: [$input, 100]}, {not: {in: [$params.country, [xx, yy]]}}]}}
    default_action: small
  packed:
    kind: executor
    exec_type: queue
    service: pack
    prep: {input_map: {amount: amount, to: $params.country}}
    post: {output_map: {parcel: number}, action_static: next}
  quotes:
    kind: parallel
    exec_type: local_func
    parallel_services: [slow_carrier, broken_carrier, slow_carrier]
    parallel_mode: concurrent
    max_parallel: 2
    failure_strategy: ignore_errors
    prep: {input_key: parcel}
    post: {output_key: quotes, action_static: next}
  checks:
    kind: foreach
    exec_type: local_func
    func: check
    failure_strategy: collect_errors
    prep: {input_key: $params.items}
    post: {output_key: checked, action_static: next}
  repair:
    kind: subflow
    params: {by: 3}
    post: {output_key: repaired, action_static: next}
    subflow:
      start: mend
      nodes:
        mend:
          kind: executor
          exec_type: local_func
          func: mend
          max_retries: 2
          wait_ms: 1000
          prep: {input_key: $params.amount}
          post: {output_key: mended, action_static: next}
        inspected: {kind: wait_event, params: {signal_key: $shared.inspection}, post: {output_key: by}}
      edges: [{from: mend, action: next, to: inspected}]
  pause: {kind: timer, params: {delay_ms: 60000}, post: {action_static: next}}
  confirm: {kind: approval, params: {approval_key: $shared.confirmed}, post: {output_key: answer}}
  report:
    kind: subflow
    workflow: report
    prep: {input_map: {parcel: parcel, quotes: quotes}}
    post: {output_key: report, action_static: next}
  last: {kind: executor, exec_type: local_func, func: broken_carrier, prep: {input_key: report}}
edges:
  - {from: route, action: large, to: packed}
  - {from: packed, action: next, to: quotes}
  - {from: quotes, action: next, to: checks}
  - {from: checks, action: next, to: pause}
  - {from: checks, action: error, to: repair}
  - {from: repair, action: next, to: pause}
  - {from: pause, action: next, to: confirm}
  - {from: confirm, action: approved, to: report}
  - {from: report, action: next, to: last}
"""
"""All eight kinds; `checks` fails and is dealt with, `last` fails and is not."""


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def everything(folder: Path, catalog: Catalog, text: str = EVERYTHING) -> FlowWorkflow:
    """The tasks that the flow names, and the flow."""

    @task(name="slow_carrier", catalog=catalog)
    async def slow_carrier(parcel: int) -> str:
        return f"quote for {parcel}"

    @task(name="broken_carrier", catalog=catalog)
    def broken_carrier(parcel: Any) -> str:
        raise ConnectionError(f"no carrier for {parcel}")

    @task(name="check", catalog=catalog)
    def check(item: str, country: str) -> str:
        if item == "glass":
            raise ValueError("it is broken")
        return f"{item} for {country}"

    @task(name="mend", catalog=catalog)
    async def mend(amount: int, by: int) -> int:
        return amount * by

    @workflow(name="report", catalog=catalog)
    async def report(parcel: int, quotes: list[str | None]) -> dict[str, Any]:
        return {"parcel": parcel, "best": quotes[0]}

    return flow(folder, catalog, text)


def flow(folder: Path, catalog: Catalog, text: str, name: str = "flow") -> FlowWorkflow:
    file = folder / f"{name}.yaml"
    file.write_text(dedent(text))
    return load_flow(file, catalog=catalog)


async def answer(run: Run[Any]) -> None:
    """What the world outside does: a worker packs, and people answer, long before they are asked."""
    client: Any = run._client
    await run.signal("inspection", "ann")
    await run.signal("confirmed", "yes")
    async with asyncio.timeout(PATIENCE):
        while (item := await client.workers.poll("packer", ["pack"])) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    assert msgspec.json.decode(item.input)["input"] == {"amount": 500, "to": "de"}
    await client.workers.complete(queue_id(item), result={"number": 7})


GIVEN: dict[str, Any] = {"amount": 500, "country": "de", "items": ["cup", "glass", "spoon"]}


async def test_a_flow_of_all_kinds_ends_the_same_with_a_crash_at_every_commit(
    tmp_path: Path, catalog: Catalog, new_database: Callable[[], str]
) -> None:
    flow = everything(tmp_path, catalog)

    with pytest.raises(RunFailed) as caught:
        await assert_durable(flow, during=answer, catalog=catalog, new_database=new_database, **GIVEN)

    assert "node 'last' failed: no carrier for {'parcel': 7" in str(caught.value)


async def test_every_visit_of_a_flow_of_all_kinds_is_told_row_by_row(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    flow = everything(tmp_path, catalog)
    async with Environment(store_url, catalog=catalog) as environment:
        run = await environment.start(flow, **GIVEN)
        await answer(run)

        with pytest.raises(RunFailed):
            await run.result()

        rows = await environment.list_tasks(run)
        descriptions = flow.describe_visits(rows)
        told = [
            (row.name, str(row.status), row.attempt, _shown(row.output), description.action)
            for row, description in zip(rows, descriptions, strict=True)
        ]
        state = await environment.state(run)
    assert told == [
        ("route", "success", 1, "large", "large"),
        ("packed", "success", 1, {"number": 7}, "next"),
        ("quotes", "success", 1, ["quote for 7", None, "quote for 7"], "next"),
        ("quotes/branch", "success", 1, "quote for 7", ""),
        ("quotes/branch", "failed", 1, None, ""),
        ("quotes/branch", "success", 1, "quote for 7", ""),
        ("checks", "failed", 1, None, "error"),
        ("checks/item", "success", 1, "cup for de", ""),
        ("checks/item", "failed", 1, None, ""),
        ("checks/item", "success", 1, "spoon for de", ""),
        ("repair", "success", 1, {"mended": 1500, "by": "ann"}, "next"),
        ("repair/mend", "success", 1, 1500, "next"),
        ("repair/inspected", "success", 1, "ann", ""),
        ("pause", "success", 1, None, "next"),
        ("confirm", "success", 1, "yes", "approved"),
        ("report", "success", 1, {"parcel": 7, "best": "quote for 7"}, "next"),
        ("last", "failed", 1, None, "error"),
    ]
    failures = [row.failure.message if row.failure else "" for row in rows]
    assert [message for message in failures if message] == [
        "no carrier for 7",
        "1 of 3 failed: item 1: it is broken",
        "it is broken",
        "no carrier for {'parcel': 7, 'best': 'quote for 7'}",
    ]
    assert state == {
        "inspection": "ann",
        "confirmed": "yes",
        "amount": 500,
        "parcel": 7,
        "quotes": ["quote for 7", None, "quote for 7"],
        "checked": ["cup for de", None, "spoon for de"],
        "repaired": {"mended": 1500, "by": "ann"},
        "answer": "yes",
        "report": {"parcel": 7, "best": "quote for 7"},
    }


def _shown(output: bytes | None) -> Any:
    return None if output is None else msgspec.json.decode(output)


async def test_a_retry_of_a_failed_flow_goes_on_from_its_last_node(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    flow = everything(tmp_path, catalog)
    async with Environment(store_url, catalog=catalog) as environment:
        run = await environment.start(flow, **GIVEN)
        await answer(run)
        with pytest.raises(RunFailed):
            await run.result()
        before = await environment.list_tasks(run)

        _mend_the_carrier(catalog)
        await environment.retry(run)
        result = await run.result()

        after = await environment.list_tasks(run)
        assert [row.seq for row in after] == [row.seq for row in before]
        assert [row.name for row in after if row.attempt > 1] == ["last"]
        assert result["report"] == {"parcel": 7, "best": "quote for 7"}
        assert (await environment.state(run)) == result


def _mend_the_carrier(catalog: Catalog) -> None:
    @task(name="broken_carrier", catalog=catalog)
    def broken_carrier(parcel: Any) -> str:
        return f"a carrier for {parcel}"


# --- waiting


async def test_signals_and_approvals_reach_a_run_that_has_left_memory(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    text = """
        start: paid
        nodes:
          paid: {kind: wait_event, post: {output_key: money, action_static: next}}
          inner:
            kind: subflow
            post: {output_key: inner}
            subflow: {start: ok, nodes: {ok: {kind: approval, post: {output_key: said}}}}
        edges: [{from: paid, action: next, to: inner}]
    """
    async with Environment(store_url, catalog=catalog) as environment:
        run = await environment.start(flow(tmp_path, catalog, text))
        await environment.skip(dt.timedelta(minutes=1))
        assert (await environment.describe(run)).waiting == "signal 'paid'"

        await environment.signal(run, "paid", 5)
        await environment.skip(dt.timedelta(minutes=1))
        assert (await environment.describe(run)).waiting == "approval 'ok'"
        with pytest.raises(NotAsked):
            await environment.approve(run, "ok")
        await environment.approve(run, "inner/ok", value=False)

        assert await run.result() == {"paid": 5, "money": 5, "ok": False, "inner": {"said": False}}


async def test_of_a_thousand_signals_at_once_to_a_hundred_runs_none_is_lost_and_each_is_applied_once(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    waiting = flow(tmp_path, catalog, "{start: done, nodes: {done: {kind: wait_event}}}")
    async with (
        Holdfast(store_url, catalog=catalog) as node,
        Holdfast(store_url, catalog=catalog, engine=False) as outside,
    ):
        runs = await asyncio.gather(*(node.start(waiting, id=f"run-{number}") for number in range(100)))

        signals = [(number, run.id) for number in range(10) for run in runs]
        await asyncio.gather(
            *((node, outside)[number % 2].signal(id, f"key-{number}", number) for number, id in signals)
        )
        await asyncio.gather(*(outside.signal(run.id, "done", True) for run in runs))

        expected = {f"key-{number}": number for number in range(10)} | {"done": True}
        for run in runs:
            assert await run.result() == expected
            history = await node.history(run)
            sent = sorted(message.id for message in history.messages)
            assert len(sent) == 11
            assert sorted(_heard(history)) == sent


def _heard(history: History) -> list[int]:
    steps = [read_step(position, data) for position, data in enumerate(history.steps)]
    return [it.message for step in steps for it in step.heard if isinstance(it, MessageHeard)]


async def test_choices_that_go_round_do_not_hold_up_other_runs(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    text = """
        start: a
        nodes:
          a: {kind: choice, default_action: go}
          b: {kind: choice, default_action: go}
        edges: [{from: a, action: go, to: b}, {from: b, action: go, to: a}]
    """
    round_and_round = flow(tmp_path, catalog, text, "round")
    other = flow(tmp_path, catalog, "{start: a, nodes: {a: {kind: timer, params: {delay_ms: 0}}}}", "other")
    async with Environment(store_url, catalog=catalog, max_steps=3_000) as environment:
        run = await environment.start(round_and_round)
        await environment.run(other)
        assert not (await environment.describe(run)).status.is_final

        with pytest.raises(RunFailed, match="has visited 3,000 nodes"):
            await run.result()

        assert len((await environment.history(run)).steps) == 6


# --- work


async def test_a_script_reads_json_from_its_input_and_writes_json_to_its_output(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    text = """
        start: a
        nodes:
          a:
            kind: executor
            exec_type: local_script
            script:
              language: python
              code: |
                import json, os, sys
                given = json.load(sys.stdin)
                print("working", file=sys.stderr)
                print(json.dumps([given, sys.argv[1:], os.environ["WHO"], os.path.basename(os.getcwd())]))
              args: [one, "two words"]
              env: {WHO: me}
              work_dir: inside
            prep: {input_key: $params.x}
            post: {output_key: said}
    """
    (tmp_path / "inside").mkdir()
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(flow(tmp_path, catalog, text), x=5)

        result = await run.result()

        given = {"input": 5, "params": {"x": 5}}
        assert result == {"said": [given, ["one", "two words"], "me", "inside"]}
        assert [line.text for line in await hf.logs(run)] == ["working"]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("print('no json')", "standard output"),
        ("import sys; sys.exit(3)", "exited with code 3"),
        ("import time; time.sleep(60)", "longer than"),
    ],
)
async def test_a_script_that_gives_no_json_in_time_has_failed(
    tmp_path: Path, catalog: Catalog, code: str, problem: str, sqlite_url: str
) -> None:
    text = f"""
        start: a
        nodes:
          a:
            kind: executor
            exec_type: local_script
            script: {{language: python, code: "{code}", timeout_ms: 2000}}
    """
    async with Holdfast(sqlite_url, catalog=catalog, kill_seconds=0.5) as hf:
        run = await hf.start(flow(tmp_path, catalog, text))

        with pytest.raises(RunFailed, match=problem):
            await run.result()


async def test_a_function_that_needs_a_parameter_that_nobody_gave_says_so(
    tmp_path: Path, catalog: Catalog, sqlite_url: str
) -> None:
    @task(name="mul", catalog=catalog)
    def mul(x: int, by: int) -> int:
        return x * by

    text = "{start: a, nodes: {a: {kind: executor, exec_type: local_func, func: mul}}}"
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(flow(tmp_path, catalog, text))

        with pytest.raises(RunFailed, match="params has no 'by'"):
            await run.result()


@pytest.mark.parametrize("name", ["a\0b", "x" * 600], ids=["NUL", "long"])
@pytest.mark.parametrize("is_let_in", [False, True])
async def test_a_function_in_params_that_can_have_no_such_name_fails_its_run_and_not_the_node(
    catalog: Catalog,
    sqlite_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    is_let_in: bool,
) -> None:
    if is_let_in:  # as by an earlier version, whose runs go on under this one
        monkeypatch.setattr("holdfast.authoring.flow.branches._SERVICE", re.compile(".*", re.DOTALL))
    text = "{start: p, nodes: {p: {kind: parallel, exec_type: local_func}}}"
    named = flow(tmp_path, catalog, text)
    async with Environment(sqlite_url, catalog=catalog) as environment:
        for _ in range(2):
            run = await environment.start(named, services=[name])

            with pytest.raises(RunFailed, match="node 'p' failed"):
                await run.result()


async def test_params_are_given_by_name(tmp_path: Path, catalog: Catalog, sqlite_url: str) -> None:
    waiting = flow(tmp_path, catalog, "{start: a, nodes: {a: {kind: approval}}}")
    async with Holdfast(sqlite_url, catalog=catalog, engine=False) as hf:
        with pytest.raises(WrongType, match="by name"):
            await hf.start(waiting, 5)


# --- published flows


INNER = """
    start: a
    nodes:
      a:
        kind: executor
        exec_type: local_func
        func: double
        prep: {input_key: $params.x}
        post: {output_key: y}
"""
OUTER = """
    start: call
    nodes:
      call:
        kind: subflow
        workflow: inner
        prep: {input_map: {x: $params.x}}
        post: {output_key: inner}
"""


def with_double(catalog: Catalog, by: int = 2) -> Catalog:
    @task(name="double", catalog=catalog)
    async def double(x: int) -> int:
        return x * by

    return catalog


async def test_a_published_flow_runs_on_a_node_that_has_never_seen_it_and_calls_another(
    store_url: str,
) -> None:
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as author:
        for name, text in (("inner", dedent(INNER)), ("outer", dedent(OUTER))):
            made = await author.flows.create(name)
            await author.flows.publish(made.id, text)
        run = await author.start("outer", x=5)

        async with Holdfast(store_url, catalog=with_double(Catalog())):
            result = await run.result()

    assert result == {"inner": {"y": 10}}


async def test_a_run_keeps_its_version_and_the_next_one_gets_the_newest(store_url: str) -> None:
    async with Holdfast(store_url, catalog=with_double(Catalog())) as hf:
        flow = await hf.flows.create("flow")
        await hf.flows.publish(flow.id, "{start: a, nodes: {a: {kind: approval}}}")
        old = await hf.start(flow.id)

        await hf.flows.publish(flow.id, dedent(INNER))
        new = await hf.start(flow.id, x=1)

        assert await new.result() == {"y": 2}
        assert ((await hf.describe(old)).version, (await hf.describe(new)).version) == ("1", "2")
        await hf.approve(old, "a")
        assert await old.result() == {"a": True}
        assert await (await hf.start(flow.id, version=2, x=3)).result() == {"y": 6}


async def test_a_draft_cannot_be_started_under_its_name_or_its_number(store_url: str) -> None:
    async with Holdfast(store_url, catalog=with_double(Catalog())) as hf:
        flow = await hf.flows.create("flow")
        await hf.flows.save_draft(flow.id, dedent(INNER))

        for version in (None, 1):
            with pytest.raises(NotPublished):
                await hf.start(flow.id, version=version, x=1)

        await hf.flows.publish(flow.id, version=1)
        assert await (await hf.start(flow.id, x=1)).result() == {"y": 2}


async def test_a_node_that_lacks_a_function_leaves_the_run_to_one_that_has_it(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog()) as poor:
        flow = await poor.flows.create("flow")
        await poor.flows.publish(flow.id, dedent(INNER))
        run = await poor.start(flow.id, x=2)
        async with asyncio.timeout(PATIENCE):
            while (await poor.describe(run)).status != "parked":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert "double" in str((await poor.describe(run)).failure)

    async with Holdfast(store_url, catalog=with_double(Catalog())) as rich:
        await rich.resume(run.id)

        assert await rich.result(run.id) == {"y": 4}


async def test_flows_of_the_same_id_in_two_namespaces_are_two_flows(store_url: str) -> None:
    catalog = Catalog()
    async with (
        Holdfast(store_url, namespace="a", catalog=catalog) as a,
        Holdfast(store_url, namespace="b", catalog=catalog) as b,
    ):
        for hf in (a, b):
            await hf.flows.create("greet")
            await hf.flows.publish("greet", _greeting(f"of {hf.namespace}"))

        said = [await (await hf.start("greet")).result() for hf in (a, b)]

        assert said == [{"said": "of a"}, {"said": "of b"}]


def _greeting(word: str) -> dict[str, Any]:
    node = {"kind": "wait_event", "params": {"signal_key": "$params.word", "word": word}}
    return {"start": "a", "nodes": {"a": node | {"post": {"output_key": "said"}}}}


async def test_a_retry_of_a_parent_does_nothing_twice_in_a_child_that_was_loaded_late(
    tmp_path: Path, store_url: str
) -> None:
    catalog, keys = Catalog(), list[str]()

    @task(name="double", catalog=catalog)
    async def double(x: int) -> int:
        keys.append(task_context().idempotency_key)
        if len(keys) == 1:
            raise ValueError("not yet")
        return x * 2

    async with Holdfast(store_url, catalog=catalog) as hf:
        flow(tmp_path, catalog, INNER, "inner")
        run = await hf.start(flow(tmp_path, catalog, OUTER, "outer"), x=5)
        with pytest.raises(RunFailed, match="not yet"):
            await run.result()

        await hf.retry(run)

        assert await run.result() == {"inner": {"y": 10}}
        assert len(keys) == 2
        assert len(set(keys)) == 1
