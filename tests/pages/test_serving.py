"""The pages over real HTTP: who may load them, what they may load, and where they are."""

from __future__ import annotations

import asyncio
import gzip
import re
import threading
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from tests.server.v1.asking import Asker, new_catalog
from tests.server.v1.conftest import serving
from tests.server.v1.test_access import keyed_server

from holdfast import Holdfast
from holdfast.server.pages import app as pages

PATHS = (
    "/",
    "/runs",
    "/runs/order%2F7",
    "/workflows/x",
    "/approvals",
    "/schedules",
    "/fleet",
    "/settings/keys",
    "/login",
)


async def test_everybody_may_load_the_pages_and_what_they_refer_to(sqlite_url: str):
    async with (
        keyed_server(sqlite_url) as server,
        httpx.AsyncClient(base_url=server.base, trust_env=False) as http,
    ):
        for path in PATHS:
            page = await http.get(path)
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8"), path
            assert '<base href="/"' in page.text
            assert (await http.head(path)).status_code == 200, path
            for method in ("POST", "PUT", "PATCH", "DELETE", "TRACE"):
                refused = 404 if path == "/" else 401  # "/" is also a page of the API
                assert (await http.request(method, path)).status_code == refused, f"{method} {path}"
        named = re.findall(r'(?:src|href)="\./(pages/[^"]+)"', page.text)
        assert len(named) >= 4
        for name in named:
            found = await http.get(f"/{name}")
            assert found.status_code == 200, name
            is_hashed = "-" in name
            assert ("immutable" in found.headers["cache-control"]) == is_hashed
        for path in ("/pages/app.py", "/pages/../me", "/pages/", "/runsx"):
            assert (await http.get(path)).status_code in (401, 404), path


async def test_the_files_are_packed_once_and_beside_the_event_loop(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    loop_thread, packed_in, packed = threading.current_thread(), list[threading.Thread](), list[bytes]()
    compress = gzip.compress

    def seen(body: bytes, *args: Any, **kwargs: Any) -> bytes:
        packed_in.append(threading.current_thread())
        packed.append(body)
        return compress(body, *args, **kwargs)

    monkeypatch.setattr("holdfast.server.pages.app.gzip.compress", seen)
    pages._files.cache_clear()
    async with serving(sqlite_url) as api, httpx.AsyncClient(base_url=_root(api), trust_env=False) as http:
        page = await http.get("/")
        [script, *_] = re.findall(r'src="\./(pages/[^"]+\.js)"', page.text)
        found = await asyncio.gather(*(http.get(f"/{script}") for _ in range(5)))

    assert {each.headers["content-encoding"] for each in found} == {"gzip"}
    assert packed_in
    assert loop_thread not in packed_in
    assert len(packed) == len(set(packed))


async def test_the_pages_may_run_and_load_nothing_but_their_own(sqlite_url: str):
    async with serving(sqlite_url) as api, httpx.AsyncClient(base_url=_root(api), trust_env=False) as http:
        page = await http.get("/runs")

    parts = page.headers["content-security-policy"].split(";")
    policy = {part.split()[0]: part.split()[1:] for part in parts}
    assert policy["default-src"] == policy["frame-ancestors"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["require-trusted-types-for"] == ["'script'"]
    assert not re.search(r"<script(?![^>]* src)|<style| style=| on\w+=", page.text)


def _root(api: Asker) -> str:
    return str(api.http.base_url).removesuffix("/api/v1/")


async def test_scripts_are_sent_packed_to_those_who_accept_that(sqlite_url: str):
    async with serving(sqlite_url) as api, httpx.AsyncClient(base_url=_root(api), trust_env=False) as http:
        page = await http.get("/")
        script = re.search(r'src="\./(pages/index-[^"]+)"', page.text)
        assert script is not None
        packed = await http.get(f"/{script[1]}", headers={"Accept-Encoding": "gzip"})
        plain = await http.get(f"/{script[1]}", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2


@pytest.mark.parametrize("path", ["/ours", "/ours/runs/7"])
async def test_mounted_below_another_path_the_pages_know_where_they_are(sqlite_url: str, path: str):
    async with Holdfast(sqlite_url, catalog=new_catalog()) as hf:
        app = FastAPI()
        app.mount("/ours", hf.asgi_app(needs_key=False))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            page = await http.get(path, follow_redirects=True)

    assert page.status_code == 200
    assert '<base href="/ours/"' in page.text
