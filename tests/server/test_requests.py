"""How requests are read, whatever the route, and how they are refused."""

from __future__ import annotations

import json
import logging

import pytest
from tests.server.conftest import Api, serving

from holdfast.errors import StoreFull, StoreUnavailable


@pytest.mark.parametrize("name", ["name", "Name", "NAME", "na_me", "_Name"])
async def test_names_in_a_body_are_matched_without_regard_to_case_and_underscores(small_api: Api, name: str):
    assert await small_api.post("/flows", {name: "orders"}) == {"id": "orders"}


@pytest.mark.parametrize("name", ["flow_id", "FlowID", "flowid", "flowId", "Flow_Id"])
async def test_names_in_a_query_are_matched_likewise(small_api: Api, name: str):
    await small_api.post("/flows", {"name": "orders"})

    assert await small_api.get("/flows/version", **{name: "orders"}) == []


async def test_an_empty_value_in_a_query_is_one_that_is_not_there(small_api: Api):
    page = await small_api.get("/tasks", page="", page_size="", status="", flow_id="", flow_version_id="")

    assert (page["page"], page["size"]) == (1, 10)


async def test_of_a_name_that_is_in_a_query_twice_the_first_counts(small_api: Api):
    response = await small_api.http.get("/flows?page=3&Page=4&PAGE=5")

    assert response.json()["page"] == 3


async def test_names_that_nobody_knows_are_left_out(small_api: Api):
    answer = await small_api.post("/flows", {"name": "orders", "colour": "red", "Owner": {"id": 1}})

    assert answer == {"id": "orders"}
    assert (await small_api.get("/flows", colour="red"))["total"] == 1


async def test_null_is_what_is_left_out(small_api: Api):
    await small_api.post("/flows", {"name": "orders", "description": None})

    assert (await small_api.get("/flows"))["data"][0]["description"] == ""


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense", None],
)
async def test_a_body_is_json_whatever_its_content_type_says(small_api: Api, content_type: str | None):
    headers = {} if content_type is None else {"content-type": content_type}

    response = await small_api.http.post("/flows", content=b'{"name": "orders"}', headers=headers)

    assert (response.status_code, response.json()) == (200, {"id": "orders"})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "it is empty"),
        (b" ", "this is not JSON"),
        (b"{", "this is not JSON"),
        (b'{"name": NaN}', "this is not JSON"),
        (b'{"name": 1e999}', "this is not JSON"),
        (b"name=orders", "this is not JSON"),
        (b"\xff\xfe", "this is not JSON"),
        (b'{"name": "\xff"}', "this is not JSON"),
        (b'{"name": "\\ud800"}', "this is not JSON"),
        (b"null", "expected an object, got None"),
        (b"[1, 2]", "expected an object, got [1, 2]"),
        (b'{"name": ["a"]}', "name: expected str, got array"),
        (b"{}", "name"),
        (b'{"name": "a", "Name": "b"}', "name is there twice"),
        (b"[" * 50_000, "nested too deeply"),
        (b'{"x":' * 50_000, "nested too deeply"),
    ],
)
async def test_a_body_that_cannot_be_understood_is_refused_with_where_and_why(
    small_api: Api, body: bytes, expected: str
):
    response = await small_api.http.post("/flows", content=body)

    assert response.status_code == 400
    assert response.json()["error"].startswith("the body:")
    assert expected in response.json()["error"]


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(small_api: Api):
    body = json.dumps({"name": "orders", "description": "x" * 1_200_000}).encode()

    async def in_pieces():
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    announced = await small_api.http.post("/flows", content=body)
    streamed = await small_api.http.post("/flows", content=in_pieces())

    for response in (announced, streamed):
        assert response.status_code == 413
        assert response.json() == {"error": "the body is larger than this server takes"}


async def test_a_body_as_large_as_a_payload_may_be_is_read(small_api: Api):
    response = await small_api.http.post("/flows", content=b'{"name": "orders"}' + b" " * 1_000_000)

    assert response.status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("POST", "", 404),
        ("POST", "/flows/version/get", 405),
        ("GET", "/queue/poll", 405),
        ("GET", "/tasks/cancel", 405),
        ("DELETE", "/flows", 405),
        ("PUT", "/tasks", 405),
    ],
)
async def test_a_route_or_method_that_is_not_there_is_refused(
    small_api: Api, method: str, path: str, status: int
):
    response = await small_api.http.request(method, path)

    assert response.status_code == status
    assert list(response.json()) == ["error"]


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
async def test_a_page_of_another_origin_is_not_let_in(small_api: Api, origin: str, method: str):
    response = await small_api.http.request(method, "/flows", headers={"Origin": origin})

    assert response.status_code == 403
    assert origin in response.json()["error"]
    assert (await small_api.get("/flows"))["total"] == 0


async def test_a_name_that_somebody_has_pointed_at_this_machine_is_not_ours(small_api: Api):
    headers = {"Host": "evil.example:8070", "Origin": "http://evil.example:8070"}

    response = await small_api.http.post("/flows", json={"Name": "orders"}, headers=headers)

    assert response.status_code == 403
    assert "evil.example:8070" in response.json()["error"]


async def test_a_page_of_the_server_itself_is_let_in(small_api: Api):
    origin = str(small_api.http.base_url.copy_with(path="")).rstrip("/")

    response = await small_api.http.get("/flows", headers={"Origin": origin})

    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("allowed", ["https://shop.example, https://desk.example", "*"])
async def test_pages_of_origins_that_are_allowed_may_ask(sqlite_url: str, allowed: str):
    origin = {"Origin": "https://desk.example"}
    async with serving(sqlite_url, allowed_origins=allowed) as api:
        asked = await api.http.options("/flows", headers=origin)
        answered = await api.http.get("/flows", headers=origin)

        assert (asked.status_code, asked.content) == (204, b"")
        for response in (asked, answered):
            assert response.headers["access-control-allow-origin"] == "https://desk.example"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StoreUnavailable("sqlite", "gone"), "the database does not answer"),
        (StoreFull("sqlite", "no space"), "the database has no room left"),
    ],
)
async def test_a_store_that_cannot_answer_is_a_503_that_says_so(
    small_api: Api, error: Exception, told: str, monkeypatch: pytest.MonkeyPatch
):
    async def list_flows(*_: object) -> None:
        raise error

    monkeypatch.setattr(small_api.hf.flows, "list", list_flows)

    answer = await small_api.get("/flows", code=503)

    assert answer["error"].startswith(told)


async def test_a_mistake_of_ours_is_logged_and_not_told(
    small_api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def list_flows(*_: object) -> None:
        raise KeyError("a secret")

    monkeypatch.setattr(small_api.hf.flows, "list", list_flows)
    with caplog.at_level(logging.ERROR, "holdfast.server"):
        answer = await small_api.get("/flows", code=500)

    assert "secret" not in answer["error"]
    [record] = caplog.records
    assert record.getMessage() == "GET /api/flows has failed"
    assert record.exc_info is not None
    assert "a secret" in str(record.exc_info[1])


async def test_the_openapi_document_has_every_route(small_api: Api):
    document = await small_api.get("/openapi.json")

    assert document["info"]["title"] == "holdfast, as a scheduler of flows"
    assert {f"{method} {path}" for path, item in document["paths"].items() for method in item} == {
        "post /api/flows",
        "get /api/flows",
        "post /api/flows/version",
        "get /api/flows/version",
        "get /api/flows/version/get",
        "get /api/flows/version/compare",
        "post /api/tasks",
        "get /api/tasks",
        "get /api/tasks/get",
        "post /api/tasks/cancel",
        "get /api/tasks/runs",
        "get /api/tasks/logs",
        "post /api/tasks/signal",
        *(f"post /api{prefix}/{verb}" for prefix in ("", "/workers") for verb in ("register", "heartbeat")),
        *(f"get /api{prefix}/{verb}" for prefix in ("", "/workers") for verb in ("list", "allocate")),
        "post /api/queue/poll",
        "post /api/queue/complete",
        "post /api/queue/update_run",
    }
    body = document["paths"]["/api/tasks"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/StartRequest"}
