"""Flows and their versions over HTTP."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from tests.server.conftest import Api
from tests.server.definitions import asking, calling

YAML = """
start: work
nodes:
  work: {kind: executor, exec_type: local_func, func: double}
edges: []
"""


async def test_a_flow_is_created_and_listed_with_the_newest_first(api: Api):
    for name in ("orders", "refunds", "orders"):
        await api.post("/flows", {"Name": name, "Description": f"about {name}"})

    page = await api.get("/flows")

    assert [flow["id"] for flow in page["data"]] == ["orders-2", "refunds", "orders"]
    assert (page["total"], page["page"], page["size"]) == (3, 1, 10)
    assert page["data"][0]["name"] == "orders"
    assert page["data"][1]["description"] == "about refunds"
    assert abs(page["data"][0]["created_at"] - time.time()) < 60


async def test_a_page_has_as_many_flows_as_were_asked_for(api: Api):
    for number in range(5):
        await api.post("/flows", {"name": f"flow {number}"})

    page = await api.get("/flows", page=2, page_size=2)

    assert [flow["name"] for flow in page["data"]] == ["flow 2", "flow 1"]
    assert (page["total"], page["page"], page["size"]) == (5, 2, 2)


@pytest.mark.parametrize("name", ["", "a/b", "a@b", "a\0b", "x" * 201, 7, None])
async def test_a_flow_with_a_name_that_cannot_be_kept_is_refused(small_api: Api, name: object):
    answer = await small_api.post("/flows", {"name": name}, code=400)

    assert "name" in answer["error"]
    assert (await small_api.get("/flows"))["total"] == 0


@pytest.mark.parametrize("description", ["x" * 10_001, "a\0b", 5])
async def test_a_description_that_cannot_be_kept_is_refused(small_api: Api, description: object):
    answer = await small_api.post("/flows", {"name": "orders", "description": description}, code=400)

    assert "description" in answer["error"]


async def test_a_long_description_is_kept(small_api: Api):
    text = "of everything that is ordered, " * 300

    await small_api.post("/flows", {"name": "orders", "description": text})

    assert (await small_api.get("/flows"))["data"][0]["description"] == text


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"page": 0}, "page"),
        ({"page": -1}, "page"),
        ({"page": "x"}, "page"),
        ({"page_size": 1001}, "page_size"),
    ],
)
async def test_a_page_that_cannot_be_is_refused_with_what_it_must_be(
    small_api: Api, query: dict[str, object], where: str
):
    answer = await small_api.get("/flows", code=400, **query)

    assert answer["error"].startswith(f"{where}: Expected int")


async def test_versions_are_numbered_and_the_same_definition_again_is_the_same_version(api: Api):
    await api.post("/flows", {"Name": "orders"})
    first, second = json.dumps(calling("double")), json.dumps(calling("break_down"))

    ids = [
        (await api.post("/flows/version", {"FlowID": "orders", "DefinitionJSON": text}))["id"]
        for text in (first, first, second, json.dumps(calling("break_down"), indent=4))
    ]

    assert ids == ["orders@1", "orders@1", "orders@2", "orders@2"]
    versions = await api.get("/flows/version", flow_id="orders")
    assert versions == [
        {
            "id": "orders@2",
            "flow_id": "orders",
            "version": 2,
            "definition_json": second,
            "status": "published",
        },
        {
            "id": "orders@1",
            "flow_id": "orders",
            "version": 1,
            "definition_json": first,
            "status": "published",
        },
    ]
    assert await api.get("/flows/version/get", id="orders@1") == versions[1]


async def test_a_published_number_keeps_its_definition(api: Api):
    await api.publish("orders", calling("double"))

    again = {"FlowID": "orders", "Version": 1, "DefinitionJSON": calling("double")}
    same = await api.post("/flows/version", again)
    other = {"FlowID": "orders", "Version": 1, "DefinitionJSON": calling("break_down")}
    answer = await api.post("/flows/version", other, code=409)

    assert same["id"] == "orders@1"
    assert "version '1'" in answer["error"]
    [version] = await api.get("/flows/version", flow_id="orders")
    assert json.loads(version["definition_json"]) == calling("double")


async def test_an_earlier_definition_that_is_published_again_is_a_new_version(small_api: Api):
    await small_api.publish("orders", calling("double"))
    await small_api.post("/flows/version", {"flow_id": "orders", "definition_json": calling("break_down")})

    answer = await small_api.post(
        "/flows/version", {"flow_id": "orders", "definition_json": calling("double")}
    )

    assert answer["id"] == "orders@3"


async def test_a_draft_is_replaced_until_it_is_published_and_cannot_be_run_before(api: Api):
    await api.post("/flows", {"Name": "orders"})
    draft = {"FlowID": "orders", "Version": 1, "Status": "draft"}
    await api.post("/flows/version", {**draft, "DefinitionJSON": calling("break_down")})
    await api.post("/flows/version", {**draft, "DefinitionJSON": calling("double")})

    refused = await api.post("/tasks", {"FlowID": "orders", "ParamsJSON": '{"n": 4}'}, code=409)
    also_refused = await api.post("/tasks", {"FlowVersionID": "orders@1"}, code=409)
    published = await api.post("/flows/version", {"FlowID": "orders", "Version": 1})
    started = await api.post("/tasks", {"FlowID": "orders", "ParamsJSON": '{"n": 4}'})

    assert "publish" in refused["error"]
    assert "no published version 1" in also_refused["error"]
    assert published["id"] == "orders@1"
    done = await api.wait_for(started["id"], "completed", "failed")
    assert json.loads(done["shared_json"]) == {"result": 8}
    [version] = await api.get("/flows/version", flow_id="orders")
    assert version["status"] == "published"


async def test_a_published_version_does_not_become_a_draft_again(small_api: Api):
    await small_api.publish("orders", calling("double"))

    same = await small_api.post(
        "/flows/version",
        {"flow_id": "orders", "version": 1, "definition_json": calling("double"), "status": "draft"},
    )
    other = await small_api.post(
        "/flows/version",
        {"flow_id": "orders", "version": 1, "definition_json": calling("break_down"), "status": "draft"},
        code=409,
    )

    assert same["id"] == "orders@1"
    assert "version '1'" in other["error"]
    [version] = await small_api.get("/flows/version", flow_id="orders")
    assert version["status"] == "published"


async def test_a_definition_may_be_yaml(small_api: Api):
    await small_api.post("/flows", {"Name": "orders"})

    answer = await small_api.post("/flows/version", {"FlowID": "orders", "DefinitionYAML": YAML})

    assert answer["id"] == "orders@1"
    [version] = await small_api.get("/flows/version", flow_id="orders")
    assert version["definition_json"] == YAML


async def test_a_definition_that_cannot_run_is_refused_whole_with_where_and_why(small_api: Api):
    await small_api.post("/flows", {"Name": "orders"})
    wrong = asking("resize")
    wrong["edges"] = [{"from": "work", "to": "nowhere"}]

    answer = await small_api.post(
        "/flows/version", {"FlowID": "orders", "DefinitionJSON": json.dumps(wrong)}, code=400
    )

    assert "nowhere" in answer["error"]
    assert "$.edges[0]" in answer["error"]
    assert await small_api.get("/flows/version", flow_id="orders") == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"Version": -1}, "version is -1"),
        ({"Version": "x"}, "version is 'x'"),
        ({"Version": 2**40}, "version is 1099511627776"),
        ({"Status": "final"}, "status is 'final'"),
        ({"DefinitionYAML": YAML}, "definition_yaml"),
        ({"DefinitionJSON": ""}, "definition"),
        ({"DefinitionJSON": "{"}, "is not closed"),
        ({"DefinitionJSON": "[]"}, "must be a map"),
        ({"DefinitionJSON": None, "Status": "draft"}, "definition"),
        ({"FlowID": ""}, "flow_id"),
        ({"FlowID": 3}, "flow_id"),
    ],
)
async def test_a_version_that_cannot_be_understood_is_refused_with_where_and_why(
    small_api: Api, body: dict[str, object], expected: str
):
    await small_api.post("/flows", {"Name": "orders"})

    answer = await small_api.post(
        "/flows/version",
        {"FlowID": "orders", "DefinitionJSON": json.dumps(calling("double")), **body},
        code=400,
    )

    assert expected in answer["error"]


async def test_a_flow_or_version_that_is_not_there_is_not_found(small_api: Api):
    await small_api.publish("orders", calling("double"))

    for path, query in [
        ("/flows/version", {"flow_id": "refunds"}),
        ("/flows/version", {"flow_id": "a\0b"}),
        ("/flows/version/get", {"id": "orders@2"}),
        ("/flows/version/get", {"id": "orders@two"}),
        ("/flows/version/get", {"id": "refunds@1"}),
        ("/flows/version/compare", {"flow_id": "orders", "from": 1, "to": 2}),
    ]:
        answer = await small_api.get(path, code=404, **query)
        assert "no" in answer["error"]
    for body in (
        {"FlowID": "refunds", "DefinitionJSON": calling("double")},
        {"FlowID": "orders", "Version": 2},
    ):
        await small_api.post("/flows/version", body, code=404)
    assert "id" in (await small_api.get("/flows/version/get", code=400, id="orders"))["error"]


async def test_versions_are_compared_by_what_they_do(small_api: Api):
    await small_api.publish("orders", calling("double"))
    await small_api.post("/flows/version", {"flow_id": "orders", "definition_json": calling("break_down")})

    changes = await small_api.get("/flows/version/compare", flow_id="orders", **{"from": 1, "to": 2})
    none = await small_api.get("/flows/version/compare", flow_id="orders", **{"from": 2, "to": 2})

    [change] = changes
    assert (change["kind"], change["before"], change["after"]) == ("changed", "double", "break_down")
    assert change["path"].startswith("$.nodes.work")
    assert none == []


async def test_many_who_publish_at_once_get_each_a_number_of_their_own(api: Api):
    await api.post("/flows", {"Name": "orders"})

    answers = await asyncio.gather(
        *(
            api.post("/flows/version", {"FlowID": "orders", "DefinitionJSON": asking(f"service-{number}")})
            for number in range(8)
        )
    )

    assert sorted(answer["id"] for answer in answers) == [f"orders@{number}" for number in range(1, 9)]
