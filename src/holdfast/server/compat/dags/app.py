"""These routes as an application of their own, with errors as `{"error": text}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Litestar, MediaType, Router
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import ASGIApp

from holdfast.server.access.rules import check_all_have_rules, check_rule
from holdfast.server.compat.dags import runs, tasks, workflows
from holdfast.server.compat.error_responses import HANDLERS
from holdfast.server.escaped_slashes import EscapedSlashes, restore_slashes
from holdfast.server.paths import API, DAGS

NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {
    "workflows": workflows.ROUTES,
    "runs": runs.ROUTES,
    "tasks": tasks.ROUTES,
}


def make_dags_app(dependencies: Mapping[str, Any], *, max_body_bytes: int, version: str) -> ASGIApp:
    check_all_have_rules(NOUNS)
    app = Litestar(
        route_handlers=[Router(API, route_handlers=routes, tags=[noun]) for noun, routes in NOUNS.items()],
        dependencies=dependencies,
        exception_handlers=HANDLERS,
        guards=[restore_slashes, check_rule],
        request_max_body_size=max_body_bytes,
        openapi_config=_openapi(version),
        logging_config=None,
    )
    return EscapedSlashes(app)


def _openapi(version: str) -> OpenAPIConfig:
    document = JsonRenderPlugin(path="/", media_type=MediaType.JSON)
    return OpenAPIConfig(
        title="holdfast, as a scheduler of DAGs",
        version=version,
        path=f"{DAGS}/openapi.json",
        render_plugins=[document],
        use_handler_docstrings=True,
    )
