"""Our own API as an application: its routes, and its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Litestar, MediaType, Router
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, Reference, SecurityScheme, Server
from litestar.types import ASGIApp

from holdfast.core.failures import capture_value
from holdfast.server.access.rules import check_all_have_rules, check_rule
from holdfast.server.api.v1 import (
    access,
    alerts,
    archives,
    attention,
    backlogs,
    bulk,
    events,
    fleet,
    questions,
    run_acts,
    run_ends,
    run_graphs,
    run_parts,
    run_points,
    run_views,
    runs,
    schedules,
    sessions,
    stats,
    workflows,
)
from holdfast.server.api.v1.queries import check_query
from holdfast.server.escaped_slashes import EscapedSlashes, restore_slashes
from holdfast.server.paths import V1
from holdfast.server.problems import HANDLERS

NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {
    "workflows": workflows.ROUTES,
    "runs": [
        *runs.ROUTES,
        *run_parts.ROUTES,
        *run_views.ROUTES,
        *run_graphs.ROUTES,
        *run_points.ROUTES,
        *run_acts.ROUTES,
        *run_ends.ROUTES,
    ],
    "bulk": bulk.ROUTES,
    "archive": archives.ROUTES,
    "events": events.ROUTES,
    "questions": questions.ROUTES,
    "schedules": schedules.ROUTES,
    "alerts": alerts.ROUTES,
    "access": [*access.ROUTES, *sessions.ROUTES],
    "fleet": fleet.ROUTES,
    "backlog": backlogs.ROUTES,
    "stats": stats.ROUTES,
    "attention": attention.ROUTES,
}


_SECURITY: Final[dict[str, SecurityScheme | Reference]] = {
    "key": SecurityScheme(type="http", scheme="bearer", description="A key: hf_…"),
    "session": SecurityScheme(
        type="apiKey",
        security_scheme_in="cookie",
        name="__Host-holdfast_session",
        description="What POST /api/v1/session sets. Without HTTPS its name is holdfast_session.",
    ),
    "csrf": SecurityScheme(
        type="apiKey",
        security_scheme_in="header",
        name="Holdfast-CSRF",
        description="For changes with the cookie: the token of GET /api/v1/session.",
    ),
}


def make_v1_app(dependencies: Mapping[str, Any], *, max_body_bytes: int, version: str) -> ASGIApp:
    check_all_have_rules(NOUNS)
    app = Litestar(
        route_handlers=[Router(V1, route_handlers=routes, tags=[noun]) for noun, routes in NOUNS.items()],
        dependencies=dependencies,
        exception_handlers=HANDLERS,
        guards=[restore_slashes, check_rule, check_query],
        type_encoders={BaseException: capture_value},
        request_max_body_size=max_body_bytes,
        openapi_config=_openapi(version),
        logging_config=None,
    )
    return EscapedSlashes(app)


def _openapi(version: str) -> OpenAPIConfig:
    document = JsonRenderPlugin(path="/", media_type=MediaType.JSON)
    return OpenAPIConfig(
        title="holdfast",
        version=version,
        path=f"{V1}/openapi.json",
        # Relative to the document, as OpenAPI says: the API may be mounted below another path.
        servers=[Server(url="../..")],
        render_plugins=[document],
        use_handler_docstrings=True,
        components=Components(security_schemes=_SECURITY),
        security=[{"key": []}, {"session": [], "csrf": []}],
    )
