"""Where the faces of the server are."""

from __future__ import annotations

from typing import Any, Final

API: Final = "/api"
V1: Final = "/api/v1"
DAGS: Final = "/api/dags"
DOCS: Final = f"{V1}/docs"
SESSION: Final = f"{V1}/session"
LOGIN: Final = f"{V1}/login"
LOGIN_PAGE: Final = "/login"
OIDC: Final = f"{LOGIN_PAGE}/oidc"
OIDC_CALLBACK: Final = f"{OIDC}/callback"
METRICS: Final = "/metrics"
HEALTH: Final = frozenset({"/healthz", "/readyz"})

MOUNTED_AT: Final = "holdfast.mounted_at"
"""In the scope: where another application has mounted this one, if `root_path` no longer says it."""


def path_below(scope: Any) -> str:
    """The path, without that at which another application has mounted this one."""
    return scope["path"].removeprefix(scope.get("root_path", ""))


def is_probe(scope: Any) -> bool:
    path = path_below(scope)
    return path == METRICS or path in HEALTH


def is_login(scope: Any) -> bool:
    return is_below(path_below(scope), OIDC)


def is_v1(scope: Any) -> bool:
    return is_below(path_below(scope), V1)


def is_below(path: str, base: str) -> bool:
    return path == base or path.startswith(f"{base}/")
