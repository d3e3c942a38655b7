"""The way of a browser to the identity provider and back."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias
from urllib.parse import quote

from litestar import Litestar, Request, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from litestar.types import ASGIApp

from holdfast.client.sessions import Login
from holdfast.core.oidc import NotAllowed, identify
from holdfast.server.access import cookies
from holdfast.server.access.logins import Logins, address_of
from holdfast.server.access.recording import Record
from holdfast.server.access.refusals import LoginRefused, ProviderUnavailable
from holdfast.server.access.rules import check_all_have_rules, check_rule
from holdfast.server.oidc.pending import LASTS_SECONDS, begin_login, read_pending
from holdfast.server.pages.app import are_built
from holdfast.server.paths import LOGIN_PAGE, OIDC, OIDC_CALLBACK
from holdfast.server.problems import HANDLERS, NotFound, answer_problem

if TYPE_CHECKING:
    from holdfast.server.oidc.provider import Provider

_Request: TypeAlias = Request[Any, Any, Any]
_LONGEST_CODE: Final = 4_000
_SHOWN_WITHIN: Final = dt.timedelta(minutes=1)


@get(OIDC, name="login.oidc", include_in_schema=False)
async def go_to_provider(
    request: _Request,
    logins: NamedDependency[Logins],
    next: Annotated[str | None, QueryParameter(description="Where to go afterwards, on this server.")] = None,
) -> Response[Any]:
    provider = _provider(logins)
    pending = begin_login(next, time.time())
    try:
        url = await provider.login_url(pending)
    except ProviderUnavailable as error:
        return _refusal(request, logins, error, pending.next)
    lasts = dt.timedelta(seconds=LASTS_SECONDS)
    cookie = cookies.new_cookie(
        cookies.LOGIN, pending.cookie, lasts, is_secure=logins.is_https(request.scope)
    )
    return _redirect(url, [cookie])


@get(OIDC_CALLBACK, name="login.oidc_callback", include_in_schema=False)
async def come_back(
    request: _Request,
    logins: NamedDependency[Logins],
    record: NamedDependency[Record],
) -> Response[Any]:
    provider, is_secure = _provider(logins), logins.is_https(request.scope)
    gone = cookies.no_cookie(cookies.LOGIN, is_secure=is_secure)
    cookie = cookies.read_cookie(request.headers.get("cookie"), cookies.LOGIN, is_secure=is_secure)
    try:
        login, next = await _login(provider, cookie, request.query_params, logins.own_namespace)
    except LoginRefused as error:
        await logins.fail(address_of(request.scope), str(error))
        return _refusal(request, logins, error, _next_of(cookie), gone)
    except ProviderUnavailable as error:
        return _refusal(request, logins, error, _next_of(cookie))
    made = await logins.begin(login)
    logins.let_in(request.scope, made, record, address_of(request.scope))
    return _redirect(next, [gone, logins.cookie_of(request.scope, made)])


async def _login(
    provider: Provider, cookie: str | None, query: Mapping[str, str], own_namespace: str
) -> tuple[Login, str]:
    """Who has come back, and where they want to go. Raises LoginRefused and ProviderUnavailable."""
    pending = read_pending(cookie, time.time())
    if pending is None:
        raise LoginRefused("this browser has not begun to log in, or it took too long: begin again")
    if not pending.is_state(query.get("state", "")):
        raise LoginRefused("the login was begun by another browser, or another login was begun since (state)")
    addresses = await provider.addresses()
    issuer = query.get("iss")
    if issuer != addresses.issuer and (issuer or addresses.authorization_response_iss_parameter_supported):
        raise LoginRefused("another identity provider has answered (iss)")
    if "error" in query:
        raise LoginRefused(f"the identity provider has not let you in: {_printable(query['error'])}")
    code = query.get("code", "")
    if not 0 < len(code) <= _LONGEST_CODE:
        raise LoginRefused("the identity provider has sent no code")
    found = identify(await provider.claims_of(code, pending), provider.options, own_namespace)
    if isinstance(found, NotAllowed):
        raise LoginRefused(found.reason)
    return Login(found.name, found.role, found.namespace, found.subject), pending.next


def _provider(logins: Logins) -> Provider:
    if logins.provider is None or not logins.are_needed:
        raise NotFound("this server has no identity provider (the setting oidc)")
    return logins.provider


def _redirect(url: str, set: Sequence[Any]) -> Response[None]:
    headers = {"Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(None, status_code=303, headers=headers, cookies=[*set])


def _refusal(
    request: _Request, logins: Logins, error: LoginRefused | ProviderUnavailable, next: str, *set: Any
) -> Response[Any]:
    """A person goes back to the page for logging in, which says why; a program gets the problem."""
    answer: Any = answer_problem(request, error)
    if "text/html" in request.headers.get("accept", "") and are_built():
        query = f"?next={quote(next, safe='/')}" if next != "/" else ""
        answer = _redirect(f"{logins.options.public_url}{LOGIN_PAGE}{query}", [])
        reason = cookies.new_cookie(
            cookies.REFUSED,
            quote(str(error), safe=""),
            _SHOWN_WITHIN,
            is_secure=logins.is_https(request.scope),
            is_readable=True,
        )
        answer.set_cookie(reason)
    for each in set:
        answer.set_cookie(each)
    return answer


def _next_of(cookie: str | None) -> str:
    pending = read_pending(cookie, time.time())
    return "/" if pending is None else pending.next


def _printable(text: str) -> str:
    return "".join(each for each in text[:200] if each.isprintable())


NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {"login": [go_to_provider, come_back]}


def make_login_app(dependencies: Mapping[str, Any]) -> ASGIApp:
    check_all_have_rules(NOUNS)
    return Litestar(
        route_handlers=NOUNS["login"],
        dependencies=dependencies,
        exception_handlers=HANDLERS,
        guards=[check_rule],
        openapi_config=None,
        logging_config=None,
    )
