"""The server as an ASGI application: three faces over one client for each namespace.

Nothing here waits for the lifespan of the application. So it can also be mounted in an application of another
framework, which may not send it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

from litestar import Request
from litestar.di import Provide
from litestar.types import ASGIApp, Receive, Scope, Send

from holdfast.client.client import Client
from holdfast.ports.telemetry import MetricsText
from holdfast.ports.tracing import TraceHeaders
from holdfast.server.access.callers import Caller, caller_of
from holdfast.server.access.identifying import Identifier
from holdfast.server.access.logins import LoginOptions, Logins
from holdfast.server.access.recording import Record, record_of
from holdfast.server.api.page.app import PATHS as PAGE
from holdfast.server.api.page.app import show_page
from holdfast.server.api.v1.app import make_v1_app
from holdfast.server.compat.dags.app import make_dags_app
from holdfast.server.compat.flows.app import make_flows_app
from holdfast.server.compat.flows.node_runs import DescribeVisits, describe_nothing
from holdfast.server.gateway import Gateway
from holdfast.server.live.hub import Hub
from holdfast.server.live.responses import OpenStreams
from holdfast.server.oidc.app import make_login_app
from holdfast.server.pages.app import is_page, show_pages
from holdfast.server.paths import API, DAGS, HEALTH, METRICS, OIDC, V1, is_below, path_below
from holdfast.server.probes.app import Probes, make_probes_app
from holdfast.server.repeated_requests import RepeatedRequests
from holdfast.server.tenants import Tenant, Tenants
from holdfast.server.worker_expiry import WorkerExpiry

_MEGABYTE: Final = 1024 * 1024


def make_app(
    tenants: Tenants,
    *,
    max_payload_bytes: int,
    describe_visits: DescribeVisits = describe_nothing,
    version: str = "0",
    origins: Sequence[str] = (),
    needs_key: bool = False,
    metrics: MetricsText | None = None,
    trace_headers: TraceHeaders | None = None,
    overdue: dt.timedelta = dt.timedelta(seconds=60),
    login: LoginOptions | None = None,
) -> Gateway:
    """The clients of `tenants` are open, and belong to the event loop that serves. `version` is for the
    OpenAPI documents. The server is not ready if something has been due for longer than `overdue`."""
    probes = Probes(tenants, metrics, overdue)
    own = tenants.own.client
    login = login or LoginOptions()
    identifier = Identifier(own.keys, own.sessions, own.namespace, needs_key=needs_key, limits=login.limits)
    tenants.streams.end_when_refused(identifier.is_still_valid)
    logins = Logins(own, identifier, login)
    faces = _WithServices(
        _faces(max_payload_bytes + _MEGABYTE, version), _Services(tenants, probes, logins, describe_visits)
    )
    return Gateway(
        RepeatedRequests(faces),
        tenants,
        identifier,
        origins,
        public_url=login.public_url,
        before_close=probes.close,
        trace_headers=trace_headers,
    )


@cache
def _faces(max_body_bytes: int, version: str) -> ASGIApp:
    """The applications of all faces. They know no server: each request brings what it is about."""
    dags = make_dags_app(DEPENDENCIES, max_body_bytes=max_body_bytes, version=version)
    return _Faces(
        {
            V1: make_v1_app(DEPENDENCIES, max_body_bytes=max_body_bytes, version=version),
            f"{API}/workflows": dags,
            f"{API}/runs": dags,
            DAGS: dags,
            OIDC: make_login_app(DEPENDENCIES),
            **dict.fromkeys((METRICS, *HEALTH), make_probes_app(DEPENDENCIES)),
        },
        make_flows_app(DEPENDENCIES, max_body_bytes=max_body_bytes, version=version),
    )


class _Faces:
    """Sends each request to the face whose path it is below, or else to `other`."""

    def __init__(self, faces: Mapping[str, ASGIApp], other: ASGIApp) -> None:
        self._faces = faces
        self._other = other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_below(scope)
        if cast("Any", scope)["method"] in ("GET", "HEAD"):
            show = show_pages if is_page(path) else show_page if path in PAGE else None
            if show is not None:
                await show(scope, receive, send)
                return
        face = next((face for base, face in self._faces.items() if is_below(path, base)), self._other)
        await face(scope, receive, send)


# --- what handlers ask for


class _Services(NamedTuple):
    tenants: Tenants
    probes: Probes
    logins: Logins
    describe_visits: DescribeVisits


class _WithServices:
    """Lets each request know the server that it came to."""

    def __init__(self, app: ASGIApp, services: _Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cast("Any", scope)["state"][_STATE] = self._services
        await self._app(scope, receive, send)


_STATE: Final = "holdfast_services"

_Request: TypeAlias = Request[Any, Any, Any]


def _services(request: _Request) -> _Services:
    return request.scope["state"][_STATE]


def _tenant(request: _Request) -> Tenant:
    return _services(request).tenants.of(caller_of(request.scope).namespace)


def _caller(request: _Request) -> Caller:
    return caller_of(request.scope)


def _record(request: _Request) -> Record:
    found = record_of(request.scope)
    assert found is not None, "only a route whose rule says that it is a change has a record"
    return found


def _client(request: _Request) -> Client:
    return _tenant(request).client


def _worker_expiry(request: _Request) -> WorkerExpiry:
    return _tenant(request).worker_expiry


def _hub(request: _Request) -> Hub:
    return _tenant(request).hub


def _streams(request: _Request) -> OpenStreams:
    return _services(request).tenants.streams


def _logins(request: _Request) -> Logins:
    return _services(request).logins


def _probes(request: _Request) -> Probes:
    return _services(request).probes


def _describe_visits(request: _Request) -> Any:
    return _services(request).describe_visits


DEPENDENCIES: Final = {
    name: Provide(provide, sync_to_thread=False)
    for name, provide in {
        "caller": _caller,
        "record": _record,
        "client": _client,
        "worker_expiry": _worker_expiry,
        "hub": _hub,
        "streams": _streams,
        "probes": _probes,
        "logins": _logins,
        "describe_visits": _describe_visits,
    }.items()
}
