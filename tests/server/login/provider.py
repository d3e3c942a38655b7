"""An identity provider in the test, which can lie in every way that one can think of."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote

from joserfc import jwt
from joserfc.jwk import RSAKey

from holdfast.server.serving import ApiServer

CLIENT = "holdfast here"
SECRET = "s3cret: with/signs"


KEY = RSAKey.generate_key(2048, {"kid": "k1"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "k2"})
"""To make one takes a tenth of a second."""


class Provider:
    """Answers as it should, unless a test has changed something."""

    is_local = True

    def __init__(self) -> None:
        self.url = ""
        self.key: Any = KEY
        self.shown: list[Any] = [self.key]
        self.algorithm = "RS256"
        self.claims: dict[str, Any] = {"sub": "u1", "roles": ["staff"], "preferred_username": "ann"}
        self.change_token: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
        self.forge: Callable[[dict[str, Any]], str] | None = None
        self.document: dict[str, Any] = {}
        self.answers: dict[str, Callable[[], Any]] = {}
        """What is answered at a path, instead."""
        self.headers: list[tuple[bytes, bytes]] = []
        self.asked: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.client: tuple[str, str | None, str] = (CLIENT, SECRET, "client_secret_basic")

    def end_streams(self) -> None: ...

    async def close(self) -> None: ...

    def authorize(self, query: dict[str, str]) -> dict[str, str]:
        """Somebody logs in here. Returns the query with which their browser is sent back."""
        assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
        assert query["client_id"] == CLIENT
        code = f"code-{len(self.codes) + 1}"
        self.codes[code] = query
        return {"code": code, "state": query["state"]}

    def sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": self.algorithm, "kid": self.key.kid}, claims, self.key, [self.algorithm])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path, body = scope["path"], b""
        self.asked.append(path)
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        status, answer = 200, None
        if path in self.answers:
            answer = self.answers[path]()
            if hasattr(answer, "__await__"):
                answer = await answer
            if isinstance(answer, tuple):
                status, answer = answer
        elif path == "/.well-known/openid-configuration":
            answer = self._document()
        elif path == "/keys":
            answer = {"keys": [key.as_dict(private=False) for key in self.shown]}
        elif path == "/token":
            status, answer = self._token(dict(scope["headers"]), body.decode())
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        headers = [(b"content-type", b"application/json"), (b"location", b"http://127.0.0.1:9/elsewhere")]
        headers += self.headers
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": data})

    def _document(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize?tenant=1",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/logout",
            **self.document,
        }

    def _client(self, basic: bytes | None, form: dict[str, str]) -> tuple[str, str | None, str]:
        """Its id, its secret, and how it has shown them."""
        if basic is None:
            how = "client_secret_post" if "client_secret" in form else "none"
            return form.get("client_id", ""), form.get("client_secret"), how
        id, _, secret = base64.b64decode(basic.split()[1]).decode().partition(":")
        return unquote(id), unquote(secret), "client_secret_basic"

    def _token(self, headers: dict[bytes, bytes], body: str) -> tuple[int, Any]:
        form = dict(parse_qsl(body))
        asked = self.codes.pop(form["code"], None)
        if asked is None:
            return 400, {"error": "invalid_grant"}
        challenge = hashlib.sha256(form["code_verifier"].encode()).digest()
        if self._client(headers.get(b"authorization"), form) != self.client:
            return 401, {"error": "invalid_client"}
        if _base64(challenge) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        if form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "exp": now + 300, "iat": now,
            "nonce": asked["nonce"], **self.claims,
        }  # fmt: skip
        claims = self.change_token(claims)
        return 200, {"access_token": "x", "id_token": (self.forge or self.sign)(claims)}


def unsigned(claims: dict[str, Any]) -> str:
    return f"{_part({'alg': 'none', 'kid': 'k1'})}.{_part(claims)}."


def _part(value: Any) -> str:
    return _base64(json.dumps(value).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed_with_public_key(key: Any) -> Callable[[dict[str, Any]], str]:
    """As if our public key were a shared secret."""

    def sign(claims: dict[str, Any]) -> str:
        text = f"{_part({'alg': 'HS256', 'kid': 'k1'})}.{_part(claims)}"
        return f"{text}.{_base64(hmac.digest(key.as_pem(private=False), text.encode(), 'sha256'))}"

    return sign


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(url.partition("?")[2]).items()}


@contextlib.asynccontextmanager
async def providing() -> AsyncGenerator[Provider]:
    provider = Provider()
    server = ApiServer(provider)
    provider.url = f"http://127.0.0.1:{await server.start('127.0.0.1', 0)}"
    try:
        yield provider
    finally:
        await server.stop()
