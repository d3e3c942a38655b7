"""All workflows that the store knows: listing, reading, comparing, publishing and deleting them."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path

import pytest
from tests.patience import SOON

from holdfast import Catalog, Holdfast, context, load_dag, task, update, workflow
from holdfast.errors import (
    BadDag,
    BadFlow,
    BadOption,
    NoGraph,
    NotOpen,
    ScheduleNotFound,
    ScheduleTaken,
    UnknownWorkflow,
    WorkflowInUse,
    WorkflowNotFound,
    WorkflowTaken,
)
from holdfast.testing import Environment

NAP = """\
name: nap
description: Waits for a little.
input:
  days: int = 3
tasks:
  wait: {sleep: 0s}
"""
SHELL = """\
name: hello
tasks:
  greet:
    command: echo '"hello"' > $HOLDFAST_OUTPUT_FILE
    output_type: str
output: {said: greet}
"""
FLOW = '{"name": "pause", "start": "a", "nodes": {"a": {"kind": "timer", "params": {"delay_ms": 1}}}}'


def shop() -> Catalog:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def buy(cents: int, currency: str = "EUR") -> int:
        return cents

    @workflow(catalog=catalog)
    async def wait_for_go() -> str:
        return await context().signal("go", str)

    return catalog


# --- publishing


async def test_a_published_dag_is_run_by_a_node_that_has_never_seen_it(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        put = await hf.workflows.put(SHELL)
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        run = await hf.start("hello")

        assert (put.name, put.kind, put.version, put.is_new) == ("hello", "dag", "1", True)
        assert await run.result(timeout=SOON) == {"said": "hello"}
        assert (await run.describe()).version == "1"


@pytest.mark.parametrize("crash_after", [False, True])
@pytest.mark.parametrize("crash_at", [1, 2, 3, 4])
async def test_a_run_of_a_published_dag_survives_a_crash_at_every_commit(
    store_url: str, crash_at: int, crash_after: bool
) -> None:
    async with Environment(store_url, catalog=Catalog(), crash_at=crash_at, crash_after=crash_after) as env:
        await env.workflows.put(NAP.replace("0s", "1h"))
        run = None
        while run is None:
            try:
                run = await env.start("nap", days=4, id="mine")
            except NotOpen:  # it has crashed; the same id is the same run
                await asyncio.sleep(0.001)
        await run.result()
        ended = await run.describe()

        assert (ended.status, ended.input, ended.version) == ("success", {"days": 4}, "1")


async def test_a_text_that_means_the_same_is_the_same_version(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        first = await hf.workflows.put(NAP)
        same = await hf.workflows.put(NAP)
        reworded = await hf.workflows.put("# a comment\n" + NAP.replace("little", "while"))
        other = await hf.workflows.put(NAP.replace("3", "4"))
        back = await hf.workflows.put(NAP)

        assert [it.version for it in (first, same, reworded, other, back)] == ["1", "1", "1", "2", "3"]
        assert [it.is_new for it in (first, same, reworded, other, back)] == [True, False, False, True, True]
        assert first.hash == same.hash == back.hash != other.hash


async def test_a_run_keeps_the_version_that_it_began_with_and_new_runs_get_the_newest(store_url: str) -> None:
    asks = "name: ask\ntasks:\n  ok: {approval: {message: Really?}}\n  wait: {sleep: 0s, depends_on: [ok]}\n"
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(asks)
        old = await hf.start("ask")
        await hf.workflows.put(asks.replace("wait", "rest"))
        new, named = await hf.start("ask"), await hf.start("ask", version=1)

        assert [(await run.describe()).version for run in (old, new, named)] == ["1", "2", "1"]


async def test_all_problems_of_a_text_are_told_with_their_places_and_nothing_is_stored(
    store_url: str,
) -> None:
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        wrong = "name: bad\ntasks:\n  a: {sleep: soon}\n  b: {sleep: 1s, depends_on: [c]}\n"

        problems = await hf.workflows.validate(wrong)
        with pytest.raises(BadDag) as bad:
            await hf.workflows.put(wrong)
        with pytest.raises(BadFlow, match="the flow needs a name"):
            await hf.workflows.put(FLOW.replace('"name": "pause", ', ""))
        with pytest.raises(BadDag, match="the DAG needs a name"):
            await hf.workflows.put("tasks:\n  a: {sleep: 1s}\n")

        assert bad.value.problems == problems
        assert [problem.line for problem in problems] == [3, 4]
        assert await hf.workflows.validate(NAP) == []
        assert await hf.workflows.list() == []


async def test_files_beside_a_dag_are_refused_by_name(store_url: str) -> None:
    text = """\
name: etl
tasks:
  extract: {file: etl.py}
  clean: {command: ./clean.sh}
  pack: {command: tar, workdir: out}
  load: {module: shop.etl}
  tidy: {command: [/usr/bin/true], workdir: /tmp}
"""
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        with pytest.raises(BadDag) as bad:
            await hf.workflows.put(text)

        assert [problem.line for problem in bad.value.problems] == [3, 4, 5]
        assert "'etl.py' would be in the folder of the DAG, and a published DAG has none" in str(bad.value)


async def test_a_flow_is_put_under_its_name_and_is_a_flow_like_any_other(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(FLOW)
        await hf.workflows.put(FLOW.replace("1}", "2}"))
        run = await hf.start("pause")
        await run.result(timeout=SOON)

        assert (await run.describe()).version == "2"
        assert [version.number for version in await hf.flows.versions("pause")] == [2, 1]
        assert [flow.id for flow in (await hf.flows.list())[0]] == ["pause"]
        assert (await hf.flows.publish("pause", FLOW)).number == 3


async def test_the_versions_of_a_dag_are_not_those_of_a_flow(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        await hf.workflows.put(NAP)

        with pytest.raises(LookupError, match="no flow 'nap'"):
            await hf.flows.versions("nap")
        with pytest.raises(LookupError, match="no flow 'nap'"):
            await hf.flows.get("nap", 1)


async def test_a_name_that_belongs_to_another_kind_is_refused(store_url: str) -> None:
    async with Holdfast(store_url, catalog=shop()) as hf:
        await hf.workflows.put(NAP)

        with pytest.raises(WorkflowTaken, match="'buy' is of kind 'code'"):
            await hf.workflows.put(NAP, name="buy")
        with pytest.raises(WorkflowTaken, match="'nap' is of kind 'dag', and the text is a flow"):
            await hf.workflows.put(FLOW, name="nap")
        with pytest.raises(BadOption, match="kind"):
            await hf.workflows.put(NAP, kind="code")
        assert (await hf.workflows.put(NAP, name="siesta")).version == "1"
        assert await (await hf.start("siesta")).result(timeout=SOON) == {"wait": None}


async def test_published_dags_and_flows_call_each_other(store_url: str) -> None:
    caller = "name: caller\ntasks:\n  inner: {workflow: nap, inputs: {days: {const: 5}}}\n"
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(NAP)
        await hf.workflows.put(caller)
        run = await hf.start("caller")
        await run.result(timeout=SOON)
        [child] = [each for each in await hf.list() if each.workflow == "nap"]

        assert (child.version, child.input) == ("1", {"days": 5})


async def test_two_clients_that_put_at_once_make_two_versions(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=Catalog(), engine=False) as one,
        Holdfast(store_url, catalog=Catalog(), engine=False) as other,
    ):
        texts = [NAP.replace("3", str(number)) for number in range(10)]
        put = await asyncio.gather(
            *((one if n % 2 else other).workflows.put(text) for n, text in enumerate(texts))
        )

        assert sorted(int(each.version) for each in put) == list(range(1, 11))


# --- its schedule


async def test_the_schedule_in_a_dag_is_put_changed_and_deleted_with_its_text(store_url: str) -> None:
    text = NAP + "schedule:\n  cron: '0 * * * *'\n"
    async with Environment(store_url, catalog=Catalog()) as env:
        put = await env.workflows.put(text)
        await env.skip(dt.timedelta(hours=1))
        daily = await env.workflows.put(text.replace("0 * *", "0 0 *"))
        again = await env.workflows.put(text.replace("0 * *", "0 0 *"))
        changed = await env.schedules.get("nap")
        without = await env.workflows.put(NAP)

        assert put.schedule is not None
        assert put.schedule.workflow == "nap"
        assert [(run.workflow, run.version) for run in await env.list()] == [("nap", "1")]
        assert (daily.version, again.version, without.version) == ("2", "2", "3")
        assert changed.next_at is not None
        assert changed.next_at.hour == 0
        with pytest.raises(ScheduleNotFound):
            await env.schedules.get("nap")


async def test_a_schedule_of_that_name_that_starts_another_workflow_is_kept(store_url: str) -> None:
    async with Environment(store_url, catalog=shop()) as env:
        await env.schedules.put("nap", "buy", cron="0 * * * *", input={"cents": 5})

        with pytest.raises(ScheduleTaken):
            await env.workflows.put(NAP + "schedule: {cron: '0 * * * *'}\n")
        assert [each.name for each in await env.workflows.list(kind="dag")] == []


# --- reading


async def test_the_list_has_all_kinds_in_pages_by_name(store_url: str, tmp_path: Path) -> None:
    catalog = shop()
    path = tmp_path / "from_file.yaml"
    path.write_text(NAP.replace("nap", "from_file"))
    load_dag(path, catalog=catalog)

    @task(catalog=catalog)
    async def double(number: int) -> int:
        return 2 * number

    async with (
        Holdfast(store_url, catalog=catalog) as hf,
        Holdfast(store_url, catalog=Catalog(), namespace="elsewhere", engine=False) as other,
    ):
        await hf.run(double, 1)
        await hf.workflows.put(NAP)
        await hf.workflows.put(NAP.replace("3", "4"))
        await hf.workflows.put(FLOW)
        await other.workflows.put(NAP, name="secret")
        everything = await hf.workflows.list()
        first = await hf.workflows.list(limit=4)

        assert [(it.name, it.kind, it.is_published, it.versions) for it in everything] == [
            ("buy", "code", False, 1),
            ("double", "task", False, 1),
            ("from_file", "dag", False, 1),
            ("nap", "dag", True, 2),
            ("pause", "flow", True, 1),
            ("wait_for_go", "code", False, 1),
        ]
        assert everything[3].version == "2"
        assert first + await hf.workflows.list(limit=4, after=first[-1].name) == everything
        assert [it.name for it in await hf.workflows.list(kind="dag")] == ["from_file", "nap"]
        assert [it.name for it in await other.workflows.list()] == ["secret"]


async def test_another_namespace_has_none_of_it(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=shop()) as hf,
        Holdfast(store_url, catalog=Catalog(), namespace="elsewhere", engine=False) as other,
    ):
        await hf.workflows.put(NAP)

        assert await other.workflows.list() == []
        for name in ("nap", "buy"):
            with pytest.raises(WorkflowNotFound, match=f"no workflow '{name}' in namespace 'elsewhere'"):
                await other.workflows.get(name)
            with pytest.raises(WorkflowNotFound):
                await other.workflows.versions(name)
            with pytest.raises(WorkflowNotFound):
                await other.workflows.delete(name, force=True)
        assert (await hf.workflows.get("nap")).version == "1"


async def test_details_have_the_text_and_the_schema_of_the_input(store_url: str) -> None:
    async with Holdfast(store_url, catalog=shop()) as hf:
        await hf.workflows.put(NAP)
        dag, code = await hf.workflows.get("nap", 1), await hf.workflows.get("buy")

        assert (dag.definition, dag.kind, dag.is_published) == (NAP, "dag", True)
        assert dag.input_schema == {
            "type": "object",
            "properties": {"days": {"type": "integer", "default": 3}},
            "required": [],
            "additionalProperties": False,
        }
        assert "async def buy" in code.definition
        assert code.input_schema == await hf.workflows.input_schema("buy")
        assert code.input_schema["required"] == ["cents"]
        with pytest.raises(WorkflowNotFound, match="workflow 'nap' has no version '9'"):
            await hf.workflows.get("nap", 9)


async def test_details_have_the_updates_that_methods_of_a_class_handle(store_url: str) -> None:
    catalog = shop()

    @workflow(catalog=catalog)
    class Cart:
        @update
        async def add(self, sku: str, count: int = 1, *notes: str, is_gift: bool = False) -> int:
            """Puts something into the cart.

            It may be taken out again."""
            return count

        @update(name="pay-now")
        def pay(self) -> None: ...

        @update
        def throw(self, thing: object) -> None:
            """Nobody can describe what is thrown."""

        async def run(self, owner: str) -> str:
            return owner

    async with (
        Holdfast(store_url, catalog=catalog) as hf,
        Holdfast(store_url, catalog=Catalog(), engine=False) as other,
    ):
        cart = await other.workflows.get("Cart")
        add, pay, throw = cart.updates

        assert cart == await hf.workflows.get("Cart")
        assert (add.name, add.description) == ("add", "Puts something into the cart.")
        assert add.parameters == ["sku", "count", "*notes"]
        assert add.schema == {
            "type": "object",
            "properties": {
                "sku": {"type": "string"},
                "count": {"type": "integer", "default": 1},
                "notes": {"type": "array", "items": {"type": "string"}, "default": []},
            },
            "required": ["sku"],
            "additionalProperties": False,
        }
        assert (pay.name, pay.description, pay.parameters) == ("pay-now", "", [])
        assert pay.schema is not None
        assert (throw.parameters, throw.schema) == ([], None)
        assert cart.input_schema is not None
        assert list(cart.input_schema["properties"]) == ["owner"]
        assert await (await other.start("Cart", "me")).result(timeout=SOON) == "me"
        assert (await other.workflows.get("wait_for_go")).updates == []


async def test_a_definition_without_updates_gets_them_when_it_is_registered_again(store_url: str) -> None:
    catalog = Catalog()

    @workflow(catalog=catalog)
    class Counter:
        @update
        def add(self, by: int) -> int:
            return by

        async def run(self) -> None: ...

    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        [known] = hf._workflows.stored()
        older = known._replace(input_schema=None)
        await hf._store.register_definitions(hf.namespace, [older], hf._now())

        assert (await hf.workflows.get("Counter")).updates == []

        await hf.register_all()
        assert [each.name for each in (await hf.workflows.get("Counter")).updates] == ["add"]


async def test_versions_are_compared(store_url: str) -> None:
    catalog, changed = shop(), Catalog()

    @workflow(catalog=changed)
    async def buy(cents: int) -> int:
        return 2 * cents

    async with (
        Holdfast(store_url, catalog=catalog) as hf,
        Holdfast(store_url, catalog=changed, engine=False) as other,
    ):
        await other.register_all()
        await hf.workflows.put(NAP)
        await hf.workflows.put(NAP.replace("3", "4").replace("wait", "rest"))
        dag = await hf.workflows.diff("nap", 1, 2)
        newer, older = await hf.workflows.versions("buy")
        code = await hf.workflows.diff("buy", older.version, newer.version)

        assert [(it.path, it.kind) for it in dag.changes] == [
            ("$.input.days", "changed"),
            ("$.tasks.rest", "added"),
            ("$.tasks.wait", "removed"),
        ]
        assert "-  days: int = 3\n+  days: int = 4\n" in dag.text
        assert code.changes == []
        assert "+    return 2 * cents\n" in code.text


async def test_a_graph_has_its_layout_and_code_has_none(store_url: str) -> None:
    async with Holdfast(store_url, catalog=shop()) as hf:
        await hf.workflows.put(NAP)
        drawn = await hf.workflows.graph("nap")

        assert [node.id for node in drawn.graph.nodes] == ["wait"]
        assert drawn.layout.width > 0
        with pytest.raises(NoGraph, match="'buy' is of kind 'code' and has no graph"):
            await hf.workflows.graph("buy")


# --- deleting


async def test_a_workflow_with_open_runs_is_not_deleted(store_url: str) -> None:
    asks = "name: ask\ntasks:\n  ok: {approval: {message: Really?}}\n"
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(asks)
        run = await hf.start("ask")

        with pytest.raises(WorkflowInUse, match="1 of its runs have not ended"):
            await hf.workflows.delete("ask")
        assert (await hf.workflows.get("ask")).version == "1"
        await run.cancel()
        with pytest.raises(Exception, match="cancelled"):
            await run.result(timeout=SOON)
        assert (await hf.workflows.delete("ask")).versions == 1


async def test_a_forced_delete_lets_open_runs_go_on_also_on_another_node(store_url: str) -> None:
    asks = "name: ask\ntasks:\n  ok: {approval: {message: Really?}}\n"
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(asks)
        run = await hf.start("ask")
        deleted = await hf.workflows.delete("ask", force=True)

        with pytest.raises(UnknownWorkflow):
            await hf.start("ask")
        assert (deleted.versions, deleted.open_runs) == (1, 1)
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        run = await hf.get(run.id)
        [question] = await hf.questions()
        await hf.resolve(run, question.name, True)
        await run.result(timeout=SOON)

        assert (await run.describe()).status == "success"
        with pytest.raises(UnknownWorkflow):
            await hf.start("ask")
        with pytest.raises(UnknownWorkflow):
            await hf.start("ask", version=1)


async def test_the_number_of_a_deleted_version_is_never_used_again(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(NAP)
        old = await hf.start("nap")
        await old.result(timeout=SOON)
        await hf.workflows.delete("nap")
        new = await hf.workflows.put(SHELL, name="nap")

        assert new.version == "2"
        assert [it.version for it in await hf.workflows.versions("nap")] == ["2"]
        assert (await old.describe()).version == "1"


async def test_a_deleted_flow_can_be_put_again(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(FLOW)
        await hf.workflows.delete("pause")
        gone = (await hf.flows.list())[1]
        again = await hf.workflows.put(FLOW)

        assert (gone, again.version) == (0, "2")
        assert (await hf.flows.get("pause")).number == 2


async def test_schedules_keep_a_workflow_from_being_deleted(store_url: str) -> None:
    async with Environment(store_url, catalog=shop()) as env:
        await env.schedules.put("hourly", "buy", cron="0 * * * *", input={"cents": 5})
        await env.workflows.put(NAP + "schedule: {cron: '0 * * * *'}\n")

        with pytest.raises(WorkflowInUse, match=r"schedules start it \(hourly\)"):
            await env.workflows.delete("buy")
        assert (await env.workflows.delete("nap")).schedules == ["nap"]
        assert (await env.workflows.delete("buy", force=True)).schedules == ["hourly"]
        assert await env.schedules.list() == []


async def test_what_a_node_still_has_comes_back_when_it_starts(store_url: str) -> None:
    async with Holdfast(store_url, catalog=shop()) as hf:
        deleted = await hf.workflows.delete("buy")
        gone = [each.name for each in await hf.workflows.list()]
    async with Holdfast(store_url, catalog=shop()) as hf:
        back = [each.name for each in await hf.workflows.list()]

        assert deleted.may_come_back
        assert (gone, back) == (["wait_for_go"], ["buy", "wait_for_go"])


async def test_runs_of_a_deleted_workflow_can_be_imported_again(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.workflows.put(NAP)
        run = await hf.start("nap", id="mine")
        await run.result(timeout=SOON)
        lines = [line async for line in hf.export_runs()]
        await hf.delete("mine")
        await hf.workflows.delete("nap")

        report = await hf.import_runs(lines)

        assert report.runs == 1
        assert await (await hf.get("mine")).result(timeout=SOON) == {"wait": None}
