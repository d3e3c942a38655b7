"""Serves the web pages: one document for all addresses of pages, and the files that it loads.

The files are built from `ui/` (`make pages`) and are in the wheel. They say nothing about what is in the
database, so everybody may load them. The script of a page asks the API for what the page shows, with the
session of the user.

Nothing is loaded from elsewhere, and no script or style is in the document. The policy forbids both.
"""

from __future__ import annotations

import asyncio
import gzip
from functools import lru_cache
from html import escape
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from holdfast.server.paths import MOUNTED_AT, OIDC, is_below, path_below

_BUILT: Final = resources.files("holdfast.server.pages").joinpath("built")
_NAMES: Final = (
    "/runs",
    "/compare",
    "/workflows",
    "/approvals",
    "/schedules",
    "/fleet",
    "/settings",
    "/login",
)
_FILES: Final = "/pages/"
_KINDS: Final = {
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "svg": b"image/svg+xml",
    "woff2": b"font/woff2",
}
_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
    b"connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; "
    b"require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
)
_HEADERS: Final = [
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"vary", b"Accept-Encoding"),
]
_AS_NEW: Final = (b"cache-control", b"no-cache")
_FOR_EVER: Final = (b"cache-control", b"public, max-age=31536000, immutable")
"""Of files that have a hash of what is in them in their names."""
_packing: Final = Lock()
"""A browser asks for several files at once. They are all packed for the first one, and the others wait."""
_BASE: Final = '<base href="/"'


class _File(NamedTuple):
    kind: bytes
    body: bytes
    packed: bytes
    is_hashed: bool


def is_page(path: str) -> bool:
    """Whether it is the address of a page, or of a file of the pages."""
    if path == "/" or path.startswith(_FILES):
        return are_built()
    return not is_below(path, OIDC) and any(is_below(path, name) for name in _NAMES) and are_built()


def are_built() -> bool:
    return _built_at() is not None


async def show_pages(scope: Any, receive: Any, send: Any) -> None:
    """An ASGI application. It is asked only for what `is_page`, and only with GET or HEAD."""
    path = path_below(scope)
    # In a thread: to pack the files takes 60 ms, at the first request.
    is_file = path.startswith(_FILES)
    file = await asyncio.to_thread(_file, path) if is_file else _document(_root(scope), _built_at())
    if file is None:
        missing = [*_HEADERS, _AS_NEW, (b"content-type", b"text/plain"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 404, "headers": missing})
        await send({"type": "http.response.body", "body": b""})
        return
    is_packed = bool(file.packed) and _takes_gzip(scope)
    body = file.packed if is_packed else file.body
    headers = [*_HEADERS, _FOR_EVER if file.is_hashed else _AS_NEW, (b"content-type", file.kind)]
    if is_packed:
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _root(scope: Any) -> str:
    """Where another application has mounted this one."""
    return str(scope.get(MOUNTED_AT, scope.get("root_path", ""))).rstrip("/")


def _built_at() -> int | None:
    """Developers build the pages again while a server runs. None: they are not built."""
    document = _BUILT.joinpath("index.html")
    if not document.is_file():
        return None
    return document.stat().st_mtime_ns if isinstance(document, Path) else 0


@lru_cache(maxsize=8)
def _document(root: str, built_at: int | None) -> _File:
    text = _BUILT.joinpath("index.html").read_text(encoding="utf-8")
    body = text.replace(_BASE, f'<base href="{escape(root)}/"').encode()
    return _File(b"text/html; charset=utf-8", body, b"", is_hashed=False)


@lru_cache(maxsize=1)
def _files(built_at: int | None) -> dict[str, _File]:
    found: dict[str, _File] = {}
    for each in _BUILT.joinpath("pages").iterdir():
        kind = _KINDS.get(each.name.rpartition(".")[2])
        if kind is not None:
            body = each.read_bytes()
            packed = b"" if each.name.endswith(".woff2") else gzip.compress(body, 9, mtime=0)
            found[each.name] = _File(kind, body, packed, is_hashed="-" in each.name)
    return found


def _file(path: str) -> _File | None:
    with _packing:
        return _files(_built_at()).get(path.removeprefix(_FILES))


def _takes_gzip(scope: Any) -> bool:
    return any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])
