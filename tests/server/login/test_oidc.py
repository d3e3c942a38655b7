"""Login through OpenID Connect, with an identity provider that the test can make lie."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Final
from urllib.parse import unquote

import httpx
import pytest
from joserfc.jwk import ECKey
from tests.patience import until
from tests.server.login.provider import (
    CLIENT,
    KEY,
    OTHER_KEY,
    SECRET,
    Provider,
    providing,
    query_of,
    signed_with_public_key,
    unsigned,
)
from tests.server.v1.asking import new_catalog

from holdfast import BadOption, Catalog, Holdfast, context, workflow
from holdfast.core.oidc import NotAllowed, identify, read_oidc
from holdfast.server.access import throttle
from holdfast.server.oidc import app as login_app
from holdfast.server.oidc import pending
from holdfast.server.oidc import provider as providers

CALLBACK = "/login/oidc/callback"


class Site:
    """A server, and the identity provider that it sends browsers to."""

    def __init__(self, hf: Holdfast, provider: Provider, base: str) -> None:
        self.hf = hf
        self.provider = provider
        self.base = base

    @contextlib.asynccontextmanager
    async def browser(self) -> AsyncGenerator[httpx.AsyncClient]:
        async with httpx.AsyncClient(base_url=self.base, trust_env=False, timeout=30) as http:
            yield http

    async def begin(self, http: httpx.AsyncClient, **query: str) -> dict[str, str]:
        """The query with which the provider sends the browser back."""
        asked = await http.get("/login/oidc", params=query)
        assert asked.status_code == 303, asked.text
        assert asked.headers["location"].startswith(f"{self.provider.url}/authorize?tenant=1&")
        return self.provider.authorize(query_of(asked.headers["location"]))

    async def log_in(self, http: httpx.AsyncClient, **query: str) -> httpx.Response:
        return await http.get(CALLBACK, params=await self.begin(http, **query))


@contextlib.asynccontextmanager
async def site_of(url: str, provider: Provider, **oidc: Any) -> AsyncGenerator[Site]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    setting = {"issuer": provider.url, "client_id": CLIENT, "roles": {"staff": "operator"}} | oidc
    async with Holdfast(url, catalog=new_catalog(), public_url=base, oidc=setting, engine=False) as hf:
        server = hf.api_server(needs_key=True)
        await server.start_on(listener)
        try:
            yield Site(hf, provider, base)
        finally:
            await server.stop()


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setenv("HOLDFAST_OIDC_CLIENT_SECRET", SECRET)
    async with providing() as provider:
        yield provider


@pytest.fixture
async def site(sqlite_url: str, provider: Provider) -> AsyncIterator[Site]:
    async with site_of(sqlite_url, provider) as site:
        yield site


@pytest.fixture
def patient_site(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """It slows nobody down."""
    monkeypatch.setattr(throttle, "_FREE", 1000)
    return site


async def refused(answer: httpx.Response, reason: str, code: str = "login_refused") -> None:
    assert (answer.status_code, answer.json()["code"]) == ({"login_refused": 403}.get(code, 503), code)
    assert reason in answer.json()["detail"]
    assert "holdfast_session" not in answer.headers.get("set-cookie", "")


async def test_somebody_logs_in_at_the_provider_and_has_a_session(store_url: str, provider: Provider):
    async with site_of(store_url, provider, label="Example") as site, site.browser() as http:
        offered = (await http.get("/api/v1/login")).json()
        assert offered == {
            "needs_login": True,
            "key": True,
            "oidc": {"label": "Example", "url": f"{site.base}/login/oidc"},
        }
        answer = await site.log_in(http, next="/runs?state=failed")

        assert (answer.status_code, answer.headers["location"]) == (303, "/runs?state=failed")
        assert list(http.cookies) == ["holdfast_session"], "the cookie of the login is gone"
        shown = (await http.get("/api/v1/session")).json()
        assert shown["caller"] | {"session": ""} == {
            "name": "ann",
            "role": "operator",
            "namespace": "default",
            "key": "",
            "session": "",
            "all_namespaces": False,
        }
        headers = {"Holdfast-CSRF": shown["csrf_token"]}
        assert (await http.post("/api/v1/runs", json={"workflow": "waiting"})).status_code == 403
        run = await http.post("/api/v1/runs", json={"workflow": "waiting"}, headers=headers)
        assert run.status_code == 201
        out = (await http.delete("/api/v1/session", headers=headers)).json()["logout_url"]
        assert out.startswith(f"{provider.url}/logout?")
        assert query_of(out) == {"client_id": CLIENT, "post_logout_redirect_uri": f"{site.base}/"}
        assert (await http.get("/api/v1/session")).status_code == 401
        rows = await site.hf.audit.list()
        assert [row.action for row in rows] == ["session.delete", "runs.start", "login.oidc_callback"]
        assert {row.by for row in rows} == {"ann"}
        assert rows[-1].after == {
            "address": "127.0.0.1",
            "role": "operator",
            "subject": f"{provider.url} u1",
        }


async def test_each_browser_and_each_login_has_secrets_of_its_own(site: Site):
    async with site.browser() as http:
        asked = [query_of((await http.get("/login/oidc")).headers["location"]) for _ in range(2)]

    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
        assert len(asked[0][name]) >= 43
    assert asked[0]["redirect_uri"] == f"{site.base}{CALLBACK}"
    assert asked[0]["scope"] == "openid profile email"


async def test_the_address_to_come_back_to_is_not_that_of_the_host_header(site: Site):
    async with site.browser() as http:
        asked = await http.get(
            "/login/oidc", headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
        )

    assert query_of(asked.headers["location"])["redirect_uri"] == f"{site.base}{CALLBACK}"


async def test_a_browser_is_not_sent_elsewhere_afterwards(site: Site):
    async with site.browser() as http:
        for next in ("https://evil.example", "//evil.example", "/\\evil.example", "x", "/\r\nX: y"):
            assert (await site.log_in(http, next=next)).headers["location"] == "/"


# --- tokens that are not right


def _with(**changes: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(claims: dict[str, Any]) -> dict[str, Any]:
        changed = {**claims, **changes}
        return {name: value for name, value in changed.items() if value is not None}

    return change


BAD_CLAIMS: Final[Any] = [
    (_with(nonce="x"), "another login (nonce)"),
    (_with(nonce=None), "another login (nonce)"),
    (_with(nonce=["x"]), "another login (nonce)"),
    (_with(iss="https://evil.example"), "another issuer"),
    (_with(iss=None), "another issuer"),
    (_with(aud="somebody else"), "another client (aud)"),
    (_with(aud=None), "another client (aud)"),
    (_with(aud=[CLIENT, "other"]), "another client (azp)"),
    (_with(azp="other"), "another client (azp)"),
    (_with(exp=int(time.time()) - 3600), "has expired"),
    (_with(exp=None), "does not say when (exp)"),
    (_with(exp="9999999999"), "does not say when (exp)"),
    (_with(exp=True), "does not say when (exp)"),
    (_with(exp=float("nan")), "does not say when (exp)"),
    (_with(exp=float("inf")), "does not say when (exp)"),
    (_with(exp=10**400), "does not say when (exp)"),
    (_with(iat=None), "does not say when (iat)"),
    (_with(iat=int(time.time()) + 3600), "of the future"),
    (_with(nbf=int(time.time()) + 3600), "not valid yet"),
    (_with(sub=None), "does not say who you are"),
    (_with(sub=""), "does not say who you are"),
    (_with(roles=None), "'roles'"),
    (_with(roles=[]), "'roles'"),
    (_with(roles=["Staff", "*", 1]), "'roles'"),
    (_with(roles={"staff": True}), "'roles'"),
]


async def test_an_id_token_that_is_not_right_is_refused(patient_site: Site):
    async with patient_site.browser() as http:
        for change, reason in BAD_CLAIMS:
            patient_site.provider.change_token = change
            await refused(await patient_site.log_in(http), reason)

            assert not http.cookies
            assert (await http.get("/api/v1/session")).status_code == 401
            row = (await patient_site.hf.audit.list(limit=1))[0]
            assert (row.action, row.target) == ("session.refused", "127.0.0.1")
            assert reason in row.after["reason"]


async def test_a_token_without_a_signature_is_refused(site: Site):
    site.provider.forge = unsigned
    async with site.browser() as http:
        await refused(await site.log_in(http), "'none'")


async def test_a_token_that_is_signed_with_our_public_key_as_a_secret_is_refused(site: Site):
    site.provider.forge = signed_with_public_key(site.provider.key)
    async with site.browser() as http:
        await refused(await site.log_in(http), "'HS256'")


async def test_what_is_no_token_is_refused(patient_site: Site):
    async with patient_site.browser() as http:
        for text in ("", "x", "a.b.c", "a.b.c.d.e", "é", "x" * 200_000, None, 5):
            patient_site.provider.forge = lambda _, it=text: it
            await refused(await patient_site.log_in(http), "ID token")


async def test_a_token_of_another_key_is_refused(site: Site):
    site.provider.key, site.provider.algorithm = ECKey.generate_key("P-256", {"kid": "k1"}), "ES256"
    site.provider.shown = [ECKey.generate_key("P-256", {"kid": "k1"})]
    async with site.browser() as http:
        await refused(await site.log_in(http), "not valid")


@pytest.mark.parametrize("algorithm", ["PS256", "ES256"])
async def test_other_good_signatures_are_taken(site: Site, algorithm: str):
    site.provider.key = KEY if algorithm == "PS256" else ECKey.generate_key("P-256", {"kid": "k9"})
    site.provider.shown, site.provider.algorithm = [site.provider.key], algorithm
    async with site.browser() as http:
        assert (await site.log_in(http)).status_code == 303


async def test_new_keys_of_the_provider_are_read_when_a_token_has_one_and_not_in_a_loop(site: Site):
    async with site.browser() as http:
        await site.log_in(http)
        site.provider.key = OTHER_KEY
        site.provider.shown = [site.provider.key]
        assert (await site.log_in(http)).status_code == 303
        assert site.provider.asked.count("/keys") == 2
        site.provider.key = ECKey.generate_key("P-256", {"kid": "k3"})
        site.provider.algorithm = "ES256"
        for _ in range(3):
            await refused(await site.log_in(http), "does not show")
        assert site.provider.asked.count("/keys") == 2, "a token in a loop must not make us ask in a loop"
        assert site.provider.asked.count("/.well-known/openid-configuration") == 1


# --- logins of other browsers, and old ones


async def test_a_login_of_another_browser_is_refused(site: Site):
    async with site.browser() as eve, site.browser() as ann:
        begun = await site.begin(eve)

        await refused(await ann.get(CALLBACK, params=begun), "has not begun")
        await site.begin(ann)
        await refused(await ann.get(CALLBACK, params=begun), "another browser")
        assert "/token" not in site.provider.asked


async def test_a_code_is_good_for_the_login_that_it_was_made_for_alone(site: Site):
    async with site.browser() as eve, site.browser() as ann:
        stolen, own = await site.begin(eve), await site.begin(ann)

        await refused(await ann.get(CALLBACK, params=own | {"code": stolen["code"]}), "invalid_grant")


async def test_a_login_cannot_be_repeated(site: Site):
    async with site.browser() as http:
        begun = await site.begin(http)
        kept = http.cookies["holdfast_login"]
        assert (await http.get(CALLBACK, params=begun)).status_code == 303
        http.cookies.clear()

        await refused(await http.get(CALLBACK, params=begun), "has not begun")
        with_cookie = {"Cookie": f"holdfast_login={kept}"}
        await refused(await http.get(CALLBACK, params=begun, headers=with_cookie), "invalid_grant")


async def test_a_login_that_took_too_long_or_was_changed_is_refused(patient_site: Site):
    async with patient_site.browser() as http:
        begun = await patient_site.begin(http)
        secret, at, next = http.cookies["holdfast_login"].split(".")
        http.cookies.clear()
        later = f"{secret}.{int(at) - 1}.{next}"
        elsewhere = f"{secret}.{at}.L2V2aWw"
        old = f"{secret}.{int(at) - 601}.{next}"
        for cookie in (later, elsewhere):
            answer = await http.get(CALLBACK, params=begun, headers={"Cookie": f"holdfast_login={cookie}"})
            await refused(answer, "(state)")
        for cookie in (old, "", "x", f"{secret}.{at}.!", f"{secret}.{at}._w", f"{secret}.{at}.A"):
            answer = await http.get(CALLBACK, params=begun, headers={"Cookie": f"holdfast_login={cookie}"})
            await refused(answer, "has not begun")


async def test_what_the_provider_refuses_is_said(site: Site):
    async with site.browser() as http:
        begun = await site.begin(http)
        denied = {"state": begun["state"], "error": "access_denied\x1b[31m"}
        answer = await http.get(CALLBACK, params=denied)
        await refused(answer, "not let you in: access_denied[31m")
        begun = await site.begin(http)
        await refused(await http.get(CALLBACK, params={"state": begun["state"]}), "no code")
        begun = await site.begin(http)
        await refused(await http.get(CALLBACK, params=begun | {"iss": "https://evil.example"}), "(iss)")


async def test_a_person_who_is_refused_is_told_on_the_page_and_can_begin_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(login_app, "are_built", lambda: True)
    browser = {"Accept": "text/html,application/xhtml+xml"}
    async with site.browser() as http:
        begun = await site.begin(http, next="/runs?status=failed")
        answer = await http.get(CALLBACK, params=begun | {"error": "access_denied"}, headers=browser)

        assert (answer.status_code, answer.headers["location"]) == (
            303,
            f"{site.base}/login?next=/runs%3Fstatus%3Dfailed",
        )
        (reason,) = [each for each in answer.headers.get_list("set-cookie") if "holdfast_refused" in each]
        value = unquote(reason.partition(";")[0])
        assert value == "holdfast_refused=the identity provider has not let you in: access_denied"
        assert "HttpOnly" not in reason, "the page reads it"
        assert "Max-Age=60" in reason
        assert "holdfast_session" not in http.cookies
        assert "holdfast_login" not in http.cookies

        program = await http.get(CALLBACK, params=begun, headers={"Accept": "application/json"})
        await refused(program, "has not begun to log in")


async def test_failed_logins_are_slowed_down(site: Site):
    async with site.browser() as http:
        for _ in range(5):
            await refused(await http.get(CALLBACK), "has not begun")

        answers = await asyncio.gather(*(http.get(CALLBACK) for _ in range(3)))

    assert sorted(each.status_code for each in answers) == [403, 429, 429]


async def test_a_flood_of_codes_does_not_flood_the_provider(patient_site: Site):
    provider, under_way, most = patient_site.provider, 0, 0

    async def answer() -> Any:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1
        return 400, {"error": "invalid_grant"}

    async with patient_site.browser() as http:
        begun = await patient_site.begin(http)
        provider.answers = {"/token": answer}
        cookie = {"Cookie": f"holdfast_login={http.cookies['holdfast_login']}"}
        await asyncio.gather(*(http.get(CALLBACK, params=begun, headers=cookie) for _ in range(40)))

    assert most <= 10


# --- the provider itself


async def test_a_provider_that_is_away_or_slow_or_talks_nonsense_is_said_and_asked_again(
    sqlite_url: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
):
    document = "/.well-known/openid-configuration"
    async with site_of(sqlite_url, provider) as site, site.browser() as http:
        for answer, reason in (
            (lambda: (302, b"{}"), "answers 302"),
            (lambda: (500, b""), "answers 500"),
            (lambda: b"<html>", "JSON object"),
            (lambda: b"[]", "JSON object"),
            (lambda: b" " * 2_000_000, "too large"),
            (dict, "not valid"),
            (lambda: provider._document() | {"issuer": "https://evil.example"}, "'https://evil.example'"),
            (lambda: provider._document() | {"token_endpoint": "file:///etc/passwd"}, "not HTTPS"),
            (lambda: provider._document() | {"jwks_uri": "http://127.0.0.1:1/"}, None),
        ):
            provider.answers = {document: answer}
            asked = await http.get("/login/oidc")
            if reason is not None:
                await refused(asked, reason, "provider_unavailable")
        assert asked.status_code == 303
        monkeypatch.setattr(providers, "ASK_SECONDS", 0.3)
        provider.answers = {"/token": lambda: asyncio.sleep(1)}
        await refused(await site.log_in(http), "within 0.3 s", "provider_unavailable")
        assert (await http.get("/api/v1/login")).status_code == 200


async def test_a_compressed_answer_of_the_provider_is_not_decompressed(site: Site):
    """300 kB of it can be 300 MB, of which most would be there before anybody can count them."""
    site.provider.headers = [(b"content-encoding", b"gzip")]
    site.provider.answers = {"/.well-known/openid-configuration": lambda: gzip.compress(b" " * 2_000_000)}
    async with site.browser() as http:
        await refused(await http.get("/login/oidc"), "JSON object", "provider_unavailable")


async def test_a_provider_that_is_down_is_said_and_logging_out_works_all_the_same(
    sqlite_url: str, provider: Provider
):
    async with site_of(sqlite_url, provider, issuer="http://127.0.0.1:1") as site, site.browser() as http:
        await refused(await http.get("/login/oidc"), "does not answer", "provider_unavailable")
        key = (await site.hf.keys.create("ann", "viewer")).text
        made = (await http.post("/api/v1/session", json={"key": key})).json()
        out = await http.delete("/api/v1/session", headers={"Holdfast-CSRF": made["csrf_token"]})
        assert out.json() == {"logout_url": None}


@pytest.mark.parametrize(("how", "secret"), [("client_secret_post", SECRET), ("none", "")])
async def test_the_secret_is_shown_as_the_provider_wants_it(
    sqlite_url: str, provider: Provider, how: str, secret: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOLDFAST_OIDC_CLIENT_SECRET", secret)
    provider.client = (CLIENT, secret or None, how)
    provider.document = {"token_endpoint_auth_methods_supported": [how]}
    async with site_of(sqlite_url, provider) as site, site.browser() as http:
        assert (await site.log_in(http)).status_code == 303


async def test_a_wrong_secret_is_said(sqlite_url: str, provider: Provider, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOLDFAST_OIDC_CLIENT_SECRET", "another")
    async with site_of(sqlite_url, provider) as site, site.browser() as http:
        await refused(await site.log_in(http), "invalid_client")


async def test_the_secret_may_be_in_a_file_and_is_in_no_text(
    sqlite_url: str, provider: Provider, tmp_path: Any
):
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n")
    async with site_of(sqlite_url, provider, client_secret_file=str(file)) as site, site.browser() as http:
        assert (await site.log_in(http)).status_code == 303
        assert SECRET not in repr(site.hf.settings)
        assert SECRET not in repr(site.hf._login_options())


# --- roles and namespaces


@pytest.mark.parametrize(
    ("oidc", "claims", "expected"),
    [
        ({"roles": {"staff": "viewer", "boss": "admin"}}, {"roles": ["staff", "boss"]}, ("admin", "default")),
        ({"roles": {"staff": "viewer"}}, {"roles": "staff"}, ("viewer", "default")),
        ({"role_claim": "realm.roles"}, {"realm": {"roles": ["staff"]}}, ("operator", "default")),
        (
            {"role_claim": "https://id.example/roles"},
            {"https://id.example/roles": ["staff"]},
            ("operator", "default"),
        ),
        ({"roles": {"*": "viewer"}}, {"roles": []}, ("viewer", "default")),
        ({"namespace": "shop"}, {}, ("operator", "shop")),
        ({"namespace": "*"}, {}, ("operator", "*")),
        ({"namespace_claim": "team"}, {"team": "shop"}, ("operator", "shop")),
        ({"namespace_claim": "team"}, {"team": ["shop", "desk"]}, "does not name one namespace"),
        ({"namespace_claim": "team"}, {"team": "*"}, "does not name one namespace"),
        ({"namespace_claim": "team"}, {"team": "(deleted runs)"}, "does not name one namespace"),
        ({"namespace_claim": "team"}, {}, "does not name one namespace"),
        (
            {"domains": ["Example.com"]},
            {"email": "a@EXAMPLE.com", "email_verified": True},
            ("operator", "default"),
        ),
        ({"domains": ["example.com"]}, {"email": "a@example.com"}, "only verified addresses"),
        ({"domains": ["example.com"]}, {"email": "a@example.com", "email_verified": "true"}, "only verified"),
        (
            {"domains": ["example.com"]},
            {"email": "a@evil-example.com", "email_verified": True},
            "only verified",
        ),
    ],
)
def test_roles_and_namespaces_come_from_the_claims(oidc: Any, claims: Any, expected: Any):
    setting = {"issuer": "https://id.example", "client_id": "hf", "roles": {"staff": "operator"}} | oidc
    options = read_oidc(setting)
    assert options is not None
    found = identify({"sub": "u1", "roles": ["staff"]} | claims, options, "default")
    if isinstance(found, NotAllowed):
        assert expected in found.reason
    else:
        assert (found.role, found.namespace) == expected


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"email": "ann@example.com", "email_verified": True, "name": "Ann"}, "ann@example.com"),
        ({"email": "root@example.com", "preferred_username": "ann"}, "ann"),
        ({"email": "root@example.com", "email_verified": "true", "name": "root@example.com"}, "u1"),
        ({"preferred_username": "root@example.com", "name": "root"}, "u1"),
        ({"preferred_username": "a\x1b[31m", "name": "Ann Lee"}, "u1"),
        ({"preferred_username": 5, "name": "a" * 201}, "u1"),
        ({"sub": "u\n1"}, "somebody"),
    ],
)
def test_names_are_those_that_nobody_else_can_claim_as_far_as_the_provider_says(claims: Any, name: str):
    options = read_oidc({"issuer": "https://id.example", "client_id": "hf", "roles": {"*": "viewer"}})
    assert options is not None
    found = identify({"sub": "u1"} | claims, options, "default")
    assert not isinstance(found, NotAllowed)
    assert found.name == name


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "ann@example.com"}, "ann@example.com"),
        ({"preferred_username": ["ann"], "name": "Ann"}, "u1"),
        ({"email": "root@example.com", "email_verified": True}, "u1"),
    ],
)
def test_the_setting_may_name_a_claim_that_the_provider_does_not_let_people_choose(claims: Any, name: str):
    setting = {"issuer": "https://id.example", "client_id": "hf", "roles": {"*": "viewer"}}
    options = read_oidc(setting | {"name_claim": "preferred_username"})
    assert options is not None
    found = identify({"sub": "u1"} | claims, options, "default")
    assert not isinstance(found, NotAllowed)
    assert found.name == name


async def test_who_calls_themselves_by_the_address_of_another_cannot_answer_for_them(
    sqlite_url: str, provider: Provider
):
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def asking() -> Any:
        return await context().ask("Pay?", answer=bool, name="verdict", by=["boss@example.com"])

    provider.claims |= {"preferred_username": "boss@example.com", "name": "boss@example.com"}
    async with (
        Holdfast(sqlite_url, catalog=catalog) as hf,
        site_of(sqlite_url, provider) as site,
        site.browser() as http,
    ):
        run = await hf.start(asking, id="payment")
        await until(hf.questions)
        await site.log_in(http)
        token = (await http.get("/api/v1/session")).json()["csrf_token"]
        answer = await http.post(
            "/api/v1/runs/payment/answers",
            json={"question": "verdict", "value": True},
            headers={"Holdfast-CSRF": token},
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "may_not_answer")
        await run.cancel()


async def test_somebody_of_all_namespaces_may_choose_one(sqlite_url: str, provider: Provider):
    async with site_of(sqlite_url, provider, namespace="*") as site, site.browser() as http:
        await site.log_in(http)
        caller = (await http.get("/api/v1/me", headers={"Holdfast-Namespace": "shop"})).json()

    assert (caller["role"], caller["namespace"], caller["all_namespaces"]) == ("operator", "shop", True)


@pytest.mark.parametrize(
    ("oidc", "problem"),
    [
        ({"issuer": "http://id.example"}, "oidc.issuer"),
        ({"issuer": "id.example"}, "oidc.issuer"),
        ({"client_id": ""}, "oidc.client_id"),
        ({"client_secret": "s3cret"}, "HOLDFAST_OIDC_CLIENT_SECRET"),
        ({"roles": {}}, "oidc.roles"),
        ({"roles": {"x": "worker"}}, "oidc.roles"),
        ({"roles": {"x": "king"}}, "oidc"),
        ({"scopes": ["email"]}, "oidc.scopes"),
        ({"colour": "red"}, "colour"),
        ({"namespace": "a", "namespace_claim": "b"}, "oidc.namespace"),
    ],
)
def test_settings_that_would_not_work_are_refused(oidc: Any, problem: str):
    good = {"issuer": "https://id.example", "client_id": "hf", "roles": {"x": "viewer"}}
    with pytest.raises(BadOption, match=problem) as caught:
        Holdfast("sqlite:///x.db", public_url="https://hf.example", oidc=good | oidc)
    assert "s3cret" not in str(caught.value)


async def test_without_an_address_of_its_own_a_server_cannot_use_a_provider(sqlite_url: str):
    oidc = {"issuer": "https://id.example", "client_id": "hf", "roles": {"x": "viewer"}}
    async with Holdfast(sqlite_url, oidc=oidc, engine=False) as hf:
        with pytest.raises(BadOption, match="public_url"):
            hf.api_server(needs_key=True)


async def test_without_a_provider_there_is_nowhere_to_go(sqlite_url: str):
    async with Holdfast(sqlite_url, engine=False) as hf:
        server = hf.api_server(needs_key=True)
        port = await server.start("127.0.0.1", 0)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
            for path in ("/login/oidc", CALLBACK):
                assert (await http.get(path)).json()["code"] == "not_found"
            assert (await http.get("/api/v1/login")).json() == {
                "needs_login": True,
                "key": True,
                "oidc": None,
            }
        await server.stop()


def test_what_the_browser_keeps_says_nothing_of_what_the_provider_is_told():
    begun = pending.begin_login("/runs", 1000.0)

    assert len({begun.state, begun.nonce, begun.verifier, begun.challenge}) == 4
    for each in (begun.state, begun.nonce, begun.verifier):
        assert each not in begun.cookie
    assert pending.read_pending(begun.cookie, 1600) == begun
    assert pending.read_pending(begun.cookie, 1601) is None
    assert pending.read_pending(begun.cookie, 999) is None
