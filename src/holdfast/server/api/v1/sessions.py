"""Logging in with a key, and sessions."""

from __future__ import annotations

import datetime as dt
from typing import Any, TypeAlias

import msgspec
from litestar import Request, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from holdfast.client.client import Client
from holdfast.client.sessions import SessionInfo
from holdfast.server.access import cookies
from holdfast.server.access.callers import ActiveSession, Caller, session_of
from holdfast.server.access.logins import Logins, address_of
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.paging import Page
from holdfast.server.paths import OIDC
from holdfast.server.problems import BadRequest, NotFound, may_answer

_Request: TypeAlias = Request[Any, Any, Any]


class LoginRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str

    def __repr__(self) -> str:
        return "LoginRequest(key='…')"  # it may end up in a log


class SessionAnswer(msgspec.Struct, frozen=True):
    """Who you are to this server, and your session."""

    caller: Caller
    needs_login: bool
    """False: this server asks for no keys. So nobody needs a session."""
    csrf_token: str | None = None
    """For the header Holdfast-CSRF of each change that is sent with the cookie. Null: there is no session."""
    expires_at: dt.datetime | None = None
    idle_seconds: float | None = None
    """The session ends earlier if it is not used for so long."""


class LogoutAnswer(msgspec.Struct, frozen=True):
    logout_url: str | None = None
    """Where to go to log out at the identity provider, too. Null: nowhere."""


class ProviderOffer(msgspec.Struct, frozen=True):
    label: str
    url: str
    """Send the browser there. With `?next=/path` it comes back to that path."""


class LoginOffer(msgspec.Struct, frozen=True):
    needs_login: bool
    """False: this server asks for no keys, and nobody has to log in."""
    key: bool
    """One can log in with a key: `POST /api/v1/session`."""
    oidc: ProviderOffer | None
    """One can log in at this identity provider. Null: there is none."""


@get("/login", name="login.get", security=[{}], responses=may_answer())
async def offer_login(logins: NamedDependency[Logins]) -> LoginOffer:
    """How one can log in to this server."""
    is_needed, options = logins.are_needed, logins.options.oidc
    if options is None or not is_needed:
        return LoginOffer(is_needed, is_needed, None)
    host = options.issuer.split("/")[2]
    return LoginOffer(
        is_needed, is_needed, ProviderOffer(options.label or host, logins.options.public_url + OIDC)
    )


@post(
    "/session",
    name="session.create",
    dto=Body[LoginRequest],
    return_dto=None,
    security=[{}],
    responses=may_answer(),
)
async def log_in(
    request: _Request,
    data: JSONBody[LoginRequest],
    logins: NamedDependency[Logins],
    record: NamedDependency[Record],
) -> Response[SessionAnswer]:
    """Log in with a key. The session is in a cookie, for browsers; programs send the key with each
    request."""
    if not logins.are_needed:
        raise BadRequest("this server asks for no keys, so nobody has to log in")
    made = await logins.with_key(data.key, address_of(request.scope))
    caller = logins.let_in(request.scope, made, record, address_of(request.scope))
    answer = _answer(caller, session_of(request.scope), logins)
    return Response(
        answer,
        status_code=201,
        headers={"Cache-Control": "no-store"},
        cookies=[logins.cookie_of(request.scope, made)],
    )


@get("/session", name="session.get", responses=may_answer())
async def show_session(
    request: _Request, caller: NamedDependency[Caller], logins: NamedDependency[Logins]
) -> Response[SessionAnswer]:
    """Who you are to this server, and the token for changes that are sent with the cookie of a session."""
    answer = _answer(caller, session_of(request.scope), logins)
    return Response(answer, headers={"Cache-Control": "no-store"})


@delete("/session", name="session.delete", status_code=200, responses=may_answer(404))
async def log_out(
    request: _Request,
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    logins: NamedDependency[Logins],
) -> Response[LogoutAnswer]:
    """Log out: end your session."""
    if not caller.session:
        raise NotFound("there is no session: you are known by a key, or by none")
    await client.sessions.end(caller.session, all_namespaces=True)
    record.target, record.after = caller.session, {"address": address_of(request.scope)}
    url = await logins.logout_url(session_of(request.scope))
    gone = cookies.no_cookie(cookies.SESSION, is_secure=logins.is_https(request.scope))
    return Response(LogoutAnswer(url), headers={"Cache-Control": "no-store"}, cookies=[gone])


@get("/sessions", name="sessions.list", responses=may_answer())
async def list_sessions(
    client: NamedDependency[Client], caller: NamedDependency[Caller], logins: NamedDependency[Logins]
) -> Page[SessionInfo]:
    """The sessions of the namespace that have not ended, newest first; at most 1,000."""
    found = await client.sessions.list(logins.options.limits, all_namespaces=caller.all_namespaces)
    return Page(found)


@delete("/sessions/{id:str}", name="sessions.end", status_code=200, responses=may_answer(404))
async def end_session(
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    id: FromPath[str],
) -> SessionInfo:
    """End a session. Its owner has to log in again."""
    ended = await client.sessions.end(id, all_namespaces=caller.all_namespaces)
    if ended is None:
        raise NotFound(f"no session {id!r} in namespace {caller.namespace!r}")
    record.before = {"name": ended.name, "role": ended.role}
    return ended


def _answer(caller: Caller, session: ActiveSession | None, logins: Logins) -> SessionAnswer:
    if session is None:
        return SessionAnswer(caller, logins.are_needed)
    idle = logins.options.limits.idle.total_seconds() or None
    return SessionAnswer(caller, logins.are_needed, session.csrf_token, session.info.expires_at, idle)


ROUTES = [offer_login, log_in, show_session, log_out, list_sessions, end_session]
