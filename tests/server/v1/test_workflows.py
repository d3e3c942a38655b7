"""Workflows over HTTP: publishing, reading, comparing and deleting them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.server.v1.asking import Asker
from tests.server.v1.test_access import keyed_server

NAP = """\
name: nap
input:
  days: int = 3
tasks:
  wait: {sleep: 0s}
"""
FLOW = '{"start": "a", "nodes": {"a": {"kind": "timer", "params": {"delay_ms": 1}}}}'


async def put(api: Asker, text: str, name: str = "nap", **headers: str) -> Any:
    return await api.http.put(f"/workflows/{name}", json={"text": text}, headers=headers)


async def test_a_dag_is_published_listed_read_and_run(api: Asker):
    made = await api.ask("PUT", "/workflows/nap", {"text": NAP})
    again = await api.ask("PUT", "/workflows/nap", {"text": NAP, "kind": "dag"})
    flow = await api.ask("PUT", "/workflows/pause", {"text": FLOW})

    assert (made["name"], made["version"], made["kind"], made["is_new"]) == ("nap", "1", "dag", True)
    assert (again["version"], again["is_new"]) == ("1", False)
    assert (flow["name"], flow["kind"]) == ("pause", "flow")
    first = await api.get("/workflows", limit=1)
    second = await api.get("/workflows", limit=1000, after=first["next"])
    names = [each["name"] for each in [*first["items"], *second["items"]]]
    assert names == sorted(names)
    assert {"nap", "pause", "doubled"} <= set(names)
    assert second["next"] is None
    assert [each["name"] for each in (await api.get("/workflows", kind="dag"))["items"]] == ["nap"]
    found = await api.get("/workflows/nap", version=1)
    assert (found["definition"], found["hash"]) == (NAP, made["hash"])
    run = await api.post("/runs", {"workflow": "nap", "input": {"days": 4}}, code=201, wait=20)
    assert (run["run"]["status"], run["run"]["input"]) == ("success", {"days": 4})


async def test_versions_their_difference_the_schema_and_the_graph(api: Asker):
    await put(api, NAP)
    await put(api, NAP.replace("3", "4"))

    versions = (await api.get("/workflows/nap/versions"))["items"]
    diff = await api.get("/workflows/nap/diff", before=1, after=2)
    graph = await api.get("/workflows/nap/graph", version=1)

    assert [each["version"] for each in versions] == ["2", "1"]
    assert [(each["path"], each["before"], each["after"]) for each in diff["changes"]] == [
        ("$.input.days", "int = 3", "int = 4")
    ]
    assert "-  days: int = 3\n+  days: int = 4\n" in diff["text"]
    assert [(node["id"], node["notes"]) for node in graph["graph"]["nodes"]] == [("wait", [])]
    assert [node["id"] for node in graph["layout"]["nodes"]] == ["wait"]
    schema = (await api.get("/workflows/nap/input-schema"))["schema"]
    assert schema["properties"]["days"] == {"type": "integer", "default": 4}
    assert (await api.get("/workflows/doubled/graph", code=404))["code"] == "no_graph"
    assert (await api.get("/workflows/nap/graph", version=3, code=404))["code"] == "workflow_not_found"
    assert (await api.get("/workflows/nobody", code=404))["code"] == "workflow_not_found"


async def test_a_version_has_its_updates_and_what_they_are_called_with(api: Asker):
    run = await api.get(f"/runs/{await api.start('Tally', {})}")
    found = await api.get(f"/workflows/{run['workflow']}", version=run["version"])

    assert found["updates"] == [
        {
            "name": "add",
            "description": "Adds them up.",
            "parameters": ["number", "*more"],
            "schema": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "more": {"type": "array", "items": {"type": "integer"}, "default": []},
                },
                "required": ["number"],
                "additionalProperties": False,
            },
        }
    ]
    body = {"name": "add", "args": [1, 2, 3], "message_id": "one"}
    assert (await api.post(f"/runs/{run['id']}/updates", body))["answer"] == 6
    assert (await api.get("/workflows/counting"))["updates"] == []


async def test_who_has_the_newest_version_is_told_so(api: Asker):
    made = await put(api, NAP)
    etag = made.headers["etag"]

    same = await api.http.get("/workflows/nap", headers={"If-None-Match": f'"other", W/{etag}'})
    other = await api.http.get("/workflows/nap", headers={"If-None-Match": '"other"'})

    assert etag == f'"{made.json()["hash"]}"'
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
    assert (other.status_code, other.headers["etag"]) == (200, etag)


async def test_what_has_changed_meanwhile_is_not_overwritten(api: Asker):
    first = (await put(api, NAP, **{"If-None-Match": "*"})).headers["etag"]
    mine, theirs = NAP.replace("3", "4"), NAP.replace("3", "5")

    taken = await put(api, mine, **{"If-None-Match": "*"})
    changed = await put(api, theirs, **{"If-Match": first})
    late = await put(api, mine, **{"If-Match": first})
    repeated = await put(api, theirs, **{"If-Match": first})
    absent = await put(api, NAP.replace("nap", "new"), "new", **{"If-Match": "*"})
    weak = await put(api, mine, **{"If-Match": f"W/{changed.headers['etag']}"})
    known = await put(api, mine, **{"If-Match": "*"})

    assert (taken.status_code, late.status_code) == (412, 412)
    assert late.json()["code"] == "workflow_changed"
    assert late.json()["facts"]["found"] == changed.json()["hash"]
    assert (repeated.status_code, repeated.json()["is_new"]) == (200, False)
    assert (absent.status_code, weak.status_code, known.status_code) == (412, 412, 200)
    assert [each["version"] for each in (await api.get("/workflows/nap/versions"))["items"]] == [
        "3",
        "2",
        "1",
    ]


async def test_of_many_who_replace_the_same_version_one_succeeds(api: Asker):
    first = (await put(api, NAP)).headers["etag"]

    answers = await asyncio.gather(
        *(put(api, NAP.replace("3", str(number)), **{"If-Match": first}) for number in range(10, 18))
    )

    assert sorted(each.status_code for each in answers) == [200] + [412] * 7
    assert len((await api.get("/workflows/nap/versions"))["items"]) == 2


async def test_a_bad_text_is_refused_with_all_places(small_api: Asker):
    bad = NAP + "  rest: {sleep: 0s, depends_on: [wiat]}\n  more: {slep: 0s}\n"

    problem = await small_api.ask("PUT", "/workflows/nap", {"text": bad}, code=400)
    checked = await small_api.post("/workflow-validation", {"text": bad})

    assert problem["code"] == "bad_dag"
    assert [place["line"] for place in problem["places"]] == [6, 7]
    assert all(place["column"] and place["message"] for place in problem["places"])
    assert checked["problems"] == problem["places"]
    assert (await small_api.post("/workflow-validation", {"text": NAP}))["problems"] == []
    assert (await small_api.get("/workflows", kind="dag"))["items"] == []


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("other", NAP, 400, "'nap'"),
        ("doubled", NAP.replace("nap", "doubled"), 409, "workflow_taken"),
        ("a%2Fb", FLOW, 400, "'a/b'"),
        ("a@b", FLOW, 400, "'a@b'"),
    ],
)
async def test_a_name_that_cannot_be_is_refused(small_api: Asker, name: str, text: str, code: int, said: str):
    assert said in str(await small_api.ask("PUT", f"/workflows/{name}", {"text": text}, code=code))


async def test_a_workflow_in_use_is_deleted_only_by_force(api: Asker):
    await api.ask("PUT", "/workflows/pause", {"text": FLOW.replace(": 1}", ": 3600000}")})
    run = await api.start("pause", {})

    refused = await api.ask("DELETE", "/workflows/pause", code=409)
    done = await api.ask("DELETE", "/workflows/pause", force=True)

    assert (refused["code"], refused["facts"]["open_runs"]) == ("workflow_in_use", 1)
    assert done == {"name": "pause", "versions": 1, "schedules": [], "open_runs": 1, "may_come_back": False}
    await api.get("/workflows/pause", code=404)
    await api.ask("DELETE", "/workflows/pause", code=404)
    assert (await api.get(f"/runs/{run}"))["status"] in ("pending", "running")


async def test_the_audit_log_has_what_was_published_before_and_after(store_url: str):
    async with keyed_server(store_url) as server, server.as_("admin") as admin:
        first = (await put(admin, NAP)).json()
        second = (await put(admin, NAP.replace("3", "4"))).json()
        await admin.ask("DELETE", "/workflows/nap")

        rows = (await admin.get("/audit", target="nap"))["items"]

        one = {"version": "1", "hash": first["hash"]}
        two = {"version": "2", "hash": second["hash"]}
        gone = {"versions": 2, "schedules": [], "open_runs": 0}
        assert [(row["action"], row["before"], row["after"]) for row in rows] == [
            ("workflows.delete", two, gone),
            ("workflows.put", one, two),
            ("workflows.put", None, one),
        ]


async def test_the_document_says_what_a_graph_and_its_layout_have(small_api: Asker):
    schemas = (await small_api.get("/openapi.json"))["components"]["schemas"]

    drawn = schemas["WorkflowGraph"]["properties"]
    assert drawn["graph"] == {"$ref": "#/components/schemas/Graph"}
    assert drawn["layout"] == {"$ref": "#/components/schemas/GraphLayout"}
    assert schemas["GraphNode"]["properties"]["work"]["type"] == "string"
    assert schemas["RoutedEdge"]["properties"]["points"]["items"]["type"] == "array"


async def test_statistics_and_what_happened_lately(api: Asker):
    good, bad = await api.start("doubled", [1]), await api.start("failing", ["oh"])
    for run in (good, bad):
        await api.get(f"/runs/{run}", wait=20)

    await asyncio.sleep(0.05)
    older = await api.get("/workflow-activity", last=0.02)
    none = await api.get("/workflows/failing/statistics", last=0.02)
    statistics = await api.get("/workflows/failing/statistics", last=3600)
    activity = await api.get("/workflow-activity", last=3600, step=60)

    assert (statistics["runs"], statistics["failed"], statistics["is_all"]) == (1, 1, True)
    assert [each["name"] for each in statistics["tasks"]] == ["break_down"]
    assert [each["id"] for each in statistics["strip"]] == [bad]
    [failing] = [each for each in activity["items"] if each["name"] == "failing"]
    assert (failing["kind"], failing["ended"], failing["failed"], failing["open"]) == ("code", 1, 1, 0)
    assert [each["id"] for each in failing["last"]] == [bad]
    assert (activity["looked_at"], activity["step_seconds"]) == (2, 60)
    assert (older["looked_at"], none["runs"], none["strip"]) == (0, 0, [])
    assert (await api.get("/workflows/nobody/statistics", code=404))["code"] == "workflow_not_found"
    assert (await api.get("/workflow-activity", last=0, code=400))["status"] == 400
