"""Where the faces of the server are."""

from __future__ import annotations

from typing import Any, Final

API: Final = "/api"
V1: Final = "/api/v1"


def path_below(scope: Any) -> str:
    """The path, without that at which another application has mounted this one."""
    return scope["path"].removeprefix(scope.get("root_path", ""))


def is_v1(scope: Any) -> bool:
    path = path_below(scope)
    return path == V1 or path.startswith(f"{V1}/")
