"""Sessions of browsers: who gets one, what it is good for, when it ends, and who cannot use it."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
from tests.patience import until
from tests.server.v1.asking import Asker, new_catalog
from tests.server.v1.conftest import serving
from tests.server.v1.event_reading import reading
from tests.server.v1.test_access import HOUR, Server, all_routes, filled, keyed_server

from holdfast import Holdfast
from holdfast.core.values import instant
from holdfast.server.access import logins
from holdfast.server.access.identifying import SAFE_METHODS
from holdfast.server.access.rules import RULES
from holdfast.server.live import responses
from holdfast.server.serving import ServingOptions


@contextlib.asynccontextmanager
async def browser(server: Server, who: str = "admin") -> AsyncGenerator[Asker]:
    """Somebody who has logged in with a key, and keeps cookies."""
    async with server.as_(None) as asker:
        made = await asker.post("/session", {"key": server.keys.get(who, who)}, code=201)
        asker.http.headers["Holdfast-CSRF"] = made["csrf_token"]
        yield asker


async def test_a_key_becomes_a_session_that_may_do_what_the_key_may(store_url: str):
    async with keyed_server(store_url) as server, server.as_(None) as asker:
        await asker.get("/runs", code=401)
        response = await asker.http.post("/session", json={"key": server.keys["operator"]})
        made, cookie = response.json(), response.headers["set-cookie"]

        assert response.status_code == 201
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=43200"} <= set(cookie.split("; "))
        assert cookie.startswith("holdfast_session=hfs_")
        assert response.headers["cache-control"] == "no-store"
        assert made["caller"]["name"] == "the operator"
        shown = await asker.get("/session")
        assert shown == made
        assert (shown["needs_login"], shown["idle_seconds"]) == (True, 7200)
        answer = await asker.http.get("/runs")
        assert (answer.headers["cache-control"], answer.headers["vary"]) == ("no-store", "Cookie")
        asker.http.headers["Holdfast-CSRF"] = shown["csrf_token"]
        run = await asker.start("waiting", [])
        assert (await asker.get(f"/runs/{run}"))["started_by"] == "the operator"
        await asker.get("/keys", code=403)
        flows = await asker.http.get("/../flows")
        assert flows.status_code == 200, "a session is good for all faces"


async def test_the_secret_of_a_session_is_nowhere_but_in_the_cookie(store_url: str):
    async with keyed_server(store_url) as server, browser(server) as asker:
        secret = asker.http.cookies["holdfast_session"].rpartition("_")[2]
        listed, audit = await asker.get("/sessions"), await asker.get("/audit")

        assert secret not in str(listed) + str(audit) + str(await asker.get("/session"))
        stored = await server.hf._parts.store.find_session(listed["items"][0]["id"], listed_at())
        assert secret not in str(stored)


def listed_at() -> Any:
    return instant(dt.datetime.now(dt.UTC))


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "csrf_token_missing"),
        ({"Holdfast-CSRF": ""}, "csrf_token_wrong"),
        ({"Holdfast-CSRF": "0" * 64}, "csrf_token_wrong"),
        ({"Holdfast-CSRF": "grüße"}, "csrf_token_wrong"),
    ],
)
async def test_a_change_with_a_session_needs_its_token(sqlite_url: str, headers: dict[str, str], code: str):
    async with keyed_server(sqlite_url) as server, browser(server) as asker:
        del asker.http.headers["Holdfast-CSRF"]
        raw = {name: value.encode() for name, value in headers.items()}
        response = await asker.http.post("/runs", json={"workflow": "waiting"}, headers=raw)

        assert (response.status_code, response.json()["code"]) == (403, code)
        assert (await asker.get("/runs"))["items"] == []


async def test_the_token_of_another_session_is_not_good(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, browser(server) as ann, browser(server) as bob:
        bob.http.headers["Holdfast-CSRF"] = ann.http.headers["Holdfast-CSRF"]

        assert (await bob.post("/runs", {"workflow": "waiting"}, code=403))["code"] == "csrf_token_wrong"


async def test_every_route_that_is_not_a_mere_question_needs_the_token(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, browser(server) as asker:
        del asker.http.headers["Holdfast-CSRF"]
        asker.http.base_url = server.base
        for method, path, name in all_routes():
            if method in SAFE_METHODS:
                assert not RULES[name].is_change or RULES[name].is_public, (
                    f"{method} {path} changes something"
                )
            elif not RULES[name].is_public:
                response = await asker.http.request(method, filled(path))
                assert response.status_code == 403, f"{method} {path}"
                assert "Holdfast-CSRF" in response.text


async def test_a_key_counts_before_a_session(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, browser(server, "admin") as asker:
        auth = {"Authorization": f"Bearer {server.keys['viewer']}"}
        del asker.http.headers["Holdfast-CSRF"]

        assert (await asker.http.get("/me", headers=auth)).json()["name"] == "the viewer"
        assert (await asker.http.post("/runs", json={}, headers=auth)).json()["code"] == "forbidden"
        assert (await asker.http.delete("/session", headers=auth)).status_code == 404
        wrong = await asker.http.get("/me", headers={"Authorization": "Bearer hf_0_0"})
        assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
        assert (await asker.get("/me"))["name"] == "the admin"


async def test_logging_out_ends_the_session_at_once(store_url: str):
    async with keyed_server(store_url) as server, browser(server) as asker:
        stolen = dict(asker.http.cookies)
        response = await asker.http.delete("/session")

        assert response.json() == {"logout_url": None}
        assert "Max-Age=0" in response.headers["set-cookie"]
        assert not asker.http.cookies
        asker.http.cookies.update(stolen)
        again = await asker.http.get("/me")
        assert again.status_code == 401
        assert again.headers["set-cookie"] == response.headers["set-cookie"], "the browser forgets it"


async def test_a_session_ends_with_its_key(store_url: str):
    async with keyed_server(store_url) as server:
        key = await server.hf.keys.create("ann", "viewer", expires=dt.timedelta(hours=1))
        async with browser(server, key.text) as asker:
            shown = await asker.get("/session")
            assert dt.datetime.fromisoformat(shown["expires_at"]) == key.info.expires_at
            async with Holdfast(store_url, engine=False) as elsewhere:
                await elsewhere.keys.revoke(key.info.id)

            await asker.get("/runs", code=401)
            async with server.as_("admin") as admin:
                assert (await admin.get("/sessions"))["items"] == []


async def test_a_session_ends_when_it_is_old_or_was_not_used(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    async with keyed_server(sqlite_url) as server, browser(server) as asker:
        now = server.hf.sessions._now
        for hours in (1.5, 3, 4.5, 6, 7.5, 9, 10.5, 11.9):
            monkeypatch.setattr(server.hf.sessions, "_now", lambda it=hours: int(now() + it * HOUR))
            await asker.get("/runs")
            await until(lambda: not server.hf.sessions._noting)
        monkeypatch.setattr(server.hf.sessions, "_now", lambda: now() + 12 * HOUR)
        await asker.get("/runs", code=401)

    async with keyed_server(sqlite_url) as server, browser(server) as asker:
        now = server.hf.sessions._now
        monkeypatch.setattr(server.hf.sessions, "_now", lambda: now() + 2 * HOUR)
        await asker.get("/runs", code=401)


async def test_wrong_keys_are_slowed_down_and_in_the_audit_log_and_a_worker_cannot_log_in(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(logins, "_MOST_FAILURES", 3)
    async with keyed_server(sqlite_url) as server, server.as_(None) as asker:
        known = server.keys["admin"][:-1] + "x"
        for key in (known, "x", "hf_0000000000000000_" + "0" * 64, "", "x"):
            assert (await asker.post("/session", {"key": key}, code=401))["code"] == "unauthorized"
        answers = [asker.http.post("/session", json={"key": "x"}) for _ in range(3)]
        statuses = sorted(each.status_code for each in await asyncio.gather(*answers))
        refused = await asker.post("/session", {"key": server.keys["worker"]}, code=403)
        assert refused["code"] == "login_refused"
        await asker.post("/session", {"key": server.keys["viewer"]}, code=201)
        async with server.as_("admin") as admin:
            rows = (await admin.get("/audit"))["items"]

    assert statuses == [401, 429, 429]
    assert [row["action"] for row in rows] == ["session.create", *["session.refused"] * 3]
    assert rows[0]["by"] == "the viewer"
    assert rows[0]["after"] | {"subject": ""} == {"address": "127.0.0.1", "role": "viewer", "subject": ""}
    assert all(row["after"]["reason"] == "the key is not valid" for row in rows[1:])
    assert server.keys["admin"][3:19] not in str(rows[-1]["key"])
    assert "hf_" not in str(rows)


async def test_wrong_sessions_are_slowed_down(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, server.as_(None) as asker:
        for number in range(5):
            asker.http.cookies.set("holdfast_session", f"hfs_{number:016}_" + "0" * 64)
            await asker.get("/runs", code=401)

        asker.http.cookies.set("holdfast_session", "x")
        with pytest.raises(httpx.ReadTimeout):
            await asker.http.get("/runs", timeout=0.2)


async def test_an_admin_lists_and_ends_sessions_of_its_namespace(store_url: str):
    async with keyed_server(store_url) as server:
        async with Holdfast(store_url, namespace="other", engine=False, catalog=new_catalog()) as other:
            theirs = (await other.keys.create("their admin", "admin")).text
        async with (
            browser(server) as admin,
            browser(server, "viewer") as viewer,
            browser(server, theirs) as stranger,
            browser(server, "everywhere") as root,
        ):
            listed = (await admin.get("/sessions"))["items"]
            assert [each["name"] for each in listed] == ["the viewer", "the admin"]
            assert len((await root.get("/sessions"))["items"]) == 3
            [own] = (await stranger.get("/sessions"))["items"]
            await viewer.get("/sessions", code=403)
            await admin.ask("DELETE", f"/sessions/{own['id']}", code=404)
            assert (await admin.ask("DELETE", f"/sessions/{listed[0]['id']}"))["name"] == "the viewer"
            await viewer.get("/runs", code=401)
            await stranger.get("/runs")
            last = (await admin.get("/audit"))["items"][0]
            assert (last["action"], last["by"]) == ("sessions.end", "the admin")
            assert (await stranger.get("/audit"))["items"][0]["action"] == "session.create"
            assert (await root.ask("DELETE", "/session")) == {"logout_url": None}
            await root.get("/runs", code=401)


async def test_a_session_of_all_namespaces_chooses_one(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, browser(server, "everywhere") as root:
        there = {"Holdfast-Namespace": "other"}
        assert (await root.http.get("/me", headers=there)).json()["namespace"] == "other"
        assert (await root.get("/me"))["all_namespaces"] is True
    async with keyed_server(sqlite_url) as server, browser(server) as admin:
        assert (await admin.http.get("/me", headers=there)).status_code == 403


async def test_one_key_has_a_bounded_number_of_sessions(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, browser(server, "viewer") as first:
        async with server.as_(None) as asker:
            for _ in range(20):
                await asker.post("/session", {"key": server.keys["viewer"]}, code=201)

        await first.get("/runs", code=401)


# --- pages of others


@pytest.mark.parametrize("allowed", ["", "*"])
async def test_a_page_of_another_origin_cannot_use_a_session_and_cannot_log_in(sqlite_url: str, allowed: str):
    origin = {"Origin": "https://evil.example"}
    async with Holdfast(sqlite_url, catalog=new_catalog(), allowed_origins=allowed) as hf:
        key = (await hf.keys.create("ann", "admin")).text
        api = hf.api_server(needs_key=True)
        port = await api.start("127.0.0.1", 0)
        server = Server(hf, api, f"http://127.0.0.1:{port}", {})
        async with browser(server, key) as asker:
            own = {"Origin": server.base}
            assert (await asker.http.get("/session", headers=own)).status_code == 200
            for path in ("/session", "/runs"):
                assert (await asker.http.get(path, headers=origin)).status_code in (401, 403)
            assert (await asker.http.post("/session", json={"key": key}, headers=origin)).status_code == 403
            asked = await asker.http.options("/runs", headers=origin)
            assert "csrf" not in asked.headers.get("access-control-allow-headers", "").lower()
            assert "access-control-allow-credentials" not in asked.headers
        await api.stop()


async def test_without_keys_nobody_has_to_log_in_and_cookies_mean_nothing(small_api: Asker):
    key = await small_api.hf.keys.create("ann", "viewer")
    shown = await small_api.get("/session")

    assert (shown["needs_login"], shown["csrf_token"], shown["caller"]["role"]) == (False, None, "admin")
    assert "no keys" in (await small_api.post("/session", {"key": key.text}, code=400))["detail"]
    small_api.http.cookies.set("holdfast_session", "hfs_of_another_server_on_this_host")
    await small_api.get("/runs")
    await small_api.start("waiting", [])


async def test_without_keys_a_page_elsewhere_can_change_nothing(small_api: Asker):
    body = b'{"workflow": "waiting"}'
    plain = {"Content-Type": "text/plain"}
    port = small_api.http.base_url.port
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "null", "Host": ""},
        {"Origin": f"http://localhost:{port}", "Host": f"127.0.0.1:{port}"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Host": f"rebound.example:{port}", "Origin": f"http://rebound.example:{port}"},
        {"Host": f"rebound.example:{port}", "Sec-Fetch-Site": "same-origin"},
    ):
        response = await small_api.http.post("/runs", content=body, headers=plain | headers)
        assert response.status_code == 403, headers
    assert (await small_api.get("/runs"))["items"] == []
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert (await small_api.http.get("/runs", headers=linked)).status_code == 200
    assert (await small_api.http.post("/runs", content=body, headers=plain)).status_code == 201


# --- HTTPS


@pytest.mark.parametrize(
    ("proxies", "settings"), [("127.0.0.1", {}), ("", {"public_url": "https://hf.example/"})]
)
async def test_cookies_are_for_https_alone_if_the_browser_speaks_it(
    sqlite_url: str, proxies: str, settings: dict[str, Any]
):
    async with Holdfast(sqlite_url, catalog=new_catalog(), **settings) as hf:
        key = (await hf.keys.create("ann", "admin")).text
        server = hf.api_server(needs_key=True, options=ServingOptions(trusted_proxies=proxies))
        port = await server.start("127.0.0.1", 0)
        headers = {"X-Forwarded-Proto": "https", "Origin": "https://hf.example", "Host": "hf.example"}
        base = f"http://127.0.0.1:{port}/api/v1"
        async with httpx.AsyncClient(base_url=base, trust_env=False, headers=headers) as http:
            made = await http.post("/session", json={"key": key})
            cookie = made.headers["set-cookie"]
            assert cookie.startswith("__Host-holdfast_session=hfs_")
            assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
            assert "Domain" not in cookie
            text = cookie.split(";")[0].partition("=")[2]
            right = {"Cookie": f"theme=dark; __Host-holdfast_session={text}"}
            assert (await http.get("/me", headers=right)).json()["name"] == "ann"
            planted = {"Cookie": f"holdfast_session={text}"}
            assert (await http.get("/me", headers=planted)).status_code == 401
            without = {"Origin": "http://hf.example"}  # whoever is on the way can put a page there
            assert (await http.post("/session", json={"key": key}, headers=without)).status_code == 403
            assert (await http.get("/me", headers=right | without)).status_code == 403
        await server.stop()


async def test_a_failed_login_is_recorded_whatever_a_proxy_calls_its_client(sqlite_url: str):
    async with Holdfast(sqlite_url, catalog=new_catalog()) as hf:
        server = hf.api_server(needs_key=True, options=ServingOptions(trusted_proxies="127.0.0.1"))
        base = f"http://127.0.0.1:{await server.start('127.0.0.1', 0)}/api/v1"
        headers = {"X-Forwarded-For": "x" * 5_000}
        async with httpx.AsyncClient(base_url=base, trust_env=False, headers=headers) as http:
            assert (await http.post("/session", json={"key": "wrong"})).status_code == 401
        await server.stop()
        [row] = await hf.audit.list(action="session.refused")
        assert row.target == "x" * 100


# --- streams


@pytest.mark.parametrize("ended", ["session", "key", "key of the session", "key elsewhere"])
async def test_a_stream_ends_soon_after_its_session_or_key(
    sqlite_url: str, ended: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(responses, "CHECK_SECONDS", 0.05)
    async with keyed_server(sqlite_url) as server, browser(server) as admin:
        key = await server.hf.keys.create("ann", "viewer")
        async with browser(server, key.text) as asker, server.as_(key.text) as program:
            reader = program if ended.startswith("key") and "session" not in ended else asker
            headers = {
                name: reader.http.headers[name] for name in ("Authorization",) if name in reader.http.headers
            }
            if not headers:
                headers["Cookie"] = f"holdfast_session={reader.http.cookies['holdfast_session']}"
            async with (
                reading(reader, headers=headers) as stream,
                reading(admin, headers={"Cookie": cookie_of(admin)}) as other,
            ):
                assert (stream.status, other.status) == (200, 200)
                match ended:
                    case "session":
                        await asker.ask("DELETE", "/session")
                    case "key elsewhere":
                        async with Holdfast(sqlite_url, engine=False) as elsewhere:
                            await elsewhere.keys.revoke(key.info.id)
                    case _:
                        await admin.ask("DELETE", f"/keys/{key.info.id}")

                [last] = await stream.read()

                assert (last.kind, last.data["code"]) == ("error", "unauthorized")
                await server.hf.run("doubled", 1)
                assert await other.read(1)


def cookie_of(asker: Asker) -> str:
    return f"holdfast_session={asker.http.cookies['holdfast_session']}"


async def test_streams_of_a_server_without_keys_are_not_checked(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(responses, "CHECK_SECONDS", 0.02)
    async with serving(sqlite_url) as api, reading(api) as stream:
        await api.hf.run("doubled", 1)
        assert await stream.read(1)
