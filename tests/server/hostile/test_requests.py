"""Requests that mean one thing to a proxy and another to the server, and answers that others could misuse."""

from __future__ import annotations

import json

import pytest
from tests.server.hostile.raw_requests import exchange, request
from tests.server.v1.test_access import ask, filled, keyed_server

CLOSE = "Connection: close"


NO_REQUESTS = [
    "GET /api/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "POST /api/v1/runs HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "POST /api/v1/runs HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "POST /api/v1/runs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
    "GET /api/v1/me HTTP/1.1\r\nHost : a\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
]
TOO_LARGE = [
    "GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX-Long: " + "a" * 1_000_000 + "\r\n\r\n",
    "GET /api/v1/" + "a" * 1_000_000 + " HTTP/1.1\r\nHost: a\r\n\r\n",
]
PATHS = [
    "/api/v1/docs/../keys",
    "/api/v1/docs/%2e%2e/keys",
    "/api/v1/docs%2f..%2fkeys",
    "/api%2fv1/keys",
    "//api/v1/keys",
    "/api/v1//keys",
    "/api/v1/docs;/keys",
    "/healthz/../api/v1/keys",
    "http://localhost/api/v1/keys",
    "/api/v1/docs/../../../../etc/passwd",
    "/api/v1/docs/page.css%00",
    "/api/v1/session/../keys",
    "/api/v1/LOGIN",
]


async def test_a_header_that_decides_who_asks_may_come_once(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        for name in ("Authorization", "Holdfast-Namespace", "Holdfast-By", "Origin"):
            value = f"Bearer {server.keys['admin']}" if name == "Authorization" else "default"
            headers = [f"{name}: {value}", f"{name.lower()}: {value}"]

            [answer] = await exchange(server.base, request("GET", "/api/v1/me", *headers))

            assert answer.status == 400
            assert json.loads(answer.body)["detail"] == f"the header {name.lower()} came twice"


async def test_a_request_with_two_ends_is_refused_and_nothing_behind_it_is_read(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        key = f"Authorization: Bearer {server.keys['admin']}"
        for length in (0, 4, 99):
            ends = (f"Content-Length: {length}", "Transfer-Encoding: chunked")
            first = request("POST", "/api/v1/runs", key, *ends, body=b"0\r\n\r\n")

            answers = await exchange(server.base, first + request("GET", "/api/v1/me", key, CLOSE))

            assert [answer.status for answer in answers] == [400]
            assert "connection: close" in answers[0].head.lower()


async def test_what_is_no_request_is_refused_and_the_connection_closed(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        for head in NO_REQUESTS:
            [answer] = await exchange(server.base, head.encode("latin-1"))
            assert answer.status == 400, head
        for head in TOO_LARGE:
            assert [each.status for each in await exchange(server.base, head.encode())] in ([], [400])


async def test_no_spelling_of_a_path_goes_past_the_keys(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        for path in PATHS:
            [answer] = await exchange(server.base, request("GET", path, CLOSE))
            assert answer.status == 401, path


async def test_methods_are_not_overridden(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, server.as_("admin") as asker:
        run = await asker.start("waiting", [])
        override = {
            "X-HTTP-Method-Override": "DELETE",
            "X-Method-Override": "DELETE",
            "X-HTTP-Method": "DELETE",
        }

        await asker.http.get(f"/runs/{run}?_method=DELETE", headers=override)
        post = await asker.http.post(f"/runs/{run}?_method=DELETE", headers=override)

        assert post.status_code == 405
        assert (await asker.get(f"/runs/{run}"))["status"] == "running"


async def test_other_methods_show_nothing(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        key = f"Authorization: Bearer {server.keys['admin']}"
        for method in ("HEAD", "TRACE", "CONNECT", "PROPFIND", "PATCH"):
            [nobody] = await exchange(server.base, request(method, "/api/v1/keys", CLOSE))
            [admin] = await exchange(server.base, request(method, "/api/v1/keys", key, CLOSE))
            assert (nobody.status, admin.status) == (401, 405)
            assert "hf_" not in nobody.body + admin.body


async def test_nothing_of_a_path_gets_into_the_head_of_an_answer(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        key = f"Authorization: Bearer {server.keys['admin']}"
        for path in (
            "/runs/a%0d%0aX-Evil:%201",
            "/runs/a%0aX-Evil:%201/logs",
            "/events?after=a%0aX-Evil:%201",
        ):
            [answer] = await exchange(server.base, request("GET", f"/api/v1{path}", key, CLOSE))
            assert answer.status in (400, 404)
            assert "x-evil" not in answer.head.lower()


@pytest.mark.parametrize("who", ["admin", None])
async def test_no_answer_is_kept_in_a_cache_or_taken_for_a_page(sqlite_url: str, who: str | None):
    paths = ["/runs", "/keys", "/me", "/login", "/runs/nobody", "/nothing", "/events", "/openapi.json"]
    async with keyed_server(sqlite_url) as server, server.as_(who) as asker:
        for path in [*paths, "/../../healthz", "/../../metrics", "/../flows/list", "/../runs"]:
            answer, _ = await ask(asker.http, "GET", filled(path))
            assert answer.headers["x-content-type-options"] == "nosniff", path
            assert answer.headers["cache-control"] in ("no-store", "no-cache"), path
        evil = await asker.http.get("/me", headers={"Origin": "https://evil.example"})
        assert (evil.status_code, evil.headers["x-content-type-options"]) == (403, "nosniff")
