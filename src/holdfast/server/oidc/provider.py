"""Asks the identity provider: for its addresses, for its keys, and for the ID token of a login.

The provider is asked at the addresses of its own document alone: no redirect is followed, each question has a
time limit, and an answer has a limit of size. The document and the keys are remembered for an hour; the keys
are read again when a token has one that is not among them, but not more often than every few seconds.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

import httpx
import msgspec

from holdfast.core.oidc import OidcOptions
from holdfast.server.access.refusals import LoginRefused, ProviderUnavailable
from holdfast.server.oidc.id_tokens import Expected, PublicKey, UnknownKey, check_id_token, read_keys
from holdfast.server.oidc.pending import PendingLogin

ASK_SECONDS: float = 10.0
_KEPT_SECONDS: Final = 3600.0
_REFRESH_SECONDS: Final = 5.0
_EXCHANGES_AT_ONCE: Final = 10
"""Whoever comes back with many wrong codes must not make us flood the provider."""
_LARGEST_ANSWER: Final = 1024 * 1024
_ASKED: Final = {"Accept": "application/json", "Accept-Encoding": "identity"}


class Addresses(msgspec.Struct, frozen=True):
    """What we need of the provider's document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class Provider:
    """Belongs to one event loop."""

    def __init__(self, options: OidcOptions, secret: str, callback: str) -> None:
        """`callback` is where the browser comes back to. An empty secret: there is none."""
        self.options = options
        self._secret = secret
        self._callback = callback
        self._addresses: Addresses | None = None
        self._addresses_at = 0.0
        self._keys: Sequence[PublicKey] = ()
        self._keys_at: float | None = None
        self._refreshed_at = -_REFRESH_SECONDS
        self._asking = asyncio.Lock()
        self._exchanging = asyncio.Semaphore(_EXCHANGES_AT_ONCE)
        self._certificates: ssl.SSLContext | None = None

    async def login_url(self, pending: PendingLogin) -> str:
        """Where the browser is sent. Raises ProviderUnavailable."""
        query = {
            "response_type": "code",
            "client_id": self.options.client_id,
            "redirect_uri": self._callback,
            "scope": " ".join(self.options.scopes),
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": pending.challenge,
            "code_challenge_method": "S256",
        }
        return _with_query((await self.addresses()).authorization_endpoint, query)

    async def logout_url(self, after: str) -> str | None:
        """Where the browser is sent to log out there, too. None if the provider has no such place, or does
        not answer."""
        try:
            place = (await self.addresses()).end_session_endpoint
        except ProviderUnavailable:
            return None
        query = {"client_id": self.options.client_id, "post_logout_redirect_uri": after}
        return None if place is None else _with_query(place, query)

    async def claims_of(self, code: str, pending: PendingLogin) -> Mapping[str, Any]:
        """What the provider says of whoever has come back with the code. Raises LoginRefused and
        ProviderUnavailable."""
        token = await self._exchange(code, pending)
        expected = Expected(self.options.issuer, self.options.client_id, pending.nonce)
        now = time.time()
        try:
            return check_id_token(token, await self._known_keys(), expected, now)
        except UnknownKey:
            pass
        try:
            return check_id_token(token, await self._new_keys(), expected, now)
        except UnknownKey:
            raise LoginRefused("the ID token is signed with a key that the provider does not show") from None

    async def addresses(self) -> Addresses:
        """Raises ProviderUnavailable."""
        async with self._asking:
            if self._addresses is None or time.monotonic() > self._addresses_at + _KEPT_SECONDS:
                url = self.options.issuer.rstrip("/") + "/.well-known/openid-configuration"
                self._addresses = self._read_addresses(await self._ask("GET", url))
                self._addresses_at = time.monotonic()
            return self._addresses

    def _read_addresses(self, document: Any) -> Addresses:
        try:
            found = msgspec.convert(document, Addresses)
        except msgspec.ValidationError as error:
            raise ProviderUnavailable(
                f"the document of the identity provider is not valid: {error}"
            ) from None
        if found.issuer != self.options.issuer:
            raise ProviderUnavailable(
                f"the document of the identity provider is that of {found.issuer!r}, and not of "
                f"{self.options.issuer!r}"
            )
        scheme = self.options.issuer.partition("://")[0]
        for each in (
            found.authorization_endpoint,
            found.token_endpoint,
            found.jwks_uri,
            found.end_session_endpoint,
        ):
            if each is not None and each.partition("://")[0] not in ("https", scheme):
                raise ProviderUnavailable(f"{each!r}, in the document of the identity provider, is not HTTPS")
        return found

    async def _known_keys(self) -> Sequence[PublicKey]:
        addresses = await self.addresses()
        async with self._asking:
            if self._keys_at is None or time.monotonic() > self._keys_at + _KEPT_SECONDS:
                await self._read_keys(addresses)
            return self._keys

    async def _new_keys(self) -> Sequence[PublicKey]:
        addresses = await self.addresses()
        async with self._asking:
            if time.monotonic() >= self._refreshed_at + _REFRESH_SECONDS:
                self._refreshed_at = time.monotonic()
                await self._read_keys(addresses)
            return self._keys

    async def _read_keys(self, addresses: Addresses) -> None:
        self._keys = read_keys(await self._ask("GET", addresses.jwks_uri))
        self._keys_at = time.monotonic()

    async def _exchange(self, code: str, pending: PendingLogin) -> str:
        """The ID token. Raises LoginRefused and ProviderUnavailable."""
        addresses = await self.addresses()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._callback,
            "code_verifier": pending.verifier,
        }
        auth = None
        if not self._secret:
            form["client_id"] = self.options.client_id
        elif "client_secret_basic" in addresses.token_endpoint_auth_methods_supported:
            auth = httpx.BasicAuth(quote(self.options.client_id, safe=""), quote(self._secret, safe=""))
        else:
            form |= {"client_id": self.options.client_id, "client_secret": self._secret}
        async with self._exchanging:
            answer = await self._ask("POST", addresses.token_endpoint, form, auth)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise LoginRefused("the identity provider has given no ID token")
        return token

    async def _trusted(self) -> ssl.SSLContext:
        """Reading all certificates would stop the event loop for some 40 ms."""
        if self._certificates is None:
            self._certificates = await asyncio.to_thread(httpx.create_ssl_context)
        return self._certificates

    async def _ask(
        self,
        method: str,
        url: str,
        form: Mapping[str, str] | None = None,
        auth: httpx.BasicAuth | None = None,
    ) -> dict[str, Any]:
        """The JSON object that is answered; httpx follows no redirect. Raises LoginRefused if the provider
        refuses a code, and ProviderUnavailable."""
        trusted = await self._trusted()
        try:
            async with (
                asyncio.timeout(ASK_SECONDS),
                httpx.AsyncClient(timeout=ASK_SECONDS, verify=trusted) as http,
                http.stream(method, url, data=form, auth=auth, headers=_ASKED) as answer,
            ):
                body = b""
                async for chunk in answer.aiter_raw():  # a small compressed one may have any size
                    body += chunk
                    if len(body) > _LARGEST_ANSWER:
                        raise ProviderUnavailable(f"the answer of {url} is too large")
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
            reason = str(error) or f"no answer within {ASK_SECONDS:g} s"
            raise ProviderUnavailable(f"the identity provider does not answer at {url}: {reason}") from None
        if method == "POST" and status in (400, 401):
            raise LoginRefused(f"the identity provider refuses the code: {_oauth_error(body)}")
        if status != 200:
            raise ProviderUnavailable(f"the identity provider answers {status} at {url}")
        try:
            return msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise ProviderUnavailable(
                f"the identity provider does not answer with a JSON object at {url}"
            ) from None


def _oauth_error(body: bytes) -> str:
    """The code of the error, as in RFC 6749."""
    try:
        return str(msgspec.json.decode(body, type=dict[str, Any]).get("error"))[:100]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return "no reason given"


def _with_query(url: str, query: Mapping[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"
