"""Login at an identity provider that others have written, in a process of its own: it knows its clients,
their secrets and their addresses, and gives each code once."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.patience import PATIENCE

from holdfast import Holdfast


def listen() -> socket.socket:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[str]:
    with listen() as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with (tmp_path / "provider.log").open("w") as log:
        process = subprocess.Popen([*command, "-r", "-n"], stdout=log, stderr=log, env=dict(os.environ))
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


async def register(issuer: str, base: str) -> dict[str, Any]:
    """The client that the provider knows from now on."""
    body = {
        "redirect_uris": [f"{base}/login/oidc/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
    }
    async with asyncio.timeout(PATIENCE), httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                return (await http.post(f"{issuer}/oauth2/clients", json=body)).raise_for_status().json()
            except httpx.TransportError:
                await asyncio.sleep(0.1)


async def log_in(http: httpx.AsyncClient, sub: str) -> httpx.Response:
    """As a person with a browser does: to the provider, through its form, and back."""
    asked = await http.get("/login/oidc", params={"next": "/runs"})
    form = await http.get(asked.headers["location"])
    assert form.status_code == 200, form.text
    back = await http.post(asked.headers["location"], data={"sub": sub})
    assert back.status_code == 302, back.text
    return await http.get(back.headers["location"])


async def test_people_log_in_at_a_real_provider_and_out_again(
    store_url: str, issuer: str, monkeypatch: pytest.MonkeyPatch
):
    listener = listen()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    client = await register(issuer, base)
    monkeypatch.setenv("HOLDFAST_OIDC_CLIENT_SECRET", client["client_secret"])
    oidc = {
        "issuer": issuer,
        "client_id": client["client_id"],
        "role_claim": "realm_access.roles",
        "roles": {"holdfast-admins": "admin"},
        "domains": ["example.com"],
    }
    async with Holdfast(store_url, engine=False, public_url=base, oidc=oidc) as hf:
        server = hf.api_server(needs_key=True)
        await server.start_on(listener)
        async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as http:
            person = {"email": "ann@example.com", "email_verified": True}
            for sub, roles in (("ann", ["holdfast-admins", "x"]), ("bob", ["x"])):
                claims = person | {"realm_access": {"roles": roles}}
                (await http.put(f"{issuer}/users/{sub}", json=claims)).raise_for_status()

            refused = await log_in(http, "bob")
            assert (refused.status_code, refused.json()["code"]) == (403, "login_refused")
            answer = await log_in(http, "ann")
            assert (answer.status_code, answer.headers["location"]) == (303, "/runs"), answer.text
            shown = (await http.get("/api/v1/session")).json()
            assert (shown["caller"]["name"], shown["caller"]["role"]) == ("ann@example.com", "admin")
            [listed] = (await http.get("/api/v1/sessions")).json()["items"]
            assert (listed["subject"], listed["key"]) == (f"{issuer} ann", None)
            again = await http.get(str(answer.url))
            assert again.status_code == 403, "a code and a state are good once"
            out = await http.delete("/api/v1/session", headers={"Holdfast-CSRF": shown["csrf_token"]})
            assert (await http.get(out.json()["logout_url"])).status_code == 200
            assert (await http.get("/api/v1/session")).status_code == 401
        await server.stop()


async def test_a_secret_that_the_provider_does_not_know_lets_nobody_in(
    sqlite_url: str, issuer: str, monkeypatch: pytest.MonkeyPatch
):
    listener = listen()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    client = await register(issuer, base)
    monkeypatch.setenv("HOLDFAST_OIDC_CLIENT_SECRET", "another")
    oidc = {"issuer": issuer, "client_id": client["client_id"], "roles": {"*": "viewer"}}
    async with Holdfast(sqlite_url, engine=False, public_url=base, oidc=oidc) as hf:
        server = hf.api_server(needs_key=True)
        await server.start_on(listener)
        async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as http:
            answer = await log_in(http, "ann")
            assert (answer.status_code, answer.json()["code"]) == (403, "login_refused")
            assert "invalid_client" in answer.json()["detail"]
        await server.stop()
