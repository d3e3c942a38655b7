"""The server as an ASGI application: its routes, their dependencies, and the handlers of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Litestar, MediaType, Router
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from holdfast.client.client import Client
from holdfast.server.api import flows, queue, tasks, workers
from holdfast.server.error_responses import HANDLERS
from holdfast.server.gateway import Gateway
from holdfast.server.node_runs import DescribeVisits, describe_nothing
from holdfast.server.worker_expiry import WorkerExpiry

_MEGABYTE: Final = 1024 * 1024

NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {
    "flows": flows.ROUTES,
    "tasks": tasks.ROUTES,
    "workers": workers.ROUTES,
    "queue": queue.ROUTES,
}
QUERY_NAMES: Final = [
    "flow_id",
    "flow_version_id",
    "from",
    "id",
    "page",
    "page_size",
    "run_id",
    "service",
    "status",
    "task_id",
    "to",
    "ttl",
]


def make_app(
    client: Client,
    *,
    max_payload_bytes: int,
    worker_refresh_seconds: float,
    describe_visits: DescribeVisits = describe_nothing,
    version: str = "0",
    origins: Sequence[str] = (),
) -> Gateway:
    """`client` is open, and belongs to the event loop that serves. `version` is for the OpenAPI document."""
    worker_expiry = WorkerExpiry(client.workers, worker_refresh_seconds)
    app = Litestar(
        route_handlers=[Router("/api", route_handlers=routes, tags=[noun]) for noun, routes in NOUNS.items()],
        dependencies={
            "client": _provide(client),
            "worker_expiry": _provide(worker_expiry),
            "describe_visits": _provide(describe_visits),
        },
        exception_handlers=HANDLERS,
        lifespan=[lambda _: worker_expiry.running()],
        request_max_body_size=max_payload_bytes + _MEGABYTE,
        openapi_config=_openapi(version),
        logging_config=None,
    )
    return Gateway(app, QUERY_NAMES, origins)


def _provide(value: Any) -> Provide:
    return Provide(lambda: value, sync_to_thread=False)


def _openapi(version: str) -> OpenAPIConfig:
    # By default Litestar serves several pages below this path. We want only the JSON document.
    document = JsonRenderPlugin(path="/", media_type=MediaType.JSON)
    return OpenAPIConfig(
        title="holdfast",
        version=version,
        path="/api/openapi.json",
        render_plugins=[document],
        use_handler_docstrings=True,
    )
