"""The HTTP API inside applications of Starlette, FastAPI and Django, and under a server of its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable
from typing import Any

import httpx
import pytest
import uvicorn
from tests.server.conftest import new_catalog

from holdfast import Holdfast
from holdfast.errors import NotOpen


class QuietServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


@contextlib.asynccontextmanager
async def served(app: Any) -> AsyncGenerator[httpx.AsyncClient]:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=5
    )
    server = QuietServer(config)
    serving = asyncio.create_task(server.serve([listener]))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=20) as http:
            await server.is_up.wait()
            yield http
    finally:
        server.should_exit = True
        await serving


def in_starlette(hf: Holdfast) -> Any:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Mount, Route

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with hf:
            yield

    def own(request: Request) -> PlainTextResponse:
        return PlainTextResponse("mine")

    routes = [Mount("/jobs/here", hf.asgi_app(needs_key=False)), Route("/own", own)]
    return Starlette(routes=routes, lifespan=lifespan)


def in_fastapi(hf: Holdfast) -> Any:
    from fastapi import FastAPI

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with hf:
            yield

    app = FastAPI(lifespan=lifespan)

    def own() -> str:
        return "mine"

    app.get("/own")(own)
    app.mount("/jobs/here", hf.asgi_app(needs_key=False))
    return app


def in_django(hf: Holdfast) -> Any:
    import django
    from django.conf import settings
    from django.core.handlers.asgi import ASGIHandler, ASGIRequest
    from django.http import HttpResponse
    from django.urls import path

    def own(request: ASGIRequest) -> HttpResponse:
        return HttpResponse("mine")

    if not settings.configured:
        settings.configure(ROOT_URLCONF=type("urls", (), {}), ALLOWED_HOSTS=["*"], SECRET_KEY="for a test")
        django.setup()
    settings.ROOT_URLCONF = type("urls", (), {"urlpatterns": [path("own", own)]})
    pages, api = ASGIHandler(), hf.asgi_app(needs_key=False)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await api(scope, receive, send)
        elif scope["path"].startswith("/jobs/here/"):
            await api({**scope, "root_path": "/jobs/here"}, receive, send)
        else:
            await pages(scope, receive, send)

    return application


HOSTS = pytest.mark.parametrize("put_in", [in_starlette, in_fastapi, in_django])


@HOSTS
async def test_the_api_works_where_it_is_mounted(put_in: Callable[[Holdfast], Any], sqlite_url: str):
    hf = Holdfast(sqlite_url, catalog=new_catalog())
    async with served(put_in(hf)) as http:
        started = await http.post(
            "/jobs/here/api/v1/runs?wait=10", json={"workflow": "doubled", "input": [4], "id": "a/b"}
        )
        read = await http.get("/jobs/here/api/v1/runs/a%2Fb")
        document = await http.get("/jobs/here/api/v1/openapi.json")
        older = await http.get("/jobs/here/api/runs")
        own = await http.get("/own")
        nothing = await http.get("/jobs/here/api/v1/nothing")
        door = await http.get("/jobs/here/api")
        pages = await http.get("/jobs/here/")

    assert door.url.join(door.headers["location"]).path == "/jobs/here/api/v1/docs"
    assert '<base href="/jobs/here/"' in pages.text
    assert started.status_code == 201, started.text
    assert started.json()["run"]["output"] == 8
    assert (read.status_code, read.json()["id"]) == (200, "a/b")
    assert document.json()["info"]["title"] == "holdfast"
    assert document.url.join(document.json()["servers"][0]["url"]).path == "/jobs/here/"
    assert older.status_code == 200
    assert own.text.strip('"') == "mine"
    assert (nothing.status_code, nothing.json()["code"]) == (404, "not_found")


@HOSTS
async def test_events_end_with_the_application(put_in: Callable[[Holdfast], Any], sqlite_url: str):
    hf = Holdfast(sqlite_url, catalog=new_catalog())
    hears, has_heard = asyncio.Event(), asyncio.Event()

    async def listen(http: httpx.AsyncClient) -> None:
        with contextlib.suppress(httpx.RemoteProtocolError):
            async with http.stream("GET", "/jobs/here/api/v1/events") as stream:
                async for line in stream.aiter_lines():
                    hears.set()
                    if "doubled" in line:
                        has_heard.set()

    async with served(put_in(hf)) as http, asyncio.timeout(20):
        listening = asyncio.create_task(listen(http))
        await hears.wait()
        await http.post("/jobs/here/api/v1/runs?wait=10", json={"workflow": "doubled", "input": [4]})
        await has_heard.wait()
        closing = asyncio.create_task(hf.close())
        await listening
        refused = await http.get("/jobs/here/api/v1/runs")
        await closing

    assert (refused.status_code, refused.json()["code"]) == (503, "not_open")


async def test_by_itself_it_opens_and_closes_the_object_and_asks_for_keys(sqlite_url: str):
    hf = Holdfast(sqlite_url, catalog=new_catalog())
    async with served(hf.asgi_app()) as http:
        key = await hf.keys.create("me", "viewer")
        without = await http.get("/api/v1/runs")
        with_key = await http.get("/api/v1/runs", headers={"Authorization": f"Bearer {key.text}"})

    assert (without.status_code, with_key.status_code) == (401, 200)
    with pytest.raises(NotOpen):
        await hf.get("any")


async def test_before_the_object_is_open_requests_are_refused(sqlite_url: str):
    hf = Holdfast(sqlite_url, catalog=new_catalog())
    app = hf.asgi_app(needs_key=False)
    transport = httpx.ASGITransport(app=app)  # pyright: ignore[reportArgumentType]
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        before = await http.get("/api/v1/runs")
        async with hf:
            meanwhile = await http.get("/api/v1/runs")
        after = await http.get("/api/v1/runs")

    assert [before.status_code, meanwhile.status_code, after.status_code] == [503, 200, 503]
    assert before.json()["code"] == after.json()["code"] == "not_open"
