"""Runs over HTTP, which this API calls tasks."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from tests.server.conftest import Api, serving
from tests.server.definitions import asking, branching, calling, waiting

from holdfast import RunStatus
from holdfast.ports.runs import RunPage
from holdfast.server.compat.flows.tasks import PAGES


async def test_the_sequence_of_the_reference_client_ends_with_a_result_and_its_node_runs(api: Api):
    flow = (await api.post("/flows", {"Name": "demo", "Description": "d"}))["id"]
    version = await api.post(
        "/flows/version",
        {
            "FlowID": flow,
            "Version": 1,
            "DefinitionJSON": json.dumps(calling("double")),
            "Status": "published",
        },
    )
    task = (await api.post("/tasks", {"FlowID": flow, "ParamsJSON": '{"n": 21}'}))["id"]

    done = await api.wait_for(task, "completed", "failed", "canceled")

    runs = await api.get("/tasks/runs", task_id=task)
    assert done["status"] == "completed"
    assert (done["id"], done["flow_version_id"]) == (task, version["id"])
    assert (done["flow_id"], done["flow_name"], done["flow_version"]) == (flow, "demo", 1)
    assert json.loads(done["params_json"]) == {"n": 21}
    assert json.loads(done["shared_json"]) == {"result": 42}
    assert (done["current_node_key"], done["last_action"], done["step_count"]) == ("", "done", 1)
    assert abs(done["created_at"] - time.time()) < 60
    assert done["updated_at"] >= done["created_at"]
    [run] = runs
    assert run["id"].startswith(f"{task}:")
    assert (run["task_id"], run["node_key"], run["attempt_no"], run["status"]) == (task, "work", 1, "ok")
    assert json.loads(run["exec_output_json"]) == 42
    assert (run["error_text"], run["worker_id"], run["worker_url"]) == ("", "", "")
    assert run["finished_at"] >= run["started_at"] > 0


async def test_a_task_may_be_of_a_version_of_its_own(api: Api):
    flow = await api.publish("demo", calling("double"))
    await api.post("/flows/version", {"FlowID": flow, "DefinitionJSON": calling("break_down")})

    by_id = (await api.post("/tasks", {"FlowVersionID": f"{flow}@1", "ParamsJSON": {"n": 2}}))["id"]
    by_number = (await api.post("/tasks", {"FlowID": flow, "Version": "1", "ParamsJSON": {"n": 3}}))["id"]
    newest = (await api.post("/tasks", {"FlowID": flow, "ParamsJSON": {"n": "oh"}}))["id"]

    results = [await api.wait_for(task, "completed", "failed") for task in (by_id, by_number, newest)]
    assert [each["flow_version"] for each in results] == [1, 1, 2]
    assert [each["status"] for each in results] == ["completed", "completed", "failed"]
    assert [json.loads(each["shared_json"]) for each in results] == [{"result": 4}, {"result": 6}, {}]
    [run] = await api.get("/tasks/runs", task_id=newest)
    assert (run["status"], run["error_text"]) == ("error", "ValueError: oh")


async def test_a_request_that_is_sent_again_starts_nothing_new(api: Api):
    flow = await api.publish("demo", calling("double"))
    body = {"FlowID": flow, "ParamsJSON": '{"n": 1}', "RequestID": "order-42"}

    first = await api.post("/tasks", body)
    second = await api.post("/tasks", body)

    assert first == second == {"id": "order-42"}
    assert (await api.get("/tasks"))["total"] == 1
    assert (await api.wait_for("order-42", "completed"))["flow_id"] == flow


async def test_runs_of_every_kind_are_listed_with_the_newest_first(api: Api):
    flow = await api.publish("demo", calling("double"))
    await api.hf.start("doubled", 1, id="code")
    await api.start(flow, n=1)
    await api.wait_for("code", "completed")

    page = await api.get("/tasks")
    first = await api.get("/tasks", page=2, page_size=1)

    assert [task["flow_id"] for task in page["data"]] == ["demo", "doubled"]
    assert (page["total"], page["page"], page["size"]) == (2, 1, 10)
    code = page["data"][1]
    assert (code["id"], code["flow_name"], code["flow_version"]) == ("code", "doubled", 0)
    assert code["flow_version_id"].startswith("doubled@")
    assert (code["params_json"], code["shared_json"]) == ('{"number":1}', "{}")
    assert (code["current_node_key"], code["last_action"], code["step_count"]) == ("", "", 0)
    assert [task["id"] for task in first["data"]] == ["code"]
    assert (first["total"], first["page"], first["size"]) == (2, 2, 1)


async def test_every_status_finds_the_tasks_that_have_it_and_no_others(api: Api):
    finished, broken = (
        await api.publish("fine", calling("double")),
        await api.publish("bad", calling("break_down")),
    )
    queued, patient = await api.publish("far", asking("resize")), await api.publish("slow", waiting())
    tasks = {
        "completed": await api.start(finished, n=1),
        "failed": await api.start(broken, n="oh"),
        "waiting_queue": await api.start(queued, n=1),
        "running": await api.start(patient),
        "canceled": await api.start(patient),
    }
    await api.wait_for(tasks["canceled"], "running")
    assert await api.post(f"/tasks/cancel?id={tasks['canceled']}") == {"ok": "1"}

    for status, task in tasks.items():
        await api.wait_for(task, status)
    found = {status: await api.get("/tasks", status=status) for status in tasks}

    assert {status: [each["id"] for each in page["data"]] for status, page in found.items()} == {
        status: [task] for status, task in tasks.items()
    }
    assert {page["total"] for page in found.values()} == {1}
    for status in ("pending", "canceling"):
        assert (await api.get("/tasks", status=status))["data"] == []
    assert (await api.get("/tasks"))["total"] == 5


async def test_a_task_that_no_node_has_taken_is_pending_and_canceling_once_it_was_asked_to_end(
    store_url: str,
):
    async with serving(store_url, engine=False) as api:
        task = (await api.hf.start("doubled", 1, id="early")).id

        before = await api.get("/tasks/get", id=task)
        pending = await api.get("/tasks", status="pending")
        await api.post(f"/tasks/cancel?id={task}")
        after = await api.get("/tasks/get", id=task)
        canceling = await api.get("/tasks", status="canceling")

        assert (before["status"], after["status"]) == ("pending", "canceling")
        assert (
            [each["id"] for each in pending["data"]] == [each["id"] for each in canceling["data"]] == [task]
        )
        assert (await api.get("/tasks", status="pending"))["total"] == 0


@pytest.mark.parametrize("is_cancelling", [True, False])
@pytest.mark.parametrize("is_queued", [True, False])
@pytest.mark.parametrize("state", RunStatus)
def test_every_run_has_exactly_one_status(state: RunStatus, is_queued: bool, is_cancelling: bool):
    def fits(page: RunPage) -> bool:
        return (
            state in (page.statuses or ())
            and page.is_queued in (None, is_queued)
            and page.is_cancelling in (None, is_cancelling)
        )

    # What has ended is in no queue, and is asked for nothing any more.
    if not (state.is_final and (is_queued or is_cancelling)):
        assert len([status for status, page in PAGES.items() if fits(page)]) == 1


async def test_tasks_are_found_by_flow_and_by_version(api: Api):
    flow = await api.publish("demo", calling("double"))
    first = await api.start(flow, n=1)
    await api.post("/flows/version", {"FlowID": flow, "DefinitionJSON": calling("break_down")})
    second = await api.start(flow, n="oh")
    await api.hf.start("doubled", 1)

    of_flow = await api.get("/tasks", flow_id=flow)
    of_version = await api.get("/tasks", flow_version_id=f"{flow}@1")
    of_both = await api.get("/tasks", flow_version_id=f"{flow}@2", flow_id=flow)

    assert [task["id"] for task in of_flow["data"]] == [second, first]
    assert [task["id"] for task in of_version["data"]] == [first]
    assert [task["id"] for task in of_both["data"]] == [second]
    assert (await api.get("/tasks", flow_id="nothing"))["data"] == []


async def test_a_signal_is_what_a_task_waits_for(api: Api):
    task = await api.start(await api.publish("slow", waiting()))
    before = await api.wait_for(task, "running")

    answer = await api.post("/tasks/signal", {"task_id": task, "key": "verdict", "value": "approved"})

    done = await api.wait_for(task, "completed")
    assert before["current_node_key"] in ("", "ask")
    assert answer == {"ok": "1"}
    assert json.loads(done["shared_json"])["verdict"] == "approved"
    assert done["last_action"] == "approved"


async def test_a_signal_that_is_sent_twice_under_one_id_comes_once(small_api: Api):
    task = await small_api.start(await small_api.publish("slow", waiting()))
    body = {"task_id": task, "key": "other", "value": 1, "message_id": "call 7"}

    for _ in range(2):
        assert await small_api.post("/tasks/signal", body) == {"ok": "1"}
    other = await small_api.post("/tasks/signal", {**body, "value": 2}, code=409)

    assert "another message with the id 'call 7'" in other["error"]
    assert [message.value for message in await small_api.hf.messages(task)] == [1]


async def test_an_ended_task_takes_neither_signals_nor_cancellation(small_api: Api):
    await small_api.hf.start("doubled", 1, id="code")
    await small_api.wait_for("code", "completed")

    late = await small_api.post("/tasks/signal", {"task_id": "code", "key": "k", "value": 1}, code=409)
    too_late = await small_api.post("/tasks/cancel?id=code", code=409)

    assert "has ended" in late["error"]
    assert "has ended" in too_late["error"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, "flow_id"),
        ({"FlowID": "demo", "ParamsJSON": "{"}, "params_json: this is not JSON"),
        ({"FlowID": "demo", "ParamsJSON": "[1]"}, "params_json: expected an object"),
        ({"FlowID": "demo", "ParamsJSON": 3}, "params_json"),
        ({"FlowID": "demo", "ParamsJSON": {"n": 1}, "Version": 1.5}, "version"),
        ({"FlowID": "demo", "ParamsJSON": '{"n":' + "[" * 1500 + "]" * 1500 + "}"}, "nested too deeply"),
        ({"FlowID": "demo", "RequestID": "a\0b"}, "id is"),
        ({"FlowVersionID": "demo"}, "flow_version_id"),
    ],
)
async def test_a_task_that_cannot_be_understood_is_refused_with_where_and_why(
    small_api: Api, body: dict[str, object], expected: str
):
    await small_api.publish("demo", calling("double"))

    answer = await small_api.post("/tasks", body, code=400)

    assert expected in answer["error"]
    assert (await small_api.get("/tasks"))["total"] == 0


async def test_params_over_the_limit_are_refused(small_api: Api):
    flow = await small_api.publish("demo", calling("double"))

    answer = await small_api.post("/tasks", {"FlowID": flow, "ParamsJSON": {"n": "x" * 100_000}}, code=413)

    assert "over the limit of 100,000" in answer["error"]


async def test_what_is_not_there_is_not_found(small_api: Api):
    unknown = "01234567-89ab-7def-8123-456789abcdef"

    for path, query in [
        ("/tasks/get", {"id": "nobody"}),
        ("/tasks/get", {"id": "a\0b"}),
        ("/tasks/runs", {"task_id": unknown}),
        ("/tasks/logs", {"run_id": f"{unknown}:1:1"}),
    ]:
        assert "no run" in (await small_api.get(path, code=404, **query))["error"]
    await small_api.post(f"/tasks/cancel?id={unknown}", code=404)
    await small_api.post("/tasks/signal", {"task_id": "nobody", "key": "k"}, code=404)
    for body in ({"FlowID": "demo"}, {"FlowVersionID": "demo@1"}, {"FlowVersionID": "demo@one"}):
        await small_api.post("/tasks", body, code=404)


@pytest.mark.parametrize(
    ("path", "query", "where"),
    [
        ("/tasks", {"status": "done"}, "status is 'done'"),
        ("/tasks", {"flow_id": "a\0b"}, "flow_id"),
        ("/tasks", {"flow_version_id": "demo"}, "flow_version_id"),
        ("/tasks", {"flow_version_id": "demo@1", "flow_id": "other"}, "flow_id"),
        ("/tasks", {"page": 10**30}, "page"),
        ("/tasks/get", {}, "id"),
        ("/tasks/runs", {}, "task_id"),
        ("/tasks/logs", {"run_id": "1:2"}, "run_id"),
        ("/tasks/logs", {"run_id": "01234567-89ab-7def-8123-456789abcdef:1:99999999999"}, "run_id"),
    ],
)
async def test_a_question_that_cannot_be_understood_is_refused_with_where_and_why(
    small_api: Api, path: str, query: dict[str, object], where: str
):
    answer = await small_api.get(path, code=400, **query)

    assert where in answer["error"]


async def test_the_definition_of_a_flow_says_what_its_node_runs_were(small_api: Api):
    task = await small_api.start(await small_api.publish("demo", calling("double")), n=21)
    await small_api.wait_for(task, "completed")

    [run] = await small_api.get("/tasks/runs", task_id=task)

    assert (run["action"], json.loads(run["prep_json"])) == ("done", {"input_key": "$params.n"})
    assert (run["exec_input_json"], run["exec_output_json"]) == ("21", "42")


async def test_branches_items_and_nodes_of_subflows_are_node_runs_of_their_own(api: Api):
    task = await api.start(await api.publish("demo", branching("double")), numbers=[1, 2])
    done = await api.wait_for(task, "completed", "failed")

    runs = await api.get("/tasks/runs", task_id=task)

    assert json.loads(done["shared_json"])["doubled"] == [2, 4]
    shown = {(run["node_key"], run["sub_status"], run["branch_id"], run["exec_input_json"]) for run in runs}
    assert {("each", "item_complete", "0", "1"), ("each", "item_complete", "1", "2")} <= shown
    assert ("inside", "sub_node_complete", "work", "1") in shown


async def test_each_attempt_is_a_node_run_with_what_it_has_said(api: Api):
    script: dict[str, Any] = {
        "kind": "executor",
        "exec_type": "local_script",
        "script": {"language": "sh", "code": "echo trying >&2; exit 3"},
        "max_retries": 1,
        "wait_ms": 1,
    }
    flow = await api.publish("demo", {"start": "work", "nodes": {"work": script}, "edges": []})
    task = await api.start(flow)
    await api.wait_for(task, "failed")

    runs = await api.get("/tasks/runs", task_id=task)
    said = [await api.get("/tasks/logs", run_id=run["id"]) for run in runs]

    assert [(run["attempt_no"], run["status"]) for run in runs] == [(1, "error"), (2, "error")]
    assert all("code 3" in run["error_text"] for run in runs)
    assert [each["content"] for each in said] == ["trying\n", "trying\n"]


async def test_a_failed_run_of_code_shows_its_task_and_error(small_api: Api):
    await small_api.hf.start("failing", "oh", id="code")
    await small_api.wait_for("code", "failed")

    [run] = await small_api.get("/tasks/runs", task_id="code")

    assert (run["node_key"], run["status"], run["error_text"]) == ("break_down", "error", "ValueError: oh")
    assert (run["task_id"], run["exec_input_json"]) == ("code", '{"why":"oh"}')
