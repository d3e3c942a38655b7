"""Who may do what: keys, roles, namespaces, and the audit log."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import httpx
import pytest
from litestar import get
from litestar.handlers import HTTPRouteHandler
from tests.server.v1.asking import Asker, new_catalog

from holdfast import Holdfast
from holdfast.core.keys import Role
from holdfast.core.values import instant
from holdfast.server.access.rules import RULES, check_all_have_rules
from holdfast.server.api.v1 import app as v1
from holdfast.server.compat.dags import app as dags
from holdfast.server.compat.flows import app as flows
from holdfast.server.oidc import app as oidc
from holdfast.server.probes import app as probes
from holdfast.server.serving import ApiServer

NOT_FOUND_EITHER = "nobody"
HOUR = 3_600_000_000


class Server:
    """A server that asks for keys, and a key of each role."""

    def __init__(self, hf: Holdfast, api: ApiServer, base: str, keys: dict[str, str]) -> None:
        self.hf = hf
        self.api = api
        self.base = base
        self.keys = keys

    @contextlib.asynccontextmanager
    async def as_(self, who: str | None, **headers: str) -> AsyncGenerator[Asker]:
        """`who` is a role, or else the text of a key."""
        if who is not None:
            headers["Authorization"] = f"Bearer {self.keys.get(who, who)}"
        async with httpx.AsyncClient(
            base_url=self.base + "/api/v1", trust_env=False, timeout=30, headers=headers
        ) as http:
            yield Asker(self.hf, http, self.api)


@contextlib.asynccontextmanager
async def keyed_server(url: str, namespace: str = "default") -> AsyncGenerator[Server]:
    async with Holdfast(url, namespace=namespace, catalog=new_catalog()) as hf:
        keys = {str(role): (await hf.keys.create(f"the {role}", role)).text for role in Role}
        keys["everywhere"] = (await hf.keys.create("root", "admin", all_namespaces=True)).text
        server = hf.api_server(needs_key=True)
        port = await server.start("127.0.0.1", 0)
        try:
            yield Server(hf, server, f"http://127.0.0.1:{port}", keys)
        finally:
            await server.stop()


def all_routes() -> list[tuple[str, str, str]]:
    """Method, path and name of every route of every face."""
    faces: list[tuple[str, Mapping[str, Sequence[HTTPRouteHandler]]]] = [
        ("/api/v1", v1.NOUNS),
        ("/api", dags.NOUNS),
        ("/api", flows.NOUNS),
        ("", probes.NOUNS),
        ("", oidc.NOUNS),
    ]
    return sorted(
        (method, base + path, str(handler.name))
        for base, nouns in faces
        for routes in nouns.values()
        for handler in routes
        for path in handler.paths
        for method in handler.http_methods
    )


def filled(path: str) -> str:
    return "/".join(
        ("0" if part.endswith(":int}") else NOT_FOUND_EITHER) if part.startswith("{") else part
        for part in path.split("/")
    )


async def ask(
    http: httpx.AsyncClient, method: str, path: str, headers: dict[str, str] | None = None
) -> tuple[httpx.Response, str]:
    """The answer and its text; of events, which do not end, only the head."""
    async with http.stream(method, path, headers=headers) as answer:
        has_end = not answer.headers.get("content-type", "").startswith("text/event-stream")
        return answer, (await answer.aread()).decode() if has_end else ""


async def test_every_route_lets_those_in_that_its_rule_names_and_nobody_else(sqlite_url: str):
    routes = all_routes()
    assert {name for _, _, name in routes} == set(RULES), "a rule without a route, or a route without a rule"
    async with (
        keyed_server(sqlite_url) as server,
        httpx.AsyncClient(base_url=server.base, trust_env=False, timeout=30) as http,
    ):
        for method, path, name in routes:
            asked = filled(path)
            nobody, said = await ask(http, method, asked)
            if RULES[name].is_public:
                assert nobody.status_code not in (401, 403, 500), f"{method} {asked} for nobody: {said}"
            else:
                assert nobody.status_code == 401, f"{method} {asked} for nobody: {said}"
                assert nobody.headers["www-authenticate"] == "Bearer"
            for role in Role:
                headers = {"Authorization": f"Bearer {server.keys[role]}"}
                answer, said = await ask(http, method, asked, headers)
                is_let_in = answer.status_code not in (401, 403)
                assert is_let_in == (role in RULES[name].roles), f"{role}: {method} {asked}: {answer}"
                assert answer.status_code < 500 or "no worker" in said, said


def test_a_route_that_has_no_rule_is_refused_at_the_start():
    @get("/new", name="runs.new")
    async def new_route() -> None: ...

    with pytest.raises(LookupError, match=r"runs\.new"):
        check_all_have_rules({**v1.NOUNS, "new": [new_route]})


async def test_a_wrong_an_expired_and_a_revoked_key_are_refused(
    store_url: str, monkeypatch: pytest.MonkeyPatch
):
    async with keyed_server(store_url) as server:
        soon = await server.hf.keys.create("short", "viewer", expires=dt.timedelta(hours=1))
        gone = await server.hf.keys.create("gone", "viewer")
        async with server.as_(soon.text) as asker:
            await asker.get("/runs")
            with monkeypatch.context() as patch:
                patch.setattr(server.hf.keys, "_now", lambda: instant(dt.datetime.now(dt.UTC)) + HOUR)
                assert (await asker.get("/runs", code=401))["code"] == "unauthorized"
        async with server.as_(gone.text) as asker, server.as_("admin") as admin:
            assert (await asker.get("/me"))["name"] == "gone"
            assert (await admin.ask("DELETE", f"/keys/{gone.info.id}"))["state"] == "revoked"
            await asker.get("/runs", code=401)
        for wrong in ("hf_0000000000000000_" + "0" * 64, gone.text[:-1] + "x", "x"):
            async with server.as_(wrong) as asker:
                await asker.get("/runs", code=401)


async def test_wrong_keys_are_slowed_down_and_a_right_one_is_not(sqlite_url: str):
    async with (
        keyed_server(sqlite_url) as server,
        server.as_("hf_0_0") as wrong,
        server.as_("viewer") as right,
    ):
        for _ in range(5):
            await wrong.get("/runs", code=401)

        begin = time.monotonic()
        answers = await asyncio.gather(*(wrong.http.get("/runs") for _ in range(4)))
        took = time.monotonic() - begin

        assert sorted(each.status_code for each in answers) == [401, 429, 429, 429]
        assert took >= 0.45
        too_many = next(each for each in answers if each.status_code == 429)
        assert too_many.headers["retry-after"] == "1"
        assert too_many.json()["code"] == "too_many_attempts"
        begin = time.monotonic()
        await right.get("/runs")
        assert time.monotonic() - begin < 0.45


async def test_a_key_shows_only_its_own_namespace(store_url: str):
    async with keyed_server(store_url) as server:
        async with Holdfast(store_url, namespace="other", engine=False, catalog=new_catalog()) as other:
            theirs = await other.keys.create("their admin", "admin")
            run = await other.start("waiting", id="secret")
        async with server.as_("admin") as asker:
            assert (await asker.get("/runs"))["items"] == []
            assert (await asker.get("/runs/secret", code=404))["code"] == "run_not_found"
            await asker.get(f"/runs/{run.id}", code=404)
        async with server.as_("admin", **{"Holdfast-Namespace": "other"}) as asker:
            assert "'default'" in (await asker.get("/runs", code=403))["detail"]
        async with server.as_(theirs.text) as asker:
            assert (await asker.get("/me"))["namespace"] == "other"
            assert [each["id"] for each in (await asker.get("/runs"))["items"]] == ["secret"]
            assert [each["name"] for each in (await asker.get("/keys"))["items"]] == ["their admin"]
            started = await asker.post("/runs", {"workflow": "waiting"}, code=201)
            assert (await asker.get(f"/runs/{started['id']}"))["namespace"] == "other"
            await asker.post("/runs", {"workflow": "doubled", "input": [1]}, code=404)
        async with server.as_("everywhere", **{"Holdfast-Namespace": "other"}) as asker:
            assert len((await asker.get("/runs"))["items"]) == 2
        async with server.as_("everywhere") as asker:
            assert (await asker.get("/runs"))["items"] == []


async def test_what_was_changed_is_in_the_audit_log_before_it_is_answered(store_url: str):
    async with (
        keyed_server(store_url) as server,
        server.as_("operator") as operator,
        server.as_("admin") as admin,
    ):
        run = await operator.start("waiting", [], id="r1")
        await operator.post(f"/runs/{run}/pause", {"note": "lunch"})
        await operator.get(f"/runs/{run}")
        await operator.post("/runs/nobody/pause", code=404)
        await operator.post("/keys", {"name": "me too", "role": "admin"}, code=403)
        plan = {"workflow": "waiting", "every": 3600}
        await admin.ask("PUT", "/schedules/s1", plan)
        await admin.ask("PUT", "/schedules/s1", plan | {"every": 60})
        made = await admin.post("/keys", {"name": "new", "role": "viewer"}, code=201)

        page = await admin.get("/audit")
        rows = [(each["action"], each["target"], each["by"]) for each in page["items"]]

        assert rows == [
            ("keys.create", made["key"]["id"], "the admin"),
            ("schedules.put", "s1", "the admin"),
            ("schedules.put", "s1", "the admin"),
            ("runs.pause", "r1", "the operator"),
            ("runs.start", "r1", "the operator"),
        ]
        changed = page["items"][1]
        assert (changed["before"]["plan"]["every"], changed["after"]["plan"]["every"]) == (3600, 60)
        assert page["items"][3]["after"]["note"] == "lunch"
        assert made["text"] not in str(page)
        assert (await operator.get(f"/runs/{run}"))["started_by"] == "the operator"
        assert len((await admin.get("/audit", target="s1", limit=1))["items"]) == 1


async def test_only_an_admin_may_speak_for_somebody_else(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        async with server.as_("operator", **{"Holdfast-By": "ada"}) as asker:
            await asker.post("/runs", {"workflow": "waiting"}, code=403)
        async with server.as_("admin", **{"Holdfast-By": "ada"}) as asker:
            run = await asker.start("waiting", [])
            assert (await asker.get(f"/runs/{run}"))["started_by"] == "ada"


async def test_without_keys_everybody_may_do_everything_and_a_key_is_respected_all_the_same(small_api: Asker):
    viewer = await small_api.hf.keys.create("looker", "viewer")
    auth = {"Authorization": f"Bearer {viewer.text}"}

    assert (await small_api.get("/me"))["role"] == "admin"
    assert (await small_api.http.get("/me", headers=auth)).json()["role"] == "viewer"
    assert (await small_api.http.post("/runs", json={"workflow": "waiting"}, headers=auth)).status_code == 403
    assert (await small_api.http.get("/me", headers={"Authorization": "Bearer x"})).status_code == 401
    named: Any = (
        await small_api.http.get("/me", headers={"Holdfast-By": "ada", "Holdfast-Namespace": "x"})
    ).json()
    assert (named["name"], named["namespace"]) == ("ada", "x")
    assert (await small_api.http.get("/me", headers={"Holdfast-Namespace": "*"})).status_code == 400
