"""The page of the API: everybody may load it, and it loads nothing from elsewhere."""

from __future__ import annotations

import re
from importlib import resources

import httpx
import pytest
from tests.server.v1.asking import Asker
from tests.server.v1.test_access import keyed_server

from holdfast.server.api.page.app import PATHS


async def test_everybody_may_load_the_page_and_all_that_it_refers_to(sqlite_url: str):
    async with (
        keyed_server(sqlite_url) as server,
        httpx.AsyncClient(base_url=server.base, trust_env=False) as http,
    ):
        page = await http.get("/api/v1/docs")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        named = set(re.findall(r'(?:src|href)="([^"]+)"', page.text)) - {"data:,"}
        assert named == {"docs/page.css", "docs/page.js", "openapi.json"}
        for path in (*(f"/api/v1/{each}" for each in named), *PATHS):
            answer = await http.get(path, follow_redirects=True)
            assert answer.status_code == 200, path
        for path in PATHS:
            answer = await http.head(path, follow_redirects=True)
            assert (answer.status_code, answer.content) == (200, b"")
            assert int(answer.headers["content-length"]) > 500
            assert (await http.post(path)).status_code in (404, 405)
        for path in ("/api/v1/docs/", "/api/v1/docs/app.py", "/api/v1/docs/../me", "/api/v1/docs/page.html"):
            assert (await http.get(path)).status_code == 401, path


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/"])
async def test_the_address_of_the_api_leads_to_the_page(sqlite_url: str, path: str):
    async with (
        keyed_server(sqlite_url) as server,
        httpx.AsyncClient(base_url=server.base, trust_env=False) as http,
    ):
        answer = await http.get(path)

        assert answer.status_code == 307
        assert answer.url.join(answer.headers["location"]).path == "/api/v1/docs"
        assert (await http.post(path)).status_code in (401, 404, 405)


async def test_the_page_may_run_nothing_but_its_own_script(small_api: Asker):
    answer = await small_api.http.get("/docs")

    parts = answer.headers["content-security-policy"].split(";")
    policy = {part.split()[0]: part.split()[1:] for part in parts}
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?! src)|<style| style=| on\w+=", answer.text)


def test_no_file_of_the_page_names_another_server_or_writes_html():
    for each in resources.files("holdfast.server.api.page").iterdir():
        if each.name.startswith("page."):
            text = each.read_text(encoding="utf-8")
            assert not re.search(r"https?://|@import|\burl\(|[\"']//", text), each.name
            assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", text), (
                each.name
            )
