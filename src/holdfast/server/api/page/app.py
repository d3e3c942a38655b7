"""A page that shows all routes of our own API and lets one try them. It reads the OpenAPI document.

Whoever opens the address of the server, or that of the API, is sent to the page.

The page is three files of this package. It loads nothing from elsewhere, and its policy forbids that. It says
nothing about what is in the database, so everybody may load it; to try a route, one has to log in.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Final

from holdfast.server.paths import API, DOCS, V1, path_below

_FILES: Final = {
    DOCS: ("page.html", b"text/html; charset=utf-8"),
    f"{DOCS}/page.css": ("page.css", b"text/css; charset=utf-8"),
    f"{DOCS}/page.js": ("page.js", b"text/javascript; charset=utf-8"),
}
_DOORS: Final = {
    "/": b"api/v1/docs",
    API: b"api/v1/docs",
    f"{API}/": b"v1/docs",
    V1: b"v1/docs",
    f"{V1}/": b"docs",
}
"""Each with the way to the page from there: where another application has mounted this one is not known."""
PATHS: Final = frozenset(_FILES) | _DOORS.keys()
_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_HEADERS: Final = [
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]


async def show_page(scope: Any, receive: Any, send: Any) -> None:
    """An ASGI application. It is asked only for `PATHS`, and only with GET or HEAD."""
    path = path_below(scope)
    if path in _DOORS:
        headers = [*_HEADERS, (b"location", _DOORS[path]), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    name, kind = _FILES[path]
    body = _read(name)
    headers = [*_HEADERS, (b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


@cache
def _read(name: str) -> bytes:
    return resources.files("holdfast.server.api.page").joinpath(name).read_bytes()
