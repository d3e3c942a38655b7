"""The server as an ASGI application: three faces over one client for each namespace.

Nothing here waits for the lifespan of the application. So it can also be mounted in an application of another
framework, which may not send it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Request
from litestar.di import Provide
from litestar.types import ASGIApp, Receive, Scope, Send

from holdfast.client.client import Client
from holdfast.ports.telemetry import MetricsText
from holdfast.server.access.callers import Caller, caller_of
from holdfast.server.access.identifying import Identifier
from holdfast.server.access.recording import Record, record_of
from holdfast.server.api.v1.app import make_v1_app
from holdfast.server.compat.dags.app import make_dags_app
from holdfast.server.compat.flows.app import make_flows_app
from holdfast.server.compat.flows.node_runs import DescribeVisits, describe_nothing
from holdfast.server.gateway import Gateway
from holdfast.server.live.hub import Hub
from holdfast.server.paths import API, DAGS, HEALTH, METRICS, V1, is_below, path_below
from holdfast.server.probes.app import Probes, make_probes_app
from holdfast.server.tenants import Tenants
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
    overdue: dt.timedelta = dt.timedelta(seconds=60),
) -> Gateway:
    """The clients of `tenants` are open, and belong to the event loop that serves. `version` is for the
    OpenAPI documents. The server is not ready if something has been due for longer than `overdue`."""
    probes = Probes(tenants, metrics, overdue)
    dependencies = _dependencies(tenants) | {"describe_visits": _provide(describe_visits)}
    limit = max_payload_bytes + _MEGABYTE
    dags = make_dags_app(dependencies, max_body_bytes=limit, version=version)
    faces = _Faces(
        {
            V1: make_v1_app(dependencies, max_body_bytes=limit, version=version),
            f"{API}/workflows": dags,
            f"{API}/runs": dags,
            DAGS: dags,
            **dict.fromkeys((METRICS, *HEALTH), make_probes_app(dependencies, probes)),
        },
        make_flows_app(dependencies, max_body_bytes=limit, version=version),
    )
    own = tenants.own.client
    identifier = Identifier(own.keys, own.namespace, needs_key=needs_key)
    return Gateway(faces, tenants, identifier, origins, before_close=probes.close)


class _Faces:
    """Sends each request to the face whose path it is below, or else to `other`."""

    def __init__(self, faces: Mapping[str, ASGIApp], other: ASGIApp) -> None:
        self._faces = faces
        self._other = other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_below(scope)
        face = next((face for base, face in self._faces.items() if is_below(path, base)), self._other)
        await face(scope, receive, send)


def _dependencies(tenants: Tenants) -> dict[str, Any]:
    def caller(request: Request[Any, Any, Any]) -> Caller:
        return caller_of(request.scope)

    def client(request: Request[Any, Any, Any]) -> Client:
        return tenants.of(caller_of(request.scope).namespace).client

    def worker_expiry(request: Request[Any, Any, Any]) -> WorkerExpiry:
        return tenants.of(caller_of(request.scope).namespace).worker_expiry

    def record(request: Request[Any, Any, Any]) -> Record:
        found = record_of(request.scope)
        assert found is not None, "only a route whose rule says that it is a change has a record"
        return found

    def hub(request: Request[Any, Any, Any]) -> Hub:
        return tenants.of(caller_of(request.scope).namespace).hub

    return {
        "record": Provide(record, sync_to_thread=False),
        "caller": Provide(caller, sync_to_thread=False),
        "client": Provide(client, sync_to_thread=False),
        "worker_expiry": Provide(worker_expiry, sync_to_thread=False),
        "hub": Provide(hub, sync_to_thread=False),
        "streams": _provide(tenants.streams),
    }


def _provide(value: Any) -> Provide:
    return Provide(lambda: value, sync_to_thread=False)
